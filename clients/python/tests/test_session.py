"""The core without I/O: bytes in, messages out, also hostile ones; what is sent again after a loss; late answers."""

from __future__ import annotations

import os
import random
import struct
from typing import Any

import msgpack
import pytest

from fastjournal import Error, Options
from fastjournal.errors import failure
from fastjournal.options import place_of
from fastjournal.session import Session, State
from fastjournal.wire import Decoder, Encoder, Message


def frame(command: str, /, **params: Any) -> bytes:
    body = msgpack.packb({"command": command, "parameters": params}, unicode_errors="surrogateescape")
    return b"FJM\x01" + struct.pack(">I", len(body)) + body


def ready(**options: Any) -> Session:
    session = Session(Options(**options))
    session.opened()
    return session


def sent_by(session: Session) -> list[Message]:
    out = Decoder(1 << 20).feed(session.output())
    assert all(isinstance(one, Message) for one in out)
    return out  # type: ignore[return-value]


LOST = failure("closed", "lost")


def test_a_frame_is_as_the_protocol_describes_it() -> None:
    shown = bytes.fromhex(
        "464a4d010000002f82a7636f6d6d616e64a44e455854aa706172616d657465727382a57461626c65a57061676573a77265717565737405"
    )
    assert Encoder().frame("NEXT", {"table": "pages", "request": 5}) == shown


def test_messages_are_the_same_wherever_the_bytes_are_cut() -> None:
    data = frame("ROW", uri="x" * 300, payload=b"\x00\xff", row=2**63)
    data += b'\r\n INVALID code=invalid;message="a; \\"b\\"\\n"\r\n'
    data += b"FJ x=1\n" + frame("NOTHING")
    expected = [
        Message("ROW", {"uri": "x" * 300, "payload": b"\x00\xff", "row": 2**63}),
        Message("INVALID", {"code": "invalid", "message": 'a; "b"\n'}),
        Message("FJ", {"x": "1"}),
        Message("NOTHING", {}),
    ]
    assert Decoder(1000).feed(data) == expected
    decoder = Decoder(1000)
    assert [message for i in range(len(data)) for message in decoder.feed(data[i : i + 1])] == expected


def test_text_that_is_no_utf8_is_returned_as_it_came() -> None:
    decoded = Decoder(1000).feed(Encoder().frame("ROW", {"uri": "a\udcff"}))[0]
    assert isinstance(decoded, Message) and os.fsencode(decoded.params["uri"]) == b"a\xff"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xc1",
        b"\x90",
        b"\x80",
        msgpack.packb({"command": 1, "parameters": {}}),
        msgpack.packb(["a"]),
        msgpack.packb({"command": "A", "parameters": []}),
        msgpack.packb({"command": "A", "parameters": {"x": None}}),
        msgpack.packb({"command": "A", "parameters": {"x": {"y": 1}}}),
        b"\x81" * 5000,
        b"\x91" * 5000,
        b"\xdf\xff\xff\xff\xff",
        msgpack.packb({"command": "A", "parameters": {"x": msgpack.Timestamp(1)}}),
        b"\xdb\xff\xff\xff\xffa",
        msgpack.packb({"command": "A", "parameters": {b"x": 1}}),
        msgpack.packb({"command": "A", "parameters": {}}) + b"\x00",
        msgpack.packb({"command": "A", "parameters": {i: 1 for i in range(9)}}, strict_types=True),
    ],
)
def test_a_bad_frame_is_an_error_and_the_next_one_is_read(body: bytes) -> None:
    good = frame("NOTHING")
    out = Decoder(1 << 20).feed(b"FJM\x01" + struct.pack(">I", len(body)) + body + good)
    assert isinstance(out[0], Error) and out[0].code == "invalid"
    assert out[1:] == [Message("NOTHING", {})]


