"""The schedule that does what time asks for."""
