"""What the client with asyncio does in another way than the one without: bytes, waiting and time limits. Its pair with
the same names is `_net_blocking`; all else is written once, and the half without asyncio is made from it (README.md).
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator
from typing import Any, TypeVar

from .errors import Error, failure
from .lines import Line, State
from .options import Options, connect_failed, connection_lost, place_of, tls_context, tune
from .rows import Columns
from .session import BaseConnection, Call
from .wire import Message

_FLUSH_BYTES = 64 * 1024
# Before a heartbeat is said again that was refused for now, or for want of a connection.
_PAUSE_S = 0.5
_OUTAGES = frozenset({"unavailable", "timed_out", "closed", "over_limit", "no_space", "moved"})
_T = TypeVar("_T")

Rows = Iterable[Columns] | AsyncIterable[Columns]


class _Each:
    """The rows of an iterable, one by one."""

    def __init__(self, rows: Iterable[Columns]) -> None:
        self._rows: Iterator[Columns] = iter(rows)

    def __aiter__(self) -> _Each:
        return self

    async def __anext__(self) -> Columns:
        for row in self._rows:
            return row
        raise StopAsyncIteration


def each(rows: Rows) -> AsyncIterable[Columns]:
    return rows if isinstance(rows, AsyncIterable) else _Each(rows)


async def run(
    connection: Net, function: Callable[[_T], object], argument: _T, heartbeat: Callable[[], Awaitable[object]]
) -> None:
    """Calls the function, which may be a coroutine function, for a document. After a loss its lease ends with the
    grace: the heartbeat, which also makes the new connection, moves it there. There are no regular heartbeats: they
    would move the deadline of a function that hangs."""
    lost, tasks = asyncio.Event(), list[asyncio.Task[None]]()

    def tell() -> None:
        lost.set()
        if not tasks:
            tasks.append(asyncio.get_running_loop().create_task(_keep(connection, heartbeat, lost)))

    connection._on_lost.add(tell)
    try:
        answer = function(argument)
        if inspect.isawaitable(answer):
            await answer
    finally:
        connection._on_lost.discard(tell)
        for task in tasks:
            task.cancel()


async def _keep(connection: Net, heartbeat: Callable[[], Awaitable[object]], lost: asyncio.Event) -> None:
    while await lost.wait() and connection.options.pauses:
        lost.clear()
        try:
            await heartbeat()
        except Error as why:
            if why.code in _OUTAGES:
                lost.set()
                await asyncio.sleep(_PAUSE_S)


class _Wire(asyncio.Protocol):
    """The connection of asyncio that a line has; what it says goes to its owner as long as it is the line's newest."""

    def __init__(self, owner: Net, line: Line) -> None:
        self._owner = owner
        self.line = line
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._owner._received(self, data)

    def connection_lost(self, why: Exception | None) -> None:
        self._owner._lost(self, why)

    def pause_writing(self) -> None:
        self._owner._full.add(self)
        self._owner._writable.clear()

    def resume_writing(self) -> None:
        self._owner._has_room(self)


