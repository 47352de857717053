"""The function of ladders."""
