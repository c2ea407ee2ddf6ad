"""Property tests draw the same examples in every run; HYPOTHESIS_PROFILE=search looks for new ones.

NumPy's linear algebra keeps to one thread: the matrices of the oracles are small, and the tests share the cores.
Ctrl-C is heard, although a shell lets what it starts in the background ignore it: tests send it to themselves.
"""

import os
import signal

from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
signal.signal(signal.SIGINT, signal.default_int_handler)
