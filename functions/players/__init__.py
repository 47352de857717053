"""The HTTP function of players and their tokens."""
