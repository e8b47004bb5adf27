"""Tables that live on several daemons: the rules without I/O, and both kinds of connections with scripted daemons."""

from __future__ import annotations

import asyncio
import math
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import fastjournal
from fastjournal import Error, Options, aio
from fastjournal.errors import failure
from fastjournal.lines import Line, Moved
from fastjournal.session import Call, Session
from fastjournal.wire import Decoder, Encoder, Message
from test_session import LOST, frame

MOVED = {"code": "moved", "table": "t", "message": "another decides", "node": "b"}
NOBODY = {"code": "unavailable", "message": "nobody decides"}


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Talk:
    """A session, its clock, and its lines by their addresses."""

    def __init__(self, server: str = "a:1", **options: Any) -> None:
        self.clock = Clock()
        self.session = Session(Options(server=server, **options), self.clock)
        self.session.opened()

    def open(self, address: str) -> Line:
        line = Line(address, 1 << 20)
        self.session.opened(line)
        return line

    def sent(self, line: Line | None = None) -> list[Message]:
        self.session.send_waiting()
        out = Decoder(1 << 20).feed(self.session.output(line))
        assert all(isinstance(one, Message) for one in out)
        return out  # type: ignore[return-value]

    def numbers(self, line: Line | None = None) -> list[int]:
        return [one.params["n"] for one in self.sent(line)]

    def put(self, n: int, table: str = "t", **more: Any) -> Call:
        return self.session.send("INSERT", {"table": table, "n": n, **more})

    def refuse(self, call: Call, line: Line | None = None, **facts: Any) -> None:
        self.session.receive(frame("ERROR", request=call.number, **facts), line)

    def moved(self, call: Call, address: str, token: int, line: Line | None = None) -> None:
        self.refuse(call, line, **MOVED, address=address, token=token)


def test_a_moved_table_is_followed_and_others_stay_at_home() -> None:
    talk = Talk()
    one, own = talk.put(1), talk.put(10, "own")
    assert talk.numbers() == [1, 10]
    talk.moved(one, "b:1", 7)
    assert talk.sent() == [] and talk.session.wanted == {"b:1"}
    b = talk.open("b:1")
    assert talk.numbers(b) == [1] and not one.resent
    talk.put(2), talk.put(11, "own")
    assert talk.numbers(b) == [2] and talk.numbers() == [11]
    talk.session.receive(frame("INSERTED", request=one.number, row=5), b)
    talk.session.receive(frame("INSERTED", request=own.number, row=6))
    assert one.finished and one.error is None and own.finished and talk.session.connects == 2


def test_the_commands_of_a_table_keep_their_order() -> None:
    talk = Talk()
    calls = [talk.put(n) for n in range(3)]
    assert talk.numbers() == [0, 1, 2]
    talk.moved(calls[0], "b:1", 7)
    talk.sent()
    b = talk.open("b:1")
    assert talk.numbers(b) == [0]
    talk.put(3)
    assert talk.numbers(b) == []
    talk.moved(calls[2], "b:1", 7)
    assert talk.numbers(b) == []
    talk.moved(calls[1], "b:1", 7)
    assert talk.numbers(b) == [1, 2, 3]


def test_nodes_that_point_at_each_other_are_asked_after_pauses() -> None:
    talk = Talk()
    call = talk.put(1)
    call.until = talk.clock.now + 1
    talk.sent()
    talk.moved(call, "b:1", 7)
    talk.sent()
    b = talk.open("b:1")
    asked = 0
    while not call.finished and asked < 100:
        for line, other in ((b, "a:1"), (None, "b:1")):
            if talk.sent(line):
                asked += 1
                talk.moved(call, other, 7, line)
        assert talk.session.look_at > talk.clock.now or talk.session.look_at < 0
        talk.clock.now = max(talk.clock.now, talk.session.look_at)
    assert call.error is not None and call.error.code == "moved" and 5 < asked < 20


def test_an_older_token_is_not_followed() -> None:
    talk = Talk()
    call = talk.put(1)
    talk.moved(call, "b:1", 7)
    talk.sent()
    b = talk.open("b:1")
    assert talk.numbers(b) == [1]
    talk.moved(call, "c:1", 6, b)
    assert talk.numbers(b) == [] and not talk.session.wanted
    talk.clock.now += 0.1
    assert talk.numbers(b) == [1]


