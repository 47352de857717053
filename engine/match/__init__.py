"""The life of a match: `lobby` before the start, `play` from there to the result, `advance` for what time and house
bots do, `log` for what may be read, `codec` for the store. `record` is the match itself."""
