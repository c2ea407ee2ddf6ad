"""The published experiments: a folder per paper with scenarios, claims, figures and deviations, and our own scenarios.

Listing scenarios must stay fast: whatever a claim needs beyond NumPy and the model, it imports itself.
"""

from pushpoint.papers.citations import PAPERS as PAPERS
from pushpoint.papers.reported import (
    FigurePlace as FigurePlace,
    Reported as Reported,
    draw_reported as draw_reported,
    reported as reported,
)