def test_tokens_do_not_outlive_the_lines_by_which_they_were_told() -> None:
    talk = Talk()
    call = talk.put(1, client="c", sequence=1)
    talk.moved(call, "b:1", 7)
    talk.sent()
    b = talk.open("b:1")
    assert talk.numbers(b) == [1]
    talk.moved(call, "a:1", 8, b)
    assert talk.numbers() == [1]
    for line in (None, b):
        talk.session.lost(LOST, line)
    talk.session.opened()
    assert talk.numbers() == [1]
    talk.moved(call, "b:1", 3)
    talk.sent()
    assert talk.session.wanted == {"b:1"}


def test_what_nobody_decides_is_sent_again_after_the_pause() -> None:
    talk = Talk()
    first, second, whole = talk.put(1), talk.put(2), talk.session.send("TRANSACTION", {"commands": b"x"})
    talk.sent()
    talk.refuse(first, **NOBODY, retry=500)
    talk.refuse(second, **NOBODY, retry=1)
    talk.refuse(whole, **NOBODY, retry=1)
    talk.clock.now += 0.4
    assert [one.command for one in talk.sent()] == ["TRANSACTION"]
    assert talk.session.look_at == pytest.approx(100.5)
    talk.clock.now += 0.2
    assert talk.numbers() == [1, 2]
    talk.refuse(first, **NOBODY)
    assert first.error is not None and first.error.message == "nobody decides"
    talk.refuse(second, **NOBODY, retry=60_000)
    assert talk.session.timed_out(second).facts["retry"] == 60_000


def test_what_was_in_flight_on_a_lost_node_goes_on_through_home() -> None:
    talk = Talk()
    calls = [talk.put(1), talk.put(2, client="c", sequence=1)]
    for call in calls:
        talk.moved(call, "b:1", 7)
    talk.sent()
    b = talk.open("b:1")
    assert talk.numbers(b) == [1, 2]
    talk.session.output()
    talk.session.lost(LOST, b)
    assert calls[0].error is not None and calls[0].error.code == "closed" and "not known" in calls[0].error.message
    assert talk.numbers() == [2] and calls[1].resent and talk.session.connects == 3
    talk.moved(calls[1], "c:1", 8)
    talk.sent()
    assert talk.session.wanted == {"c:1"} and talk.numbers(talk.open("c:1")) == [2]


def test_a_node_that_cannot_be_reached_is_asked_for_at_home_again() -> None:
    talk = Talk()
    first, second = talk.put(1), talk.put(2)
    talk.sent()
    talk.moved(first, "b:1", 7), talk.moved(second, "b:1", 7)
    talk.sent()
    talk.session.unreachable("b:1", failure("unavailable", "no b"), took=0.5)
    talk.clock.now += 0.4
    assert talk.numbers() == []
    talk.clock.now += 0.2
    assert talk.numbers() == [1, 2]
    talk.moved(first, "b:1", 7)
    talk.sent()
    talk.session.unreachable("b:1", Error("not_allowed", "no token"))
    assert first.error is not None and first.error.code == "not_allowed"


def test_after_a_missing_answer_home_is_asked() -> None:
    talk = Talk()
    call = talk.put(1)
    talk.moved(call, "b:1", 7)
    talk.sent()
    b = talk.open("b:1")
    talk.sent(b)
    assert "b:1" in talk.session.timed_out(call).message
    talk.put(2)
    assert talk.numbers() == [2]


def test_listeners_move_with_their_tables() -> None:
    talk = Talk()
    talk.session.keep("LISTEN", {"table": "own"})
    talk.session.keep("LISTEN", {"table": "t", "mode": "wake"})
    talk.session.receive(frame("UNLISTENED", **MOVED, address="b:1", token=7))
    talk.sent()
    assert talk.session.wanted == {"b:1"} and not talk.session.pushes
    b = talk.open("b:1")
    (listen,) = talk.sent(b)
    assert (listen.command, listen.params["mode"]) == ("LISTEN", "wake")
    talk.session.receive(frame("ERROR", request=listen.params["request"], **NOBODY, retry=50), b)
    assert talk.sent(b) == []
    talk.clock.now += 0.1
    (listen,) = talk.sent(b)
    talk.session.receive(frame("LISTENING", request=listen.params["request"], table="t"), b)
    talk.session.lost(LOST, b)
    assert [one.command for one in talk.sent()] == ["LISTEN"]
    talk.session.receive(frame("UNLISTENED", table="t", code="over_limit", message="m"))
    assert len(talk.session.pushes) == 1


