"""How lines travel: over standard input and output, or as datagrams (UDP)."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import queue
import socket
import threading
import time
from collections.abc import Iterator
from typing import BinaryIO, Protocol, runtime_checkable

from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.interchange.streaming.lines import MOST_BYTES
from pushpoint.model.arguments import checked_arguments

MOST_WAITING = 10_000
"""Lines that wait to be read; older ones are dropped [-]."""


class Gone(PushpointError):
    """The other side does not listen any more."""


@runtime_checkable
class Connection(Protocol):
    """A way for lines, with the clock that its waiting keeps."""

    def now(self) -> float:
        """The time of a clock that never jumps [s]."""

    def send(self, line: str) -> None:
        """Sends a line; raises Gone if nobody will ever read it."""

    def receive(self, until: float) -> list[bytes]:
        """The lines that have come; waits for the first one until a time of the clock [s], without being busy."""


class Pipes:
    """Lines on standard input and output, or on other files."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._target = _number_of("target", target)
        self._interrupted = False
        self._lines: queue.Queue[bytes] = queue.Queue(MOST_WAITING)
        # Waiting for a pipe with a time limit works on all systems only from a thread.
        threading.Thread(target=self._read, args=(_number_of("source", source),), daemon=True).start()

    def _read(self, source: int) -> None:
        """Puts lines aside as they come; what is too long to be one is passed on cut, and refused as malformed."""
        rest = b""
        with contextlib.suppress(OSError):
            while data := os.read(source, 65536):
                *whole, rest = (rest + data).split(b"\n")
                if len(rest) > MOST_BYTES:
                    whole, rest = [*whole, rest[: MOST_BYTES + 1]], b""
                for line in filter(None, (each.strip() for each in whole)):
                    self._keep(line)

    def _keep(self, line: bytes) -> None:
        while True:
            try:
                self._lines.put_nowait(line)
                return
            except queue.Full:
                with contextlib.suppress(queue.Empty):
                    self._lines.get_nowait()

    def now(self) -> float:
        """The time of a clock that never jumps [s]."""
        return time.monotonic()

    def send(self, line: str) -> None:
        """Writes a line at once."""
        data = line.encode() + b"\n"
        if self._interrupted:  # the line before may be cut
            data = b"\n" + data
        try:
            with _not_waiting(self._target) if self._interrupted else contextlib.nullcontext():
                while data:
                    data = data[os.write(self._target, data) :]
        except OSError as error:
            raise Gone(f"nobody reads the lines any more ({error.strerror})") from None
        except BaseException:  # a signal, perhaps since nobody reads: the lines after it must not wait as well
            self._interrupted = True
            raise

    def receive(self, until: float) -> list[bytes]:
        """The lines that have come."""
        found = []
        with contextlib.suppress(queue.Empty):
            found.append(self._lines.get(timeout=max(0.0, until - self.now())) if until > self.now() else self._next())
            while True:
                found.append(self._next())
        return found

    def _next(self) -> bytes:
        return self._lines.get_nowait()


@contextlib.contextmanager
def _not_waiting(number: int) -> Iterator[None]:
    """Makes writing to a file fail where it would have to wait, for a while."""
    if not hasattr(os, "set_blocking"):  # Windows, with older Pythons
        yield
        return
    before = os.get_blocking(number)
    os.set_blocking(number, False)
    try:
        yield
    finally:
        os.set_blocking(number, before)


def _number_of(name: str, file: BinaryIO) -> int:
    """The descriptor of an open file."""
    try:
        return file.fileno()
    except (AttributeError, OSError, TypeError, ValueError):
        raise InvalidModel(name, file, "an open file of the system, such as sys.stdin.buffer") from None


class Datagrams:
    """Lines as datagrams. The one who commands sends to an address; the robot listens there and answers."""

    @checked_arguments
    def __init__(self, address: str, *, listen: bool, beyond_loopback: bool = False) -> None:
        """`address`: HOST:PORT; only this machine unless `beyond_loopback`."""
        family, place = _resolved(address, beyond_loopback)
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._peer: tuple[object, ...] | None = None
        try:
            if listen:
                self._socket.bind(place)
            else:
                self._socket.connect(place)
        except OSError as error:
            self._socket.close()
            raise InvalidModel("--udp", address, f"an address that can be used ({error.strerror})") from None
        self._listens = listen

    def now(self) -> float:
        """The time of a clock that never jumps [s]."""
        return time.monotonic()

    @property
    def port(self) -> int:
        """The port of this side."""
        return int(self._socket.getsockname()[1])

    def send(self, line: str) -> None:
        """Sends a line; a robot that nobody has spoken to yet sends nothing."""
        with contextlib.suppress(OSError):  # the other side is not there yet, or not any more: silence tells
            if not self._listens:
                self._socket.send(line.encode())
            elif self._peer is not None:
                self._socket.sendto(line.encode(), self._peer)

    def receive(self, until: float) -> list[bytes]:
        """The lines that have come."""
        found = []
        first = self._next(max(0.0, until - self.now()))
        while first is not None:
            found.append(first)
            first = self._next(0.0)
        return found

    def _next(self, wait: float) -> bytes | None:
        """The next datagram within a time [s]; an answer that nobody is there counts as none."""
        end = self.now() + wait
        while True:
            self._socket.settimeout(max(0.0, end - self.now()))
            try:
                data, sender = self._socket.recvfrom(65536)
            except (TimeoutError, BlockingIOError):
                return None
            except OSError:
                if wait:
                    time.sleep(min(0.01, max(0.0, end - self.now())))
                if self.now() >= end:
                    return None
                continue
            self._peer = sender
            return data.strip()

    def close(self) -> None:
        """Frees the address."""
        self._socket.close()


def _resolved(address: str, beyond_loopback: bool) -> tuple[int, tuple[object, ...]]:
    """Family and address of HOST:PORT."""
    host, colon, port = address.rpartition(":")
    host = host.strip("[]")
    if not (colon and host and port.isdecimal() and int(port) < 65536):
        raise InvalidModel("--udp", address, "HOST:PORT, such as 127.0.0.1:47000")
    try:
        family, *_, place = socket.getaddrinfo(host, int(port), type=socket.SOCK_DGRAM)[0]
    except (OSError, UnicodeError):
        raise InvalidModel("--udp", address, "the address of a machine that is known") from None
    if not beyond_loopback and not ipaddress.ip_address(str(place[0])).is_loopback:
        allowed = "on this machine, such as 127.0.0.1:47000, unless --beyond-loopback is given: lines are not protected"
        raise InvalidModel("--udp", address, allowed)
    return int(family), tuple(place)


@contextlib.contextmanager
def datagrams(address: str, *, listen: bool, beyond_loopback: bool = False) -> Iterator[Datagrams]:
    """Datagrams to or at an address, for a while."""
    found = Datagrams(address, listen=listen, beyond_loopback=beyond_loopback)
    try:
        yield found
    finally:
        found.close()
