"""The five papers."""

from collections.abc import Mapping

PAPERS: Mapping[str, str] = {
    "transeth2008a": "A. A. Transeth, R. I. Leine, C. Glocker, K. Y. Pettersen, P. Liljebäck: Snake Robot Obstacle "
    "Aided Locomotion: Modeling, Simulations, and Experiments, IEEE Transactions on Robotics 24 (1), 2008",
    "transeth2008b": "A. A. Transeth, R. I. Leine, C. Glocker, K. Y. Pettersen: 3D Snake Robot Motion: Non-smooth "
    "Modeling, Simulations, and Experiments, IEEE Transactions on Robotics 24 (2), 2008",
    "liljeback2014": "P. Liljebäck, K. Y. Pettersen, Ø. Stavdahl, J. T. Gravdahl: A 3D Motion Planning Framework for "
    "Snake Robots, IEEE/RSJ International Conference on Intelligent Robots and Systems, 2014",
    "holden2014": "C. Holden, Ø. Stavdahl, J. T. Gravdahl: Optimal Dynamic Force Mapping for Obstacle-Aided Locomotion "
    "in 2D Snake Robots, IEEE/RSJ International Conference on Intelligent Robots and Systems, 2014",
    "liljeback2011": "P. Liljebäck, K. Y. Pettersen, Ø. Stavdahl, J. T. Gravdahl: Experimental Investigation of "
    "Obstacle-Aided Locomotion With a Snake Robot, IEEE Transactions on Robotics 27 (4), 2011",
}
"""The papers by the name of their folder and scenarios, in the order of the report."""
