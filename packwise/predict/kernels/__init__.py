"""The compiled halves of the predictors. Importing one of these modules imports numba and compiles it."""
