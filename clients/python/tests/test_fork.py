"""Connections that are carried into a child of fork(): the child is told so, and the parent goes on undisturbed."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from conftest import Daemon
from test_daemon import make_certificates

import fastjournal
from fastjournal import Error, aio

LIMIT_S = 60


def in_child(act: Callable[[], str]) -> str:
    """What `act` returns in a child; it ends without the cleaning up of pytest."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(LIMIT_S)
        try:
            told = act()
        except BaseException as why:
            told = f"raised {why!r}"
        os.write(writing, told.encode())
        os._exit(0)
    os.close(writing)
    with open(reading) as end:
        told = end.read()
    os.waitpid(child, 0)
    return told


def code_of(call: Callable[[], Any]) -> str:
    try:
        call()
    except Error as error:
        assert "fork" in error.message and str(os.getppid()) in error.message, error.message
        return error.code
    return "done"


async def code_of_async(call: Coroutine[Any, Any, Any]) -> str:
    try:
        await call
    except Error as error:
        assert "fork" in error.message, error.message
        return error.code
    return "done"


def with_tls(stopped: Daemon) -> None:
    make_certificates(stopped)
    stopped.as_configured = True
    stopped.write(
        "fastjournal.xml",
        '<fastjournal><listen address="127.0.0.1:0" tls="true"/><tls certificate="server.pem" key="server.key"/>'
        "</fastjournal>",
    )


@pytest.mark.parametrize("tls", [False, True])
def test_a_child_is_refused_and_the_parent_goes_on(stopped: Daemon, tls: bool) -> None:
    if tls:
        with_tls(stopped)
    stopped.start()
    options = {"ca": str(stopped.folder / "ca.pem")} if tls else {}
    with fastjournal.connect(stopped.tcp, **options) as connection:
        jobs, post, docs = connection.journal("jobs"), connection.queues("post"), connection.documents("docs")
        jobs.listen("row")
        in_flight = connection.send("ALIVE", {})
        waited_for = connection.send("ALIVE", {})
        connection.wait(waited_for)

        def child(name: str) -> str:
            codes = [
                code_of(lambda: jobs.put({"name": name})),
                code_of(lambda: jobs.put_many([{"name": name}])),
                code_of(lambda: post.send("orders", name)),
                code_of(lambda: docs.found("pages", name)),
                code_of(lambda: connection.transaction([("INSERT", {"table": "jobs", "name": name})])),
                code_of(lambda: connection.receive(in_flight)),
                code_of(lambda: connection.receive(waited_for)),
                code_of(lambda: next(jobs.notices(0))),
                code_of(connection.flush),
            ]
            connection.close()
            with fastjournal.connect(stopped.tcp, **options) as own:
                codes.append(own.journal("jobs").put({"name": name}).result)
            return " ".join(codes)

        for name in ("one", "two"):
            assert in_child(lambda: child(name)) == "not_supported " * 9 + "inserted"  # noqa: B023
        assert connection.receive(in_flight).first.command == "ABSOLUTELY"
        assert jobs.put({"name": "three"}).result == "inserted"
        told = [notice.row["name"] for notice, _ in zip(jobs.notices(10), range(3)) if notice.row is not None]
        assert told == ["one", "two", "three"]
        assert connection.connects == 1
        assert sorted(row["name"] for row in jobs.list()) == ["one", "three", "two"]


@pytest.mark.parametrize("tls", [False, True])
def test_a_child_of_a_program_with_asyncio_is_refused_and_the_parent_goes_on(stopped: Daemon, tls: bool) -> None:
    if tls:
        with_tls(stopped)
    stopped.start()
    options: dict[str, Any] = {"ca": str(stopped.folder / "ca.pem")} if tls else {}

    async def child(connection: aio.Connection) -> str:
        jobs = connection.journal("jobs")
        codes = [
            await code_of_async(jobs.put({"name": "a"})),
            await code_of_async(jobs.put_many([{"name": "a"}])),
            await code_of_async(connection.queues("post").send("orders", "a")),
            await code_of_async(connection.wait_push(0.01)),
        ]
        await connection.close()
        async with await aio.connect(stopped.tcp, **options) as own:
            codes.append((await own.journal("jobs").put({"name": "a"})).result)
        return " ".join(codes)

    async def parent() -> None:
        async with await aio.connect(stopped.tcp, **options) as connection:
            told = in_child(lambda: asyncio.run(child(connection)))
            assert told == "not_supported " * 4 + "inserted"
            assert (await connection.journal("jobs").put({"name": "b"})).result == "inserted"
            assert connection.connects == 1

    asyncio.run(asyncio.wait_for(parent(), LIMIT_S))
