"""The program that times a GPU, tried on a CPU: rates come first, and a file holds what there is so far."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from benchmarks import gpu


def test_what_was_found_is_kept_when_a_run_is_cut_short(tmp_path: Path) -> None:
    file = tmp_path / "out" / "gpu.json"
    findings = gpu.Findings(file, "cpu")
    rates = gpu.rates(("transeth2008a/flat", "spatial/stairs-rest"), "cpu", (4,), gpu.PRECISIONS)
    timed = [next(rates) for _ in range(3)]
    findings.add(rates=timed)
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept["layout"] == "records" and kept["rates"] == timed
    assert [(one["scenario"], one["moments"]) for one in timed] == [
        ("transeth2008a/flat", 1),
        ("transeth2008a/flat", gpu.WARP),
        ("spatial/stairs-rest", 1),
    ]


def test_states_of_single_worlds_become_a_batch() -> None:
    """Keys of contacts count the obstacles of all worlds; worlds that share a course have rows of their own."""
    name = "transeth2008a/obstacle-aided"
    single, batch = gpu.stepper_of(name, 1), gpu.stepper_of(name, 3)
    while not single.state().n_contacts.any():
        single.advance(50)
        batch.advance(50)
    found, expected = gpu.as_batch([single.state()] * 3, batch), batch.state()
    in_use = np.arange(expected.contact_key.shape[-1]) < expected.n_contacts[..., None]
    np.testing.assert_array_equal(found.contact_key[in_use], expected.contact_key[in_use])
    for field in ("n_contacts", "v", "theta"):
        np.testing.assert_array_equal(getattr(found, field), getattr(expected, field))
