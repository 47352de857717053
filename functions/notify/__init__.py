"""The consumer of the players stream that tells webhooks."""
