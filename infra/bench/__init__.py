"""Measurements beside peers: `make bench-…`. They print figures and never fail on them."""
