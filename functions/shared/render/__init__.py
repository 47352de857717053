"""The one serializer of each thing that the API shows."""
