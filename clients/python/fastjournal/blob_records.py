# Made by ./mk generate from plugins/blob/blob.xml and clients/calls/blob.toml: do not edit.
"""What the commands of a blob table answer. Dates and durations are milliseconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """The blob is stored.

    hash: what is made of the key.
    entry_time: when it was stored, in seconds since 1970.
    begin: offset of its first byte in the data file.
    end: offset of its last byte + 1.
    file: number of the data file.
    result: stored; replaced: in place of another; duplicate: it was stored before.
    """

    hash: str
    entry_time: int = 0
    begin: int = 0
    end: int = 0
    file: int = 0
    result: str = ""


@dataclass(frozen=True, slots=True)
class Blob:
    """A blob.

    hash: what is made of its key.
    result: found; or absent, then what follows is 0.
    entry_time: when it was stored, in seconds since 1970.
    begin: offset of its first byte in the data file.
    end: offset of its last byte + 1.
    length: its bytes.
    file: number of the data file.
    content_hash: the low half of XXH3-128 of its bytes, 16 hex digits.
    data: the bytes that are wanted.
    """

    hash: str
    result: str = ""
    entry_time: int = 0
    begin: int = 0
    end: int = 0
    length: int = 0
    file: int = 0
    content_hash: str = ""
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Maintaining:
    """The state of the maintenance.

    result: begun, running, cancelled; idle: there was none to be cancelled.
    mode: of this maintenance, or of the last one: modern, online, offline.
    phase: of one that is running: judging, what is left out; copying, what is kept; quiet: readers by name are refused
        until the exchange. Else as the result.
    file: number of the new data file; 0: there is none.
    total: blobs when it began.
    done: blobs that are in the new data file.
    """

    result: str
    mode: str = ""
    phase: str = ""
    file: int = 0
    total: int = 0
    done: int = 0


__all__ = [
    "Blob",
    "Maintaining",
    "StoredBlob",
]
