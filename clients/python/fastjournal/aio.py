"""The same client for asyncio: `await aio.connect(...)`. Names, parameters, results and errors are those of
`fastjournal.Connection`, `fastjournal.Journal`, `fastjournal.Queues` and `fastjournal.Documents`. Any number of tasks
may use one connection at once; it reconnects by itself while somebody waits for answers or notices.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from types import TracebackType
from typing import Any

from . import rows as _rows
from .async_documents import Documents
from .async_queues import Queues
from .connection import tune
from .errors import Error, failure
from .journal import Journal as _SyncJournal
from .notices import Notice, notice_of
from .options import DEFAULT_SERVER, Options, connect_failed, connection_lost, place_of, tls_context
from .rows import Columns, Date, Duration, OnRefused, Put, PutMany, Putting, Returned, Row, Work
from .session import BaseConnection, Call, Reply, State
from .wire import Message

_FLUSH_BYTES = 64 * 1024
_List = list


async def connect(
    server: str = DEFAULT_SERVER, *, token: str = "", ca: str = "", certificate: str = "", key: str = "", **options: Any
) -> Connection:
    """As `fastjournal.connect`."""
    made = Connection(Options(server=server, token=token, ca=ca, certificate=certificate, key=key, **options))
    await made._open()
    return made


class _Wire(asyncio.Protocol):
    """One connection of asyncio; what it says goes to its owner as long as it is the owner's newest."""

    def __init__(self, owner: Connection) -> None:
        self._owner = owner
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._owner._received(self, data)

    def connection_lost(self, why: Exception | None) -> None:
        self._owner._lost(self, why)

    def pause_writing(self) -> None:
        self._owner._writable.clear()

    def resume_writing(self) -> None:
        self._owner._writable.set()


