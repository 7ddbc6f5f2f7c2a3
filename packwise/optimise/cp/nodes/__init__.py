"""The dispatchers of Galleguillos, Kiziltan and Soto, CP 2021, on the solver that they were written for."""
