# Made by ./mk generate from plugins/keyvalue/keyvalue.xml and clients/calls/keyvalue.toml: do not edit.
"""What the commands of a key/value table answer. Dates and durations are milliseconds."""

from __future__ import annotations

from dataclasses import dataclass

from .typed import Key, Value


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of the value.

    key: the key.
    result: stored; or nothing changed: exists, mismatch, stale or duplicate.
    timestamp: of the value that is there now.
    type: of ADD and NOT.
    value: of ADD and NOT: the value from now on.
    """

    key: Key
    result: str = ""
    timestamp: int = 0
    type: str = ""
    value: Value = None


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair.

    key: the key.
    type: void, buffer, string, integer, float or boolean.
    value: the value.
    timestamp: when it was written, in microseconds since 1970.
    expiration_date: it is gone from then on.
    locked: True, somebody has it locked.
    lock_end: until then at most.
    worked_on: True, somebody works on it.
    worked_on_end: until then.
    ttl: ms without a read or a write, after which it is gone.
    persist: True, its changes are synced.
    creation_date: when the key got its first value.
    modification_date: when it was changed last.
    access_date: when it was read or written last, to the second.
    main_key: this key is an alias of it.
    size: bytes of the value.
    """

    key: Key
    type: str = ""
    value: Value = None
    timestamp: int = 0
    expiration_date: int = 0
    locked: bool = False
    lock_end: int = 0
    worked_on: bool = False
    worked_on_end: int = 0
    ttl: int = 0
    persist: bool = False
    creation_date: int = 0
    modification_date: int = 0
    access_date: int = 0
    main_key: Key = ""
    size: int = 0


__all__ = [
    "Pair",
    "Stored",
]
