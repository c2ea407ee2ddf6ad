"""What `make release-check` looks at, each part on its own: the build and the installs are tried by the command."""

from __future__ import annotations

import io
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from benchmarks.release.contents import differing, members, unwanted
from benchmarks.release.front_page import absolute, addresses, still_relative, with_urls
from benchmarks.release.installed import find_pythons, readme_files, readme_programs
from benchmarks.release.metadata import changelog_says, metadata_faults, versions_elsewhere
from benchmarks.release.report import Report

ROOT = Path(__file__).parents[2]
SETTING = {
    "repository": "https://forge.example/us/pushpoint",
    "pages": "{repository}/blob/v{version}/{path}",
    "images": "{repository}/raw/v{version}/{path}",
}


class TestFrontPage:
    def test_links_and_images_become_absolute(self) -> None:
        text = (
            "![Course](docs/images/a.png) [proof](docs/proof/x.md#ta7) [top](#start) [out](https://a.example/b)\n"
            '<img src="docs/images/b.gif" alt="b"> <a href="docs/start/install.md">install</a>\n'
            "[![Film](docs/images/a.png)](docs/gallery.md)\n"
        )
        made = absolute(text, SETTING, "1.2.0")
        base = "https://forge.example/us/pushpoint"
        assert f"![Course]({base}/raw/v1.2.0/docs/images/a.png)" in made
        assert f"[proof]({base}/blob/v1.2.0/docs/proof/x.md#ta7) [top](#start) [out](https://a.example/b)" in made
        assert f'<img src="{base}/raw/v1.2.0/docs/images/b.gif" alt="b">' in made
        assert f'<a href="{base}/blob/v1.2.0/docs/start/install.md">' in made
        assert f"[![Film]({base}/raw/v1.2.0/docs/images/a.png)]({base}/blob/v1.2.0/docs/gallery.md)" in made

    def test_code_stays_as_it_is(self) -> None:
        text = "```python\nrun[0](docs/x.md)\n```\n`[a](docs/x.md)`\n"
        assert absolute(text, SETTING, "1.2.0") == text

    def test_without_a_setting_addresses_stay_relative(self) -> None:
        text = "![Course](docs/images/a.png)"
        assert absolute(text, SETTING | {"repository": ""}, "1.2.0") == text
        assert addresses(SETTING | {"repository": ""}, "1.2.0") == {}

    def test_an_address_that_stayed_relative_is_named(self) -> None:
        (fault,) = still_relative("Name: x\n\n[a](docs/a.md) [b](https://a.example) ![c](https://a.example/c.png)")
        assert "docs/a.md" in fault

    def test_project_urls_come_from_the_same_setting(self) -> None:
        made = tomllib.loads(with_urls('[project]\nname = "x"\nversion = "1.2.0"\n', SETTING, "1.2.0"))
        urls = made["project"]["urls"]
        assert urls["Repository"] == "https://forge.example/us/pushpoint"
        assert urls["Changelog"] == "https://forge.example/us/pushpoint/blob/v1.2.0/CHANGELOG.md"

    def test_the_setting_is_there(self) -> None:
        setting = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pushpoint"]["release"]
        assert set(setting) == {"repository", "pages", "images"}


class TestContents:
    def test_junk_and_machine_paths_are_named(self) -> None:
        files = {
            "a/__pycache__/b.pyc": b"",
            "a/.DS_Store": b"",
            "a/fine.py": b"x = 1",
            "a/notes.py~": b"",
            "a/told.json": b'{"path": "/home/someone/tree/x"}',
            "a/tree.txt": b"in /somewhere/tree/src",
            "a/picture.png": b"\x89PNG /home/someone",
        }
        found = unwanted(files, Path("/somewhere/tree"))
        assert [line.split(":")[0].split(" ")[0] for line in found] == [
            "a/__pycache__/b.pyc",
            "a/.DS_Store",
            "a/notes.py~",
            "a/told.json",
            "a/tree.txt",
        ]
        assert unwanted({"a/fine.py": b"x = 1"}, Path("/somewhere/tree")) == []

    def test_a_tree_at_the_root_of_the_disk_is_no_reason_to_complain(self) -> None:
        assert unwanted({"a.py": b"a / b"}, Path("/")) == []

    def test_members_of_both_kinds_of_archive(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "x.whl", "w") as wheel:
            wheel.writestr("x/a.py", "1")
        with tarfile.open(tmp_path / "x-1.tar.gz", "w:gz") as sdist:
            info = tarfile.TarInfo("x-1/x/a.py")
            info.size = 1
            sdist.addfile(info, io.BytesIO(b"1"))
        assert members(tmp_path / "x.whl") == {"x/a.py": b"1"}
        assert members(tmp_path / "x-1.tar.gz") == {"x/a.py": b"1"}

    def test_what_differs_between_two_wheels_is_named(self) -> None:
        one, other = {"a": b"1", "b": b"1", "c": b"1"}, {"a": b"1", "b": b"2", "d": b"1"}
        assert differing(one, other) == ["b", "c", "d"]
        assert differing(one, one) == []


