"""The HTTP function of tournaments: organizing, entering, following, exporting."""