class Connection(BaseConnection):
    """A connection to a daemon, made by `connect`. Use it in one event loop."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._place = place_of(options.server)
        self._wire: _Wire | None = None
        self._ready = asyncio.Event()
        self._writable = asyncio.Event()
        self._changed = asyncio.Event()  # of a login: the daemon answered, or the connection ended
        self._pushed = asyncio.Event()
        self._listeners = 0  # tasks in wait_push
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

    async def send(self, command: str, params: dict[str, Any]) -> Call:
        if self._session.state is not State.READY or not self._writable.is_set():
            await self._until_writable()
        return self._send(command, params)

    async def receive(self, call: Call) -> Reply:
        try:
            await self.wait(call)
        except BaseException:
            self.abandon(call)
            raise
        if call.error is not None:
            raise call.error
        return Reply(call.messages, call.resent)

    async def wait(self, call: Call) -> None:
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

    async def watch(self, **params: Any) -> None:
        await self.request("WATCH", dict(params))
        self._session.keep("WATCH", params)

    async def wait_push(self, limit: float | None = None) -> Message:
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
        restoring, self._restoring = self._restoring, None
        if restoring is not None:
            restoring.cancel()
            with contextlib.suppress(asyncio.CancelledError, Error):
                await restoring
        error = failure("closed", "the connection was closed by its owner")
        self._session.last_error = error
        self._session.close(error)
        self._drop()
        self._pushed.set()

    # --- inside ---

    async def _open(self) -> None:
        """One attempt. Raises Error."""
        options, place, session = self.options, self._place, self._session
        loop = asyncio.get_running_loop()
        wire = _Wire(self)
        try:
            async with asyncio.timeout(options.connect_limit):
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
                self._wire = wire
                self._writable.set()
                session.opened()
                self._flush()
                while session.state is State.LOGIN:
                    self._changed.clear()
                    await self._changed.wait()
        except (OSError, UnicodeError, Error) as why:
            self._drop()
            if wire.transport is not None:
                wire.transport.abort()
            error = connect_failed(options.server, why)
            session.lost(error)
            raise error from None
        except BaseException:
            self._drop()
            session.lost(session.last_error)
            raise
        if not session.is_ready:
            error = session.last_error
            raise error if error.code != "closed" else failure("unavailable", error.message)
        self._ready.set()

    def _restore(self) -> None:
        if self._restoring is None and not self._closed:
            self._restoring = asyncio.get_running_loop().create_task(self._reconnect())

    async def _reconnect(self) -> None:
        session = self._session
        try:
            while session.state is not State.READY and not self._closed:
                if not self.options.pauses:
                    session.for_good = True
                    break
                await asyncio.sleep(session.next_pause())
                try:
                    await self._open()
                except Error:
                    if session.for_good:
                        break
                    continue
                if self.options.on_connection:
                    self.options.on_connection(None)
        finally:
            self._restoring = None
            self._ready.set()
            self._pushed.set()

    async def _until_writable(self) -> None:
        session = self._session
        try:
            async with asyncio.timeout(self.options.time_limit):
                while True:
                    if self._closed:
                        raise failure("closed", "the connection is closed")
                    if session.state is not State.READY:
                        self._ready.clear()
                        self._restore()
                        await self._ready.wait()
                        if not session.is_ready and session.for_good:
                            raise session.last_error
                    elif not self._writable.is_set():
                        await self._writable.wait()
                    else:
                        return
        except TimeoutError as why:
            if isinstance(why, Error):
                raise
            if session.state is State.READY:
                raise failure("timed_out", f"{self.options.server} takes no more bytes") from None
            what = f"{session.last_error.message} (tried again until the time limit)"
            raise failure("unavailable", what) from None

    def _send(self, command: str, params: dict[str, Any]) -> Call:
        session = self._session
        call = session.send(command, params)
        limit = session.options.time_limit
        loop = asyncio.get_running_loop()
        call.until = float("inf") if limit is None else loop.time() + limit + call.wait_ms / 1000
        if session.output_bytes >= _FLUSH_BYTES:
            self._flush()
        elif not self._flush_planned:
            # Once for all that tasks send in this turn of the loop.
            self._flush_planned = True
            loop.call_soon(self._flush)
        return call

    def _flush(self) -> None:
        self._flush_planned = False
        if self._wire is not None and self._wire.transport is not None and (output := self._session.output()):
            self._wire.transport.write(output)

    def _received(self, wire: _Wire, data: bytes) -> None:
        if wire is not self._wire:
            return
        session = self._session
        try:
            session.receive(data)
        except Error as why:
            if session.state is State.LOGIN:
                self._drop()
                session.lost(why)
                self._changed.set()
            else:
                assert wire.transport is not None
                wire.transport.abort()
                self._lost(wire, why)
            return
        if session.output_bytes:
            self._flush()
        if session.pushes:
            self._pushed.set()
        self._changed.set()

    def _lost(self, wire: _Wire, why: BaseException | None) -> None:
        if wire is not self._wire:
            return
        self._drop()
        error = connection_lost(self.options.server, why)
        session = self._session
        was_ready = session.state is State.READY
        session.lost(error)
        self._changed.set()
        if was_ready and self.options.on_connection:
            self.options.on_connection(error)
        self._pushed.set()
        if was_ready and not session.for_good and (session.is_needed or self._listeners):
            self._restore()

    def _drop(self) -> None:
        wire, self._wire = self._wire, None
        self._ready.clear()
        # Who waits for room looks again, and finds no connection.
        self._writable.set()
        if wire is not None and wire.transport is not None:
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
        return _rows.put_of(await self.connection.request("INSERT", params))

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

    async def release(self, row: Row, *, error: str | None = None, process_date: Date | None = None) -> Returned:
        params = self._made._lease(row, error=error, process_date=process_date)
        return _rows.returned_of(await self.connection.request("RELEASE", params))

    async def fail(self, row: Row, error: str) -> Returned:
        return _rows.returned_of(await self.connection.request("FAIL", self._made._lease(row, error=error)))

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
