"""Looks the pinned dependencies up among known vulnerabilities: python benchmarks/dependency_audit.py requirements.txt

Needs pip-audit in the environment that runs it (`make audit` makes one of its own), and the network for its data.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

VULNERABLE, UNKNOWN = 1, 2
"""Exit statuses: something is known to be wrong; nothing could be looked up."""


def look_up(requirements: str) -> list[dict[str, Any]]:
    """What pip-audit finds of each dependency; nothing if its data cannot be reached."""
    options = ("--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json")
    call = [sys.executable, "-m", "pip_audit", "--requirement", requirements, *options]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    try:
        return list(json.loads(done.stdout)["dependencies"])
    except (ValueError, KeyError):
        return []


def sentence(found: list[dict[str, Any]]) -> tuple[str, int]:
    """What is said at the end, and the exit status."""
    audited = [each for each in found if "skip_reason" not in each]
    wrong = [each for each in audited if each["vulns"]]
    if not audited:
        return "error: the data of known vulnerabilities cannot be reached, so that nothing was audited", UNKNOWN
    said = f"{len(audited)} of {len(found)} dependencies audited, {len(wrong)} with known vulnerabilities"
    return said, VULNERABLE if wrong else 0


def main() -> int:
    """Prints a line for every known vulnerability and one at the end."""
    found = look_up(sys.argv[1])
    for each in found:
        for known in each.get("vulns", ()):
            fixed = ", ".join(known["fix_versions"]) or "no version yet"
            print(f"{each['name']} {each['version']}: {known['id']}, mended in {fixed}")
    said, status = sentence(found)
    print(said, file=sys.stderr if status == UNKNOWN else sys.stdout)
    return status


if __name__ == "__main__":
    sys.exit(main())
