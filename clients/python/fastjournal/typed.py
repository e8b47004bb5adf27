"""What typed calls have in common: parameters as messages have them, and answers as Python's types. Without I/O; shared
by both kinds of connections."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar

from .failures import cut
from .rows import Date, Duration, date_of, milliseconds, unexpected
from .session import Reply
from .wire import Message, whole

# Text, or bytes that need not be UTF-8.
Key = str | bytes
# void, buffer, string, integer, float and boolean.
Value = bytes | str | int | float | bool | None

_PAGE = 1000
# Where a list is empty.
_NOTHING = ("NOTHING", "ALERTS", "BRANCHES")
# What a field is whose record always has it, in a message that has it not.
_ABSENT: dict[str, Any] = {"int": 0, "str": "", "Key": ""}
# Fields that have another name in messages.
_NAMES = {"from_": "from", "kind": "class"}
_Kind = TypeVar("_Kind")


# --- parameters; None: it is not given ---


def given(**params: Any) -> dict[str, Any]:
    """Those that are given."""
    return {name: value for name, value in params.items() if value is not None}


def either(name: str, value: Key | None) -> dict[str, Key | None]:
    """A parameter that is text or, by another name, bytes."""
    return {name if value is None or isinstance(value, str) else f"{name}_binary": value}


def flag(value: bool | None) -> int | None:
    return None if value is None else int(value)


def when(date: Date | None) -> int | str | None:
    return None if date is None else date_of(date)


def span(duration: Duration | None) -> int | None:
    return None if duration is None else milliseconds(duration)


def kept(text: str | None, bytes_max: int) -> str | None:
    """The beginning of a text of which the daemon keeps no more."""
    return None if text is None else cut(text, bytes_max)


def json_text(value: Mapping[str, Any] | str | None) -> str | None:
    """A str is JSON, and is passed on as it is."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --- answers ---


def fields_of(kind: type[_Kind], params: dict[str, Any]) -> _Kind:
    """The fields of the data class `kind` that a message has. A list is of words between blanks."""
    found: dict[str, Any] = {}
    for one in fields(kind):  # type: ignore[arg-type]
        name, type_of = one.name, str(one.type)
        if name not in params:
            # What is no text has a name of its own.
            name = f"{name}_binary" if type_of in ("Key", "Value") else _NAMES.get(name, name)
        if name not in params:
            if one.default is MISSING and one.default_factory is MISSING:
                found[one.name] = _ABSENT[type_of]
            continue
        value = params[name]
        if type_of == "bool":
            value = whole(params, name) != 0
        elif type_of in ("int", "int | None"):
            value = whole(params, name)
        elif type_of == "str":
            value = str(value)
        elif type_of == "list[str]":
            value = str(value).split()
        found[one.name] = value
    return kind(**found)


def record(kind: type[_Kind]) -> Callable[[Message], _Kind]:
    """What reads a message as this data class."""
    return lambda message: fields_of(kind, message.params)


def one(reply: Reply, answer: str, read: Callable[[Message], _Kind], results: tuple[str, ...] = ()) -> _Kind:
    """An answer of one message. results: what its `result` may be."""
    message = reply.first
    if message.command != answer or (results and message.params.get("result") not in results):
        raise unexpected(message, f"{answer} with a known result" if results else answer)
    return read(message)


def if_any(reply: Reply, answer: str, read: Callable[[Message], _Kind], results: tuple[str, ...] = ()) -> _Kind | None:
    """Likewise; None where there is nothing, or nothing any more."""
    command, params = reply.first
    is_nothing = command in ("NOTHING", "DELETED") or (results and params.get("result") == "absent")
    return None if is_nothing else one(reply, answer, read, results)


def word(reply: Reply, answer: str, name: str) -> str:
    """A field of an answer; of several messages, one behind the other."""
    parts = (Reply([message], reply.resent) for message in reply.messages)
    return "".join(one(part, answer, lambda message: str(message.params.get(name, ""))) for part in parts)


def number(reply: Reply, answer: str, name: str) -> int:
    return one(reply, answer, lambda message: whole(message.params, name))


def page_of(reply: Reply, answer: str, read: Callable[[Message], _Kind]) -> tuple[list[_Kind], dict[str, Any] | None]:
    """What a list has shown, and the parameters by which the next page begins; None: nowhere."""
    out = []
    for message in reply.messages:
        if message.command == answer:
            out.append(read(message))
        elif message.command not in _NOTHING:
            raise unexpected(message, f"{answer} or NOTHING")
    last = reply.messages[-1].params
    if "after" not in last and "after_binary" not in last:
        return out, None
    # A timeline has a beginning that its next page is to have, too.
    return out, {name: last[name] for name in ("after", "after_binary", "now") if name in last}


@dataclass(slots=True)
class Paging:
    """A command that goes on, page by page, until it has changed `most` (None: all)."""

    params: dict[str, Any]
    most: int | None
    done: int = 0
    ended: bool = False

    def next(self) -> dict[str, Any]:
        left = _PAGE if self.most is None else min(_PAGE, self.most - self.done)
        return self.params | {"count": left}

    def take(self, reply: Reply, answer: str) -> None:
        message = reply.first
        if message.command != answer:
            raise unexpected(message, answer)
        self.done += whole(message.params, "count")
        if "after" in message.params:
            self.params["after"] = message.params["after"]
        has_more = "after" in message.params or whole(message.params, "more") != 0
        self.ended = not has_more or (self.most is not None and self.done >= self.most)
