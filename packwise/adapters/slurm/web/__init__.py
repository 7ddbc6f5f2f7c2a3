"""A web page of the live plan, and its metrics for Prometheus. Reads the state folder, and nothing else."""
