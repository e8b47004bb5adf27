"""The state of a client across its connections: commands in flight, what is sent again after a loss, subscriptions, and
messages that no command asked for. Without I/O and clocks: `fastjournal.connection` and `fastjournal.aio` bring bytes
in and take bytes out. The rules are those of the C++ library (clients/lib).
"""

from __future__ import annotations

import enum
import random
import secrets
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .errors import Error, failure
from .options import Options
from .wire import Decoder, Encoder, Message, whole

# Of one answer; a daemon has at most 20,000 tables.
ANSWER_MESSAGES_MAX = 1 << 20
_WAIT_MS_MAX = 86_400_000


def drawn_name() -> str:
    """A client name that nobody else has: "client-" and 128 random bits."""
    return "client-" + secrets.token_hex(16)


class Rule(NamedTuple):
    """Knowledge about a command: whether it may be sent again after a loss, and more."""

    resend: str = "never"  # "always", or "numbered": if it has client and sequence
    wait: str = ""  # the parameter by which the daemon waits; such an answer may overtake others
    done_before: str = ""  # the answer to assume if a command that was sent again finds the row gone
    gives_back: bool = False  # what an answer that comes too late leases is released


_ALWAYS = Rule(resend="always")
RULES: dict[str, Rule] = {
    "INSERT": Rule(resend="numbered"),
    # A lease of a lost answer ends after the table's grace, whether or not the command is sent again.
    "NEXT": Rule(resend="always", wait="wait", gives_back=True),
    "DONE": Rule(resend="always", done_before="COMPLETED"),
    "SEND": Rule(resend="numbered"),
    "ACQUIRE": Rule(resend="always", wait="wait", gives_back=True),
    "ACCEPT": Rule(resend="always", done_before="ACCEPTED"),
    "FOUND": Rule(resend="always", gives_back=True),
} | dict.fromkeys(
    "TOUCH PEEK LIST WHY TIMELINE DOMAINS ALERTS ALIVE FETCH HELP LISTEN STATS STATUS TABLES UNLISTEN UNWATCH WAITERS "
    "WATCH BROWSE READ DECLARE REMOVE BIND UNBIND PURGE QUEUES EXCHANGES BINDINGS "
    # Said again, these are answered as before.
    "SENDING SENT ROUTED CHILDREN_DONE HEARTBEAT RETRY FORCE DROP RESOLVE FORGET MIGRATE DOCUMENTS DESTINATIONS "
    "HISTORY PLANS STEPS".split(),
    _ALWAYS,
)
# The messages that lease something, in an answer or by themselves, each with what is only there if it does; and what
# names the lease.
_LEASING = {"ROW": "epoch", "MESSAGE": "epoch", "DOCUMENT": "token"}
_OF_LEASE = ("table", "row", "message", "document", "epoch", "token")
_UNKNOWN_RULE = Rule()
_REFUSALS = frozenset({"ERROR", "UNKNOWN", "INVALID"})


class Role(enum.Enum):
    CALLER = 1
    NOBODY = 2  # given up: the answer is dropped
    SUBSCRIPTION = 3  # after a reconnect: only a refusal matters
    LOGIN = 4


class State(enum.Enum):
    CLOSED = 1
    LOGIN = 2  # AUTH was sent, and nothing else
    READY = 3


class Call:
    """A command in flight. When `finished`, it has either `messages` or an `error`."""

    # Set where they differ: a producer of many rows has no time for a dozen members of each.
    role = Role.CALLER
    wait_ms = 0
    until = 0.0  # for who waits; the session does not look at it
    error: Error | None = None
    finished = False
    resent = False
    on_finish: Callable[[], None] | None = None

    def __init__(self, number: int, command: str, rule: Rule, again: bytes) -> None:
        self.number = number
        self.command = command
        self.rule = rule
        self.bytes = again  # as sent; empty if it may not be sent again
        self.messages: list[Message] = []

    def finish(self, error: Error | None = None) -> None:
        if self.finished:
            return
        self.error = self.error or error
        self.finished = True
        if self.on_finish is not None:
            self.on_finish()


