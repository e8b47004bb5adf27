"""What the commands of a queue table take and answer, as Python's types; shared by both kinds of connections.

Dates and durations are those of rows.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from .rows import Date, Duration, parameters, unexpected
from .session import Reply
from .wire import Message, whole

Body = str | bytes
# An object; a str is its JSON, and is passed on as it is.
Properties = Mapping[str, Any] | str

_FATES = {"RELEASED": "released", "DEAD": "dead", "PARKED": "parked", "DELETED": "deleted"}
_PAGE = 1000
SENT_RESULTS = ("sent", "duplicate", "expired")


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a SEND.

    message: its number on the first of its queues; 0: it is on none. queues: how many have it. result: "sent",
    "duplicate" (this number of this client was sent before; nothing changed) or, in a transaction, "expired".
    """

    message: int
    queues: int
    result: str
    process_date: int


@dataclass(slots=True)
class QueueMessage:
    """A message as leased by ACQUIRE or `deliver`, or as shown by BROWSE and READ (then `epoch` is 0 and `status` is
    set).

    body: str if it was sent as text, else bytes; None if it was not asked for. bytes: its length. deliveries: those
    that failed or timed out. dead_of: the queue on which it died. origin: messages of several queues that came as one
    have the same. offset: of the part that READ has brought. lost: set by a consumer when the lease is lost while the
    message's function runs.
    """

    table: str
    message: int
    epoch: int = 0
    queue: str = ""
    body: Body | None = None
    bytes: int = 0
    offset: int = 0
    properties_json: str = ""
    exchange: str = ""
    routing_key: str = ""
    priority: int = 0
    process_date: int = 0
    sent_date: int = 0
    expiration_date: int = 0
    lease_end: int = 0
    redelivered: bool = False
    deliveries: int = 0
    dead_of: str = ""
    origin: int = 0
    status: str = ""
    worker: str = ""
    error: str = ""
    error_trace: str = ""
    lost: bool = False

    @property
    def text(self) -> str:
        """The body as text; bytes are read as UTF-8. Raises UnicodeDecodeError."""
        return self.body.decode() if isinstance(self.body, bytes_type) else self.body or ""

    @property
    def properties(self) -> dict[str, Any]:
        """What was sent with it; empty: nothing."""
        return json.loads(self.properties_json) if self.properties_json else {}


# Within QueueMessage `bytes` is its member.
bytes_type = bytes


@dataclass(frozen=True, slots=True)
class Acquired:
    """What ACQUIRE found: messages, or none and the date when there may be one (None: the daemon knows of none)."""

    messages: list[QueueMessage]
    next_date: int | None = None


@dataclass(frozen=True, slots=True)
class ReturnedMessage:
    """The fate of a message that was released or rejected: "released" (it waits again, until `process_date`), "dead"
    (it is on `queue`, its dead letters), "parked" (there are none: it is kept for a person) or "deleted" (it has
    expired)."""

    fate: str
    process_date: int | None = None
    queue: str = ""


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue, and what is on it. declared: in the table's file. leaving: it was removed, and its messages go. Limits:
    0 is none. expires: milliseconds."""

    queue: str
    messages: int = 0
    due: int = 0
    acquired: int = 0
    parked: int = 0
    bytes: int = 0
    temporary: bool = False
    declared: bool = False
    leaving: bool = False
    dead_letters: str = ""
    max_deliveries: int = 0
    max_messages: int = 0
    max_bytes: int = 0
    when_full: str = ""
    expires: int = 0


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange. kind: "direct", "fanout" or "topic"."""

    exchange: str
    kind: str = ""
    bindings: int = 0


@dataclass(frozen=True, slots=True)
class Binding:
    """A binding, by its number."""

    binding: int
    exchange: str
    queue: str
    routing_key: str = ""


_Kind = TypeVar("_Kind")
_Shown = TypeVar("_Shown", QueueMessage, Queue, Exchange, Binding)


def content_of(body: Body, properties: Properties | None) -> dict[str, Any]:
    """The body and the properties of a SEND."""
    name = "body" if isinstance(body, str) else "body_binary"
    out: dict[str, Any] = {name: body} if body else {}
    if properties is not None:
        out["properties"] = properties if isinstance(properties, str) else json.dumps(properties, ensure_ascii=False)
    return out


def number_of(message: QueueMessage | int) -> int:
    return message if isinstance(message, int) else message.message


def fields_of(kind: type[_Kind], params: dict[str, Any]) -> _Kind:
    """The fields of the data class `kind` that a message has. A list is of words between blanks."""
    found: dict[str, Any] = {}
    for one in fields(kind):  # type: ignore[arg-type]
        if one.name not in params:
            continue
        value = params[one.name]
        if one.type == "bool":
            value = whole(params, one.name) != 0
        elif one.type in ("int", "int | None"):
            value = whole(params, one.name)
        elif one.type == "str":
            value = str(value)
        elif one.type == "list[str]":
            value = str(value).split()
        found[one.name] = value
    return kind(**found)


def message_of(message: Message) -> QueueMessage:
    """The message of a MESSAGE, or of a LISTEN about one."""
    params = message.params
    known = {name: value for name, value in params.items() if name not in ("body", "body_binary", "properties")}
    out = fields_of(QueueMessage, {"table": "", "message": 0} | known)
    out.properties_json = str(params.get("properties", ""))
    out.body = params.get("body", params.get("body_binary", None if out.bytes else ""))
    return out


def sent_of(reply: Reply) -> Sent:
    command, params = reply.first
    result = params.get("result")
    if command != "SENT" or result not in SENT_RESULTS:
        raise unexpected(reply.first, "SENT with a known result")
    return Sent(whole(params, "message"), whole(params, "queues"), result, whole(params, "process_date"))


def acquired_of(reply: Reply) -> Acquired:
    if reply.first.command == "NOTHING":
        return Acquired([], whole(reply.first.params, "next_date") or None)
    return Acquired(page_of(QueueMessage, "MESSAGE", reply)[0])


def fate_of(reply: Reply) -> ReturnedMessage:
    command, params = reply.first
    if command not in _FATES:
        raise unexpected(reply.first, "RELEASED, DEAD, PARKED or DELETED")
    return ReturnedMessage(_FATES[command], whole(params, "process_date") or None, str(params.get("queue", "")))


def page_of(kind: type[_Shown], command: str, reply: Reply) -> tuple[list[_Shown], Any]:
    """What a list has shown, and where the next page begins; None: nowhere."""
    out: list[Any] = []
    for message in reply.messages:
        if message.command == command:
            with_body = kind is QueueMessage
            out.append(message_of(message) if with_body else fields_of(kind, message.params))
        elif message.command != "NOTHING":
            raise unexpected(message, f"{command} or NOTHING")
    return out, reply.messages[-1].params.get("after")


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

    def take(self, reply: Reply) -> None:
        """Of a PURGE or MOVE."""
        self.count(reply, whole(reply.first.params, "more") != 0)

    def count(self, reply: Reply, has_more: bool) -> None:
        self.done += whole(reply.first.params, "count")
        self.ended = not has_more or (self.most is not None and self.done >= self.most)


__all__ = [
    "Acquired",
    "Binding",
    "Body",
    "Date",
    "Duration",
    "Exchange",
    "Properties",
    "Queue",
    "QueueMessage",
    "ReturnedMessage",
    "Sent",
]