class Net(BaseConnection):
    """The connections of a client to its daemons."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._wires: dict[Line, _Wire] = {}
        self._full: set[_Wire] = set()
        self._dialing: dict[str, asyncio.Task[None]] = {}  # by the addresses of nodes
        self._look: asyncio.TimerHandle | None = None
        self._look_for_silence: asyncio.TimerHandle | None = None
        self._login_error = failure("unavailable", "")
        self._ready = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._changed = asyncio.Event()  # of a login: the daemon answered, or the connection ended
        self._pushed = asyncio.Event()
        self._listeners = 0  # tasks in wait_push
        self._on_lost: set[Callable[[], None]] = set()
        self._restoring: asyncio.Task[None] | None = None
        self._flush_planned = False
        self._closed = False

    async def send(self, command: str, params: dict[str, Any]) -> Call:
        """Puts a command in flight, for `receive`. Bytes leave at the end of this turn of the loop, or once 64 KiB are
        there. Without a connection it waits for one.

        Raises Error: over_limit if in_flight_max commands have no answer; unavailable; timed_out if the daemon takes no
        more bytes. Nothing was sent then.
        """
        self._check_process()
        if not self._session.takes(command, params) or not self._writable.is_set():
            await self._until_writable(command, params)
        return self._send(command, params)

    def abandon(self, call: Call) -> None:
        super().abandon(call)
        # Without a loop where a coroutine is dropped after its end.
        with contextlib.suppress(RuntimeError):
            asyncio.get_running_loop()
            if not self._closed and not self._is_foreign:
                self._plan_flush()

    async def wait(self, call: Call) -> None:
        """Until the command has its answer or its error. Raises Error: it has none in time."""
        self._check_process()
        if call.finished:
            return
        loop = asyncio.get_running_loop()
        finished = loop.create_future()
        call.on_finish = lambda: None if finished.done() else finished.set_result(None)
        timer = None
        if call.until != float("inf"):
            timer = loop.call_at(call.until, call.on_finish)
        try:
            await finished
        finally:
            call.on_finish = None
            if timer is not None:
                timer.cancel()
        if not call.finished:
            raise self._session.timed_out(call)

    async def wait_push(self, limit: float | None = None) -> Message:
        """The next message that no command asked for. `limit`: seconds; None: none. Raises TimedOut, Disconnected."""
        self._check_process()
        pushes = self._session.pushes
        self._listeners += 1
        try:
            async with asyncio.timeout(limit):
                while not pushes:
                    if self._closed or self._session.for_good:
                        raise self._session.last_error
                    self._pushed.clear()
                    if self._session.state is not State.READY:
                        self._restore()
                    await self._pushed.wait()
        except TimeoutError as why:
            if isinstance(why, Error):
                raise
            raise failure("timed_out", "nothing was pushed within the time limit") from None
        finally:
            self._listeners -= 1
        return pushes.popleft()

    async def close(self) -> None:
        """Ends the connection. Rows leased to it are returned after the table's grace. In a child of fork() it does
        nothing."""
        self._closed = True
        if self._is_foreign:
            # The transports would end the parent's TLS session, and take its sockets out of the epoll that both have.
            return
        tasks = [*self._dialing.values(), *([self._restoring] if self._restoring else [])]
        self._restoring = None
        for task in tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Error):
                await task
        for look in (self._look, self._look_for_silence):
            if look is not None:
                look.cancel()
        error = failure("closed", "the connection was closed by its owner")
        self._session.last_error = error
        self._session.close(error)
        for wire in list(self._wires.values()):
            self._drop(wire)
        self._pushed.set()

    # --- inside ---

    async def _open(self, line: Line) -> None:
        """One attempt. Raises Error."""
        options, place, session = self.options, place_of(line.address), self._session
        loop = asyncio.get_running_loop()
        wire = _Wire(self, line)
        limit = asyncio.timeout(session.connect_limit(line.address))
        try:
            async with limit:
                context = tls_context(options) if place.tls else None
                name = place.host if place.tls else None
                if place.path:
                    await loop.create_unix_connection(lambda: wire, place.path, ssl=context, server_hostname=name)
                else:
                    await loop.create_connection(
                        lambda: wire, place.host, place.port, ssl=context, server_hostname=name
                    )
                    assert wire.transport is not None
                    tune(wire.transport.get_extra_info("socket"))
                self._wires[line] = wire
                session.opened(line)
                self._flush()
                while line.state is State.LOGIN:
                    self._changed.clear()
                    await self._changed.wait()
        except (OSError, UnicodeError, Error) as why:
            self._drop(wire)
            if wire.transport is not None:
                wire.transport.abort()
            session.not_opened(line)
            if limit.expired():
                session.doubt_node(line.address)
            raise connect_failed(line.address, why) from None
        except BaseException:
            self._drop(wire)
            session.not_opened(line)
            raise
        if line.state is not State.READY:
            error = self._login_error
            raise error if error.code != "closed" else failure("unavailable", error.message)
        if line is session.home:
            self._ready.set()
        self._serve()

    async def _dial(self, address: str) -> None:
        """Connects to a node that is wanted."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            await self._open(Line(address, self.options.message_bytes_max))
            if self.options.on_connection:
                self.options.on_connection(None)
        except Error as error:
            self._session.unreachable(address, error, loop.time() - begun)
        finally:
            self._dialing.pop(address, None)
            self._serve()

    def _serve(self) -> None:
        """Sends what waits, now and when its time has come."""
        session = self._session
        if self._closed:
            return
        session.send_waiting()
        loop = asyncio.get_running_loop()
        for address in session.wanted - self._dialing.keys():
            self._dialing[address] = loop.create_task(self._dial(address))
        if self._look is not None:
            self._look.cancel()
            self._look = None
        if session.look_at != float("inf"):
            self._look = loop.call_at(session.look_at, self._serve)
        if self._look_for_silence is None:
            self._plan_look_for_silence()
        self._plan_flush()

    def _plan_look_for_silence(self) -> None:
        self._look_for_silence = None
        due = min((self._session.quiet_until(line) for line in self._wires), default=float("inf"))
        if due != float("inf"):
            self._look_for_silence = asyncio.get_running_loop().call_at(due, self._give_up_silent)

    def _give_up_silent(self) -> None:
        session = self._session
        self._flush()
        for line, wire in list(self._wires.items()):
            if session.is_quiet(line) and (why := session.silence(line)):
                assert wire.transport is not None
                wire.transport.abort()
                self._lost(wire, why)
        self._plan_look_for_silence()
        self._plan_flush()

    def _restore(self) -> None:
        if self._restoring is None and not self._closed:
            self._restoring = asyncio.get_running_loop().create_task(self._reconnect())

    async def _reconnect(self) -> None:
        session = self._session
        try:
            pause = session.next_pause() if self.options.pauses else 0.0
            while session.state is not State.READY and not self._closed:
                if not self.options.pauses:
                    session.for_good = True
                    break
                await asyncio.sleep(pause)
                try:
                    await self._open(session.home)
                except Error as error:
                    pause = session.attempt_failed(error)
                    if session.for_good:
                        break
                    continue
                if self.options.on_connection:
                    self.options.on_connection(None)
        finally:
            self._restoring = None
            self._ready.set()
            self._pushed.set()
            self._serve()

    async def _until_writable(self, command: str, params: dict[str, Any]) -> None:
        session = self._session
        try:
            async with asyncio.timeout(self.options.time_limit):
                while True:
                    if self._closed:
                        raise failure("closed", "the connection is closed")
                    if not session.takes(command, params):
                        self._ready.clear()
                        self._restore()
                        await self._ready.wait()
                        if not session.takes(command, params) and session.for_good:
                            raise session.last_error
                    elif not self._writable.is_set():
                        await self._writable.wait()
                    else:
                        return
        except TimeoutError as why:
            if isinstance(why, Error):
                raise
            if session.takes(command, params):
                raise failure("timed_out", f"{self.options.server} takes no more bytes") from None
            what = f"{session.last_error.message} (tried again until the time limit)"
            raise failure("unavailable", what) from None

    def _send(self, command: str, params: dict[str, Any]) -> Call:
        session = self._session
        call = session.send(command, params)
        limit = session.options.time_limit
        loop = asyncio.get_running_loop()
        call.until = float("inf") if limit is None else loop.time() + limit + call.wait_ms / 1000
        if call.line is None:
            self._serve()
        elif call.line.output_bytes >= _FLUSH_BYTES:
            self._flush()
        else:
            self._plan_flush()
        return call

    def _plan_flush(self) -> None:
        if not self._flush_planned:
            # Once for all that tasks send in this turn of the loop.
            self._flush_planned = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_planned = False
        for line, wire in self._wires.items():
            if wire.transport is not None and (output := self._session.output(line)):
                wire.transport.write(output)

    def _received(self, wire: _Wire, data: bytes) -> None:
        line, session = wire.line, self._session
        if wire is not self._wires.get(line):
            return
        connects = session.connects
        try:
            session.receive(data, line)
        except Error as why:
            if line.state is not State.LOGIN:
                assert wire.transport is not None
                wire.transport.abort()
            self._lost(wire, why)
            return
        if session.look_at != float("inf"):
            self._serve()
        if line.output_bytes:
            self._flush()
        if session.pushes:
            self._pushed.set()
        if session.connects != connects:
            self._tell_of_loss()  # a table has moved
        self._changed.set()

    def _tell_of_loss(self) -> None:
        for tell in list(self._on_lost):
            tell()

    def _lost(self, wire: _Wire, why: BaseException | None) -> None:
        line, session = wire.line, self._session
        if wire is not self._wires.get(line):
            return
        self._drop(wire)
        self._changed.set()
        if line.state is not State.READY:
            self._login_error = why if isinstance(why, Error) else connection_lost(line.address, why)
            session.not_opened(line)
            return
        error = connection_lost(line.address, why)
        session.lost(error, line)
        if not self.options.pauses:
            for other in list(self._wires.values()):
                self._drop(other)
        if self.options.on_connection:
            self.options.on_connection(error)
            if line is not session.home and session.is_ready:
                self.options.on_connection(None)
        self._pushed.set()
        if not session.is_ready and not session.for_good and (session.is_needed or self._listeners):
            self._restore()
        self._tell_of_loss()
        self._serve()

    def _has_room(self, wire: _Wire) -> None:
        self._full.discard(wire)
        if not self._full:
            self._writable.set()

    def _drop(self, wire: _Wire) -> None:
        if self._wires.get(wire.line) is wire:
            del self._wires[wire.line]
        if wire.line is self._session.home:
            self._ready.clear()
        # Who waits for room looks again, and finds no connection.
        self._has_room(wire)
        if wire.transport is not None:
            wire.transport.close()