class Reply(NamedTuple):
    """An answer: one message or, for NEXT, LIST, STATS and others, several; never none."""

    messages: list[Message]
    resent: bool  # the command was sent again after a loss

    @property
    def first(self) -> Message:
        return self.messages[0]


class Session:
    """One client. `send`, then take `output()` to the daemon; bring its bytes to `receive`."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.state = State.CLOSED
        self.connects = 0
        self.client = drawn_name()
        self.sequence = 0  # the last number of a put or a send, of whatever table
        self.pushes: deque[Message] = deque()
        self.pushes_dropped = 0
        self.output_bytes = 0
        self.last_error: Error = failure("unavailable", f"there is no connection to {options.server}")
        self.for_good = False  # another attempt would end in the same way
        self._encoder = Encoder()
        self._decoder = Decoder(options.message_bytes_max)
        self._output: list[bytes] = []
        self._calls: dict[int, Call] = {}  # in the order of sending
        self._subscriptions: dict[tuple[str, ...], tuple[str, dict[str, Any]]] = {}
        self._number = 0
        self._attempts = 0  # since the last message from the daemon
        self._login: Call | None = None

    # --- for who brings bytes ---

    def opened(self) -> None:
        """A connection was made; what goes first is in `output()`."""
        self._decoder = Decoder(self.options.message_bytes_max)
        self._drop_output()
        self.for_good = False
        if not self.options.token:
            self._ready()
            return
        self.state = State.LOGIN
        self._login = self._start("AUTH", {"token": self.options.token}, Role.LOGIN)

    def lost(self, error: Error) -> None:
        """The connection ended, or could not be made. A not_allowed is final: no attempt follows by itself."""
        self.for_good = not self.options.pauses or error.code == "not_allowed"
        was_ready = self.state is State.READY
        self.state = State.CLOSED
        self.last_error = error
        self._drop_output()
        for call in list(self._calls.values()):
            if call.role is not Role.CALLER:
                del self._calls[call.number]
            elif self.for_good:
                self._finish(call, error)
            elif was_ready and not call.bytes:
                what = f"{error.message}; whether {call.command} was carried out is not known"
                self._finish(call, failure("closed", what))

    def receive(self, data: bytes) -> None:
        """Bytes from the daemon. Raises Error if the connection must be ended."""
        for message in self._decoder.feed(data):
            if message.__class__ is Message:
                self._take(message)  # type: ignore[arg-type]
            else:
                self._settle_oldest(message)  # type: ignore[arg-type]

    def output(self) -> bytes:
        """What is to be sent, joined; it is then no longer here."""
        if not self._output:
            return b""
        out = b"".join(self._output)
        self._drop_output()
        return out

    def next_pause(self) -> float:
        """Seconds before the next attempt to connect."""
        pauses = self.options.pauses
        pause = pauses[min(self._attempts, len(pauses) - 1)]
        self._attempts += 1
        return pause * random.uniform(0.75, 1.25)

    # --- for callers ---

    @property
    def is_ready(self) -> bool:
        return self.state is State.READY

    @property
    def in_flight(self) -> int:
        return len(self._calls)

    @property
    def is_needed(self) -> bool:
        """Somebody waits for answers or notices."""
        return bool(self._calls or self._subscriptions)

    def send(self, command: str, params: dict[str, Any]) -> Call:
        """Puts a command in flight; only while READY. `params` becomes the session's: a `request` is added.

        Raises Error: over_limit (in_flight_max), too_large, bad_parameter.
        """
        if len(self._calls) >= self.options.in_flight_max:
            raise Error("over_limit", f"{len(self._calls)} commands are in flight: receive some first")
        if command in ("BEGIN", "XA_START"):
            # After a loss the commands behind it would be sent again, alone.
            raise Error("not_supported", f"{command}: a connection is for many; use transaction()")
        return self._start(command, params, Role.CALLER)

    def frames(self, commands: Iterable[tuple[str, dict[str, Any]]]) -> bytes:
        """Several commands in one value, as a TRANSACTION has them. Raises Error: too_large, bad_parameter."""
        return b"".join(self._encoder.frame(command, params) for command, params in commands)

    def abandon(self, call: Call) -> None:
        """Nobody waits any more. What a late answer leases is released."""
        if call.number in self._calls:
            call.role = Role.NOBODY
            call.on_finish = None
            if self.state is not State.READY:
                del self._calls[call.number]

    def keep(self, command: str, params: dict[str, Any]) -> None:
        """LISTEN or WATCH, to be sent again after every reconnect."""
        self._subscriptions[_subscription_key(command, params)] = (command, dict(params))

    def forget(self, command: str, params: dict[str, Any]) -> None:
        self._subscriptions.pop(_subscription_key(command, params), None)

    def close(self, error: Error) -> None:
        """Ends everything in flight with `error`."""
        self.state = State.CLOSED
        self._subscriptions.clear()
        self._drop_output()
        for call in list(self._calls.values()):
            self._finish(call, error)

    def timed_out(self, call: Call) -> Error:
        """Gives a call up whose time is over; why."""
        self.abandon(call)
        server = self.options.server
        if self.state is not State.READY:
            return failure("unavailable", f"{self.last_error.message} (tried again until the time limit)")
        limit = (self.options.time_limit or 0) + call.wait_ms / 1000
        return failure("timed_out", f"no answer to {call.command} from {server} within {limit:g} s")

    # --- inside ---

    def _start(self, command: str, params: dict[str, Any], role: Role) -> Call:
        rule = RULES.get(command, _UNKNOWN_RULE)
        number = self._number + 1
        params["request"] = number
        frame = self._encoder.frame(command, params)
        self._number = number
        resend = rule.resend
        again = resend == "always" or (resend == "numbered" and "client" in params and "sequence" in params)
        call = Call(number, command, rule, frame if again else b"")
        if role is not Role.CALLER:
            call.role = role
        if rule.wait:
            call.wait_ms = min(max(whole(params, rule.wait), 0), _WAIT_MS_MAX)
        self._calls[number] = call
        self._output.append(frame)
        self.output_bytes += len(frame)
        return call

    def _drop_output(self) -> None:
        self._output.clear()
        self.output_bytes = 0

    def _ready(self) -> None:
        """Subscriptions first, so that no wake-up is missed, then what was in flight."""
        self.state = State.READY
        self.connects += 1
        for call in list(self._calls.values()):
            call.resent = True
            call.messages.clear()
            call.error = None
        again = [call.bytes for call in self._calls.values()]
        for command, params in self._subscriptions.values():
            self._start(command, dict(params), Role.SUBSCRIPTION)
        self._output += again
        self.output_bytes += sum(map(len, again))

    def _finish(self, call: Call, error: Error | None = None) -> None:
        self._calls.pop(call.number, None)
        call.finish(error)

    def _take(self, message: Message) -> None:
        self._attempts = 0
        command, params = message
        number = params.pop("request", None)
        refusal = refusal_of(message) if command in _REFUSALS else None
        if number is None:
            # An unreadable message's request cannot be returned.
            return self._push(message) if refusal is None else self._settle_oldest(refusal)
        call = self._calls.get(number) if type(number) is int else None
        if call is None:
            return None
        last = "left" not in params or whole(params, "left") <= 0
        params.pop("left", None)
        if call.role is not Role.CALLER:
            return self._take_unasked(call, message, last)
        if refusal is None:
            call.messages.append(message)
            if len(call.messages) > ANSWER_MESSAGES_MAX:
                raise Error("invalid", f"an answer to {call.command} of more than {ANSWER_MESSAGES_MAX} messages")
        elif call.resent and call.rule.done_before and refusal.code == "unknown_row":
            call.messages.append(Message(call.rule.done_before, {}))
        elif call.error is None:
            call.error = refusal
        # A refusal may be followed by more messages.
        if last:
            del self._calls[number]
            call.finished = True
            if call.on_finish is not None:
                call.on_finish()
        return None

    def _take_unasked(self, call: Call, message: Message, last: bool) -> None:
        """The answer to a command without a caller."""
        refusal = refusal_of(message)
        if call.role is Role.LOGIN:
            if refusal is None:
                del self._calls[call.number]
                return self._ready()
            raise failure(refusal.code, f"{self.options.server} refuses the token: {refusal.message}", refusal.facts)
        if call.role is Role.SUBSCRIPTION and refusal is not None:
            self._push(message)
        elif call.rule.gives_back and _is_lease(message):
            # Nobody would work on it until its lease ends. Without an error, as nothing failed.
            lease = {name: message.params[name] for name in _OF_LEASE if name in message.params}
            self._start("RELEASE", lease, Role.NOBODY)
        if last or refusal is not None:
            self._calls.pop(call.number, None)
        return None

    def _push(self, message: Message) -> None:
        if len(self.pushes) >= self.options.pushes_max:
            # What is leased is never dropped; more than any credit allows is no daemon of ours.
            if not _is_lease(message):
                self.pushes_dropped += 1
                return
            if len(self.pushes) >= 2 * self.options.pushes_max:
                raise Error("invalid", "the daemon leases more than was asked for")
        self.pushes.append(message)

    def _settle_oldest(self, error: Error) -> None:
        """A refusal without a request belongs to the oldest command, of those whose answer overtakes no other."""
        oldest = next((call for call in self._calls.values() if not call.wait_ms), None)
        if oldest is None:
            # Of the connection itself, such as over_limit with command=CONNECT.
            raise failure("closed" if error.code == "invalid" else error.code, error.message, error.facts)
        if oldest.role is Role.LOGIN:
            raise error
        self._finish(oldest, error)


def refusal_of(message: Message) -> Error | None:
    """ERROR, UNKNOWN and INVALID as an Error; None for all other messages."""
    command, params = message
    if command == "ERROR":
        facts = {name: value for name, value in params.items() if name not in ("code", "message", "left", "request")}
        return failure(str(params.get("code", "not_supported")), str(params.get("message", "")), facts)
    if command == "UNKNOWN":
        return Error("unknown_command", f"the daemon knows no command {params.get('command', '')}")
    if command == "INVALID":
        what = f"the daemon could not read the message: {params.get('message', '')}"
        return Error(str(params.get("code", "invalid")), what)
    return None


def _is_lease(message: Message) -> bool:
    return message.command in _LEASING and _LEASING[message.command] in message.params


def _subscription_key(command: str, params: dict[str, Any]) -> tuple[str, ...]:
    # One WATCH a connection, whatever it is about; LISTEN and UNLISTEN are of a table, and a domain, queue or source.
    if command in ("WATCH", "UNWATCH"):
        return ("WATCH",)
    return ("LISTEN", *(str(params.get(name, "")) for name in ("table", "domain", "queue", "source")))


class BaseConnection:
    """What connections with and without asyncio have in common: their session."""

    def __init__(self, options: Options) -> None:
        self._session = Session(options)

    @property
    def options(self) -> Options:
        return self._session.options

    @property
    def connects(self) -> int:
        """Number of connections made; more than 1: it was lost in between."""
        return self._session.connects

    @property
    def pushes_dropped(self) -> int:
        """Notices lost because pushes_max were waiting. Leased rows are never dropped."""
        return self._session.pushes_dropped

    @property
    def client(self) -> str:
        """The drawn name under which puts and sends are numbered."""
        return self._session.client

    def next_sequence(self) -> int:
        """The number of one more put or send."""
        self._session.sequence += 1
        return self._session.sequence

    def abandon(self, call: Call) -> None:
        """Nobody waits for this answer any more."""
        self._session.abandon(call)
