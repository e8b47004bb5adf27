"""Pipeline tables: documents on their way with both kinds of connections, what a crash leaves, people's commands, and
what is sent again after a loss."""

from __future__ import annotations

import asyncio
import inspect
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import PLAN, Daemon
from test_session import LOST, frame, ready, sent_by

import fastjournal
from fastjournal import Document, Documents, Error, GiveUp, NotSent, Sending, ShownDocument, aio

SOON = (0.02,)  # pauses for tests
HERE = Path(__file__).parent.parent


def states_of(docs: Documents, document: Document) -> dict[str, str]:
    (shown,) = (one for one in docs.documents() if one.document == document.document)
    return shown.states


def test_a_document_goes_to_its_two_destinations(daemon: Daemon) -> None:
    sent: list[Sending] = []
    with fastjournal.connect(daemon.tcp) as connection:
        docs = connection.documents("docs")
        found = docs.found("pages", "/a.html", "5e1f", worker="scanner", lease=30)
        assert (found.change, found.is_mine, found.destinations) == ("new", True, ["index", "publish"])
        assert (found.source, found.uri, found.hash) == ("pages", "/a.html", "5e1f")
        assert found.lease_end > time.time() * 1000
        assert docs.found("pages", "/b.html", "1", dry_run=True).change == "new"
        assert "scanner has it" in docs.why(found)["text"]
        other = docs.found("pages", "/a.html", "5e1f")
        assert (other.document, other.change, other.is_mine) == (found.document, "processing", False)
        assert docs.next().documents == []
        assert docs.deliver(found, "index", sent.append) == fastjournal.Delivery("run", "sent")
        assert states_of(docs, found) == {"index": "sent", "publish": "processing"}
        assert docs.deliver(found, "publish", sent.append).state == "sent"
        assert [(one.attempt, one.guarantee) for one in sent] == [(1, "at-least-once"), (1, "at-most-once")]
        assert sent[0].key != sent[1].key and len(sent[0].key) == 32 and sent[0].deadline > time.time() * 1000
        # It is there: nothing is sent.
        again = docs.deliver(found, "index", sent.append)
        assert (again.verdict, again.state, len(sent)) == ("skip", "sent", 2)
        assert docs.found("pages", "/a.html", "5e1f").change == "unchanged"
        (shown,) = docs.documents(status="done", source="pages")
        assert (shown.uri, shown.done, shown.states) == ("/a.html", True, {"index": "sent", "publish": "sent"})
        assert [(one.destination, one.guarantee, one.mode, one.sent) for one in docs.destinations()] == [
            ("index", "at-least-once", "open", 1),
            ("publish", "at-most-once", "open", 1),
        ]
        assert [one.destination for one in docs.destinations("publish")] == ["publish"]
        (plan,) = docs.plans()
        assert (plan.plan, plan.version, plan.documents, plan.newest) == ("docs", 1, 1, True)
        # It has changed, and is missing everywhere.
        changed = docs.found("pages", "/a.html", "77aa")
        assert (changed.change, changed.destinations) == ("changed", ["index", "publish"])
        assert docs.deliver(changed, "publish", sent.append).state == "sent"
        assert sent[2].key != sent[1].key
        assert docs.stats()["sent"] == 3
        docs.found("pages", "/c.html", "1")
        events = [(one.what, one.destination) for one in docs.history(found, page=2)]
        assert events[:3] == [("found", ""), ("handed_out", ""), ("sending", "index")]
        assert events[-1] == ("sent", "publish")
        assert [one.uri for one in docs.history()][len(events) :] == ["/c.html", "/c.html"]
        (handed_out, *_) = (one for one in docs.history() if one.what == "handed_out")
        assert (handed_out.document, handed_out.uri, handed_out.worker) == (found.document, "/a.html", "scanner")


