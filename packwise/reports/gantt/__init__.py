"""Which job ran when."""
