"""Other tools' robots and recordings in; our robots, worlds and runs out, with a report; controllers on hardware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.lazy_names import lazy_names

if TYPE_CHECKING:
    from pushpoint.interchange.received.mapping import (
        Mapping as Mapping,
        Source as Source,
        read_mapping as read_mapping,
    )
    from pushpoint.interchange.received.reading import Imported as Imported, import_recording as import_recording
    from pushpoint.interchange.received.series import Losses as Losses
    from pushpoint.interchange.references import (
        JointReferences as JointReferences,
        Violation as Violation,
        column_names as column_names,
        joint_references as joint_references,
        limit_violations as limit_violations,
        write_csv as write_csv,
    )
    from pushpoint.interchange.report import Report as Report, Translated as Translated
    from pushpoint.interchange.robots.making import JointOfFile as JointOfFile
    from pushpoint.interchange.robots.mjcf.beside import (
        BesideMujoco as BesideMujoco,
        run_beside_mujoco as run_beside_mujoco,
    )
    from pushpoint.interchange.robots.reading import RobotOfFile as RobotOfFile, robot_of_file as robot_of_file
    from pushpoint.interchange.streaming.commander import Commander as Commander
    from pushpoint.interchange.streaming.connections import (
        Connection as Connection,
        Datagrams as Datagrams,
        Pipes as Pipes,
    )
    from pushpoint.interchange.streaming.figures import StreamReport as StreamReport
    from pushpoint.interchange.streaming.keeping_time import command_robot as command_robot, play_robot as play_robot
    from pushpoint.interchange.streaming.simulated_robot import SimulatedRobot as SimulatedRobot

else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "references": (
                "JointReferences",
                "Violation",
                "column_names",
                "joint_references",
                "limit_violations",
                "write_csv",
            ),
            "received.mapping": ("Mapping", "Source", "read_mapping"),
            "received.reading": ("Imported", "import_recording"),
            "received.series": ("Losses",),
            "streaming.commander": ("Commander",),
            "streaming.connections": ("Connection", "Datagrams", "Pipes"),
            "streaming.keeping_time": ("command_robot", "play_robot"),
            "streaming.figures": ("StreamReport",),
            "streaming.simulated_robot": ("SimulatedRobot",),
            "report": ("Report", "Translated"),
            "robots.making": ("JointOfFile",),
            "robots.mjcf.beside": ("BesideMujoco", "run_beside_mujoco"),
            "robots.reading": ("RobotOfFile", "robot_of_file"),
        },
    )
