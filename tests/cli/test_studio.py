"""`pushpoint studio`: it prints the address, Ctrl-C ends it with status 0, and what it cannot do is one sentence."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

from pushpoint.cli.main import main

MEMORY = [([name], f"{name}: cannot be read") for name in ["/proc/self/mem"] if Path(name).is_file()]
"""A file whose reading fails, where there is one."""
COMMAND = [sys.executable, "-m", "pushpoint", "studio", "--no-browser", "--port", "0"]


def test_it_serves_the_printed_address_until_ctrl_c_and_ends_with_status_0() -> None:
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        found = re.match(r"pushpoint studio: (http://127\.0\.0\.1:\d+/\S+/)$", process.stdout.readline())
        assert found is not None
        with urllib.request.urlopen(found[1]) as answer:
            assert answer.status == 200 and b"<html" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
        assert process.stderr.read() == ""


def test_a_taken_port_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["studio", "--no-browser", "--port", str(port)]) == 2
    assert f"port {port} cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "unknown scenario 'nowhere'"),
        (["no-such.nc"], "no-such.nc: no such file"),
        (["nonsense.yaml"], "nonsense.yaml"),
        (["folder.yaml"], "folder.yaml: cannot be read (it is a folder"),
        *MEMORY,
        (["--port", "80"], "port 80 is for the system"),
        (["--port", "99999"], "port = 99999"),
        (["--port", "here"], "port = 'here'"),
        (["transeth2008a/speed-over-friction"], "7 worlds; the studio shows scenarios of one"),
    ],
)
def test_a_mistake_is_one_sentence(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nonsense.yaml").write_text("][")
    (tmp_path / "folder.yaml").mkdir()
    assert main(["studio", "--no-browser", *arguments]) == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said and "\n" not in said and len(said) < 400
