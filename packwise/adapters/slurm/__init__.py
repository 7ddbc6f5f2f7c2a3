"""A live Slurm: read, planned for, and, if asked to, steered.

Nothing here holds a job back: whatever becomes of Packwise, Slurm goes on with every job by itself.
"""
