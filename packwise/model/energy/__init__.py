"""What power costs: series over time, tariffs, carbon, climate, cooling, what jobs draw, and the scenario of
all.
"""
