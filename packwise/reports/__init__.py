"""Pages and figures made from results in a store. Nothing is simulated here."""
