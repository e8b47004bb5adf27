"""What a failure of the program says, as text that a message can carry. Whatever was raised, a text comes of it, as
without one the work would stay leased: nothing here raises."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import Any

from .errors import Error

ERROR_BYTES_MAX = 1024
TRACE_BYTES_MAX = 16 * 1024
_FRAMES_MAX = 32
_CHAIN_MAX = 8


def cut(text: str, bytes_max: int = ERROR_BYTES_MAX) -> str:
    """The beginning of the text, cut at a character, as valid UTF-8: '?' for a lone surrogate."""
    return str.__getitem__(text, slice(bytes_max)).encode(errors="replace")[:bytes_max].decode(errors="ignore")


def name_of(failure: BaseException) -> str:
    """Of its class."""
    try:
        return cut(type(failure).__name__, 256)
    except BaseException:
        return "exception"


def text_of(failure: BaseException) -> str:
    """Its text, as `str` has it."""
    try:
        return cut(str(failure))
    except BaseException as why:
        return f"its text cannot be shown: its __str__ raised {name_of(why)}"


def described(failure: BaseException) -> str:
    """Its class and its text."""
    return cut(f"{name_of(failure)}: {text_of(failure)}")


def is_about_trace(why: Error, params: Mapping[str, Any]) -> bool:
    """An older daemon refuses a command, as it knows no traces."""
    is_unknown = why.code == "unknown_parameter" and why.facts.get("parameter") == "error_trace"
    return is_unknown and "error_trace" in params


def trace_of(failure: BaseException) -> str:
    """Where it was raised, and what led to it, as Python shows it; what came first is left out if it is too long."""
    parts: list[str] = []
    left = TRACE_BYTES_MAX
    one: BaseException | None = failure
    while one is not None and len(parts) < _CHAIN_MAX:
        part = f"{_frames_of(one)}{described(one)}\n"
        if parts:
            part += "\nThat led to:\n\n"
        kept = part.encode(errors="replace")[-left:].decode(errors="ignore")
        parts.insert(0, kept)
        left -= len(kept.encode())
        if left <= 0 or kept != part:
            break
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
    return "".join(parts)


def _frames_of(failure: BaseException) -> str:
    try:
        frames = "".join(traceback.format_tb(failure.__traceback__, -_FRAMES_MAX))
    except BaseException as why:
        return f"Its traceback cannot be shown ({name_of(why)}).\n"
    return f"Traceback (most recent call last):\n{frames}" if frames else ""
