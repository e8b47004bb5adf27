"""The typed calls of the daemon's own commands: with the daemon, or without where that would end or move something."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import pytest
from conftest import Daemon
from test_calls import Pretender

import fastjournal
from fastjournal import Branch, Digest, Error, Message, ShownTable, aio

XID = "1:6f72646572:01"


def answered(*answers: tuple[str, dict[str, Any]]) -> tuple[fastjournal.Daemon, Pretender]:
    pretender = Pretender(*answers)
    return fastjournal.Daemon(pretender), pretender  # type: ignore[arg-type]


def test_parameters_are_sent_in_the_units_of_messages() -> None:
    daemon, pretender = answered(
        ("STEPPED_DOWN", {}), ("STEPPED_DOWN", {}), ("MOVING", {"to": "b"}), ("STOPPING", {}), ("RESTARTING", {}),
        ("RECORD", {"body": b"x"}), ("DECIDED", {"ops": 3}),
    )  # fmt: skip
    daemon.step_down("a", for_=0)
    daemon.step_down("a")
    assert daemon.move_table("jobs") == [Message("MOVING", {"to": "b"})]
    daemon.stop()
    daemon.restart()
    assert daemon.fetch("jobs", from_=0, snapshot=False)[0].params["body"] == b"x"
    assert daemon.xa_decide(XID, "commit") == 3
    assert pretender.sent == [
        ("STEP_DOWN", {"log": "a", "for": 0}),
        ("STEP_DOWN", {"log": "a"}),
        ("MOVE_TABLE", {"table": "jobs"}),
        ("STOP", {}),
        ("RESTART", {}),
        ("FETCH", {"table": "jobs", "from": 0}),
        ("XA_DECIDE", {"xid": XID, "outcome": "commit"}),
    ]
    assert pretender.numbered == []


def test_a_list_may_be_empty_and_an_unknown_answer_is_refused() -> None:
    nothing = ("ALERTS", {"count": 0}), ("BRANCHES", {"count": 0}), ("NOTHING", {"table": "t"})
    daemon, _ = answered(*nothing, ("ALERTS", {"count": 0}), ("TABLE", {}))
    assert list(daemon.alerts()) == list(daemon.xa_recover()) == list(daemon.waiters("t")) == []
    with pytest.raises(Error) as unexpected:
        daemon.metrics()
    assert unexpected.value.code == "invalid"
    assert list(daemon.tables()) == [ShownTable("", persistent=True)]


def test_what_the_daemon_is_and_how_it_does(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.local) as connection:
        own = connection.daemon()
        assert {"INSERT", "STATS", "XA_START"} <= set(own.commands().replace(",", " ").split())
        assert [one.type for one in own.help("STATS")] == ["daemon"]
        assert len({one.type for one in own.help("NEXT")}) > 1
        assert "admin" in own.rights().rights and own.rights(table="none").connection > 0
        tables = {one.name: one for one in own.tables()}
        assert {"jobs", "values", "docs"} <= set(tables)
        assert (tables["jobs"].key, tables["jobs"].persistent, tables["jobs"].rows) == ("name", True, 0)
        figures = [one.params for one in own.stats()]
        assert "table" not in figures[0] and {one["table"] for one in figures[1:]} == set(tables)
        assert [one.params["rows"] for one in own.stats(table="jobs")] == [0]
        text, more = own.metrics(), own.metrics(format="openmetrics", table="jobs")
        assert text.endswith("\n") and more.endswith("# EOF\n") and 'table="jobs"' in text
        own.health()
        own.health(what="live")
        assert json.loads(own.openapi())["openapi"].startswith("3.")
        assert list(own.alerts()) == list(own.alerts(table="jobs")) == []
        with pytest.raises(Error) as unknown:
            own.lower("none", table="jobs")
        assert unknown.value.code == "not_found"
        assert list(own.waiters("jobs")) == []
        connection.listen("jobs")
        (waiter,) = own.waiters("jobs", page=1)
        assert (waiter.table, waiter.mode, waiter.stalled) == ("jobs", "wake", False) and waiter.since > 0
        with pytest.raises(Error) as unfed:
            own.fetch("jobs", from_=0)
        assert unfed.value.code == "not_supported"


def test_branches_of_others(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.local) as connection, socket.socket(socket.AF_UNIX) as manager:
        own = connection.daemon()
        assert list(own.xa_recover(all=True)) == []
        # The connection is for many, and so begins none itself.
        manager.settimeout(30)
        manager.connect(daemon.local.removeprefix("unix:"))
        answers = manager.makefile()
        for name in ("0a", "0b", "0c"):
            xid = f"{XID}{name}"
            for line in (f"XA_START xid={xid}", f"INSERT table=jobs;name={name}", f"XA_END xid={xid}"):
                manager.sendall(f"{line}\n".encode())
                said = answers.readline()
                assert said.split()[0] in ("STARTED", "PROMISED", "ENDED"), said
        assert list(own.xa_recover()) == []
        states = [(type(one), one.xid, one.state, one.tables) for one in own.xa_recover(all=True, page=1)]
        assert states == [(Branch, f"{XID}{name}", "idle", "jobs") for name in ("0a", "0b", "0c")]
        assert [own.xa_prepare(f"{XID}{name}") for name in ("0a", "0b")] == [1, 1]
        assert [one.state for one in own.xa_recover()] == ["prepared"] * 2
        assert [one.command for one in own.xa_commit(f"{XID}0c", one_phase=True)] == ["COMMITTED", "INSERTED"]
        own.xa_rollback(f"{XID}0a")
        assert own.xa_decide(f"{XID}0b", "commit") == 1
        assert [one.state for one in own.xa_recover(all=True)] == ["committed"]
        own.xa_forget(f"{XID}0b")
        assert {row.columns["name"] for row in connection.journal("jobs").list()} == {"0b", "0c"}


def test_copies_and_a_reload(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.local) as connection:
        own = connection.daemon()
        (table,) = own.digest(table="jobs")
        assert isinstance(table, Digest) and table.table == "jobs" and len(table.digest) >= 16
        assert all(one.log and not one.table for one in own.digest(stale=True))
        kept = own.backup(digest=True)
        assert {one.command for one in kept} <= {"BACKUP", "BACKUP_BYTES"} and kept[0].params["folder"]
        own.backup_done()
        with pytest.raises(Error) as alone:
            own.cluster()
        assert alone.value.code == "not_found"
        daemon.write_table("more", "name")
        told = own.reload(dry_run=True)
        assert told.dry_run and told.count == 1 and "more" in told.changes
        assert not own.reload(table="more").dry_run and "more" in {one.name for one in own.tables()}
        own.log_rotate()


def test_the_calls_with_asyncio(daemon: Daemon) -> None:
    async def run() -> None:
        async with await aio.connect(daemon.local) as connection:
            own = connection.daemon()
            assert "jobs" in {one.name async for one in own.tables()}
            assert (await own.stats(table="jobs"))[0].params["table"] == "jobs"
            assert "fastjournal" in await own.metrics()

    asyncio.run(asyncio.wait_for(run(), 30))
