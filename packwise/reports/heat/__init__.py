"""The table of policies and metrics, in colours."""