def test_what_was_found_and_left_is_handed_out(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        docs = connection.documents("docs")
        nothing = docs.next("pages")
        assert (nothing.documents, nothing.next_date) == ([], None)
        for number in range(3):
            assert not docs.found("pages", f"/{number}", "h", hand_out=False).is_mine
        (one, two) = docs.next("pages", count=2, lease=30, wait=5).documents
        assert (one.change, one.uri, one.destinations, one.check) == ("", "/0", ["index", "publish"], False)
        assert docs.heartbeat(one, lease=60)
        docs.release(one)
        assert not docs.heartbeat(one)
        (for_one,) = docs.next(destination="index").documents
        assert (for_one.uri, for_one.destinations) == ("/0", ["index"])
        docs.dropped(two, "publish", "a draft")
        docs.dropped(two)
        assert states_of(docs, two) == {"index": "dropped", "publish": "dropped"}
        assert "a draft" in docs.why(two)["text"]


KILLED = """
import os, signal, sys
import fastjournal

with fastjournal.connect(sys.argv[1]) as connection:
    docs = connection.documents("brief")
    found = docs.found("pages", "/a", "h")
    assert docs.deliver(found, "index", lambda sending: None).state == "sent"
    docs.deliver(found, "publish", lambda sending: os.kill(os.getpid(), signal.SIGKILL))
"""


def test_a_worker_that_is_killed_while_it_sends_leaves_a_doubt(stopped: Daemon) -> None:
    stopped.write_plan("brief", PLAN, "<grace>1ms</grace>")
    stopped.start()
    killed = subprocess.run([sys.executable, "-c", KILLED, stopped.tcp], env={"PYTHONPATH": str(HERE)})
    assert killed.returncode == -signal.SIGKILL
    with fastjournal.connect(stopped.tcp) as connection:
        docs = connection.documents("brief")

        def in_doubt() -> ShownDocument:
            until = time.monotonic() + 30
            while not (shown := list(docs.documents(status="in_doubt", destination="publish"))):
                assert time.monotonic() < until
                threading.Event().wait(0.01)
            assert shown[0].states == {"index": "sent", "publish": "in_doubt"}
            return shown[0]

        # Nobody sends it, and a person says that it did not arrive: then it is sent.
        document = in_doubt()
        assert docs.next().documents == []
        assert [(one.sending, one.in_doubt) for one in docs.destinations("publish")] == [(0, 1)]
        assert docs.resolve("failed", all=True, dry_run=True) == 1
        assert docs.resolve("failed", document) == 1
        (mine,) = docs.next().documents
        assert mine.destinations == ["publish"]

        def stops(_: Sending) -> None:
            raise KeyboardInterrupt

        # What is no failure says nothing.
        with pytest.raises(KeyboardInterrupt):
            docs.deliver(mine, "publish", stops)
    with fastjournal.connect(stopped.tcp) as connection:
        docs = connection.documents("brief")
        assert docs.resolve("failed", in_doubt()) == 1
        (mine,) = docs.next().documents

        def gets_no_answer(_: Sending) -> None:
            raise NotSent("no answer within 5 s", kind="timeout", may_have_arrived=True)

        # Nor where it may have arrived; once is enough elsewhere.
        delivery = docs.deliver(mine, "publish", gets_no_answer)
        assert (delivery.verdict, delivery.state, type(delivery.failure)) == ("run", "sending", NotSent)
        other = docs.found("pages", "/b", "h")
        assert docs.deliver(other, "index", gets_no_answer).state == "error"
        docs.dropped(other, "publish")
        docs.drop(other)
    with fastjournal.connect(stopped.tcp) as connection:
        docs = connection.documents("brief")
        in_doubt()
        with pytest.raises(Error) as refused:
            docs.resolve("maybe", all=True)
        assert refused.value.code == "bad_parameter"
        assert docs.resolve("sent", destination="publish") == 1
        assert docs.next().documents == []
        (done, _) = docs.documents(status="done")
        assert done.states == {"index": "sent", "publish": "sent"}


def test_a_document_that_fails_three_times_is_dead_until_somebody_retries(daemon: Daemon) -> None:
    def fails(_: Sending) -> None:
        raise OSError("no route to \udcff host " + "x" * 2000)

    with fastjournal.connect(daemon.tcp) as connection:
        docs = connection.documents("docs")
        docs.found("pages", "/a", "h", hand_out=False)
        states = []
        for _ in range(3):
            (mine,) = docs.next(destination="index", wait=30).documents
            delivery = docs.deliver(mine, "index", fails)
            assert delivery.verdict == "run" and isinstance(delivery.failure, OSError)
            states.append(delivery.state)
        assert states == ["error", "error", "dead"]
        assert "dead after 3 failures (OSError: no route to ? host xx" in docs.why(mine)["text"]
        assert [one.document for one in docs.documents(status="dead", destination="index")] == [mine.document]
        assert docs.retry(kind="ConnectionError") == 0
        assert docs.retry(kind="OSError", destination="index") == 1
        (mine,) = docs.next(destination="index", wait=30).documents
        assert docs.deliver(mine, "index", lambda sending: sending).state == "sent"


def test_what_can_never_arrive_is_given_up_at_once(daemon: Daemon) -> None:
    def raising(why: Exception) -> Any:
        def send(_: Sending) -> None:
            raise why

        return send

    class NoSuchPage(GiveUp):
        pass

    with fastjournal.connect(daemon.tcp) as connection:
        docs = connection.documents("docs")
        found = docs.found("pages", "/a", "h")
        assert docs.deliver(found, "index", raising(NoSuchPage("it is gone"))).state == "error_doc"
        full = NotSent("no space", kind="disk-full", permanent=True)
        assert docs.deliver(found, "publish", raising(full)).state == "error_doc"
        assert re.findall(r"for good \((.*?)\)", docs.why(found)["text"]) == [
            "NoSuchPage: it is gone",
            "disk-full: no space",
        ]
        assert [one.document for one in docs.documents(status="failed")] == [found.document]
        assert [docs.retry(status="error_doc", count=1) for _ in range(3)] == [1, 1, 0]
        (mine,) = docs.next().documents
        assert docs.deliver(mine, "index", raising(NotSent("a draft", drop=True))).state == "dropped"
        later = docs.deliver(mine, "publish", raising(NotSent(kind="x" * 100)))
        assert later.state == "error"
        assert docs.retry(mine, kind="x" * 64, status="error", dry_run=True) == 1
        # By hand, without a function.
        other = docs.found("pages", "/b", "h")
        assert docs.begin(other, "publish").verdict == "run"
        assert docs.failed(other, "publish", "down", "no connection") == "error"
        assert docs.begin(other, "index", batched=True).verdict == "run"
        assert states_of(docs, other)["index"] == "batched"
        assert docs.sent(other, "index") == "sent"

        async def never(_: Sending) -> None:
            raise AssertionError("it is not run")

        third = docs.found("pages", "/c", "h")
        refused = docs.deliver(third, "index", never)
        assert (refused.state, type(refused.failure)) == ("error", TypeError)


def test_children_are_made_passed_and_counted(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        docs = connection.documents("docs")
        original = docs.found("pages", "/list.csv", "1")
        one = docs.begin_child(original, 1).document
        assert (one.parent, one.original, one.child, one.change) == (original.document, original.document, "1", "new")
        assert one.destinations == ["index", "publish"] and one.is_mine
        with pytest.raises(Error) as twice:
            docs.begin_child(original, "1")
        assert twice.value.code == "in_use"
        assert docs.begin_child(original, "1", again=True).document.document == one.document
        two = docs.begin_child(original, "two").document
        with pytest.raises(Error) as wrong:
            docs.children_done(original, 3)
        assert wrong.value.code == "bad_parameter"
        docs.dropped(original)
        for destination in one.destinations:
            assert docs.deliver(one, destination, lambda sending: None).state == "sent"
        docs.release(two)
        (shown,) = (each for each in docs.documents(status="open") if each.document == original.document)
        assert (shown.children, shown.children_known, shown.children_not_done) == (None, 2, 1)
        docs.children_done(original, 2)
        # The original is handed out once more, as a child cannot be fetched.
        (again,) = docs.next(wait=30).documents
        assert (again.document, again.children, again.destinations) == (original.document, True, [])
        passed = docs.begin_child(again, 1)
        assert (passed.document.document, passed.is_subtree_done) == (one.document, True)
        assert not passed.document.is_mine
        rest = docs.begin_child(again, "two").document
        assert (rest.document, rest.change) == (two.document, "resume")
        for destination in rest.destinations:
            docs.deliver(rest, destination, lambda sending: None)
        docs.children_done(again, 2)
        assert docs.found("pages", "/list.csv", "1").change == "unchanged"
        # It has changed, and has one line less.
        changed = docs.found("pages", "/list.csv", "2")
        assert docs.begin_child(changed, 1).document.change == "changed"
        (orphan,) = docs.documents(status="orphans")
        assert (orphan.child, orphan.orphan) == ("two", True)


ROUTES = """<plan name="routes" version="1">
<source name="mails" router="by-name"/>
<step name="german" after="mails" kind="idempotent"/>
<step name="english" after="mails" kind="idempotent"/>
</plan>"""


def test_destinations_that_a_router_did_not_choose_are_dropped(stopped: Daemon) -> None:
    stopped.write_plan("routes", ROUTES)
    stopped.start()
    with fastjournal.connect(stopped.tcp) as connection:
        docs = connection.documents("routes")
        found = docs.found("mails", "1")
        assert docs.routed(found, "mails", ["english"]) == ["german"]
        assert docs.deliver(found, "german", lambda sending: None).state == "dropped"
        assert docs.deliver(found, "english", lambda sending: None).state == "sent"


def test_listeners_are_woken_told_and_served(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection, fastjournal.connect(daemon.tcp) as finder:
        docs = connection.documents("docs")
        source = finder.documents("docs")
        docs.listen("pages")
        found = source.found("pages", "/a", "h", hand_out=False)
        notice = next(docs.notices(30))
        assert (notice.kind, notice.table, notice.source, notice.ready) == ("work", "docs", "pages", 2)
        docs.listen("pages", "row")
        notice = next(docs.notices(30))
        assert notice.kind == "due" and notice.source == "pages" and notice.document is not None
        assert (notice.document.document, notice.document.uri) == (found.document, "/a")
        assert not notice.document.is_mine
        docs.unlisten("pages")
        docs.listen(mode="deliver", credit=1)
        notice = next(docs.notices(30))
        assert notice.kind == "delivered" and notice.document is not None
        assert (notice.document.uri, notice.document.destinations) == ("/a", ["index", "publish"])
        source.found("pages", "/b", "h", hand_out=False)
        for destination in notice.document.destinations:
            assert docs.deliver(notice.document, destination, lambda sending: None).state == "sent"
        notice = next(docs.notices(30))
        assert notice.document is not None and notice.document.uri == "/b"
        docs.unlisten()
        docs.release(notice.document)
        with pytest.raises(Error) as unknown:
            docs.listen("none")
        assert unknown.value.code == "not_found"


def test_a_worker_whose_lease_is_over_sends_nothing(daemon: Daemon) -> None:
    called: list[Sending] = []
    with fastjournal.connect(daemon.tcp) as connection:
        docs = connection.documents("docs")
        old = docs.found("pages", "/a", "h")
        docs.release(old)
        (new,) = docs.next().documents
        assert docs.deliver(old, "publish", called.append) == fastjournal.Delivery("cancelled", "stale")
        assert called == [] and not docs.heartbeat(old)
        for say in (lambda: docs.sent(old, "index"), lambda: docs.failed(old, "index"), lambda: docs.dropped(old)):
            with pytest.raises(Error) as stale:
                say()
            assert stale.value.code == "stale_epoch"

        def changes(_: Sending) -> None:
            docs.found("pages", "/a", "h2")

        # It loses the lease while it sends: the caller is told.
        with pytest.raises(Error) as lost:
            docs.deliver(new, "index", changes)
        assert lost.value.code == "stale_epoch"
        with pytest.raises(Error) as early:
            docs.sent(docs.found("pages", "/b", "h"), "publish")
        assert early.value.code == "wrong_state"


def test_a_delivery_goes_on_over_a_kill_of_the_daemon(daemon: Daemon) -> None:
    sent: list[str] = []

    def send(sending: Sending) -> None:
        daemon.kill()
        daemon.start()
        sent.append(sending.guarantee)

    with fastjournal.connect(daemon.local, pauses=SOON) as connection:
        docs = connection.documents("docs")
        found = docs.found("pages", "/a", "h")
        for destination in found.destinations:
            assert docs.deliver(found, destination, send).state == "sent"
            # The lease moves to the new connection.
            assert destination == "publish" or docs.heartbeat(found)
        assert sent == ["at-least-once", "at-most-once"]
        assert connection.connects == 3
        assert docs.found("pages", "/a", "h").change == "unchanged"


def test_a_delivery_keeps_its_document_over_a_kill_of_the_daemon(stopped: Daemon) -> None:
    stopped.write_plan("docs", PLAN, "<grace>2s</grace>")
    stopped.start()

    async def run() -> None:
        handed_out: list[Document] = []

        async def send(_: Sending) -> None:
            stopped.kill()
            stopped.start()
            # Beyond the grace. Another one would get it once the lease is over.
            async with await aio.connect(stopped.local) as other:
                handed_out.extend((await other.documents("docs").next(wait=3)).documents)

        async with await aio.connect(stopped.local, pauses=SOON) as connection:
            docs = connection.documents("docs")
            found = await docs.found("pages", "/a", "h")
            assert (await docs.deliver(found, "index", send)).state == "sent"
            assert handed_out == []
            # With its other destinations.
            assert (await docs.deliver(found, "publish", lambda sending: None)).state == "sent"

    asyncio.run(asyncio.wait_for(run(), 60))


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_delivery_keeps_the_other_destinations_over_a_kill_of_the_daemon(stopped: Daemon, kind: str) -> None:
    stopped.write_plan("docs", PLAN, "<grace>2s</grace>")
    stopped.start()

    def restarts(_: Sending) -> None:
        stopped.kill()
        stopped.start()

    def handed_out() -> list[Document]:
        with fastjournal.connect(stopped.local) as other:
            return other.documents("docs").next(wait=3).documents

    def play() -> None:
        with fastjournal.connect(stopped.local, pauses=SOON) as connection:
            docs = connection.documents("docs")
            found = docs.found("pages", "/a", "h")
            assert docs.deliver(found, "index", restarts).state == "sent"
            assert handed_out() == []
            assert docs.deliver(found, "publish", lambda sending: None).state == "sent"

    async def play_async() -> None:
        async with await aio.connect(stopped.local, pauses=SOON) as connection:
            docs = connection.documents("docs")
            found = await docs.found("pages", "/a", "h")
            assert (await docs.deliver(found, "index", restarts)).state == "sent"
            assert handed_out() == []
            assert (await docs.deliver(found, "publish", lambda sending: None)).state == "sent"

    play() if kind == "sync" else asyncio.run(play_async())


def test_a_heartbeat_of_a_function_keeps_its_document_over_a_kill_of_the_daemon(stopped: Daemon) -> None:
    stopped.write_plan("docs", PLAN, "<grace>2s</grace>")
    stopped.start()
    handed_out: list[Document] = []

    def send(_: Sending) -> None:
        stopped.kill()
        stopped.start()
        assert docs.heartbeat(found)
        with fastjournal.connect(stopped.local) as other:
            handed_out.extend(other.documents("docs").next(wait=3).documents)

    with fastjournal.connect(stopped.local, pauses=SOON) as connection:
        docs = connection.documents("docs")
        found = docs.found("pages", "/a", "h")
        assert docs.deliver(found, "index", send).state == "sent"
    assert handed_out == []


def test_people_pause_force_drop_and_go_through_pages(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        docs = connection.documents("docs")
        for number in range(12):
            docs.found("pages", f"/{number}", "h", hand_out=False)
        assert [one.uri for one in docs.documents(status="stranded", page=5)] == [f"/{n}" for n in range(12)]
        docs.pause("index", "a new index")
        (index,) = docs.destinations("index")
        assert (index.mode, index.reason, index.processing) == ("shut", "a new index", 12)
        (mine,) = docs.next().documents
        assert mine.destinations == ["publish"]
        docs.resume("index")
        docs.release(mine)
        with pytest.raises(Error) as all_of_them:
            docs.drop()
        assert all_of_them.value.code == "missing_parameter"
        assert docs.drop(destination="publish", count=7) == 7
        assert docs.drop(destination="publish", dry_run=True) == 5
        assert docs.drop(destination="publish") == 5
        assert docs.drop(mine.document) == 1
        assert docs.force(mine, destination="index") == 1
        assert docs.force(status="dropped", all=True) == 12
        assert [(one.force, one.processing) for one in docs.destinations()] == [(1, 11), (12, 0)]
        (again,) = docs.next(destination="publish").documents
        assert docs.deliver(again, "publish", lambda sending: None).state == "sent"
        assert docs.retry(again, status="sent", if_changed=True) == 1
        (dirty,) = (one for one in docs.next(count=100).documents if one.document == again.document)
        assert dirty.check and dirty.destinations[-1] == "publish"


def test_people_change_more_than_a_page(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        docs = connection.documents("docs")
        found = {"table": "docs", "source": "pages", "hand_out": 0}
        for call in [connection.send("FOUND", found | {"uri": f"/{number}"}) for number in range(600)]:
            connection.receive(call)
        assert len({one.document for one in docs.documents(page=250)}) == 600
        assert docs.drop(all=True, dry_run=True) == 1200
        assert docs.drop(destination="index", count=550) == 550
        assert docs.drop(all=True) == 650


def test_commands_of_pipelines_are_sent_again_by_their_rules() -> None:
    declared = re.findall(
        r'<command name="(\w+)"([^>]*)>', (HERE.parent.parent / "plugins/pipeline/pipeline.xml").read_text()
    )
    assert len(declared) > 20
    session = ready()
    calls = {name: session.send(name, {"table": "docs"}) for name, _ in declared}
    session.output()
    session.lost(LOST)
    again = {name for name, call in calls.items() if not call.finished}
    assert again == {name for name, attributes in declared if 'resend="always"' in attributes}


def test_documents_of_a_late_answer_are_released() -> None:
    session = ready()
    late = [session.send(command, {"table": "docs"}) for command in ("FOUND", "NEXT", "DOCUMENTS")]
    session.output()
    for call in late:
        session.abandon(call)
        session.receive(frame("DOCUMENT", table="docs", document=7, token=8, uri="/a", request=call.number, left=1))
        session.receive(frame("DOCUMENT", table="docs", document=9, uri="/b", request=call.number, left=0))
    said = sent_by(session)
    assert [message.command for message in said] == ["RELEASE", "RELEASE"]
    for _, params in said:
        params.pop("request")
        assert params == {"table": "docs", "document": 7, "token": 8}


def test_delivered_documents_are_never_dropped_and_sources_are_subscriptions() -> None:
    session = ready(pushes_max=1)
    session.receive(frame("LISTEN", table="docs", ready=1) * 2 + frame("DOCUMENT", table="docs", document=7, token=8))
    assert [push.command for push in session.pushes] == ["LISTEN", "DOCUMENT"]
    assert session.pushes_dropped == 1
    for source in ("a", "b"):
        session.keep("LISTEN", {"table": "docs", "source": source})
    session.forget("LISTEN", {"table": "docs", "source": "a"})
    session.lost(LOST)
    session.opened()
    assert [message.params["source"] for message in sent_by(session)] == ["b"]


def test_the_calls_of_asyncio_are_the_same(daemon: Daemon) -> None:
    """Each of them once; names and parameters are those of the calls without asyncio."""

    def calls_of(kind: type) -> dict[str, Any]:
        return {
            name: list(inspect.signature(one).parameters)
            for name, one in vars(kind).items()
            if not name.startswith("_") and callable(one)
        }

    assert calls_of(aio.Documents) == calls_of(fastjournal.Documents)

    async def run() -> None:
        async with await aio.connect(daemon.tcp) as connection:
            docs = connection.documents("docs")
            found = await docs.found("pages", "/a", "h")
            sent: list[str] = []

            async def send(sending: Sending) -> None:
                await asyncio.sleep(0)
                sent.append(sending.guarantee)

            assert (await docs.deliver(found, "index", send)).state == "sent"
            assert (await docs.deliver(found, "index", send)).verdict == "skip"

            async def fails(_: Sending) -> None:
                await asyncio.sleep(0)
                raise ValueError("no text")

            failed = await docs.deliver(found, "publish", fails)
            assert (failed.state, type(failed.failure)) == ("error", ValueError)
            assert sent == ["at-least-once"]
            await docs.listen("pages", "wake")
            async for notice in docs.notices(30):
                assert (notice.kind, notice.source) == ("work", "pages")
                break
            await docs.unlisten("pages")
            (mine,) = (await docs.next("pages", wait=30)).documents
            assert await docs.heartbeat(mine)

            # A task that is cancelled says nothing: its document is being sent.
            began = asyncio.Event()

            async def lasts(_: Sending) -> None:
                began.set()
                await asyncio.Event().wait()

            task = asyncio.create_task(docs.deliver(mine, "publish", lasts))
            await began.wait()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            (shown,) = [one async for one in docs.documents()]
            assert shown.states == {"index": "sent", "publish": "sending"}
            assert await docs.failed(mine, "publish", "down", permanent=True) == "error_doc"
            assert await docs.retry(mine) == 1
            assert await docs.force(mine, destination="index") == 1
            (again,) = (await docs.next()).documents
            child = (await docs.begin_child(again, 1)).document
            await docs.children_done(again, 1)
            await docs.dropped(child)
            assert (await docs.begin(again, "index")).verdict == "run"
            assert await docs.sent(again, "index") == "sent"
            await docs.release(again)
            with pytest.raises(Error):
                await docs.routed(again, "pages", ["index"])
            failures = [one.kind async for one in docs.history(again) if one.failures]
            assert "ValueError" in failures
            assert (await docs.why(again))["states"] == "index=sent publish=restart"
            assert [one.destination async for one in docs.destinations()] == ["index", "publish"]
            assert [one.documents for one in await docs.plans()] == [2]
            await docs.pause("publish")
            await docs.resume("publish")
            assert await docs.drop(all=True) == 1
            assert await docs.resolve("sent", all=True) == 0
            assert (await docs.stats())["rows"] == 2

    asyncio.run(asyncio.wait_for(run(), 30))


def test_the_example_of_the_page_of_pipelines_runs(daemon: Daemon) -> None:
    page = (HERE.parent.parent / "doc/pipeline.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", page, re.S)
    code = example.replace("127.0.0.1:4050", daemon.tcp)
    ran = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(HERE)}, text=True, capture_output=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == re.findall(r"# prints: (.*)", example)