def test_too_large_messages_are_skipped_and_not_kept() -> None:
    decoder = Decoder(100)
    out = decoder.feed(b"FJM\x01" + struct.pack(">I", 1 << 30))
    for _ in range(1 << 10):
        out += decoder.feed(b"FJM\x01" * (1 << 18))
    assert [one.code for one in out if isinstance(one, Error)] == ["too_large"]
    assert len(decoder._rest) == 0
    assert decoder.feed(b"a" * 300) and not decoder.feed(b"a" * 300) and len(decoder._rest) == 0
    assert decoder.feed(b"\nNOTHING\n") == [Message("NOTHING", {})]


def test_random_bytes_never_raise_anything_but_errors() -> None:
    seed = int(os.environ.get("FJ_SEED", random.randrange(1 << 32)))
    print("seed", seed)
    chance = random.Random(seed)
    for _ in range(2000):
        session = ready()
        session.send("NEXT", {"table": "t"})
        session.send("DONE", {"table": "t"})
        data = bytearray(frame("ROW", request=1, left=1, row=1, epoch=2, uri="u"))
        data += frame("COMPLETED", request=2) + b"X a=1\n"
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            while data:
                cut = chance.randrange(1, len(data) + 1)
                session.receive(bytes(data[:cut]))
                del data[:cut]
        except Error:
            session.lost(LOST)


def test_a_bad_text_line_is_an_error() -> None:
    for line in (b"A b\n", b'A b="c\n', b'A b="c"d\n', b"A 1=2\n"):
        out = Decoder(1000).feed(line)
        assert isinstance(out[0], Error), line


def test_answers_without_a_command_or_for_another_one_change_nothing() -> None:
    session = ready()
    call = session.send("NEXT", {"table": "t"})
    session.receive(frame("ROW", request=77, left=0) + frame("ROW", request="1") + frame("ROW", request=b"1", left=0))
    session.receive(frame("ROW", request=-1) + frame("ROW", request=1.0) + frame("ROW", request=True, left=1))
    assert not call.finished and not call.messages
    session.receive(frame("NOTHING", request=1))
    assert call.finished and call.messages == [Message("NOTHING", {})]
    session.receive(frame("NOTHING", request=1))
    assert len(call.messages) == 1


def test_an_answer_of_several_messages_ends_with_left_0() -> None:
    session = ready()
    call = session.send("LIST", {"table": "t"})
    session.receive(frame("ROW", request=1, left=1, row=1))
    assert not call.finished
    session.receive(frame("ROW", request=1, left=0, row=2))
    assert call.finished and [one.params["row"] for one in call.messages] == [1, 2]


def test_a_refusal_has_code_message_and_facts() -> None:
    session = ready()
    call = session.send("DONE", {"table": "t"})
    session.receive(frame("ERROR", request=1, code="stale_epoch", message="m", command="DONE", holder="w1", epoch=7))
    assert call.error is not None and call.error.code == "stale_epoch" and call.error.message == "m"
    assert call.error.facts == {"command": "DONE", "holder": "w1", "epoch": 7}


def test_invalid_without_a_request_belongs_to_the_oldest_command_that_does_not_wait() -> None:
    session = ready()
    waits = session.send("NEXT", {"table": "t", "wait": 1000})
    first, second = session.send("PEEK", {"a": 1}), session.send("PEEK", {"a": 2})
    session.receive(b"INVALID code=too_large;message=no;\n")
    assert first.error is not None and first.error.code == "too_large"
    assert not waits.finished and not second.finished


def test_commands_of_blobs_and_pairs_are_sent_again_by_their_rules() -> None:
    session = ready()
    number = {"client": "c", "sequence": 1}
    again = [("PUT", number), ("SET", number), ("DELETE", number), ("GET", {}), ("ATTACH", {}), ("OMIT", {})]
    never = [("PUT", {}), ("SET", {}), ("MAINTAIN", {}), ("LOCK", {})]
    calls = [session.send(command, {"table": "t", **more}) for command, more in again + never]
    session.output()
    session.lost(LOST)
    assert [call.command for call in calls if call.finished] == [command for command, _ in never]
    session.opened()
    assert [message.command for message in sent_by(session)] == [command for command, _ in again]


