"""The commands of a queue table: for producers (send, publish), for consumers (acquire, touch, accept, release,
reject), and for who looks after its queues and exchanges."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, TypeVar

from . import messages as _messages
from .failures import failed_with
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
from .rows import lease_end_of, parameters

if TYPE_CHECKING:
    from .aio import Connection

_Shown = TypeVar("_Shown", QueueMessage, Queue, Exchange, Binding)


class Queues:
    """A queue table on a connection, which must outlive it. Every call raises what `Connection.call` does.

    Messages are numbered under a name that the connection drew: a SEND whose answer was lost is sent again, and counts
    once.
    """

    def __init__(self, connection: Connection, table: str) -> None:
        self.connection = connection
        self.table = table

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
        """Puts a message on a queue. When it returns, the message is on the disk.

        body: str is text, bytes are bytes. properties: an object, given back as it is. priority: 0 to 255, the smallest
        first (100). process_date: not handed out before. expiration_date: not handed out from then on. client and
        sequence, both: a number of the caller's own.
        """
        params = self._numbered({"queue": queue}, client, sequence) | _messages.content_of(body, properties)
        params |= parameters(priority=priority, process_date=process_date, expiration_date=expiration_date)
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
        """Sends a message to the queues that the exchange routes it to. mandatory: True, refused (not_found) if there
        is none; False, then it is dropped and `queues` is 0; None: as the kind of the exchange says. The others: as of
        `send`."""
        params = {"exchange": exchange} | _messages.content_of(body, properties)
        if routing_key:
            params["routing_key"] = routing_key
        params = self._numbered(params, client, sequence)
        params |= parameters(
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
        """Leases up to `count` messages (1 to 1024) of a queue; None: of any. lease: its length (the table's
        processing-timeout). wait: for the first message, up to a day. accept: they are gone with the answer, without a
        lease: at most once. worker: a name that is shown to people."""
        params = parameters(
            table=self.table, queue=queue, count=count, lease=lease, wait=wait, accept=accept or None, worker=worker
        )
        return _messages.acquired_of(await self.connection.request("ACQUIRE", params))

    async def touch(self, message: QueueMessage, lease: Duration | None = None) -> int:
        """Renews the lease, and moves it to this connection; its new end. Raises Error stale_epoch, not_leased or
        unknown_row if the lease is over: then the work is to be dropped."""
        return lease_end_of(await self.connection.request("TOUCH", self._lease(message, lease=lease)))

    async def accept(self, message: QueueMessage) -> None:
        """The message is dealt with, and leaves its queue. Raises as `touch` does."""
        await self.connection.request("ACCEPT", self._lease(message))

    async def release(
        self,
        message: QueueMessage,
        *,
        error: str | None = None,
        error_trace: str | None = None,
        process_date: Date | None = None,
        failed: bool | None = None,
    ) -> ReturnedMessage:
        """Gives the message back. With an error (1 KiB is kept) this is a failed delivery: after too many the message
        is dead. Without one it is not counted. `failed` says it otherwise. error_trace: where it went wrong; 16 KiB are
        kept."""
        params = self._lease(message, error=error, error_trace=error_trace, process_date=process_date, failed=failed)
        return _messages.fate_of(await self.connection.report("RELEASE", params))

    async def reject(
        self, message: QueueMessage, error: str | None = None, error_trace: str | None = None
    ) -> ReturnedMessage:
        """The message can never be dealt with: it goes to the dead letters of its queue, or is parked."""
        params = self._lease(message, error=error, error_trace=error_trace)
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
        """From now on there are `notices`, also after a reconnect. mode "deliver": leased messages, up to `credit` at
        once (1 to 1024); "wake": when there is something, to one idle listener, who calls `acquire` until there is
        nothing; "row": of each message that becomes due. Messages delivered before a loss are handed out again once the
        table's grace (0) is over."""
        await self.connection.listen(
            self.table, **parameters(queue=queue, mode=mode, credit=credit, lease=lease, worker=worker)
        )

    async def unlisten(self, queue: str | None = None) -> None:
        """Ends `listen` for this queue, or for the table."""
        await self.connection.unlisten(self.table, **parameters(queue=queue))

    def notices(self, limit: float | None = None) -> AsyncIterator[Notice]:
        """As `Connection.notices`: those of every table that the connection listens to."""
        return self.connection.notices(limit)

    # --- looking ---

    def browse(
        self, queue: str | None = None, *, status: str | None = None, body: bool = False, page: int = 100
    ) -> AsyncIterator[QueueMessage]:
        """All messages that match, by their numbers, without taking them. status: "waiting", "due", "acquired" or
        "parked". body: with their bodies. It asks for `page` messages (1 to 1000) at a time; they may change
        meanwhile."""
        params = parameters(table=self.table, queue=queue, status=status, body=body or None, count=page)
        return self._pages(QueueMessage, "BROWSE", "MESSAGE", params)

    async def read(
        self, message: QueueMessage | int, *, offset: int | None = None, length: int | None = None
    ) -> QueueMessage:
        """A message as it is, with its body. offset and length: a part of the body, as bytes. Raises Error
        unknown_row."""
        params = parameters(
            table=self.table, message=_messages.number_of(message), offset=offset, length=length
        )
        return _messages.message_of((await self.connection.request("READ", params)).first)

    async def why(self, message: QueueMessage | int) -> dict[str, Any]:
        """Why a message is where it is: `state`, `text` (a sentence for people) and the facts of REASON."""
        params = {"table": self.table, "message": _messages.number_of(message)}
        return (await self.connection.request("WHY", params)).first.params

    def queues(self) -> AsyncIterator[Queue]:
        """All queues, by their names."""
        return self._pages(Queue, "QUEUES", "QUEUE", {"table": self.table})

    def exchanges(self) -> AsyncIterator[Exchange]:
        """All exchanges, by their names."""
        return self._pages(Exchange, "EXCHANGES", "EXCHANGE", {"table": self.table})

    def bindings(self, *, exchange: str | None = None, queue: str | None = None) -> AsyncIterator[Binding]:
        """All bindings, or those of an exchange or a queue."""
        params = parameters(table=self.table, exchange=exchange, queue=queue)
        return self._pages(Binding, "BINDINGS", "BINDING", params)

    async def stats(self) -> dict[str, Any]:
        """The figures of the table, by the names of STATS."""
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
        """Makes a queue, or changes its options; None: as it is. Returns "made", "changed" or "unchanged". A temporary
        queue ends with the connection, and is not there again after a reconnect."""
        params = parameters(
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
        """Makes an exchange: "direct", "fanout" or "topic". Returns "made" or "unchanged"."""
        return await self._result("DECLARE", {"table": self.table, "exchange": exchange, "kind": kind})

    async def remove(self, queue: str, *, if_empty: bool = False) -> None:
        """Removes a queue with its messages and bindings. Raises Error not_found, also if this was sent again after a
        loss and carried out before."""
        params = parameters(table=self.table, queue=queue, if_empty=if_empty or None)
        await self.connection.request("REMOVE", params)

    async def remove_exchange(self, exchange: str) -> None:
        """Removes an exchange with its bindings. Raises as `remove` does."""
        await self.connection.request("REMOVE", {"table": self.table, "exchange": exchange})

    async def bind(
        self, exchange: str, queue: str, routing_key: str = "", *, declare: bool = False, temporary: bool = False
    ) -> str:
        """The exchange routes to the queue what fits. declare: the queue is made if there is none: a durable
        subscription. temporary: it is made, and ends with the connection. Returns "made" or "unchanged"."""
        params = parameters(
            table=self.table,
            exchange=exchange,
            queue=queue,
            routing_key=routing_key or None,
            declare=declare or None,
            temporary=temporary or None,
        )
        return await self._result("BIND", params)

    async def unbind(self, exchange: str, queue: str, routing_key: str = "") -> None:
        """Ends a binding; messages on the queue stay. Raises as `remove` does."""
        params = parameters(
            table=self.table, exchange=exchange, queue=queue, routing_key=routing_key or None
        )
        await self.connection.request("UNBIND", params)

    async def purge(self, queue: str, *, status: str | None = None, count: int | None = None) -> int:
        """Drops messages that no consumer has, in the order of the queue; all of them, or `count`. status: only those
        that are "waiting" (due ones too) or "parked". How many were dropped."""
        params = parameters(table=self.table, queue=queue, status=status)
        return await self._paged("PURGE", params, count)

    async def move(self, queue: str, to: str, *, status: str | None = None, count: int | None = None) -> int:
        """Moves messages that no consumer has to another queue, with their attempts reset; with `to` the same queue
        those that are parked are due again. As `purge`. After Disconnected (closed) call it again: what was moved is no
        longer there."""
        params = parameters(table=self.table, queue=queue, to=to, status=status)
        return await self._paged("MOVE", params, count)

    # --- inside ---

    def _numbered(self, params: dict[str, Any], client: str | None, sequence: int | None) -> dict[str, Any]:
        if (client is None) != (sequence is None):
            raise ValueError("expected both of client and sequence, or none")
        own: dict[str, Any] = {} if sequence is None else {"client": client, "sequence": sequence}
        return params | {"table": self.table} | own

    def _lease(
        self, message: QueueMessage, *, error: str | None = None, error_trace: str | None = None, **options: Any
    ) -> dict[str, Any]:
        lease = {"table": message.table or self.table, "message": message.message, "epoch": message.epoch}
        return lease | parameters(**failed_with(error, error_trace), **options)

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
