"""The commands of a journal table: for producers (put, put_many) and for workers (next, touch, done, release, fail)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from ._net_async import Rows, each
from .async_journal_calls import JournalCalls
from .notices import Notice
from .rows import OnRefused, PutMany, Putting, Row, key_of, row_of
from .typed import given


class Journal(JournalCalls):
    """A table on a connection, which must outlive it. Every call raises what `Connection.call` does.

    Puts are numbered under a name that the connection drew: an INSERT whose answer was lost is sent again, and counts
    once.
    """

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

    async def listen(
        self, mode: str = "wake", *, domain: str | None = None, credit: int | None = None, worker: str | None = None
    ) -> None:
        """From now on there are `notices`, also after a reconnect. mode "wake": when there is work, to one idle
        listener, who calls `next` until there is none; "row": of each row that becomes due; "deliver": leased rows,
        up to `credit` at once (1 to 1024). Rows delivered before a loss still belong to this worker until the table's
        grace is over; `touch` adopts them."""
        options = given(mode=mode or None, domain=domain or None, credit=credit, worker=worker or None)
        await self.connection.listen(self.table, **options)

    async def unlisten(self, domain: str | None = None) -> None:
        """Ends `listen` for this domain, or for the table."""
        await self.connection.unlisten(self.table, **given(domain=domain or None))

    def notices(self, limit: float | None = None) -> AsyncIterator[Notice]:
        """As `Connection.notices`: those of every table that the connection listens to."""
        return self.connection.notices(limit)

    async def peek(self, row: int | None = None, **key: Any) -> list[Row]:
        """Rows as they are, without a lease: the one of this number, or those of this key. Raises Error unknown_row."""
        params = {"table": self.table} | key_of(row, key)
        return [one async for one in self._pages("PEEK", params, "ROW", row_of)]

    async def why(self, row: int | None = None, **key: Any) -> list[dict[str, Any]]:
        """Why rows are where they are: for each of this number or key a dictionary with `state`, `text` (a sentence for
        people) and the facts of REASON."""
        reply = await self.connection.request("WHY", {"table": self.table} | key_of(row, key))
        return [message.params for message in reply.messages]
