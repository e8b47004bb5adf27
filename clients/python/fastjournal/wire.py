"""Bytes of a connection to messages, and messages to frames. Without I/O, and apart from the session because only this
file deals with bytes that may be incomplete, too large or none of the protocol (doc/protocol.md, sections 2, 3 and 5).
"""

from __future__ import annotations

import re
import struct
from typing import Any, NamedTuple

import msgpack  # type: ignore[import]

from .errors import Error

MAGIC = b"FJM\x01"
PARAMS_MAX = 256
_HEADER = struct.Struct(">4sI")
_SIZE = struct.Struct(">I")
_NAMES = frozenset({str})
# What a parameter's value may be.
SCALARS = frozenset({str, bytes, int, float, bool})
_PARAM = re.compile(r'([A-Za-z_][A-Za-z0-9_]*)=(?:"(.*?)(?<!\\)"|(?!")([^;]*))(?:;|$)', re.S)
_ESCAPE = re.compile(r'\\([\\nr"])')
_ESCAPED = {"\\": "\\", "n": "\n", "r": "\r", '"': '"'}


class Message(NamedTuple):
    """A message from the daemon: its name, and its parameters by their names.

    Text is str (bytes that are no UTF-8 as lone surrogates, as `os.fsdecode` does), `buffer` columns are bytes.
    `request` and `left` are not among the parameters.
    """

    command: str
    params: dict[str, Any]


class Encoder:
    """Makes frames. Its memory serves for all of them."""

    def __init__(self) -> None:
        self._pack = msgpack.Packer(unicode_errors="surrogateescape").pack

    def frame(self, command: str, params: dict[str, Any]) -> bytes:
        """One frame. Raises Error (bad_parameter, too_large) for what no message can carry."""
        if not SCALARS.issuperset(map(type, params.values())):
            params = {name: _scalar(name, value) for name, value in params.items()}
        if len(params) > PARAMS_MAX:
            raise Error("too_large", f"a message has at most {PARAMS_MAX} parameters, `request` included")
        try:
            body: bytes = self._pack({"command": command, "parameters": params})
        except (OverflowError, UnicodeEncodeError, ValueError) as why:
            raise Error("bad_parameter", f"{command}: {why}") from None
        return _HEADER.pack(MAGIC, len(body)) + body


def _scalar(name: str, value: Any) -> Any:
    for kind in (bool, int, float, str, bytes):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    raise Error(
        "bad_parameter",
        f"{name}: a value is str, bytes, int, float or bool; this is {type(value).__name__}",
        {"parameter": name},
    )


class Decoder:
    """Cuts the bytes of one connection into messages. It keeps at most one incomplete message."""

    def __init__(self, message_bytes_max: int) -> None:
        self._limit = message_bytes_max
        self._rest = bytearray()
        self._needed = 1  # bytes in _rest before the next look
        self._scanned = 0  # bytes of an incomplete line without an LF
        self._skip = 0  # bytes of a frame over the limit, still to come
        self._skip_line = False

    def feed(self, data: bytes) -> list[Message | Error]:
        """The messages that `data` completes, in their order; an Error stands for one that could not be read."""
        buffer: bytes | bytearray = data
        if self._rest:
            self._rest += data
            if len(self._rest) < self._needed:
                return []
            buffer = self._rest
        out: list[Message | Error] = []
        at = self._cut(buffer, out)
        if buffer is self._rest:
            del self._rest[:at]
        elif at < len(data):
            self._rest += data[at:]
        return out

    def _cut(self, buffer: bytes | bytearray, out: list[Message | Error]) -> int:
        at, end = 0, len(buffer)
        while at < end:
            self._needed = 1
            if self._skip:
                step = min(self._skip, end - at)
                self._skip -= step
                at += step
            elif buffer.startswith(MAGIC, at) and not self._skip_line:
                if end - at < 8:
                    self._needed = 8
                    break
                size = _SIZE.unpack_from(buffer, at + 4)[0]
                if size > self._limit:
                    out.append(_too_large("frame", self._limit))
                    self._skip = size
                    at += 8
                    continue
                if end - at - 8 < size:
                    self._needed = size + 8
                    break
                out.append(_of_frame(buffer[at + 8 : at + 8 + size]))
                at += 8 + size
            else:
                found = buffer.find(b"\n", at + self._scanned)
                if found < 0:
                    if self._skip_line:
                        return end
                    if end - at > self._limit:
                        out.append(_too_large("line", self._limit))
                        self._skip_line, self._scanned = True, 0
                        return end
                    # Not for what may still become the beginning of a frame.
                    self._scanned = end - at if end - at > 4 else 0
                    self._needed = end - at + 1
                    break
                if self._skip_line:
                    self._skip_line = False
                elif found - at > self._limit:
                    out.append(_too_large("line", self._limit))
                elif line := bytes(buffer[at:found]).strip(b" \t\r\v\f"):
                    out.append(_of_line(line))
                self._scanned = 0
                at = found + 1
        return at


def _too_large(what: str, limit: int) -> Error:
    return Error("too_large", f"the daemon sent a {what} of more than {limit} bytes (message_bytes_max)")


def _bad(reason: str) -> Error:
    return Error("invalid", f"the daemon sent what is no message: {reason}")


def _of_frame(body: bytes | bytearray) -> Message | Error:
    # Everything that unpackb may raise for hostile bytes is a ValueError, but for a few of its own.
    try:
        root = msgpack.unpackb(body, unicode_errors="surrogateescape", max_array_len=0, max_ext_len=0, max_map_len=4096)
        command, params = root["command"], root["parameters"]
        if type(command) is not str or not command or type(params) is not dict:
            return _bad("its command is no text, or its parameters are no map")
        if not SCALARS.issuperset(map(type, params.values())) or not _NAMES.issuperset(map(type, params)):
            return _bad("a parameter that is neither text nor a number")
        return Message(command, params)
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError, msgpack.UnpackException) as why:
        return _bad(f"{type(why).__name__} in a frame of {len(body)} bytes")


def _of_line(line: bytes) -> Message | Error:
    text = line.decode("utf-8", "surrogateescape")
    command, _, rest = text.partition(" ")
    command = command.rpartition("/")[2]
    params: dict[str, Any] = {}
    at = 0
    while at < len(rest):
        found = _PARAM.match(rest, at)
        if found is None or len(params) > PARAMS_MAX:
            return _bad(f"a line with an unreadable parameter in column {len(text) - len(rest) + at + 1}")
        name, quoted, plain = found.groups()
        params[name] = _ESCAPE.sub(lambda one: _ESCAPED[one[1]], plain if quoted is None else quoted)
        at = found.end()
    return Message(command, params) if command else _bad("a line without a command")


def whole(params: dict[str, Any], name: str) -> int:
    """The parameter as a whole number; 0 if it is absent or none."""
    value = params.get(name, 0)
    if type(value) is int:
        return value
    if type(value) is str and len(value) < 21 and value.isascii() and value.lstrip("-").isdigit():
        return int(value)
    return 0
