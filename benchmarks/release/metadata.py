"""What a package says of itself: metadata, the rendered front page, the changelog, and one version."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from email import message_from_string
from pathlib import Path

REQUIRED = ("Name", "Version", "Summary", "Keywords", "License-Expression", "License-File", "Requires-Python")
WRITTEN = re.compile(r"^\s*(?:version|release|__version__)\s*[:=]\s*[\"']?(\d+\.\d+[\w.+-]*)", re.MULTILINE)
"""A version that is written down, in Python, YAML or TOML."""
PLACES = (
    "CITATION.cff",
    "setup.py",
    "setup.cfg",
    "docs/conf.py",
    "src/pushpoint/__init__.py",
    "src/pushpoint/__main__.py",
)
"""Where versions are written in other projects; here pyproject.toml is the only one, and the others read it."""


def metadata_faults(text: str, version: str, pythons: Sequence[str]) -> list[str]:
    """Sentences about what the metadata lack."""
    said = message_from_string(text)
    faults = [f"The metadata have no {name}." for name in REQUIRED if not said[name]]
    if said["Version"] != version:
        faults.append(f"The metadata say version {said['Version']}, pyproject.toml {version}.")
    if said["Description-Content-Type"] != "text/markdown":
        faults.append(f"Description-Content-Type is {said['Description-Content-Type']}, must be text/markdown.")
    classifiers = said.get_all("Classifier", [])
    for python in pythons:
        wanted = f"Programming Language :: Python :: {python}"
        faults += [] if wanted in classifiers else [f"The classifier '{wanted}' is missing."]
    faults += [
        f"'{one}' is an address, which an index refuses." for one in said.get_all("Requires-Dist", []) if "@" in one
    ]
    return faults


def unknown_classifiers(text: str) -> list[str]:
    """Sentences about classifiers that an index does not know."""
    from trove_classifiers import classifiers, deprecated_classifiers

    said = message_from_string(text).get_all("Classifier", [])
    return [
        f"The classifier '{one}' is not known."
        for one in said
        if one not in classifiers or one in deprecated_classifiers
    ]


def twine_faults(archives: Sequence[Path]) -> list[str]:
    """What `twine check --strict` complains about."""
    call = [sys.executable, "-m", "twine", "check", "--strict", *map(str, archives)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [f"twine check: {' '.join((done.stdout + done.stderr).split())}"]


SCHEMAS = {"CITATION.cff": "vendor.citation-file-format", ".github/workflows/*.yml": "vendor.github-workflows"}
"""Files of data by the schema that they follow; check-jsonschema carries the schemas."""


def schema_faults(root: Path) -> list[str]:
    """Sentences about files that do not follow their schema."""
    faults = []
    for pattern, schema in SCHEMAS.items():
        for file in sorted(root.glob(pattern)):
            call = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file)]
            done = subprocess.run(call, capture_output=True, text=True, check=False)
            faults += [f"{file.name}: {' '.join(done.stdout.split())}"] if done.returncode else []
    return faults


def rendering_faults(text: str) -> list[str]:
    """Sentences about the front page as an index would show it."""
    from readme_renderer import markdown

    page = message_from_string(text).get_payload()
    shown = markdown.render(page)
    if shown is None:
        return ["The front page cannot be rendered as Markdown."]
    meant = len(re.findall(r"!\[[^\]]*\]\(|<img\b", re.sub(r"(?ms)^```.*?^```$", "", page)))
    images = re.findall(r"<img\b[^>]*>", shown)
    faults = (
        [] if len(images) == meant else [f"The front page has {meant} images, of which an index shows {len(images)}."]
    )
    faults += [f"An image has no alternative text: {one[:80]}" for one in images if not re.search(r'alt="[^"]+"', one)]
    faults += [] if "<h1" in shown else ["The front page has no title."]
    return faults


def changelog_says(text: str, version: str) -> tuple[str, str]:
    """A fault, and what is left to do before publishing; each may be empty."""
    headings = re.findall(r"^## \[?([^\]\n]+?)\]?(?: - (.+))?$", text, re.MULTILINE)
    dated = {name: date for name, date in headings}
    if version not in dated and "Unreleased" not in dated:
        return f"CHANGELOG.md has no entry for {version}, nor one that is called Unreleased.", ""
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", dated.get(version, "")):
        return "", ""
    return "", f"CHANGELOG.md says Unreleased: give the entry of {version} its date."


def versions_elsewhere(root: Path, version: str) -> list[str]:
    """Sentences about files that write the version down again, or another one."""
    found = []
    for place in PLACES:
        file = root / place
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        for written in WRITTEN.findall(text):
            if place == "CITATION.cff" and written == version:
                continue  # a file of data, which cannot read another: it is checked instead
            found.append(f"{place} writes version {written}; pyproject.toml alone has it ({version}).")
    return found
