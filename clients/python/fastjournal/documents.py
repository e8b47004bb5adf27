# Made from async_documents.py by `python3 clients/python/make_blocking.py`: change that file instead.
"""The commands of a pipeline table: for those who find documents, for those who bring them to their destinations
(next, deliver), and for people who look after them (doc/pipeline.md)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Callable, Iterable
from typing import TYPE_CHECKING, Any

from . import pipeline as _pipeline
from ._net_blocking import run
from .errors import Error
from .failures import cut
from .notices import Notice
from .pipeline import (
    Changing,
    Child,
    Delivery,
    Destination,
    Document,
    Event,
    HandedOut,
    Plan,
    Sending,
    ShownDocument,
)
from .rows import Duration, parameters

if TYPE_CHECKING:
    from .connection import Connection


class Documents:
    """A pipeline table on a connection, which must outlive it. Every call raises what `Connection.call` does; with code
    stale_epoch where the lease is over.

    Leases belong to the connection. After a loss they last for the table's grace (10 s); `heartbeat` moves them to the
    new one.
    """

    def __init__(self, connection: Connection, table: str) -> None:
        self.connection = connection
        self.table = table

    # --- sources ---

    def found(
        self,
        source: str,
        uri: str,
        hash: str = "",
        *,
        hand_out: bool = True,
        dry_run: bool = False,
        gone: bool = False,
        lease: Duration | None = None,
        worker: str | None = None,
    ) -> Document:
        """A source has a document. When it returns, that is on the disk; where it is missing, it is handed out.

        hash: of its content; another one means that it has changed. hand_out: False, it is left to those who call
        `next`. dry_run: it says what would come of it, and changes nothing. gone: the source does not have it any more
        (deleted="tell" in the plan), so it is to be deleted where it arrived; without hash. lease: how long the worker
        may take until it begins (the table's processing-timeout). worker: a name that is shown to people.
        """
        params = parameters(
            table=self.table,
            source=source,
            uri=uri,
            hash=hash or None,
            hand_out=None if hand_out else False,
            dry_run=dry_run or None,
            gone=gone or None,
            lease=lease,
            worker=worker,
        )
        return _pipeline.document_of(self.connection.request("FOUND", params).first)

    # --- workers ---

    def next(
        self,
        source: str | None = None,
        destination: str | None = None,
        count: int = 1,
        *,
        lease: Duration | None = None,
        wait: Duration | None = None,
        worker: str | None = None,
    ) -> HandedOut:
        """Hands out up to `count` documents (1 to 1024) that are missing somewhere and that nobody has: after a crash,
        after a rest, or as their finder left them. destination: those that are missing there, and for it alone. wait:
        for the first one, up to a day."""
        params = parameters(
            table=self.table,
            source=source,
            destination=destination,
            count=count,
            lease=lease,
            wait=wait,
            worker=worker,
        )
        return _pipeline.handed_out_of(self.connection.request("NEXT", params))

    def deliver(self, document: Document, destination: str, send: Callable[[Sending], object]) -> Delivery:
        """`begin`, then `send`, then `sent`, `failed` or `dropped`, so that the order of record and send is that of the
        destination's guarantee. `send` is called at most once, and not where there is nothing to do. With asyncio it
        may be a coroutine function.

        - It returns: the document has arrived.
        - It raises: it did not, and is tried again after a rest; the class of the failure is the exception's name.
        - It raises GiveUp: likewise, for good.
        - It raises NotSent: as that says.

        What is no Exception, such as KeyboardInterrupt or a cancellation, is passed on and nothing is said: after the
        lease the document is sent again, or in doubt.

        With asyncio a `heartbeat` moves the lease to the new connection after a loss, while a coroutine function runs.
        Without, nothing is said while `send` runs: one that may take longer than the table's grace calls `heartbeat` of
        its document now and then, so that a restart of the daemon takes it from nobody.
        """
        connects = self.connection.connects
        sending = self.begin(document, destination)
        if sending.verdict != "run":
            return Delivery(sending.verdict, sending.why)
        connects = self._adopt(document, connects)
        failure: Exception | None = None
        try:
            run(self.connection, send, sending, lambda: self.heartbeat(document))
        except Exception as why:
            failure = why
        delivery = self._end(document, destination, sending, failure)
        if delivery.state != "sending":
            self._adopt(document, connects)
        return delivery

    def begin(
        self, document: Document, destination: str, *, batched: bool = False, worker: str | None = None
    ) -> Sending:
        """The worker is about to send the document: SENDING. batched: it goes into a batch, and `begin` without it
        follows when that is sent."""
        params = self._about(document, destination=destination, batched=batched or None, worker=worker)
        return _pipeline.sending_of(self.connection.request("SENDING", params))

    def sent(self, document: Document, destination: str) -> str:
        """It has arrived. Returns the state that is recorded, as `failed` does."""
        params = self._about(document, destination=destination)
        return _pipeline.state_of(self.connection.request("SENT", params))

    def failed(
        self,
        document: Document,
        destination: str,
        kind: str = "error",
        error: str = "",
        *,
        error_trace: str = "",
        permanent: bool = False,
    ) -> str:
        """It did not arrive: it rests and is tried again, or is given up ("dead", "error_doc"). kind: the class of the
        failure, a word of at most 64 bytes; failures of one class are counted together. error: for people; 1 KiB is
        kept. error_trace: where it went wrong; 16 KiB are kept. permanent: it would fail again each time."""
        said = _pipeline.failure_of(kind, error, error_trace, permanent)
        params = self._about(document, destination=destination) | said
        return _pipeline.state_of(self.connection.report("FAILED", params))

    def dropped(self, document: Document, destination: str | None = None, reason: str = "") -> None:
        """It need not arrive there; None: at none of the destinations that the worker has it for."""
        params = self._about(document, destination=destination, reason=cut(reason) or None)
        _pipeline.state_of(self.connection.request("DROPPED", params))

    def routed(self, document: Document, router: str, chosen: Iterable[str]) -> list[str]:
        """The router, a source or step, chose these steps behind it. Returns the destinations that cannot be reached
        any more."""
        params = self._about(document, router=router, chosen=_pipeline.routed_to(chosen))
        return _pipeline.dropped_at_of(self.connection.request("ROUTED", params))

    def begin_child(
        self,
        parent: Document,
        child: str | int,
        step: str | None = None,
        *,
        again: bool = False,
        lease: Duration | None = None,
        worker: str | None = None,
    ) -> Child:
        """A document is made of `parent`. child: what tells it from its siblings, the same each time: its number, or a
        key. step: the one that makes it; None: the source. again: the call is repeated, as its answer was lost."""
        options = parameters(step=step, again=again or None, lease=lease, worker=worker)
        params = self._about(parent, child=str(child)) | options
        return _pipeline.child_of(self.connection.request("CHILD", params))

    def children_done(self, parent: Document, count: int) -> None:
        """So many children were made of it, and there are no more: without this it is not done."""
        _pipeline.state_of(self.connection.request("CHILDREN_DONE", self._about(parent, count=count)))

    def heartbeat(self, document: Document, lease: Duration | None = None) -> bool:
        """The worker lives: its leases of the document last, and move to this connection. False: it is to stop."""
        params = self._about(document, lease=lease)
        return _pipeline.is_alive_of(self.connection.request("HEARTBEAT", params))

    def release(self, document: Document) -> None:
        """The worker gives it back: it is handed out to another, and nothing is counted."""
        _pipeline.state_of(self.connection.request("RELEASE", self._about(document)))

    def listen(
        self,
        source: str | None = None,
        mode: str = "wake",
        *,
        credit: int | None = None,
        worker: str | None = None,
    ) -> None:
        """From now on there are `notices`, also after a reconnect. mode "wake": when a document is to be handed out, to
        one idle listener, who calls `next` until there is nothing; "deliver": documents, up to `credit` at once (1 to
        1024); "row": of each that is to be handed out."""
        self.connection.listen(self.table, **parameters(source=source, mode=mode, credit=credit, worker=worker))

    def unlisten(self, source: str | None = None) -> None:
        """Ends `listen` for this source, or for the table."""
        self.connection.unlisten(self.table, **parameters(source=source))

    def notices(self, limit: float | None = None) -> Iterator[Notice]:
        """As `Connection.notices`: those of every table that the connection listens to."""
        return self.connection.notices(limit)

    # --- looking ---

    def documents(
        self,
        *,
        status: str | None = None,
        source: str | None = None,
        destination: str | None = None,
        version: int | None = None,
        page: int = 100,
    ) -> Iterator[ShownDocument]:
        """All documents that match. status: "stranded" (missing, and nobody has them), "open", "failed", "in_doubt",
        "orphans", "done", or a state such as "dead"; destination: in that state there. version: of the plan; None: the
        newest. It asks for `page` documents (1 to 1000) at a time; they may change meanwhile."""
        params = parameters(
            table=self.table, status=status, source=source, destination=destination, version=version, count=page
        )
        return self._pages("DOCUMENTS", params)

    def destinations(
        self, destination: str | None = None, *, source: str | None = None, version: int | None = None
    ) -> Iterator[Destination]:
        """The destinations of the plan, or this one, with their documents by state. source: those that its documents
        can reach, and these documents alone."""
        params = parameters(table=self.table, destination=destination, source=source, version=version)
        return self._pages("DESTINATIONS", params)

    def why(self, document: Document | ShownDocument | int) -> dict[str, Any]:
        """Why a document is where it is: `states`, and `text`, sentences for people. Raises Error unknown_row."""
        params = {"table": self.table, "document": _pipeline.number_of(document)}
        return self.connection.request("WHY", params).first.params

    def history(
        self, document: Document | ShownDocument | int | None = None, *, children: bool = False, page: int = 100
    ) -> Iterator[Event]:
        """What has become of this document, or of all, one event after the other, as far as the table's `history`
        reaches back. children: and of all that was made of it. It asks for `page` events (1 to 1000) at a time."""
        number = None if document is None else _pipeline.number_of(document)
        params = parameters(table=self.table, document=number, children=children or None, count=page)
        return self._pages("HISTORY", params)

    def plans(self) -> list[Plan]:
        """The versions of the plan that have documents."""
        return _pipeline.plans_of(self.connection.request("PLANS", {"table": self.table}))

    def stats(self) -> dict[str, Any]:
        """The figures of the table, by the names of STATS."""
        return self.connection.request("STATS", {"table": self.table}).first.params

    # --- people ---
    #
    # Each changes what matches, page by page, up to `count` (None: all), and returns how many; dry_run only counts.
    # One of document, source, destination, kind (the class of the last failure) and status, or all, is needed.

    def retry(
        self,
        document: Document | ShownDocument | int | None = None,
        *,
        source: str | None = None,
        destination: str | None = None,
        kind: str | None = None,
        status: str | None = None,
        all: bool = False,
        count: int | None = None,
        dry_run: bool = False,
        if_changed: bool = False,
    ) -> int:
        """Tries again what failed, with its failures forgotten: what is dead or failed for good, and what rests if its
        document or status "error" is given. if_changed: what has arrived instead, if the source finds that it has
        changed."""
        params = self._wish(document, source, destination, kind, status, all, dry_run)
        return self._change("RETRY", params | parameters(if_changed=if_changed or None), count)

    def force(
        self,
        document: Document | ShownDocument | int | None = None,
        *,
        source: str | None = None,
        destination: str | None = None,
        kind: str | None = None,
        status: str | None = None,
        all: bool = False,
        count: int | None = None,
        dry_run: bool = False,
    ) -> int:
        """Sends again, whatever the state: also what has arrived."""
        params = self._wish(document, source, destination, kind, status, all, dry_run)
        return self._change("FORCE", params, count)

    def drop(
        self,
        document: Document | ShownDocument | int | None = None,
        *,
        source: str | None = None,
        destination: str | None = None,
        kind: str | None = None,
        status: str | None = None,
        all: bool = False,
        count: int | None = None,
        dry_run: bool = False,
    ) -> int:
        """Drops what has not arrived."""
        params = self._wish(document, source, destination, kind, status, all, dry_run)
        return self._change("DROP", params, count)

    def resolve(
        self,
        outcome: str,
        document: Document | ShownDocument | int | None = None,
        *,
        source: str | None = None,
        destination: str | None = None,
        kind: str | None = None,
        status: str | None = None,
        all: bool = False,
        count: int | None = None,
        dry_run: bool = False,
    ) -> int:
        """Says of what is in doubt whether it arrived: "sent", or "failed", and then it is sent again."""
        params = self._wish(document, source, destination, kind, status, all, dry_run)
        return self._change("RESOLVE", params | {"outcome": outcome}, count)

    def pause(self, destination: str, reason: str = "") -> None:
        """Shuts a destination: nothing is handed out for it."""
        params = parameters(table=self.table, destination=destination, reason=cut(reason) or None)
        self.connection.request("PAUSE", params)

    def resume(self, destination: str) -> None:
        """Opens a destination that was shut, or that was paused as too much failed there."""
        self.connection.request("RESUME", {"table": self.table, "destination": destination})

    # --- inside ---

    def _about(self, document: Document, **options: Any) -> dict[str, Any]:
        about = {"table": document.table or self.table, "document": document.document, "token": document.token}
        return about | parameters(**options)

    def _adopt(self, document: Document, since: int) -> int:
        """After a new connection the leases of the other destinations move to it; what is begun or ended over it needs
        no heartbeat. Returns the number of connections so far."""
        if self.connection.connects != since and _pipeline.has_more(document):
            with contextlib.suppress(Error):  # too late: what is said next is refused
                self.heartbeat(document)
        return self.connection.connects

    def _end(
        self, document: Document, destination: str, sending: Sending, failure: Exception | None
    ) -> Delivery:
        if _pipeline.is_in_doubt(sending, failure):
            return Delivery("run", "sending", failure)
        command, params = _pipeline.ending_of(failure)
        params |= self._about(document, destination=destination)
        return Delivery("run", _pipeline.state_of(self.connection.report(command, params)), failure)

    def _wish(
        self,
        document: Document | ShownDocument | int | None,
        source: str | None,
        destination: str | None,
        kind: str | None,
        status: str | None,
        all: bool,
        dry_run: bool,
    ) -> dict[str, Any]:
        number = None if document is None else _pipeline.number_of(document)
        wish = {} if kind is None else {"class": kind}
        return wish | parameters(
            table=self.table,
            document=number,
            source=source,
            destination=destination,
            status=status,
            all=all or None,
            dry_run=dry_run or None,
        )

    def _pages(self, command: str, params: dict[str, Any]) -> Iterator[Any]:
        after: Any = ""
        while after is not None:
            if after != "":
                params["after"] = after
            shown, after = _pipeline.shown_of(self.connection.request(command, dict(params)))
            for one in shown:
                yield one

    def _change(self, command: str, params: dict[str, Any], most: int | None) -> int:
        changing = Changing(params, most)
        while not changing.ended:
            changing.take(self.connection.request(command, changing.next()))
        return changing.done
