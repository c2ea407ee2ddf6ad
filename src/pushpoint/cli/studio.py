"""`pushpoint studio`: a page in the browser on which a robot is watched and changed while it moves."""

from __future__ import annotations

import threading
import webbrowser
from typing import Annotated

import typer

from pushpoint.cli import outputs
from pushpoint.cli.stopping import on_stop

FIRST = "transeth2008a/obstacle-aided"


def studio(
    target: Annotated[
        str, typer.Argument(metavar="[NAME | FILE | RUN.nc]", help="A scenario, a scenario file, or a run.")
    ] = FIRST,
    port: Annotated[str, typer.Option(metavar="PORT", help="Port of this machine; 0: any free one.")] = "8080",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    dark: Annotated[bool, typer.Option("--dark", help="A dark page.")] = False,
) -> None:
    """Watch a robot and change it while it moves.

    Only this machine reaches the page, and only with the address that is printed. Ctrl-C ends it.
    """
    stopped, opened = threading.Event(), threading.Event()

    def stop(_number: int) -> None:
        stopped.set()
        if not opened.is_set():
            raise typer.Exit  # a long run that is repeated first is given up

    with on_stop(stop):
        from pushpoint.studio.choices import open_target
        from pushpoint.studio.studio import Studio

        number = outputs.number_of(port, "--port")
        live, name, title = open_target(target)
        try:
            page = Studio(live, name=name, title=title, port=number, dark=dark)
        except BaseException:
            live.close()
            raise
        opened.set()
        with page:
            typer.echo(f"pushpoint studio: {page.address}\nCtrl-C ends it.")
            if browser:
                webbrowser.open(page.address)
            while not stopped.wait(0.2):
                pass
