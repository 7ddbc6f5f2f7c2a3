"""From a study and its store to what a report is made of."""
