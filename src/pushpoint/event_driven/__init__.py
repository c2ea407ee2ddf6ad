"""The hybrid dynamical model of Liljeback2011, section II, integrated from event to event.

    model = hybrid_model(robot, environment, Servo(robot=robot, gait=gait))
    run = integrate(model, start, duration=1.0)
    run.link_position, run.events

It is a second opinion on the time-stepping engine and shares no code with it: the reduced model instead of links with
multipliers, forces instead of impulses per step, events located in time instead of contacts found at midpoints.

    x_dot = F(x, u)  while x is in C        flow.py: the reduced model with the contacts and sticking points of a mode
    x+ = G(x)        when x is in D         jumps.py: impacts, and the mode that follows

In the paper, pegs act on a link's centre of mass, and nothing sticks. Here pegs touch the capsule's surface, and
friction at pegs and ground sticks and slides: the same mechanics as in the engine.
"""

from pushpoint.event_driven.automaton import Accuracy as Accuracy, Trajectory as Trajectory, integrate as integrate
from pushpoint.event_driven.feedback import Feedback as Feedback
from pushpoint.event_driven.jumps import Event as Event
from pushpoint.event_driven.model import (
    Drive as Drive,
    HybridModel as HybridModel,
    Servo as Servo,
    SteadyTorque as SteadyTorque,
    hybrid_model as hybrid_model,
)
