"""The part of a report that looks at nodes."""
