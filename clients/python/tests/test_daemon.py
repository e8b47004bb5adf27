"""Both kinds of connections with the real daemon: the calls, losses, time limits, leases, TLS and tokens.

A test that has no more to say about asyncio runs for the connection without it only; both have the same core.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from conftest import Daemon

import fastjournal
from fastjournal import Disconnected, Error, TimedOut, aio
from fastjournal.options import tls_context

SOON = (0.02,)  # pauses for tests


def test_a_row_is_put_leased_touched_and_done(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        jobs = connection.journal("jobs")
        put = jobs.put({"name": "a", "size": -3, "payload": b"\x00\xff", "title": None}, priority=20)
        assert put.result == "inserted" and put.merges == 0
        assert jobs.peek(name="a")[0].columns == {"name": "a", "size": -3, "payload": b"\x00\xff"}
        merged = jobs.put({"name": "a", "title": "Titel \u00e4", "size": 2**40})
        assert (merged.row, merged.result, merged.merges) == (put.row, "merged", 1)
        row = jobs.next(worker="w1", lease=30).rows[0]
        assert row.columns == {"name": "a", "title": "Titel \u00e4", "size": 2**40}
        assert (row["name"], row.row, row.priority, row.get("none")) == ("a", put.row, 20, None)
        assert row.lease_end > time.time() * 1000
        assert jobs.touch(row, timedelta(seconds=50)) > row.lease_end
        shown = jobs.peek(name="a")[0]
        assert (shown.status, shown.worker, shown.epoch) == ("processing", "w1", row.epoch)
        assert jobs.why(row.row)[0]["state"] == "processing"
        jobs.done(row)
        assert jobs.stats()["done"] == 1
        with pytest.raises(Error) as gone:
            jobs.done(row)
        assert gone.value.code == "unknown_row"


def test_a_transaction_is_done_or_not(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        jobs = connection.journal("jobs")
        jobs.put({"name": "a"})
        row = jobs.next().rows[0]
        done = ("DONE", {"table": "jobs", "row": row.row, "epoch": row.epoch})
        answers = connection.transaction([done, ("INSERT", {"table": "jobs", "name": "b", "payload": b"\x00\xff"})])
        assert [(answer.command, answer.params["op"]) for answer in answers] == [("COMPLETED", 1), ("INSERTED", 2)]
        assert jobs.peek(name="b")[0].columns == {"name": "b", "payload": b"\x00\xff"}
        with pytest.raises(Error) as refused:
            connection.transaction([("INSERT", {"table": "jobs", "name": "c"}), done])
        assert (refused.value.code, str(refused.value.facts["op"])) == ("unknown_row", "2")
        with pytest.raises(Error):
            jobs.peek(name="c")
        with pytest.raises(Error) as begun:
            connection.call("BEGIN")
        assert begun.value.code == "not_supported"

    async def with_asyncio() -> None:
        async with await aio.connect(daemon.tcp) as connection:
            answers = await connection.transaction([("INSERT", {"table": "jobs", "name": "d"})])
            assert answers[0].command == "INSERTED"

    asyncio.run(with_asyncio())


def test_dates_are_whole_numbers_datetimes_or_spans(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        jobs = connection.journal("jobs")
        at = datetime(2100, 1, 2, tzinfo=timezone.utc)
        assert jobs.put({"name": "a"}, process_date=at).process_date == at.timestamp() * 1000
        before = time.time() * 1000
        soon = jobs.put({"name": "b"}, process_date=timedelta(hours=1)).process_date
        assert before + 3_599_000 < soon < before + 3_700_000
        assert jobs.next().next_date == soon
        with pytest.raises(ValueError):
            jobs.put({"name": "c"}, process_date=datetime(2100, 1, 1))
        with pytest.raises(ValueError):
            jobs.put({"name": "c", "request": 1})


def test_failed_rows_are_released_parked_kicked_and_listed(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        jobs = connection.journal("jobs")
        jobs.put_many({"name": f"job-{i:04}"} for i in range(2500))
        assert [row["name"] for row in jobs.list(page=1000)] == [f"job-{i:04}" for i in range(2500)]
        first, second = jobs.next(2).rows
        assert jobs.release(first, error="disk full").fate == "released"
        assert jobs.fail(second, "no such page").fate == "parked"
        assert [row.error for row in jobs.list(status="parked")] == ["no such page"]
        assert connection.call("KICK", table="jobs", row=second.row).first.command == "KICKED"
        third = jobs.next().rows[0]
        fourth = jobs.done_and_next(third).rows[0]
        assert fourth.row != third.row
        assert jobs.release(fourth).fate == "released"
        assert [row.row for row in jobs.list(prefix="job-24", page=7)] == sorted(
            row.row for row in jobs.list(prefix="job-24")
        )


def test_refusals_have_codes_and_facts(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        for code, command, params in (
            ("unknown_table", "NEXT", {"table": "none"}),
            ("unknown_command", "FROBNICATE", {}),
            ("not_allowed", "STOP", {}),
            ("unknown_parameter", "INSERT", {"table": "jobs", "name": "a", "colour": "red"}),
        ):
            with pytest.raises(Error) as refused:
                connection.call(command, **params)
            assert refused.value.code == code
        assert refused.value.facts["parameter"] == "colour"
        # The connection is usable afterwards.
        assert connection.call("ALIVE").first.command == "ABSOLUTELY"


def test_a_lost_lease_is_refused_and_says_who_has_the_row(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        jobs = connection.journal("jobs")
        jobs.put({"name": "a"})
        late = jobs.next(lease=0.1, worker="late").rows[0]
        other = jobs.next(lease=30, wait=10, worker="other").rows[0]
        assert other.row == late.row and other.timeouts == 1
        for act in (jobs.touch, jobs.done):
            with pytest.raises(Error) as refused:
                act(late)
            assert refused.value.code == "stale_epoch" and refused.value.facts["holder"] == "other"


class Killed:
    """Rows for a put_many; on its way the daemon is killed and started again, twice."""

    def __init__(self, daemon: Daemon, count: int) -> None:
        self.daemon = daemon
        self.count = count

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for i in range(self.count):
            if i in (self.count // 3, 2 * self.count // 3):
                self.daemon.kill(signal.SIGKILL)
                self.daemon.start()
            yield {"name": f"n{i}", "size": 1}


def assert_each_once(daemon: Daemon, count: int) -> None:
    with fastjournal.connect(daemon.local) as connection:
        rows = list(connection.journal("sums").list())
        assert len(rows) == count
        assert {row["size"] for row in rows} == {1}, "a row was inserted twice: the sizes of merges are added"


def declare_sums(daemon: Daemon) -> None:
    daemon.write(
        "tables/sums.xml",
        '<table name="sums" model="journal" row-key="name"><schema><column name="name" type="string" required="true"/>'
        '<column name="size" type="int64" merge="sum"/></schema></table>',
    )


def test_put_many_inserts_each_row_once_over_kills_of_the_daemon(stopped: Daemon) -> None:
    declare_sums(stopped)
    stopped.start()
    said: list[Error | None] = []
    with fastjournal.connect(stopped.local, pauses=SOON, on_connection=said.append) as connection:
        counts = connection.journal("sums").put_many(Killed(stopped, 6000), window=500)
        # Some were carried out before the kill, and answered only now.
        assert counts.inserted + counts.duplicate == 6000
        assert connection.connects == 3
    assert [one is None for one in said] == [False, True, False, True]
    assert_each_once(stopped, 6000)


def test_async_put_many_inserts_each_row_once_over_kills_of_the_daemon(stopped: Daemon) -> None:
    declare_sums(stopped)
    stopped.start()

    async def run() -> None:
        async with await aio.connect(stopped.local, pauses=SOON) as connection:
            counts = await connection.journal("sums").put_many(Killed(stopped, 6000), window=500)
            assert counts.inserted + counts.duplicate == 6000
            assert connection.connects == 3

    asyncio.run(run())
    assert_each_once(stopped, 6000)


def test_put_many_can_be_continued_after_an_outage_that_was_too_long(stopped: Daemon) -> None:
    declare_sums(stopped)
    stopped.start()
    rows = [{"name": f"n{i}", "size": 1} for i in range(1000)]

    def killing() -> Iterator[dict[str, Any]]:
        yield from rows[:600]
        stopped.kill()
        yield from rows[600:]

    name = fastjournal.drawn_name()
    with fastjournal.connect(stopped.local, pauses=SOON, time_limit=0.2) as connection:
        with pytest.raises(Disconnected) as lost:
            connection.journal("sums").put_many(killing(), window=100, client=name)
    index = lost.value.facts["index"]
    assert 0 < index <= 600
    stopped.start()
    with fastjournal.connect(stopped.local) as connection:
        connection.journal("sums").put_many(rows[index:], client=name, first_sequence=1 + index)
    assert_each_once(stopped, 1000)


def test_puts_on_one_connection_never_share_a_number(daemon: Daemon) -> None:
    async def run() -> None:
        async with await aio.connect(daemon.tcp) as connection:
            jobs = connection.journal("jobs")
            many = [jobs.put_many([{"name": f"{i} {k}"} for k in range(300)], window=7) for i in range(3)]
            ones = [connection.journal("jobs").put({"name": f"one {k}"}) for k in range(100)]
            await asyncio.gather(*many, *ones)
            assert (await jobs.stats())["rows"] == 1000

    asyncio.run(run())
    with fastjournal.connect(daemon.tcp) as connection:
        jobs = connection.journal("pages")

        def rows() -> Iterator[dict[str, Any]]:
            for k in range(100):
                jobs.put({"uri": f"between {k}"})
                yield {"uri": str(k)}

        assert jobs.put_many(rows()).inserted == 100
        assert jobs.stats()["rows"] == 200


def test_refused_rows_of_put_many_are_told_or_raised(daemon: Daemon) -> None:
    rows: list[dict[str, Any]] = [{"name": f"n{i}"} for i in range(10)]
    rows[3] = {"name": "n3", "colour": "red"}
    rows[7] = {"title": "without its key"}
    with fastjournal.connect(daemon.tcp) as connection:
        jobs = connection.journal("jobs")
        told: list[tuple[int, str]] = []
        counts = jobs.put_many(rows, on_refused=lambda index, row, error: told.append((index, error.code)))
        assert told == [(3, "unknown_parameter"), (7, "missing_parameter")]
        assert (counts.inserted, counts.refused) == (8, 2)
        with pytest.raises(Error) as refused:
            jobs.put_many(rows)
        assert refused.value.code == "unknown_parameter" and refused.value.facts["index"] == 3
        assert jobs.put({"name": "after"}).result == "inserted"


def test_put_many_takes_priorities_and_dates_with_the_rows(daemon: Daemon) -> None:
    async def run() -> None:
        async with await aio.connect(daemon.tcp) as connection:

            async def rows() -> Any:
                yield {"name": "a", "priority": 7, "title": None}
                yield {"name": "b", "process_date": timedelta(hours=1)}

            jobs = connection.journal("jobs")
            assert (await jobs.put_many(rows())).inserted == 2
            assert [(row["name"], row.status, row.priority) async for row in jobs.list()] == [
                ("a", "due", 7),
                ("b", "waiting", 100),
            ]

    asyncio.run(run())


@pytest.mark.parametrize("kind", ["threads", "tasks"])
def test_where_a_table_has_no_room_for_names_puts_and_sends_have_none(stopped: Daemon, kind: str) -> None:
    # Of two places one origin has one.
    stopped.write_table("jobs", "name", "<clients-max>2</clients-max>")
    stopped.write(
        "tables/post.xml",
        '<table name="post" model="queue"><queues>orders</queues><clients-max>2</clients-max></table>',
    )
    stopped.start()

    async def play_async(names: list[str]) -> None:
        async with await fastjournal.aio.connect(stopped.tcp) as connection:
            for name in names:
                assert (await connection.journal("jobs").put({"name": name})).result == "inserted"
                assert (await connection.queues("post").send("orders", name)).queues == 1

    def play(names: list[str]) -> None:
        with fastjournal.connect(stopped.tcp) as connection:
            for name in names:
                assert connection.journal("jobs").put({"name": name}).result == "inserted"
                assert connection.queues("post").send("orders", name).queues == 1

    for names in (["a", "b"], ["c", "d"]):
        play(names) if kind == "threads" else asyncio.run(play_async(names))
    with fastjournal.connect(stopped.tcp) as connection:
        stats = connection.journal("jobs").stats()
        assert (stats["rows"], stats["clients"], stats["client_sequences"]) == (4, 1, 2)
        with pytest.raises(fastjournal.Error) as refused:
            connection.journal("jobs").put({"name": "e"}, client="another", sequence=1)
        assert refused.value.code == "over_limit"


def test_a_command_that_must_not_be_sent_twice_ends_with_closed(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.local, pauses=SOON) as connection:
        jobs = connection.journal("jobs")
        jobs.put({"name": "a"})
        row = jobs.next().rows[0]
        call = connection.send("DELETE", {"table": "jobs", "row": row.row})
        daemon.kill()
        with pytest.raises(Disconnected) as lost:
            connection.receive(call)
        assert lost.value.code == "closed" and "whether DELETE was carried out is not known" in str(lost.value)
        daemon.start()
        # The lease is as it was, and this connection may adopt it.
        jobs.touch(row)
        jobs.done(row)


def test_nobody_there_is_told_with_the_address(daemon: Daemon) -> None:
    daemon.kill()
    with pytest.raises(Disconnected) as lost:
        fastjournal.connect(daemon.local)
    assert lost.value.code == "unavailable" and daemon.local in str(lost.value)
    with pytest.raises(Disconnected):
        asyncio.run(aio.connect(daemon.tcp))


def test_without_pauses_it_never_reconnects(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.local, pauses=()) as connection:
        daemon.kill()
        daemon.start()
        for _ in range(2):
            with pytest.raises(Disconnected):
                connection.call("ALIVE")

    async def run() -> None:
        async with await aio.connect(daemon.local, pauses=()) as connection:
            daemon.kill()
            daemon.start()
            for _ in range(2):
                with pytest.raises(Disconnected):
                    await connection.call("ALIVE")

    asyncio.run(run())


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that accepts and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept: list[socket.socket] = []

        def accept() -> None:
            try:
                while True:
                    kept.append(server.accept()[0])
            except OSError:
                pass

        thread = threading.Thread(target=accept)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for one in kept:
            one.close()


def test_a_daemon_that_says_nothing_is_timed_out(silent: str) -> None:
    with fastjournal.connect(silent, time_limit=0.05) as connection:
        with pytest.raises(TimedOut) as late:
            connection.call("ALIVE")
        assert late.value.code == "timed_out" and "within 0.05 s" in str(late.value)
        # The bytes that are not taken are bounded.
        with pytest.raises(TimedOut, match="takes no more bytes"):
            connection.journal("jobs").put_many({"name": "x" * 100_000} for _ in range(10_000))
    with pytest.raises(Disconnected, match="no answer to the token"):
        fastjournal.connect(silent, token="fj_x", connect_limit=0.05)
    with pytest.raises(Disconnected, match="in time"):
        fastjournal.connect("tls:" + silent, connect_limit=0.05)

    async def run() -> None:
        async with await aio.connect(silent, time_limit=0.05) as connection:
            with pytest.raises(TimedOut):
                await connection.call("ALIVE")
            with pytest.raises(TimedOut, match="takes no more bytes"):
                await connection.journal("jobs").put_many({"name": "x" * 100_000} for _ in range(10_000))
        with pytest.raises(Disconnected):
            await aio.connect(silent, token="fj_x", connect_limit=0.05)

    asyncio.run(run())


def test_a_late_lease_is_given_back(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection, fastjournal.connect(daemon.tcp) as producer:
        connection.options.time_limit = 0.05
        call = connection.send("NEXT", {"table": "jobs", "wait": 10_000})
        call.until = time.monotonic()
        with pytest.raises(TimedOut):
            connection.receive(call)
        producer.journal("jobs").put({"name": "a"})
        connection.options.time_limit = 10
        # Its answer to the NEXT that nobody waits for comes before this one, and the row is released.
        row = connection.journal("jobs").next(wait=10).rows[0]
        assert row["name"] == "a" and row.attempts == 0


def test_a_listener_is_woken(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection, fastjournal.connect(daemon.tcp) as producer:
        jobs = connection.journal("jobs")
        jobs.listen()
        assert list(jobs.notices(0.01)) == []
        producer.journal("jobs").put({"name": "a"})
        notice = next(jobs.notices(10))
        assert (notice.kind, notice.table, notice.ready) == ("work", "jobs", 1)
        jobs.unlisten()
        jobs.listen("row")
        notice = next(jobs.notices(10))
        assert notice.kind == "due" and notice.row is not None and notice.row["name"] == "a"
        jobs.unlisten()
        jobs.listen("deliver", credit=1, worker="w")
        notice = next(jobs.notices(10))
        assert notice.kind == "delivered" and notice.row is not None
        jobs.done(notice.row)


def test_async_listeners_are_woken_also_after_a_reconnect(daemon: Daemon) -> None:
    async def run() -> None:
        async with await aio.connect(daemon.local, pauses=SOON) as connection:
            jobs = connection.journal("jobs")
            await jobs.listen("row")
            waiting = asyncio.create_task(anext(aiter(jobs.notices(10))))
            daemon.kill()
            daemon.start()
            async with await aio.connect(daemon.local) as producer:
                await producer.journal("jobs").put({"name": "a"})
                notice = await waiting
                assert notice.kind == "due" and notice.row is not None and notice.row["name"] == "a"
            assert connection.connects == 2
            with pytest.raises(TimedOut):
                await connection.wait_push(0.01)

    asyncio.run(run())


def test_a_listener_listens_again_after_a_reconnect(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.local, pauses=SOON) as connection:
        jobs = connection.journal("jobs")
        jobs.listen("row")
        daemon.kill()
        daemon.start()
        with fastjournal.connect(daemon.local) as producer:
            producer.journal("jobs").put({"name": "a"})
        notice = next(jobs.notices(10))
        assert notice.row is not None and notice.row["name"] == "a"


def test_tasks_share_a_connection(daemon: Daemon) -> None:
    async def run() -> None:
        async with await aio.connect(daemon.tcp) as connection:
            jobs = connection.journal("jobs")
            waiting = asyncio.create_task(jobs.next(wait=10))
            await asyncio.gather(*(jobs.put({"name": f"n{i}"}) for i in range(200)))
            assert len((await waiting).rows) == 1
            assert (await jobs.stats())["inserted"] == 200
            # A cancelled task leaves the connection as it was.
            cancelled = asyncio.create_task(jobs.next(wait=10, domain=None))
            await asyncio.sleep(0)
            cancelled.cancel()
            row = (await jobs.next()).rows[0]
            assert (await jobs.peek(row.row))[0].status == "processing"
            assert (await jobs.why(row.row))[0]["state"] == "processing"
            await jobs.touch(row)
            following = (await jobs.done_and_next(row)).rows[0]
            assert (await jobs.release(following, error="e")).fate == "released"
            again = (await jobs.next()).rows[0]
            assert (await jobs.fail(again, "never")).fate == "parked"
        with pytest.raises(Disconnected):
            await jobs.put({"name": "closed"})

    asyncio.run(run())


def openssl(daemon: Daemon, *words: str) -> None:
    subprocess.run(["openssl", *words], check=True, cwd=daemon.folder, capture_output=True)


def make_certificates(daemon: Daemon) -> None:
    """An authority, and a certificate for 127.0.0.1 and localhost."""
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    authority = ("-subj", "/CN=trial", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    openssl(daemon, "req", "-x509", *curve, *authority, "-keyout", "ca.key", "-out", "ca.pem")
    openssl(daemon, "req", *curve[:-2], "-subj", "/CN=server", "-keyout", "server.key", "-out", "server.csr")
    daemon.write("names", "subjectAltName=IP:127.0.0.1,DNS:localhost\nauthorityKeyIdentifier=keyid\n")
    openssl(
        daemon,
        "x509",
        "-req",
        "-in",
        "server.csr",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-days",
        "2",
        "-extfile",
        "names",
        "-out",
        "server.pem",
    )
    (daemon.folder / "server.key").chmod(0o600)


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_tls_encrypts_and_checks_the_certificate(stopped: Daemon, kind: str) -> None:
    make_certificates(stopped)
    stopped.as_configured = True
    stopped.write(
        "fastjournal.xml",
        '<fastjournal><listen address="127.0.0.1:0" tls="true"/><listen address="127.0.0.1:0"/>'
        '<tls certificate="server.pem" key="server.key"/></fastjournal>',
    )
    stopped.start()
    ca = str(stopped.folder / "ca.pem")
    assert stopped.tcp.startswith("tls:127.0.0.1:")
    rows = [{"name": f"n{i}", "title": "x" * 300} for i in range(5000)]

    async def put_async(server: str, **options: Any) -> int:
        async with await aio.connect(server, **options) as connection:
            return (await connection.journal("jobs").put_many(rows)).inserted

    def put(server: str, **options: Any) -> int:
        if kind == "async":
            return asyncio.run(put_async(server, **options))
        with fastjournal.connect(server, **options) as connection:
            return connection.journal("jobs").put_many(rows).inserted

    assert put(stopped.tcp, ca=ca) == 5000
    with pytest.raises(Disconnected) as refused:
        put(stopped.tcp)
    assert refused.value.code == "unavailable" and refused.value.facts == {"tls": "certificate"}
    with pytest.raises(Disconnected):
        put("tls:" + stopped.addresses[1], ca=ca, connect_limit=2.0)
    with pytest.raises(Error) as no_file:
        put(stopped.tcp, ca="/nowhere.pem")
    assert no_file.value.code == "bad_parameter"


def test_certificates_are_accepted_where_python_checks_them_strictly(
    stopped: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Python does from 3.13 on, without being asked."""
    make_certificates(stopped)
    stopped.as_configured = True
    stopped.write(
        "fastjournal.xml",
        '<fastjournal><listen address="127.0.0.1:0" tls="true"/>'
        '<tls certificate="server.pem" key="server.key"/></fastjournal>',
    )
    stopped.start()

    def strict(options: fastjournal.Options) -> ssl.SSLContext:
        context = tls_context(options)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    monkeypatch.setattr("fastjournal._net_blocking.tls_context", strict)
    with fastjournal.connect(stopped.tcp, ca=str(stopped.folder / "ca.pem")) as connection:
        assert connection.journal("jobs").put({"name": "a"}).result == "inserted"


