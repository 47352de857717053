"""Load drivers: bounded in count and time, against a service on this machine."""
