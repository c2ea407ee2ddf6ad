"""One judgement for all that is to be proved: what papers claim, and what is known of the physics.

`judgement` judges items, remembers findings and writes one page about them. `reproduction` brings the claims that stand
with the scenarios of the papers, `verification` the checks of `checks/`: closed forms, conservation laws and second
implementations. No expectation of a check is a number from a run of our own.
"""
