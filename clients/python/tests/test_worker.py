"""Workers with the real daemon: how functions end, renewal, lost leases, signals, outages; and the examples of
README.md."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Daemon

import fastjournal
from fastjournal import Error, GiveUp, Row

HERE = Path(__file__).parent.parent


def put(daemon: Daemon, *names: str) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        connection.journal("jobs").put_many({"name": name} for name in names)


@pytest.mark.parametrize("kind", ["threads", "tasks"])
def test_a_return_is_done_an_exception_a_failed_attempt_and_give_up_parks(daemon: Daemon, kind: str) -> None:
    put(daemon, "good", "bad", "hopeless")
    seen: list[str] = []

    def work(row: Row) -> None:
        seen.append(row["name"])
        if row["name"] == "bad" and row.attempts == 0:
            raise ValueError("disk full")
        if row["name"] == "hopeless":
            raise GiveUp("no such page")

    async def work_async(row: Row) -> None:
        await asyncio.sleep(0)
        work(row)

    made = fastjournal.worker("jobs", server=daemon.tcp, concurrency=2)(work if kind == "threads" else work_async)

    async def run() -> None:
        running = asyncio.create_task(made.run_async())
        async with await fastjournal.aio.connect(daemon.tcp) as connection:
            jobs = connection.journal("jobs")
            while (await jobs.stats())["done"] < 2 or (await jobs.stats())["rows_parked"] < 1:
                assert not running.done(), await running
                await asyncio.sleep(0.005)
            made.stop()
            await running
            (parked,) = [row async for row in jobs.list()]
            assert (parked["name"], parked.error, parked.status) == ("hopeless", "no such page", "parked")
            assert (await jobs.stats())["attempts_failed"] >= 1

    asyncio.run(asyncio.wait_for(run(), 30))
    assert sorted(seen) == ["bad", "bad", "good", "hopeless"]


def test_the_exception_is_the_rows_error(daemon: Daemon) -> None:
    daemon.kill()
    daemon.write_table("jobs", "name", "<back-off-first>1h</back-off-first><back-off-max>1h</back-off-max>")
    daemon.start()
    put(daemon, "a", "b")

    @fastjournal.worker("jobs", server=daemon.tcp)
    def work(row: Row) -> None:
        if row["name"] == "b":
            raise SystemExit(3)
        raise ValueError("disk full")

    work.run(until_empty=True)
    with fastjournal.connect(daemon.tcp) as connection:
        jobs = connection.journal("jobs")
        assert [row.error for row in jobs.list()] == ["ValueError: disk full", "SystemExit: 3"]
    with pytest.raises(ValueError):
        work(Row("jobs", 1, 0, {"name": "a"}))


def test_rows_are_worked_on_at_once_and_each_once(daemon: Daemon) -> None:
    put(daemon, *(f"n{i}" for i in range(50)))
    together = threading.Barrier(5)
    seen: list[str] = []

    @fastjournal.worker("jobs", server=daemon.tcp, concurrency=5)
    def work(row: Row) -> None:
        together.wait(30)
        seen.append(row["name"])

    work.run(until_empty=True)
    assert len(seen) == len(set(seen)) == 50


def test_a_lease_is_renewed_while_a_function_runs(daemon: Daemon) -> None:
    put(daemon, "a")
    calls: list[str] = []

    @fastjournal.worker("jobs", server=daemon.tcp, lease=0.3)
    async def work(row: Row) -> None:
        async with await fastjournal.aio.connect(daemon.tcp) as connection:
            jobs = connection.journal("jobs")
            first = row.lease_end
            # Beyond the first lease.
            while (await jobs.peek(row.row))[0].lease_end < first + 200:
                await asyncio.sleep(0.01)
        calls.append(row["name"])

    work.run(until_empty=True)
    assert calls == ["a"]
    with fastjournal.connect(daemon.tcp) as connection:
        stats = connection.journal("jobs").stats()
        assert (stats["done"], stats["timed_out"]) == (1, 0)


@pytest.mark.parametrize("kind", ["threads", "tasks"])
def test_a_lost_lease_is_told_and_nothing_more_is_said(daemon: Daemon, kind: str) -> None:
    put(daemon, "a")
    ends: list[str] = []

    def take_away(row: Row) -> None:
        with fastjournal.connect(daemon.tcp) as connection:
            connection.call("DELETE", table="jobs", row=row.row)
            connection.journal("jobs").put({"name": "a", "title": "new"}, process_date=2**47)

    if kind == "threads":

        def work(row: Row) -> None:
            take_away(row)
            for _ in range(1000):
                if row.lost:
                    ends.append("lost")
                    return
                threading.Event().wait(0.01)

        function: Any = work
    else:

        async def work_async(row: Row) -> None:
            take_away(row)
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                ends.append("lost" if row.lost else "cancelled")
                raise

        function = work_async
    made = fastjournal.worker("jobs", server=daemon.tcp, lease=0.2)(function)
    made.run(until_empty=True)
    if kind == "threads":
        for thread in threading.enumerate():
            if thread.name.startswith("jobs row"):
                thread.join(30)
    assert ends == ["lost"]
    with fastjournal.connect(daemon.tcp) as connection:
        assert connection.journal("jobs").stats()["done"] == 0


@pytest.mark.parametrize("listens", [True, False])
def test_a_worker_adopts_its_row_as_soon_as_it_is_connected_again(daemon: Daemon, listens: bool) -> None:
    put(daemon, "a")
    go_on = threading.Event()

    @fastjournal.worker("jobs", server=daemon.local, lease=600)
    def work(row: Row) -> None:
        assert go_on.wait(60)

    async def run() -> None:
        async def lease_end() -> int:
            async with await fastjournal.aio.connect(daemon.local) as connection:
                rows = [row async for row in connection.journal("jobs").list()]
            return rows[0].lease_end if rows and rows[0].status == "processing" else 0

        running = asyncio.create_task(work.run_async(until_empty=not listens))
        while not (before := await lease_end()):
            assert not running.done(), await running
            await asyncio.sleep(0.005)
        daemon.kill()
        daemon.start()
        # Long before half of the lease is over, when it would be renewed in any case; and before the grace.
        async with asyncio.timeout(9):
            while await lease_end() <= before:
                assert not running.done(), await running
                await asyncio.sleep(0.005)
        go_on.set()
        work.stop()
        await running
        assert await lease_end() == 0

    asyncio.run(run())


def test_a_worker_survives_a_kill_of_the_daemon_with_its_row(daemon: Daemon) -> None:
    put(daemon, "a", "b")
    seen: list[str] = []

    @fastjournal.worker("jobs", server=daemon.local, pauses=(0.02,))
    def work(row: Row) -> None:
        if not seen:
            daemon.kill()
            daemon.start()
        seen.append(row["name"])

    work.run(until_empty=True)
    assert seen == ["a", "b"]
    with fastjournal.connect(daemon.local) as connection:
        assert list(connection.journal("jobs").list()) == []


PROGRAM = """
import os, sys, fastjournal

