"""Comparing with a recording.

A camera over the robot has clocks and axes of its own: it starts at another time, and its frame is turned and moved.
compare_recording finds the time offset and the frame that fit best and says what error is left. Here the "laboratory"
is a simulation with gear play, weak motors and a late start; which model explains its recording, the ideal or the real?
"""

import csv
from pathlib import Path

import numpy as np

import pushpoint as pp
from pushpoint.report.recording_figure import draw_recording

CLOCK = 3.7  # the camera was switched on so much earlier than the robot [s]
TURN, MOVE = np.radians(25.0), np.array([1.2, -0.4])  # how the camera's frame lies in ours [rad], [m]
NOISE = 0.001  # of each recorded point [m]


def record(run, file: Path, *, rate: float = 25.0, seed: int = 1) -> Path:
    """Writes the path of the centre of mass as a camera would see it, from the start to the end of a run."""
    random = np.random.default_rng(seed)
    times = np.arange(0.0, float(run.time[-1]), 1.0 / rate)
    points = run.center_of_mass.interp(time=times).values
    turned = np.array([[np.cos(TURN), np.sin(TURN)], [-np.sin(TURN), np.cos(TURN)]])  # from our frame to the camera's
    seen = (points - MOVE) @ turned.T + random.normal(0.0, NOISE, points.shape)
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["t", "x", "y"])
        writer.writerows(np.column_stack((times + CLOCK, seen)).round(5).tolist())
    return file


ideal = pp.scenario("transeth2008a/obstacle-aided").run()
real = pp.scenario("transeth2008a/obstacle-aided-realistic").run()
recording = record(real, Path("out/recording.csv"))
print(f"wrote {recording}, {len(recording.read_text().splitlines()) - 1} samples")

print(f"\n{'model':10}{'rms error':>12}{'largest':>12}{'time offset':>14}{'rotation':>12}")
print(f"{'(truth)':10}{1e3 * NOISE * 2**0.5:9.1f} mm{'':12}{-CLOCK:12.2f} s{np.degrees(TURN):8.1f} deg")
for name, run in (("ideal", ideal), ("real", real)):
    found = pp.compare_recording(run, recording)
    errors = f"{1e3 * found.rms_error:9.1f} mm{1e3 * found.max_error:9.1f} mm"
    print(f"{name:10}{errors}{found.time_offset:12.2f} s{np.degrees(found.rotation):8.1f} deg")
    print("  wrote", draw_recording(found, run, f"out/recording-{name}.png"))
