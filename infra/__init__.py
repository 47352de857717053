"""The command line, the HTTP client, the local service, and what builds and measures the stack."""
