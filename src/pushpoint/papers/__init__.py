"""The published experiments: a room per paper, with its scenarios, claims, figures and deviations, and one of our own.

Listing scenarios must stay light: what a claim needs beyond NumPy and the model it imports itself.
"""

from pushpoint.papers.citations import PAPERS as PAPERS
from pushpoint.papers.reported import (
    FigurePlace as FigurePlace,
    Reported as Reported,
    draw_reported as draw_reported,
    reported as reported,
)
