"""What the commands of a queue table take and answer, as Python's types; shared by both kinds of connections.

Dates and durations are those of rows.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .queue_records import Binding, Exchange, Queue, Sent
from .rows import Date, Duration, unexpected
from .session import Reply
from .typed import fields_of, page_of
from .wire import Message, whole

Body = str | bytes
# An object; a str is its JSON, and is passed on as it is.
Properties = Mapping[str, Any] | str

_FATES = {"RELEASED": "released", "DEAD": "dead", "PARKED": "parked", "DELETED": "deleted"}


@dataclass(slots=True)
class QueueMessage:
    """A message as leased by ACQUIRE or `deliver`, or as shown by BROWSE and READ (then `epoch` is 0 and `status` is
    set).

    body: str if it was sent as text, else bytes; None if it was not asked for. bytes: its length. deliveries: those
    that failed or timed out. dead_of: the queue on which it died. origin: messages of several queues that came as one
    have the same. offset: of the part that READ has brought. lease: in ms, where it was sent with one, and leases to
    timeouts: how often that happened to it, where its table counts; both as READ, PEEK and BROWSE show it. lost: set by
    a consumer when the lease is lost while the message's function runs.
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
    lease: int = 0
    leases: int = 0
    returns: int = 0
    parkings: int = 0
    kicks: int = 0
    timeouts: int = 0
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


def number_of(message: QueueMessage | int) -> int:
    return message if isinstance(message, int) else message.message


def message_of(message: Message) -> QueueMessage:
    """The message of a MESSAGE, or of a LISTEN about one."""
    params = message.params
    known = {name: value for name, value in params.items() if name not in ("body", "body_binary", "properties")}
    out = fields_of(QueueMessage, known)
    out.properties_json = str(params.get("properties", ""))
    out.body = params.get("body", params.get("body_binary", None if out.bytes else ""))
    return out


def acquired_of(reply: Reply) -> Acquired:
    if reply.first.command == "NOTHING":
        return Acquired([], whole(reply.first.params, "next_date") or None)
    return Acquired(page_of(reply, "MESSAGE", message_of)[0])


def fate_of(reply: Reply) -> ReturnedMessage:
    command, params = reply.first
    if command not in _FATES:
        raise unexpected(reply.first, "RELEASED, DEAD, PARKED or DELETED")
    return ReturnedMessage(_FATES[command], whole(params, "process_date") or None, str(params.get("queue", "")))


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
