"""Calls that are made from the declarations of table types: key/value and blob tables with the daemon and without, and
the rules of resending of all types."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import Daemon

import fastjournal
from fastjournal import Error, Message, Reply, Stored, StoredBlob, aio
from fastjournal.rules import RULES

SOON = (0.02,)  # pauses for tests
CLASSES = ("Journal", "Queues", "Documents", "KeyValue", "Blobs", "Daemon")
DECLARATIONS = Path(__file__).parents[3] / "plugins"


class Pretender:
    """In place of a connection: it keeps what is sent, and gives these answers."""

    def __init__(self, *answers: tuple[str, dict[str, Any]]) -> None:
        self.answers = [Message(*one) for one in answers]
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.numbered: list[str] = []

    def request(self, command: str, params: dict[str, Any]) -> Reply:
        self.sent.append((command, params))
        return Reply([self.answers.pop(0)], False)

    def request_numbered(self, command: str, params: dict[str, Any]) -> Reply:
        self.numbered.append(command)
        return self.request(command, params)


def values(*answers: tuple[str, dict[str, Any]]) -> tuple[fastjournal.KeyValue, Pretender]:
    pretender = Pretender(*answers)
    return fastjournal.KeyValue(pretender, "values"), pretender  # type: ignore[arg-type]


STORED = ("STORED", {"table": "values", "key": "k", "result": "stored", "timestamp": 3})


# --- rules ---


def declared() -> Iterator[tuple[str, ElementTree.Element]]:
    for file in DECLARATIONS.glob("*/*.xml"):
        for command in ElementTree.parse(file).getroot().iterfind("commands/command"):
            yield command.attrib["name"], command


@pytest.mark.parametrize(
    "name", "GET SET DELETE ADD NOT TRUNCATE RENAME ALIAS PUT OMIT ATTACH INSERT SEND NEXT MOVE LOCK MAINTAIN".split()
)
def test_a_command_is_sent_again_as_its_type_declares(name: str) -> None:
    said = {one.get("resend", "never") for known, one in declared() if known == name}
    # The DELETE of a journal has no number, so the rule of pairs does it no harm.
    if name == "DELETE":
        assert said == {"never", "numbered"}
        said = {"numbered"}
    assert {RULES[name].resend if name in RULES else "never"} == said


def test_all_rules_of_tables_are_declared() -> None:
    commands: dict[str, list[ElementTree.Element]] = {}
    for name, one in declared():
        commands.setdefault(name, []).append(one)
    assert len(commands) > 60
    for name, found in commands.items():
        resends = {one.get("resend", "never") for one in found}
        rule = RULES.get(name, fastjournal.rules.Rule())
        assert rule.resend in resends and (len(resends) == 1 or name == "DELETE"), name
        assert {rule.done_before} == {one.get("done-before", "") for one in found}, name
        assert rule.gives_back == any("gives-back" in one.attrib for one in found), name
        assert bool(rule.wait) == any(part.get("name") == "wait" for one in found for part in one), name


# --- what calls send, and what they make of answers ---


@pytest.mark.parametrize(
    ("value", "sent"),
    [(None, {}), (b"\xff", {"value": b"\xff"}), ("text", {"value": "text"}), ("", {"value": ""})]
    + [(number, {"value": number}) for number in (0, -5, 2.5, 1.0, True, False)],
)
def test_a_value_is_sent_with_its_type(value: Any, sent: dict[str, Any]) -> None:
    table, pretender = values(STORED)
    assert table.set("k", value) == Stored("k", "stored", 3)
    ((command, params),) = pretender.sent
    assert (command, params) == ("SET", {"table": "values", "key": "k"} | sent)
    assert {type(params.get("value"))} == {type(value)}


def test_parameters_are_sent_in_the_units_of_messages_and_defaults_are_not() -> None:
    table, pretender = values(STORED, STORED, ("PAIR", {"key": "k"}), ("NOTHING", {}))
    table.set(b"\xfe", 1, overwrite=True, persist=None)
    table.set("k", 1, overwrite=False, ttl=timedelta(minutes=1), expiration_date=timedelta(seconds=2), persist=False)
    table.get("k", data=False, facts=True, worked_on=1.5)
    assert list(table.scan(from_="a", page=7)) == []
    assert [params for _, params in pretender.sent] == [
        {"table": "values", "key_binary": b"\xfe", "value": 1},
        {"table": "values", "key": "k", "value": 1, "overwrite": 0, "ttl": 60_000, "expiration_date": "+2000"}
        | {"persist": 0},
        {"table": "values", "key": "k", "data": 0, "facts": 1, "worked_on": 1500},
        {"table": "values", "from": "a", "count": 7},
    ]


def test_a_change_is_numbered_unless_it_has_a_condition() -> None:
    table, pretender = values(*[STORED] * 8, ("DELETED", {"result": "mismatch"}))
    table.set("k", 1)
    table.add("k")
    table.rename("k", "l", overwrite=True)
    assert pretender.numbered == ["SET", "ADD", "RENAME"]
    table.set("k", 1, if_timestamp=0)
    table.set("k", 1, if_value=False)
    table.set("k", 1, overwrite=False)
    table.rename("k", "l")
    table.alias("k", "l")
    assert table.delete("k", if_timestamp=3) == "mismatch"
    assert len(pretender.numbered) == 3 and not pretender.answers
    with pytest.raises(ValueError, match="both of client and sequence"):
        table.set("k", 1, client="c")


def test_columns_of_rows_may_have_any_name() -> None:
    pretender = Pretender(("INSERTED", {"row": 1, "result": "inserted"}))
    row = {"overwrite": 0, "if_value": 1, "absent": None}
    table = fastjournal.Journal(pretender, "jobs")  # type: ignore[arg-type]
    assert table.put(row, priority=3) == fastjournal.Put(1, "inserted", 0, 0)
    assert pretender.numbered == ["INSERT"]
    assert pretender.sent == [("INSERT", {"overwrite": 0, "if_value": 1, "table": "jobs", "priority": 3})]


def test_pages_go_on_behind_text_and_behind_bytes() -> None:
    table, pretender = values(
        ("PAIR", {"key": "a", "after": "a"}),
        ("PAIR", {"key_binary": b"\xfe", "type": "integer", "value": 1, "after_binary": b"\xfe"}),
        ("NOTHING", {"after": "z"}),
        ("PAIR", {"key": "zz", "locked": 1, "ttl": "5"}),
    )
    pairs = list(table.scan(prefix=""))
    assert [(one.key, one.value, one.locked, one.ttl) for one in pairs] == [
        ("a", None, False, 0),
        (b"\xfe", 1, False, 0),
        ("zz", None, True, 5),
    ]
    afters = [{name: value for name, value in params.items() if "after" in name} for _, params in pretender.sent]
    assert afters == [{}, {"after": "a"}, {"after_binary": b"\xfe"}, {"after": "z"}]


@pytest.mark.parametrize("answer", [("PAIR", {"key": "k"}), ("STORED", {"key": "k", "result": "odd"}), ("STORED", {})])
def test_an_unexpected_answer_is_an_error(answer: tuple[str, dict[str, Any]]) -> None:
    table, _ = values(answer)
    with pytest.raises(Error) as odd:
        table.set("k", 1)
    assert odd.value.code == "invalid"


def test_a_timeline_keeps_its_beginning_and_changes_go_on_behind_what_was_looked_at() -> None:
    pretender = Pretender(
        ("DUE", {"from": 0, "to": 5, "rows": 2, "now": 5, "after": 1}),
        ("DUE", {"from": 5, "to": 9, "rows": 1, "now": 5}),
        ("DELETED", {"count": 2, "after": 7}),
        ("DELETED", {"count": 1}),
        ("DELETED", {"row": 7}),
    )
    table = fastjournal.Journal(pretender, "jobs")  # type: ignore[arg-type]
    assert [(due.from_, due.to, due.rows) for due in table.timeline()] == [(0, 5, 2), (5, 9, 1)]
    assert table.delete_matching(prefix="a", domain="") == 3
    assert table.kick(name="a") is None
    assert pretender.sent == [
        ("TIMELINE", {"table": "jobs"}),
        ("TIMELINE", {"table": "jobs", "after": 1, "now": 5}),
        ("DELETE", {"table": "jobs", "prefix": "a", "count": 1000}),
        ("DELETE", {"table": "jobs", "prefix": "a", "count": 1000, "after": 7}),
        ("KICK", {"table": "jobs", "name": "a"}),
    ]


def test_an_absent_pair_or_blob_is_none() -> None:
    table, _ = values(("NOTHING", {"table": "values"}))
    assert table.get("k") is None
    pretender = Pretender(("BLOB", {"hash": "h", "result": "absent"}))
    assert fastjournal.Blobs(pretender, "images").get("k") is None  # type: ignore[arg-type]
    assert pretender.sent == [("GET", {"table": "images", "key": "k", "data": 1})]


# --- both kinds of connections ---


@pytest.mark.parametrize("name", CLASSES)
def test_calls_of_asyncio_have_the_same_parameters_and_all_are_described(name: str) -> None:
    def calls_of(kind: type) -> dict[str, tuple[str, ...]]:
        return {
            member: tuple(str(one) for one in inspect.signature(call).parameters.values())
            for member, call in inspect.getmembers(kind, callable)
            if not member.startswith("_")
        }

    # Annotations that are texts, as all are, name the same types.
    assert calls_of(getattr(aio, name)) == calls_of(getattr(fastjournal, name))
    kind = getattr(fastjournal, name)
    assert all(getattr(kind, member).__doc__ for member in calls_of(kind))


@pytest.mark.parametrize("name", "Pair Stored Blob StoredBlob Maintaining Sent Queue Exchange Binding".split())
def test_records_are_frozen_and_describe_their_fields(name: str) -> None:
    kind = getattr(fastjournal, name)
    made = kind(*[0] * sum(one.default is dataclasses.MISSING for one in dataclasses.fields(kind)))
    for field in dataclasses.fields(kind):
        assert f"    {field.name}: " in kind.__doc__
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(made, field.name, 1)


# --- with the daemon ---


def test_values_of_all_types_come_back(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        table = connection.key_value("values")
        kinds = {"void": None, "buffer": b"\xff\x00", "string": "t\u00e4", "integer": -5, "float": 2.0, "boolean": True}
        for kind, value in kinds.items():
            assert table.set(kind, value).result == "stored"
            pair = table.get(kind)
            assert pair is not None and (pair.key, pair.type, pair.value) == (kind, kind, value)
            assert type(pair.value) is type(value)
        assert [pair.key for pair in table.scan(page=2)] == sorted(kinds)
        assert table.set("boolean", 1, if_value=False).result == "mismatch"
        assert table.set("boolean", 1, overwrite=False).result == "exists"
        assert table.get("none") is None
        assert (table.delete("void"), table.delete("void")) == ("deleted", "absent")
        assert table.stats()["rows"] == 5


def test_keys_may_be_bytes(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        table = connection.key_value("values")
        keys = ["a", "\u00e4", b"\xf0", b"\xff\xfe"]
        for number, key in enumerate(keys):
            assert table.set(key, number).key == key
        # Also pages go on behind them.
        assert [(pair.key, pair.value) for pair in table.scan(page=1)] == [(key, at) for at, key in enumerate(keys)]
        assert table.alias("a", b"\x80").result == "stored"
        pair = table.get(b"\x80", facts=True)
        assert pair is not None and (pair.value, pair.main_key, pair.size) == (0, "a", 8)
        assert table.rename(b"\xf0", "a").result == "exists"
        assert table.rename(b"\xf0", "f").result == "stored"
        assert [pair.key for pair in table.scan(prefix="f", data=False)] == ["f"]
        assert [pair.key for pair in table.scan(from_="b", to="g", regex="^.$")] == ["f"]


def test_values_are_changed_where_they_are(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        table = connection.key_value("values")
        assert (table.add("n").value, table.add("n", 5).value, table.add("x", 1.5).value) == (1, 6, 1.5)
        table.set("yes", True)
        assert (table.invert("yes").value, table.invert("yes").value) == (False, True)
        table.set("text", "a\u00e4")
        table.truncate("text", 2)
        cut = table.get("text")
        assert cut is not None and (cut.type, cut.value) == ("string", b"a\xc3")
        end = table.lock("n", timedelta(minutes=1))
        with fastjournal.connect(daemon.tcp) as other, pytest.raises(Error) as locked:
            other.key_value("values").add("n")
        assert (locked.value.code, int(locked.value.facts["lock_end"])) == ("in_use", end)
        table.unlock("n")
        table.set("n", 1, ttl=timedelta(hours=1))
        pair = table.get("n", facts=True, worked_on=30)
        assert pair is not None and (pair.ttl, pair.locked) == (3_600_000, False)
        assert table.get("n", skip_worked_on=True) is None


@pytest.mark.parametrize("call", ["add", "put"])
def test_a_change_counts_once_over_a_kill_of_the_daemon(daemon: Daemon, call: str) -> None:
    with fastjournal.connect(daemon.local, pauses=SOON) as connection:
        table, images = connection.key_value("values"), connection.blobs("images")
        for number in range(1, 4):
            daemon.kill()
            daemon.start()
            if call == "add":
                assert table.add("n").value == number
            else:
                assert images.put("b", b"x" * number).end > 0
        assert table.set("n", 7, client="c", sequence=1).result == "stored"
        assert table.set("n", 8, client="c", sequence=1).result == "duplicate"
        assert images.put("c", b"", client="c", sequence=1).result == "stored"
        assert images.put("c", b"", client="c", sequence=1).result == "duplicate"


def test_blobs_are_stored_read_listed_and_omitted(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        table = connection.blobs("images")
        first = table.put("a", b"hello")
        assert first.result == "stored" and first.end - first.begin == 5
        assert table.put(b"\xff", b"\x00\xff").result == "stored"
        blob = table.get("a")
        assert blob is not None and (blob.data, blob.length, blob.hash) == (b"hello", 5, first.hash)
        part = table.get(hash=first.hash, offset=1, length=2)
        assert part is not None and (part.data, part.length) == (b"el", 5)
        assert table.put(None, b"other", hash=first.hash).result == "replaced"
        assert table.get("none") is None
        assert {(one.hash, one.length, one.data) for one in table.list(page=1)} == {
            (first.hash, 5, b""),
            (table.get(b"\xff").hash, 2, b""),  # type: ignore[union-attr]
        }
        with pytest.raises(Error) as damaged:
            table.put("b", b"hello", content_hash="0" * 32)
        assert damaged.value.code == "damaged"
        assert (table.omit("a"), table.omit("none")) == ("omitted", "absent")
        assert table.maintain(age=timedelta(days=1)).result in ("begun", "running")
        assert table.maintain(cancel=True).result in ("cancelled", "idle")


def test_rows_are_counted_kicked_and_deleted(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        table = connection.journal("jobs")
        rows = [table.put({"name": f"n{number}"}, process_date=timedelta(hours=1)).row for number in range(6)]
        assert sum(due.rows for due in table.timeline()) == 6
        assert list(table.domains()) == []
        kicked = table.kick(rows[0])
        assert kicked is not None and kicked.row == rows[0]
        assert table.kick_matching(status="waiting", prefix="n1") == 1
        assert [row.row for row in table.next(3).rows] == rows[:2]
        table.delete(name="n5")
        assert (table.count(status="waiting"), table.count(status="waiting", count=2)) == (3, 2)
        assert table.delete_matching(status="waiting", count=2) == 2
        assert [row.row for row in table.list(status="waiting")] == [rows[4]]
        with pytest.raises(ValueError, match="a row's number, or the columns"):
            table.delete()
        table.pause(reason="a test")
        with pytest.raises(Error) as paused:
            table.next()
        assert (paused.value.code, table.resume()) == ("paused", "paused")
        table.drain()
        with pytest.raises(Error) as draining:
            table.put({"name": "late"})
        assert (draining.value.code, table.resume()) == ("paused", "draining")


def test_steps_are_shown_and_a_document_is_taken_back(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        table = connection.documents("docs")
        assert [(one.step, one.kind, one.behind) for one in table.steps(page=1)] == [
            ("pages", "source", []),
            ("index", "idempotent", ["pages"]),
            ("publish", "potent", ["pages"]),
        ]
        document = table.found("pages", "/a.html", "5e1f")
        assert table.kick(document, destination="index").count == 1
        with pytest.raises(Error) as late:
            table.sent(document, "index")
        assert late.value.code == "stale_epoch"


def test_the_calls_with_asyncio(daemon: Daemon) -> None:
    async def run() -> None:
        async with await aio.connect(daemon.tcp) as connection:
            table, images = connection.key_value("values"), connection.blobs("images")
            results = await asyncio.gather(*(table.add("n") for _ in range(20)))
            assert sorted(one.value for one in results) == list(range(1, 21))  # type: ignore[type-var]
            assert [one.value async for one in table.scan()] == [20]
            assert isinstance(await images.put("a", b"hello"), StoredBlob)
            assert [one.length async for one in images.list()] == [5]
            assert await table.get("none") is None
            assert await table.lock("n", 5) > 0
            await table.unlock("n")
            assert await images.omit("a") == "omitted"
            assert (await table.stats())["rows"] == 1

    asyncio.run(asyncio.wait_for(run(), 30))
