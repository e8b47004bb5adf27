"""A worker: leases rows, or messages of a queue, runs a function for each, and reports how it ended.

One task of asyncio owns the connection. Functions that are no coroutines run in threads, so that leases are renewed
whatever they do.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from . import aio
from .errors import Error, GiveUp, failure
from .failures import described, text_of, trace_of
from .messages import QueueMessage
from .options import DEFAULT_SERVER
from .rows import Duration, Row, milliseconds

_log = logging.getLogger("fastjournal")
# An idle worker asks as well: only this detects that the daemon's computer is gone.
_IDLE_S = 60.0
# While a function runs, an absent daemon may delay the worker by no more than this.
_CALL_S = 5.0
# Before something is tried again that was refused for now, or for want of a connection.
_PAUSE_S = 0.5
# After a stop, with a daemon that does not answer: so long is tried to say how a row ended.
_STOP_AFTER_S = 5.0
_LEASE_OVER = frozenset({"stale_epoch", "not_leased", "unknown_row"})


# A row or a message.
_Task = Any


class _Carried(Exception):
    """What was raised, of a kind that no future carries (StopIteration), or that would end the loop (SystemExit)."""

    def __init__(self, raised: BaseException) -> None:
        super().__init__()
        self.raised = raised


def _carried(raised: BaseException) -> Exception:
    is_plain = isinstance(raised, Exception) and not isinstance(raised, StopIteration)
    return raised if is_plain else _Carried(raised)  # type: ignore[return-value]


class _Rows:
    """Tasks that are rows of a journal."""

    def __init__(self, connection: aio.Connection, table: str, domain: str | None) -> None:
        self._journal = connection.journal(table)
        self._domain = domain
        self.touch = self._journal.touch
        self.done = self._journal.done
        self.release = self._journal.release
        self.fail = self._journal.fail

    async def next(self, count: int, lease: Duration, worker: str | None) -> list[Row]:
        return (await self._journal.next(count, lease=lease, domain=self._domain, worker=worker)).rows

    async def listen(self, worker: str | None) -> None:
        await self._journal.listen(domain=self._domain, worker=worker)

    @staticmethod
    def name_of(row: Row) -> str:
        return f"{row.table} row {row.row}"


class _Messages:
    """Tasks that are messages of a queue, or of all queues of a table."""

    def __init__(self, connection: aio.Connection, table: str, queue: str | None) -> None:
        self._queues = connection.queues(table)
        self._queue = queue
        self.touch = self._queues.touch
        self.done = self._queues.accept
        self.release = self._queues.release
        self.fail = self._queues.reject

    async def next(self, count: int, lease: Duration, worker: str | None) -> list[QueueMessage]:
        return (await self._queues.acquire(self._queue, count, lease=lease, worker=worker)).messages

    async def listen(self, worker: str | None) -> None:
        await self._queues.listen(self._queue, "wake", worker=worker)

    @staticmethod
    def name_of(message: QueueMessage) -> str:
        return f"{message.table} message {message.message}"


_Source = _Rows | _Messages


def worker(
    table: str,
    *,
    server: str = DEFAULT_SERVER,
    concurrency: int = 1,
    lease: Duration = 60.0,
    domain: str | None = None,
    name: str | None = None,
    **options: Any,
) -> Callable[[Callable[[Row], Any]], Worker]:
    """Makes a worker of a function that takes a Row, also of a coroutine function.

    - It returns: the row is done.
    - It raises: the row is returned as a failed attempt, with the exception as its error.
    - It raises GiveUp: the row is given up at once, with that text.

    concurrency: rows at once, in threads or, for a coroutine function, in tasks. lease: seconds, within the table's
    limits; renewed at half of it. If a lease is lost, `row.lost` is set, a coroutine is cancelled, and nothing more is
    said about the row. domain: rows of this domain only. name: shown to people. stop_after: seconds after a stop, with
    a daemon that does not answer, in which it is tried to say how a row ended (5). options: those of `connect`.
    """

    def source(connection: aio.Connection) -> _Source:
        return _Rows(connection, table, domain)

    return _made_by(source, table, server=server, concurrency=concurrency, lease=lease, name=name, **options)


def consumer(
    table: str,
    queue: str | None = None,
    *,
    server: str = DEFAULT_SERVER,
    concurrency: int = 1,
    lease: Duration = 60.0,
    name: str | None = None,
    **options: Any,
) -> Callable[[Callable[[QueueMessage], Any]], Worker]:
    """Makes a worker of a function that takes a QueueMessage; a queue that is None stands for all queues of the table.

    - It returns: the message is accepted.
    - It raises: the message is released as a failed delivery, with the exception as its error.
    - It raises GiveUp: the message is rejected, with that text: it is dead at once.

    All else is as of `worker`.
    """

    def source(connection: aio.Connection) -> _Source:
        return _Messages(connection, table, queue)

    return _made_by(source, table, server=server, concurrency=concurrency, lease=lease, name=name, **options)


def _made_by(
    source: Callable[[aio.Connection], _Source], table: str, **given: Any
) -> Callable[[Callable[[_Task], Any]], Worker]:
    def decorate(function: Callable[[_Task], Any]) -> Worker:
        return Worker(function, table, source=source, **given)

    return decorate


class Worker:
    """Made by `worker` or `consumer`. Calling it calls the function."""

    def __init__(
        self,
        function: Callable[[_Task], Any],
        table: str,
        *,
        source: Callable[[aio.Connection], _Source],
        server: str,
        concurrency: int,
        lease: Duration,
        name: str | None,
        stop_after: float = _STOP_AFTER_S,
        **options: Any,
    ) -> None:
        if concurrency < 1 or concurrency > 1024:
            raise ValueError("concurrency is 1 to 1024")
        self.function = function
        self.table = table
        self._source = source
        self._concurrency = concurrency
        self._lease_s = milliseconds(lease) / 1000
        self._name = name
        self._stop_after = stop_after
        self._options: dict[str, Any] = {"server": server, "time_limit": _CALL_S} | options
        self._running: dict[asyncio.Task[None], _Task] = {}
        self._adopting: set[asyncio.Event] = set()  # one for each lease
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self._stopped = asyncio.Event()
        self._stopping = False
        self._once = False

    def __call__(self, task: _Task) -> Any:
        return self.function(task)

    def run(self, *, until_empty: bool = False) -> None:
        """Works until SIGTERM or SIGINT: then rows in work are finished, no other is leased, and it returns; a second
        signal has its default effect. until_empty: until there is nothing to do now. It survives a restart of the
        daemon and a pause of the table.

        Raises Error if the daemon cannot be reached at the start, or refuses what no waiting changes, such as
        unknown_table, not_found (no such queue), not_allowed or bad_parameter (of the lease).
        """
        asyncio.run(self.run_async(until_empty=until_empty))

    def stop(self) -> None:
        """As the signal does. May be called from any thread."""
        self._stopping = True
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                self._loop.call_soon_threadsafe(self._wake.set)
                self._loop.call_soon_threadsafe(self._stopped.set)

    async def run_async(self, *, until_empty: bool = False) -> None:
        """`run` for programs with asyncio."""
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._stopped = asyncio.Event()
        if self._stopping:
            self._stopped.set()
        self._once = until_empty
        with self._signals():
            connection = await aio.connect(**self._options | {"on_connection": self._heard_of_connection})
            notices = None
            try:
                source = self._source(connection)
                if not until_empty:
                    await source.listen(self._name)
                    notices = asyncio.create_task(self._follow(connection))
                await self._work(connection, source)
            finally:
                # Of a program that cancels the worker; otherwise there are none.
                for task in list(self._running):
                    task.cancel()
                if notices is not None:
                    notices.cancel()
                    await asyncio.gather(notices, return_exceptions=True)
                await connection.close()
                self._loop = None
                self._stopping = False

    # --- inside ---

    async def _work(self, connection: aio.Connection, source: _Source) -> None:
        asks = True
        while True:
            self._wake.clear()
            free = self._concurrency - len(self._running)
            if asks and free and not self._stopping:
                asks = await self._take(connection, source, free)
                if asks:
                    continue
            if not self._running and (self._stopping or (self._once and not asks)):
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_IDLE_S):
                    await self._wake.wait()
            # A freed place, a notice, or a long silence.
            asks = True

    async def _take(self, connection: aio.Connection, source: _Source, free: int) -> bool:
        """False: there is nothing now."""
        asked = time.monotonic()
        try:
            # A stop ends it at once, and what is leased meanwhile is given back.
            tasks = await self._unless_stopped(source.next(free, self._lease_s, self._name), 0.0)
        except ConnectionError as why:
            if not connection.options.pauses:
                await self._finish_running()
                raise
            _log.warning("%s: %s; trying again", self.table, why)
            await asyncio.sleep(_PAUSE_S)
            return not self._once
        except Error as why:
            if why.code == "timed_out":
                return not self._once
            if why.code == "paused":
                _log.warning("%s: %s; waiting", self.table, why)
                return False
            await self._finish_running()
            raise
        for task in tasks:
            handling = asyncio.create_task(self._handle(source, task, asked + self._lease_s))
            self._running[handling] = task
            handling.add_done_callback(self._handled)
        return bool(tasks)

    async def _unless_stopped(self, call: Coroutine[Any, Any, Any], after: float) -> Any:
        """What the call returns; TimedOut if it takes longer than this after a stop."""
        calling = asyncio.ensure_future(call)
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait([calling, stopped], return_when=asyncio.FIRST_COMPLETED)
            if not calling.done() and after > 0:
                await asyncio.wait([calling], timeout=after)
        finally:
            stopped.cancel()
            if not calling.done():
                calling.cancel()
                await asyncio.wait([calling])
        if calling.cancelled():
            raise failure("timed_out", f"no answer within {after:g} s after the stop")
        return calling.result()

    def _handled(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        self._wake.set()
        if not task.cancelled() and (why := task.exception()) is not None:
            _log.error("%s: %s", self.table, why)

    def _heard_of_connection(self, why: Error | None) -> None:
        if (heard := self._options.get("on_connection")) is not None:
            heard(why)
        # The daemon gives back what a lost connection had: a TOUCH from the new one adopts it. Without a listener only a
        # command makes the new one.
        if why is None or self._once:
            for adopt in self._adopting:
                adopt.set()

    async def _finish_running(self) -> None:
        if self._running:
            await asyncio.wait(list(self._running))

    async def _follow(self, connection: aio.Connection) -> None:
        """Notices wake the worker. A subscription that is refused would never notify: it asks now and then all the
        same."""
        while True:
            try:
                async for _ in connection.notices():
                    self._wake.set()
            except Error as why:
                _log.warning("%s: %s", self.table, why)
                self._wake.set()
                await asyncio.sleep(_PAUSE_S)

    async def _handle(self, source: _Source, task: _Task, lease_end: float) -> None:
        running = asyncio.ensure_future(self._start(task, source.name_of(task)))
        adopt = asyncio.Event()
        self._adopting.add(adopt)
        running.add_done_callback(lambda _: (self._adopting.discard(adopt), adopt.set()))
        while not running.done():
            left = lease_end - time.monotonic()
            # After a failure of a renewal soon again, while the lease lasts.
            try:
                async with asyncio.timeout(max(left - self._lease_s / 2, self._lease_s / 8)):
                    await adopt.wait()
            except TimeoutError:
                pass
            except asyncio.CancelledError:
                running.cancel()
                raise
            adopt.clear()
            if running.done():
                break
            asked = time.monotonic()
            try:
                await self._touch(source, task, running)
                if running.done():
                    break
                lease_end = asked + self._lease_s
            except Error as why:
                # An outage may be over in time; an expired row may still be done within its lease.
                if why.code not in _LEASE_OVER:
                    continue
                task.lost = True
                _log.warning("%s: lost while it was worked on: %s", source.name_of(task), why)
                running.cancel()
                with contextlib.suppress(BaseException):
                    await running
                return
        await self._settle(source, task, running, lease_end)

    async def _touch(self, source: _Source, task: _Task, running: asyncio.Future[None]) -> None:
        """Renews the lease, unless the function ends before."""
        touching = asyncio.ensure_future(source.touch(task, self._lease_s))
        try:
            await asyncio.wait([touching, running], return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not touching.done():
                touching.cancel()
                await asyncio.wait([touching])
        if not touching.cancelled():
            touching.result()

    async def _start(self, task: _Task, name: str) -> None:
        if inspect.iscoroutinefunction(self.function):
            try:
                await self.function(task)
            except asyncio.CancelledError:
                raise
            except BaseException as raised:
                raise _carried(raised) from None
            return
        # A thread of its own: one that never ends does not keep the process.
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()

        def tell(why: BaseException | None) -> None:
            if not ended.done():
                ended.set_result(None) if why is None else ended.set_exception(why)

        def work() -> None:
            why: BaseException | None = None
            try:
                self.function(task)
            except BaseException as raised:
                why = _carried(raised)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(tell, why)

        threading.Thread(target=work, name=name, daemon=True).start()
        await asyncio.shield(ended)

    async def _settle(self, source: _Source, task: _Task, ended: asyncio.Future[None], lease_end: float) -> None:
        """Says how the row ended, again after an outage as long as the lease lasts."""
        why = asyncio.CancelledError() if ended.cancelled() else ended.exception()
        if isinstance(why, _Carried):
            why = why.raised
        name = source.name_of(task)
        say: Callable[[], Awaitable[Any]]
        if why is None:
            say = lambda: source.done(task)  # noqa: E731
        elif isinstance(why, GiveUp):
            text, trace = text_of(why) or "given up", trace_of(why)
            _log.warning("%s: given up: %s\n%s", name, text, trace)
            say = lambda: source.fail(task, text, trace)  # noqa: E731
        else:
            text, trace = described(why), trace_of(why)
            _log.warning("%s: failed: %s\n%s", name, text, trace)
            say = lambda: source.release(task, error=text, error_trace=trace)  # noqa: E731
        try:
            await self._unless_stopped(self._tell(say, name, lease_end), self._stop_after)
        except Error as why_not:
            _log.warning("%s: its end could not be said: %s", name, why_not)

    async def _tell(self, say: Callable[[], Awaitable[Any]], name: str, lease_end: float) -> None:
        in_doubt = False
        while True:
            try:
                await say()
                return
            except (ConnectionError, TimeoutError) as outage:
                in_doubt = True
                if time.monotonic() >= lease_end:
                    _log.warning("%s: its end could not be said in time: %s", name, outage)
                    return
                await asyncio.sleep(_PAUSE_S)
            except Error as refused:
                # After an outage: the first attempt succeeded, and only its answer was lost.
                if not (in_doubt and refused.code in ("unknown_row", "not_leased")):
                    _log.warning("%s: %s", name, refused)
                return

    @contextlib.contextmanager
    def _signals(self) -> Any:
        """The first SIGTERM or SIGINT stops; only the main thread has signals."""
        loop = asyncio.get_running_loop()
        taken: list[signal.Signals] = []

        def on_signal() -> None:
            for one in taken:
                loop.remove_signal_handler(one)
            taken.clear()
            self.stop()

        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, on_signal)
                taken.append(number)
        try:
            yield
        finally:
            for number in taken:
                loop.remove_signal_handler(number)
