"""The commands of a journal table: for producers (put, put_many) and for workers (next, touch, done, release, fail)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from . import rows as _rows
from ._net_async import Rows, each
from .failures import failed_with
from .notices import Notice
from .rows import Columns, Date, Duration, OnRefused, Put, PutMany, Putting, Returned, Row, Work

if TYPE_CHECKING:
    from .aio import Connection

# Within the class `list` is its method.
_List = list


class Journal:
    """A table on a connection, which must outlive it. Every call raises what `Connection.call` does.

    Puts are numbered under a name that the connection drew: an INSERT whose answer was lost is sent again, and counts
    once.
    """

    def __init__(self, connection: Connection, table: str) -> None:
        self.connection = connection
        self.table = table

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
        """Inserts a row, or merges it into the waiting row of its key. When it returns, the row is on the disk.

        columns: by their names; None is an absent value. priority: 0 to 255, the smallest first (100). process_date:
        not handed out before. expiration_date: not handed out from then on. insertion_date: an INSERT older than the
        row's data changes nothing. client and sequence, both: a number of the caller's own.
        """
        params = self._insert(columns, client, sequence)
        params |= _rows.options_of(
            priority=priority, process_date=process_date, expiration_date=expiration_date, insertion_date=insertion_date
        )
        return _rows.put_of(await self.connection.request_numbered("INSERT", params))

    async def put_many(
        self,
        rows: Rows,
        *,
        window: int = 2048,
        on_refused: OnRefused | None = None,
        client: str | None = None,
        first_sequence: int = 1,
    ) -> PutMany:
        """Inserts many rows, `window` of them in flight (up to in_flight_max), each exactly once, also if the
        connection is lost meanwhile. A row is a mapping of columns, and may have `priority` and the dates of `put`.
        With asyncio `rows` may also be an async iterable.

        A refused row is told to `on_refused(index, row, error)`, and the rest goes on. Without it the first refusal is
        raised. Every Error that is raised has the fact `index`: all rows before are in (or were refused), and those
        from it on may be. To continue without duplicates, give the same rows again from there with the same `client`,
        and `first_sequence` + index.
        """
        connection = self.connection
        putting = Putting(self.table, client or connection.client, on_refused)
        window = max(1, min(window, connection.options.in_flight_max))
        in_flight, index = putting.in_flight, 0
        try:
            async for row in each(rows):
                if len(in_flight) >= window:
                    await connection.wait(in_flight[0][2])
                    putting.settle()
                sequence = connection.next_sequence() if client is None else first_sequence + index
                call = await connection.send("INSERT", putting.insert_of(row, sequence))
                in_flight.append((index, row, call))
                index += 1
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
        """Leases up to `count` rows (1 to 1024). lease: its length (the table's processing-timeout). wait: for the
        first row, up to a day. worker: a name that is shown to people, at most 256 bytes."""
        params = _rows.options_of(table=self.table, count=count, lease=lease, wait=wait, domain=domain, worker=worker)
        return _rows.work_of(await self.connection.request("NEXT", params))

    async def touch(self, row: Row, lease: Duration | None = None) -> int:
        """Renews the lease, and moves it to this connection; its new end. Raises Error stale_epoch, not_leased or
        unknown_row if the lease is over: then the work is to be dropped."""
        return _rows.lease_end_of(await self.connection.request("TOUCH", self._lease(row, lease=lease)))

    async def done(self, row: Row) -> None:
        """The row is finished, and deleted. Raises as `touch` does."""
        await self.connection.request("DONE", self._lease(row))

    async def done_and_next(self, row: Row, *, domain: str | None = None, worker: str | None = None) -> Work:
        """`done`, and the next row, in one round trip."""
        params = self._lease(row, next=1, domain=domain, worker=worker)
        return _rows.work_of(await self.connection.request("DONE", params))

    async def release(
        self,
        row: Row,
        *,
        error: str | None = None,
        error_trace: str | None = None,
        process_date: Date | None = None,
    ) -> Returned:
        """Returns the row. With an error (1 KiB is kept) this is a failed attempt: the row rests for the table's
        back-off (or until the date), and after too many it is given up. Without one nothing is counted, and the row
        is due at once (or at the date). error_trace: where it went wrong; 16 KiB are kept."""
        params = self._lease(row, error=error, error_trace=error_trace, process_date=process_date)
        return _rows.returned_of(await self.connection.report("RELEASE", params))

    async def fail(self, row: Row, error: str, error_trace: str | None = None) -> Returned:
        """Gives the row up at once: for one that can never succeed. error_trace: as of `release`."""
        params = self._lease(row, error=error, error_trace=error_trace)
        return _rows.returned_of(await self.connection.report("FAIL", params))

    async def listen(
        self, mode: str = "wake", *, domain: str | None = None, credit: int | None = None, worker: str | None = None
    ) -> None:
        """From now on there are `notices`, also after a reconnect. mode "wake": when there is work, to one idle
        listener, who calls `next` until there is none; "row": of each row that becomes due; "deliver": leased rows,
        up to `credit` at once (1 to 1024). Rows delivered before a loss still belong to this worker until the table's
        grace is over; `touch` adopts them."""
        options = _rows.options_of(mode=mode, domain=domain, credit=credit, worker=worker)
        await self.connection.listen(self.table, **options)

    async def unlisten(self, domain: str | None = None) -> None:
        """Ends `listen` for this domain, or for the table."""
        await self.connection.unlisten(self.table, **_rows.options_of(domain=domain))

    def notices(self, limit: float | None = None) -> AsyncIterator[Notice]:
        """As `Connection.notices`: those of every table that the connection listens to."""
        return self.connection.notices(limit)

    async def peek(self, row: int | None = None, **key: Any) -> list[Row]:
        """Rows as they are, without a lease: the one of this number, or those of this key. Raises Error unknown_row."""
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
        """All rows that match, by their numbers. It asks for `page` rows (1 to 1000) at a time; rows may change
        meanwhile."""
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
        """Why rows are where they are: for each of this number or key a dictionary with `state`, `text` (a sentence for
        people) and the facts of REASON."""
        reply = await self.connection.request("WHY", {"table": self.table, **_rows.key_of(row, key)})
        return [message.params for message in reply.messages]

    async def stats(self) -> dict[str, Any]:
        """The figures of the table, by the names of STATS."""
        return (await self.connection.request("STATS", {"table": self.table})).first.params

    # --- inside ---

    def _insert(self, columns: Columns, client: str | None, sequence: int | None) -> dict[str, Any]:
        if (client is None) != (sequence is None):
            raise ValueError("expected both of client and sequence, or none")
        params = _rows.columns_of(columns)
        own: dict[str, Any] = {} if sequence is None else {"client": client, "sequence": sequence}
        return params | {"table": self.table} | own

    def _lease(
        self, row: Row, *, error: str | None = None, error_trace: str | None = None, **options: Any
    ) -> dict[str, Any]:
        lease = {"table": row.table or self.table, "row": row.row, "epoch": row.epoch}
        return lease | _rows.options_of(**failed_with(error, error_trace), **options)