def test_a_token_gives_rights_and_a_wrong_one_is_final(stopped: Daemon) -> None:
    stopped.as_configured = True
    token = stopped.run("user", "add", "worker-1", "--rights", "read add work", "--file", "users.xml").strip()
    stopped.write(
        "fastjournal.xml",
        '<fastjournal><access users="users.xml"/><listen address="127.0.0.1:0" rights=""/>'
        '<socket path="socket" rights=""/></fastjournal>',
    )
    stopped.start()
    with fastjournal.connect(stopped.tcp) as nobody:
        with pytest.raises(Error) as refused:
            nobody.journal("jobs").put({"name": "a"})
        assert refused.value.code == "not_allowed" and refused.value.facts["right"] == "add"
    # It is shown again after a reconnect.
    with fastjournal.connect(stopped.local, token=token, pauses=SOON) as connection:
        assert connection.journal("jobs").put({"name": "a"}).result == "inserted"
        stopped.kill()
        stopped.start()
        assert connection.journal("jobs").next().rows[0]["name"] == "a"
    for wrong in (
        lambda: fastjournal.connect(stopped.tcp, token="fj_wrong"),
        lambda: asyncio.run(aio.connect(stopped.tcp, token="fj_wrong")),
    ):
        with pytest.raises(Error) as refused:
            wrong()
        assert refused.value.code == "not_allowed" and "refuses the token" in str(refused.value)
        assert "fj_wrong" not in str(refused.value)