def test_after_a_loss_only_what_may_be_sent_twice_is_sent_again_in_its_order() -> None:
    session = ready()
    calls = {
        name: session.send(*what)
        for name, what in {
            "next": ("NEXT", {"table": "t"}),
            "put": ("INSERT", {"table": "t"}),
            "numbered": ("INSERT", {"table": "t", "client": "c", "sequence": 1}),
            "kick": ("KICK", {"table": "t"}),
            "done": ("DONE", {"table": "t", "row": 3, "epoch": 4}),
            "unknown": ("FROBNICATE", {}),
        }.items()
    }
    session.output()
    session.lost(LOST)
    assert {name for name, call in calls.items() if call.finished} == {"put", "kick", "unknown"}
    assert all(call.error is not None and call.error.code == "closed" for call in calls.values() if call.finished)
    session.opened()
    assert [one.command for one in sent_by(session)] == ["NEXT", "INSERT", "DONE"]
    # The first DONE was carried out, only its answer was lost.
    session.receive(frame("ERROR", request=calls["done"].number, code="unknown_row", message="gone"))
    assert calls["done"].error is None and calls["done"].resent


def test_half_an_answer_before_a_loss_is_forgotten() -> None:
    session = ready()
    call = session.send("LIST", {"table": "t"})
    session.receive(frame("ROW", request=1, left=1, row=1))
    session.lost(LOST)
    session.opened()
    session.receive(frame("ROW", request=1, left=1, row=1) + frame("ROW", request=1, left=0, row=2))
    assert [one.params["row"] for one in call.messages] == [1, 2]


def test_subscriptions_go_first_after_a_loss_and_their_refusal_is_pushed() -> None:
    session = ready()
    session.keep("LISTEN", {"table": "t"})
    session.keep("LISTEN", {"table": "t", "mode": "row"})  # takes the place of the first
    session.keep("LISTEN", {"table": "t", "domain": "d"})
    session.forget("LISTEN", {"table": "t", "domain": "d"})
    session.send("NEXT", {"table": "t"})
    session.lost(LOST)
    session.opened()
    again = sent_by(session)
    assert [(one.command, one.params.get("mode")) for one in again] == [("LISTEN", "row"), ("NEXT", None)]
    session.receive(frame("ERROR", request=again[0].params["request"], code="unknown_table", message="m"))
    assert session.pushes[0].command == "ERROR"


def test_nothing_is_sent_before_the_token_is_accepted() -> None:
    session = Session(Options(token="fj_secret"))
    session.opened()
    assert [one.command for one in sent_by(session)] == ["AUTH"] and session.state is State.LOGIN
    session.receive(frame("AUTHENTICATED", request=1, user="u"))
    assert session.state is State.READY
    call = session.send("NEXT", {"table": "t"})
    session.lost(LOST)
    session.opened()
    assert [one.command for one in sent_by(session)] == ["AUTH"]
    with pytest.raises(Error, match="refuses the token"):
        session.receive(frame("ERROR", request=3, code="not_allowed", message="no"))
    assert not call.finished
    session.lost(Error("not_allowed", "no"))
    assert call.finished and session.for_good
    assert "fj_secret" not in repr(session.options)


def test_rows_of_a_late_answer_are_released() -> None:
    session = ready()
    call = session.send("NEXT", {"table": "t"})
    session.output()
    session.abandon(call)
    session.receive(
        frame("ROW", request=1, left=1, table="t", row=5, epoch=6)
        + frame("ROW", request=1, left=0, table="t", row=7, epoch=8)
    )
    given_back = sent_by(session)
    assert [(one.command, one.params["row"], one.params["epoch"]) for one in given_back] == [
        ("RELEASE", 5, 6),
        ("RELEASE", 7, 8),
    ]
    assert "error" not in given_back[0].params


