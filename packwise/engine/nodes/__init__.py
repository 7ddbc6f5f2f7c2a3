"""Room on a machine of nodes: what is free on each over time, where units go, the rounds planned on it."""
