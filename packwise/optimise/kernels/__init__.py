"""The compiled half of the optimising policies."""
