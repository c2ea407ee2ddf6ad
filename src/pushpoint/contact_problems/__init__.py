"""Contact problems with friction, your own or from our time steps: solve, load, save and check them.

    solution = solve(W, q, mu)                     # impulses of u = W p + q under Signorini's and Coulomb's laws
    residuals(W, q, mu, solution.impulses).worst   # computed without the solver
    load("step.npz").solve()                       # a file from Problem.save; Simulator.contact_problem makes a Problem

docs/theory/contact-problems.md describes the file format and the criteria.
"""

from pushpoint.contact_problems.local import Residuals as Residuals, residuals as residuals
from pushpoint.contact_problems.problem import Problem as Problem, Solution as Solution, load as load, solve as solve
