"""The HTTP function of what is not under /v1, and of paths that nothing serves."""
