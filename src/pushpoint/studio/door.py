"""The door before the page: only its own pages come in, and only with the word that was printed with the address.

A browser lets any site open a socket to this machine. So a request must come from a page of this server, name this
server as its host, and begin its path with the token.
"""

from __future__ import annotations

import hmac
import secrets
import socket
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated

from pushpoint.errors import PushpointError
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import Whole

HOST = "127.0.0.1"
"""The only address that is listened on: nobody else on the network reaches it."""
NAMES = (HOST, "localhost")
"""What a browser on this machine may call it."""
FIRST_FREE, LAST_PORT = 1024, 65535
USUAL_PORT = 8080
TOKEN_BYTES = 12
Port = Annotated[int, Whole(0, LAST_PORT, f"a whole number, {FIRST_FREE} to {LAST_PORT}, or 0 for any free one")]


@dataclass(frozen=True)
class Refusal:
    """Why a request does not come in."""

    status: HTTPStatus
    """The status of the answer."""
    reason: str
    """The same as a sentence."""


@dataclass(frozen=True, kw_only=True)
class Door:
    """Judges requests by their path and headers."""

    port: int
    """The port listened on."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES), repr=False)
    """The first part of every path; a new one for each start."""

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def judge(self, path: str, *, host: str | None, origin: str | None) -> Refusal | str:
        """The path behind the door, or why there is none.

        Args:
            path: The path asked for, with what follows a question mark.
            host: The header Host. Another name would be a site that lets its name point here.
            origin: The header Origin; None for what is no page, such as a program with the token.
        """
        hosts = [f"{name}:{self.port}" for name in NAMES]
        if host not in hosts:
            return Refusal(HTTPStatus.MISDIRECTED_REQUEST, f"this server is called {hosts[0]}")
        if origin is not None and origin not in [f"http://{each}" for each in hosts]:
            return Refusal(HTTPStatus.FORBIDDEN, "a page of another site must not drive this one")
        given, slash, rest = path.partition("?")[0].removeprefix("/").partition("/")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return Refusal(HTTPStatus.FORBIDDEN, "the address must be the one that was printed, with its token")
        return f"/{rest}" if slash else "/"


@checked_arguments
def listen(port: Port) -> socket.socket:
    """A socket that listens on a port of this machine alone; raises a sentence if the port cannot be had."""
    if 0 < port < FIRST_FREE:
        raise PushpointError(f"port {port} is for the system; take one from {FIRST_FREE} to {LAST_PORT}, or 0 for any")
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        listening.close()
        why = error.strerror or str(error)
        raise PushpointError(f"port {port} cannot be used ({why}); --port takes another one, or 0 for any") from None
    return listening
