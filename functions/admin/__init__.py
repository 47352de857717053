"""What the operators of the service ask for, by the command line."""
