"""Published data sets with a format of their own, each recognised by its columns."""
