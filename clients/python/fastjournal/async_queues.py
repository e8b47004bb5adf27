"""The commands of a queue table for asyncio; `fastjournal.aio` offers them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, TypeVar

from . import messages as _messages
from .messages import (
    Acquired,
    Binding,
    Body,
    Date,
    Duration,
    Exchange,
    Paging,
    Properties,
    Queue,
    QueueMessage,
    ReturnedMessage,
    Sent,
)
from .notices import Notice
from .queues import Queues as _SyncQueues
from .rows import lease_end_of

if TYPE_CHECKING:
    from .aio import Connection

_Shown = TypeVar("_Shown", QueueMessage, Queue, Exchange, Binding)


class Queues:
    """A queue table on a connection; the calls are those of `fastjournal.Queues`."""

    def __init__(self, connection: Connection, table: str) -> None:
        self.connection = connection
        self.table = table
        # Makes the messages; its own calls are not used.
        self._made = _SyncQueues(connection, table)  # type: ignore[arg-type]

    # --- producers ---

    async def send(
        self,
        queue: str,
        body: Body = "",
        *,
        properties: Properties | None = None,
        priority: int | None = None,
        process_date: Date | None = None,
        expiration_date: Date | None = None,
        client: str | None = None,
        sequence: int | None = None,
    ) -> Sent:
        params = self._made._numbered({"queue": queue}, client, sequence) | _messages.content_of(body, properties)
        params |= _messages.parameters(priority=priority, process_date=process_date, expiration_date=expiration_date)
        return _messages.sent_of(await self.connection.request_numbered("SEND", params))

    async def publish(
        self,
        exchange: str,
        routing_key: str = "",
        body: Body = "",
        *,
        mandatory: bool | None = None,
        properties: Properties | None = None,
        priority: int | None = None,
        process_date: Date | None = None,
        expiration_date: Date | None = None,
        client: str | None = None,
        sequence: int | None = None,
    ) -> Sent:
        params = {"exchange": exchange} | _messages.content_of(body, properties)
        if routing_key:
            params["routing_key"] = routing_key
        params = self._made._numbered(params, client, sequence)
        params |= _messages.parameters(
            mandatory=mandatory, priority=priority, process_date=process_date, expiration_date=expiration_date
        )
        return _messages.sent_of(await self.connection.request_numbered("SEND", params))

    # --- consumers ---

    async def acquire(
        self,
        queue: str | None = None,
        count: int = 1,
        *,
        lease: Duration | None = None,
        wait: Duration | None = None,
        accept: bool = False,
        worker: str | None = None,
    ) -> Acquired:
        params = _messages.parameters(
            table=self.table, queue=queue, count=count, lease=lease, wait=wait, accept=accept or None, worker=worker
        )
        return _messages.acquired_of(await self.connection.request("ACQUIRE", params))

    async def touch(self, message: QueueMessage, lease: Duration | None = None) -> int:
        return lease_end_of(await self.connection.request("TOUCH", self._made._lease(message, lease=lease)))

    async def accept(self, message: QueueMessage) -> None:
        await self.connection.request("ACCEPT", self._made._lease(message))

    async def release(
        self,
        message: QueueMessage,
        *,
        error: str | None = None,
        error_trace: str | None = None,
        process_date: Date | None = None,
        failed: bool | None = None,
    ) -> ReturnedMessage:
        params = self._made._lease(
            message, error=error, error_trace=error_trace, process_date=process_date, failed=failed
        )
        return _messages.fate_of(await self.connection.report("RELEASE", params))

    async def reject(
        self, message: QueueMessage, error: str | None = None, error_trace: str | None = None
    ) -> ReturnedMessage:
        params = self._made._lease(message, error=error, error_trace=error_trace)
        return _messages.fate_of(await self.connection.report("REJECT", params))

    async def listen(
        self,
        queue: str | None = None,
        mode: str = "deliver",
        *,
        credit: int | None = None,
        lease: Duration | None = None,
        worker: str | None = None,
    ) -> None:
        await self.connection.listen(
            self.table, **_messages.parameters(queue=queue, mode=mode, credit=credit, lease=lease, worker=worker)
        )

    async def unlisten(self, queue: str | None = None) -> None:
        await self.connection.unlisten(self.table, **_messages.parameters(queue=queue))

    def notices(self, limit: float | None = None) -> AsyncIterator[Notice]:
        return self.connection.notices(limit)

    # --- looking ---

    def browse(
        self, queue: str | None = None, *, status: str | None = None, body: bool = False, page: int = 100
    ) -> AsyncIterator[QueueMessage]:
        params = _messages.parameters(table=self.table, queue=queue, status=status, body=body or None, count=page)
        return self._pages(QueueMessage, "BROWSE", "MESSAGE", params)

    async def read(
        self, message: QueueMessage | int, *, offset: int | None = None, length: int | None = None
    ) -> QueueMessage:
        params = _messages.parameters(
            table=self.table, message=_messages.number_of(message), offset=offset, length=length
        )
        return _messages.message_of((await self.connection.request("READ", params)).first)

    async def why(self, message: QueueMessage | int) -> dict[str, Any]:
        params = {"table": self.table, "message": _messages.number_of(message)}
        return (await self.connection.request("WHY", params)).first.params

    def queues(self) -> AsyncIterator[Queue]:
        return self._pages(Queue, "QUEUES", "QUEUE", {"table": self.table})

    def exchanges(self) -> AsyncIterator[Exchange]:
        return self._pages(Exchange, "EXCHANGES", "EXCHANGE", {"table": self.table})

    def bindings(self, *, exchange: str | None = None, queue: str | None = None) -> AsyncIterator[Binding]:
        params = _messages.parameters(table=self.table, exchange=exchange, queue=queue)
        return self._pages(Binding, "BINDINGS", "BINDING", params)

    async def stats(self) -> dict[str, Any]:
        return (await self.connection.request("STATS", {"table": self.table})).first.params

    # --- queues and exchanges ---

    async def declare(
        self,
        queue: str,
        *,
        temporary: bool | None = None,
        dead_letters: str | None = None,
        max_deliveries: int | None = None,
        max_messages: int | None = None,
        max_bytes: int | None = None,
        when_full: str | None = None,
        expires: Duration | None = None,
    ) -> str:
        params = _messages.parameters(
            table=self.table,
            queue=queue,
            temporary=temporary,
            dead_letters=dead_letters,
            max_deliveries=max_deliveries,
            max_messages=max_messages,
            max_bytes=max_bytes,
            when_full=when_full,
            expires=expires,
        )
        return await self._result("DECLARE", params)

    async def declare_exchange(self, exchange: str, kind: str) -> str:
        return await self._result("DECLARE", {"table": self.table, "exchange": exchange, "kind": kind})

    async def remove(self, queue: str, *, if_empty: bool = False) -> None:
        params = _messages.parameters(table=self.table, queue=queue, if_empty=if_empty or None)
        await self.connection.request("REMOVE", params)

    async def remove_exchange(self, exchange: str) -> None:
        await self.connection.request("REMOVE", {"table": self.table, "exchange": exchange})

    async def bind(
        self, exchange: str, queue: str, routing_key: str = "", *, declare: bool = False, temporary: bool = False
    ) -> str:
        params = _messages.parameters(
            table=self.table,
            exchange=exchange,
            queue=queue,
            routing_key=routing_key or None,
            declare=declare or None,
            temporary=temporary or None,
        )
        return await self._result("BIND", params)

    async def unbind(self, exchange: str, queue: str, routing_key: str = "") -> None:
        params = _messages.parameters(
            table=self.table, exchange=exchange, queue=queue, routing_key=routing_key or None
        )
        await self.connection.request("UNBIND", params)

    async def purge(self, queue: str, *, status: str | None = None, count: int | None = None) -> int:
        params = _messages.parameters(table=self.table, queue=queue, status=status)
        return await self._paged("PURGE", params, count)

    async def move(self, queue: str, to: str, *, status: str | None = None, count: int | None = None) -> int:
        params = _messages.parameters(table=self.table, queue=queue, to=to, status=status)
        return await self._paged("MOVE", params, count)

    # --- inside ---

    async def _result(self, command: str, params: dict[str, Any]) -> str:
        return str((await self.connection.request(command, params)).first.params.get("result", ""))

    async def _pages(
        self, kind: type[_Shown], command: str, answer: str, params: dict[str, Any]
    ) -> AsyncIterator[_Shown]:
        after: Any = ""
        while after is not None:
            if after != "":
                params["after"] = after
            shown, after = _messages.page_of(kind, answer, await self.connection.request(command, dict(params)))
            for one in shown:
                yield one

    async def _paged(self, command: str, params: dict[str, Any], most: int | None) -> int:
        paging = Paging(params, most)
        while not paging.ended:
            paging.take(await self.connection.request(command, paging.next()))
        return paging.done
