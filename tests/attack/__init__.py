"""An attack on the product: random cases, judged by checkers that share no code with what they judge."""
