# Made by ./mk generate from src/server/admin/daemon.xml and clients/calls/daemon.toml: do not edit.
"""What the commands of the daemon itself answer. Dates and durations are milliseconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """What a command takes and answers.

    command: the command.
    type: the table type that has it; daemon: it is the daemon's own.
    kind: read, add, change, remove or touch.
    right: what its sender needs.
    parameters: each with its type; ! marks required ones.
    answers: their names.
    description: what it does.
    """

    command: str
    type: str = ""
    kind: str = ""
    right: str = ""
    parameters: str = ""
    answers: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class OwnRights:
    """Who the sender is, and what it may do.

    user: the user; absent without a login.
    rights: what it may do on all tables, or on the one that was named.
    grants: in words, what it may do on some tables.
    table: the table that the listener is bound to.
    connection: the number of the connection.
    """

    user: str
    rights: str = ""
    grants: str = ""
    table: str = ""
    connection: int = 0


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table.

    name: its name.
    type: its type.
    persistent: False, it is not kept on disk.
    log: the log of its records.
    rows: how many objects it has.
    key: the columns of its key.
    columns: its columns.
    types: their types.
    description: what its file says of it.
    """

    name: str
    type: str = ""
    persistent: bool = True
    log: str = ""
    rows: int = 0
    key: str = ""
    columns: str = ""
    types: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert that is up.

    table: its table; absent: the daemon itself.
    name: its name.
    priority: 0 to 100; 50 and above should reach an operator.
    message: for people, from the last time.
    tags: what it is about.
    count: how often its cause occurred.
    first: the first time.
    last: the last time.
    manual_down: True, it must be ended by LOWER.
    """

    table: str
    name: str = ""
    priority: int = 0
    message: str = ""
    tags: str = ""
    count: int = 0
    first: int = 0
    last: int = 0
    manual_down: bool = False


@dataclass(frozen=True, slots=True)
class Waiter:
    """A LISTEN of a connection, or its commands that wait.

    table: the table.
    connection: the number of the connection.
    mode: wake, row or deliver of LISTEN; next: commands wait.
    topic: what it waits for; absent: all of the table.
    worker: the name of the worker.
    peer: the address of the connection.
    user: who is logged in there.
    since: of the LISTEN, or of the oldest command.
    stalled: True, the connection takes no bytes, and is told nothing.
    until: next: when the oldest wait ends.
    waiting: next: how many commands wait.
    state: wake: idle, woken or busy.
    missed: row: announcements that were left out.
    credit: deliver: rows at once.
    leases: deliver: rows that are leased to it.
    """

    table: str
    connection: int = 0
    mode: str = ""
    topic: str = ""
    worker: str = ""
    peer: str = ""
    user: str = ""
    since: int = 0
    stalled: bool = False
    until: int = 0
    waiting: int = 0
    state: str = ""
    missed: int = 0
    credit: int = 0
    leases: int = 0


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of a distributed transaction.

    xid: its name.
    state: prepared, active, idle, suspended, rollback_only; committed or rolled_back by an administrator.
    origin: whose it is: a user, or an address.
    transaction: its number.
    ops: how many commands it has.
    tables: their tables, separated by commas.
    ends_date: when its time ends it.
    log: where it is prepared: logs separated by commas, home first.
    home: lost: the log that has the outcome is not there.
    prepared_date: when it was prepared.
    in_doubt_for: how long it has been in doubt.
    decided_date: when it was decided.
    """

    xid: str
    state: str = ""
    origin: str = ""
    transaction: int = 0
    ops: int = 0
    tables: str = ""
    ends_date: int = 0
    log: str = ""
    home: str = ""
    prepared_date: int = 0
    in_doubt_for: int = 0
    decided_date: int = 0


@dataclass(frozen=True, slots=True)
class Digest:
    """The digest of a table or of a log.

    table: the table.
    log: the log.
    lsn: of everything below this LSN.
    digest: in hexadecimal digits.
    """

    table: str
    log: str = ""
    lsn: int = 0
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Reloaded:
    """The folder was read.

    changes: a line for each change.
    count: how many.
    dry_run: True, none was made.
    """

    changes: str
    count: int = 0
    dry_run: bool = False


__all__ = [
    "Alert",
    "Branch",
    "CommandHelp",
    "Digest",
    "OwnRights",
    "Reloaded",
    "ShownTable",
    "Waiter",
]
