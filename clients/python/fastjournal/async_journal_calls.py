# Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.
"""The commands of a journal table."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from .async_calls import TableCalls
from .journal_records import Domain, DueRows, KickedRow, Put
from .rows import Columns, Date, Duration, Returned, Row, Work, columns_of, key_of, returned_of, row_of, work_of
from .typed import given, if_any, kept, number, one, record, span, when, word

# What their `result` may be.
_INSERTED = ("inserted", "merged", "behind", "duplicate", "stale", "expired")


class JournalCalls(TableCalls):
    """A journal table on a connection, which must outlive it. Every call raises what `Connection.call` does.

    Prioritised, delayed, de-duplicating rows of work with leases, time-outs and expiry. Changes are numbered under a
    name that the connection drew: one whose answer was lost is sent again, and counts once.
    """

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
        """Adds a row, or merges it into the row of the same key that waits; in a table without row-key always adds one.

        columns: by their names; None is an absent value.
        priority: the smallest is first; 0 to 255; 100 if absent.
        process_date: not to be handed out before; now if absent; at least insertion_date.
        expiration_date: not to be handed out from then on, after process_date; 0 or absent: never.
        insertion_date: the producer's date of this data; older than the one accepted last: nothing changes; further in
            the future than max-clock-skew: refused.
        client: the producer's name for this start of it; with sequence: resent inserts are done once; at most 128
            bytes.
        sequence: the number of this insert by this client.
        """
        params = columns_of(columns) | given(
            table=self.table,
            priority=priority,
            process_date=when(process_date),
            expiration_date=when(expiration_date),
            insertion_date=when(insertion_date),
            client=client,
            sequence=sequence,
        )
        return one(await self._numbered("INSERT", params), "INSERTED", record(Put), _INSERTED)

    async def next(
        self,
        count: int = 1,
        *,
        domain: str | None = None,
        lease: Duration | None = None,
        wait: Duration | None = None,
        worker: str | None = None,
    ) -> Work:
        """Leases the next rows that are due; NOTHING gives the date of the next one.

        count: how many rows at most; 1 to 1024; 1 if absent.
        domain: rows of this domain only; at most 256 bytes.
        lease: how long the work may take; processing-timeout-min to processing-timeout-max; processing-timeout if
            absent.
        wait: how long to wait for a row when nothing is due; 0 to 86400 s; 0 if absent.
        worker: the worker's name, for people; peer address and connection if absent; at most 256 bytes.
        """
        params = given(
            table=self.table,
            count=count,
            domain=domain or None,
            lease=span(lease),
            wait=span(wait),
            worker=worker or None,
        )
        return work_of(await self.connection.request("NEXT", params))

    async def touch(self, row: Row, lease: Duration | None = None) -> int:
        """Renews a lease, and takes it over on a new connection.

        lease: how long from now; processing-timeout-min to processing-timeout-max; processing-timeout if absent.
        Returns: when the lease is over.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(table=row.table or self.table, row=row.row, epoch=row.epoch, lease=span(lease))
        return number(await self.connection.request("TOUCH", params), "TOUCHED", "lease_end")

    async def done(self, row: Row) -> None:
        """The row is finished, and deleted.

        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(table=row.table or self.table, row=row.row, epoch=row.epoch)
        await self.connection.request("DONE", params)

    async def done_and_next(self, row: Row, *, domain: str | None = None, worker: str | None = None) -> Work:
        """As done, and leases the next row in the same round trip.

        domain: a row of this domain only; at most 256 bytes.
        worker: the worker's name; at most 256 bytes.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=row.table or self.table,
            row=row.row,
            epoch=row.epoch,
            domain=domain or None,
            worker=worker or None,
            next=1,
        )
        return work_of(await self.connection.request("DONE", params))

    async def release(
        self, row: Row, *, process_date: Date | None = None, error: str | None = None, error_trace: str | None = None
    ) -> Returned:
        """Gives a row back. Without an error it is due again and nothing is counted; with one it is a failed attempt:
        it rests for the table's back-off, or is given up.

        process_date: when it may be handed out again; if absent: now, or after the back-off of a failed attempt.
        error: what went wrong, for people. Makes it a failed attempt; 1024 bytes are kept.
        error_trace: where it went wrong, as a traceback, for people. Makes it a failed attempt; 16384 bytes are kept.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=row.table or self.table,
            row=row.row,
            epoch=row.epoch,
            process_date=when(process_date),
            error=kept(error, 1024) or None,
            error_trace=kept(error_trace, 16384) or None,
        )
        return returned_of(await self.connection.report("RELEASE", params))

    async def fail(self, row: Row, error: str, error_trace: str | None = None) -> Returned:
        """This row can never work: it is parked (or deleted, when-failed) at once. Counts as a failed attempt.

        error: why, for people; 1024 bytes are kept.
        error_trace: where it went wrong, as a traceback, for people; 16384 bytes are kept.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=row.table or self.table,
            row=row.row,
            epoch=row.epoch,
            error=kept(error, 1024) or None,
            error_trace=kept(error_trace, 16384) or None,
        )
        return returned_of(await self.connection.report("FAIL", params))

    def list(
        self,
        *,
        status: str | None = None,
        domain: str | None = None,
        prefix: str | None = None,
        error: str | None = None,
        page: int = 1000,
    ) -> AsyncIterator[Row]:
        """Shows rows by their number.

        status: rows in this state only; one of "waiting", "due", "processing", "behind", "parked", "paused".
        domain: rows of this domain only; at most 256 bytes.
        prefix: rows whose first key column begins so; not without row-key.
        error: rows whose last error contains this; at most 1024 bytes.
        page: asks for so many at a time; 1 to 1000.
        """
        params = given(
            table=self.table,
            status=status or None,
            domain=domain or None,
            prefix=prefix or None,
            error=error or None,
            count=page,
        )
        return self._pages("LIST", params, "ROW", row_of)

    async def count(
        self,
        *,
        status: str | None = None,
        domain: str | None = None,
        prefix: str | None = None,
        error: str | None = None,
        count: int | None = None,
    ) -> int:
        """How many rows fit a filter, counted page by page.

        status: rows in this state only; one of "waiting", "due", "processing", "behind", "parked", "paused".
        domain: rows of this domain only; at most 256 bytes.
        prefix: rows whose first key column begins so; not without row-key.
        error: rows whose last error contains this; at most 1024 bytes.
        count: how many at most; all if absent.
        """
        params = given(
            table=self.table, status=status or None, domain=domain or None, prefix=prefix or None, error=error or None
        )
        return await self._all("COUNT", params, count, "COUNTED")

    def timeline(self, *, domain: str | None = None) -> AsyncIterator[DueRows]:
        """Counts rows by when they fall due: those that are, and each second of the next minute, minute of the next
        hour, hour of the next day.

        domain: rows of this domain only; at most 256 bytes.
        """
        params = given(table=self.table, domain=domain or None)
        return self._pages("TIMELINE", params, "DUE", record(DueRows))

    def domains(self, *, page: int = 100) -> AsyncIterator[Domain]:
        """Shows the domains that have rows, with their turns and limits.

        page: asks for so many at a time; 1 to 1000.
        """
        params = given(table=self.table, count=page)
        return self._pages("DOMAINS", params, "DOMAIN", record(Domain))

    async def delete(self, row: int | None = None, **key: Any) -> None:
        """Deletes a row, or all rows of a key, in whatever state.

        row, key: the row's number, or else the key columns.
        """
        params = key_of(row, key) | given(table=self.table)
        await self.connection.request("DELETE", params)

    async def delete_matching(
        self,
        *,
        status: str | None = None,
        domain: str | None = None,
        prefix: str | None = None,
        error: str | None = None,
        count: int | None = None,
    ) -> int:
        """Deletes the rows that fit a filter, in whatever state, page by page; how many. Without a filter it is
        refused.

        status: in this state only; one of "waiting", "due", "processing", "behind", "parked", "paused".
        domain: of this domain only; at most 256 bytes.
        prefix: whose first key column begins so; not without row-key.
        error: whose last error contains this; at most 1024 bytes.
        count: how many at most; all if absent.
        """
        params = given(
            table=self.table, status=status or None, domain=domain or None, prefix=prefix or None, error=error or None
        )
        return await self._all("DELETE", params, count, "DELETED")

    async def kick(self, row: int | None = None, **key: Any) -> KickedRow | None:
        """Makes a row, or the rows of a key, due now and resets their attempts; what became of the first. None: it has
        expired, and is gone.

        row, key: the row's number, or else the key columns.
        """
        params = key_of(row, key) | given(table=self.table)
        return if_any(await self.connection.request("KICK", params), "KICKED", record(KickedRow))

    async def kick_matching(
        self,
        *,
        status: str | None = None,
        domain: str | None = None,
        prefix: str | None = None,
        error: str | None = None,
        count: int | None = None,
    ) -> int:
        """Makes the rows that fit a filter due now and resets their attempts, page by page; how many.

        status: in this state only; parked if absent; one of "waiting", "due", "processing", "behind", "parked",
            "paused".
        domain: of this domain only; at most 256 bytes.
        prefix: whose first key column begins so; not without row-key.
        error: whose last error contains this; at most 1024 bytes.
        count: how many at most; all if absent.
        """
        params = given(
            table=self.table, status=status or None, domain=domain or None, prefix=prefix or None, error=error or None
        )
        return await self._all("KICK", params, count, "KICKED")

    async def pause(self, *, reason: str | None = None, worker: str | None = None) -> None:
        """Nothing is handed out any more; leases go on, inserts are taken.

        reason: why, for people; 1024 bytes are kept.
        worker: who pauses; peer address and connection if absent; at most 256 bytes.
        """
        params = given(table=self.table, reason=kept(reason, 1024) or None, worker=worker or None)
        await self.connection.request("PAUSE", params)

    async def resume(self, *, reason: str | None = None, worker: str | None = None) -> str:
        """Ends a PAUSE or DRAIN; who waits for work is told.

        reason: why, for people; 1024 bytes are kept.
        worker: who resumes; at most 256 bytes.
        Returns: paused, draining or open.
        """
        params = given(table=self.table, reason=kept(reason, 1024) or None, worker=worker or None)
        return word(await self.connection.request("RESUME", params), "RESUMED", "was")

    async def drain(self, *, reason: str | None = None, worker: str | None = None) -> None:
        """Inserts are refused; work goes on until the table is empty, and then until RESUME.

        reason: why, for people; 1024 bytes are kept.
        worker: who drains; peer address and connection if absent; at most 256 bytes.
        """
        params = given(table=self.table, reason=kept(reason, 1024) or None, worker=worker or None)
        await self.connection.request("DRAIN", params)
