"""Plants known mistakes in a scratch copy of the tree, one at a time, and tells which tests turn red.

python benchmarks/planted_faults.py [--only WORD ...] [--json FILE]; five minutes or so on one core. A fault is an exact
replacement of text that must occur once; what no longer fits fails loudly. The same tests must be green without it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One replacement of text."""

    file: str
    """File below src/pushpoint."""
    old: str
    """Text that must occur exactly once."""
    new: str
    """What stands there instead."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A mistake that someone could have made."""

    name: str
    """What it is."""
    edits: tuple[Edit, ...]
    """How it is planted."""
    tests: tuple[str, ...]
    """Tests that are run against it."""
    note: str = ""
    """Where it is not the literal mistake: what stands for it, and why."""


REAR_LEVER = """arm_T = work.contacts[{c}].arm
        if work.contacts[{c}].key == 0 and model.links[k].n_spheres == 2:
            ahead = model.spheres[k * model.most_spheres + 1].center - model.spheres[k * model.most_spheres].center
            arm_T = work.contacts[{c}].arm + work.links[k].R * ahead
"""
SWUNG = (
    REAR_LEVER.format(c="c")
    + """        own = in_contact(n, t, u, point_velocity(v, w, work.contacts[c].arm))
        swung = in_contact(n, t, u, point_velocity(v, w, arm_T))
        gamma = wp.vector(own[0], swung[1], swung[2]) + work.contacts[c].drift
"""
)
GAMMA = "gamma = in_contact(n, t, u, point_velocity(v, w, work.contacts[c].arm)) + work.contacts[c].drift\n"

AS_PRINTED_24 = (
    *(
        Edit(file="kernels/spatial/contacts.py", old=GAMMA + then, new=SWUNG + then)
        for then in ("        w_local = in_contact(n, t, u, w + drift_w)\n", "        S = work.contacts[c].S\n")
    ),
    Edit(
        file="kernels/spatial/contacts.py",
        old="arm = work.contacts[at].arm\n",
        new=REAR_LEVER.format(c="at") + "        arm = work.contacts[at].arm\n",
    ),
    Edit(
        file="kernels/spatial/contacts.py",
        old="f_w = f_w + wp.cross(arm, push)",
        new="f_w = f_w + wp.cross(arm, P[0] * n) + wp.cross(arm_T, push - P[0] * n)",
    ),
    Edit(
        file="kernels/spatial/contacts.py",
        old="A, B, C, D = add_block(n, t, u, arm, pull, G, A, B, C, D)",
        new="""basis = wp.matrix_from_rows(n, t, u)
        levers = wp.matrix_from_rows(wp.cross(arm, n), wp.cross(arm_T, t), wp.cross(arm_T, u))
        scaled = wp.matrix_from_rows(
            wp.vector(G_N, zero, zero),
            wp.vector(G_N * S[0] * lean[0], G[0, 0], G[0, 1]),
            wp.vector(G_N * S[1] * lean[1], G[1, 0], G[1, 1]),
        )
        A = A + wp.transpose(basis) * (scaled * basis)
        B = B + wp.transpose(basis) * (scaled * levers)
        C = C + wp.transpose(levers) * (scaled * basis)
        D = D + wp.transpose(levers) * (scaled * levers)""",
    ),
)

ABOUT_LINK_1 = (
    Edit(
        file="kernels/planar/step.py",
        old="    joint = wp.vector(zero, zero)  # of the link at hand, seen from the tail's rear joint\n",
        new="    joint = wp.vector(zero, zero)\n    joint_A = wp.vector(zero, zero)\n"
        "    mass_point_A = wp.vector(zero, zero)\n    head = wp.vector(zero, zero)\n"
        "    head_A = wp.vector(zero, zero)\n    v_head = wp.vector(zero, zero)\n",
    ),
    Edit(
        file="kernels/planar/step.py",
        old="        mass_point += m * (joint + c * e)\n",
        new="        e_A = wp.vector(wp.cos(motion.links[k].theta), wp.sin(motion.links[k].theta))\n"
        "        head = joint + c * e\n        head_A = joint_A + c * e_A\n        v_head = v\n"
        "        mass_point_A += m * head_A\n        joint_A += model.links[k].length * e_A\n"
        "        mass_point += m * (joint + c * e)\n",
    ),
    Edit(
        file="kernels/planar/step.py",
        old="center = motion.worlds[w].center + (half_dt * inverse_mass) * momentum\n",
        new="center = motion.worlds[w].center + half_dt * v_head + (head_A - mass_point_A * inverse_mass)"
        " - (head - mass_point * inverse_mass)\n",
    ),
)

