"""A report as one HTML file that needs no network: style and pictures are in it, scripts there are none.

A page is put together from pieces of markup. Text that is not markup yet is escaped where it enters.
"""

from __future__ import annotations

import base64
import html
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pushpoint.errors import BadFile
from pushpoint.simulation.storage import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_DPI = 130
"""Of pictures in a page: sharp on a screen, small in the file."""

STYLE = """
:root { --ink: #1f1f1f; --grey: #6b6b6b; --line: #d9d9d9; --good: #00694d; --fair: #8a5a00; --bad: #b03000; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1120px; padding: 24px 28px 64px; color: var(--ink); background: #fff;
  font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
h1 { font-size: 28px; line-height: 1.2; margin: 8px 0 4px; }
h2 { font-size: 21px; margin: 48px 0 4px; padding-top: 12px; border-top: 2px solid var(--ink); }
h3 { font-size: 16px; margin: 28px 0 6px; }
p { margin: 6px 0 10px; max-width: 88ch; }
.subtitle, .note, figcaption { color: var(--grey); }
a { color: inherit; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 10px 0 16px; font-size: 13.5px; }
th { text-align: left; border-bottom: 1.5px solid var(--ink); padding: 4px 10px 4px 0; vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: 6px 10px 6px 0; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr { break-inside: avoid; }
.badge { font-weight: 600; white-space: nowrap; }
.good { color: var(--good); } .fair { color: var(--fair); } .bad { color: var(--bad); } .none { color: var(--grey); }
.reason { margin: 4px 0 0; padding-left: 8px; border-left: 3px solid var(--line); color: var(--grey); }
.alarm { border: 2px solid var(--bad); padding: 8px 12px; margin: 12px 0; }
.figures { columns: 2 480px; column-gap: 24px; }
figure { margin: 0 0 24px; break-inside: avoid; }
figure.wide-figure { column-span: all; max-width: 900px; }
img { display: block; max-width: 100%; height: auto; border: 1px solid var(--line); }
figcaption { font-size: 13px; margin-top: 4px; }
@media (max-width: 560px) { .figures { columns: 1; } body { padding: 12px; } }
"""


class Html(str):
    """A piece of markup, safe to stand in a page as it is."""

    __slots__ = ()


def markup(text: str) -> Html:
    """Text as markup; what is markup already stays."""
    return text if isinstance(text, Html) else Html(html.escape(text, quote=False))


def join(parts: Iterable[str], between: str = "\n") -> Html:
    """Pieces one after the other."""
    return Html(between.join(markup(part) for part in parts))


def element(tag: str, content: str, **attributes: str) -> Html:
    """One element; the attribute `class` is written `class_`."""
    given = "".join(f' {name.rstrip("_")}="{html.escape(value)}"' for name, value in attributes.items())
    return Html(f"<{tag}{given}>{markup(content)}</{tag}>")


def heading(level: int, text: str, anchor: str = "") -> Html:
    """A heading, with a name that links can point to."""
    return element(f"h{level}", text, **({"id": anchor} if anchor else {}))


def paragraph(text: str, kind: str = "") -> Html:
    """A paragraph; kinds are the classes of STYLE, such as note, reason, alarm."""
    return element("p", text, **({"class_": kind} if kind else {}))


def badge(word: str, tone: str) -> Html:
    """A word in the colour of its tone: good, fair, bad or none."""
    return element("span", word, class_=f"badge {tone}")


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[str] = (), widths: Sequence[int] = ()
) -> Html:
    """A table; the columns named in `numbers` are set right, `widths` are those of the columns in percent."""
    kinds = ["number" if name in numbers else "" for name in columns]
    head = join((_cell("th", name, kind) for name, kind in zip(columns, kinds, strict=True)), "")
    body = [
        element("tr", join((_cell("td", cell, kind) for cell, kind in zip(row, kinds, strict=True)), ""))
        for row in rows
    ]
    wide = [Html(f'<col style="width: {width}%">') for width in widths]
    inside = (element("colgroup", join(wide, "")), element("thead", element("tr", head)), element("tbody", join(body)))
    return element("div", element("table", join(inside)), class_="wide")


def _cell(tag: str, content: str, kind: str) -> Html:
    return element(tag, content, **({"class_": kind} if kind else {}))


def figure_png(figure: Figure) -> bytes:
    """A matplotlib figure as a PNG picture."""
    with io.BytesIO() as buffer:
        figure.savefig(buffer, format="png", dpi=FIGURE_DPI)
        return buffer.getvalue()


def inline_figure(png: bytes, caption: str, *, alt: str = "", wide: bool = False) -> Html:
    """A picture that lies in the page itself, with what it shows below it."""
    source = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
    image = Html(f'<img src="{source}" alt="{html.escape(alt or caption)}">')
    kind = {"class_": "wide-figure"} if wide else {}
    return element("figure", join((image, element("figcaption", caption))), **kind)


def figure_columns(figures: Iterable[str]) -> Html:
    """Pictures in two columns where the window has room, from top to bottom as in a paper."""
    return element("div", join(figures), class_="figures")


def facts(pairs: Mapping[str, str]) -> Html:
    """Short facts in one line, such as counts, versions and times."""
    return paragraph(join((join((element("b", name), value), " ") for name, value in pairs.items()), " · "), "note")


def build_page(title: str, subtitle: str, parts: Iterable[str]) -> str:
    """The whole page as text."""
    head = join(
        (
            Html('<meta charset="utf-8">'),
            Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Html('<link rel="icon" href="data:,">'),  # a browser would ask a server for one
            element("title", title),
            element("style", Html(STYLE)),
        )
    )
    body = join((heading(1, title), paragraph(subtitle, "subtitle"), *parts))
    return f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def write_page(page: str, path: str | os.PathLike[str]) -> Path:
    """Writes a page, whole or not at all."""
    target = Path(path)
    if target.suffix.lower() != ".html":
        raise BadFile(target, "the name of a page must end in .html")

    def write(place: Path) -> None:
        place.write_text(page, encoding="utf-8")

    return write_atomically(target, write)
