"""Runs of a real Slurm on this machine: what the policy ``slurm`` is held against."""