def test_a_move_right_behind_the_answer_is_followed() -> None:
    talk = Talk()
    talk.session.receive(frame("UNLISTENED", **MOVED, address="b:1", token=7))
    assert len(talk.session.pushes) == 1
    talk.session.keep("LISTEN", {"table": "t"})
    assert not talk.session.pushes
    talk.sent()
    assert [one.command for one in talk.sent(talk.open("b:1"))] == ["LISTEN"]


def test_a_transaction_stays_at_home_and_hears_of_moved_tables() -> None:
    talk = Talk()
    call = talk.session.send("TRANSACTION", {"commands": b"x"})
    talk.moved(call, "b:1", 7)
    assert call.error is not None and call.error.code == "moved" and call.error.facts["address"] == "b:1"


def test_the_next_server_is_tried_at_once_and_a_pause_is_made_after_all() -> None:
    session = Session(Options(server="a:1, b:1,c:1", pauses=(10.0,)))
    session.opened()
    assert session.home.address == "a:1"
    session.lost(LOST)
    assert session.next_pause() == 0 and session.home.address == "b:1"
    assert session.attempt_failed(failure("not_allowed", "no")) == 0 and not session.for_good
    assert session.attempt_failed(failure("unavailable", "no")) > 7 and session.home.address == "a:1"
    assert session.for_good and session.last_error.code == "not_allowed"


def test_a_node_is_dialed_as_the_daemon_that_named_it() -> None:
    assert Moved.of({"address": "b:1"}, "a:1").address == "b:1"
    assert Moved.of({"address": "b:1"}, "tls:a:1").address == "tls:b:1"
    assert Moved.of({"address": "unix:/b"}, "tls:a:1").address == "unix:/b"
    assert Moved.of({}, "tls:a:1").address == ""
    # Daemons tell it as text.
    assert Moved.of({"token": "7"}, "a:1").token == Moved.of({"token": 7}, "a:1").token == 7
    assert Moved.of({}, "a:1").token is None


def silence_of(talk: Talk, line: Line | None = None) -> str:
    line = line or talk.session.home
    assert talk.session.is_quiet(line)
    why = talk.session.silence(line)
    # The next look has its time.
    assert why or not talk.session.is_quiet(line)
    return why.message if why else ""


def test_a_node_that_owes_an_answer_and_says_nothing_is_given_up() -> None:
    talk = Talk("a:1,b:1")
    home = talk.session.home
    assert not talk.session.is_quiet(home)
    talk.clock.now += 10
    # It owes nothing, and what is sent later has its own time.
    assert silence_of(talk) == ""
    first, second = talk.put(1), talk.put(2)
    talk.clock.now += 1.9
    talk.sent()
    talk.clock.now += 1.9
    assert not talk.session.is_quiet(home)
    talk.session.receive(frame("INSERTED", request=first.number, row=1))
    talk.clock.now += 1.9
    assert not talk.session.is_quiet(home) and not second.finished
    talk.clock.now += 0.2
    assert silence_of(talk) == "it has said nothing for 2 s" and talk.session.connect_limit("a:1") == 0.2
    talk.put(3)
    talk.sent()
    talk.session.lost(LOST)
    talk.session.opened()
    talk.put(4)
    talk.clock.now += 1.9
    talk.sent()
    talk.clock.now += 1.9
    assert not talk.session.is_quiet(home)


def test_silence_matters_where_there_are_other_nodes() -> None:
    talk = Talk()
    call = talk.put(1)
    talk.sent()
    assert talk.session.quiet_until(talk.session.home) == math.inf
    talk.moved(call, "b:1", 7)
    talk.sent()
    b = talk.open("b:1")
    talk.sent(b)
    assert talk.session.quiet_until(talk.session.home) == talk.session.quiet_until(b) == talk.clock.now + 2
    talk.session.options.silence_limit = None
    assert talk.session.quiet_until(b) == math.inf


