"""What the client without asyncio does in another way than the one with it: bytes, waiting and time limits. Its pair
with the same names is `_net_async`; all else is made from the half with asyncio (README.md).
"""

from __future__ import annotations

import inspect
import math
import select
import socket
import ssl
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from .errors import Error, failure
from .lines import Line, State
from .options import Options, connect_failed, connection_lost, place_of, tls_context, tune
from .rows import Columns
from .session import BaseConnection, Call
from .wire import Message

_READ_BYTES = 256 * 1024
_FLUSH_BYTES = 64 * 1024
# Beyond this, sending waits for the daemon to read.
_UNSENT_BYTES_MAX = 1024 * 1024
_T = TypeVar("_T")

Rows = Iterable[Columns]
each = iter


def run(connection: Net, function: Callable[[_T], object], argument: _T, heartbeat: Callable[[], object]) -> None:
    """Calls the function. A loss is not noticed meanwhile, as nothing reads the connection: there is no heartbeat."""
    answer = function(argument)
    if inspect.iscoroutine(answer):
        answer.close()
        raise TypeError("a coroutine function sends nothing here: use fastjournal.aio")


class _Stream:
    """The socket of a line."""

    def __init__(self, made: socket.socket, line: Line) -> None:
        self.socket = made
        self.line = line
        self.unsent = memoryview(b"")
        self.read_wants_write = False

    @property
    def wants_write(self) -> bool:
        return bool(self.unsent) or bool(self.line.output_bytes) or self.read_wants_write

    @property
    def has_unread(self) -> bool:
        return isinstance(self.socket, ssl.SSLSocket) and bool(self.socket.pending())


