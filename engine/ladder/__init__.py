"""Ratings and ranks in integers (ladder.md): `elo` and `fide` turn a result into changes, `outcome` says whether it
counts, `standing` keeps a player's record, `ranks` finds ranks in a histogram, `profiles` names the algorithms."""
