# Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.
"""What the commands of a journal table answer. Dates and durations are milliseconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Put:
    """The row is there, synced.

    row: the row's number.
    result: inserted, merged, behind, duplicate or stale; without row-key inserted or duplicate; of a transaction also
        expired, without row.
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


__all__ = [
    "Domain",
    "DueRows",
    "KickedRow",
    "Put",
]
