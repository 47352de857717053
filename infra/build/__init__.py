"""What makes the files that are shipped."""
