"""Promised starts, and what became of them."""
