# Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.
"""The commands of a journal table."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from .async_calls import TableCalls
from .journal_records import Backfilled, Domain, DueRows, Figure, JobGroup, KickedRow, Node, Put, Schedule, Scheduled
from .rows import Columns, Date, Duration, Returned, Row, Work, columns_of, key_of, returned_of, row_of, work_of
from .typed import given, if_any, kept, number, one, record, span, when, word

# What their `result` may be.
_INSERTED = ("inserted", "merged", "behind", "duplicate", "stale", "expired", "unique")
_SCHEDULED = ("made", "changed", "unchanged")
_GROUP = ("made", "opened", "closed", "unchanged")


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
        after: str | None = None,
        after_keys: str | None = None,
        when_failed: str | None = None,
        group: str | None = None,
        after_group: str | None = None,
        after_group_is: str | None = None,
        tags: str | None = None,
        max_attempts: int | None = None,
        back_off: str | None = None,
        lease: Duration | None = None,
        unique_for: Duration | None = None,
    ) -> Put:
        """Adds a row, or merges it into the row of the same key that waits; in a table without row-key always adds one.

        columns: by their names; None is an absent value.
        priority: the smallest is first; or a word of the option priority-words, as NOW; 0 to 255; 100 if absent.
        process_date: not to be handed out before; now if absent; at least insertion_date.
        expiration_date: not to be handed out from then on, after process_date; 0 or absent: never.
        insertion_date: the producer's date of this data; older than the one accepted last: nothing changes; further in
            the future than max-clock-skew: refused.
        client: the producer's name for this start of it; with sequence: resent inserts are done once; at most 128
            bytes.
        sequence: the number of this insert by this client.
        after: rows of this table that it waits for, up to 1000: their numbers, with blanks between; those that have
            ended are not waited for; at most 24000 bytes.
        after_keys: the same by the keys of a table whose row-key is one column, all rows of each key: keys with blanks
            between, or each on a line of its own; at most 65536 bytes.
        when_failed: what it does when one of these fails (is parked, deleted or expires): it waits on (wait, if
            absent), it fails too, or it runs all the same; one of "wait", "fail", "go-on".
        group: it is of this group of jobs, which is made if it is not there; without open it ends once all its rows
            have; at most 128 bytes.
        after_group: it waits for this group of jobs; at most 128 bytes.
        after_group_is: until all rows of that group have ended (ended, if absent), until all have been done, or until
            one has failed; one of "ended", "done", "failed".
        tags: words that find the row, with commas between them: at most 16 of 64 bytes, of letters, digits and . _ : /
            @ + # -; at most 1039 bytes.
        max_attempts: of this row, in place of the option max-attempts; 0 to 250.
        back_off: how long this row rests after a failed attempt, in place of the option back-off: doubling, linear,
            sidekiq, or durations as in 10s,1m,10m; at most 256 bytes.
        lease: how long the work on this row may take, unless NEXT says it; within processing-timeout-min and -max;
            0.001 to 31536000 s.
        unique_for: for so long after this row is done no further row of its key is taken; 0 or absent: as the option
            unique-for says; not without row-key; 0 to 31536000 s.
        """
        params = columns_of(columns) | given(
            table=self.table,
            priority=priority,
            process_date=when(process_date),
            expiration_date=when(expiration_date),
            insertion_date=when(insertion_date),
            client=client,
            sequence=sequence,
            after=after or None,
            after_keys=after_keys or None,
            when_failed=when_failed or None,
            group=group or None,
            after_group=after_group or None,
            after_group_is=after_group_is or None,
            tags=tags or None,
            max_attempts=max_attempts,
            back_off=back_off or None,
            lease=span(lease),
            unique_for=span(unique_for),
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

    async def take(
        self,
        *,
        domain: str | None = None,
        count: int | None = None,
        wait: Duration | None = None,
        worker: str | None = None,
    ) -> Work:
        """The next rows that are due, which are done at once: none is given out twice, and one that is lost is lost.

        domain: rows of this domain only; at most 256 bytes.
        count: how many rows at most; 1 to 1024; 1 if absent.
        wait: how long to wait for a row when nothing is due; 0 to 86400 s; 0 if absent.
        worker: the worker's name, for people; peer address and connection if absent; at most 256 bytes.
        """
        params = given(
            table=self.table, domain=domain or None, count=count, wait=span(wait), worker=worker or None, done=1
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

    async def progress(self, row: Row, percent: int, *, note: str | None = None, lease: Duration | None = None) -> int:
        """Says how far the work on a leased row is, for all who look at it; replaces what was said before under this
        lease, and ends with it. With lease it renews the lease as well.

        percent: how much of it is done; 0 to 100.
        note: what is being done, for people; empty while memory is short; 1024 bytes are kept.
        lease: how long from now; if absent the lease ends as before; processing-timeout-min to processing-timeout-max.
        Returns: when the lease is over.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=row.table or self.table,
            row=row.row,
            epoch=row.epoch,
            percent=percent,
            note=kept(note, 1024) or None,
            lease=span(lease),
        )
        return number(await self.connection.request("PROGRESS", params), "PROGRESSED", "lease_end")

    async def done(self, row: Row, *, result: str | None = None) -> None:
        """The row is finished, and deleted.

        result: what came of it, for who waits for the row (WAIT) and for HISTORY; 65536 bytes are kept.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(table=row.table or self.table, row=row.row, epoch=row.epoch, result=kept(result, 65536) or None)
        await self.connection.request("DONE", params)

    async def done_and_next(
        self, row: Row, *, domain: str | None = None, worker: str | None = None, result: str | None = None
    ) -> Work:
        """As done, and leases the next row in the same round trip.

        domain: a row of this domain only; at most 256 bytes.
        worker: the worker's name; at most 256 bytes.
        result: what came of it, for who waits for the row (WAIT) and for HISTORY; 65536 bytes are kept.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=row.table or self.table,
            row=row.row,
            epoch=row.epoch,
            domain=domain or None,
            worker=worker or None,
            result=kept(result, 65536) or None,
            next=1,
        )
        return work_of(await self.connection.request("DONE", params))

    async def release(
        self,
        row: Row,
        *,
        process_date: Date | None = None,
        error: str | None = None,
        error_trace: str | None = None,
        error_class: str | None = None,
    ) -> Returned:
        """Gives a row back. Without an error it is due again and nothing is counted; with one it is a failed attempt:
        it rests for the table's back-off, or is given up.

        process_date: when it may be handed out again; if absent: now, or after the back-off of a failed attempt.
        error: what went wrong, for people. Makes it a failed attempt; 1024 bytes are kept.
        error_trace: where it went wrong, as a traceback, for people. Makes it a failed attempt; 65536 bytes are kept.
        error_class: what kind of error it is, for programs: TimeoutError, a code; rows are found by it; 128 bytes are
            kept.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=row.table or self.table,
            row=row.row,
            epoch=row.epoch,
            process_date=when(process_date),
            error=kept(error, 1024) or None,
            error_trace=kept(error_trace, 65536) or None,
            error_class=kept(error_class, 128) or None,
        )
        return returned_of(await self.connection.report("RELEASE", params))

    async def fail(
        self, row: Row, error: str, error_trace: str | None = None, *, error_class: str | None = None
    ) -> Returned:
        """This row can never work: it is parked (or deleted, when-failed) at once. Counts as a failed attempt.

        error: why, for people; 1024 bytes are kept.
        error_trace: where it went wrong, as a traceback, for people; 65536 bytes are kept.
        error_class: what kind of error it is, for programs: TimeoutError, a code; rows are found by it; 128 bytes are
            kept.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=row.table or self.table,
            row=row.row,
            epoch=row.epoch,
            error=kept(error, 1024) or None,
            error_trace=kept(error_trace, 65536) or None,
            error_class=kept(error_class, 128) or None,
        )
        return returned_of(await self.connection.report("FAIL", params))

    def list(
        self,
        *,
        status: str | None = None,
        domain: str | None = None,
        prefix: str | None = None,
        error: str | None = None,
        error_class: str | None = None,
        tag: str | None = None,
        page: int = 1000,
    ) -> AsyncIterator[Row]:
        """Shows rows by their number.

        status: rows in this state only; one of "waiting", "due", "processing", "behind", "blocked", "parked", "paused".
        domain: rows of this domain only; at most 256 bytes.
        prefix: rows whose first key column begins so; not without row-key.
        error: rows whose last error contains this; at most 1024 bytes.
        error_class: rows whose last error is of this class; at most 128 bytes.
        tag: rows with this tag only; at most 64 bytes.
        page: asks for so many at a time; 1 to 1000.
        """
        params = given(
            table=self.table,
            status=status or None,
            domain=domain or None,
            prefix=prefix or None,
            error=error or None,
            error_class=error_class or None,
            tag=tag or None,
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
        error_class: str | None = None,
        tag: str | None = None,
        count: int | None = None,
    ) -> int:
        """How many rows fit a filter, counted page by page.

        status: rows in this state only; one of "waiting", "due", "processing", "behind", "blocked", "parked", "paused".
        domain: rows of this domain only; at most 256 bytes.
        prefix: rows whose first key column begins so; not without row-key.
        error: rows whose last error contains this; at most 1024 bytes.
        error_class: rows whose last error is of this class; at most 128 bytes.
        tag: rows with this tag only; at most 64 bytes.
        count: how many at most; all if absent.
        """
        params = given(
            table=self.table,
            status=status or None,
            domain=domain or None,
            prefix=prefix or None,
            error=error or None,
            error_class=error_class or None,
            tag=tag or None,
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

    def figures(
        self, *, per: str | None = None, since: Date | None = None, until: Date | None = None, page: int = 100
    ) -> AsyncIterator[Figure]:
        """Shows what happened in each minute of the last day, or each hour of the last 31 days, the oldest first; of a
        table with keep-figures. What did not happen is left out.

        per: how long each is; a minute if absent; one of "minute", "hour".
        since: those that begin at this date or later.
        until: those that begin before this date.
        page: asks for so many at a time; 1 to 1500.
        """
        params = given(table=self.table, per=per or None, since=when(since), until=when(until), count=page)
        return self._pages("FIGURES", params, "FIGURE", record(Figure))

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
        error_class: str | None = None,
        tag: str | None = None,
        count: int | None = None,
    ) -> int:
        """Deletes the rows that fit a filter, in whatever state, page by page; how many. Without a filter it is
        refused.

        status: in this state only; one of "waiting", "due", "processing", "behind", "blocked", "parked", "paused".
        domain: of this domain only; at most 256 bytes.
        prefix: whose first key column begins so; not without row-key.
        error: whose last error contains this; at most 1024 bytes.
        error_class: whose last error is of this class; at most 128 bytes.
        tag: with this tag only; at most 64 bytes.
        count: how many at most; all if absent.
        """
        params = given(
            table=self.table,
            status=status or None,
            domain=domain or None,
            prefix=prefix or None,
            error=error or None,
            error_class=error_class or None,
            tag=tag or None,
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
        error_class: str | None = None,
        tag: str | None = None,
        count: int | None = None,
    ) -> int:
        """Makes the rows that fit a filter due now and resets their attempts, page by page; how many.

        status: in this state only; parked if absent; one of "waiting", "due", "processing", "behind", "blocked",
            "parked", "paused".
        domain: of this domain only; at most 256 bytes.
        prefix: whose first key column begins so; not without row-key.
        error: whose last error contains this; at most 1024 bytes.
        error_class: whose last error is of this class; at most 128 bytes.
        tag: with this tag only; at most 64 bytes.
        count: how many at most; all if absent.
        """
        params = given(
            table=self.table,
            status=status or None,
            domain=domain or None,
            prefix=prefix or None,
            error=error or None,
            error_class=error_class or None,
            tag=tag or None,
        )
        return await self._all("KICK", params, count, "KICKED")

    async def pause(self, *, reason: str | None = None, worker: str | None = None, schedule: str | None = None) -> None:
        """Nothing is handed out any more; leases go on, inserts are taken. With schedule: its dates make no rows.

        reason: why, for people; 1024 bytes are kept.
        worker: who pauses; peer address and connection if absent; at most 256 bytes.
        schedule: this schedule of the table, and not the table; at most 64 bytes.
        """
        params = given(
            table=self.table, reason=kept(reason, 1024) or None, worker=worker or None, schedule=schedule or None
        )
        await self.connection.request("PAUSE", params)

    async def resume(self, *, reason: str | None = None, worker: str | None = None, schedule: str | None = None) -> str:
        """Ends a PAUSE or DRAIN; who waits for work is told. With schedule: of the dates that it missed it does what
        its catch_up says.

        reason: why, for people; 1024 bytes are kept.
        worker: who resumes; at most 256 bytes.
        schedule: this schedule of the table, and not the table; at most 64 bytes.
        Returns: paused, draining or open.
        """
        params = given(
            table=self.table, reason=kept(reason, 1024) or None, worker=worker or None, schedule=schedule or None
        )
        return word(await self.connection.request("RESUME", params), "RESUMED", "was")

    async def drain(self, *, reason: str | None = None, worker: str | None = None) -> None:
        """Inserts are refused; work goes on until the table is empty, and then until RESUME.

        reason: why, for people; 1024 bytes are kept.
        worker: who drains; peer address and connection if absent; at most 256 bytes.
        """
        params = given(table=self.table, reason=kept(reason, 1024) or None, worker=worker or None)
        await self.connection.request("DRAIN", params)

    async def group(self, group: str, *, state: str | None = None) -> JobGroup:
        """Makes a group of jobs that stays open, and so does not end, until it is closed; or closes it.

        group: its name; at most 128 bytes.
        state: open, if absent: it is made, or opened again before it has ended; closed: it ends once all its rows have;
            one of "open", "closed".
        """
        params = given(table=self.table, group=group or None, state=state or None)
        return one(await self.connection.request("GROUP", params), "GROUP", record(JobGroup), _GROUP)

    def groups(self, *, group: str | None = None, page: int = 100) -> AsyncIterator[JobGroup]:
        """Shows groups of jobs with the counts of their rows, oldest first.

        group: this one only; at most 128 bytes.
        page: asks for so many at a time; 1 to 1000.
        """
        params = given(table=self.table, group=group or None, count=page)
        return self._pages("GROUPS", params, "GROUP", record(JobGroup))

    async def cancel(self, group: str, *, how: str | None = None, count: int | None = None) -> int:
        """Ends the rows of a group of jobs that have not ended, page by page, and closes it; how many.

        group: its name; at most 128 bytes.
        how: delete, if absent; or fail: they are parked, or deleted (when-failed); one of "delete", "fail".
        count: how many at most; all if absent.
        """
        params = given(table=self.table, group=group or None, how=how or None)
        return await self._all("CANCEL", params, count, "CANCELLED")

    def graph(self, *, group: str | None = None, row: int | None = None, page: int = 200) -> AsyncIterator[Node]:
        """Shows rows with what they wait for: those of a group of jobs, by number; or a row, what it waits for and what
        waits for it, step by step.

        group: the rows of this group; or else row; at most 128 bytes.
        row: this row and those around it.
        page: asks for so many at a time; 1 to 1000.
        """
        params = given(table=self.table, group=group or None, row=row, count=page)
        return self._pages("GRAPH", params, "NODE", record(Node))

    async def schedule(
        self,
        columns: Columns,
        schedule: str,
        *,
        cron: str | None = None,
        every: Duration | None = None,
        time_zone: str | None = None,
        jitter: Duration | None = None,
        begins: Date | None = None,
        ends: Date | None = None,
        overlap: str | None = None,
        catch_up: str | None = None,
        catch_up_window: Duration | None = None,
        catch_up_max: int | None = None,
        pause_after: int | None = None,
        alert_after: Duration | None = None,
        priority: int | None = None,
        expires_in: Duration | None = None,
        worker: str | None = None,
    ) -> Scheduled:
        """Makes a schedule, which inserts a row at each of its dates, or changes the one of this name to what is given;
        with the columns of its rows.

        columns: by their names; None is an absent value.
        schedule: its name: letters, digits and _ - . : of ASCII, a letter or digit first; at most 64 bytes.
        cron: its dates, as a cron expression of five or six fields; or else every; at most 256 bytes.
        every: its dates are so far apart; the first is at begins, or they are a whole number of these behind 1970; 1 to
            316224000 s.
        time_zone: whose clock cron is about: UTC if absent, or Europe/Berlin; at most 64 bytes.
        jitter: its rows are due up to so much later, always the same for a date; 0 to 86400 s; 0 if absent.
        begins: no date before this one; 0 or absent: from now on.
        ends: no date behind this one; 0 or absent: for ever.
        overlap: while a row of it has not ended, the next date makes none (skip, if absent); or one waits for the end
            of that row; or all make theirs; one of "skip", "one", "all".
        catch_up: which dates that came while none could be made make a row after all; last if absent; one of "none",
            "last", "all".
        catch_up_window: of these dates none that is older; 0: however old; 0 to 316224000 s; 86400 if absent.
        catch_up_max: with catch_up=all: the last so many of them; 1 to 1000; 100 if absent.
        pause_after: it pauses itself when so many of its rows failed or expired one after the other; 0: never; 0 to
            1000000; 0 if absent.
        alert_after: the alert schedule-late is raised when no row of it was done for so long; 0: never; 0 to 316224000
            s; 0 if absent.
        priority: of its rows; 0 to 255; 100 if absent.
        expires_in: its rows expire so long after their dates; 0: never; 0 to 316224000 s; 0 if absent.
        worker: who makes it; peer address and connection if absent; at most 256 bytes.
        """
        params = columns_of(columns) | given(
            table=self.table,
            schedule=schedule or None,
            cron=cron or None,
            every=span(every),
            time_zone=time_zone or None,
            jitter=span(jitter),
            begins=when(begins),
            ends=when(ends),
            overlap=overlap or None,
            catch_up=catch_up or None,
            catch_up_window=span(catch_up_window),
            catch_up_max=catch_up_max,
            pause_after=pause_after,
            alert_after=span(alert_after),
            priority=priority,
            expires_in=span(expires_in),
            worker=worker or None,
        )
        return one(await self.connection.request("SCHEDULE", params), "SCHEDULED", record(Scheduled), _SCHEDULED)

    async def unschedule(self, schedule: str) -> None:
        """Removes a schedule; its rows stay.

        schedule: its name; at most 64 bytes.
        """
        params = given(table=self.table, schedule=schedule or None)
        await self.connection.request("UNSCHEDULE", params)

    def schedules(
        self, *, schedule: str | None = None, dates: int | None = None, page: int = 100
    ) -> AsyncIterator[Schedule]:
        """Shows the schedules with their next dates and what became of the last one, by their numbers.

        schedule: this one only; at most 64 bytes.
        dates: with so many of the next dates of each; 0 to 100; 0 if absent.
        page: asks for so many at a time; 1 to 1000.
        """
        params = given(table=self.table, schedule=schedule or None, dates=dates, count=page)
        return self._pages("SCHEDULES", params, "SCHEDULE", record(Schedule))

    async def trigger(self, schedule: str) -> int:
        """A row of a schedule at once, whatever its dates and its overlap say; also of one that is paused.

        schedule: its name; at most 64 bytes.
        Returns: the row's number.
        """
        params = given(table=self.table, schedule=schedule or None)
        return number(await self.connection.request("TRIGGER", params), "TRIGGERED", "row")

    async def backfill(
        self, schedule: str, *, from_date: Date | None = None, to_date: Date | None = None, count: int | None = None
    ) -> Backfilled:
        """A row for each date of a schedule in a range that is past: a page, and the same call goes on behind it.

        schedule: its name; at most 64 bytes.
        from_date: the first date, at the earliest.
        to_date: the last date, at the latest; not in the future.
        count: how many rows at most; 1 to 500; 100 if absent.
        """
        params = given(
            table=self.table, schedule=schedule or None, from_date=when(from_date), to_date=when(to_date), count=count
        )
        return one(await self.connection.request("BACKFILL", params), "BACKFILLED", record(Backfilled))
