"""The commands of a pipeline table for asyncio; `fastjournal.aio` offers them."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import pipeline as _pipeline
from .documents import Documents as _SyncDocuments
from .errors import Error
from .failures import cut
from .messages import parameters
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
from .rows import Duration

if TYPE_CHECKING:
    from .aio import Connection

# Before a heartbeat is said again that was refused for now, or for want of a connection.
_PAUSE_S = 0.5
_OUTAGES = frozenset({"unavailable", "timed_out", "closed", "over_limit", "no_space", "moved"})


class Documents:
    """A pipeline table on a connection; the calls are those of `fastjournal.Documents`."""

    def __init__(self, connection: Connection, table: str) -> None:
        self.connection = connection
        self.table = table
        # Makes the messages; its own calls are not used.
        self._made = _SyncDocuments(connection, table)  # type: ignore[arg-type]

    # --- sources ---

    async def found(
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
        return _pipeline.document_of((await self.connection.request("FOUND", params)).first)

    # --- workers ---

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
        params = parameters(
            table=self.table,
            source=source,
            destination=destination,
            count=count,
            lease=lease,
            wait=wait,
            worker=worker,
        )
        return _pipeline.handed_out_of(await self.connection.request("NEXT", params))

    async def deliver(self, document: Document, destination: str, send: Callable[[Sending], object]) -> Delivery:
        """`send` may be a coroutine function; if it is cancelled, nothing is said. After a loss a `heartbeat` moves the
        lease to the new connection while it runs."""
        connects = self.connection.connects
        sending = await self.begin(document, destination)
        if sending.verdict != "run":
            return Delivery(sending.verdict, sending.why)
        connects = await self._adopt(document, connects)
        failure: Exception | None = None
        try:
            with self._adopting(document):
                answer = send(sending)
                if inspect.isawaitable(answer):
                    await answer
        except Exception as why:
            failure = why
        delivery = await self._end(document, destination, sending, failure)
        if delivery.state != "sending":
            await self._adopt(document, connects)
        return delivery

    async def begin(
        self, document: Document, destination: str, *, batched: bool = False, worker: str | None = None
    ) -> Sending:
        params = self._made._about(document, destination=destination, batched=batched or None, worker=worker)
        return _pipeline.sending_of(await self.connection.request("SENDING", params))

    async def sent(self, document: Document, destination: str) -> str:
        params = self._made._about(document, destination=destination)
        return _pipeline.state_of(await self.connection.request("SENT", params))

    async def failed(
        self,
        document: Document,
        destination: str,
        kind: str = "error",
        error: str = "",
        *,
        error_trace: str = "",
        permanent: bool = False,
    ) -> str:
        said = _pipeline.failure_of(kind, error, error_trace, permanent)
        params = self._made._about(document, destination=destination) | said
        return _pipeline.state_of(await self.connection.report("FAILED", params))

    async def dropped(self, document: Document, destination: str | None = None, reason: str = "") -> None:
        params = self._made._about(document, destination=destination, reason=cut(reason) or None)
        _pipeline.state_of(await self.connection.request("DROPPED", params))

    async def routed(self, document: Document, router: str, chosen: Iterable[str]) -> list[str]:
        params = self._made._about(document, router=router, chosen=_pipeline.routed_to(chosen))
        return _pipeline.dropped_at_of(await self.connection.request("ROUTED", params))

    async def begin_child(
        self,
        parent: Document,
        child: str | int,
        step: str | None = None,
        *,
        again: bool = False,
        lease: Duration | None = None,
        worker: str | None = None,
    ) -> Child:
        options = parameters(step=step, again=again or None, lease=lease, worker=worker)
        params = self._made._about(parent, child=str(child)) | options
        return _pipeline.child_of(await self.connection.request("CHILD", params))

    async def children_done(self, parent: Document, count: int) -> None:
        _pipeline.state_of(await self.connection.request("CHILDREN_DONE", self._made._about(parent, count=count)))

    async def heartbeat(self, document: Document, lease: Duration | None = None) -> bool:
        params = self._made._about(document, lease=lease)
        return _pipeline.is_alive_of(await self.connection.request("HEARTBEAT", params))

    async def release(self, document: Document) -> None:
        _pipeline.state_of(await self.connection.request("RELEASE", self._made._about(document)))

    async def listen(
        self,
        source: str | None = None,
        mode: str = "wake",
        *,
        credit: int | None = None,
        worker: str | None = None,
    ) -> None:
        await self.connection.listen(self.table, **parameters(source=source, mode=mode, credit=credit, worker=worker))

    async def unlisten(self, source: str | None = None) -> None:
        await self.connection.unlisten(self.table, **parameters(source=source))

    def notices(self, limit: float | None = None) -> AsyncIterator[Notice]:
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
    ) -> AsyncIterator[ShownDocument]:
        params = parameters(
            table=self.table, status=status, source=source, destination=destination, version=version, count=page
        )
        return self._pages("DOCUMENTS", params)

    def destinations(
        self, destination: str | None = None, *, source: str | None = None, version: int | None = None
    ) -> AsyncIterator[Destination]:
        params = parameters(table=self.table, destination=destination, source=source, version=version)
        return self._pages("DESTINATIONS", params)

    async def why(self, document: Document | ShownDocument | int) -> dict[str, Any]:
        params = {"table": self.table, "document": _pipeline.number_of(document)}
        return (await self.connection.request("WHY", params)).first.params

    def history(
        self, document: Document | ShownDocument | int | None = None, *, children: bool = False, page: int = 100
    ) -> AsyncIterator[Event]:
        number = None if document is None else _pipeline.number_of(document)
        params = parameters(table=self.table, document=number, children=children or None, count=page)
        return self._pages("HISTORY", params)

    async def plans(self) -> list[Plan]:
        return _pipeline.plans_of(await self.connection.request("PLANS", {"table": self.table}))

    async def stats(self) -> dict[str, Any]:
        return (await self.connection.request("STATS", {"table": self.table})).first.params

    # --- people ---

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
        params = self._made._wish(document, source, destination, kind, status, all, dry_run)
        return await self._change("RETRY", params | parameters(if_changed=if_changed or None), count)

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
        params = self._made._wish(document, source, destination, kind, status, all, dry_run)
        return await self._change("FORCE", params, count)

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
        params = self._made._wish(document, source, destination, kind, status, all, dry_run)
        return await self._change("DROP", params, count)

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
        params = self._made._wish(document, source, destination, kind, status, all, dry_run)
        return await self._change("RESOLVE", params | {"outcome": outcome}, count)

    async def pause(self, destination: str, reason: str = "") -> None:
        params = parameters(table=self.table, destination=destination, reason=cut(reason) or None)
        await self.connection.request("PAUSE", params)

    async def resume(self, destination: str) -> None:
        await self.connection.request("RESUME", {"table": self.table, "destination": destination})

    # --- inside ---

    @contextlib.contextmanager
    def _adopting(self, document: Document) -> Iterator[None]:
        """After a loss the lease ends with the grace: a heartbeat, which also makes the new connection, moves it there.
        Without regular ones, which would move the deadline of a function that hangs."""
        lost, tasks = asyncio.Event(), list[asyncio.Task[None]]()

        def tell() -> None:
            lost.set()
            if not tasks:
                tasks.append(asyncio.get_running_loop().create_task(self._adopt_after(document, lost)))

        self.connection._on_lost.add(tell)
        try:
            yield
        finally:
            self.connection._on_lost.discard(tell)
            for task in tasks:
                task.cancel()

    async def _adopt(self, document: Document, since: int) -> int:
        if self.connection.connects != since and _pipeline.has_more(document):
            with contextlib.suppress(Error):
                await self.heartbeat(document)
        return self.connection.connects

    async def _adopt_after(self, document: Document, lost: asyncio.Event) -> None:
        while await lost.wait() and self.connection.options.pauses:
            lost.clear()
            try:
                await self.heartbeat(document)
            except Error as why:
                if why.code in _OUTAGES:
                    lost.set()
                    await asyncio.sleep(_PAUSE_S)

    async def _end(
        self, document: Document, destination: str, sending: Sending, failure: Exception | None
    ) -> Delivery:
        if _pipeline.is_in_doubt(sending, failure):
            return Delivery("run", "sending", failure)
        command, params = _pipeline.ending_of(failure)
        params |= self._made._about(document, destination=destination)
        return Delivery("run", _pipeline.state_of(await self.connection.report(command, params)), failure)

    async def _pages(self, command: str, params: dict[str, Any]) -> AsyncIterator[Any]:
        after: Any = ""
        while after is not None:
            if after != "":
                params["after"] = after
            shown, after = _pipeline.shown_of(await self.connection.request(command, dict(params)))
            for one in shown:
                yield one

    async def _change(self, command: str, params: dict[str, Any], most: int | None) -> int:
        changing = Changing(params, most)
        while not changing.ended:
            changing.take(await self.connection.request(command, changing.next()))
        return changing.done
