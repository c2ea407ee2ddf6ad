"""Pages: text is escaped, markup is not; numbers, units and sentences as they are printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import UndefinedError

from pushpoint.errors import BadFile
from pushpoint.pages.page import CHECK_UNITS, build_page, measured, quantity, sentence, templates, typeset, write_page

TABLE = """{% extends "page.html" %}{% import "parts.html" as parts %}{% block content %}
{% call parts.table(("x", "y"), numbers=("y",)) %}
<tr><td>{{ cell }}</td><td class="number">{{ parts.badge("good", "good") }}</td></tr>
{% endcall %}{{ parts.reason("a & b") }}{{ parts.reason("") }}{% endblock %}"""


def test_text_is_escaped_and_markup_is_not() -> None:
    page = templates().from_string(TABLE).render(title="a < b", subtitle="c & d", cell="1 < 2")
    assert "<title>a &lt; b</title>" in page and "c &amp; d" in page
    assert '<td>1 &lt; 2</td><td class="number"><span class="badge good">good</span></td>' in page
    assert ">a &amp; b</div>" in page and page.count('class="reason') == 1
    assert '<th>x</th><th class="number">y</th>' in page


def test_a_page_without_its_content_is_refused() -> None:
    with pytest.raises(UndefinedError, match="'title' is undefined"):
        build_page("page.html", subtitle="no title")


def test_measured_values_have_their_units() -> None:
    assert measured("speed_cm_per_s", -1.0532) == "speed: −1.053\u202fcm/s"
    assert measured("off_with_exact_masses_Nm", 0.2) == "off with exact masses: 0.2\u202fN\u202fm"
    assert measured("turn_deg", 12.5) == "turn: 12.5°" and measured("speed_ratio", 2.0) == "speed ratio: 2"
    assert measured("time_s", None) == "time: none" and measured("pull_N", -0.0) == "pull: 0\u202fN"
    assert measured("slack_1e_12", 3.714) == "slack: 3.714\u202f·\u202f10⁻¹²"
    # The number of an environment is not a unit; that of a check without one is.
    assert measured("median_jams_1", 4.0) == "median jams 1: 4"
    assert measured("order_1", 1.5, CHECK_UNITS, 5) == "order: 1.5"
    assert measured("error_at_0.5_ms", 2e-6, CHECK_UNITS, 5) == "error at 0.5 ms: 2·10⁻⁶"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(1e-6, "m", "10⁻⁶\u202fm"), (2.5e-12, "1", "2.5·10⁻¹²"), (0.0, "m", "0\u202fm"), (None, "m", "none")],
)
def test_numbers(value: float | None, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


def test_sentences() -> None:
    assert sentence("from -1.3 to VIII-D, 2-3 deg") == "From −1.3 to VIII-D, 2-3 deg."
    assert sentence("below 1e-12 m/s.") == "Below 10⁻¹² m/s." and sentence("") == ""
    assert typeset("exp(-24) = 4e-11, 2.7e+04") == "exp(−24) = 4·10⁻¹¹, 2.7·10⁴"


def test_a_page_is_an_html_file(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"must end in \.html"):
        write_page("", tmp_path / "page.txt")
