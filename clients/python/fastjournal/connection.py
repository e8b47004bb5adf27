"""A connection for programs without asyncio. The same with asyncio: fastjournal.aio."""

from __future__ import annotations

import math
import select
import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any

from .documents import Documents
from .errors import Error, failure
from .journal import Journal
from .notices import Notice, notice_of
from .options import DEFAULT_SERVER, Options, connect_failed, connection_lost, place_of, tls_context
from .queues import Queues
from .session import BaseConnection, Call, Reply, State
from .wire import Message

_READ_BYTES = 256 * 1024
_FLUSH_BYTES = 64 * 1024
# Beyond this, sending waits for the daemon to read.
_UNSENT_BYTES_MAX = 1024 * 1024


def connect(
    server: str = DEFAULT_SERVER, *, token: str = "", ca: str = "", certificate: str = "", key: str = "", **options: Any
) -> Connection:
    """Connects, with one attempt. `options`: the other fields of `fastjournal.Options`.

    Raises Error: unavailable with the address and the reason, not_allowed (the token or certificate is refused),
    bad_parameter (no address, or files that cannot be read).
    """
    return Connection(Options(server=server, token=token, ca=ca, certificate=certificate, key=key, **options))


class Connection(BaseConnection):
    """A connection to a daemon. It belongs to one thread at a time, and nothing happens between calls.

    After a loss it reconnects within the next call, and sends again what may be sent twice: commands that only read,
    NEXT, TOUCH, DONE, ACQUIRE, ACCEPT, FOUND, SENDING, SENT, and INSERT and SEND with `client` and `sequence`, for
    example (session.RULES has them all). All others raise Disconnected (closed).
    """

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._place = place_of(options.server)
        self._socket: socket.socket | None = None
        self._poll = select.poll()
        self._unsent = memoryview(b"")
        self._read_wants_write = False
        self._retry_at = 0.0
        self._closed = False
        self._open(math.inf)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def journal(self, table: str) -> Journal:
        """The commands of a journal table."""
        return Journal(self, table)

    def queues(self, table: str) -> Queues:
        """The commands of a queue table."""
        return Queues(self, table)

    def documents(self, table: str) -> Documents:
        """The commands of a pipeline table."""
        return Documents(self, table)

    def call(self, command: str, /, **params: Any) -> Reply:
        """Sends a command of doc/protocol.md and waits for its answer. Values: str, bytes, int, float, bool; dates and
        durations in milliseconds.

        Raises Error: the daemon's refusal with its code; TimedOut (timed_out): no answer within time_limit, and rows
        and messages that a late answer leases are released; Disconnected (closed, unavailable).
        """
        return self.request(command, params)

    def transaction(self, commands: Iterable[tuple[str, dict[str, Any]]]) -> list[Message]:
        """Carries out all of these commands, each a name and its parameters, or none (doc/transactions.md). Returns
        their answers, in their order.

        Raises as `call` does: a refusal has the number of its command, from 1, as `facts["op"]`. After Disconnected
        (closed) all was done, or nothing; it is not sent again.
        """
        return self.call("TRANSACTION", commands=self._session.frames(commands)).messages[1:]

    def request(self, command: str, params: dict[str, Any]) -> Reply:
        """As `call`, with the parameters in a dictionary, which is the connection's from then on."""
        return self.receive(self.send(command, params))

    def send(self, command: str, params: dict[str, Any]) -> Call:
        """Puts a command in flight, for `receive`. Bytes leave with the next receive, notice or flush, or once 64 KiB
        are there. Without a connection it waits for one.

        Raises Error: over_limit if in_flight_max commands have no answer; unavailable; timed_out if the daemon takes no
        more bytes. Nothing was sent then.
        """
        if self._closed:
            raise failure("closed", "the connection is closed")
        session = self._session
        limit = session.options.time_limit
        until = math.inf if limit is None else time.monotonic() + limit
        # With nothing in flight, nobody has noticed yet that the connection ended.
        if not session.in_flight and self._socket is not None:
            self._read()
        while session.state is not State.READY or self._is_full():
            self._step(until)
            if time.monotonic() < until:
                continue
            if session.state is not State.READY:
                raise failure("unavailable", f"{session.last_error.message} (tried again until the time limit)")
            if self._is_full():
                raise failure("timed_out", f"{session.options.server} takes no more bytes")
        call = session.send(command, params)
        call.until = until + call.wait_ms / 1000
        if session.output_bytes >= _FLUSH_BYTES:
            self._write()
        return call

    def receive(self, call: Call) -> Reply:
        """The answer to a command that was sent. Raises as `call` does."""
        try:
            self.wait(call)
        except BaseException:
            self.abandon(call)
            raise
        if call.error is not None:
            raise call.error
        return Reply(call.messages, call.resent)

    def wait(self, call: Call) -> None:
        """Until the command has its answer or its error. Raises Error: it has none in time."""
        while not call.finished:
            self._step(call.until)
            if not call.finished and time.monotonic() >= call.until:
                self._read_rest()
                if not call.finished:
                    raise self._session.timed_out(call)

    def flush(self) -> None:
        """Sends what is not sent yet. Raises TimedOut if the daemon takes no bytes within time_limit."""
        limit = self.options.time_limit
        until = math.inf if limit is None else time.monotonic() + limit
        while self._unsent or self._session.output_bytes:
            self._step(until)
            if (self._unsent or self._session.output_bytes) and time.monotonic() >= until:
                raise failure("timed_out", f"{self.options.server} takes no more bytes")

    def listen(self, table: str, **params: Any) -> None:
        """LISTEN, and again after every reconnect. A subscription refused then raises from `wait_push`."""
        params["table"] = table
        self.request("LISTEN", dict(params))
        self._session.keep("LISTEN", params)

    def unlisten(self, table: str, **params: Any) -> None:
        """UNLISTEN."""
        params["table"] = table
        self._session.forget("LISTEN", params)
        self.request("UNLISTEN", params)

    def watch(self, **params: Any) -> None:
        """WATCH, and again after every reconnect; its rounds come from `wait_push`."""
        self.request("WATCH", dict(params))
        self._session.keep("WATCH", params)

    def wait_push(self, limit: float | None = None) -> Message:
        """The next message that no command asked for. `limit`: seconds; None: none. Raises TimedOut, Disconnected."""
        if self._closed:
            raise failure("closed", "the connection is closed")
        until = math.inf if limit is None else time.monotonic() + limit
        pushes = self._session.pushes
        while not pushes:
            self._step(until)
            if not pushes and time.monotonic() >= until:
                raise failure("timed_out", "nothing was pushed within the time limit")
        return pushes.popleft()

    def notices(self, limit: float | None = None) -> Iterator[Notice]:
        """Notices of every table that this connection listens to, as they come. It ends when none came for `limit`
        seconds; None: never. Raises Error if a subscription was refused after a reconnect."""
        while True:
            try:
                push = self.wait_push(limit)
            except TimeoutError:
                return
            yield notice_of(push)

    def close(self) -> None:
        """Ends the connection. Rows leased to it are returned after the table's grace."""
        self._closed = True
        self._session.close(failure("closed", "the connection was closed by its owner"))
        self._drop()

    # --- inside ---

    def _open(self, until: float) -> None:
        """One attempt. Raises Error."""
        options = self.options
        until = min(until, time.monotonic() + options.connect_limit)
        left = max(until - time.monotonic(), 0.001)
        made: socket.socket | None = None
        try:
            if self._place.path:
                made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                made.settimeout(left)
                made.connect(self._place.path)
            else:
                made = socket.create_connection((self._place.host, self._place.port), left)
                tune(made)
            if self._place.tls:
                made.settimeout(max(until - time.monotonic(), 0.001))
                made = tls_context(options).wrap_socket(made, server_hostname=self._place.host)
            made.setblocking(False)
        except BaseException as why:
            if made is not None:
                made.close()
            if not isinstance(why, (OSError, UnicodeError, Error)):
                raise
            raise connect_failed(options.server, why) from None
        self._socket = made
        self._poll = select.poll()
        self._poll.register(made.fileno(), select.POLLIN)
        session = self._session
        session.opened()
        while session.state is State.LOGIN:
            try:
                self._step(until)
            except Error:
                break
            if session.state is State.LOGIN and time.monotonic() >= until:
                self._drop()
                session.lost(failure("unavailable", f"no answer to the token from {options.server}"))
        if session.state is not State.READY:
            error = session.last_error
            raise error if error.code != "closed" else failure("unavailable", error.message)

    def _reconnect(self, until: float) -> None:
        session = self._session
        if session.for_good:
            # Once: the next call tries anew, for example with another token in its file.
            error, session.for_good = session.last_error, not self.options.pauses
            raise error
        if pause := min(self._retry_at, until) - time.monotonic():
            time.sleep(max(pause, 0))
        if time.monotonic() < self._retry_at:
            return
        try:
            self._open(until)
        except Error as error:
            self._retry_at = time.monotonic() + session.next_pause()
            session.lost(error)
            if session.for_good:
                session.for_good = False
                raise
            return
        if self.options.on_connection:
            self.options.on_connection(None)

    def _is_full(self) -> bool:
        return len(self._unsent) + self._session.output_bytes > _UNSENT_BYTES_MAX

    def _step(self, until: float) -> None:
        """One wait and its consequences. Raises Error: there is no connection, and there will be none."""
        if self._socket is None:
            self._reconnect(until)
            return
        self._write()
        if self._socket is None:
            return
        if not (isinstance(self._socket, ssl.SSLSocket) and self._socket.pending()):
            writes = bool(self._unsent) or self._session.output_bytes or self._read_wants_write
            self._poll.modify(self._socket.fileno(), select.POLLIN | (select.POLLOUT if writes else 0))
            left = until - time.monotonic()
            events = self._poll.poll(None if left == math.inf else math.ceil(max(left, 0) * 1000))
            if not events:
                return
            if events[0][1] & select.POLLOUT:
                self._write()
                if not events[0][1] & ~select.POLLOUT and not self._read_wants_write:
                    return
        if self._socket is not None:
            self._read()

    def _write(self) -> None:
        while self._socket is not None:
            if not self._unsent:
                self._unsent = memoryview(self._session.output())
                if not self._unsent:
                    return
            try:
                self._unsent = self._unsent[self._socket.send(self._unsent) :]
            except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                return
            except OSError as why:
                # Answers that arrived before the end are read.
                while self._socket is not None and self._read():
                    continue
                if self._socket is not None:
                    self._lose(why)

    def _read(self) -> bool:
        """False: nothing was received."""
        assert self._socket is not None
        self._read_wants_write = False
        try:
            data = self._socket.recv(_READ_BYTES)
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        except ssl.SSLWantWriteError:
            self._read_wants_write = True
            return False
        except OSError as why:
            self._lose(why)
            return False
        if not data:
            self._lose(None)
            return False
        try:
            self._session.receive(data)
        except Error as why:
            if self._session.state is State.LOGIN:
                self._drop()
                self._session.lost(why)
            else:
                self._lose(why)
            return False
        return True

    def _read_rest(self) -> None:
        """What arrived in time, but is not read yet, still counts."""
        while self._socket is not None and self._read():
            continue

    def _drop(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._unsent = memoryview(b"")

    def _lose(self, why: BaseException | None) -> None:
        self._drop()
        error = connection_lost(self.options.server, why)
        was_ready = self._session.state is State.READY
        self._session.lost(error)
        if self.options.pauses:
            self._retry_at = time.monotonic() + self._session.next_pause()
        if was_ready and self.options.on_connection:
            self.options.on_connection(error)


def tune(made: socket.socket) -> None:
    """For small messages and long silence."""
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # A listener may be idle for hours: without keep-alive it never notices a vanished daemon.
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_KEEPIDLE"):
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30)
