"""Queue tables: the calls of both kinds of connections, consumers, and what is sent again after a loss."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from datetime import timedelta
from typing import Any

import pytest
from conftest import Daemon
from test_session import LOST, frame, ready, sent_by

import fastjournal
from fastjournal import Error, GiveUp, QueueMessage, aio

SOON = (0.02,)  # pauses for tests


def test_a_message_is_sent_acquired_touched_and_accepted(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        sent = post.send("orders", "vier Pizze \u00e4", properties={"table": "7\u00e4"}, priority=20)
        assert (sent.result, sent.queues) == ("sent", 1)
        taken = post.acquire("orders", worker="w1", lease=30, wait=5)
        (message,) = taken.messages
        assert (message.message, message.queue, message.priority) == (sent.message, "orders", 20)
        assert (message.body, message.text, message.bytes) == ("vier Pizze \u00e4", "vier Pizze \u00e4", 13)
        assert message.properties == {"table": "7\u00e4"}
        assert message.lease_end > time.time() * 1000 and not message.redelivered and message.status == ""
        assert post.touch(message, timedelta(seconds=50)) > message.lease_end
        shown = post.read(message)
        assert (shown.status, shown.worker, shown.epoch, shown.body) == ("acquired", "w1", message.epoch, message.body)
        assert post.why(message)["state"] == "acquired"
        post.accept(message)
        with pytest.raises(Error) as gone:
            post.accept(message)
        assert gone.value.code == "unknown_row"
        assert post.acquire("orders").messages == []
        assert post.stats()["accepted"] == 1


def test_bytes_are_bytes_and_parts_of_them_are_read(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        number = post.send("orders", b"\x00\xff\x80abc").message
        assert post.read(number, offset=1, length=3).body == b"\xff\x80a"
        (message,) = post.acquire().messages
        assert message.body == b"\x00\xff\x80abc" and message.properties == {}
        with pytest.raises(UnicodeDecodeError):
            _ = message.text
        post.accept(message)
        post.send("orders")
        assert post.acquire(accept=True).messages[0].body == ""
        assert post.stats()["rows"] == 0


def test_dates_and_expiry(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        post.send("orders", "later", process_date=timedelta(hours=1), expiration_date=timedelta(hours=2))
        taken = post.acquire("orders")
        assert taken.messages == [] and (taken.next_date or 0) > time.time() * 1000 + 3_500_000
        (message,) = post.browse(body=True)
        assert (message.body, message.status) == ("later", "waiting")
        assert message.expiration_date - message.process_date == 3_600_000


def test_what_fails_is_released_dead_or_parked(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        assert post.declare("mails", dead_letters="failed", max_deliveries=2) == "made"
        assert post.declare("mails", dead_letters="failed") == "unchanged"
        post.send("mails", "one")
        (message,) = post.acquire("mails").messages
        assert post.release(message).fate == "released"
        (message,) = post.acquire("mails").messages
        assert (message.redelivered, message.deliveries) == (True, 0)
        assert post.release(message, error="no luck").process_date is not None
        (message,) = post.acquire("mails").messages
        assert message.deliveries == 1
        dead = post.release(message, failed=True)
        assert (dead.fate, dead.queue) == ("dead", "failed")
        (shown,) = post.browse("failed")
        assert (shown.dead_of, shown.error) == ("mails", "no luck")
        assert post.move("failed", "mails") == 1
        assert post.declare("mails", dead_letters="") == "changed"
        (message,) = post.acquire("mails").messages
        assert post.reject(message, "never").fate == "parked"
        assert [one.error for one in post.browse("mails", status="parked")] == ["never"]
        assert post.move("mails", "mails", status="parked") == 1
        assert post.purge("mails") == 1


def test_a_message_is_parked_looked_at_kicked_and_deleted(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        number = post.send("orders", "one", lease=timedelta(seconds=90)).message
        later = post.send("orders", "later", process_date=timedelta(hours=1)).message
        assert [(one.body, one.lease) for one in post.peek("orders")] == [("one", 90_000)]
        assert [one.message for one in post.peek("orders", status="waiting")] == [later]
        assert list(post.peek("orders", status="parked")) == []
        (message,) = post.acquire("orders").messages
        assert 80_000 < message.lease_end - time.time() * 1000 < 100_000
        assert post.release(message, priority=7).fate == "released"
        (message,) = post.acquire("orders").messages
        assert message.priority == 7
        with pytest.raises(Error) as held:
            post.delete(message)
        assert held.value.code == "wrong_state"
        assert post.park(message, error="who ordered this?", priority=0).fate == "parked"
        (parked,) = post.peek("orders", status="parked")
        assert (parked.message, parked.error, parked.priority) == (number, "who ordered this?", 0)
        # A parked one first; what waits for its date when none is parked.
        assert post.kick_queue("orders") == 1
        assert post.kick_queue("orders", count=1) == 1
        assert post.kick_queue("orders") == 0
        post.park(post.acquire_message(number).messages[0])
        post.kick(number, status="parked")
        with pytest.raises(Error) as due:
            post.kick(number)
        assert due.value.code == "wrong_state"
        post.delete(number)
        assert [one.message for one in post.browse("orders")] == [later]


def test_a_paused_queue_hands_out_nothing(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        post.send("orders", "one", priority=1)
        post.send("failed", "two")
        assert post.pause("orders", until=timedelta(hours=1), reason="inventory") == "changed"
        (queue,) = (one for one in post.queues() if one.queue == "orders")
        assert queue.paused and queue.pause_reason == "inventory"
        assert 3_500_000 < (queue.paused_until or 0) - time.time() * 1000 < 3_700_000
        assert post.acquire("orders").messages == []
        # Of several, and without turns.
        (message,) = post.acquire(queues="orders failed", count=5).messages
        assert message.body == "two"
        post.release(message)
        assert (post.resume("orders"), post.resume("orders")) == ("changed", "unchanged")
        assert [one.body for one in post.acquire(queues="failed orders", count=5).messages] == ["one", "two"]


def test_pages_of_messages_and_of_changes(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        connection.transaction(("SEND", {"table": "post", "queue": "orders", "body": str(i)}) for i in range(1000))
        connection.transaction(("SEND", {"table": "post", "queue": "orders", "body": str(i)}) for i in range(800))
        assert len({one.message for one in post.browse("orders", page=700)}) == 1800
        assert post.move("orders", "failed", count=1200) == 1200
        assert post.purge("failed") == 1200
        assert post.purge("orders", count=1) == 1
        assert {queue.queue: queue.messages for queue in post.queues()} == {"orders": 599, "failed": 0}


def test_exchanges_route_to_what_is_bound(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        assert post.declare_exchange("news", "topic") == "made"
        assert post.bind("news", "rome", "italy.rome.*", declare=True) == "made"
        assert post.bind("news", "all", "#", temporary=True) == "made"
        assert post.bind("news", "all", "#") == "unchanged"
        sent = post.publish("news", "italy.rome.weather", "rain")
        assert sent.queues == 2
        (message,) = post.acquire("rome").messages
        assert (message.exchange, message.routing_key, message.body) == ("news", "italy.rome.weather", "rain")
        assert message.origin
        assert [(one.exchange, one.kind, one.bindings) for one in post.exchanges()] == [("news", "topic", 2)]
        assert [one.routing_key for one in post.bindings(queue="all")] == ["#"]
        assert {one.queue: one.temporary for one in post.queues()}["all"] is True
        post.unbind("news", "all", "#")
        post.unbind("news", "rome", "italy.rome.*")
        unrouted = post.publish("news", "x", "fog")
        assert (unrouted.queues, unrouted.message) == (0, 0)
        with pytest.raises(Error) as refused:
            post.publish("news", "x", "fog", mandatory=True)
        assert refused.value.code == "not_found"
        post.remove_exchange("news")
        post.remove("rome")
        with pytest.raises(Error) as kept:
            post.remove("orders")
        assert kept.value.code == "wrong_state"


def test_messages_join_transactions_of_other_tables(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        post.send("orders", "one")
        (message,) = post.acquire("orders").messages
        lease = {"table": "post", "message": message.message, "epoch": message.epoch}
        both = [("ACCEPT", lease), ("INSERT", {"table": "jobs", "name": "cook"})]
        answers = connection.transaction(both)
        assert [answer.command for answer in answers] == ["ACCEPTED", "INSERTED"]
        with pytest.raises(Error) as refused:
            connection.transaction(reversed(both))
        assert (refused.value.code, refused.value.facts["op"]) == ("unknown_row", "2")


def test_a_send_counts_once_over_a_kill_of_the_daemon(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.local, pauses=SOON) as connection:
        post = connection.queues("post")
        for number in range(3):
            daemon.kill()
            daemon.start()
            assert post.send("orders", str(number)).result == "sent"
        again = [post.send("orders", "again", client="till-1", sequence=1).result for _ in range(2)]
        assert again == ["sent", "duplicate"]
        (message, *_) = post.acquire("orders", 10).messages
        daemon.kill()
        daemon.start()
        # Without a grace a restart has ended its lease.
        with pytest.raises(Error) as over:
            post.release(message)
        assert over.value.code in ("not_leased", "closed")
        assert connection.connects >= 4


def test_commands_of_queues_are_sent_again_by_their_rules() -> None:
    session = ready()
    accept = session.send("ACCEPT", {"table": "post", "message": 1, "epoch": 2})
    acquire = session.send("ACQUIRE", {"table": "post"})
    numbers: list[dict[str, Any]] = [{}, {"client": "c", "sequence": 1}]
    sends = [session.send("SEND", {"table": "post", "queue": "q"} | more) for more in numbers]
    move = session.send("MOVE", {"table": "post", "queue": "q", "to": "r"})
    session.output()
    session.lost(LOST)
    assert [call.finished for call in (accept, acquire, *sends, move)] == [False, False, True, False, True]
    session.opened()
    assert [message.command for message in sent_by(session)] == ["ACCEPT", "ACQUIRE", "SEND"]
    session.receive(frame("ERROR", code="unknown_row", message="gone", request=accept.number))
    assert accept.error is None and accept.messages[0].command == "ACCEPTED"


def test_messages_of_a_late_answer_are_released() -> None:
    session = ready()
    late = session.send("ACQUIRE", {"table": "post"})
    session.output()
    session.abandon(late)
    session.receive(frame("MESSAGE", table="post", message=7, epoch=8, body="x", request=late.number, left=0))
    ((command, params),) = sent_by(session)
    params.pop("request")
    assert (command, params) == ("RELEASE", {"table": "post", "message": 7, "epoch": 8})


def test_listeners_of_two_queues_are_two_subscriptions() -> None:
    session = ready()
    for queue in ("a", "b"):
        session.keep("LISTEN", {"table": "post", "queue": queue})
    session.forget("LISTEN", {"table": "post", "queue": "a"})
    session.lost(LOST)
    session.opened()
    assert [message.params["queue"] for message in sent_by(session)] == ["b"]


def test_messages_are_delivered_also_after_a_reconnect(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.local, pauses=SOON) as connection:
        post = connection.queues("post")
        post.listen("orders", credit=1)
        post.send("orders", "one")
        post.send("orders", "two")
        notice = next(post.notices(30))
        assert notice.kind == "delivered" and notice.message is not None and notice.message.body == "one"
        daemon.kill()
        daemon.start()
        # It has no grace: what was delivered is delivered again.
        again = next(post.notices(30)).message
        assert again is not None and (again.body, again.redelivered) == ("one", True)
        post.accept(again)
        other = next(post.notices(30)).message
        assert other is not None and other.body == "two"
        post.unlisten("orders")
        post.accept(other)


def test_a_waiting_message_is_told_to_modes_wake_and_row(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        sent = post.send("orders", "one")
        post.listen("orders", "wake")
        notice = next(post.notices(30))
        assert (notice.kind, notice.ready, notice.queue) == ("work", 1, "orders")
        post.listen("orders", "row")
        notice = next(post.notices(30))
        assert notice.kind == "due" and notice.message is not None and notice.message.message == sent.message


@pytest.mark.parametrize("kind", ["threads", "tasks"])
def test_a_return_accepts_an_exception_releases_and_give_up_rejects(daemon: Daemon, kind: str) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        post.declare("orders", dead_letters="failed")
        for body in ("good", "bad", "hopeless"):
            post.send("orders", body)
    seen: list[str] = []

    def work(message: QueueMessage) -> None:
        seen.append(message.text)
        if message.body == "bad" and message.deliveries == 0:
            raise ValueError("disk full")
        if message.body == "hopeless":
            raise GiveUp("no such address")

    async def work_async(message: QueueMessage) -> None:
        await asyncio.sleep(0)
        work(message)

    made = fastjournal.consumer("post", "orders", server=daemon.tcp, concurrency=2)(
        work if kind == "threads" else work_async
    )

    async def run() -> None:
        running = asyncio.create_task(made.run_async())
        async with await aio.connect(daemon.tcp) as connection:
            post = connection.queues("post")
            while (await post.stats())["accepted"] < 2 or (await post.stats())["dead"] < 1:
                assert not running.done(), await running
                await asyncio.sleep(0.005)
            # Also what comes later.
            await post.send("orders", "late")
            while (await post.stats())["accepted"] < 3:
                await asyncio.sleep(0.005)
            made.stop()
            await running
            (dead,) = [one async for one in post.browse("failed")]
            assert (dead.error, dead.dead_of) == ("no such address", "orders")
            assert (await post.stats())["attempts_failed"] == 2

    asyncio.run(asyncio.wait_for(run(), 30))
    assert sorted(seen) == ["bad", "bad", "good", "hopeless", "late"]


def test_a_consumer_renews_its_lease_and_notices_a_lost_one(daemon: Daemon) -> None:
    with fastjournal.connect(daemon.tcp) as connection:
        post = connection.queues("post")
        post.send("orders", "long")
        post.send("orders", "lost", priority=200)
    ends: list[str] = []

    @fastjournal.consumer("post", server=daemon.tcp, lease=0.3)
    def work(message: QueueMessage) -> None:
        with fastjournal.connect(daemon.tcp) as connection:
            other = connection.queues("post")
            if message.body == "long":
                while other.read(message).lease_end < message.lease_end + 200:
                    threading.Event().wait(0.01)
                ends.append("renewed")
                return
            other.release(message, process_date=2**47)
            for _ in range(1000):
                if message.lost:
                    ends.append("lost")
                    return
                threading.Event().wait(0.01)

    work.run(until_empty=True)
    for thread in threading.enumerate():
        if thread.name.startswith("post message"):
            thread.join(30)
    assert ends == ["renewed", "lost"]
    with fastjournal.connect(daemon.tcp) as connection:
        stats = connection.queues("post").stats()
        assert (stats["accepted"], stats["timed_out"], stats["rows"]) == (1, 0, 1)


def test_a_consumer_of_no_queue_is_told(daemon: Daemon) -> None:
    with pytest.raises(Error) as refused:
        fastjournal.consumer("post", "none", server=daemon.tcp)(lambda message: None).run(until_empty=True)
    assert refused.value.code == "not_found"


def test_the_calls_of_asyncio_are_the_same(daemon: Daemon) -> None:
    """Each of them once; names and parameters are those of the calls without asyncio."""

    def calls_of(kind: type) -> dict[str, Any]:
        return {
            name: list(inspect.signature(one).parameters)
            for name, one in vars(kind).items()
            if not name.startswith("_") and callable(one)
        }

    assert calls_of(aio.Queues) == calls_of(fastjournal.Queues)

    async def run() -> None:
        async with await aio.connect(daemon.tcp) as connection:
            post = connection.queues("post")
            assert await post.declare("q", max_messages=10, expires=timedelta(days=1)) == "made"
            assert await post.declare_exchange("e", "direct") == "made"
            assert await post.bind("e", "q", "k") == "made"
            await post.send("q", "one")
            assert (await post.publish("e", "k", b"two")).queues == 1
            one, two = (await post.acquire("q", 2)).messages
            assert await post.touch(one, timedelta(hours=2)) > one.lease_end
            assert (await post.release(one)).fate == "released"
            assert (await post.reject(two)).fate == "parked"
            assert [(each.message, each.status) async for each in post.browse("q")] == [
                (one.message, "due"),
                (two.message, "parked"),
            ]
            assert (await post.read(two.message, length=2)).body == b"tw"
            assert (await post.why(one))["state"] == "due"
            assert await post.move("q", "failed", status="parked") == 1
            await post.listen("q", "deliver", credit=2)
            async for notice in post.notices(30):
                assert notice.message is not None
                await post.accept(notice.message)
                break
            await post.unlisten("q")
            assert [one.expires async for one in post.queues() if one.queue == "q"] == [86_400_000]
            assert [one.kind async for one in post.exchanges()] == ["direct"]
            assert [one.binding async for one in post.bindings(exchange="e")]
            assert await post.purge("failed") == 1
            await post.unbind("e", "q", "k")
            await post.remove_exchange("e")
            await post.remove("q", if_empty=True)
            assert (await post.stats())["rows"] == 0

    asyncio.run(asyncio.wait_for(run(), 30))
