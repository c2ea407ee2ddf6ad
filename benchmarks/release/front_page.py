"""The front page of a package index: links and images that lead to the repository, from one setting.

`[tool.pushpoint.release]` in pyproject.toml names the repository. While it is empty, addresses stay relative.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

CODE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
IMAGE = re.compile(r"(!\[[^\]]*\]\()([^)\s]+)|(<(?:img|source|video)\b[^>]*?\bsrc=\")([^\"]+)")
LINK = re.compile(r"((?<!!)\[(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*\]\()([^)\s]+)|(<a\b[^>]*?\bhref=\")([^\"]+)")
ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|#|//)")
"""What leads out of the tree already, or stays on the page."""


def addresses(setting: Mapping[str, str], version: str) -> dict[str, str]:
    """Where pages and images are, as patterns with {path} left in them; nothing while the setting is empty."""
    repository = setting["repository"].rstrip("/")
    if not repository:
        return {}
    return {
        kind: setting[kind].replace("{repository}", repository).replace("{version}", version)
        for kind in ("pages", "images")
    }


def absolute(text: str, setting: Mapping[str, str], version: str) -> str:
    """The page with addresses that work outside the tree; code stays as it is."""
    where = addresses(setting, version)
    if not where:
        return text

    def led(kind: str, found: re.Match[str]) -> str:
        before, target = (found[1], found[2]) if found[1] else (found[3], found[4])
        if ELSEWHERE.match(target):
            return found[0]
        path, hash_, place = target.partition("#")
        return f"{before}{where[kind].replace('{path}', path.removeprefix('./'))}{hash_}{place}"

    parts = CODE.split(text)
    for k in range(0, len(parts), 2):
        # Links first: an image inside of a link is then still recognised as the relative one that it was.
        parts[k] = LINK.sub(lambda found: led("pages", found), parts[k])
        parts[k] = IMAGE.sub(lambda found: led("images", found), parts[k])
    return "".join(parts)


def relative_targets(text: str) -> list[str]:
    """Files of the tree that a page leads to."""
    plain = "".join(CODE.split(text)[::2])
    found = [match[2] or match[4] for pattern in (LINK, IMAGE) for match in pattern.finditer(plain)]
    return [target.partition("#")[0] for target in found if not ELSEWHERE.match(target)]


def missing_targets(text: str, root: Path) -> list[str]:
    """Sentences about links of the front page that lead nowhere."""
    gone = [target for target in dict.fromkeys(relative_targets(text)) if not (root / target).exists()]
    return [f"README.md leads to {target}, which is not there." for target in gone]


def still_relative(metadata: str) -> list[str]:
    """Sentences about addresses of a packaged front page that work in the tree only."""
    page = metadata.partition("\n\n")[2]
    return [f"The index page leads to {target}, which only the tree has." for target in relative_targets(page)]


def with_urls(pyproject: str, setting: Mapping[str, str], version: str) -> str:
    """pyproject.toml with the project's addresses, from the same setting."""
    where = addresses(setting, version)
    if not where:
        return pyproject
    repository = setting["repository"].rstrip("/")
    urls = {
        "Repository": repository,
        "Documentation": where["pages"].replace("{path}", "docs/index.md"),
        "Changelog": where["pages"].replace("{path}", "CHANGELOG.md"),
        "Issues": f"{repository}/issues",
    }
    lines = "".join(f'{name} = "{address}"\n' for name, address in urls.items())
    return f"{pyproject.rstrip()}\n\n[project.urls]\n{lines}"
