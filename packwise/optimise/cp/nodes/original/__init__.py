"""The dispatchers of Galleguillos, Kiziltan and Soto on the solver that they were written for."""
