# Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.
"""What the commands of a journal table answer. Dates and durations are milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Put:
    """The row is there, synced.

    row: the row's number.
    result: inserted, merged, behind, duplicate, stale or unique (a row of the key is done, and no further one is taken
        yet); without row-key inserted or duplicate; of a transaction also expired, without row.
    merges: how often the row was merged.
    process_date: not handed out before.
    """

    row: int
    result: str
    merges: int
    process_date: int


@dataclass(frozen=True, slots=True)
class KickedRow:
    """The row is back at work.

    row: the row's number.
    process_date: not handed out before.
    """

    row: int
    process_date: int = 0


@dataclass(frozen=True, slots=True)
class DueRows:
    """Rows whose date is above `from`, and not above `to`.

    from_: 0: any date.
    to: 0: any date.
    rows: how many rows.
    now: the begin of the timeline.
    """

    from_: int
    to: int = 0
    rows: int = 0
    now: int = 0


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain that has rows.

    domain: its name; empty: rows without one.
    rows: all its rows.
    waiting: of these, rows that wait for their date.
    due: rows that are due.
    ready: of these, as many as may be handed out now.
    processing: rows that are leased.
    weight: rows that it hands out in a turn.
    turn: next, or waits; absent: it has nothing to hand out.
    limit: what keeps its due rows: an option of the table, or pause.
    first_date: the date of its first due row.
    next_date: when it may have something to hand out.
    """

    domain: str
    rows: int = 0
    waiting: int = 0
    due: int = 0
    ready: int = 0
    processing: int = 0
    weight: int = 0
    turn: str = ""
    limit: str = ""
    first_date: int = 0
    next_date: int = 0


@dataclass(frozen=True, slots=True)
class Scheduled:
    """The schedule is as it was given.

    schedule: its name.
    number: its number.
    result: made, changed or unchanged.
    next_date: its next date; absent: none comes any more.
    """

    schedule: str
    number: int = 0
    result: str = ""
    next_date: int = 0


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule.

    schedule: its name.
    number: its number.
    state: over: no date comes any more.
    cron: its dates; or else every.
    every: so far apart.
    time_zone: whose clock cron is about.
    jitter: its rows are due up to so much later.
    begins: no date before.
    ends: no date behind.
    overlap: while a row of it has not ended.
    catch_up: of dates that were missed.
    catch_up_window: of these none that is older.
    catch_up_max: of these so many at most.
    pause_after: so many failures in a row pause it.
    alert_after: an alert is raised when nothing was done for so long.
    priority: of its rows.
    expires_in: of its rows.
    columns: of its rows, as one object in JSON.
    declared: True, by the table's file.
    next_date: its next date.
    dates: its next dates since 1970.
    waiting_date: this date waits for the end of the row before.
    last_date: the last date that is over.
    last_row: the last row.
    last_result: what became of it.
    last_success: the last date whose row was done.
    failures_in_row: rows that failed or expired since one was done.
    running: rows that have not ended.
    made: rows that it made.
    done: of these, rows that are done.
    failed: of these, rows that failed or expired.
    skipped: dates without a row, since one before had not ended.
    missed: dates without a row, since none could be made at the time; counted up to 1000 at once.
    late: True, without success for longer than alert_after.
    since: since when it is paused, or runs as it does.
    by: who made, paused or resumed it last.
    reason: why it is paused.
    problem: why it can make no rows here.
    """

    schedule: str
    number: int = 0
    state: str = ""
    cron: str = ""
    every: int = 0
    time_zone: str = ""
    jitter: int = 0
    begins: int = 0
    ends: int = 0
    overlap: str = ""
    catch_up: str = ""
    catch_up_window: int = 0
    catch_up_max: int = 0
    pause_after: int = 0
    alert_after: int = 0
    priority: int = 0
    expires_in: int = 0
    columns: str = ""
    declared: bool = False
    next_date: int = 0
    dates: list[str] = field(default_factory=list)
    waiting_date: int = 0
    last_date: int = 0
    last_row: int = 0
    last_result: str = ""
    last_success: int = 0
    failures_in_row: int = 0
    running: int = 0
    made: int = 0
    done: int = 0
    failed: int = 0
    skipped: int = 0
    missed: int = 0
    late: bool = False
    since: int = 0
    by: str = ""
    reason: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Backfilled:
    """So many rows are there.

    schedule: its name.
    count: rows of this page.
    until: this date and those before have their rows.
    complete: True, all dates of the range have their rows; False, the same command goes on.
    """

    schedule: str
    count: int = 0
    until: int = 0
    complete: bool = False


@dataclass(frozen=True, slots=True)
class JobGroup:
    """A group of jobs.

    group: its name.
    number: its number.
    state: open: it does not end; closed: it ends once all its rows have; ended.
    result: of the command GROUP.
    rows: rows that have not ended, parked ones apart.
    done: rows that are done.
    failed: rows that are gone without being done: deleted, expired.
    parked: rows that were given up, and may be put back to work.
    since: when it was made.
    ended_date: when all its rows had ended.
    until: until when it is kept.
    waiting: rows that wait for it, the first by number, with blanks between.
    """

    group: str
    number: int = 0
    state: str = ""
    result: str = ""
    rows: int = 0
    done: int = 0
    failed: int = 0
    parked: int = 0
    since: int = 0
    ended_date: int = 0
    until: int = 0
    waiting: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A row, and what it waits for.

    row: the row's number.
    state: its state.
    level: of a group: above that of all rows of the page that it waits for, from 0; of a row: so many steps behind it,
        below 0 before it.
    text: its key, for people.
    waits_for: the rows that it waits for, with blanks between.
    broken: of what it waited for, that which failed.
    after_group: the group of jobs that it waits for.
    group: its group of jobs.
    """

    row: int
    state: str = ""
    level: int = 0
    text: str = ""
    waits_for: str = ""
    broken: str = ""
    after_group: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """What happened in a minute or an hour in which something did.

    date: its begin.
    inserted: new rows.
    leased: rows handed out.
    done: rows done.
    failed: attempts that a worker called failed.
    timed_out: leases that ran out.
    waiting: unleased rows at its end, whatever their date.
    processing: leased rows at its end.
    lateness_ms_p50: from a row's date to its lease: half of them below; of an hour the mean of its minutes, by their
        leases.
    lateness_ms_p99: 99 of 100 below; of an hour the largest of its minutes.
    """

    date: int
    inserted: int = 0
    leased: int = 0
    done: int = 0
    failed: int = 0
    timed_out: int = 0
    waiting: int = 0
    processing: int = 0
    lateness_ms_p50: int = 0
    lateness_ms_p99: int = 0


__all__ = [
    "Backfilled",
    "Domain",
    "DueRows",
    "Figure",
    "JobGroup",
    "KickedRow",
    "Node",
    "Put",
    "Schedule",
    "Scheduled",
]