def test_a_command_that_waits_has_its_time_first() -> None:
    talk = Talk("a:1,b:1")
    call = talk.session.send("NEXT", {"table": "t", "wait": 10_000})
    talk.sent()
    for seconds in (2, 10, 1.9):
        talk.clock.now += seconds
        if talk.session.is_quiet(talk.session.home):
            assert silence_of(talk) == ""
    # What is sent meanwhile has its own time.
    talk.put(1)
    talk.sent()
    talk.clock.now += 1.9
    assert not talk.session.is_quiet(talk.session.home)
    # Sent again, it has it again, also if nobody waits for it any more.
    talk.session.lost(LOST)
    talk.session.opened()
    talk.sent()
    talk.session.abandon(call)
    for seconds in (2, 11.9):
        talk.clock.now += seconds
        assert silence_of(talk) == ""
    talk.clock.now += 2
    assert "said nothing" in silence_of(talk)


def test_a_line_that_is_listened_to_is_asked() -> None:
    talk = Talk("a:1,b:1")
    talk.session.keep("LISTEN", {"table": "t"})
    for _ in range(2):
        talk.clock.now += 2
        assert silence_of(talk) == ""
        (alive,) = talk.sent()
        assert alive.command == "ALIVE"
        talk.session.receive(frame("ABSOLUTELY", request=alive.params["request"]))
    talk.clock.now += 2
    assert silence_of(talk) == "" and len(talk.sent()) == 1
    talk.clock.now += 2
    assert "said nothing" in silence_of(talk)


def test_a_node_is_doubted_for_some_seconds_or_until_it_connects() -> None:
    talk = Talk("a:1,b:1", connect_limit=3.0, silence_limit=1.0)
    session = talk.session
    assert session.connect_limit("b:1") == 1
    session.doubt_node("b:1"), session.doubt_node("c:1")
    assert [session.connect_limit(one) for one in ("a:1", "b:1", "c:1")] == [1, 0.2, 0.2]
    talk.open("b:1")
    assert [session.connect_limit(one) for one in ("b:1", "c:1")] == [1, 0.2]
    talk.clock.now += 5
    assert session.connect_limit("c:1") == 1
    session.doubt_node("d:1")
    assert list(session._doubted) == ["d:1"]
    session.options.silence_limit = None
    assert session.connect_limit("d:1") == 3
    assert Talk(connect_limit=3.0, silence_limit=1.0).session.connect_limit("a:1") == 3


# --- with sockets

Answer = Callable[[Message], "list[Message] | None"]


