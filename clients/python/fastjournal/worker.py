"""A worker: leases rows, runs a function for each, and reports how it ended.

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
from collections.abc import Awaitable, Callable
from typing import Any

from . import aio
from .errors import Error, GiveUp
from .options import DEFAULT_SERVER
from .rows import Duration, Row, milliseconds

_log = logging.getLogger("fastjournal")
# An idle worker asks as well: only this detects that the daemon's computer is gone.
_IDLE_S = 60.0
# While a function runs, an absent daemon may delay the worker by no more than this.
_CALL_S = 5.0
# Before something is tried again that was refused for now, or for want of a connection.
_PAUSE_S = 0.5
_LEASE_OVER = frozenset({"stale_epoch", "not_leased", "unknown_row"})


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
    said about the row. domain: rows of this domain only. name: shown to people. options: those of `connect`.
    """

    def decorate(function: Callable[[Row], Any]) -> Worker:
        return Worker(
            function, table, server=server, concurrency=concurrency, lease=lease, domain=domain, name=name, **options
        )

    return decorate


class Worker:
    """Made by `worker`. Calling it calls the function."""

    def __init__(
        self,
        function: Callable[[Row], Any],
        table: str,
        *,
        server: str,
        concurrency: int,
        lease: Duration,
        domain: str | None,
        name: str | None,
        **options: Any,
    ) -> None:
        if concurrency < 1 or concurrency > 1024:
            raise ValueError("concurrency is 1 to 1024")
        self.function = function
        self.table = table
        self._concurrency = concurrency
        self._lease_s = milliseconds(lease) / 1000
        self._domain = domain
        self._name = name
        self._options: dict[str, Any] = {"server": server, "time_limit": _CALL_S} | options
        self._running: dict[asyncio.Task[None], Row] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self._stopping = False
        self._once = False

    def __call__(self, row: Row) -> Any:
        return self.function(row)

    def run(self, *, until_empty: bool = False) -> None:
        """Works until SIGTERM or SIGINT: then rows in work are finished, no other is leased, and it returns; a second
        signal has its default effect. until_empty: until there is nothing to do now. It survives a restart of the
        daemon and a pause of the table.

        Raises Error if the daemon cannot be reached at the start, or refuses what no waiting changes, such as
        unknown_table, not_allowed or bad_parameter (of the lease).
        """
        asyncio.run(self.run_async(until_empty=until_empty))

    def stop(self) -> None:
        """As the signal does. May be called from any thread."""
        self._stopping = True
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                self._loop.call_soon_threadsafe(self._wake.set)

    async def run_async(self, *, until_empty: bool = False) -> None:
        """`run` for programs with asyncio."""
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._once = until_empty
        with self._signals():
            connection = await aio.connect(**self._options)
            notices = None
            try:
                journal = connection.journal(self.table)
                if not until_empty:
                    await journal.listen(domain=self._domain, worker=self._name)
                    notices = asyncio.create_task(self._follow(connection))
                await self._work(journal)
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

    async def _work(self, journal: aio.Journal) -> None:
        asks = True
        while True:
            self._wake.clear()
            free = self._concurrency - len(self._running)
            if asks and free and not self._stopping:
                asks = await self._take(journal, free)
                if asks:
                    continue
            if not self._running and (self._stopping or (self._once and not asks)):
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_IDLE_S):
                    await self._wake.wait()
            # A freed place, a notice, or a long silence.
            asks = True

    async def _take(self, journal: aio.Journal, free: int) -> bool:
        """False: there is nothing now."""
        asked = time.monotonic()
        try:
            work = await journal.next(free, lease=self._lease_s, domain=self._domain, worker=self._name)
        except ConnectionError as why:
            if not journal.connection.options.pauses:
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
        for row in work.rows:
            task = asyncio.create_task(self._handle(journal, row, asked + self._lease_s))
            self._running[task] = row
            task.add_done_callback(self._handled)
        return bool(work.rows)

    def _handled(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        self._wake.set()
        if not task.cancelled() and (why := task.exception()) is not None:
            _log.error("%s: %s", self.table, why)

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

    async def _handle(self, journal: aio.Journal, row: Row, lease_end: float) -> None:
        running = asyncio.ensure_future(self._start(row))
        while not running.done():
            left = lease_end - time.monotonic()
            # After a failure of a renewal soon again, while the lease lasts.
            try:
                await asyncio.wait([running], timeout=max(left - self._lease_s / 2, self._lease_s / 8))
            except asyncio.CancelledError:
                running.cancel()
                raise
            if running.done():
                break
            asked = time.monotonic()
            try:
                await journal.touch(row, self._lease_s)
                lease_end = asked + self._lease_s
            except Error as why:
                # An outage may be over in time; an expired row may still be done within its lease.
                if why.code not in _LEASE_OVER:
                    continue
                row.lost = True
                _log.warning("%s row %d: lost while it was worked on: %s", self.table, row.row, why)
                running.cancel()
                with contextlib.suppress(BaseException):
                    await running
                return
        await self._settle(journal, row, running, lease_end)

    async def _start(self, row: Row) -> None:
        if inspect.iscoroutinefunction(self.function):
            await self.function(row)
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
                self.function(row)
            except BaseException as raised:
                # A future carries no StopIteration, and a SystemExit would end the loop.
                is_plain = isinstance(raised, Exception) and not isinstance(raised, StopIteration)
                why = raised if is_plain else RuntimeError(repr(raised))
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(tell, why)

        threading.Thread(target=work, name=f"{self.table} row {row.row}", daemon=True).start()
        await asyncio.shield(ended)

    async def _settle(self, journal: aio.Journal, row: Row, ended: asyncio.Future[None], lease_end: float) -> None:
        """Says how the row ended, again after an outage as long as the lease lasts."""
        why = asyncio.CancelledError() if ended.cancelled() else ended.exception()
        say: Callable[[], Awaitable[Any]]
        if why is None:
            say = lambda: journal.done(row)  # noqa: E731
        elif isinstance(why, GiveUp):
            say = lambda: journal.fail(row, str(why) or "given up")  # noqa: E731
        else:
            _log.warning("%s row %d: failed: %r", self.table, row.row, why)
            text = f"{type(why).__name__}: {why}"
            say = lambda: journal.release(row, error=text)  # noqa: E731
        in_doubt = False
        while True:
            try:
                await say()
                return
            except (ConnectionError, TimeoutError) as outage:
                in_doubt = True
                if time.monotonic() >= lease_end:
                    _log.warning("%s row %d: its end could not be said in time: %s", self.table, row.row, outage)
                    return
                await asyncio.sleep(_PAUSE_S)
            except Error as refused:
                # After an outage: the first attempt succeeded, and only its answer was lost.
                if not (in_doubt and refused.code in ("unknown_row", "not_leased")):
                    _log.warning("%s row %d: %s", self.table, row.row, refused)
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
