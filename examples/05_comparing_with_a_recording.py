"""Comparing with a recording.

A camera over the robot has a clock and axes of its own: it starts at another time, and its frame is turned and moved.
compare_recording finds the time offset and the frame that fit best, and the error that is left. Here the laboratory is
a simulation of a robot with play in its gears, weak motors and a late start; the camera follows a marker on its head.
"""

import csv
from pathlib import Path

import numpy as np

import pushpoint as pp

CLOCK = 3.7  # the camera was switched on so much earlier than the robot [s]
TURN, MOVE = np.radians(25.0), np.array([1.2, -0.4])  # how the camera's frame lies in ours [rad], [m]
NOISE = 0.001  # of each coordinate of a recorded point [m]
HEAD = 10  # the marked link


def record(run, file: Path, *, rate: float = 25.0) -> int:
    """Writes the path of the head as the camera sees it; returns the number of samples."""
    times = np.arange(0.0, float(run.time[-1]), 1.0 / rate)
    points = run.link_position.sel(link=HEAD).interp(time=times).values
    to_camera = np.array([[np.cos(TURN), np.sin(TURN)], [-np.sin(TURN), np.cos(TURN)]])
    seen = (points - MOVE) @ to_camera.T + np.random.default_rng(1).normal(0.0, NOISE, points.shape)
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["t", "x", "y"])
        writer.writerows(np.column_stack((times + CLOCK, seen)).round(5).tolist())
    return len(times)


# 8 s: on a longer way of the same wave, a time offset of a whole period would fit almost as well.
runs = {
    "ideal": pp.scenario("transeth2008a/obstacle-aided").with_changes(duration=8.0).run(),
    "realistic": pp.scenario("transeth2008a/obstacle-aided-realistic").with_changes(duration=8.0).run(),
}
recording = Path("out/recording.csv")
samples = record(runs["realistic"], recording)
print(f"{recording}: {samples} samples, {1e3 * NOISE * 2**0.5:.1f} mm rms noise,")
print(f"its clock {CLOCK:.2f} s ahead, its frame turned by {np.degrees(TURN):.1f} deg and moved by {MOVE} m")

for name, run in runs.items():
    found = pp.compare_recording(run, recording, link=HEAD)
    print(f"\ncompared with the {name} robot")
    print(f"  error: rms {1e3 * found.rms_error:.1f} mm, largest {1e3 * found.max_error:.1f} mm")
    print(f"  time offset {found.time_offset:.2f} s: the recorded head is {-CLOCK - found.time_offset:.2f} s late")
    print(f"  frame turned by {np.degrees(found.rotation):.1f} deg, moved by {np.round(found.translation, 3)} m")
    print("  wrote", pp.plots.save_figure(pp.plots.recording(found, run), f"out/recording-{name}.png"))
