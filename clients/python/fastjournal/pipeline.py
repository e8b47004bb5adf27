"""What the commands of a pipeline table take and answer, as Python's types; shared by both kinds of connections.

Dates and durations are those of rows.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .errors import GiveUp, NotSent
from .failures import cut, failed_with, name_of, text_of, trace_of
from .messages import Paging, fields_of
from .rows import parameters, unexpected
from .session import Reply
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


@dataclass(frozen=True, slots=True)
class Destination:
    """A destination, and its documents by state. step: its output; branches: by which copies arrive, of duplicating
    routers. mode: "open", "probing" (paused, as too much failed there) or "shut"; reason: why it is not open. with_workers:
    of all these; the others count a document once."""

    destination: str
    step: str = ""
    branches: list[str] = field(default_factory=list)
    guarantee: str = ""
    mode: str = ""
    reason: str = ""
    processing: int = 0
    restart: int = 0
    dirty: int = 0
    force: int = 0
    error: int = 0
    batched: int = 0
    sending: int = 0
    sent: int = 0
    dropped: int = 0
    dead: int = 0
    error_doc: int = 0
    in_doubt: int = 0
    with_workers: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """What became of a document, or of a destination. event: its number since the start of the daemon. what: "found",
    "changed", "handed_out", "routed", "children_done", "in_doubt", "forgotten", "mode" (of a destination), "drains",
    "resumed" (of the table), or the state that it came into. destination: empty of what concerns the whole document.
    failures: so far. kind: of a failure. router, chosen: who chose what. hash: of the content then; operation: "delete"
    if its source did not have it any more; generation: how often it had changed by then. parent, original: of a child.
    children: of children_done, how many there are. by: who drains the table."""

    event: int
    date: int = 0
    what: str = ""
    document: int = 0
    uri: str = ""
    destination: str = ""
    worker: str = ""
    failures: int = 0
    kind: str = ""
    error: str = ""
    reason: str = ""
    router: str = ""
    chosen: list[str] = field(default_factory=list)
    mode: str = ""
    hash: str = ""
    operation: str = ""
    generation: int = 0
    parent: int = 0
    original: int = 0
    children: int = 0
    by: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A version of the plan that has documents. text: of the newest. xml: as the file of a plan."""

    plan: str
    version: int = 0
    documents: int = 0
    newest: bool = False
    text: str = ""
    xml: str = ""


def number_of(document: Document | ShownDocument | int) -> int:
    return document if isinstance(document, int) else document.document


def described(params: dict[str, Any]) -> Document:
    """The document of a DOCUMENT, or of a LISTEN about one."""
    return fields_of(Document, {"table": "", "document": 0} | params)


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


def dropped_at_of(reply: Reply) -> list[str]:
    return str(reply.first.params.get("dropped_at", "")).split()


def is_alive_of(reply: Reply) -> bool:
    """What HEARTBEAT was told."""
    if reply.first.command not in ("RECORDED", "CANCELLED"):
        raise unexpected(reply.first, "RECORDED or CANCELLED")
    return reply.first.command == "RECORDED"


def routed_to(chosen: Iterable[str]) -> str:
    return " ".join(chosen)


def failure_of(kind: str, error: str, error_trace: str, permanent: bool) -> dict[str, Any]:
    """What FAILED says of a failure."""
    out = {"class": cut(kind, _CLASS_BYTES_MAX)} if kind else {}
    return out | parameters(**failed_with(error or None, error_trace or None), permanent=permanent or None)


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
        return "DROPPED", parameters(reason=text or None)
    kind = failure.kind if isinstance(failure.kind, str) else name_of(failure)
    return "FAILED", failure_of(kind, text, trace, bool(failure.permanent))


def _states_of(params: dict[str, Any]) -> dict[str, str]:
    words = (word.rpartition("=") for word in str(params.get("states", "")).split())
    return {destination: state for destination, _, state in words}


def shown_of(reply: Reply) -> tuple[list[Any], Any]:
    """The documents, destinations or events of a page, and where the next one begins; None: nowhere."""
    out: list[Any] = []
    for message in reply.messages:
        if message.command == "DOCUMENT":
            out.append(fields_of(ShownDocument, message.params | {"states": _states_of(message.params)}))
        elif message.command == "DESTINATION":
            out.append(fields_of(Destination, message.params))
        elif message.command == "EVENT":
            out.append(fields_of(Event, message.params | {"kind": message.params.get("class", "")}))
        elif message.command != "NOTHING":
            raise unexpected(message, "DOCUMENT, DESTINATION, EVENT or NOTHING")
    return out, reply.messages[-1].params.get("after")


def plans_of(reply: Reply) -> list[Plan]:
    return [fields_of(Plan, message.params) for message in reply.messages if message.command == "PLAN"]


@dataclass(slots=True)
class Changing(Paging):
    """A RETRY, FORCE, DROP or RESOLVE."""

    def take(self, reply: Reply) -> None:
        if reply.first.command != "CHANGED":
            raise unexpected(reply.first, "CHANGED")
        self.count(reply, "after" in reply.first.params)
        self.params["after"] = reply.first.params.get("after")


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
