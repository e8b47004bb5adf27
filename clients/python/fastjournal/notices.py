"""What listeners are told, whatever the type of their table."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import Error, failure
from .messages import QueueMessage, message_of
from .pipeline import Document, described, document_of
from .rows import Row, row_of, unexpected
from .session import refusal_of
from .wire import Message, whole


@dataclass(frozen=True, slots=True)
class Notice:
    """What a listener is told. kind: "work" (mode wake: `ready` rows, messages or documents, the first due since
    `date`), "due" (mode row: `row` has the number, the key's columns and the process date, or `message` those of a
    message; `document` is what is known of a document), "missed" (mode row: so many were not told), "delivered" (mode
    deliver: `row`, `message` or `document` is leased to this connection).

    domain, queue: of the LISTEN, if it has one. source: likewise, or that of the document."""

    kind: str
    table: str
    domain: str = ""
    ready: int = 0
    missed: int = 0
    date: int = 0
    row: Row | None = None
    queue: str = ""
    message: QueueMessage | None = None
    source: str = ""
    document: Document | None = None


def notice_of(push: Message) -> Notice:
    """Raises Error: a subscription that was refused after a reconnect, or that the daemon has ended."""
    command, params = push
    table, domain, queue, source = (str(params.get(name, "")) for name in ("table", "domain", "queue", "source"))
    if command == "ROW":
        return Notice("delivered", table, row=row_of(push))
    if command == "MESSAGE":
        return Notice("delivered", table, queue=queue, message=message_of(push))
    if command == "DOCUMENT":
        return Notice("delivered", table, source=source, document=document_of(push))
    if command == "UNLISTENED":
        if "code" in params:
            raise failure(str(params["code"]), str(params.get("message", "")), params)
        raise Error("unknown_table", f"table {table} was dropped", params)
    if command != "LISTEN":
        raise refusal_of(push) or unexpected(push, "LISTEN, ROW, MESSAGE or DOCUMENT")
    if "row" in params:
        return Notice("due", table, domain, row=row_of(push))
    if "message" in params:
        return Notice("due", table, queue=queue, message=message_of(push))
    if "document" in params:
        return Notice("due", table, source=source, document=described(params))
    if "missed" in params:
        return Notice("missed", table, domain, missed=whole(params, "missed"), queue=queue, source=source)
    ready, date = whole(params, "ready"), whole(params, "date")
    return Notice("work", table, domain, ready=ready, date=date, queue=queue, source=source)
