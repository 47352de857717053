"""The use cases: what a request, a stream record or the schedule comes to. No HTTP, no database."""
