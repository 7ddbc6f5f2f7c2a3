"""What a site's own accounting tells: Slurm's and PBS's records, and tables whose columns are explained."""
