"""Slurm's scheduler: multifactor priorities, the main pass and the backfill pass, compiled.

What is known of it rests on its documentation (slurm.schedmd.com: "Multifactor Priority Plugin", "Fair Tree",
"Scheduling Configuration Guide") and on runs of a real one, with which the replays are compared
(``benchmarks/real_slurm``).
"""
