"""Worlds on their way: what drives them, who is asked for commands, and the edits that change them."""
