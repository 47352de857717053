"""The HTTP function of matches: creating, seating, playing, reading."""