def test_a_certificate_of_the_client_is_shown_and_wanted(stopped: Daemon) -> None:
    make_certificates(stopped)
    # The same authority signs the client.
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(stopped, "req", *curve, "-subj", "/CN=anna", "-keyout", "anna.key", "-out", "anna.csr")
    signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2")
    openssl(stopped, "x509", "-req", "-in", "anna.csr", *signed, "-out", "anna.pem")
    stopped.as_configured = True
    stopped.write(
        "fastjournal.xml",
        '<fastjournal><listen address="127.0.0.1:0" tls="true"/><tls certificate="server.pem" key="server.key" '
        'client-ca="ca.pem" client-certificates="required"/></fastjournal>',
    )
    stopped.start()
    ca, certificate, key = (str(stopped.folder / name) for name in ("ca.pem", "anna.pem", "anna.key"))
    with fastjournal.connect(stopped.tcp, ca=ca, certificate=certificate, key=key) as connection:
        assert connection.journal("jobs").put({"name": "a"}).result == "inserted"
    # TLS 1.3 tells a client without one with the first answer, not while it connects.
    with pytest.raises(Error) as refused, fastjournal.connect(stopped.tcp, ca=ca) as connection:
        connection.journal("jobs").put({"name": "b"})
    assert refused.value.code == "not_allowed"


def test_the_folder_of_a_unix_socket_is_for_others_to_read_only(stopped: Daemon) -> None:
    """Whatever the umask: who may write there could put another socket in its place."""
    stopped.as_configured = True
    stopped.write("fastjournal.xml", '<fastjournal><socket path="made/below/socket" rights="all"/></fastjournal>')
    before = os.umask(0)
    try:
        stopped.start()
    finally:
        os.umask(before)
    for name in ("made", "made/below"):
        assert (stopped.folder / name).stat().st_mode & 0o777 == 0o755
    with fastjournal.connect(stopped.addresses[0]) as connection:
        assert connection.journal("jobs").put({"name": "a"}).result == "inserted"