@fastjournal.worker("jobs", server=os.environ["SERVER"])
def work(row):
    print("began", row["name"], flush=True)
    sys.stdin.readline()
    print("ended", row["name"], flush=True)

work.run()
print("returned", flush=True)
"""


def test_sigterm_finishes_the_row_and_leases_no_other(daemon: Daemon) -> None:
    put(daemon, "a", "b")
    environment = os.environ | {"SERVER": daemon.tcp, "PYTHONPATH": str(HERE)}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdin is not None and process.stdout is not None
            assert process.stdout.readline() == "began a\n"
            process.send_signal(signal.SIGTERM)
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.read() == "ended a\nreturned\n"
            assert process.wait() == 0
        finally:
            process.kill()
    with fastjournal.connect(daemon.tcp) as connection:
        jobs = connection.journal("jobs")
        assert [(row["name"], row.status, row.attempts) for row in jobs.list()] == [("b", "due", 0)]


def test_what_no_waiting_changes_is_raised(daemon: Daemon) -> None:
    for table, lease, code in (("none", 60, "unknown_table"), ("jobs", 1e9, "bad_parameter")):
        made = fastjournal.worker(table, server=daemon.tcp, lease=lease)(lambda row: None)
        with pytest.raises(Error) as refused:
            made.run()
        assert refused.value.code == code


def test_a_paused_table_is_waited_for(daemon: Daemon) -> None:
    put(daemon, "a")
    done: list[str] = []

    @fastjournal.worker("jobs", server=daemon.tcp)
    async def work(row: Row) -> None:
        done.append(row["name"])
        work.stop()

    async def run() -> None:
        async with await fastjournal.aio.connect(daemon.tcp) as connection:
            await connection.call("PAUSE", table="jobs", reason="test")
            running = asyncio.create_task(work.run_async())
            while (await connection.call("STATS", table="jobs")).first.params["listeners"] < 1:
                await asyncio.sleep(0.005)
            assert not done
            await connection.call("RESUME", table="jobs")
            await running

    asyncio.run(asyncio.wait_for(run(), 30))
    assert done == ["a"]


def examples() -> list[str]:
    return re.findall(r"```python\n(.*?)```", (HERE / "README.md").read_text(), re.S)


@pytest.mark.parametrize("number", range(len(examples())))
def test_the_examples_of_the_readme_run(daemon: Daemon, number: int) -> None:
    """Each alone, with the address of this daemon in place of the one that is shown."""
    daemon.write("example.py", examples()[number].replace("127.0.0.1:4050", daemon.tcp))
    put_pages = [{"uri": f"http://example.com/{i}"} for i in range(3)]
    with fastjournal.connect(daemon.tcp) as connection:
        connection.journal("pages").put_many(put_pages)
    ran = subprocess.run(
        [sys.executable, "example.py"],
        cwd=daemon.folder,
        env=os.environ | {"PYTHONPATH": str(HERE)},
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    shown = re.findall(r"# prints: (.*)", examples()[number])
    assert [line for line in ran.stdout.splitlines()] == shown


AWAY = """
import os, sys, threading, fastjournal

