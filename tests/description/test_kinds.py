"""Kinds by name: those of modules that are not imported yet are found as well, and nothing is imported in vain."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pushpoint

PACKAGE = Path(pushpoint.__file__).parent
WRITTEN = {
    name
    for file in PACKAGE.rglob("*.py")
    for name in re.findall(r'^@register\("([a-z0-9-]+)"\)$', file.read_text(encoding="utf-8"), re.MULTILINE)
}


def answer(program: str) -> Any:
    """What a program prints as JSON in a process of its own."""
    path = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]))
    called = [sys.executable, "-c", f"import json, sys\n{program}"]
    done = subprocess.run(called, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_every_kind_in_the_package_is_found() -> None:
    found = answer("""
from pushpoint.description import experiments, kinds as described
from pushpoint.model import kinds
from pushpoint.studies import study_files  # families of study files, which lower rooms do not know
described.known_kinds(experiments.Controller)  # families of what controllers hold are declared by now
print(json.dumps([name for base in list(kinds._FAMILIES) for name in described.known_kinds(base)]))
""")
    assert len(WRITTEN) > 40 and set(found) == WRITTEN


def test_a_name_that_is_known_loads_nothing() -> None:
    loaded = answer("""
from pushpoint.description.kinds import known_kinds
from pushpoint.engine.controller import Controller
assert "lateral-undulation" in known_kinds(Controller, "lateral-undulation")
before = set(sys.modules)
assert "hybrid" in known_kinds(Controller, "hybrid")
print(json.dumps([sorted(before), sorted(set(sys.modules) - before)]))
""")
    assert "pushpoint.control.hybrid" not in loaded[0] and "pushpoint.control.hybrid" in loaded[1]


def test_an_unknown_name_lists_all() -> None:
    sentence = answer("""
import pushpoint as pp
from pushpoint.description.experiments import read_experiment
try:
    read_experiment({"robot": "aiko-planar", "duration": 1.0, "controller": {"kind": "hybird"}})
except pp.errors.PushpointError as error:
    print(json.dumps(str(error)))
""")
    assert "hybrid" in sentence


def test_the_schema_does_not_depend_on_what_was_loaded_before() -> None:
    made = "from pushpoint.description.schema import document_schema\nprint(json.dumps(document_schema()))"
    assert answer(made) == answer(f"import pushpoint.control.ray_steering, pushpoint.gaits.winding\n{made}")
