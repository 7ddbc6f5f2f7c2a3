"""Tables of jobs, as CSV and Parquet: columns by name, and what they tell of a schedule and of a log."""
