"""The physics checked against closed forms, conservation laws and second implementations.

A `Check` says what is compared, where the expectation comes from and how far off a result may be; `checks()` of
`registry` lists them all, and `session.run_checks` runs them and remembers the results. No expectation here is a number
from a run of our own.
"""
