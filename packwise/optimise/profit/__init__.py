"""Plans for profit, off line: all jobs of a day, or of a log, are known before it begins."""
