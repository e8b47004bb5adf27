"""What the commands of a pipeline table take and answer, as Python's types; shared by both kinds of connections.

Dates and durations are those of rows.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .document_records import Destination, Event, Plan
from .errors import GiveUp, NotSent
from .failures import TRACE_BYTES_MAX, cut, name_of, text_of, trace_of
from .rows import unexpected
from .session import Reply
from .typed import fields_of, flag, given
from .wire import Message, whole

_CHANGES = ("", "new", "changed", "resume", "processing", "unchanged")
_CLASS_BYTES_MAX = 64


@dataclass(frozen=True, slots=True)
class Document:
    """A document as FOUND, NEXT, CHILD or `deliver` hands it out, or as it is only known.

    token: of the lease; 0: nothing was handed out. change: "new", "changed" (its hash is another one), "resume" (it is
    missing somewhere), "processing" (likewise, and all of that is with workers, rests, is in doubt or paused),
    "unchanged" (nothing is to be done), or empty of NEXT. destinations: where it is missing. children: something made
    of it is missing, so that it is to be taken apart again. check: say `found` with its hash first, as it need not be
    sent if it has not changed. operation: "delete" of one that its source does not have any more, so that it is to be
    deleted at its destinations; else empty. newer: the document that is a newer version of it, whose content its source has. parent,
    original, child: of a child.
    """

    table: str
    document: int
    token: int = 0
    source: str = ""
    uri: str = ""
    hash: str = ""
    change: str = ""
    destinations: list[str] = field(default_factory=list)
    children: bool = False
    check: bool = False
    operation: str = ""
    newer: int = 0
    lease_end: int = 0
    parent: int = 0
    original: int = 0
    child: str = ""

    @property
    def is_mine(self) -> bool:
        return self.token != 0


@dataclass(frozen=True, slots=True)
class HandedOut:
    """What NEXT found: documents, or none and the date when there may be one (None: the daemon knows of none)."""

    documents: list[Document]
    next_date: int | None = None


@dataclass(frozen=True, slots=True)
class Sending:
    """The answer to SENDING.

    verdict: "run" (send it now), "skip" (it is there already, or need not be) or "cancelled" (it is not this worker's
    any more, or its destination is paused). why: the state, or the reason. attempt: from 1. guarantee: "at-most-once"
    or "at-least-once". key: the same for each attempt with this version, for receivers that remember keys. deadline:
    when to stop.
    """

    verdict: str
    why: str = ""
    attempt: int = 0
    guarantee: str = ""
    key: str = ""
    deadline: int = 0


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of a `deliver`. verdict: of its Sending. state: as recorded, such as "sent", "error" or "dead", or
    "sending" if nothing was said; if the function was not called, why. failure: what it raised."""

    verdict: str
    state: str
    failure: Exception | None = None


@dataclass(frozen=True, slots=True)
class Child:
    """A child is to be run, or passed: then its document has no token. is_subtree_done: all that was made of it has
    arrived, too."""

    document: Document
    is_subtree_done: bool = False


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document as DOCUMENTS shows it. states: by destination. done: nothing more happens to it and its children.
    orphan: its original has changed, and it was not made since. newer: the document that is a newer version of it.
    children: as CHILDREN_DONE said, children_known: as CHILD said. The last three count deliveries of its children."""

    table: str
    document: int
    source: str = ""
    uri: str = ""
    hash: str = ""
    parent: int = 0
    original: int = 0
    child: str = ""
    states: dict[str, str] = field(default_factory=dict)
    done: bool = False
    orphan: bool = False
    newer: int = 0
    children: int | None = None
    children_known: int = 0
    children_not_done: int = 0
    missing_below: int = 0
    in_hands_below: int = 0
    failed_below: int = 0


def number_of(document: Document | ShownDocument | int | None) -> int | None:
    return document.document if isinstance(document, (Document, ShownDocument)) else document


def described(params: dict[str, Any]) -> Document:
    """The document of a DOCUMENT, or of a LISTEN about one."""
    return fields_of(Document, params)


def document_of(message: Message) -> Document:
    if message.command != "DOCUMENT" or message.params.get("change", "") not in _CHANGES:
        raise unexpected(message, "DOCUMENT with a known change")
    return described(message.params)


def handed_out_of(reply: Reply) -> HandedOut:
    if reply.first.command == "NOTHING":
        return HandedOut([], whole(reply.first.params, "next_date") or None)
    return HandedOut([document_of(message) for message in reply.messages])


def sending_of(reply: Reply) -> Sending:
    command, params = reply.first
    if command == "RUN":
        return fields_of(Sending, {"verdict": "run"} | params)
    if command == "SKIP":
        return Sending("skip", str(params.get("status", "")))
    if command == "CANCELLED":
        return Sending("cancelled", str(params.get("reason", "")))
    raise unexpected(reply.first, "RUN, SKIP or CANCELLED")


def child_of(reply: Reply) -> Child:
    if reply.first.command == "SKIP":
        params = reply.first.params
        known = Document(str(params.get("table", "")), whole(params, "document"))
        return Child(known, whole(params, "subtree") != 0)
    return Child(document_of(reply.first))


def state_of(reply: Reply) -> str:
    """What RECORDED says."""
    if reply.first.command != "RECORDED":
        raise unexpected(reply.first, "RECORDED")
    return str(reply.first.params.get("status", ""))


def is_alive_of(reply: Reply) -> bool:
    """What HEARTBEAT was told."""
    if reply.first.command not in ("RECORDED", "CANCELLED"):
        raise unexpected(reply.first, "RECORDED or CANCELLED")
    return reply.first.command == "RECORDED"


def failure_of(kind: str, error: str, error_trace: str, permanent: bool) -> dict[str, Any]:
    """What FAILED says of a failure."""
    out = {"class": cut(kind, _CLASS_BYTES_MAX)} if kind else {}
    trace = cut(error_trace, TRACE_BYTES_MAX)
    return out | given(error=cut(error) or None, error_trace=trace or None, permanent=flag(permanent or None))


def has_more(document: Document) -> bool:
    """Its lease is of more than one destination."""
    return len(document.destinations) > 1 or document.children


def is_in_doubt(sending: Sending, failure: Exception | None) -> bool:
    """It may have arrived, and must not arrive twice."""
    return isinstance(failure, NotSent) and failure.may_have_arrived and sending.guarantee == "at-most-once"


def ending_of(failure: Exception | None) -> tuple[str, dict[str, Any]]:
    """The command that says how a function ended that sends, and what it says of it."""
    if failure is None:
        return "SENT", {}
    text, trace = text_of(failure), trace_of(failure)
    if not isinstance(failure, NotSent):
        return "FAILED", failure_of(name_of(failure), text, trace, isinstance(failure, GiveUp))
    if failure.drop:
        return "DROPPED", given(reason=text or None)
    kind = failure.kind if isinstance(failure.kind, str) else name_of(failure)
    return "FAILED", failure_of(kind, text, trace, bool(failure.permanent))


def _states_of(params: dict[str, Any]) -> dict[str, str]:
    words = (word.rpartition("=") for word in str(params.get("states", "")).split())
    return {destination: state for destination, _, state in words}


def shown_of(message: Message) -> ShownDocument:
    return fields_of(ShownDocument, message.params | {"states": _states_of(message.params)})


__all__ = [
    "Child",
    "Delivery",
    "Destination",
    "Document",
    "Event",
    "HandedOut",
    "Plan",
    "Sending",
    "ShownDocument",
]
