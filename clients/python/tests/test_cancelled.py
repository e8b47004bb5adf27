"""Tasks that are cancelled while they ask for work, at each moment: what was leased to them is due again at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from conftest import Daemon

from fastjournal import aio

LIMIT_S = 30
MOMENTS = ["before it is sent", "before it is written", "written", "answered"]


async def cancelled(connection: aio.Connection, ask: Callable[[], Awaitable[Any]], moment: str) -> None:
    """Cancels a task that asks, at this moment; `written`: the answer comes afterwards."""
    task = asyncio.ensure_future(ask())
    received, flush = connection._received, connection._flush

    def cancel_first(*what: Any) -> None:
        task.cancel()
        flush(*what)

    def cancel_behind(*what: Any) -> None:
        flush(*what)
        task.cancel()

    def cancel_answered(*what: Any) -> None:
        # Its answer is there, and the task has not gone on.
        received(*what)
        task.cancel()

    if moment == "before it is sent":
        task.cancel()
    elif moment == "answered":
        connection._received = cancel_answered  # type: ignore[method-assign]
    else:
        connection._flush = cancel_first if moment == "before it is written" else cancel_behind  # type: ignore
    with pytest.raises(asyncio.CancelledError):
        await task
    connection._received = received  # type: ignore[method-assign]
    connection._flush = flush  # type: ignore[method-assign]
    # Whatever it was sent is answered by now, and so is this.
    await connection.call("ALIVE")


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_row_a_message_and_a_document_are_due_again(daemon: Daemon, moment: str) -> None:
    async def run() -> None:
        async with await aio.connect(daemon.tcp) as connection, await aio.connect(daemon.tcp) as other:
            jobs, post, docs = connection.journal("jobs"), connection.queues("post"), connection.documents("docs")
            await other.journal("jobs").put({"name": "a"})
            await other.queues("post").send("orders", "a")
            await other.documents("docs").release(await other.documents("docs").found("pages", "/a", "1"))
            # Only what is given back can come so soon: leases, and the grace of this connection, are longer.
            await cancelled(connection, jobs.next, moment)
            row = (await other.journal("jobs").next(wait=5)).rows[0]
            assert (row["name"], row.attempts, row.timeouts) == ("a", 0, 0)
            await cancelled(connection, lambda: post.acquire("orders"), moment)
            message = (await other.queues("post").acquire("orders", wait=5)).messages[0]
            assert (message.body, message.deliveries) == ("a", 0)
            await cancelled(connection, lambda: docs.next("pages"), moment)
            document = (await other.documents("docs").next("pages", wait=5)).documents[0]
            assert document.uri == "/a"

    asyncio.run(asyncio.wait_for(run(), LIMIT_S))


@pytest.mark.parametrize("limit_s", [0.0, 0.0005, 0.001, 0.002, 0.005])
def test_time_limits_of_asyncio_lose_no_row(daemon: Daemon, limit_s: float) -> None:
    """Wherever they strike."""

    async def run() -> None:
        async with await aio.connect(daemon.tcp) as connection, await aio.connect(daemon.tcp) as other:
            jobs = connection.journal("jobs")
            await jobs.put_many({"name": f"n{i}"} for i in range(50))
            taken = 0
            for _ in range(50):
                try:
                    async with asyncio.timeout(limit_s):
                        work = await jobs.next()
                    for row in work.rows:
                        taken += 1
                        await jobs.done(row)
                except TimeoutError:
                    continue
            await connection.call("ALIVE")
            while rest := (await other.journal("jobs").next(50)).rows:
                taken += len(rest)
                for row in rest:
                    assert (row.attempts, row.timeouts) == (0, 0)
                    await other.journal("jobs").done(row)
            assert taken == 50

    asyncio.run(asyncio.wait_for(run(), LIMIT_S))
