"""What people would rather look at than read. Needs the extra ``plot`` (Matplotlib)."""
