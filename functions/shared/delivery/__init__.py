"""Sends what players are told to the URLs that they gave: which are safe, how it is signed and sent."""
