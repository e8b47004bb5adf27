# Made from async_key_value.py by `python3 clients/python/make_blocking.py`: change that file instead.
# Made by ./mk generate from plugins/keyvalue/keyvalue.xml and clients/calls/keyvalue.toml: do not edit.
"""The commands of a key/value table."""

from __future__ import annotations

from collections.abc import Iterator

from .calls import TableCalls
from .key_value_records import Pair, Stored
from .rows import Date, Duration
from .typed import Key, Value, either, flag, given, if_any, number, one, record, span, when, word

# What their `result` may be.
_STORED = ("stored", "exists", "mismatch", "stale", "duplicate")


class KeyValue(TableCalls):
    """A key/value table on a connection, which must outlive it. Every call raises what `Connection.call` does.

    Values under keys: in the order of the keys, with expiry, locks, counters, and the last writer by timestamp. Changes
    are numbered under a name that the connection drew: one whose answer was lost is sent again, and counts once. With a
    condition (if_timestamp, if_value, overwrite) they are not: then Disconnected (closed) is raised.
    """

    def set(
        self,
        key: Key,
        value: Value,
        *,
        overwrite: bool = True,
        if_timestamp: int | None = None,
        if_value: Value = None,
        timestamp: int | None = None,
        expiration_date: Date | None = None,
        ttl: Duration | None = None,
        persist: bool | None = None,
        client: str | None = None,
        sequence: int | None = None,
    ) -> Stored:
        """Stores a value under a key, in place of the one that is there.

        value: the value; none: of type void.
        overwrite: False, only if the key is not there.
        if_timestamp: only if the value that is there has this timestamp; 0: if none is there.
        if_value: only if this value is there.
        timestamp: when this value was written, in microseconds since 1970: an older one never replaces a newer one; the
            order of arrival if absent.
        expiration_date: the pair is gone from then on; 0 or absent: never.
        ttl: the pair is gone when it was not read or written for so long; 0.001 to 999999999.999 s.
        persist: True, the answer, and that of each later change, comes once it is synced; False, it may be lost with
            the computer's power.
        client: the writer's name for this start of it; with sequence: a resent command is done once; at most 128 bytes.
        sequence: the number of this command by this client.
        """
        params = given(
            table=self.table,
            **either("key", key),
            value=value,
            overwrite=None if overwrite else 0,
            if_timestamp=if_timestamp,
            if_value=if_value,
            timestamp=timestamp,
            expiration_date=when(expiration_date),
            ttl=span(ttl),
            persist=flag(persist),
            client=client,
            sequence=sequence,
        )
        return one(
            self._numbered("SET", params, if_timestamp is not None or if_value is not None or not overwrite),
            "STORED",
            record(Stored),
            _STORED,
        )

    def get(
        self,
        key: Key,
        *,
        data: bool = True,
        facts: bool = False,
        skip_worked_on: bool = False,
        worked_on: Duration | None = None,
        expiration_date: Date | None = None,
        ttl: Duration | None = None,
    ) -> Pair | None:
        """Shows the value of a key; nothing where there is none.

        data: False, without the values.
        facts: True, with the dates, and who has it.
        skip_worked_on: True, not those that somebody works on.
        worked_on: marks what is shown: for so long others that skip such pairs do not see it; 0 to 999999999.999 s; 0
            if absent.
        expiration_date: the pair is gone from then on; 0: never.
        ttl: the pair is gone when it was not read or written for so long; 0: it has no such time; 0 to 999999999.999 s.
        """
        params = given(
            table=self.table,
            **either("key", key),
            data=None if data else 0,
            facts=1 if facts else None,
            skip_worked_on=1 if skip_worked_on else None,
            worked_on=span(worked_on),
            expiration_date=when(expiration_date),
            ttl=span(ttl),
        )
        return if_any(self.connection.request("GET", params), "PAIR", record(Pair))

    def scan(
        self,
        *,
        prefix: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        regex: str | None = None,
        page: int = 100,
        data: bool = True,
        facts: bool = False,
        skip_worked_on: bool = False,
        worked_on: Duration | None = None,
    ) -> Iterator[Pair]:
        """The pairs of a range in the order of their keys. What is there all the time is shown exactly once, whatever
        others change meanwhile.

        prefix: keys that begin so; at most key-size-max bytes.
        from_: this key and those behind it; at most key-size-max bytes.
        to: keys before this one; at most key-size-max bytes.
        regex: keys of which a part matches this expression (RE2); at most 1024 bytes.
        page: asks for so many at a time; 1 to 1000.
        data: False, without the values.
        facts: True, with the dates, and who has it.
        skip_worked_on: True, not those that somebody works on.
        worked_on: marks what is shown: for so long others that skip such pairs do not see it; 0 to 999999999.999 s; 0
            if absent.
        """
        params = given(
            table=self.table,
            prefix=prefix,
            **{"from": from_},
            to=to,
            regex=regex,
            count=page,
            data=None if data else 0,
            facts=1 if facts else None,
            skip_worked_on=1 if skip_worked_on else None,
            worked_on=span(worked_on),
        )
        return self._pages("GET", params, "PAIR", record(Pair))

    def delete(
        self,
        key: Key,
        *,
        if_timestamp: int | None = None,
        timestamp: int | None = None,
        complete: bool = False,
        client: str | None = None,
        sequence: int | None = None,
    ) -> str:
        """Deletes a value with all its keys.

        if_timestamp: only if the value has this timestamp.
        timestamp: when it was deleted, in microseconds since 1970: a newer value stays, and an older SET that comes
            later is stale; the order of arrival if absent.
        complete: True, nothing is remembered of it, and an older SET brings it back.
        client: the writer's name for this start of it; with sequence: a resent command is done once; at most 128 bytes.
        sequence: the number of this command by this client.
        Returns: deleted; or nothing changed: absent, mismatch, stale or duplicate.
        """
        params = given(
            table=self.table,
            **either("key", key),
            if_timestamp=if_timestamp,
            timestamp=timestamp,
            complete=1 if complete else None,
            client=client,
            sequence=sequence,
        )
        return word(self._numbered("DELETE", params, if_timestamp is not None), "DELETED", "result")

    def add(
        self,
        key: Key,
        by: int | float = 1,
        *,
        persist: bool | None = None,
        client: str | None = None,
        sequence: int | None = None,
    ) -> Stored:
        """Adds to an integer or a float; a key that is not there counts as 0.

        by: an integer, or a number with a point for a float; 1 if absent.
        persist: of a key that is not there: as in SET.
        client: the writer's name for this start of it; with sequence: a resent command is done once; at most 128 bytes.
        sequence: the number of this command by this client.
        """
        params = given(
            table=self.table, **either("key", key), by=by, persist=flag(persist), client=client, sequence=sequence
        )
        return one(self._numbered("ADD", params), "STORED", record(Stored), _STORED)

    def invert(self, key: Key, *, client: str | None = None, sequence: int | None = None) -> Stored:
        """Turns a boolean.

        client: the writer's name for this start of it; with sequence: a resent command is done once; at most 128 bytes.
        sequence: the number of this command by this client.
        """
        params = given(table=self.table, **either("key", key), client=client, sequence=sequence)
        return one(self._numbered("NOT", params), "STORED", record(Stored), _STORED)

    def truncate(self, key: Key, size: int, *, client: str | None = None, sequence: int | None = None) -> Stored:
        """Cuts a string or a buffer, or lets it grow by zeros.

        size: its bytes from then on; 0 to value-size-max.
        client: the writer's name for this start of it; with sequence: a resent command is done once; at most 128 bytes.
        sequence: the number of this command by this client.
        """
        params = given(table=self.table, **either("key", key), size=size, client=client, sequence=sequence)
        return one(self._numbered("TRUNCATE", params), "STORED", record(Stored), _STORED)

    def rename(
        self, key: Key, new_key: Key, *, overwrite: bool = False, client: str | None = None, sequence: int | None = None
    ) -> Stored:
        """Gives a value another key, in one step.

        overwrite: True, also where another value is, which is deleted.
        client: the writer's name for this start of it; with sequence: a resent command is done once; at most 128 bytes.
        sequence: the number of this command by this client.
        """
        params = given(
            table=self.table,
            **either("key", key),
            **either("new_key", new_key),
            overwrite=1 if overwrite else None,
            client=client,
            sequence=sequence,
        )
        return one(self._numbered("RENAME", params, not overwrite), "STORED", record(Stored), _STORED)

    def alias(self, key: Key, new_key: Key, *, client: str | None = None, sequence: int | None = None) -> Stored:
        """Gives a value one more key.

        client: the writer's name for this start of it; with sequence: a resent command is done once; at most 128 bytes.
        sequence: the number of this command by this client.
        """
        params = given(
            table=self.table, **either("key", key), **either("new_key", new_key), client=client, sequence=sequence
        )
        return one(self._numbered("ALIAS", params, True), "STORED", record(Stored), _STORED)

    def lock(self, key: Key, lock: Duration) -> int:
        """Until its end, or that of the connection, nobody else changes the value.

        lock: for how long at most; of one's own lock: from now; 0.001 to lock-max.
        Returns: until then at most.
        """
        params = given(table=self.table, **either("key", key), lock=span(lock))
        return number(self.connection.request("LOCK", params), "LOCKED", "lock_end")

    def unlock(self, key: Key) -> None:
        """Ends one's own lock."""
        params = given(table=self.table, **either("key", key))
        self.connection.request("UNLOCK", params)
