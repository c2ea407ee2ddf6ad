# %% [markdown]
# # Comparing with a recording
#
# A camera over a robot has a clock and axes of its own: it starts at another time, and its frame is turned and moved.
# `compare_recording` finds the time offset and the frame that fit best, and the error that is left.
#
# **You will see** a recording made, two models held against it, and which of them it fits. There is no recording of a
# physical robot here: the laboratory is a simulation of a robot with play in its gears, weak motors and a late start,
# and the camera follows a marker on its head.

# %%
import csv
from pathlib import Path

import numpy as np

import pushpoint as pp

# %% [markdown]
# ## The recording

# %%
CLOCK = 3.7  # the camera was switched on so much earlier than the robot [s]
# How the camera's frame lies in ours [rad], [m]
TURN, MOVE = np.radians(25.0), np.array([1.2, -0.4])
NOISE = 0.001  # of each coordinate of a recorded point [m]
HEAD = 10  # the marked link


def record(run, file: Path, *, rate: float = 25.0) -> int:
    """Writes what the camera sees of the head; returns the number of samples."""
    times = np.arange(0.0, float(run.time[-1]), 1.0 / rate)
    points = run.link_position.sel(link=HEAD).interp(time=times).values
    to_camera = np.array(
        [[np.cos(TURN), np.sin(TURN)], [-np.sin(TURN), np.cos(TURN)]]
    )
    seen = (points - MOVE) @ to_camera.T + np.random.default_rng(1).normal(
        0.0, NOISE, points.shape
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["t", "x", "y"])
        writer.writerows(np.column_stack((times + CLOCK, seen)).round(5).tolist())
    return len(times)


# %% [markdown]
# 8 s will do. On a longer way of the same wave, a time offset of a whole period would fit almost as well.

# %%
scenarios = {
    "ideal": "transeth2008a/obstacle-aided",
    "realistic": "transeth2008a/obstacle-aided-realistic",
}
runs = {
    name: pp.scenario(of).with_changes(duration=8.0).run()
    for name, of in scenarios.items()
}
recording = Path("out/recording.csv")
samples = record(runs["realistic"], recording)
print(f"{recording}: {samples} samples, {1e3 * NOISE * 2**0.5:.1f} mm rms noise,")
print(
    f"its clock {CLOCK:.2f} s ahead, its frame turned by {np.degrees(TURN):.1f} "
    f"deg and moved by {MOVE} m"
)
print(*recording.read_text(encoding="utf-8").splitlines()[:4], sep="\n")

# %% [markdown]
# ## Held against two models
#
# The error left over is the distance between recorded and simulated points once the best offset and frame are taken
# out. For the model that the recording comes from it is the camera's noise. For the ideal robot it is larger, and the
# time offset takes up the late start.

# %%
found = {
    name: pp.compare_recording(run, recording, link=HEAD)
    for name, run in runs.items()
}
for name, fit in found.items():
    print(f"compared with the {name} robot")
    print(
        f"  error: rms {1e3 * fit.rms_error:.1f} mm, largest "
        f"{1e3 * fit.max_error:.1f} mm"
    )
    print(
        f"  time offset {fit.time_offset:.2f} s: the recorded head is "
        f"{-CLOCK - fit.time_offset:.2f} s late"
    )
    print(
        f"  frame turned by {np.degrees(fit.rotation):.1f} deg, moved by "
        f"{np.round(fit.translation, 3)} m"
    )

# %%
pp.plots.recording(found["ideal"], runs["ideal"])

# %%
pp.plots.recording(found["realistic"], runs["realistic"])

# %% [markdown]
# ## Try next
#
# - The same on the command line, with a file of yours: [bring a recording](../how-to/bring-a-recording.md).
# - Remove one imperfection of the realistic robot at a time. Which of them costs how many millimetres?
# - What the papers themselves report is in [reported numbers](../proof/reported-numbers.md).
