"""The HTTP client of the command line, of programs that play, and of the load driver."""

from infra.client.http import Client, Reply, UnexpectedAnswer

__all__ = ["Client", "Reply", "UnexpectedAnswer"]
