"""The reference is complete: every public name, command, key and variable has an entry, and nothing else has one."""

from __future__ import annotations

import re
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from _site import public_names, python_api
from _site.fill import FILL, PARTS, filled
from _site.markdown import argument_docs, docstring, prose, table
from docs.blocks import pages, text_of
from pushpoint.cli.main import VERBS, main
from pushpoint.description.schema import document_schema
from pushpoint.papers.registry import scenario_names, sweep_names
from pushpoint.worlds.variables import table as all_variables

ENTRY = re.compile(r"^`+\{py:(?:class|function|exception|data)\} ([\w.]+)", re.MULTILINE)


@cache
def page(name: str) -> str:
    """A page of the reference with its generated parts."""
    return filled(text_of(f"docs/{name}.md"))


@cache
def entries() -> list[str]:
    """The names that have an entry on a page of the Python reference."""
    found = [page(name[5:-3]) for name in pages() if name.startswith("docs/reference/python/")]
    return [entry for text in found for entry in ENTRY.findall(text)]


def without_entry(names: dict[str, Any], listed: list[str]) -> list[str]:
    """Public names that no page has, under this name or the shorter one of the same thing."""
    return [
        name
        for name, thing in names.items()
        if f"pp.{name}" not in listed and not (callable(thing) and public_names.written().get(thing) in listed)
    ]


def test_every_public_name_has_an_entry() -> None:
    assert len(public_names.public()) > 150
    assert without_entry(public_names.public(), entries()) == []


def test_a_name_without_an_entry_is_found() -> None:
    assert without_entry({"World": pp.World, "NewThing": SimpleNamespace}, entries()) == ["NewThing"]


def test_no_name_has_two_entries() -> None:
    assert len(entries()) == len(set(entries()))


@pytest.mark.parametrize("name", sorted(public_names.public()))
def test_an_entry_says_what_it_is(name: str) -> None:
    text = python_api.entry(f"pp.{name}", public_names.public()[name])
    body = text.partition("\n")[2].strip("` \n")
    assert len(body) > 10, text


def test_fields_have_their_unit_range_and_default() -> None:
    motor = python_api.entry("pp.Motor", pp.Motor)
    assert "- **`stiffness`** (float, >= 0 [N m/rad]; default `0.0`): Torque per joint angle error" in motor
    assert "- **`torque_limit`** (float, >= 0 [N m], may be infinite; default `inf`)" in motor
    assert "{py:obj}`pp.PlanarLink`" in python_api.entry("pp.PlanarRobot", pp.PlanarRobot)


def example(number: float, places: tuple[int, ...] = ()) -> None:
    """Does nothing; x < 3 and a * b.

        example(1.0)

        example(2.0)

    After the program, `x < y` is code.

    Args:
        number: How many, which
            may take a second line.
        places: Where.

    Returns:
        Nothing.
    """


def test_docstrings_become_markdown() -> None:
    assert docstring(example) == "\n\n".join(
        (
            r"Does nothing; x \< 3 and a \* b.",
            "```python\nexample(1.0)\n\nexample(2.0)\n```",
            "After the program, `x < y` is code.",
            "**Returns**",
            "- Nothing.",
        )
    )
    assert argument_docs(example) == {"number": "How many, which may take a second line.", "places": "Where."}


def test_tables_leave_out_empty_columns_and_escape_bars() -> None:
    assert table(("a", "b", "c"), [("1", "", "x|y")]).splitlines() == ["| a | c |", "| --- | --- |", r"| 1 | x\|y |"]
    assert prose("2 < `a < b` < 3") == r"2 \< `a < b` \< 3"


def test_all_parts_are_used_and_those_used_exist() -> None:
    used = {match[1] for name in pages() for match in FILL.finditer(text_of(name))}
    assert used == set(PARTS)


