"""The dispatchers of Galleguillos, Kiziltan and Soto, CP 2021: whole rounds on nodes, on CP-SAT."""
