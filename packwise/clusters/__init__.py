"""Clusters by name or from files: presets, our own TOML files, Slurm's configuration."""
