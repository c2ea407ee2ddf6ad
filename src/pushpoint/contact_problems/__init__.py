"""Contact problems from elsewhere and from our own time steps: solved, loaded, judged.

    solution = solve(W, q, mu)                     # impulses of u = W p + q under Signorini's and Coulomb's laws
    residuals(W, q, mu, solution.impulses).worst   # computed without the solver
    load("step.npz").solve()                       # what Problem.save wrote; Simulator.contact_problem makes one

The format of files and the criteria are described in docs/theory/contact-problems.md.
"""

from pushpoint.contact_problems.local import Residuals as Residuals, residuals as residuals
from pushpoint.contact_problems.problem import Problem as Problem, Solution as Solution, load as load, solve as solve