@pytest.mark.parametrize("verb", VERBS)
def test_the_page_has_every_option_of_a_command(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    options = set(re.findall(r"--[a-z][\w-]*", capsys.readouterr().out)) - {"--help"}
    sections = dict(
        re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", page("reference/command-line"), re.MULTILINE | re.DOTALL)
    )
    assert options <= set(re.findall(r"--[a-z][\w-]*", sections[verb]))


def keys(node: Any) -> set[str]:
    """All keys of sections in a schema, and the words of kinds."""
    found: set[str] = set()
    if isinstance(node, dict):
        found |= {key for key, value in node.get("properties", {}).items() if "const" not in value}
        found |= {node["const"]} if "const" in node else set()
        node = list(node.values())
    if isinstance(node, list):
        for value in node:
            found |= keys(value)
    return found


def test_every_key_of_scenario_files_is_on_the_page() -> None:
    text = page("reference/scenario-keys")
    listed = set(re.findall(r"^\| `(\w+)`", text, re.MULTILINE))
    kinds = set(re.findall(r"^### (?:kind|law): (\S+)$", text, re.MULTILINE))
    known = keys(document_schema())
    assert len(known) > 150
    assert known - listed - kinds - {"drawn"} == set()
    assert (listed | kinds) - known == set()


def test_keys_have_their_unit_default_and_range_also_in_degrees() -> None:
    text = page("reference/scenario-keys")
    (backlash,) = re.findall(r"^\| `backlash_deg` \|.*$", text, re.MULTILINE)
    assert backlash.endswith("| number | deg | `0.0` | ≥ 0 |")
    leads = re.findall(r"^\| `pitch_lead_deg` \|.*over the yaw wave.*$", text, re.MULTILINE)
    assert leads and all("| deg | `-90.0` |" in lead for lead in leads)
    (mass,) = set(re.findall(r"^\| `mass` \|.*$", text, re.MULTILINE))
    assert mass.endswith("| number | kg | required | > 0 |")


def test_links_between_sections_lead_somewhere() -> None:
    text = page("reference/scenario-keys")
    linked, labels = set(re.findall(r"\]\(#([\w-]+)\)", text)), re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)
    assert len(labels) == len(set(labels)) > 40
    assert linked <= set(labels)


@cache
def runs() -> list[xr.Dataset]:
    """Short runs that together hold every variable: of both engines, of a batch, and of a sweep."""
    walking = pp.scenario("transeth2008a/obstacle-aided").with_changes(duration=0.02)
    sensing = pp.scenario("liljeback2011/environment-1").with_changes(duration=0.1)
    hills = pp.HeightField(heights=np.zeros((3, 3)), spacing=1.0, origin=(-1.0, -1.0))
    ground = pp.Environment(ground=pp.Ground(heights=hills))
    gait = pp.gaits.Sidewinding(yaw_amplitude=0.3, pitch_amplitude=0.1, angular_frequency=1.0, phase_shift=-0.5)
    spatial = pp.World(pp.catalogue.aiko(), ground, gait)
    sweep = pp.scenario("transeth2008a/speed-over-friction").with_changes(duration=0.02)
    everything = pp.Record(also=[each.name for each in all_variables() if each.on_request])
    return [walking.run(), sensing.run(), pp.simulate([spatial, spatial], 0.02, record=everything), sweep.run()]


def listed(part: str, *kind: str) -> set[str]:
    """Names in a table of the page."""
    return set(re.findall(r"^\| `(\w+)`", PARTS[part](*kind), re.MULTILINE))


def variables(kind: str) -> set[str]:
    """Names in a table of variables."""
    return listed("result-variables", kind)


def test_the_variables_of_runs_are_those_of_the_page() -> None:
    on_page = variables("recorded") | variables("constant")
    found = {str(name) for run in runs() for name in run.data_vars}
    assert found == on_page == {each.name for each in all_variables() if each.kind != "coordinate"}


def test_the_coordinates_of_runs_are_those_of_the_page() -> None:
    found = {str(name) for run in runs() for name in run.coords}
    assert variables("coordinate") - found <= {"label"}  # only in sweeps of named worlds
    assert found <= variables("coordinate")


def test_units_and_symbols_on_the_page_are_those_of_runs() -> None:
    text = PARTS["result-variables"]("recorded")
    for run in runs():
        for name, variable in run.data_vars.items():
            if "time" in variable.dims:
                (row,) = re.findall(rf"^\| `{name}` \|.*$", text, re.MULTILINE)
                about = variable.attrs
                assert f"| `{about['units']}` | `{about['symbol']}` | **{about['long_name']}.**" in row


def test_the_attributes_of_runs_are_those_of_the_page() -> None:
    found = {name for run in runs() for name in run.attrs}
    assert found - listed("result-attributes") == set()
    assert listed("result-attributes") - found <= {"run_id"}  # of saved runs


def test_every_experiment_is_in_the_gallery() -> None:
    shown = re.findall(r"^pushpoint (?:run|sweep) (\S+)$", page("gallery"), re.MULTILINE)
    assert sorted(shown) == sorted([*scenario_names(), *sweep_names()])


def test_every_experiment_has_its_picture() -> None:
    names = [*scenario_names(), *sweep_names()]
    shown = re.findall(r"^!\[(\S+)\]\(images/gallery/(\S+)\.png\)$", page("gallery"), re.MULTILINE)
    assert sorted(shown) == sorted((name, name.replace("/", "-")) for name in names)
