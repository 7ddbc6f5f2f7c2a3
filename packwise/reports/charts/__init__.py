"""Charts as plain data, and as still pictures."""
