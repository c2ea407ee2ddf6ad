"""The hybrid dynamical model of Liljeback2011, section II, integrated from event to event.

    model = hybrid_model(robot, environment, Servo(robot=robot, gait=gait))
    run = integrate(model, start, duration=1.0)
    run.link_position, run.events

It is a second opinion on the time-stepping engine and shares no code with it: the reduced model in place of links with
multipliers, forces in place of impulses per step, events located in time in place of contacts found at midpoints.

    x_dot = F(x, u)  while x is in C        flow.py: the reduced model with the contacts and sticking points of a mode
    x+ = G(x)        when x is in D         jumps.py: impacts, and the mode that follows

The paper has pegs that act on a link's centre of mass and no stick. Here pegs touch the capsule where it is, and
friction at pegs and ground sticks and slides: the same mechanics as the engine's.
"""

from pushpoint.event_driven.automaton import Accuracy as Accuracy, Trajectory as Trajectory, integrate as integrate
from pushpoint.event_driven.jumps import Event as Event
from pushpoint.event_driven.model import (
    Drive as Drive,
    HybridModel as HybridModel,
    Servo as Servo,
    SteadyTorque as SteadyTorque,
    hybrid_model as hybrid_model,
)
