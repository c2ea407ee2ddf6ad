"""Whether a release could be made now: make release-check

Builds sdist and wheel of a copy of the tree, looks into both, installs the wheel outside the tree with each Python that
can be had, and tries it there. Prints a sentence for each thing that is in order (ok), wrong (fault), or to be done
before publishing (left), and JSON at the end. Both archives are left in out/release/dist.

python -m benchmarks.release_check [--pythons "python3.11 python3.12"] [--publish] [--repository ADDRESS] [--no-install]
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.release.contents import differing, lacking, members, too_large, unwanted
from benchmarks.release.fresh_machine import machine
from benchmarks.release.front_page import missing_targets, still_relative
from benchmarks.release.installed import ask_for_other_systems, find_pythons, try_wheel
from benchmarks.release.metadata import (
    changelog_says,
    metadata_faults,
    rendering_faults,
    schema_faults,
    twine_faults,
    unknown_classifiers,
    versions_elsewhere,
)
from benchmarks.release.packaging import Built, build, copy_for_release, project_of, uncommitted
from benchmarks.release.report import Report

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "out" / "release"


def main() -> int:
    options = _options()
    project = project_of(ROOT)
    setting = project["tool"]["pushpoint"]["release"]
    setting |= {"repository": options.repository} if options.repository else {}
    version = project["project"]["version"]
    supported = _supported(project["project"]["classifiers"])
    report = Report(facts={"version": version, "date": time.strftime("%Y-%m-%d"), "machine": machine(sys.executable)})
    _look_at_tree(report, version, setting)
    with tempfile.TemporaryDirectory(prefix="pushpoint-release-") as folder:
        workspace = Path(folder)
        copy_for_release(ROOT, workspace / "tree", setting)
        try:
            built = build(workspace / "tree", workspace)
        except RuntimeError as error:
            report.fault(f"It cannot be built: {error}")
            return _end(report, publish=options.publish)
        _look_into(report, built, workspace / "tree", version, supported, setting)
        _keep(built)
        if not options.no_install:
            pythons, missing = find_pythons(supported, options.pythons)
            for sentence in missing:
                report.left(sentence)
            if not pythons:
                report.fault("No Python was found to try the wheel with; name some: PYTHONS='python3.11 python3.12'.")
            try_wheel(built.wheel, version, pythons, workspace, report)
            if options.other_systems:
                ask_for_other_systems(built.wheel, supported[-1], workspace, report)
    return _end(report, publish=options.publish)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Whether a release could be made now.")
    parser.add_argument("--pythons", default="", help="interpreters to try, separated by blanks; else those on PATH")
    parser.add_argument("--publish", action="store_true", help="fail if anything is left to do before publishing")
    parser.add_argument("--repository", default="", help="address to take instead of the one in pyproject.toml")
    parser.add_argument("--no-install", action="store_true", help="build and look only")
    parser.add_argument("--other-systems", action="store_true", help="ask pip for packages for macOS and Windows")
    return parser.parse_args()


def _supported(classifiers: list[str]) -> list[str]:
    """Versions of Python that the classifiers name, such as 3.11."""
    versions = [one.removeprefix("Programming Language :: Python :: ") for one in classifiers]
    return [version for version in versions if version[0].isdigit() and "." in version]


def _look_at_tree(report: Report, version: str, setting: dict[str, str]) -> None:
    report.judge(versions_elsewhere(ROOT, version), f"The version, {version}, is written in pyproject.toml alone.")
    fault, left = changelog_says((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    report.judge([fault] if fault else [], f"CHANGELOG.md has an entry for {version}.")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    report.judge(missing_targets(readme, ROOT), "All links of README.md lead to files of the tree.")
    report.judge(schema_faults(ROOT), "CITATION.cff and the forge's workflows follow their schemas.")
    if left:
        report.left(left)
    if not setting["repository"]:
        report.left(
            "Fill in repository in [tool.pushpoint.release] of pyproject.toml: until then links and images of the "
            "index page are relative and do not work there."
        )
    if uncommitted(ROOT):
        report.left("Commit the changes of the tree.")


def _look_into(
    report: Report, built: Built, tree: Path, version: str, supported: list[str], setting: dict[str, str]
) -> None:
    wheel, sdist = members(built.wheel), members(built.sdist)
    sizes = {kind: file.stat().st_size for kind, file in (("wheel", built.wheel), ("sdist", built.sdist))}
    report.facts |= {"bytes": sizes, "files": {"wheel": len(wheel), "sdist": len(sdist)}}
    large = too_large("wheel", built.wheel) + too_large("sdist", built.sdist)
    megabytes = {kind: f"{size / 1e6:.1f} MB" for kind, size in sizes.items()}
    held = f"wheel {megabytes['wheel']} ({len(wheel)} files), sdist {megabytes['sdist']} ({len(sdist)} files)"
    report.judge(large, f"Sizes: {held}.")
    apart = differing(wheel, members(built.direct))
    report.judge(
        [f"The wheel from the sdist differs from the direct one in {', '.join(apart[:5])}."] if apart else [],
        "The sdist builds the same wheel as the tree.",
    )
    report.judge(lacking(sdist), "The sdist has tests, documents, examples and benchmarks.")
    report.judge(unwanted(wheel, tree) + unwanted(sdist, tree), "No junk and no path of a machine is in either.")
    metadata = next(text for name, text in wheel.items() if name.endswith(".dist-info/METADATA")).decode()
    report.judge(
        metadata_faults(metadata, version, supported) + unknown_classifiers(metadata),
        f"Metadata: licence, keywords, Python {', '.join(supported)}.",
    )
    shown = twine_faults([built.wheel, built.sdist]) + rendering_faults(metadata)
    report.judge(shown, "An index renders the front page.")
    if setting["repository"]:
        report.judge(still_relative(metadata), "All links and images of the index page lead to the repository.")


def _keep(built: Built) -> None:
    """Archives for publishing, and the front page as it is packaged."""
    dist = OUT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    for file in (built.sdist, built.wheel):
        shutil.copy2(file, dist / file.name)


def _end(report: Report, *, publish: bool) -> int:
    document = report.document()
    OUT.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=1, ensure_ascii=False)
    (OUT / "report.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return report.status(publish=publish)


if __name__ == "__main__":
    sys.exit(main())
