"""The door: a page of another site, a wrong token and a wrong host stay outside, by HTTP and by socket."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest
import viser
import websockets.sync.client
from websockets.exceptions import InvalidStatus

from pushpoint.errors import PushpointError
from pushpoint.studio.door import Door, Refusal, listen
from pushpoint.studio.serving import Page

DOOR = Door(port=8080, token="secret")


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    page = Page(0)
    yield page
    page.close()


def asked(page: Page, path: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", page.door.port, timeout=20)
    with closing(connection):
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def socket_status(page: Page, path: str, origin: str | None) -> int:
    """The status that a socket gets: 101 if it comes in."""
    version = websockets.sync.client.Subprotocol(f"viser-v{viser.__version__}")  # type: ignore[attr-defined]
    address = f"ws://127.0.0.1:{page.door.port}{path}"
    try:
        with websockets.sync.client.connect(address, origin=origin, subprotocols=[version]) as link:  # type: ignore[arg-type]
            assert link.recv(timeout=20)
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def test_the_printed_address_opens_the_page(page: Page) -> None:
    status, text = asked(page, f"/{page.door.token}/")
    assert status == 200 and "<html" in text
    assert page.address == f"http://127.0.0.1:{page.door.port}/{page.door.token}/"


@pytest.mark.parametrize("path", ["/", "/index.html", "/wrong/", "//", "/%2e%2e/", "/?token={token}"])
def test_a_page_without_the_token_is_refused(page: Page, path: str) -> None:
    status, text = asked(page, path.format(token=page.door.token))
    assert status == 403 and "token" in text and page.door.token not in text


def test_the_socket_wants_the_token_and_its_own_origin(page: Page) -> None:
    own, right = f"http://127.0.0.1:{page.door.port}", f"/{page.door.token}"
    assert socket_status(page, right, own) == 101
    assert socket_status(page, right, f"http://localhost:{page.door.port}") == 101
    assert socket_status(page, right, None) == 101  # a program that knows the token
    for path, origin in (
        (right, "http://evil.example"),
        (right, "null"),  # a page from a file, or in a frame that hides where it is from
        (right, "http://127.0.0.1:1"),
        ("/", own),
        ("/wrong", own),
        (right[:-1], own),
        ("/", None),
    ):
        assert socket_status(page, path, origin) == 403, (path, origin)


def test_a_name_that_points_here_is_refused(page: Page) -> None:
    status, _ = asked(page, f"/{page.door.token}/", Host=f"evil.example:{page.door.port}")
    assert status == 421


def test_the_path_behind_the_door_is_what_follows_the_token() -> None:
    inside = {"host": "127.0.0.1:8080", "origin": None}
    assert DOOR.judge("/secret/?fixedDpr=0.4", **inside) == "/"
    assert DOOR.judge("/secret", **inside) == "/"
    assert DOOR.judge("/secret/index.html", **inside) == "/index.html"
    assert isinstance(DOOR.judge("/secre", **inside), Refusal)
    assert "secret" not in repr(DOOR)


def test_every_start_has_another_token() -> None:
    assert len({Door(port=1).token for _ in range(5)}) == 5


def test_only_this_machine_is_listened_on(page: Page) -> None:
    with pytest.raises(ConnectionRefusedError):  # a server on all addresses would answer here
        socket.create_connection(("127.0.0.2", page.door.port), timeout=20)


def test_a_taken_port_and_one_of_the_system_are_refused_in_a_sentence(page: Page) -> None:
    with pytest.raises(PushpointError, match=rf"port {page.door.port} cannot be used \(.*in use\); --port takes"):
        listen(page.door.port)
    with pytest.raises(PushpointError, match="port 80 is for the system; take one from 1024 to 65535"):
        listen(80)
    for wrong in (-1, 65536, "8080", 8080.5):
        with pytest.raises(PushpointError, match="port"):
            listen(wrong)  # type: ignore[arg-type]


def test_it_is_quiet_and_cannot_be_shared(capfd: pytest.CaptureFixture[str]) -> None:
    page = Page(0)
    try:
        handlers = page.server._websock_server._incoming_handlers
        assert not [kind for kind in handlers if "ShareUrl" in kind.__name__]
    finally:
        page.close()
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")
