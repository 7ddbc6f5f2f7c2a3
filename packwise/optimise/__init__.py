"""Optimising dispatch: plans that are searched for instead of being put together by a rule."""
