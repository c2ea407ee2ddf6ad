"""What the documents show works: every program and command is run, here or by make test-docs, or says why not."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from docs.blocks import ROOT, blocks_in, blocks_of, pages
from docs.running import Broken, command_lines, fresh_page

LANGUAGES = {"python", "sh", "yaml", "toml", "json", "text"}
FAST = [page for page in pages() if any(block.mark == "" and block.language != "text" for block in blocks_of(page))]
SLOW = [page for page in pages() if any(block.mark == "slow" for block in blocks_of(page))]


def turned_curves(printed: str) -> None:
    """A curve through points moves by millimetres when it is turned, a smooth one does not."""
    moved = {kind: float(apart) for kind, apart in re.findall(r"^(pchip|smooth) (\S+) mm", printed, re.MULTILINE)}
    assert moved["pchip"] > 1.0 and moved["smooth"] < 1e-9


CLAIMED: dict[str, Callable[[str], None]] = {"docs/theory/shape-curves.md": turned_curves}


@pytest.mark.parametrize("page", FAST)
def test_blocks_of_a_page_run(page: str, tmp_path: Path) -> None:
    with fresh_page(page, tmp_path) as tried:
        printed = [tried.run(block) for block in blocks_of(page) if block.mark == ""]
    if page in CLAIMED:
        CLAIMED[page]("\n".join(printed))


@pytest.mark.docs
@pytest.mark.parametrize("page", SLOW)
def test_blocks_of_a_page_run_with_the_slow_ones(page: str, tmp_path: Path) -> None:
    with fresh_page(page, tmp_path) as tried:
        for block in blocks_of(page):
            if block.runs:
                tried.run(block)


@pytest.mark.parametrize("page", pages())
def test_every_block_has_a_language_that_is_tried(page: str) -> None:
    assert [block.place for block in blocks_of(page) if block.language not in LANGUAGES] == []


def test_a_kept_log_holds_every_line_of_its_block() -> None:
    for block in (block for page in pages() for block in blocks_of(page) if block.mark.startswith("kept ")):
        log = ROOT / block.mark.removeprefix("kept ")
        assert log.is_file() and log.is_relative_to(ROOT / "docs/results/logs"), block.place
        kept = log.read_text(encoding="utf-8")
        lines = command_lines(block) if block.language == "sh" else block.text.splitlines()
        assert [line for line in lines if line.strip() not in kept] == [], block.place


def test_blocks_that_cannot_be_run_are_few_and_say_why() -> None:
    left = [block for page in pages() for block in blocks_of(page) if block.mark.startswith("no: ")]
    for block in left:
        print(f"not run: {block.place}: {block.mark.removeprefix('no: ')}")
    assert len(left) <= 20


PAGE = """# A page

<!-- run: slow -->
```python
print("1")
```

```text
1
```

Words.

```text
2
```

- in a list

  <!-- run: no: there is no robot here -->
  ```sh
  pushpoint drive robot
  ```

```{toctree}
start
```
"""


def test_marks_and_places_are_read() -> None:
    found = [(block.line, block.language, block.mark, block.follows) for block in blocks_in("page.md", PAGE)]
    assert found == [
        (4, "python", "slow", False),
        (8, "text", "", True),
        (14, "text", "", False),
        (21, "sh", "no: there is no robot here", False),
    ]


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("python", "x = 1\nraise ValueError(x)", r"page\.md:1: ValueError: 1"),
        ("python", "import sys\nsys.exit(2)", "SystemExit: 2"),
        ("sh", "pushpoint run nowhere", "ends with status 2: error: "),
        ("sh", "python -c 'raise SystemExit(3)'  # a comment", "ends with status 3"),
        ("sh", "make haste", "no such target: haste"),
        ("sh", "pip install numpy", "no such target: numpy"),
        ("sh", "pip install '.[film,wings]'", "no such target: wings"),
        ("sh", "conda create -n snakes", "is run by nothing here"),
        ("sh", "echo a |\\\n  false && echo b", "ends with status 1"),
        ("yaml", "robot: aiko\nduration: -1", "duration = -1"),
        ("toml", "a = ", "Invalid value"),
    ],
)
def test_a_block_that_fails_is_told(language: str, text: str, said: str, tmp_path: Path) -> None:
    (block,) = blocks_in("page.md", f"```{language}\n{text}\n```\n")
    with fresh_page("page.md", tmp_path) as tried, pytest.raises(Broken, match=said):
        tried.run(block)


@pytest.mark.parametrize("line", ["make test", "make setup PYTHON=python3", "pip install .", 'pip install ".[film]"'])
def test_targets_and_extras_that_exist_are_fine(line: str, tmp_path: Path) -> None:
    (block,) = blocks_in("page.md", f"```sh\n{line}  # with a comment\n```\n")
    with fresh_page("page.md", tmp_path) as tried:
        assert tried.run(block) == ""


@pytest.mark.parametrize(
    ("shown", "equal"),
    [
        ("x 1.25 m\n2\n3e-06 (-4)", True),
        ("x 1.25 m\n...", True),
        ("...\n3e-06 (-4)", True),
        ("x 1.24 m\n...", True),
        ("x 1.23 m\n...", False),
        ("x 1.25 m\n3e-06 (-4)", False),
        ("x 1.25 m\n2\n4e-06 (-4)", True),
        ("x 1.25 m\n2\n5e-06 (-4)", False),
        ("x 1.25 m\n2\n3e-06 (4)", False),
        ("y 1.25 m\n2\n3e-06 (-4)", False),
    ],
)
def test_what_is_shown_as_printed_was_printed(shown: str, equal: bool, tmp_path: Path) -> None:
    text = f"```python\nprint('x  1.25 m\\n2\\n3e-06 (-4)')\n```\n\n```text\n{shown}\n```\n"
    program, output = blocks_in("page.md", text)
    with fresh_page("page.md", tmp_path) as tried:
        tried.run(program)
        with nullcontext() if equal else pytest.raises(Broken, match="but printed was"):
            tried.run(output)
