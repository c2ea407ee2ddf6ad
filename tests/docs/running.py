"""Runs the blocks of a document in order, in one folder: programs in one namespace, commands line by line.

By hand, with the time that each block takes: python -m docs.running docs/how-to/long-runs.md (in tests/).
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from docs.blocks import ROOT, Block, blocks_of

COMMENT = re.compile(r"(^|\s+)#( .*)?$")
FILE_NAME = re.compile(r"\s# ([\w-]+\.yaml)$")
SHELL = re.compile(r"[|<>;&$*?~`(){}]|^\w+=")
TOOLS = ("pushpoint", "python", "cat", "head", "ls", "mkdir", "cp", "echo")
PRINTS = 2000
DOTS = "..."
NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


class Broken(AssertionError):
    """A block that does not do what the document says."""


class Page:
    """One document while its blocks are run in the current folder."""

    def __init__(self, page: str) -> None:
        self.module = ModuleType("page_of_the_documents")
        sys.modules[self.module.__name__] = self.module  # where dataclasses look their annotations up
        self.printed = ""
        for name in ("examples", "benchmarks"):  # what a clone has
            os.symlink(ROOT / name, name)
        self.page = page

    def run(self, block: Block) -> str:
        """Runs one block and returns what it printed."""
        try:
            match block.language:
                case "python":
                    self.printed = self.program(block)
                case "sh":
                    self.printed = "".join(self.command(line) for line in command_lines(block))
                case "yaml":
                    scenario_file(block)
                case "toml":
                    tomllib.loads(block.text)
                case "json":
                    json.loads(block.text)
                case "text" if block.follows:
                    self.compare(block)
        except Broken as error:
            raise Broken(f"{block.place}: {error}") from error.__cause__
        except (Exception, SystemExit) as error:
            raise Broken(f"{block.place}: {type(error).__name__}: {error}") from error
        return self.printed

    def program(self, block: Block) -> str:
        """Runs a Python block in the namespace of the page, with lines counted as in the document."""
        code = compile("\n" * block.line + block.text, block.page, "exec")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, self.module.__dict__)
        return out.getvalue()

    def command(self, line: str) -> str:
        """Runs a line of a shell block; `pushpoint` in this process, by the function that the command calls."""
        words = shlex.split(line)
        if words[0] == "make" or words[:2] == ["pip", "install"]:
            look_up(line, words)
            return ""
        if words[0] == "pushpoint" and not SHELL.search(line):
            return self.own_command(line, words[1:])
        if words[0] not in TOOLS and "=" not in words[0]:
            raise Broken(
                f"'{line}' is run by nothing here; mark the block: <!-- run: no: REASON -->, or kept, if it was run"
            )
        return self.foreign_command(line)

    def own_command(self, line: str, words: list[str]) -> str:
        from pushpoint.cli.main import main

        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            status = main(words)
        if status != 0:
            raise Broken(f"'{line}' ends with status {status}: {err.getvalue()[-PRINTS:]}")
        return out.getvalue()

    def foreign_command(self, line: str) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euc", line], env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise Broken(f"'{line}' ends with status {done.returncode}: {done.stderr[-PRINTS:]}")
        return done.stdout

    def compare(self, block: Block) -> None:
        """What a page shows as printed is what was printed; a line of three dots stands for any lines."""
        if not same_print(block.text, self.printed):
            raise Broken(f"shows\n{block.text}\nbut printed was\n{self.printed[-PRINTS:]}")


def same_print(shown: str, printed: str) -> bool:
    """Whether words are the same and numbers differ by no more than one in their last digit.

    Processors round differently, so a long run ends with other bits on another machine, and a digit may tip over.
    """
    return same_lines(shown.split("\n"), printed.split("\n"))


def same_lines(shown: list[str], printed: list[str]) -> bool:
    """Line by line; empty lines at the end do not count."""
    if shown and shown[0] == DOTS:
        return any(same_lines(shown[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    if not shown or not printed:
        return not any(line.strip() for line in shown + printed)
    return same_line(shown[0], printed[0]) and same_lines(shown[1:], printed[1:])


def same_line(shown: str, printed: str) -> bool:
    """Words between the numbers, and the numbers."""
    words, others = (" ".join(NUMBER.sub("0", line).split()) for line in (shown, printed))
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=False)
    return words == others and all(abs(float(a) - float(b)) <= 1.01 * last_digit(a) for a, b in pairs)


def last_digit(number: str) -> float:
    """What one is worth in the last digit of a number as it is written."""
    digits, _, power = number.partition("e")
    return float(10 ** (int(power or 0) - len(digits.partition(".")[2])))


def look_up(line: str, words: list[str]) -> None:
    """`make` and `pip install .` are not run; that their targets and extras exist is checked."""
    if words[0] == "make":
        known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
        asked = {word for word in words[1:] if "=" not in word}
    else:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        known = {".", *project["optional-dependencies"]}
        asked = {each for word in words[2:] for each in re.split(r"[\[\],]", word.replace("pushpoint", ".")) if each}
    if missing := asked - known:
        raise Broken(f"'{line}': no such target: {', '.join(sorted(missing))}")


def command_lines(block: Block) -> list[str]:
    """Commands of a shell block without comments; a line that ends in a backslash goes on."""
    joined = re.sub(r"\s*\\\n\s*", " ", block.text)
    lines = [COMMENT.sub("", line).strip().removeprefix("$ ") for line in joined.splitlines()]
    return [line for line in lines if line]


def scenario_file(block: Block) -> None:
    """Keeps a file that has a name, and reads one that is whole."""
    from pushpoint.description.files import SourceFile
    from pushpoint.scenarios.files import scenario_from

    name = FILE_NAME.search(block.text.splitlines()[0])
    path = Path(name[1] if name else "unnamed.yaml")
    path.write_text(block.text, encoding="utf-8")
    document = SourceFile(path).document
    if "duration" in document and "robot" in document:
        source = SourceFile(path)
        assert scenario_from(source.document, where=source.where).rollout().steps > 0


@contextlib.contextmanager
def fresh_page(page: str, folder: Path) -> Iterator[Page]:
    """A page to run in a folder; what it registers or draws is forgotten afterwards."""
    import matplotlib

    from pushpoint.model import kinds

    matplotlib.use("agg")
    before = Path.cwd()
    known = {base: dict(names) for base, names in kinds._FAMILIES.items()}
    os.chdir(folder)
    try:
        with matplotlib.rc_context():
            yield Page(page)
    finally:
        os.chdir(before)
        sys.modules.pop("page_of_the_documents", None)
        for base, names in known.items():
            kinds._FAMILIES[base].clear()
            kinds._FAMILIES[base].update(names)
        sys.modules["matplotlib.pyplot"].close("all") if "matplotlib.pyplot" in sys.modules else None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch, fresh_page(sys.argv[1], Path(scratch)) as tried:
        for each in blocks_of(sys.argv[1]):
            began = time.perf_counter()
            said = ""
            try:
                tried.run(each) if each.runs else None
            except Broken as problem:
                said = f"  {problem}"
            print(f"{each.place} {each.language} {each.mark} {time.perf_counter() - began:.1f} s{said}", flush=True)
