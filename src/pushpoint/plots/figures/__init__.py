"""One file per figure: a run in, a matplotlib figure out."""
