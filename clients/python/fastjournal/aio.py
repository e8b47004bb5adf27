"""The same client for asyncio: `await aio.connect(...)`. Names, parameters, results and errors are those of
`fastjournal.Connection`, `fastjournal.Journal`, `fastjournal.Queues` and `fastjournal.Documents`. Any number of tasks
may use one connection at once; it reconnects by itself while somebody waits for answers or notices.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from types import TracebackType
from typing import Any

from . import rows as _rows
from .async_documents import Documents
from .async_queues import Queues
from .connection import tune
from .errors import Error, failure
from .failures import is_about_trace
from .journal import Journal as _SyncJournal
from .lines import Line, State
from .notices import Notice, notice_of
from .options import (
    DEFAULT_SERVER,
    Options,
    connect_failed,
    connection_lost,
    none_reached,
    place_of,
    tls_context,
)
from .rows import Columns, Date, Duration, OnRefused, Put, PutMany, Putting, Returned, Row, Work
from .session import BaseConnection, Call, Reply
from .wire import Message

_FLUSH_BYTES = 64 * 1024
_List = list


async def connect(
    server: str = DEFAULT_SERVER, *, token: str = "", ca: str = "", certificate: str = "", key: str = "", **options: Any
) -> Connection:
    """As `fastjournal.connect`."""
    made = Connection(Options(server=server, token=token, ca=ca, certificate=certificate, key=key, **options))
    await made._open_home()
    return made


class _Wire(asyncio.Protocol):
    """The connection of asyncio that a line has; what it says goes to its owner as long as it is the line's newest."""

    def __init__(self, owner: Connection, line: Line) -> None:
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


class Connection(BaseConnection):
    """A connection to a daemon, made by `connect`. Use it in one event loop. In a child of fork() all calls but `close`
    raise Error (not_supported)."""

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

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    def journal(self, table: str) -> Journal:
        return Journal(self, table)

    def queues(self, table: str) -> Queues:
        return Queues(self, table)

    def documents(self, table: str) -> Documents:
        return Documents(self, table)

    async def call(self, command: str, /, **params: Any) -> Reply:
        return await self.request(command, params)

    async def transaction(self, commands: Iterable[tuple[str, dict[str, Any]]]) -> list[Message]:
        return (await self.call("TRANSACTION", commands=self._session.frames(commands))).messages[1:]

    async def request(self, command: str, params: dict[str, Any]) -> Reply:
        return await self.receive(await self.send(command, params))

    async def request_numbered(self, command: str, params: dict[str, Any]) -> Reply:
        if not self.give_number(params):
            return await self.request(command, params)
        try:
            return await self.request(command, dict(params))
        except Error as why:
            if not self.has_no_room(params["table"], why):
                raise
        del params["client"], params["sequence"]
        return await self.request(command, params)

    async def report(self, command: str, params: dict[str, Any]) -> Reply:
        if not self._takes_traces:
            params.pop("error_trace", None)
        try:
            return await self.request(command, dict(params))
        except Error as why:
            if not is_about_trace(why, params):
                raise
        self._takes_traces = False
        return await self.report(command, params)

    async def send(self, command: str, params: dict[str, Any]) -> Call:
        self._check_process()
        if not self._session.takes(command, params) or not self._writable.is_set():
            await self._until_writable(command, params)
        return self._send(command, params)

    async def receive(self, call: Call) -> Reply:
        try:
            await self.wait(call)
        except BaseException:
            self.abandon(call)
            raise
        if call.error is not None:
            self.abandon(call)
            raise call.error
        # From now on they are the caller's.
        messages, call.messages = call.messages, []
        return Reply(messages, call.resent)

    def abandon(self, call: Call) -> None:
        super().abandon(call)
        # Without a loop where a coroutine is dropped after its end.
        with contextlib.suppress(RuntimeError):
            asyncio.get_running_loop()
            if not self._closed and not self._is_foreign:
                self._plan_flush()

    async def wait(self, call: Call) -> None:
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

    async def listen(self, table: str, **params: Any) -> None:
        params["table"] = table
        await self.request("LISTEN", dict(params))
        self._session.keep("LISTEN", params)

    async def unlisten(self, table: str, **params: Any) -> None:
        params["table"] = table
        self._session.forget("LISTEN", params)
        await self.request("UNLISTEN", params)

    async def owner_of(self, table: str) -> str:
        await self.call("STATS", table=table)
        return self._session.address_of(table)

    async def watch(self, **params: Any) -> None:
        await self.request("WATCH", dict(params))
        self._session.keep("WATCH", params)

    async def wait_push(self, limit: float | None = None) -> Message:
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

    async def notices(self, limit: float | None = None) -> AsyncIterator[Notice]:
        while True:
            try:
                push = await self.wait_push(limit)
            except TimeoutError:
                return
            yield notice_of(push)

    async def close(self) -> None:
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

    async def _open_home(self) -> None:
        """One attempt for each server. Raises Error."""
        session, reasons = self._session, list[Error]()
        for server in session.servers:
            place_of(server)
        for server in session.servers:
            session.home.address = server
            try:
                await self._open(session.home)
            except Error as error:
                reasons.append(error)
                continue
            return
        raise reasons[0] if len(reasons) == 1 else none_reached(reasons)

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