FAULTS = (
    Fault(
        name="Transeth2008b (24) as printed: friction of the rear sphere with the front sphere's lever",
        edits=AS_PRINTED_24,
        tests=("tests/physics/spatial/test_one_step.py",),
    ),
    Fault(
        name="kappa without the 1/2",
        edits=(
            Edit(
                file="kernels/motors.py",
                old="kappa = dt * (half * dt * stiffness + damping)",
                new="kappa = dt * (dt * stiffness + damping)",
            ),
        ),
        tests=("tests/physics/spatial/test_one_step.py",),
    ),
    Fault(
        name="K_l for K_w (Holden2014)",
        edits=(
            Edit(
                file="reduced/robot.py",
                old="lever = -_paper_levers(to_front, to_rear).T if paper_table else exact",
                new="lever = -_paper_levers(to_front, to_rear).T",
            ),
        ),
        tests=("tests/reduced/test_reduced.py",),
    ),
    Fault(
        name="projection about link 1",
        edits=ABOUT_LINK_1,
        tests=("tests/physics/planar/test_momentum.py",),
        note="poses are the centre of mass and angles, nothing is projected; here the paper's link 1, our head, moves "
        "with its own velocity to the midpoint and the chain is hung on it",
    ),
    Fault(
        name="radial rescaling instead of the ellipse law",
        edits=(
            Edit(
                file="kernels/laws.py",
                old="        drive = wp.cw_mul(S, gamma)\n",
                new="        drive = wp.cw_div(gamma, S)\n",
            ),
            Edit(
                file="kernels/laws.py",
                old="        drive = S\n",
                new="        drive = wp.cw_div(wp.vector(one, one), S)\n",
            ),
        ),
        tests=("tests/physics/friction/test_friction_sets.py", "tests/physics/spatial/test_single_link.py"),
        note="P = S z: shrinking P - r gamma along its ray is shrinking z - r gamma/S",
    ),
    Fault(
        name="no soft start",
        edits=(
            Edit(file="kernels/references.py", old="    if t < duration:\n", new="    if t < zero:\n"),
            Edit(
                file="kernels/references.py",
                old="        if t < drive.joints[q].from_time:\n",
                new="        if t < zero:\n",
            ),
        ),
        tests=("tests/gaits/test_gaits.py", "tests/gaits/test_sidewinding.py"),
        note="both kinds: growing amplitudes, and axes that wait for their angle (Transeth2008b, VIII-E)",
    ),
    Fault(
        name="along and across friction swapped",
        edits=(
            Edit(
                file="engine/packing.py",
                old="enumerate(friction.coefficients)]",
                new="enumerate([friction.coefficients[at] for at in (2, 2, 0)])]",
            ),
        ),
        tests=("tests/physics/friction/test_friction_sets.py",),
    ),
    Fault(
        name="the -2 theta_dot v_t term dropped",
        edits=(
            Edit(
                file="reduced/contacts.py",
                old="bias = -inward - rate * v_t\n",
                new="bias = -inward\n",
            ),
            Edit(
                file="reduced/contacts.py",
                old="bias -= rate * (v_t + side * contacts.standoff * rate)",
                new="bias -= rate * (side * contacts.standoff * rate)",
            ),
        ),
        tests=("tests/reduced/test_reduced.py",),
    ),
    Fault(
        name="gyroscopic sign",
        edits=(
            Edit(
                file="kernels/spatial/step.py",
                old="L = R * (spin - dt * gyro)",
                new="L = R * (spin + dt * gyro)",
            ),
        ),
        tests=("tests/physics/spatial/test_free_flight.py",),
    ),
    Fault(
        name="restitution sign",
        edits=(
            Edit(
                file="kernels/planar/touching.py",
                old="= -obstacle.restitution * gamma_N",
                new="= obstacle.restitution * gamma_N",
            ),
            Edit(file="kernels/spatial/touching.py", old="= -restitution * gamma_N", new="= restitution * gamma_N"),
        ),
        tests=("tests/physics/planar/test_restitution.py", "tests/physics/spatial/test_single_link.py"),
    ),
    Fault(
        name="leader-follower delay off by one command",
        edits=(
            Edit(
                file="control/hybrid.py",
                old="        age = behind / self.speed * self.rate\n",
                new="        age = behind / self.speed * self.rate + 1.0\n",
            ),
        ),
        tests=("tests/control/test_hybrid_controller.py",),
    ),
    Fault(
        name="solver tolerance x 100",
        edits=(
            Edit(
                file="engine/packing.py",
                old="tolerance=settings.tolerance,",
                new="tolerance=100.0 * settings.tolerance,",
            ),
        ),
        tests=("tests/physics/friction/test_friction_sets.py", "tests/physics/models/test_exported_problems.py"),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a fault did."""

    fault: str
    """Its name; empty for the tree as it is."""
    files: tuple[str, ...] = ()
    """Files that it changed."""
    red: tuple[str, ...] = field(default=())
    """Tests that failed."""
    run: int
    """Tests that were run [-]."""
    seconds: float
    """Time [s]."""
    note: str = ""
    """Where it is not the literal mistake."""

    @property
    def caught(self) -> bool:
        """Whether tests tell it from the tree as it is; code that does not even run would make all of them red."""
        return 0 < len(self.red) < self.run


class Copy:
    """A scratch copy of the tree with a Warp cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("src", "tests"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        ours = {"PYTHONPATH": str(folder / "src"), "WARP_CACHE_PATH": str(folder / "warp"), "OMP_NUM_THREADS": "1"}
        self._environment = os.environ | ours | {"PYTHONDONTWRITEBYTECODE": "1"}
        asked = [sys.executable, "-c", "import pushpoint; print(pushpoint.__file__)"]
        found = subprocess.run(asked, cwd=folder, env=self._environment, capture_output=True, text=True, check=True)
        if Path(found.stdout.strip()).parents[1] != folder / "src":
            sys.exit(f"the copy is not what is imported: {found.stdout}")

    def plant(self, edits: tuple[Edit, ...]) -> dict[Path, str]:
        """Changes the copy; returns what to write back."""
        before: dict[Path, str] = {}
        for edit in edits:
            path = self.folder / "src" / "pushpoint" / edit.file
            text = path.read_text(encoding="utf-8")
            before.setdefault(path, text)
            if text.count(edit.old) != 1:
                sys.exit(f"{edit.file}: the text occurs {text.count(edit.old)} times, must be once: {edit.old!r}")
            path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
        return before

    def test(self, names: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
        """Runs tests; returns how many there were and those that failed."""
        report = self.folder / "report.xml"
        report.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", f"--junitxml={report}"]
        done = subprocess.run(
            [*command, *names], cwd=self.folder, env=self._environment, capture_output=True, text=True
        )
        if not report.exists():
            sys.exit(f"pytest did not run: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
        red = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
        return len(cases), tuple(f"{case.get('classname')}::{case.get('name')}" for case in red)


def run(faults: tuple[Fault, ...]) -> list[Verdict]:
    """The tree as it is, then every fault; prints each as it comes."""
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="planted-faults-") as folder:
        copy = Copy(Path(folder).resolve())
        everything = tuple(dict.fromkeys(test for fault in faults for test in fault.tests))
        for fault in (Fault(name="", edits=(), tests=everything), *faults):
            begin = time.perf_counter()
            before = copy.plant(fault.edits)
            count, red = copy.test(fault.tests)
            for path, text in before.items():
                path.write_text(text, encoding="utf-8")
            verdict = Verdict(
                fault=fault.name,
                files=tuple(dict.fromkeys(edit.file for edit in fault.edits)),
                red=red,
                run=count,
                seconds=round(time.perf_counter() - begin, 1),
                note=fault.note,
            )
            verdicts.append(verdict)
            print(told(verdict), flush=True)
    return verdicts


def told(verdict: Verdict) -> str:
    """A row of the table."""
    if not verdict.fault:
        state = "green" if not verdict.red else "RED WITHOUT A FAULT"
        return (
            f"{state:<12} no fault: {len(verdict.red)} of {verdict.run} tests red ({verdict.seconds:.0f} s)"
            + "".join(f"\n             {name}" for name in verdict.red)
        )
    state = "caught" if verdict.caught else "NOT CAUGHT" if not verdict.red else "DOES NOT RUN"
    lines = [f"{state:<12} {verdict.fault} [{', '.join(verdict.files)}]"]
    if verdict.note:
        lines.append(f"             ({verdict.note})")
    lines.append(f"             {len(verdict.red)} of {verdict.run} tests red ({verdict.seconds:.0f} s):")
    lines += [f"               {name}" for name in verdict.red[:6]]
    if len(verdict.red) > 6:
        lines.append(f"               and {len(verdict.red) - 6} more")
    return "\n".join(lines)


def main() -> None:
    """Fails when a fault goes unnoticed or a test is red without one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[""], help="faults whose name holds one of these words")
    parser.add_argument("--json", type=Path, help="write the table there as well")
    given = parser.parse_args()
    verdicts = run(tuple(fault for fault in FAULTS if any(word in fault.name for word in given.only)))
    caught = sum(verdict.caught for verdict in verdicts[1:])
    print(f"{caught} of {len(verdicts) - 1} faults caught in {sum(v.seconds for v in verdicts) / 60:.1f} minutes")
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(verdict) for verdict in verdicts], indent=2), encoding="utf-8")
    sys.exit(caught < len(verdicts) - 1 or bool(verdicts[0].red))


if __name__ == "__main__":
    main()
