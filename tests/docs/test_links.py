"""Links lead somewhere, headings included, and every page can be reached from the front page of the documents."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest

from docs import links
from docs.blocks import ROOT
from docs.links import Link, anchors_of, documents, links_of, pages_below


def wrong(link: Link) -> str:
    """What is wrong with a link; nothing if all is well. Addresses in the network are read, not asked."""
    if "://" in link.target or link.target.startswith("mailto:"):
        address = urlsplit(link.target)
        fine = address.scheme in ("https", "mailto") and " " not in link.target
        return "" if fine and ("." in address.netloc or address.scheme == "mailto") else "no address"
    path, _, anchor = unquote(link.target).partition("#")
    target = ((ROOT / link.page).parent / path).resolve() if path else ROOT / link.page
    if not target.exists():
        return "no such file"
    if not target.is_relative_to(ROOT):
        return "outside the repository"
    document = target.relative_to(ROOT).as_posix()
    if anchor and target.suffix in (".md", ".ipynb") and anchor not in anchors_of(document):
        return "no such heading"
    return ""


@pytest.mark.parametrize("document", documents())
def test_links_lead_somewhere(document: str) -> None:
    assert [f"{link.target}: {said}" for link in links_of(document) if (said := wrong(link))] == []


def test_every_page_can_be_reached_from_the_front_page() -> None:
    reached, ahead = set(), ["docs/index.md"]
    while ahead:
        page = ahead.pop()
        if page not in reached:
            reached.add(page)
            ahead += pages_below(page)
    assert {page for page in documents() if page.startswith("docs/")} - reached == set()


PAGE = """# Über *all* `x_y`

## 2. State: A/B

## 2. State: A/B

[a](nowhere.md) [b](#2-state-ab-1) [c](#3-state) ![d](none.png)
<img src="gone.png"> [e](http://plain.org) `[f](code.md)`

| [g](https://example.org) |
|---|
| [h](../outside.md) |

```{toctree}
:glob:
theory/*
```
"""


def test_wrong_links_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "markdown_of", lambda document: PAGE)
    page = "docs/page-that-is-not-there.md"
    assert anchors_of(page) == {"über-all-x_y", "2-state-ab", "2-state-ab-1"}
    found = {link.target: wrong(link) for link in links_of(page) if not link.target.startswith("#")}
    missing = ("nowhere.md", "none.png", "gone.png", "../outside.md")
    assert found == {
        **dict.fromkeys(missing, "no such file"),
        "http://plain.org": "no address",
        "https://example.org": "",
    }
    assert "docs/theory/planar.md" in pages_below(page)
