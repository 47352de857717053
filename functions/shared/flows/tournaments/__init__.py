"""Tournaments: how they are made, entered, run by themselves, ruled on, and read. No HTTP, no database."""
