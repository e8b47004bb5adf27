"""Connections to single addresses, as a session sees them, and which of them the commands of a table take. Without I/O
and clocks. The rules are those of the C++ library (clients/cpp/routes.h).
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from .wire import Decoder, whole


class State(enum.Enum):
    CLOSED = 1
    LOGIN = 2  # AUTH was sent, and nothing else
    READY = 3


class Line:
    """One connection to one address."""

    def __init__(self, address: str, message_bytes_max: int) -> None:
        self.address = address
        self.state = State.CLOSED
        self.output_bytes = 0
        self.quiet_since = 0.0  # its last bytes, or the first that were sent to it afterwards
        self.is_asked = False  # something was sent since it said something
        self._message_bytes_max = message_bytes_max
        self._output: list[bytes] = []
        self.decoder = Decoder(message_bytes_max)

    def opened(self, state: State) -> None:
        self.decoder = Decoder(self._message_bytes_max)
        self.drop_output()
        self.state = state

    def closed(self) -> None:
        self.drop_output()
        self.state = State.CLOSED

    def add(self, frame: bytes) -> None:
        self._output.append(frame)
        self.output_bytes += len(frame)

    def output(self) -> bytes:
        """What is to be sent, joined; it is then no longer here."""
        if not self._output:
            return b""
        out = b"".join(self._output)
        self.drop_output()
        return out

    def drop_output(self) -> None:
        self._output.clear()
        self.output_bytes = 0


class Moved(NamedTuple):
    """What a daemon says of a table for which another one decides."""

    address: str  # empty: it does not know
    token: int | None

    @staticmethod
    def of(params: dict[str, Any], told_by: str) -> Moved:
        address = str(params.get("address", ""))
        if address and told_by.startswith("tls:") and not address.startswith(("tls:", "unix:", "/")):
            address = "tls:" + address
        # A daemon tells facts as text.
        return Moved(address, whole(params, "token") if "token" in params else None)


class Route:
    """Where the commands of a table go."""

    def __init__(self, home: Line) -> None:
        self.address = ""  # empty: home
        self.token = 0
        self.line: Line | None = home  # None: there is no connection yet
        self.is_shared = False  # nodes decide for it in turn
        # Some of its commands wait, or are in flight elsewhere: later ones must not overtake them.
        self.unsettled = False
        self.blocked = False  # while the session goes through what waits

    def follow(self, moved: Moved, told_by: Line, home: Line) -> bool:
        """False: ask again after a pause only, as this brings nothing new. An older token is not followed."""
        self.is_shared = self.unsettled = True
        if not moved.address:
            # Home has what the nodes know, sooner or later.
            if self.line is told_by:
                self.go_home(home)
            return False
        token = self.token if moved.token is None else moved.token
        if token < self.token:
            return self.line is not told_by
        # Of two that point at each other, both say the same token.
        is_first = not self.address and told_by is home
        is_new = token > self.token or is_first or moved.address == self.address
        if moved.address != self.address:
            self.address = moved.address
            self.line = None
        self.token = token
        return is_new and self.line is not told_by and moved.address != told_by.address

    def go_home(self, home: Line) -> None:
        self.address = ""
        self.line = home