class Journal:
    """A table on a connection; the calls are those of `fastjournal.Journal`."""

    def __init__(self, connection: Connection, table: str) -> None:
        self.connection = connection
        self.table = table
        # Makes the messages; its own calls are not used.
        self._made = _SyncJournal(connection, table)  # type: ignore[arg-type]

    async def put(
        self,
        columns: Columns,
        *,
        priority: int | None = None,
        process_date: Date | None = None,
        expiration_date: Date | None = None,
        insertion_date: Date | None = None,
        client: str | None = None,
        sequence: int | None = None,
    ) -> Put:
        params = self._made._insert(columns, client, sequence)
        params |= _rows.options_of(
            priority=priority, process_date=process_date, expiration_date=expiration_date, insertion_date=insertion_date
        )
        return _rows.put_of(await self.connection.request_numbered("INSERT", params))

    async def put_many(
        self,
        rows: Iterable[Columns] | AsyncIterable[Columns],
        *,
        window: int = 2048,
        on_refused: OnRefused | None = None,
        client: str | None = None,
        first_sequence: int = 1,
    ) -> PutMany:
        """`rows` may also be an async iterable."""
        connection = self.connection
        putting = Putting(self.table, client or connection.client, on_refused)
        window = max(1, min(window, connection.options.in_flight_max))
        in_flight, index = putting.in_flight, 0

        async def put(row: Columns) -> None:
            nonlocal index
            if len(in_flight) >= window:
                await connection.wait(in_flight[0][2])
                putting.settle()
            sequence = connection.next_sequence() if client is None else first_sequence + index
            in_flight.append((index, row, await connection.send("INSERT", putting.insert_of(row, sequence))))
            index += 1

        try:
            if isinstance(rows, AsyncIterable):
                async for row in rows:
                    await put(row)
            else:
                for row in rows:
                    await put(row)
            while in_flight:
                await connection.wait(in_flight[0][2])
                putting.settle()
        except BaseException as why:
            putting.stop(connection, index, why)
            raise
        return putting.counts

    async def next(
        self,
        count: int = 1,
        *,
        lease: Duration | None = None,
        wait: Duration | None = None,
        domain: str | None = None,
        worker: str | None = None,
    ) -> Work:
        params = _rows.options_of(table=self.table, count=count, lease=lease, wait=wait, domain=domain, worker=worker)
        return _rows.work_of(await self.connection.request("NEXT", params))

    async def touch(self, row: Row, lease: Duration | None = None) -> int:
        return _rows.lease_end_of(await self.connection.request("TOUCH", self._made._lease(row, lease=lease)))

    async def done(self, row: Row) -> None:
        await self.connection.request("DONE", self._made._lease(row))

    async def done_and_next(self, row: Row, *, domain: str | None = None, worker: str | None = None) -> Work:
        params = self._made._lease(row, next=1, domain=domain, worker=worker)
        return _rows.work_of(await self.connection.request("DONE", params))

    async def release(
        self,
        row: Row,
        *,
        error: str | None = None,
        error_trace: str | None = None,
        process_date: Date | None = None,
    ) -> Returned:
        params = self._made._lease(row, error=error, error_trace=error_trace, process_date=process_date)
        return _rows.returned_of(await self.connection.report("RELEASE", params))

    async def fail(self, row: Row, error: str, error_trace: str | None = None) -> Returned:
        params = self._made._lease(row, error=error, error_trace=error_trace)
        return _rows.returned_of(await self.connection.report("FAIL", params))

    async def listen(
        self, mode: str = "wake", *, domain: str | None = None, credit: int | None = None, worker: str | None = None
    ) -> None:
        options = _rows.options_of(mode=mode, domain=domain, credit=credit, worker=worker)
        await self.connection.listen(self.table, **options)

    async def unlisten(self, domain: str | None = None) -> None:
        await self.connection.unlisten(self.table, **_rows.options_of(domain=domain))

    def notices(self, limit: float | None = None) -> AsyncIterator[Notice]:
        return self.connection.notices(limit)

    async def peek(self, row: int | None = None, **key: Any) -> list[Row]:
        params: dict[str, Any] = {"table": self.table, **_rows.key_of(row, key)}
        out: list[Row] = []
        while True:
            shown, after = _rows.shown_of(await self.connection.request("PEEK", dict(params)))
            out += shown
            if after is None:
                return out
            params["after"] = after

    async def list(
        self,
        *,
        status: str | None = None,
        domain: str | None = None,
        prefix: str | None = None,
        error: str | None = None,
        page: int = 1000,
    ) -> AsyncIterator[Row]:
        params = _rows.options_of(
            table=self.table, status=status, domain=domain, prefix=prefix, error=error, count=page
        )
        after: int | None = 0
        while after is not None:
            if after:
                params["after"] = after
            shown, after = _rows.shown_of(await self.connection.request("LIST", dict(params)))
            for row in shown:
                yield row

    async def why(self, row: int | None = None, **key: Any) -> _List[dict[str, Any]]:
        reply = await self.connection.request("WHY", {"table": self.table, **_rows.key_of(row, key)})
        return [message.params for message in reply.messages]

    async def stats(self) -> dict[str, Any]:
        return (await self.connection.request("STATS", {"table": self.table})).first.params
