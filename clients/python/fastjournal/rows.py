"""What the commands of a journal table take and answer, as Python's types; shared by both kinds of connections.

Dates are whole milliseconds since 1970-01-01T00:00:00Z, as the daemon tells them. Where a date is given it may also
be a `datetime` with a time zone, or a `timedelta` from the moment when the daemon reads it. Durations (lease, wait)
are seconds or a `timedelta`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from .errors import Error
from .session import BaseConnection, Call, Reply
from .wire import Message, whole

Date = int | datetime | timedelta
Duration = float | timedelta
Columns = Mapping[str, Any]

# Those that a row of put_many may have beside its columns.
_DATES = ("process_date", "expiration_date", "insertion_date")
# Those that the client sets, or that are none of a row.
_RESERVED = frozenset({"table", "request", "client", "sequence"})
_NOT_PLAIN = _RESERVED | frozenset(_DATES)
# The parameters of a ROW other than columns; no column may have such a name.
_ROW_PARAMETERS = frozenset(
    "accepted_date after attempts domain epoch error error_trace expiration_date insertion_date lease_end left "
    "merges omitted priority process_date request row status table timeouts worker".split()
)
PUT_RESULTS = ("inserted", "merged", "behind", "duplicate", "stale")


@dataclass(slots=True)
class Row:
    """A row as leased by NEXT or `deliver`, or as shown by PEEK and LIST (then `epoch` is 0 and `status` is set).

    columns: without absent values; `row["uri"]` is the same as `row.columns["uri"]`. attempts: failed ones since the
    last merge, time-outs included. omitted: columns that could not be sent, with commas. lost: set by a worker when the
    lease is lost while the row's function runs.
    """

    table: str
    row: int
    epoch: int
    columns: dict[str, Any]
    priority: int = 0
    process_date: int = 0
    insertion_date: int = 0
    expiration_date: int = 0
    lease_end: int = 0
    timeouts: int = 0
    attempts: int = 0
    merges: int = 0
    status: str = ""
    worker: str = ""
    error: str = ""
    error_trace: str = ""
    omitted: str = ""
    lost: bool = False

    def __getitem__(self, column: str) -> Any:
        return self.columns[column]

    def get(self, column: str, default: Any = None) -> Any:
        """A column, or `default` if the row has no value there."""
        return self.columns.get(column, default)


@dataclass(frozen=True, slots=True)
class Work:
    """What NEXT found: rows, or none and the date when a row may become available (None: the daemon knows of none)."""

    rows: list[Row]
    next_date: int | None = None


@dataclass(frozen=True, slots=True)
class Returned:
    """The fate of a row that was returned or given up: "released" (it waits again, until `process_date`), "parked" (for
    a person to look at), or "deleted" (given up in a table that keeps no such rows, or expired)."""

    fate: str
    process_date: int | None = None


@dataclass(slots=True)
class PutMany:
    """What became of the rows of a put_many: how many of each result, and how many were refused."""

    inserted: int = 0
    merged: int = 0
    behind: int = 0
    duplicate: int = 0
    stale: int = 0
    refused: int = 0


OnRefused = Callable[[int, Columns, Error], None]


def date_of(date: Date) -> int | str:
    """A date as a message has it. Raises ValueError for a datetime without a time zone."""
    if isinstance(date, datetime):
        if date.tzinfo is None:
            raise ValueError(f"{date} has no time zone")
        return round(date.timestamp() * 1000)
    if isinstance(date, timedelta):
        return f"+{max(round(date / timedelta(milliseconds=1)), 0)}"
    return date


def milliseconds(span: Duration) -> int:
    """A duration as a message has it."""
    return round(span / timedelta(milliseconds=1)) if isinstance(span, timedelta) else round(span * 1000)


def key_of(row: int | None, columns: Columns) -> dict[str, Any]:
    """The parameters that name a row: its number, or the key's columns."""
    if (row is None) == (not columns):
        raise ValueError("expected a row's number, or the columns of its key")
    return dict(columns) if row is None else {"row": row}


