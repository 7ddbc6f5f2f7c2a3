"""What there is to say besides a result: of deadlines, predictions, rounds, and what a file cannot hold."""