class Net(BaseConnection):
    """The connections of a client to its daemons."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._streams: dict[int, _Stream] = {}  # by their descriptors
        self._home: _Stream | None = None
        self._poll = select.poll()
        self._retry_at = 0.0
        self._closed = False
        self._open_home()

    def send(self, command: str, params: dict[str, Any]) -> Call:
        """Puts a command in flight, for `receive`. Bytes leave with the next receive, notice or flush, or once 64 KiB
        are there. Without a connection it waits for one.

        Raises Error: over_limit if in_flight_max commands have no answer; unavailable; timed_out if the daemon takes no
        more bytes. Nothing was sent then.
        """
        self._check_process()
        if self._closed:
            raise failure("closed", "the connection is closed")
        session = self._session
        limit = session.options.time_limit
        until = math.inf if limit is None else time.monotonic() + limit
        # With nothing in flight, nobody has noticed yet that a connection ended.
        if not session.in_flight:
            for stream in list(self._streams.values()):
                self._read(stream)
        while not session.takes(command, params) or self._is_full():
            self._step(until)
            if time.monotonic() < until:
                continue
            if not session.takes(command, params):
                raise failure("unavailable", f"{session.last_error.message} (tried again until the time limit)")
            if self._is_full():
                raise failure("timed_out", f"{session.options.server} takes no more bytes")
        call = session.send(command, params)
        call.until = until + call.wait_ms / 1000
        if call.line is not None and call.line.output_bytes >= _FLUSH_BYTES:
            self._write_all()
        return call

    def abandon(self, call: Call) -> None:
        super().abandon(call)
        if not self._is_foreign:
            self._write_all()

    def wait(self, call: Call) -> None:
        """Until the command has its answer or its error. Raises Error: it has none in time."""
        self._check_process()
        while not call.finished:
            self._step(call.until)
            if not call.finished and time.monotonic() >= call.until:
                self._read_rest()
                if not call.finished:
                    raise self._session.timed_out(call)

    def flush(self) -> None:
        """Sends what is not sent yet. Raises TimedOut if the daemon takes no bytes within time_limit."""
        self._check_process()
        limit = self.options.time_limit
        until = math.inf if limit is None else time.monotonic() + limit
        while self._unsent():
            self._step(until)
            if self._unsent() and time.monotonic() >= until:
                raise failure("timed_out", f"{self.options.server} takes no more bytes")

    def wait_push(self, limit: float | None = None) -> Message:
        """The next message that no command asked for. `limit`: seconds; None: none. Raises TimedOut, Disconnected."""
        self._check_process()
        if self._closed:
            raise failure("closed", "the connection is closed")
        until = math.inf if limit is None else time.monotonic() + limit
        pushes = self._session.pushes
        while not pushes:
            self._step(until)
            if not pushes and time.monotonic() >= until:
                raise failure("timed_out", "nothing was pushed within the time limit")
        return pushes.popleft()

    def close(self) -> None:
        """Ends the connection. Rows leased to it are returned after the table's grace. In a child of fork() it only
        closes the child's descriptors."""
        self._closed = True
        self._session.close(failure("closed", "the connection was closed by its owner"))
        self._drop_all()

    # --- inside ---

    def _open_home(self) -> None:
        """Of Connection: one attempt for each server."""
        raise NotImplementedError

    def _open(self, line: Line, until: float = math.inf) -> None:
        """One attempt. Raises Error."""
        latest = time.monotonic() + self._session.connect_limit(line.address)
        try:
            self._attempt(line, min(until, latest))
        except Error:
            if time.monotonic() >= latest:
                self._session.doubt_node(line.address)
            raise

    def _attempt(self, line: Line, until: float) -> None:
        options, place = self.options, place_of(line.address)
        left = max(until - time.monotonic(), 0.001)
        made: socket.socket | None = None
        try:
            if place.path:
                made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                made.settimeout(left)
                made.connect(place.path)
            else:
                made = socket.create_connection((place.host, place.port), left)
                tune(made)
            if place.tls:
                made.settimeout(max(until - time.monotonic(), 0.001))
                made = tls_context(options).wrap_socket(made, server_hostname=place.host)
            made.setblocking(False)
        except BaseException as why:
            if made is not None:
                made.close()
            if not isinstance(why, (OSError, UnicodeError, Error)):
                raise
            raise connect_failed(line.address, why) from None
        session, stream = self._session, _Stream(made, line)
        self._streams[made.fileno()] = stream
        self._poll.register(made.fileno(), select.POLLIN)
        if line is session.home:
            self._home = stream
        session.opened(line)
        while line.state is State.LOGIN:
            self._write(stream)
            if self._is_open(stream):
                self._log_in(stream, until)
        if line.state is not State.READY:
            error = self._login_error
            raise error if error.code != "closed" else failure("unavailable", error.message)

    _login_error = failure("unavailable", "")

    def _log_in(self, stream: _Stream, until: float) -> None:
        """One wait for the answer to the token."""
        left = until - time.monotonic()
        if left <= 0:
            self._end_login(stream, failure("unavailable", f"no answer to the token from {stream.line.address}"))
        elif not stream.has_unread:
            one = select.poll()
            one.register(stream.socket.fileno(), select.POLLIN | (select.POLLOUT if stream.wants_write else 0))
            one.poll(math.ceil(left * 1000))
        if self._is_open(stream):
            self._read(stream)

    def _end_login(self, stream: _Stream, why: Error) -> None:
        self._login_error = why
        self._drop(stream)
        self._session.not_opened(stream.line)

    def _reconnect(self, until: float) -> None:
        """One attempt to reach home. Raises Error: no other will follow by itself."""
        session = self._session
        try:
            self._open(session.home, until)
        except Error as error:
            self._retry_at = time.monotonic() + session.attempt_failed(error)
            if session.for_good:
                session.for_good = False
                raise session.last_error from None
            return
        if self.options.on_connection:
            self.options.on_connection(None)

    def _dial(self, until: float) -> None:
        """Connects to the nodes that are wanted."""
        session = self._session
        for address in list(session.wanted):
            begun = time.monotonic()
            if begun >= until:
                return
            line, limit = Line(address, self.options.message_bytes_max), session.connect_limit(address)
            try:
                place_of(address)
                self._open(line, until)
            except Error as error:
                took = time.monotonic() - begun
                # Cut short by the caller's limit, it was no attempt.
                if took >= limit or time.monotonic() < until:
                    session.unreachable(address, error, took)
                continue
            if self.options.on_connection:
                self.options.on_connection(None)

    def _is_open(self, stream: _Stream) -> bool:
        return self._streams.get(stream.socket.fileno()) is stream

    def _unsent(self) -> int:
        return sum(len(one.unsent) + one.line.output_bytes for one in self._streams.values())

    def _is_full(self) -> bool:
        return self._unsent() > _UNSENT_BYTES_MAX

    def _step(self, until: float) -> None:
        """One wait and its consequences. Raises Error: there is no connection, and there will be none."""
        session = self._session
        if self._home is None and session.for_good:
            # Once: the next call tries anew, for example with another token in its file.
            error, session.for_good = session.last_error, not self.options.pauses
            raise error
        session.send_waiting()
        if session.wanted:
            self._dial(until)
            session.send_waiting()
        self._write_all()
        quiet_until = self._give_up_silent()
        has_home = self._home is not None
        self._wait(min(until, session.look_at, quiet_until, math.inf if has_home else self._retry_at))
        if not has_home and self._home is None and not session.for_good and time.monotonic() >= self._retry_at:
            self._reconnect(until)

    def _give_up_silent(self) -> float:
        """Returns when to look again."""
        session, is_heard = self._session, False
        for stream in list(self._streams.values()):
            if not session.is_quiet(stream.line):
                continue
            # Between calls nobody has read what arrived.
            if self._read(stream):
                is_heard = True
            elif self._is_open(stream) and (why := session.silence(stream.line)):
                self._lose(stream, why)
        if is_heard:
            return -math.inf
        return min((session.quiet_until(one.line) for one in self._streams.values()), default=math.inf)

    def _wait(self, until: float) -> None:
        is_unread = False
        for fd, stream in self._streams.items():
            is_unread = is_unread or stream.has_unread
            self._poll.modify(fd, select.POLLIN | (select.POLLOUT if stream.wants_write else 0))
        left = 0.0 if is_unread else until - time.monotonic()
        events = dict(self._poll.poll(None if left == math.inf else math.ceil(max(left, 0) * 1000)))
        for fd, stream in list(self._streams.items()):
            seen = events.get(fd, 0)
            if seen & select.POLLOUT:
                self._write(stream)
            is_readable = seen & ~select.POLLOUT or stream.has_unread or (seen and stream.read_wants_write)
            if is_readable and self._is_open(stream):
                self._read(stream)

    def _write_all(self) -> None:
        for stream in list(self._streams.values()):
            self._write(stream)

    def _write(self, stream: _Stream) -> None:
        while self._is_open(stream):
            if not stream.unsent:
                stream.unsent = memoryview(self._session.output(stream.line))
                if not stream.unsent:
                    return
            try:
                stream.unsent = stream.unsent[stream.socket.send(stream.unsent) :]
            except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                return
            except OSError as why:
                # Answers that arrived before the end are read.
                while self._is_open(stream) and self._read(stream):
                    continue
                if self._is_open(stream):
                    self._lose(stream, why)

    def _read(self, stream: _Stream) -> bool:
        """False: nothing was received."""
        stream.read_wants_write = False
        try:
            data = stream.socket.recv(_READ_BYTES)
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        except ssl.SSLWantWriteError:
            stream.read_wants_write = True
            return False
        except OSError as why:
            self._lose(stream, why)
            return False
        if not data:
            self._lose(stream, None)
            return False
        try:
            self._session.receive(data, stream.line)
        except Error as why:
            self._lose(stream, why)
            return False
        return True

    def _read_rest(self) -> None:
        """What arrived in time, but is not read yet, still counts."""
        for stream in list(self._streams.values()):
            while self._is_open(stream) and self._read(stream):
                continue

    def _drop(self, stream: _Stream) -> None:
        self._poll.unregister(stream.socket.fileno())
        del self._streams[stream.socket.fileno()]
        stream.socket.close()
        if stream is self._home:
            self._home = None

    def _drop_all(self) -> None:
        for stream in list(self._streams.values()):
            self._drop(stream)

    def _lose(self, stream: _Stream, why: BaseException | None) -> None:
        session, line = self._session, stream.line
        if line.state is State.LOGIN:
            return self._end_login(stream, why if isinstance(why, Error) else connection_lost(line.address, why))
        was_home = stream is self._home
        self._drop(stream)
        error = connection_lost(line.address, why)
        session.lost(error, line)
        if not self.options.pauses:
            self._drop_all()
        elif was_home:
            self._retry_at = time.monotonic() + session.next_pause()
        if self.options.on_connection:
            self.options.on_connection(error)
            if not was_home and self._home is not None:
                self.options.on_connection(None)
        return None
