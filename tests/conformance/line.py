"""The lines between the runner and the drivers (README.md)."""

from __future__ import annotations

import re
from typing import Any

INT64_MAX = 2**63 - 1
_ESCAPED = re.compile(rb"[^A-Za-z0-9_.:/+-]")
_HEX = re.compile(rb"%([0-9A-F]{2})")


def escape(raw: bytes) -> str:
    return _ESCAPED.sub(lambda found: b"%%%02X" % found[0][0], raw).decode("ascii")


def unescape(text: str) -> bytes:
    return _HEX.sub(lambda found: bytes([int(found[1], 16)]), text.encode("ascii"))


def value_text(value: Any) -> str:
    if isinstance(value, bool):
        return f"f:{value:d}"
    if isinstance(value, int):
        return f"{'u' if value > INT64_MAX else 'i'}:{value}"
    if isinstance(value, float):
        return f"r:{value!r}"
    if isinstance(value, str):
        return "t:" + escape(value.encode())
    return "b:" + escape(bytes(value))


def value_of(text: str) -> Any:
    kind, raw = text[0], unescape(text[2:])
    if kind in "iu":
        return int(raw)
    if kind == "r":
        return float(raw)
    if kind == "f":
        return raw == b"1"
    if kind == "b":
        return raw
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def join(verb: str, params: dict[str, Any]) -> str:
    return "\t".join([verb, *(f"{escape(name.encode())}={value_text(value)}" for name, value in params.items())]) + "\n"


def split(line: str) -> tuple[str, dict[str, Any]]:
    verb, *words = line.rstrip("\n").split("\t")
    params = {}
    for word in words:
        name, _, value = word.partition("=")
        params[unescape(name).decode()] = value_of(value)
    return verb, params
