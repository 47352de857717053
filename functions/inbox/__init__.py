"""The consumer of the matches stream that tells players what concerns them."""
