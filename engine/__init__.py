"""The rules of play, pure: state in, state out. No I/O, no clock, no network, no global randomness."""
