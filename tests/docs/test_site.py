"""The site builds without a warning and asks nothing of the network; links that leave it follow one setting."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.blocks import ROOT

pytest.importorskip("sphinx")

FOREIGN = re.compile(
    r"""<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=["'](?:https?:)?//[^"']+|url\(["']?https?:"""
)


def build(source: Path, target: Path, *options: str) -> str:
    """Builds a site as make docs does and returns what was complained of."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", *options, source, target]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stderr


def test_the_site_is_built_whole_without_a_warning(tmp_path: Path) -> None:
    """One test, since the site is built for it: about 20 s of one core."""
    assert build(ROOT / "docs", tmp_path / "site", "-d", str(tmp_path / "doctrees")) == ""
    has_every_page(tmp_path / "site")
    asks_nothing_of_the_network(tmp_path / "site")
    draws_equations_by_a_script_of_its_own(tmp_path / "site")
    assert not (tmp_path / "site" / "_downloads").exists(), "files from outside are copied"


def has_every_page(site: Path) -> None:
    sources = [path for end in ("*.md", "*.ipynb") for path in (ROOT / "docs").rglob(end)]
    names = {path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in sources}
    assert len(names) > 30
    assert {name for name in names if not (site / name).is_file()} == set()


def asks_nothing_of_the_network(site: Path) -> None:
    files = [path for path in site.rglob("*") if path.suffix in (".html", ".css")]
    assert {path.name: asked for path in files if (asked := FOREIGN.findall(path.read_text(encoding="utf-8")))} == {}


def draws_equations_by_a_script_of_its_own(site: Path) -> None:
    page = (site / "theory" / "planar.html").read_text(encoding="utf-8")
    (script,) = re.findall(r'src="([^"]*mathjax[^"]*)"', page)
    assert (site / "theory" / script).stat().st_size > 1e6
    assert page.count('class="math notranslate nohighlight"') > 50


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.org/x.js"></script>',
        '<link rel="stylesheet" href="//cdn.org/x.css">',
        "src: url('https://fonts.org/a.woff')",
    ],
)
def test_what_is_asked_of_the_network_is_seen(text: str) -> None:
    assert FOREIGN.search(text) and not FOREIGN.search('<a href="https://example.org">a link</a> <script src="x.js">')


PAGE = """# A page

[a_test](../tests/test_a.py), [README](../README.md#start), [tests](../tests), [next](next.md#b)

![A picture](../tests/dot.png) [![A picture that leads there](../tests/dot.png)](../tests/test_a.py)
"""
DOT = b"\x89PNG\r\n\x1a\n"


SETTING = '[tool.pushpoint.release]\nrepository = "{}"\npages = "{{repository}}/blob/v{{version}}/{{path}}"\n'


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A site of two pages in a repository."""
    for name, text in {
        "pyproject.toml": SETTING.format(""),
        "README.md": "# Start\n",
        "tests/test_a.py": "",
        "docs/conf.py": f"import sys; sys.path.insert(0, {str(ROOT / 'docs')!r})\n"
        "extensions = ['myst_parser', '_site.outside_links']; version = '1.2'; myst_heading_anchors = 2\n",
        "docs/index.md": PAGE + "\n```{toctree}\nnext\n```\n",
        "docs/next.md": "# Next\n\n## B\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "tests" / "dot.png").write_bytes(DOT)
    return tmp_path


def test_pictures_from_outside_are_copied(small: Path) -> None:
    assert build(small / "docs", small / "html") == ""
    assert (small / "html" / "_images" / "dot.png").read_bytes() == DOT
    assert (small / "html" / "index.html").read_text(encoding="utf-8").count('src="_images/dot.png"') == 2


def test_links_that_leave_it_are_code_while_there_is_no_repository(small: Path) -> None:
    assert build(small / "docs", small / "html") == ""
    page = (small / "html" / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<code[^>]*><span class="pre">(\w+)</span></code>', page) == ["a_test", "README", "tests"]
    assert 'href="next.html#b"' in page and not (small / "html" / "_downloads").exists()


def test_links_that_leave_it_lead_to_the_repository_of_a_release(small: Path) -> None:
    (small / "pyproject.toml").write_text(SETTING.format("https://forge.org/snake/"), encoding="utf-8")
    assert build(small / "docs", small / "html") == ""
    page = (small / "html" / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'href="https://forge.org/snake/([^"]*)"', page) == [
        "blob/v1.2/tests/test_a.py",
        "blob/v1.2/README.md#start",
        "blob/v1.2/tests",
        "blob/v1.2/tests/test_a.py",
    ]


def test_a_link_to_no_file_is_told(small: Path) -> None:
    (small / "docs" / "next.md").write_text("# Next\n\n## B\n\n[gone](../tests/gone.py)\n", encoding="utf-8")
    assert "no such file: tests/gone.py" in build(small / "docs", small / "html")
