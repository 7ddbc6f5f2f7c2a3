"""Jobs with deadlines: figures, tables and words."""
