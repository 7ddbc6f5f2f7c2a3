"""Studies: grids of scenarios, run on all cores or a Dask cluster, kept in a store."""
