"""viser's server behind our door: quiet, on this machine alone, and without a way to share it with the world."""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pushpoint.errors import MissingExtra
from pushpoint.studio.door import Door, Refusal, listen

if TYPE_CHECKING:
    import viser

TITLE = "pushpoint studio"
LONGEST_GOODBYE = 0.3
"""How long the end waits for a browser that is too busy to answer [s]."""
_ONE_AT_A_TIME = threading.Lock()


class Page:
    """A page that is served until it is closed."""

    def __init__(self, port: int) -> None:
        """Serves it on a port of this machine; 0: any free one."""
        try:
            import viser
        except ImportError:
            raise MissingExtra("the studio", "studio") from None
        listening = listen(port)
        self.door = Door(port=listening.getsockname()[1])
        with _ONE_AT_A_TIME, _behind(self.door, listening), _silent():
            self.server: viser.ViserServer = viser.ViserServer(
                host="127.0.0.1", port=self.door.port, label=TITLE, verbose=False
            )
        self._keep_to_ourselves()
        self.server.gui.configure_theme(show_share_button=False, show_logo=False)

    @property
    def address(self) -> str:
        """What to open in a browser; it has the token."""
        return self.door.address

    def close(self) -> None:
        """Ends it; browsers see that the connection is lost."""
        with _silent():
            self.server.stop()

    def _keep_to_ourselves(self) -> None:
        """No message from a page may open a tunnel to the outside."""
        from viser import _messages

        for kind in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
            self.server._websock_server.unregister_handler(kind)


@contextlib.contextmanager
def _behind(door: Door, listening: Any) -> Iterator[None]:
    """Puts the door before the handler of the server that is started meanwhile, and gives it our socket.

    viser checks neither where a socket comes from nor whether its port is taken, and offers no way to.
    """
    from websockets.asyncio import server as sockets

    serve = sockets.serve

    def guarded(handler: Any, _host: str, _port: int, *, process_request: Callable[..., Any], **options: Any) -> Any:
        def at_the_door(connection: Any, request: Any) -> Any:
            headers = request.headers
            found = door.judge(request.path, host=headers.get("Host"), origin=headers.get("Origin"))
            if isinstance(found, Refusal):
                return connection.respond(found.status, f"{found.reason}\n")
            request.path = found
            answer = process_request(connection, request)
            if answer is not None:
                # The address is a secret: neither kept nor told to others.
                answer.headers["Referrer-Policy"], answer.headers["Cache-Control"] = "no-referrer", "no-store"
            return answer

        return serve(
            handler, sock=listening, process_request=at_the_door, **options | {"close_timeout": LONGEST_GOODBYE}
        )

    sockets.serve = guarded  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        sockets.serve = serve  # type: ignore[misc]


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """viser prints where it listens and when it ends; so do we, with the token."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
