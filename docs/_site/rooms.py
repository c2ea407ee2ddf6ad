"""The rooms of the package, from their own docstrings."""

from __future__ import annotations

import ast
from pathlib import Path

import pushpoint
from _site.markdown import prose, table


def rooms() -> str:
    """Every folder and module at the top of the package with the first sentence of its docstring."""
    top = Path(pushpoint.__file__).parent
    folders = sorted(path.parent for path in top.glob("*/__init__.py"))
    files = sorted(path for path in top.glob("*.py") if not path.name.startswith("__"))
    rows = [(f"`{path.name}/`", _sentence(path / "__init__.py")) for path in folders]
    rows += [(f"`{path.name}`", _sentence(path)) for path in files]
    return table(("room", "what it says of itself"), rows)


def _sentence(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return prose(" ".join(text.split("\n\n")[0].split()))