class Scripted:
    """A daemon whose answers a function makes; None ends the connection."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.seen: list[Message] = []
        self._kept: list[socket.socket] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def close(self) -> None:
        for one in (self._server, *self._kept):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                made = self._server.accept()[0]
            except OSError:
                return
            self._kept.append(made)
            self._threads.append(threading.Thread(target=self._talk, args=(made,)))
            self._threads[-1].start()

    def _talk(self, made: socket.socket) -> None:
        decoder, encoder = Decoder(1 << 20), Encoder()
        try:
            while data := made.recv(65536):
                for message in decoder.feed(data):
                    assert isinstance(message, Message)
                    self.seen.append(message)
                    answers = self.answer(message)
                    if answers is None:
                        made.shutdown(socket.SHUT_RDWR)
                        return
                    for one in answers:
                        params = dict(one.params)
                        if not params.pop("push", 0):
                            params["request"] = message.params["request"]
                        made.sendall(encoder.frame(one.command, params))
        except OSError:
            return


@pytest.fixture
def scripted() -> Iterator[Callable[[Answer], Scripted]]:
    made: list[Scripted] = []

    def make(answer: Answer) -> Scripted:
        made.append(Scripted(answer))
        return made[-1]

    yield make
    for one in made:
        one.close()


def inserted(message: Message) -> list[Message]:
    return [Message("INSERTED", {"row": message.params.get("n", 0), "result": "inserted"})]


def play(kind: str, server: str, script: Callable[[Any, Callable[[Any], Any]], Any], **options: Any) -> None:
    """Runs a script with a connection of this kind; its second parameter waits for what asyncio has to be waited for."""

    async def with_asyncio() -> None:
        async with await aio.connect(server, **options) as connection:
            loop = asyncio.get_running_loop()

            def wait(made: Any) -> Any:
                return asyncio.run_coroutine_threadsafe(made, loop).result(20)

            await asyncio.to_thread(script, connection, wait)

    if kind == "aio":
        asyncio.run(with_asyncio())
        return
    with fastjournal.connect(server, **options) as connection:
        script(connection, lambda made: made)


KINDS = pytest.mark.parametrize("kind", ["sync", "aio"])


@KINDS
def test_put_many_follows_a_table_over_the_loss_of_a_node(kind: str, scripted: Callable[[Answer], Scripted]) -> None:
    node_seen = 0

    def on_node(message: Message) -> list[Message] | None:
        nonlocal node_seen
        node_seen += 1
        return None if node_seen >= 500 else inserted(message)

    last = scripted(inserted)
    node = scripted(on_node)

    def at_home(message: Message) -> list[Message]:
        to = node if node_seen < 500 else last
        token = 7 if to is node else 8
        return [Message("ERROR", {**MOVED, "table": "t", "address": to.address, "token": token})]

    home = scripted(at_home)
    rows = [{"n": n} for n in range(2000)]
    told: list[Error | None] = []

    def script(connection: Any, wait: Callable[[Any], Any]) -> None:
        counts = wait(connection.journal("t").put_many(rows))
        assert counts.inserted == 2000 and connection.connects >= 4

    play(kind, home.address, script, pauses=(0.01,), on_connection=told.append)
    assert [one.params["n"] for one in last.seen] == list(range(499, 2000))
    assert any(isinstance(one, Error) and node.address in one.message for one in told) and told[-1] is None


@KINDS
def test_listeners_of_two_daemons_are_heard_by_one_wait(kind: str, scripted: Callable[[Answer], Scripted]) -> None:
    def listening(message: Message) -> list[Message]:
        assert message.command == "LISTEN"
        return [
            Message("LISTENING", {"table": message.params["table"]}),
            Message("LISTEN", {"table": message.params["table"], "ready": 1, "push": 1}),
        ]

    node = scripted(listening)

    def at_home(message: Message) -> list[Message]:
        if message.params["table"] == "own":
            return listening(message)
        facts = {**MOVED, "address": node.address, "token": 7}
        return [Message("LISTENING", {"table": "t"}), Message("UNLISTENED", {**facts, "push": 1})]

    home = scripted(at_home)

    def script(connection: Any, wait: Callable[[Any], Any]) -> None:
        wait(connection.listen("t"))
        wait(connection.listen("own"))
        pushes = [wait(connection.wait_push(20)) for _ in range(2)]
        assert {push.params["table"] for push in pushes} == {"t", "own"}
        assert all(push.command == "LISTEN" for push in pushes)

    play(kind, home.address, script)


@KINDS
def test_nodes_are_named_and_time_limits_hold(kind: str, scripted: Callable[[Answer], Scripted]) -> None:
    def at_home(message: Message) -> list[Message]:
        if message.params["table"] == "none":
            return [Message("ERROR", {**MOVED, "address": "/nowhere/at/all.sock", "token": 7})]
        if message.params["table"] == "nobody":
            return [Message("ERROR", {**NOBODY, "retry": 20})]
        return [Message("ERROR", {**MOVED, "address": node.address, "token": 7})]

    node = scripted(lambda message: [Message("STATS", {})])
    home = scripted(at_home)

    def script(connection: Any, wait: Callable[[Any], Any]) -> None:
        assert wait(connection.owner_of("t")) == node.address
        for table, words in (("none", "/nowhere/at/all.sock"), ("nobody", "nobody decides")):
            with pytest.raises(fastjournal.Disconnected) as refused:
                wait(connection.call("INSERT", table=table))
            assert refused.value.code == "unavailable" and words in refused.value.message
        assert wait(connection.call("PEEK", table="t")).first.command == "STATS"

    play(kind, home.address, script, time_limit=0.3)
    assert len(home.seen) < 60


@KINDS
def test_any_of_the_servers_is_home(kind: str, scripted: Callable[[Answer], Scripted]) -> None:
    first = scripted(lambda message: None)
    second = scripted(inserted)

    def script(connection: Any, wait: Callable[[Any], Any]) -> None:
        put = connection.request("INSERT", {"table": "t", "n": 3, "client": "c", "sequence": 1})
        reply = wait(put)
        assert reply.first.params["row"] == 3 and reply.resent

    # No pause ends within the test.
    play(kind, f"/nowhere/1.sock,{first.address},/nowhere/2.sock,{second.address}", script, pauses=(3600.0,))
    with pytest.raises(fastjournal.Disconnected) as refused:
        play(kind, "/nowhere/1.sock,/nowhere/2.sock", script)
    assert "/nowhere/1.sock" in refused.value.message and "/nowhere/2.sock" in refused.value.message
    with pytest.raises(Error) as bad:
        play(kind, f"{second.address},b", script)
    assert bad.value.code == "bad_parameter"


@KINDS
def test_without_pauses_the_loss_of_a_node_is_the_loss_of_all(
    kind: str, scripted: Callable[[Answer], Scripted]
) -> None:
    node = scripted(lambda message: None)
    home = scripted(lambda message: [Message("ERROR", {**MOVED, "address": node.address, "token": 7})])

    def script(connection: Any, wait: Callable[[Any], Any]) -> None:
        for _ in range(2):
            with pytest.raises(fastjournal.Disconnected) as lost:
                wait(connection.call("PEEK", table="t"))
            assert lost.value.code == "closed"

    play(kind, home.address, script, pauses=())


def nothing(message: Message) -> list[Message]:
    return []


@pytest.fixture
def deaf() -> Iterator[str]:
    """Nobody can connect to it, and nobody is refused: as a computer without power, to which a network still leads."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        # These are all that it takes.
        filling = [socket.socket() for _ in range(3)]
        for one in filling:
            one.setblocking(False)
            one.connect_ex(listening.getsockname())
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        for one in filling:
            one.close()