METADATA = """Metadata-Version: 2.4
Name: pushpoint
Version: 0.1.0
Summary: Snakes.
Keywords: snake robot,contact
License-Expression: MIT
License-File: LICENSE
Requires-Python: >=3.11
Classifier: Programming Language :: Python :: 3.11
Classifier: Programming Language :: Python :: 3.12
Description-Content-Type: text/markdown
Requires-Dist: numpy>=2.2

# pushpoint
"""


class TestMetadata:
    def test_a_whole_one_has_no_fault(self) -> None:
        assert metadata_faults(METADATA, "0.1.0", ["3.11", "3.12"]) == []

    @pytest.mark.parametrize(
        ("gone", "named"),
        [
            ("License-Expression: MIT\n", "License-Expression"),
            ("Keywords: snake robot,contact\n", "Keywords"),
            ("Classifier: Programming Language :: Python :: 3.12\n", "3.12"),
            ("Description-Content-Type: text/markdown\n", "Description-Content-Type"),
        ],
    )
    def test_what_is_missing_is_named(self, gone: str, named: str) -> None:
        (fault,) = metadata_faults(METADATA.replace(gone, ""), "0.1.0", ["3.11", "3.12"])
        assert named in fault

    def test_another_version_and_a_direct_address_are_faults(self) -> None:
        assert "0.1.0" in metadata_faults(METADATA, "0.2.0", ["3.11"])[0]
        direct = METADATA.replace("numpy>=2.2", "numpy @ https://a.example/numpy.whl")
        assert "numpy @" in metadata_faults(direct, "0.1.0", ["3.11"])[0]

    def test_the_changelog_has_the_version_or_is_told_so(self) -> None:
        assert changelog_says("## [0.1.0] - 2026-11-16\n", "0.1.0") == ("", "")
        assert "Unreleased" in changelog_says("## [0.1.0] - Unreleased\n", "0.1.0")[1]
        assert "Unreleased" in changelog_says("## [Unreleased]\n", "0.1.0")[1]
        assert "0.2.0" in changelog_says("## [0.1.0] - 2026-11-16\n", "0.2.0")[0]

    def test_the_version_stands_in_one_place(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert versions_elsewhere(ROOT, project["version"]) == []

    def test_a_version_written_elsewhere_is_found(self, tmp_path: Path) -> None:
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs/conf.py").write_text('release = "0.1.0"\n', encoding="utf-8")
        (tmp_path / "CITATION.cff").write_text("version: 0.0.9\n", encoding="utf-8")
        found = versions_elsewhere(tmp_path, "0.1.0")
        assert len(found) == 2 and "CITATION.cff" in found[0] and "docs/conf.py" in found[1]


class TestInstalled:
    def test_named_pythons_are_taken_and_those_that_do_not_start_are_told(self, tmp_path: Path) -> None:
        broken = tmp_path / "python3.12"
        broken.write_text("#!/bin/sh\nexit 127\n", encoding="utf-8")
        broken.chmod(0o755)
        found, missing = find_pythons(["3.11", "3.12"], f"{broken} no-such-python")
        assert found == {} and "does not start" in missing[0] and "no-such-python is not there" in missing[1]
        assert missing[2:] == ["Python 3.11 was not tried.", "Python 3.12 was not tried."]

    def test_files_of_the_packaged_front_page(self) -> None:
        text = "```yaml\ntitle: A course    # my_course.yaml\nduration: 5\n```\n```yaml\na: 1\n```\n"
        assert readme_files(text) == {"my_course.yaml": "title: A course    # my_course.yaml\nduration: 5\n"}

    def test_programs_of_the_packaged_front_page(self) -> None:
        text = "# x\n```python\na = 1\n```\n<!-- run: slow -->\n```python\nb = 1\n```\n"
        text += "<!-- run: no: why -->\n```python\nc\n```\n"
        assert readme_programs(text) == ["a = 1\n", "b = 1\n"]


def test_a_report_keeps_faults_and_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report()
    report.good("The wheel is 1.1 MB.")
    report.left("Fill in the repository.")
    assert report.status(publish=False) == 0 and report.status(publish=True) == 1
    report.fault("The licence is missing.")
    assert report.status(publish=False) == 1
    assert report.document()["faults"] == ["The licence is missing."]
    assert capsys.readouterr().out.splitlines() == [
        "ok     The wheel is 1.1 MB.",
        "left   Fill in the repository.",
        "fault  The licence is missing.",
    ]
