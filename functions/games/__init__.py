"""The HTTP function that describes the games."""
