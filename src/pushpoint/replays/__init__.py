"""Pages that play a run in 3D, in a browser or a notebook."""

from pushpoint.replays.replay import replay as replay, show as show
