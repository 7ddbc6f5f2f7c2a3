"""Results as tables, one kind per file; and the same as JSON or CSV."""
