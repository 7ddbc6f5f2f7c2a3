"""What a schedule's energy costs: accounts of any schedule, exact across all changes of price and weather."""
