"""How an explanation of a difference is found; `explain` is the way in."""
