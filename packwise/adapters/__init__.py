"""Live systems: what they show becomes a View, and what a policy decides is sent back."""