@pytest.mark.parametrize("moment", ["before it is sent", "sent", "half answered", "answered", "answered, then lost"])
@pytest.mark.parametrize(
    ("command", "leased"),
    [
        ("NEXT", ("ROW", {"row": 5, "epoch": 6})),
        ("NEXT", ("DOCUMENT", {"document": 5, "token": "7"})),
        ("DONE", ("ROW", {"row": 5, "epoch": 6})),
        ("ACQUIRE", ("MESSAGE", {"message": 5, "epoch": 6})),
        ("FOUND", ("DOCUMENT", {"document": 5, "token": "7"})),
        ("CHILD", ("DOCUMENT", {"document": 5, "token": "7"})),
    ],
)
def test_what_is_leased_to_a_call_that_is_given_up_is_released(
    command: str, leased: tuple[str, dict[str, Any]], moment: str
) -> None:
    session = ready()
    call = session.send(command, {"table": "t"})
    name, lease = leased
    both = (frame(name, request=1, left=1, table="t", **lease), frame(name, request=1, left=0, table="t", **lease))
    arrived = {"half answered": 1, "answered": 2, "answered, then lost": 2}.get(moment, 0)
    if moment != "before it is sent":
        session.output()
    session.receive(b"".join(both[:arrived]))
    if moment == "answered, then lost":
        session.lost(LOST)
        session.opened()
    session.abandon(call)
    session.abandon(call)
    given_back = sent_by(session)[moment == "before it is sent" :]
    session.receive(b"".join(both[arrived:]))
    given_back += sent_by(session)
    for one in given_back:
        one.params.pop("request")
    assert given_back == [Message("RELEASE", {"table": "t", **lease})] * 2


def test_pushes_are_bounded_but_leased_rows_are_kept() -> None:
    session = ready(pushes_max=3)
    for _ in range(5):
        session.receive(frame("LISTEN", table="t", ready=1))
    assert len(session.pushes) == 3 and session.pushes_dropped == 2
    for _ in range(3):
        session.receive(frame("ROW", table="t", row=1, epoch=2))
    assert len(session.pushes) == 6
    with pytest.raises(Error):
        session.receive(frame("ROW", table="t", row=1, epoch=2))


def test_commands_in_flight_are_bounded() -> None:
    session = ready(in_flight_max=2)
    session.send("PEEK", {})
    session.send("PEEK", {})
    with pytest.raises(Error) as refused:
        session.send("PEEK", {})
    assert refused.value.code == "over_limit"


def test_values_that_no_message_can_carry_are_refused_here() -> None:
    session = ready()
    for value in (None, [1], {"a": 1}, 1 << 64, object(), "\ud800"):
        with pytest.raises(Error) as refused:
            session.send("INSERT", {"x": value})
        assert refused.value.code == "bad_parameter"
    with pytest.raises(Error) as refused:
        session.send("INSERT", {f"c{i}": 1 for i in range(256)})
    assert refused.value.code == "too_large"
    assert session.in_flight == 0 and session.output() == b""


def test_pauses_grow_vary_by_a_quarter_and_begin_anew_after_a_message() -> None:
    session = ready()
    for expected in (1, 1, 1, 3, 5, 10, 20, 30, 60, 60):
        assert 0.75 * expected <= session.next_pause() <= 1.25 * expected
    assert len({session.next_pause() for _ in range(10)}) > 1
    session.receive(frame("LISTEN", table="t"))
    assert session.next_pause() <= 1.25


def test_addresses() -> None:
    assert place_of("127.0.0.1:4050") == (False, "127.0.0.1", 4050, "")
    assert place_of("tls:[::1]:1") == (True, "::1", 1, "")
    assert place_of("unix:/a/b") == place_of("/a/b") == (False, "localhost", 0, "/a/b")
    assert place_of("tls:unix:/a").tls
    for bad in ("", "host", "host:", ":1", "a:b:1", "host:99999", "host:x", "unix:", "/" + "x" * 120, "h:1\u00b2"):
        with pytest.raises(Error) as refused:
            place_of(bad)
        assert refused.value.code == "bad_parameter"
