# Made from async_blobs.py by `python3 clients/python/make_blocking.py`: change that file instead.
# Made by ./mk generate from plugins/blob/blob.xml and clients/calls/blob.toml: do not edit.
"""The commands of a blob table."""

from __future__ import annotations

from collections.abc import Iterator

from .calls import TableCalls
from .blob_records import Blob, Maintaining, StoredBlob
from .rows import Duration
from .typed import Key, either, given, if_any, one, record, span, word

# What their `result` may be.
_STORED = ("stored", "replaced", "duplicate")
_BLOB = ("found", "absent")
_MAINTAINING = ("begun", "running", "cancelled", "idle")


class Blobs(TableCalls):
    """A blob table on a connection, which must outlive it. Every call raises what `Connection.call` does.

    Bytes of any length under keys, in one data file that readers on the same computer read themselves. Changes are
    numbered under a name that the connection drew: one whose answer was lost is sent again, and counts once.
    """

    def put(
        self,
        key: Key | None,
        data: bytes,
        *,
        hash: str | None = None,
        content_hash: str | None = None,
        client: str | None = None,
        sequence: int | None = None,
    ) -> StoredBlob:
        """Stores a blob under a key, in place of the one that is there.

        data: the bytes.
        hash: in place of the key, what is made of it: 24 hex digits.
        content_hash: XXH3-128 of the bytes, 32 hex digits: other bytes are refused.
        client: the writer's name for this start of it; with sequence: a resent command is done once; at most 128 bytes.
        sequence: the number of this command by this client.
        """
        params = given(
            table=self.table,
            **either("key", key),
            data=data,
            hash=hash,
            content_hash=content_hash,
            client=client,
            sequence=sequence,
        )
        return one(self._numbered("PUT", params), "STORED", record(StoredBlob), _STORED)

    def get(
        self, key: Key | None = None, *, hash: str | None = None, offset: int | None = None, length: int | None = None
    ) -> Blob | None:
        """Shows a blob, with its bytes or a part of them; nothing where there is none.

        hash: in place of the key, what is made of it: 24 hex digits.
        offset: of the bytes that are wanted, within the blob; 0 if absent.
        length: so many bytes at most; up to the end if absent.
        """
        params = given(table=self.table, **either("key", key), hash=hash, offset=offset, length=length, data=1)
        return if_any(self.connection.request("GET", params), "BLOB", record(Blob), _BLOB)

    def list(self, *, page: int = 100) -> Iterator[Blob]:
        """Blobs in the order of their hashes.

        page: asks for so many at a time; 1 to 1000.
        """
        params = given(table=self.table, count=page)
        return self._pages("LIST", params, "BLOB", record(Blob))

    def omit(self, key: Key | None = None, *, hash: str | None = None) -> str:
        """The next maintenance leaves this blob out, unless it is stored again before.

        hash: in place of the key, what is made of it: 24 hex digits.
        Returns: omitted; absent: there is no such blob.
        """
        params = given(table=self.table, **either("key", key), hash=hash)
        return word(self.connection.request("OMIT", params), "OMITTED", "result")

    def maintain(
        self,
        *,
        age: Duration | None = None,
        size: int | None = None,
        unreferenced: Duration | None = None,
        cancel: bool = False,
    ) -> Maintaining:
        """Begins a maintenance: blobs that are kept are copied into a new data file, which takes the place of the old
        one. Or shows, or ends, the one that runs.

        age: blobs stored longer ago are left out; 0: none; expire-age if absent.
        size: the oldest blobs beyond so many bytes are left out; 0: none; expire-size if absent.
        unreferenced: blobs not read for so long are left out; 0: none; expire-unreferenced if absent.
        cancel: True, the maintenance that runs is given up.
        """
        params = given(
            table=self.table, age=span(age), size=size, unreferenced=span(unreferenced), cancel=1 if cancel else None
        )
        return one(self.connection.request("MAINTAIN", params), "MAINTAINING", record(Maintaining), _MAINTAINING)
