"""Who does the work of a study: worker processes of this machine, or a Dask cluster."""