def columns_of(columns: Columns) -> dict[str, Any]:
    """The columns of an INSERT, without absent ones (None). Raises ValueError for names that are the client's."""
    if not _RESERVED.isdisjoint(columns):
        names = ", ".join(sorted(_RESERVED.intersection(columns)))
        raise ValueError(f"a row has no column with this name: {names}")
    out = {name: value for name, value in columns.items() if value is not None}
    for name in _DATES:
        if name in out:
            out[name] = date_of(out[name])
    return out


def is_plain(row: Columns) -> bool:
    """The row needs no columns_of."""
    return _NOT_PLAIN.isdisjoint(row) and None not in row.values()


def row_of(message: Message) -> Row:
    """The row of a ROW, or of a LISTEN about one."""
    params = message.params
    row = Row(
        table=str(params.get("table", "")),
        row=whole(params, "row"),
        epoch=whole(params, "epoch"),
        columns={name: value for name, value in params.items() if name not in _ROW_PARAMETERS},
    )
    for name in (
        "priority",
        "process_date",
        "insertion_date",
        "expiration_date",
        "lease_end",
        "timeouts",
        "attempts",
        "merges",
    ):
        setattr(row, name, whole(params, name))
    for name in ("status", "worker", "error", "error_trace", "omitted"):
        setattr(row, name, str(params.get(name, "")))
    return row


def work_of(reply: Reply) -> Work:
    rows, next_date = [], 0
    for message in reply.messages:
        if message.command == "ROW":
            rows.append(row_of(message))
        elif message.command == "NOTHING":
            next_date = whole(message.params, "next_date")
        elif message.command != "COMPLETED":
            raise unexpected(message, "ROW or NOTHING")
    return Work(rows, next_date or None)


def returned_of(reply: Reply) -> Returned:
    fate = {"RELEASED": "released", "PARKED": "parked", "DELETED": "deleted"}.get(reply.first.command)
    if fate is None:
        raise unexpected(reply.first, "RELEASED, PARKED or DELETED")
    return Returned(fate, whole(reply.first.params, "process_date") or None)


def unexpected(message: Message, wanted: str) -> Error:
    return Error("invalid", f"the daemon answered {message.command} where {wanted} was expected")


@dataclass(slots=True)
class Putting:
    """The bookkeeping of a put_many: rows in flight in their order, and what became of the others."""

    table: str
    client: str
    on_refused: OnRefused | None
    counts: PutMany = field(default_factory=PutMany)
    in_flight: deque[tuple[int, Columns, Call]] = field(default_factory=deque)

    def insert_of(self, row: Columns, sequence: int) -> dict[str, Any]:
        """The parameters of the INSERT of a row."""
        if not is_plain(row):
            row = columns_of(row)
        return {"table": self.table, **row, "client": self.client, "sequence": sequence}

    def settle(self) -> None:
        """Takes the answers that are there, in the order of the rows. Raises the first refusal if nobody is told."""
        in_flight, counts = self.in_flight, self.counts
        while in_flight and in_flight[0][2].finished:
            index, row, call = in_flight[0]
            if call.error is None:
                in_flight.popleft()
                params = call.messages[0].params
                result = params.get("result")
                if result == "inserted":
                    counts.inserted += 1
                elif result in PUT_RESULTS:
                    setattr(counts, result, getattr(counts, result) + 1)
                else:
                    raise unexpected(call.messages[0], "INSERTED with a known result")
                continue
            # Of the whole run: the row stays the first in flight.
            if isinstance(call.error, ConnectionError) or self.on_refused is None:
                raise call.error
            in_flight.popleft()
            counts.refused += 1
            self.on_refused(index, row, call.error)

    def stop(self, connection: BaseConnection, read: int, why: BaseException) -> None:
        """The run ends here, after `read` rows: the error says from which row on it is to be continued."""
        if isinstance(why, Error):
            why.facts["index"] = self.in_flight[0][0] if self.in_flight else read
        for _, _, call in self.in_flight:
            connection.abandon(call)
