# Made from async_documents.py by `python3 clients/python/make_blocking.py`: change that file instead.
"""The commands of a pipeline table: for those who find documents, for those who bring them to their destinations
(next, deliver), and for people who look after them (doc/pipeline.md)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Callable
from typing import Any

from . import pipeline as _pipeline
from ._net_blocking import run
from .document_calls import DocumentCalls
from .errors import Error
from .notices import Notice
from .pipeline import Child, Delivery, Document, Plan, Sending
from .rows import Duration
from .typed import flag, given, record, span


class Documents(DocumentCalls):
    """A pipeline table on a connection, which must outlive it. Every call raises what `Connection.call` does; with code
    stale_epoch where the lease is over.

    Leases belong to the connection. After a loss they last for the table's grace (10 s); `heartbeat` moves them to the
    new one.
    """

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
        params = self._about(document, destination=destination, batched=flag(batched or None), worker=worker)
        return _pipeline.sending_of(self.connection.request("SENDING", params))

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
        options = given(step=step, again=flag(again or None), lease=span(lease), worker=worker)
        params = self._about(parent, child=str(child)) | options
        return _pipeline.child_of(self.connection.request("CHILD", params))

    def children_done(self, parent: Document, count: int) -> None:
        """So many children were made of it, and there are no more: without this it is not done."""
        _pipeline.state_of(self.connection.request("CHILDREN_DONE", self._about(parent, count=count)))

    def heartbeat(self, document: Document, lease: Duration | None = None) -> bool:
        """The worker lives: its leases of the document last, and move to this connection. False: it is to stop."""
        params = self._about(document, lease=span(lease))
        return _pipeline.is_alive_of(self.connection.request("HEARTBEAT", params))

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
        self.connection.listen(self.table, **given(source=source, mode=mode, credit=credit, worker=worker))

    def unlisten(self, source: str | None = None) -> None:
        """Ends `listen` for this source, or for the table."""
        self.connection.unlisten(self.table, **given(source=source))

    def notices(self, limit: float | None = None) -> Iterator[Notice]:
        """As `Connection.notices`: those of every table that the connection listens to."""
        return self.connection.notices(limit)

    def plans(self) -> list[Plan]:
        """The versions of the plan that have documents."""
        return [one for one in self._pages("PLANS", {"table": self.table}, "PLAN", record(Plan))]

    # --- inside ---

    def _about(self, document: Document, **options: Any) -> dict[str, Any]:
        about = {"table": document.table or self.table, "document": document.document, "token": document.token}
        return about | given(**options)

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
