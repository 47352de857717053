"""The consumer of the matches stream that does what follows from a match's end."""
