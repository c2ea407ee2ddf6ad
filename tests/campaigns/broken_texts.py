"""Texts and documents broken at random, for every kind of file: a new kind takes `broken_text` or `broken_document`."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import numpy as np

Random = np.random.Generator
Keys = tuple[str | int, ...]

NASTY: tuple[Any, ...] = (
    None, True, False, "", " ", "x", "1", "0.5", "null", [], {}, [[]], [{}], {"kind": "x"}, {"a": {"b": {}}}, [1, 2, 3],
    0, -1, 1, 2, -0.0, 3.7, 1e-3, 1e3, 1e9, 1e12, 1e30, 1e150, 1e300, 1e308, -1e308, 5e-324, 1e-320, 1e-300, 1e-150,
    2**31, 2**53 + 1, 2**63, 2**64, 10**30, float("nan"), float("inf"), -float("inf"), "nan", "../x.npy", "x.npy",
    "/dev/zero", "a\nb", "\x00", "\ud83d\ude00", "<script>", "é", "x" * 3000, list(range(300)), "!!python/name:os",
)  # fmt: skip
"""Values that stand where others are expected."""
NASTY_WORDS = (
    "~", "!!bool maybe", "!!int x", "!!float ''", "!!set {a}", "!!binary x", "!!timestamp 1", "!x 1", "*a", "&a 1",
    "<<",
    "9" * 5000, "0x" + "f" * 400, "1_000", "0b11", "0o7", "12:30:45", "2026-11-15", ".inf", "-.INF", ".nan", "1e999",
    "'", '"', "[", "{", "}", "]", ",", ":", "?", "-", "|", ">", "%", "@", "`", "#", "---", "...", "\t", "\x00", "\x07",
    "\ufeff", "\u2028", "\ud7ff", '"\\ud800"', '"\\0"', "[" * 60, "{a: " * 60, "[[1, 2], [3]]", "{a: 1, a: 2}", "yes",
)  # fmt: skip
"""What YAML may trip over."""


def any_of(random: Random, choices: Any) -> Any:
    """One of some things, which may be of all kinds."""
    return choices[int(random.integers(len(choices)))]


def broken_text(random: Random, text: str, other: str = "") -> bytes:
    """A text with one to three things wrong, as bytes; `other` is a text to take parts of."""
    for _ in range(int(random.integers(1, 4))):
        text = any_of(random, LINES)(random, text, other or text)
    data = text.encode("utf-8", errors="surrogatepass")
    return any_of(random, BYTES)(random, data) if random.random() < 0.4 else data


def places_of(document: Any, keys: Keys = ()) -> list[Keys]:
    """All places of a document, the whole included."""
    parts = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    return [keys, *(place for key, part in parts for place in places_of(part, (*keys, key)))]


def broken_document(random: Random, document: Any, *, values: tuple[Any, ...] = NASTY) -> Any:
    """A document that differs in one place: another value, a key left out or renamed, a part repeated or moved."""
    changed = copy.deepcopy(document)
    places = places_of(changed)[1:]
    if not places:
        return any_of(random, values)
    *above, key = any_of(random, places)
    holder = changed
    for step in above:
        holder = holder[step]
    way = int(random.integers(8))
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, dict):
        holder[any_of(random, (f"{key}_deg", f"{key}_rad", str(key).upper(), f"{key} ", "x", str(key)[:-1]))] = (
            holder.pop(key)
        )
    elif way == 2 and isinstance(holder, list):
        holder.extend([copy.deepcopy(holder[key])] * int(random.integers(1, 4)))
    elif way == 3:
        holder[key] = any_of(random, ([holder[key]], {"kind": holder[key]}, [holder[key]] * 3, str(holder[key])))
    elif way == 4 and isinstance(holder[key], int | float):
        holder[key] = holder[key] * any_of(random, (57.29577951308232, 1e-3, 1e3, -1, 0, 1e-30, 1e30))
    elif way == 5:
        holder[key] = copy.deepcopy(_at(document, any_of(random, places)))
    else:
        holder[key] = copy.deepcopy(any_of(random, values))
    return changed


def _at(document: Any, keys: Keys) -> Any:
    for key in keys:
        document = document[key]
    return document


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True) or [""]


def _left_out(random: Random, text: str, other: str) -> str:
    lines = _lines(text)
    first = int(random.integers(len(lines)))
    del lines[first : first + int(random.integers(1, 4))]
    return "".join(lines)


def _repeated(random: Random, text: str, other: str) -> str:
    lines = _lines(text)
    lines.insert(int(random.integers(len(lines))), any_of(random, lines))
    return "".join(lines)


def _swapped(random: Random, text: str, other: str) -> str:
    lines = _lines(text)
    a, b = random.integers(len(lines), size=2)
    lines[a], lines[b] = lines[b], lines[a]
    return "".join(lines)


def _spliced(random: Random, text: str, other: str) -> str:
    ours, theirs = _lines(text), _lines(other)
    return "".join(ours[: random.integers(len(ours) + 1)] + theirs[random.integers(len(theirs)) :])


def _cut(random: Random, text: str, other: str) -> str:
    return text[: random.integers(len(text) + 1)]


VALUE = re.compile(r"(?<=[:\-,\[] )[^\s,\]\}:\[{]+")
KEY = re.compile(r"\b[a-z_]+(?=:)")


def _revalued(random: Random, text: str, other: str) -> str:
    found = list(VALUE.finditer(text))
    if not found:
        return text + any_of(random, NASTY_WORDS)
    place = any_of(random, found)
    word = any_of(random, NASTY_WORDS) if random.random() < 0.6 else str(any_of(random, NASTY))
    return text[: place.start()] + word + text[place.end() :]


def _rekeyed(random: Random, text: str, other: str) -> str:
    ours, theirs = list(KEY.finditer(text)), KEY.findall(other) or ["x"]
    if not ours:
        return text
    place = any_of(random, ours)
    name = place[0]
    new = any_of(
        random, (any_of(random, theirs), name.replace("_deg", "_rad"), name + "_deg", name[::-1], "<<", "? " + name)
    )
    return text[: place.start()] + new + text[place.end() :]


def _aliased(random: Random, text: str, other: str) -> str:
    found = list(VALUE.finditer(text))
    if len(found) < 2:
        return text
    a, b = sorted(random.choice(len(found), size=2, replace=False))
    first, second = found[a], found[b]
    return f"{text[: first.start()]}&here {text[first.start() : second.start()]}*here{text[second.end() :]}"


def _bombed(random: Random, text: str, other: str) -> str:
    levels = int(random.integers(2, 40))
    chain = "".join(f"b{k}: &b{k} [{', '.join([f'*b{k - 1}'] * 9)}]\n" for k in range(1, levels))
    return any_of(random, (f"{text}\nb0: &b0 [1]\n{chain}", f"b0: &b0 [1]\n{chain}{text}"))


def _indented(random: Random, text: str, other: str) -> str:
    lines = _lines(text)
    k = int(random.integers(len(lines)))
    lines[k] = any_of(
        random, (" " + lines[k], "\t" + lines[k], lines[k].lstrip(" "), "- " + lines[k], "    " + lines[k])
    )
    return "".join(lines)


def _dressed(random: Random, text: str, other: str) -> str:
    return any_of(
        random,
        (
            text.replace("\n", "\r\n"), text.replace("\n", "\r"), "\ufeff" + text, "---\n" + text, text + "---\na: 1\n",
            "%YAML 1.1\n---\n" + text, text.replace(" ", "\u00a0"), text.replace(": ", ":"), text + "\x00",
            "# x\n" * 50 + text, text + "...\n", "{" + text + "}",
        ),
    )  # fmt: skip


LINES: tuple[Callable[[Random, str, str], str], ...] = (
    _left_out, _repeated, _swapped, _spliced, _cut, _revalued, _revalued, _revalued, _rekeyed, _aliased, _bombed,
    _indented, _dressed,
)  # fmt: skip


def flipped(random: Random, data: bytes) -> bytes:
    """A few bits turned over."""
    changed = bytearray(data)
    for place in random.integers(len(changed), size=int(random.integers(1, 6))) if changed else ():
        changed[place] ^= 1 << int(random.integers(8))
    return bytes(changed)


def overwritten(random: Random, data: bytes) -> bytes:
    """A stretch of bytes replaced by zeros, by random ones, or by others of the same file."""
    if not data:
        return b"\x00"
    first, length = int(random.integers(len(data))), int(random.integers(1, 300))
    length = min(length, len(data) - first)
    there = int(random.integers(len(data)))
    new = any_of(random, (bytes(length), random.bytes(length), data[there : there + length]))
    return data[:first] + new + data[first + length :]


def shortened(random: Random, data: bytes) -> bytes:
    """The beginning of it, or all but a piece."""
    if random.random() < 0.5:
        return data[: int(random.integers(len(data) + 1))]
    first = int(random.integers(len(data) + 1))
    return data[:first] + data[first + int(random.integers(1, 50)) :]


def recoded(random: Random, data: bytes) -> bytes:
    """The same text in another encoding, if it is one."""
    text = data.decode("utf-8", errors="replace")
    return text.encode(any_of(random, ("utf-16", "utf-32", "latin-1", "utf-16-le", "utf-7")), errors="replace")


BYTES: tuple[Callable[[Random, bytes], bytes], ...] = (flipped, flipped, overwritten, shortened, recoded)