@fastjournal.worker("jobs", server=os.environ["SERVER"], **eval(os.environ["OPTIONS"]))
def work(row):
    print("began", flush=True)
    sys.stdin.readline()

work.run()
"""


@pytest.mark.parametrize("moment", ["idle", "in work", "in work, silent"])
def test_sigterm_while_the_daemon_is_away_ends_the_worker_soon(daemon: Daemon, moment: str) -> None:
    """Though its lease, within which it goes on otherwise, has 60 s."""
    is_idle = moment == "idle"
    if not is_idle:
        put(daemon, "a")
    environment = os.environ | {
        "SERVER": daemon.tcp,
        "PYTHONPATH": str(HERE),
        "OPTIONS": repr({} if is_idle else {"stop_after": 0.2}),
    }
    process = subprocess.Popen(
        [sys.executable, "-c", AWAY], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert daemon.process is not None and process.stdin is not None and process.stdout is not None
    try:
        if is_idle:
            with fastjournal.connect(daemon.tcp) as connection:
                while connection.journal("jobs").stats()["listeners"] < 1:
                    pass
        else:
            assert process.stdout.readline() == "began\n"
        # Away, or there and silent.
        daemon.process.send_signal(signal.SIGSTOP if "silent" in moment else signal.SIGKILL)
        process.send_signal(signal.SIGTERM)
        if not is_idle:
            process.stdin.write("\n")
            process.stdin.flush()
        begun = time.monotonic()
        assert process.wait(30) == 0
        assert time.monotonic() - begun < 5
    finally:
        process.kill()
        process.communicate()
        daemon.process.send_signal(signal.SIGCONT)