@KINDS
def test_what_a_silent_node_owes_goes_on_at_another_one(kind: str, scripted: Callable[[Answer], Scripted]) -> None:
    silent, other = scripted(nothing), scripted(inserted)
    told: list[Error | None] = []

    def script(connection: Any, wait: Callable[[Any], Any]) -> None:
        numbered = wait(connection.send("INSERT", {"table": "t", "n": 1, "client": "c", "sequence": 1}))
        plain = wait(connection.send("INSERT", {"table": "t", "n": 2}))
        assert wait(connection.receive(numbered)).resent
        with pytest.raises(fastjournal.Disconnected, match="said nothing for 0.2 s; whether INSERT") as lost:
            wait(connection.receive(plain))
        assert lost.value.code == "closed"

    # No pause ends within the test.
    options = {"silence_limit": 0.2, "pauses": (3600.0,), "on_connection": told.append}
    play(kind, f"{silent.address},{other.address}", script, **options)
    assert [one.params["n"] for one in other.seen] == [1]
    assert isinstance(told[0], Error) and silent.address in told[0].message and told[-1] is None


@KINDS
def test_a_silent_node_that_was_followed_is_left_for_home(kind: str, scripted: Callable[[Answer], Scripted]) -> None:
    silent = scripted(nothing)

    def at_home(message: Message) -> list[Message]:
        if silent.seen:
            return inserted(message)
        return [Message("ERROR", {**MOVED, "address": silent.address, "token": 7})]

    home = scripted(at_home)

    def script(connection: Any, wait: Callable[[Any], Any]) -> None:
        assert wait(connection.call("INSERT", table="t", n=1, client="c", sequence=1)).resent
        # A line that rests is no silent one.
        assert wait(connection.call("INSERT", table="own", n=2)).first.params["row"] == 2

    play(kind, home.address, script, silence_limit=0.2)


@KINDS
def test_a_listener_asks_a_silent_node_and_goes_to_another_one(
    kind: str, scripted: Callable[[Answer], Scripted]
) -> None:
    def listening(message: Message) -> list[Message]:
        return [Message("LISTENING", {"table": "t"})]

    def on_first(message: Message) -> list[Message]:
        if message.command == "LISTEN":
            return listening(message)
        # It is well for a while.
        return [Message("ABSOLUTELY", {})] if len(first.seen) == 2 else []

    def on_other(message: Message) -> list[Message]:
        return [*listening(message), Message("LISTEN", {"table": "t", "ready": 1, "push": 1})]

    first, other = scripted(on_first), scripted(on_other)

    def script(connection: Any, wait: Callable[[Any], Any]) -> None:
        wait(connection.listen("t"))
        assert wait(connection.wait_push(20)).params["ready"] == 1

    play(kind, f"{first.address},{other.address}", script, silence_limit=0.2)
    assert [one.command for one in first.seen] == ["LISTEN", "ALIVE", "ALIVE"]


