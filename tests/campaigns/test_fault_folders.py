"""What the campaigns of faults look for in a folder, they find."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaigns.faults.folders import check_folder, kept_batches, names

WHOLE = {
    "a.png": b"\x89PNG\r\n\x1a\n...IEND\xaeB`\x82",
    "a.json": b'{"run_id": "0123456789abcdef"}\n',
    "a.mp4": b"\0\0\0\x08ftyp\0\0\0\x08moov\0\0\0\x09mdat.",
    "a.html": b"<html></html>\n",
    "a.csv": b"t,x\n1,2\n",
}
MADE = frozenset(WHOLE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in WHOLE.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_whole_files_of_one_run_pass(folder: Path) -> None:
    check_folder(folder, MADE)
    assert names(folder) == MADE


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("lost", [1, 5])
def test_a_file_that_was_cut_is_found(folder: Path, name: str, lost: int) -> None:
    (folder / name).write_bytes(WHOLE[name].rstrip()[:-lost])
    with pytest.raises(AssertionError, match=f"^{name} is half a file"):
        check_folder(folder, MADE)


def test_files_of_two_runs_are_found(folder: Path) -> None:
    (folder / "a.html").write_bytes(b"<html><!-- run_id: fedcba9876543210 --></html>\n")
    with pytest.raises(AssertionError, match=r"^files of several runs"):
        check_folder(folder, MADE)


def test_what_was_not_moved_to_its_name_is_not_kept(folder: Path) -> None:
    (folder / "batches").mkdir()
    for name in ("0a.json", "ff.json", ".pushpoint-00.json"):
        (folder / "batches" / name).write_text("{}", encoding="utf-8")
    assert sorted(kept_batches(folder)) == ["0a.json", "ff.json"]
