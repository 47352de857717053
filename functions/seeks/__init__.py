"""The function of seeks."""