@KINDS
def test_slow_answers_are_waited_for(kind: str, scripted: Callable[[Answer], Scripted]) -> None:
    slow, other = scripted(nothing), scripted(nothing)

    def script(connection: Any, wait: Callable[[Any], Any]) -> None:
        with pytest.raises(fastjournal.TimedOut, match=slow.address):
            wait(connection.call("NEXT", table="t", wait=300))

    # It was to wait for so long; and with one address there is nobody else to ask.
    play(kind, f"{slow.address},{other.address}", script, time_limit=0.1, silence_limit=0.2)
    play(kind, slow.address, script, time_limit=0.1, silence_limit=0.05)
    assert not other.seen


@KINDS
def test_a_node_that_does_not_accept_keeps_nobody_from_others(
    kind: str, deaf: str, scripted: Callable[[Answer], Scripted]
) -> None:
    def at_home(message: Message) -> list[Message]:
        if len(home.seen) > 1:
            return inserted(message)
        return [Message("ERROR", {**MOVED, "address": deaf, "token": 7})]

    home = scripted(at_home)
    started = time.monotonic()

    def script(connection: Any, wait: Callable[[Any], Any]) -> None:
        assert wait(connection.call("INSERT", table="t", n=1)).first.params["row"] == 1
        assert [connection._session.connect_limit(one) for one in (deaf, home.address)] == [0.2, 0.3]

    for server in (f"{deaf},{home.address}", home.address):
        home.seen.clear()
        play(kind, server, script, connect_limit=20, silence_limit=0.3)
    assert time.monotonic() - started < 15


def test_what_arrived_between_calls_is_no_silence(scripted: Callable[[Answer], Scripted]) -> None:
    home = scripted(inserted)
    with fastjournal.connect(f"{home.address},127.0.0.1:1") as connection:
        call = connection.send("INSERT", {"table": "t", "n": 1})
        connection._write_all()
        assert connection._home and select.select([connection._home.socket], [], [], 20)[0]
        started = time.monotonic()
        connection._session._clock = lambda: time.monotonic() + 60
        assert connection.receive(call).first.params["row"] == 1
        assert connection.connects == 1 and time.monotonic() - started < 15


@KINDS
def test_a_node_that_rested_is_no_silent_one(kind: str, scripted: Callable[[Answer], Scripted]) -> None:
    is_asked, may_answer = threading.Event(), threading.Event()

    def on_node(message: Message) -> list[Message]:
        if message.command == "LISTEN":
            return [Message("LISTENING", {"table": "t"})]
        if message.command == "ALIVE":
            is_asked.set()
            return [Message("ABSOLUTELY", {})]
        assert may_answer.wait(20)
        return inserted(message)

    async def look(connection: Any) -> None:
        connection._give_up_silent()

    async def send_and_look(connection: Any, params: dict[str, Any]) -> Call:
        call = await connection.send("INSERT", params)
        connection._give_up_silent()
        return call

    def look_sync(connection: Any) -> None:
        connection._give_up_silent()
        connection._write_all()

    def send_and_look_sync(connection: Any, params: dict[str, Any]) -> Call:
        call = connection.send("INSERT", params)
        connection._write_all()
        connection._give_up_silent()
        return call

    def script(connection: Any, wait: Callable[[Any], Any]) -> None:
        is_sync = kind == "sync"
        connection._session._clock = lambda: time.monotonic() + 3601
        call = wait((send_and_look_sync if is_sync else send_and_look)(connection, {"table": "t", "n": 1}))
        may_answer.set()
        assert wait(connection.receive(call)).first.params["row"] == 1
        wait(connection.listen("t"))
        connection._session._clock = lambda: time.monotonic() + 7202
        wait((look_sync if is_sync else look)(connection))
        assert is_asked.wait(20)
        assert wait(connection.call("ALIVE")).first.command == "ABSOLUTELY" and connection.connects == 1

    # No other look comes within the test.
    play(kind, f"{scripted(on_node).address},127.0.0.1:1", script, silence_limit=3600)
