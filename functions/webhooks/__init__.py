"""The HTTP function of webhooks."""
