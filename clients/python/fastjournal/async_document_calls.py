# Made by ./mk generate from plugins/pipeline/pipeline.xml and clients/calls/pipeline.toml: do not edit.
"""The commands of a pipeline table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Any

from .async_calls import TableCalls
from .document_records import Destination, Event, KickedDocument, Step
from .pipeline import Document, HandedOut, ShownDocument, document_of, handed_out_of, number_of, shown_of
from .rows import Duration
from .typed import given, kept, one, record, span, word


class DocumentCalls(TableCalls):
    """A pipeline table on a connection, which must outlive it. Every call raises what `Connection.call` does.

    Document pipelines: which document of which source reached which destination of a plan, so that after a crash each
    is sent where it is missing, and nowhere else.
    """

    async def found(
        self,
        source: str,
        uri: str,
        hash: str = "",
        *,
        gone: bool = False,
        hand_out: bool = True,
        dry_run: bool = False,
        lease: Duration | None = None,
        worker: str | None = None,
    ) -> Document:
        """A source has a document: it is new, has changed, is missing somewhere, or is complete. What is missing is
        handed to whoever found it.

        uri: where the document is: what it is known by; at most 4096 bytes.
        hash: of its content; another one means that it has changed; at most 128 bytes.
        gone: True, the source does not have it any more (deleted="tell" in the plan): it is to be deleted at each
            destination; without hash.
        hand_out: False, it is left to those who say NEXT.
        dry_run: True, says in `change` what would come of it, and changes nothing.
        lease: how long the worker may take; processing-timeout-min to processing-timeout-max; processing-timeout if
            absent.
        worker: the worker's name, for people; peer address and connection if absent; at most 256 bytes.
        """
        params = given(
            table=self.table,
            source=source,
            uri=uri,
            hash=hash or None,
            gone=1 if gone else None,
            hand_out=None if hand_out else 0,
            dry_run=1 if dry_run else None,
            lease=span(lease),
            worker=worker,
        )
        return one(await self.connection.request("FOUND", params), "DOCUMENT", document_of)

    async def next(
        self,
        source: str | None = None,
        destination: str | None = None,
        count: int = 1,
        *,
        lease: Duration | None = None,
        wait: Duration | None = None,
        worker: str | None = None,
    ) -> HandedOut:
        """Hands out documents that are missing somewhere and that nobody has: after a crash, after a rest, or as their
        finder left them.

        source: of this source only.
        destination: that are missing at this destination, and for it alone.
        count: how many documents at most; 1 to 1024; 1 if absent.
        lease: how long the worker may take; processing-timeout-min to processing-timeout-max; processing-timeout if
            absent.
        wait: how long to wait for a document when there is none; 0 to 86400 s; 0 if absent.
        worker: the worker's name, for people; peer address and connection if absent; at most 256 bytes.
        """
        params = given(
            table=self.table,
            source=source,
            destination=destination,
            count=count,
            lease=span(lease),
            wait=span(wait),
            worker=worker,
        )
        return handed_out_of(await self.connection.request("NEXT", params))

    async def sent(self, document: Document, destination: str) -> str:
        """The document has arrived at a destination.

        Returns: the state now.
        Raises: Error stale_epoch if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=document.table or self.table,
            document=document.document,
            token=document.token,
            destination=destination,
        )
        return word(await self.connection.request("SENT", params), "RECORDED", "status")

    async def dropped(self, document: Document, destination: str | None = None, reason: str = "") -> None:
        """The document is not to be brought to a destination, or to none of those that the worker has it for.

        destination: the destination; all of this lease if absent.
        reason: why, for people; 1024 bytes are kept.
        Raises: Error stale_epoch if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=document.table or self.table,
            document=document.document,
            token=document.token,
            destination=destination,
            reason=kept(reason, 1024) or None,
        )
        await self.connection.request("DROPPED", params)

    async def routed(self, document: Document, router: str, chosen: Iterable[str]) -> list[str]:
        """A router chose where the document goes: destinations that it cannot reach any more are dropped.

        chosen: names of steps behind it.
        Returns: the destinations where it was dropped.
        Raises: Error stale_epoch if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=document.table or self.table,
            document=document.document,
            token=document.token,
            router=router,
            chosen=" ".join(chosen),
        )
        return word(await self.connection.request("ROUTED", params), "RECORDED", "dropped_at").split()

    async def release(self, document: Document) -> None:
        """The worker gives a document back, but for what it is sending: it is handed out to another, and nothing is
        counted.

        Raises: Error stale_epoch if the lease is over: then the work is to be dropped.
        """
        params = given(table=document.table or self.table, document=document.document, token=document.token)
        await self.connection.request("RELEASE", params)

    def documents(
        self,
        *,
        status: str | None = None,
        source: str | None = None,
        destination: str | None = None,
        version: int | None = None,
        page: int = 100,
    ) -> AsyncIterator[ShownDocument]:
        """Shows documents and what is known of them at each destination.

        status: stranded (missing, and nobody has them), or all that are in this state; one of "all", "stranded",
            "open", "failed", "in_doubt", "orphans", "done", "processing", "restart", "dirty", "force", "error",
            "batched", "sending", "sent", "dropped", "dead", "error_doc".
        source: of this source only.
        destination: in that state at this destination.
        version: of this version of the plan; the newest if absent; 1 to 1000000000.
        page: asks for so many at a time; 1 to 1000.
        """
        params = given(
            table=self.table, status=status, source=source, destination=destination, version=version, count=page
        )
        return self._pages("DOCUMENTS", params, "DOCUMENT", shown_of)

    def destinations(
        self, destination: str | None = None, *, source: str | None = None, version: int | None = None
    ) -> AsyncIterator[Destination]:
        """Shows the destinations with their documents by state.

        destination: this one only.
        source: those of this source only, and its documents.
        version: of this version of the plan; the newest if absent; 1 to 1000000000.
        """
        params = given(table=self.table, destination=destination, source=source, version=version)
        return self._pages("DESTINATIONS", params, "DESTINATION", record(Destination))

    async def why(self, document: Document | ShownDocument | int) -> dict[str, Any]:
        """Says in sentences why a document is where it is."""
        params = given(table=self.table, document=number_of(document))
        return (await self.connection.request("WHY", params)).first.params

    def history(
        self, document: Document | ShownDocument | int | None = None, *, children: bool = False, page: int = 100
    ) -> AsyncIterator[Event]:
        """Shows what has become of documents, one event after the other, as far as `history` reaches back.

        document: of this one only.
        children: True, of this one, and of all that was made of it.
        page: asks for so many at a time; 1 to 1000.
        """
        params = given(table=self.table, document=number_of(document), children=1 if children else None, count=page)
        return self._pages("HISTORY", params, "EVENT", record(Event))

    def steps(self, *, version: int | None = None, page: int = 100) -> AsyncIterator[Step]:
        """Shows the sources and steps of the plan, in the order of its file.

        version: of this version of the plan; the newest if absent; 1 to 1000000000.
        page: asks for so many at a time; 1 to 1000.
        """
        params = given(table=self.table, version=version, count=page)
        return self._pages("STEPS", params, "STEP", record(Step))

    async def retry(
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
        document or status=error is given.

        document: of this document only.
        source: of documents of this source only.
        destination: at this destination only; at most 4096 bytes.
        kind: whose last failure is of this class; at most 64 bytes.
        status: in this state only; one of "processing", "restart", "dirty", "force", "error", "batched", "sending",
            "sent", "dropped", "dead", "error_doc".
        all: True, needed where none of these is given.
        count: how many at most; all if absent.
        dry_run: True, counts them and changes nothing.
        if_changed: True, of what has arrived instead, if the source finds that it has changed.
        """
        params = given(
            table=self.table,
            document=number_of(document),
            source=source,
            destination=destination,
            **{"class": kind},
            status=status,
            all=1 if all else None,
            dry_run=1 if dry_run else None,
            if_changed=1 if if_changed else None,
        )
        return await self._all("RETRY", params, count, "CHANGED")

    async def force(
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
        """Sends again, whatever the state: also what has arrived.

        document: of this document only.
        source: of documents of this source only.
        destination: at this destination only; at most 4096 bytes.
        kind: whose last failure is of this class; at most 64 bytes.
        status: in this state only; one of "processing", "restart", "dirty", "force", "error", "batched", "sending",
            "sent", "dropped", "dead", "error_doc".
        all: True, needed where none of these is given.
        count: how many at most; all if absent.
        dry_run: True, counts them and changes nothing.
        """
        params = given(
            table=self.table,
            document=number_of(document),
            source=source,
            destination=destination,
            **{"class": kind},
            status=status,
            all=1 if all else None,
            dry_run=1 if dry_run else None,
        )
        return await self._all("FORCE", params, count, "CHANGED")

    async def drop(
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
        """Drops what has not arrived.

        document: of this document only.
        source: of documents of this source only.
        destination: at this destination only; at most 4096 bytes.
        kind: whose last failure is of this class; at most 64 bytes.
        status: in this state only; one of "processing", "restart", "dirty", "force", "error", "batched", "sending",
            "sent", "dropped", "dead", "error_doc".
        all: True, needed where none of these is given.
        count: how many at most; all if absent.
        dry_run: True, counts them and changes nothing.
        """
        params = given(
            table=self.table,
            document=number_of(document),
            source=source,
            destination=destination,
            **{"class": kind},
            status=status,
            all=1 if all else None,
            dry_run=1 if dry_run else None,
        )
        return await self._all("DROP", params, count, "CHANGED")

    async def resolve(
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
        """Says of what is in doubt whether it arrived: sent, or failed, and then it is sent again.

        outcome: what is known of it; one of "sent", "failed".
        document: of this document only.
        source: of documents of this source only.
        destination: at this destination only; at most 4096 bytes.
        kind: whose last failure is of this class; at most 64 bytes.
        status: in this state only; one of "processing", "restart", "dirty", "force", "error", "batched", "sending",
            "sent", "dropped", "dead", "error_doc".
        all: True, needed where none of these is given.
        count: how many at most; all if absent.
        dry_run: True, counts them and changes nothing.
        """
        params = given(
            table=self.table,
            outcome=outcome,
            document=number_of(document),
            source=source,
            destination=destination,
            **{"class": kind},
            status=status,
            all=1 if all else None,
            dry_run=1 if dry_run else None,
        )
        return await self._all("RESOLVE", params, count, "CHANGED")

    async def pause(self, destination: str, reason: str = "") -> None:
        """Shuts a destination: nothing is handed out for it.

        reason: why, for people; 1024 bytes are kept.
        """
        params = given(table=self.table, destination=destination, reason=kept(reason, 1024) or None)
        await self.connection.request("PAUSE", params)

    async def resume(self, destination: str) -> None:
        """Opens a destination that was shut, or that was paused as too much failed there; without one it ends a DRAIN.

        destination: the destination; the table if absent; at most 4096 bytes.
        """
        params = given(table=self.table, destination=destination)
        await self.connection.request("RESUME", params)

    async def kick(self, document: Document | ShownDocument | int, *, destination: str | None = None) -> KickedDocument:
        """Takes a document from the workers that have it: it is handed out again, and nothing is counted; their reports
        are refused from then on. What is being sent where it may arrive once at most is in doubt.

        destination: only what is to be brought there.
        """
        params = given(table=self.table, document=number_of(document), destination=destination)
        return one(await self.connection.request("KICK", params), "KICKED", record(KickedDocument))
