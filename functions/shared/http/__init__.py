"""HTTP, in both directions: requests into calls of a flow, what it gives into responses. No rules of play."""
