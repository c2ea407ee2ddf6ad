"""The planar robot in minimal coordinates, as Holden2014 writes it: centre of mass and link angles.

    robot = reduce_robot(aiko_planar())
    terms = smooth_terms(robot, ground, state)              # (13)-(15) without contacts
    touch = contact_terms(robot, state, contacts, terms)    # contact directions and constraints
    relation = force_relation(robot, terms, touch)          # A_f f_C + A_u torque = b_f, (34)
    closed = closed_dynamics(contacts, relation)            # (36)-(39): motion and forces from torques alone

Every function takes arrays with any leading dimensions. Signs are ours: link 0 is the tail, and joint_torque[j] > 0
pushes link j+1 in the positive direction (Holden's u is its negative). Contact forces are positive toward the link's
left, as in Holden2014.
"""

from pushpoint.reduced.contacts import (
    ClosedDynamics as ClosedDynamics,
    Contacts as Contacts,
    ContactTerms as ContactTerms,
    ForceRelation as ForceRelation,
    close as close,
    closed_dynamics as closed_dynamics,
    contact_terms as contact_terms,
    force_relation as force_relation,
)
from pushpoint.reduced.robot import (
    ReducedRobot as ReducedRobot,
    ReducedState as ReducedState,
    reduce_robot as reduce_robot,
)
from pushpoint.reduced.smooth import (
    GroundFriction as GroundFriction,
    SmoothTerms as SmoothTerms,
    centrifugal_matrix as centrifugal_matrix,
    smooth_terms as smooth_terms,
)
