"""Failures whose text cannot be sent, or not even made: each is told all the same, and the work is given back."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Daemon

import fastjournal
from fastjournal import GiveUp, NotSent
from fastjournal.errors import failure
from fastjournal.failures import ERROR_BYTES_MAX, TRACE_BYTES_MAX, cut, described, text_of, trace_of


class Silent(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")

    __repr__ = __str__


class Ends(Exception):
    def __str__(self) -> str:
        raise SystemExit(1)

    __repr__ = __str__


class Odd(Exception):
    def __str__(self) -> str:
        return 7  # type: ignore[return-value]


class SilentGiveUp(GiveUp):
    __str__ = Silent.__str__


class Named(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise ValueError("no name")


class Nameless(Exception, metaclass=Named):
    pass


HUGE = "\u00e4" * (40 << 20)
FAILURES: dict[str, tuple[Callable[[], BaseException], str]] = {
    "surrogate": (lambda: ValueError("a \ud800 b"), "ValueError: a ? b"),
    "escaped": (lambda: ValueError("a \udcff b"), "ValueError: a ? b"),
    "huge": (lambda: ValueError(HUGE), ("ValueError: " + HUGE[:ERROR_BYTES_MAX])),
    "silent": (Silent, "Silent: its text cannot be shown: its __str__ raised ValueError"),
    "ends": (Ends, "Ends: its text cannot be shown: its __str__ raised SystemExit"),
    "odd": (Odd, "Odd: its text cannot be shown: its __str__ raised TypeError"),
    "nameless": (lambda: Nameless("a"), "exception: a"),
    "nul": (lambda: ValueError("a\0b"), "ValueError: a\0b"),
    "exit": (lambda: SystemExit(3), "SystemExit: 3"),
    "interrupt": (lambda: KeyboardInterrupt(), "KeyboardInterrupt: "),
    "generator": (lambda: GeneratorExit(), "GeneratorExit: "),
}


@pytest.mark.parametrize("kind", ["threads", "tasks"])
def test_a_row_is_given_back_whatever_is_raised(stopped: Daemon, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    stopped.write_table("jobs", "name", "<back-off-first>1h</back-off-first>")
    stopped.start()
    with fastjournal.connect(stopped.tcp) as connection:
        jobs = connection.journal("jobs")
        jobs.put_many({"name": name} for name in [*FAILURES, "give up", "huge give up"])

        def work(row: fastjournal.Row) -> None:
            if row["name"] == "give up":
                raise SilentGiveUp
            if row["name"] == "huge give up":
                raise GiveUp(HUGE)
            raise FAILURES[row["name"]][0]()

        async def work_async(row: fastjournal.Row) -> None:
            work(row)

        made = fastjournal.worker("jobs", server=stopped.tcp)(work if kind == "threads" else work_async)
        with caplog.at_level(logging.WARNING, "fastjournal"):
            asyncio.run(asyncio.wait_for(made.run_async(until_empty=True), 60))
        rows = {row["name"]: row for row in jobs.list()}
        assert {name: (rows[name].status, rows[name].attempts) for name in FAILURES} == {
            name: ("waiting", 1) for name in FAILURES
        }
        for name, (_, text) in FAILURES.items():
            # Python itself has another one of a StopIteration and the like in coroutines.
            assert rows[name].error == cut(text), name
            (row,) = jobs.peek(row=rows[name].row)
            assert "Traceback (most recent call last):" in row.error_trace and "in work\n" in row.error_trace, name
            assert rows[name].error_trace == ""
        assert (rows["give up"].status, rows["give up"].error) == ("parked", SILENT)
        assert rows["huge give up"].status == "parked" and len(rows["huge give up"].error.encode()) == ERROR_BYTES_MAX
        for name in ("give up", "huge give up"):
            (row,) = jobs.peek(row=rows[name].row)
            assert "in work\n" in row.error_trace, name
    said = [record.getMessage() for record in caplog.records if re.search(": (failed|given up): ", record.getMessage())]
    assert len(said) == len(FAILURES) + 2
    assert all("Traceback (most recent call last):" in one and "in work\n" in one for one in said)
    assert all(len(one.encode()) < TRACE_BYTES_MAX + 2 * ERROR_BYTES_MAX for one in said)


@pytest.mark.parametrize("kind", ["threads", "tasks"])
def test_a_daemon_that_knows_no_traces_gets_the_failure_without(stopped: Daemon, kind: str) -> None:
    stopped.write_table("jobs", "name", "<back-off-first>0</back-off-first>")
    stopped.start()
    asked: list[tuple[str, str | None]] = []

    def refused(command: str, params: dict[str, Any]) -> None:
        if command not in ("RELEASE", "FAIL"):
            return
        asked.append((command, params.get("error_trace")))
        if "error_trace" in params:
            raise failure("unknown_parameter", "no such parameter", {"parameter": "error_trace"})

    def play() -> None:
        with fastjournal.connect(stopped.tcp) as connection:
            request = connection.request

            def old(command: str, params: dict[str, Any]) -> Any:
                refused(command, params)
                return request(command, params)

            connection.request = old  # type: ignore[method-assign]
            jobs = connection.journal("jobs")
            jobs.put({"name": "a"})
            jobs.release(jobs.next().rows[0], error="no", error_trace="at line 7")
            jobs.fail(jobs.next().rows[0], "no", "at line 8")

    async def play_async() -> None:
        async with await fastjournal.aio.connect(stopped.tcp) as connection:
            request = connection.request

            async def old(command: str, params: dict[str, Any]) -> Any:
                refused(command, params)
                return await request(command, params)

            connection.request = old  # type: ignore[method-assign]
            jobs = connection.journal("jobs")
            await jobs.put({"name": "a"})
            await jobs.release((await jobs.next()).rows[0], error="no", error_trace="at line 7")
            await jobs.fail((await jobs.next()).rows[0], "no", "at line 8")

    play() if kind == "threads" else asyncio.run(play_async())
    # Told once, it is remembered.
    assert asked == [("RELEASE", "at line 7"), ("RELEASE", None), ("FAIL", None)]
    with fastjournal.connect(stopped.tcp) as connection:
        (row,) = connection.journal("jobs").list()
        assert (row.status, row.error) == ("parked", "no")


SILENT = "its text cannot be shown: its __str__ raised ValueError"


def test_a_message_is_given_back_whatever_is_raised(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        for name in ("silent", "give up"):
            post.send("orders", name)

        @fastjournal.consumer("post", "orders", server=daemon.tcp)
        def work(message: fastjournal.QueueMessage) -> None:
            raise SilentGiveUp if message.body == "give up" or message.deliveries else Silent

        work.run(until_empty=True)
        shown = [post.read(message) for message in post.browse("orders")]
        assert {message.error for message in shown} == {SILENT}
        assert all("in work\n" in message.error_trace for message in shown)


def test_a_document_is_told_of_whatever_is_raised(daemon: Daemon) -> None:
    def sends(why: BaseException) -> Callable[[Any], None]:
        def send(sending: Any) -> None:
            raise why

        return send

    with fastjournal.connect(daemon.tcp) as connection:
        docs = connection.documents("docs")
        for number, why in enumerate((Silent(), ValueError(HUGE), NotSent("\ud800", kind="\ud800" * 80), Nameless())):
            document = docs.found("pages", f"/{number}", "1")
            assert docs.deliver(document, "index", sends(why)).state == "error"
            assert "in send\n" in docs.why(document)["error_trace"]
        odd = docs.found("pages", "/odd", "1")
        assert docs.deliver(odd, "index", sends(NotSent("", kind=7, drop=False))).state == "error"  # type: ignore
        assert docs.failed(docs.found("pages", "/huge", "1"), "index", "\ud800", HUGE) == "error"
        given_up = docs.found("pages", "/given-up", "1")
        assert docs.deliver(given_up, "index", sends(SilentGiveUp())).state == "error_doc"
        assert "in send\n" in docs.why(given_up)["error_trace"]
        # DROPPED takes no trace.
        dropped = docs.found("pages", "/not-sent", "1")
        assert docs.deliver(dropped, "index", sends(NotSent(HUGE, drop=True))).state == "dropped"
        docs.dropped(docs.found("pages", "/dropped", "1"), "index", HUGE)


def test_texts_that_a_program_gives_itself_are_cut(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        jobs, post = connection.journal("jobs"), connection.queues("post")
        jobs.put_many({"name": name} for name in "ab")
        first, second = jobs.next(2).rows
        assert jobs.release(first, error="\ud800" + HUGE).fate == "released"
        assert jobs.fail(second, HUGE).fate == "parked"
        assert jobs.peek(second.row)[0].error == "\u00e4" * 512
        post.send("orders", "a")
        (message,) = post.acquire("orders").messages
        assert post.release(message, error=HUGE).fate == "released"


def test_a_traceback_has_the_causes_and_a_limit() -> None:
    def raised(why: BaseException, cause: BaseException | None = None) -> BaseException:
        try:
            raise why from cause
        except BaseException as caught:
            return caught

    trace = trace_of(raised(ValueError("second"), raised(Silent())))
    assert trace.index("Silent: its text") < trace.index("That led to:") < trace.index("ValueError: second")
    assert trace.count("in raised\n") == 2
    long = ValueError("0")
    for number in range(1, 50):
        long = raised(ValueError(f"{number} {'x' * 5000}"), long)  # type: ignore[assignment]
    trace = trace_of(long)
    assert len(trace.encode()) <= TRACE_BYTES_MAX and "ValueError: 49 x" in trace
    assert len(cut("\u20ac" * 1000)) == ERROR_BYTES_MAX // 3
    assert described(ValueError("a")) == "ValueError: a" and text_of(Silent()) == SILENT
