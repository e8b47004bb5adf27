"""The state of a client across its connections: commands in flight, what is sent again after a loss, subscriptions, and
messages that no command asked for. Without I/O: `_net_blocking` and `_net_async` bring bytes in and take bytes out.
The rules are those of the C++ library (clients/cpp).

There is one line to home, the daemon that `Options.server` names, and one to each node to which tables have moved. A
command is on a line, or waits to be sent: `send_waiting` sends what may go, in the order of the commands of each table.
"""

from __future__ import annotations

import enum
import math
import os
import random
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .errors import Error, failure
from .lines import Line, Moved, Route, State
from .options import Options
from .rules import RULES, Rule
from .wire import Encoder, Message, whole

# Of one answer; a daemon has at most 20,000 tables.
ANSWER_MESSAGES_MAX = 1 << 20
_WAIT_MS_MAX = 86_400_000
_RETRY_MS_MIN = 20
# A node that was given up is doubted for so long; then it may take no longer than this to connect. Seconds.
_DOUBTED = 5.0
_DOUBTED_CONNECT_LIMIT = 0.2
# A table that has no room for one more name gets puts and sends without one for so long. Seconds.
_WITHOUT_NAME = 60.0


def drawn_name() -> str:
    """A client name that nobody else has: "client-" and 128 random bits."""
    return "client-" + secrets.token_hex(16)


# The messages that lease something, in an answer or by themselves, each with what is only there if it does; and what
# names the lease.
_LEASING = {"ROW": "epoch", "MESSAGE": "epoch", "DOCUMENT": "token"}
_OF_LEASE = ("table", "row", "message", "document", "epoch", "token")
_OF_SUBSCRIPTIONS = ("domain", "queue", "source", "key", "key_binary", "prefix")
_UNKNOWN_RULE = Rule()
_REFUSALS = frozenset({"ERROR", "UNKNOWN", "INVALID"})


class Role(enum.Enum):
    CALLER = 1
    NOBODY = 2  # given up: the answer is dropped
    SUBSCRIPTION = 3  # after a reconnect: only a refusal matters
    LOGIN = 4


class Call:
    """A command in flight. When `finished`, it has either `messages` or an `error`."""

    # Set where they differ: a producer of many rows has no time for a dozen members of each.
    role = Role.CALLER
    wait_ms = 0
    until = math.inf  # the time limit, by the session's clock
    table = ""
    line: Line | None = None  # None: it waits to be sent, if it is not finished
    due = 0.0  # not before
    answer_due = 0.0  # after its `wait`; 0: not sent, or `silence` has not seen it
    pauses = 0  # that were made before it was sent again
    refusal: Error | None = None  # why it was not carried out so far
    error: Error | None = None
    finished = False
    resent = False
    on_finish: Callable[[], None] | None = None

    def __init__(self, number: int, command: str, rule: Rule, frame: bytes, may_resend: bool) -> None:
        self.number = number
        self.command = command
        self.rule = rule
        self.bytes = frame
        self.may_resend = may_resend  # after a loss: what was refused with `moved` always may
        self.messages: list[Message] = []

    def finish(self, error: Error | None = None) -> None:
        if self.finished:
            return
        self.error = self.error or error
        self.finished = True
        if self.on_finish is not None:
            self.on_finish()

    def hold(self, refusal: Error | None, due: float) -> None:
        """It waits to be sent, or sent again."""
        self.line = None
        self.refusal = refusal
        self.due = due
        self.answer_due = 0.0
        self.messages.clear()
        self.error = None


class Subscription:
    """A LISTEN or WATCH that is sent again after a loss, and after its table has moved."""

    def __init__(self, command: str, params: dict[str, Any]) -> None:
        self.command = command
        self.params = dict(params)
        self.table = str(params.get("table", ""))
        self.line: Line | None = None  # where it was sent; None: it waits to be sent
        self.due = 0.0
        self.pauses = 0
        self.number = 0  # of the command by which the session sent it last

    def is_ended_by(self, push: Message) -> bool:
        """Whether an UNLISTENED or UNWATCHED is about it: of its table, and of what it names besides."""
        if push.command == "UNWATCHED" and self.command != "WATCH":
            return False
        params = push.params
        return params.get("table", "") == self.table and all(
            params[name] == self.params.get(name, "") for name in _OF_SUBSCRIPTIONS if name in params
        )


class Reply(NamedTuple):
    """An answer: one message or, for NEXT, LIST, STATS and others, several; never none."""

    messages: list[Message]
    resent: bool  # the command was sent again after a loss

    @property
    def first(self) -> Message:
        return self.messages[0]


class Session:
    """One client. `send`, then take the `output()` of each line to its daemon; bring its bytes to `receive`.

    Of a home line all calls may be made without naming it.
    """

    def __init__(self, options: Options, clock: Callable[[], float] = time.monotonic) -> None:
        self.options = options
        self.connects = 0
        self.client = drawn_name()
        self.sequence = 0  # the last number of a put or a send, of whatever table
        self.pushes: deque[Message] = deque()
        self.pushes_dropped = 0
        self.last_error: Error = failure("unavailable", f"there is no connection to {options.server}")
        self.for_good = False  # another attempt to reach home would end in the same way
        self.servers = addresses_of(options.server)
        self.home = Line(self.servers[0], options.message_bytes_max)
        self.nodes: dict[str, Line] = {}
        # When `send_waiting` has something to do; inf: nothing waits, or only for an answer.
        self.look_at = math.inf
        self.wanted: set[str] = set()  # addresses of nodes to which a line is needed
        self._clock = clock
        self._encoder = Encoder()
        self._calls: dict[int, Call] = {}  # in the order of sending
        self._routes: dict[str, Route] = {}
        self._doubted: dict[str, float] = {}  # addresses that said nothing, and until when
        self._subscriptions: dict[tuple[str, ...], Subscription] = {}
        self._number = 0
        self._attempts = 0  # since the last message from home
        self._refusal: Error | None = None  # by one of the servers, since the last pause

    # --- for who brings bytes ---

    def opened(self, line: Line | None = None) -> None:
        """A connection was made; what goes first is in `output()`."""
        line = line or self.home
        if line is self.home:
            self.for_good = False
        line.opened(State.LOGIN if self.options.token else State.READY)
        line.quiet_since, line.is_asked = self._clock(), False
        if line.state is State.LOGIN:
            self._start("AUTH", {"token": self.options.token}, Role.LOGIN, line)
        else:
            self._ready(line)

    def not_opened(self, line: Line) -> None:
        """It ended before the token was accepted; whether that is final is said by `attempt_failed` or `unreachable`."""
        line.closed()
        for call in list(self._calls.values()):
            if call.line is line and call.role is Role.LOGIN:
                del self._calls[call.number]

    def lost(self, error: Error, line: Line | None = None) -> None:
        """The connection ended, or that to home could not be made. A not_allowed is final: no attempt follows by itself,
        once each of the servers was tried."""
        line = line or self.home
        was_ready = line.state is State.READY
        line.closed()
        is_home = line is self.home
        if is_home:
            self.for_good = not self.options.pauses or error.code == "not_allowed"
            self.last_error = error
        elif was_ready:
            self.connects += 1
            self.nodes.pop(line.address, None)
        for route in self._routes.values():
            if route.line is line:
                route.go_home(self.home)
                # Tokens begin anew where a log was restored from a backup, and no daemon lives over that.
                route.token = 0
        for subscription in self._subscriptions.values():
            if subscription.line is line:
                subscription.line = None
                subscription.due = 0.0
        for call in list(self._calls.values()):
            if is_home and self.for_good and call.role is Role.CALLER and call.line in (None, line):
                self._finish(call, error)
            elif call.line is line:
                self._lose(call, error)
        self.look_again()
        if not self.options.pauses:
            # Nothing is connected again.
            for other in (self.home, *self.nodes.values()):
                if other.state is not State.CLOSED:
                    self.lost(error, other)

    def unreachable(self, address: str, error: Error, took: float = 0.0) -> None:
        """There is no connection to a node that was wanted, after `took` seconds."""
        self.wanted.discard(address)
        forgotten = [table for table, route in self._routes.items() if route.address == address]
        for table in forgotten:
            self._routes[table].go_home(self.home)
            self._routes[table].token = 0
        for call in list(self._calls.values()):
            if call.line is None and call.table in forgotten and call.role is Role.CALLER:
                if error.code == "not_allowed":
                    self._finish(call, error)
                else:
                    call.hold(error, self._after_pause(call, took))
        for subscription in self._subscriptions.values():
            if subscription.line is None and subscription.table in forgotten:
                subscription.due = self._after_pause(subscription, took)
        self.look_again()

    def receive(self, data: bytes, line: Line | None = None) -> None:
        """Bytes from the daemon. Raises Error if the connection must be ended."""
        line = line or self.home
        line.quiet_since, line.is_asked = self._clock(), False
        for message in line.decoder.feed(data):
            if message.__class__ is Message:
                self._take(line, message)  # type: ignore[arg-type]
            else:
                self._settle_oldest(line, message)  # type: ignore[arg-type]

    def output(self, line: Line | None = None) -> bytes:
        """What is to be sent now, joined; it is then no longer here."""
        line = line or self.home
        if line.output_bytes and not line.is_asked:
            line.quiet_since, line.is_asked = self._clock(), True
        return line.output()

    def connect_limit(self, address: str) -> float:
        """Of one attempt. Where there are other nodes, one that is gone keeps nobody from them for long: others may
        name it for a while."""
        limit = min(self.options.connect_limit, self._silence_limit)
        is_doubted = self._silence_limit < math.inf and self._clock() < self._doubted.get(address, -math.inf)
        return min(limit, _DOUBTED_CONNECT_LIMIT) if is_doubted else limit

    def doubt_node(self, address: str) -> None:
        """It was given up as silent, or did not connect within its limit. A connection ends that, or its time, which is not
        prolonged."""
        now = self._clock()
        self._doubted = {one: until for one, until in self._doubted.items() if now < until}
        self._doubted.setdefault(address, now + _DOUBTED)

    def quiet_until(self, line: Line) -> float:
        """When it is quiet, if it says nothing before; inf: its silence does not matter."""
        return line.quiet_since + self._silence_limit if line.state is State.READY else math.inf

    def is_quiet(self, line: Line) -> bool:
        return self._clock() >= self.quiet_until(line)

    def silence(self, line: Line) -> Error | None:
        """Of a line that is quiet, after all that has arrived was received: the error by which to end it. None: it owes
        nothing. Of several nodes, one that owes an answer may have no power, or be stopped: nobody tells."""
        now, limit = self._clock(), self._silence_limit
        is_awaited = False
        for call in self._calls.values():
            if call.line is not line:
                continue
            is_awaited = True
            if call.wait_ms:
                # It may have been sent just now.
                call.answer_due = call.answer_due or now + call.wait_ms / 1000 + limit
                if now < call.answer_due:
                    continue
            self.doubt_node(line.address)
            return failure("closed", f"it has said nothing for {limit:g} s")
        if not is_awaited and any(one.line is line for one in self._subscriptions.values()):
            self._start("ALIVE", {}, Role.NOBODY, line)
        # What is sent from now on has its own time.
        line.quiet_since, line.is_asked = now, False
        return None

    def next_pause(self) -> float:
        """Seconds before the next attempt to reach home, which goes to the next server. 0 until each was tried."""
        pauses, servers = self.options.pauses, self.servers
        self._attempts += 1
        if len(servers) > 1:
            at = (servers.index(self.home.address) + 1) % len(servers)
            self.home.address = servers[at]
            if self._attempts % len(servers):
                return 0.0
        pause = pauses[min(self._attempts // len(servers), len(pauses)) - 1]
        return pause * random.uniform(0.75, 1.25)

    def attempt_failed(self, error: Error) -> float:
        """Home was not reached: as `lost`, then `next_pause`. Final only once each of the servers was tried."""
        if len(self.servers) == 1:
            self.lost(error)
            return self.next_pause()
        if error.code == "not_allowed":
            self._refusal, error = error, failure("unavailable", error.message)
        self.lost(error)
        pause = self.next_pause()
        if self._refusal is not None and self._attempts % len(self.servers) == 0:
            refusal, self._refusal = self._refusal, None
            self.lost(refusal)
        return pause

    # --- for callers ---

    @property
    def state(self) -> State:
        """Of home."""
        return self.home.state

    @property
    def is_ready(self) -> bool:
        return self.home.state is State.READY

    @property
    def in_flight(self) -> int:
        return len(self._calls)

    @property
    def is_needed(self) -> bool:
        """Somebody waits for answers or notices."""
        return bool(self._calls or self._subscriptions)

    def takes(self, command: str, params: dict[str, Any]) -> bool:
        """Whether `send` may be called: the line that it needs is there, or it is one that may wait."""
        line = self._line_for(command, params)
        return line is None or line.state is State.READY

    def send(self, command: str, params: dict[str, Any]) -> Call:
        """Puts a command in flight; only if `takes`. `params` becomes the session's: a `request` is added.

        Raises Error: over_limit (in_flight_max), too_large, bad_parameter.
        """
        if len(self._calls) >= self.options.in_flight_max:
            raise Error("over_limit", f"{len(self._calls)} commands are in flight: receive some first")
        if command in ("BEGIN", "XA_START"):
            # After a loss the commands behind it would be sent again, alone.
            raise Error("not_supported", f"{command}: a connection is for many; use transaction()")
        return self._start(command, params, Role.CALLER, self._line_for(command, params))

    def address_of(self, table: str) -> str:
        """Where its commands go."""
        route = self._routes.get(table)
        return self.home.address if route is None or not route.address else route.address

    def frames(self, commands: Iterable[tuple[str, dict[str, Any]]]) -> bytes:
        """Several commands in one value, as a TRANSACTION has them. Raises Error: too_large, bad_parameter."""
        return b"".join(self._encoder.frame(command, params) for command, params in commands)

    def abandon(self, call: Call) -> None:
        """Nobody waits any more. What its answer leased, or a late one leases, is released."""
        if call.rule.gives_back:
            for message in call.messages:
                self._give_back(message, call.line)
        call.messages = []
        if call.number in self._calls:
            call.role = Role.NOBODY
            call.on_finish = None
            if call.line is None or call.line.state is not State.READY:
                del self._calls[call.number]
            self.look_again()

    def keep(self, command: str, params: dict[str, Any]) -> None:
        """LISTEN or WATCH, to be sent again after every reconnect, and when its table moves."""
        one = Subscription(command, params)
        route = self._routes.get(one.table)
        line = self.home if route is None else route.line
        if line is not None and line.state is State.READY:
            one.line = line
        # The table may have moved right behind the answer.
        followed = [push for push in self.pushes if _is_followed(push) and one.is_ended_by(push)]
        for push in followed:
            self.pushes.remove(push)
            one.line = None
        before = self._subscriptions.get(_subscription_key(command, params))
        if command == "WATCH" and before and before.line and before.line is not line:
            # A connection has one WATCH, and so have several.
            self._start("UNWATCH", {}, Role.NOBODY, before.line)
        self._subscriptions[_subscription_key(command, params)] = one
        self.look_again()

    def forget(self, command: str, params: dict[str, Any]) -> None:
        self._subscriptions.pop(_subscription_key(command, params), None)

    def close(self, error: Error) -> None:
        """Ends everything in flight with `error`."""
        for line in (self.home, *self.nodes.values()):
            line.closed()
        self.nodes.clear()
        self._subscriptions.clear()
        for call in list(self._calls.values()):
            self._finish(call, error)

    def timed_out(self, call: Call) -> Error:
        """Gives a call up whose time is over; why."""
        line, limit = call.line, (self.options.time_limit or 0) + call.wait_ms / 1000
        self.abandon(call)
        if line is not None and line.state is State.READY:
            self._doubt(call.table, line)
            return failure("timed_out", f"no answer to {call.command} from {line.address} within {limit:g} s")
        if call.refusal is not None:
            return call.refusal
        if not self.is_ready:
            return failure("unavailable", f"{self.last_error.message} (tried again until the time limit)")
        return failure("unavailable", f"it waited for earlier commands of table {call.table} until the time limit")

    def look_again(self) -> None:
        self.look_at = -math.inf

    def send_waiting(self) -> None:
        """Sends what waits and may go now; `look_at` is then when to call it again, whatever is received until then."""
        if self.look_at == math.inf or self._clock() < self.look_at:
            return
        now = self._clock()
        self.look_at = math.inf
        self.wanted.clear()
        # Subscriptions first, so that no wake-up is missed.
        for subscription in self._subscriptions.values():
            if subscription.line is None:
                self._subscribe(subscription, now)
        for route in self._routes.values():
            route.unsettled = route.blocked = False
        for call in list(self._calls.values()):
            if call.role is not Role.CALLER:
                continue
            of_table = self._routes.get(call.table)
            if call.line is None:
                self._send_held(call, of_table, now)
            elif of_table and call.line is not of_table.line and not call.wait_ms and now < call.until:
                # Not through yet where the table was.
                of_table.unsettled = of_table.blocked = True

    # --- inside ---

    @property
    def _silence_limit(self) -> float:
        limit = self.options.silence_limit
        has_others = len(self.servers) > 1 or bool(self._routes)
        return math.inf if limit is None or not has_others else limit

    def _line_for(self, command: str, params: dict[str, Any]) -> Line | None:
        """None: it must wait behind others, or for a line to another node than home."""
        if not self._routes:
            return self.home
        if command == "UNWATCH":
            watch = self._subscriptions.get(("WATCH",))
            return self.home if watch is None or watch.line is None else watch.line
        route = self._routes.get(params.get("table", ""))
        if route is None:
            return self.home
        # Another node can tell where a table is that home shares with it.
        wants_another = route.is_shared and route.line is self.home and not self.is_ready and bool(self.nodes)
        return None if route.unsettled or wants_another else route.line

    def _start(self, command: str, params: dict[str, Any], role: Role, line: Line | None) -> Call:
        rule = RULES.get(command, _UNKNOWN_RULE)
        number = self._number + 1
        params["request"] = number
        frame = self._encoder.frame(command, params)
        self._number = number
        resend = rule.resend
        again = resend == "always" or (resend == "numbered" and "client" in params and "sequence" in params)
        call = Call(number, command, rule, frame, again)
        if role is not Role.CALLER:
            call.role = role
        elif type(table := params.get("table")) is str:
            call.table = table
        if rule.wait:
            call.wait_ms = min(max(whole(params, rule.wait), 0), _WAIT_MS_MAX)
        call.line = line
        self._calls[number] = call
        if line is None:
            self.look_again()
        else:
            line.add(frame)
        return call

    def _ready(self, line: Line) -> None:
        line.state = State.READY
        self._doubted.pop(line.address, None)
        if line is self.home:
            self.connects += 1
            self._refusal = None
        else:
            self.nodes[line.address] = line
            self.wanted.discard(line.address)
        self.look_again()
        self.send_waiting()

    def _lose(self, call: Call, error: Error) -> None:
        """Its line is lost."""
        if call.role is not Role.CALLER:
            del self._calls[call.number]
        elif not call.may_resend:
            what = f"{error.message}; whether {call.command} was carried out is not known"
            self._finish(call, failure("closed", what))
        else:
            call.resent = True
            call.hold(None, 0.0)
            if route := self._routes.get(call.table):
                route.unsettled = True

    def _route_of(self, table: str) -> Route:
        return self._routes.setdefault(table, Route(self.home))

    def _doubt(self, table: str, line: Line) -> None:
        """It did not answer in time, and may hang for long: home knows whether another decides by now."""
        route = self._routes.get(table)
        if route is not None and route.line is line and line is not self.home:
            route.go_home(self.home)
            route.unsettled = True

    def _reach(self, route: Route | None) -> Line | None:
        """The line to where the table is. None: it is wanted."""
        if route is None:
            return self.home
        if route.line is self.home and route.is_shared and not self.is_ready and self.nodes:
            return next(iter(self.nodes.values()))
        if route.line is None and self.is_ready and self.home.address == route.address:
            route.line = self.home
        if route.line is None:
            route.line = self.nodes.get(route.address)
        if route.line is None:
            self.wanted.add(route.address)
        return route.line

    def _send_held(self, call: Call, route: Route | None, now: float) -> None:
        if call.refusal is not None and now >= call.until:
            self.look_again()
            return self._finish(call, call.refusal)
        if not (route and route.blocked):
            if call.due > now:
                self.look_at = min(self.look_at, call.due, call.until)
            elif (line := self._reach(route)) is not None and line.state is State.READY:
                call.line = line
                call.refusal = None
                line.add(call.bytes)
                return None
        if route is not None:
            route.unsettled = True
            # What the daemon may answer out of turn keeps nobody back.
            route.blocked = route.blocked or not call.wait_ms
        return None

    def _subscribe(self, one: Subscription, now: float) -> None:
        if one.due > now:
            self.look_at = min(self.look_at, one.due)
            return
        line = self._reach(self._routes.get(one.table))
        if line is not None and line.state is State.READY:
            one.line = line
            one.number = self._start(one.command, dict(one.params), Role.SUBSCRIPTION, line).number

    def _after_pause(self, one: Call | Subscription, took: float = 0.0) -> float:
        """20, 40, 80, then 100 ms; at least as long as an attempt took, as nothing else may be served meanwhile."""
        pause = min(0.02 * 2.0 ** min(one.pauses, 3), 0.1)
        one.pauses += 1
        return self._clock() + max(pause, took)

    def _due_after(self, line: Line, table: str, told: Message, one: Call | Subscription) -> float:
        """Learns from a `moved`, or an `unavailable`, when to send again."""
        retry = _retry_of(told)
        if retry is not None:
            return self._clock() + retry
        if told.params.get("code") != "moved" or not table:
            return self._after_pause(one)
        route = self._route_of(table)
        before = route.address
        is_new = route.follow(Moved.of(told.params, line.address), line, self.home)
        if route.address != before:
            self.connects += 1
        return 0.0 if is_new else self._after_pause(one)

    def _hold_refused(self, line: Line, call: Call, refusal: Error, message: Message) -> bool:
        """True: nothing was done, so it will be sent again. If it is of no table, its sender decides on `moved`."""
        is_moved = refusal.code == "moved" and bool(call.table)
        if not (is_moved or _retry_of(message) is not None) or call.messages or call.error:
            return False
        call.hold(refusal, self._due_after(line, call.table, message, call))
        if call.table:
            self._route_of(call.table).unsettled = True
        self.look_at = min(self.look_at, call.due)
        return True

    def _follow_push(self, line: Line, push: Message) -> bool:
        """True: it ended what the session puts in force again by itself."""
        if not _is_followed(push):
            return False
        table = str(push.params.get("table", ""))
        due = self._due_after(line, table, push, Subscription("LISTEN", {}))
        known = [one for one in self._subscriptions.values() if one.is_ended_by(push)]
        for one in known:
            # Of several pushes about it, the first one counts.
            if one.line is line:
                one.line, one.due = None, due
        self.look_at = min(self.look_at, due)
        return bool(known)

    def _finish(self, call: Call, error: Error | None = None) -> None:
        self._calls.pop(call.number, None)
        call.finish(error)

    def _take(self, line: Line, message: Message) -> None:
        if line is self.home:
            self._attempts = 0
        command, params = message
        number = params.pop("request", None)
        refusal = refusal_of(message) if command in _REFUSALS else None
        if number is None:
            # An unreadable message's request cannot be returned.
            if refusal is not None:
                return self._settle_oldest(line, refusal)
            return None if self._follow_push(line, message) else self._push(message)
        call = self._calls.get(number) if type(number) is int else None
        if call is None or call.line is not line:
            return None
        last = "left" not in params or whole(params, "left") <= 0
        params.pop("left", None)
        if call.role is not Role.CALLER:
            return self._take_unasked(line, call, message, last)
        if refusal is None:
            call.messages.append(message)
            if len(call.messages) > ANSWER_MESSAGES_MAX:
                raise Error("invalid", f"an answer to {call.command} of more than {ANSWER_MESSAGES_MAX} messages")
        elif self._hold_refused(line, call, refusal, message):
            return None
        elif call.resent and call.rule.done_before and refusal.code == "unknown_row":
            call.messages.append(Message(call.rule.done_before, {}))
        elif call.error is None:
            call.error = refusal
        # A refusal may be followed by more messages.
        if last:
            del self._calls[number]
            call.finished = True
            if self._routes:
                # Others may have waited for it, as it was on its way to where the table was.
                route = self._routes.get(call.table)
                if route is not None and route.line is not line:
                    self.look_again()
            if call.on_finish is not None:
                call.on_finish()
        return None

    def _take_unasked(self, line: Line, call: Call, message: Message, last: bool) -> None:
        """The answer to a command without a caller."""
        refusal = refusal_of(message)
        if call.role is Role.LOGIN:
            if refusal is None:
                del self._calls[call.number]
                return self._ready(line)
            raise failure(refusal.code, f"{line.address} refuses the token: {refusal.message}", refusal.facts)
        if call.role is Role.SUBSCRIPTION:
            one = next((one for one in self._subscriptions.values() if one.number == call.number), None)
            if one is not None and refusal is not None and (refusal.code == "moved" or _retry_of(message) is not None):
                one.line, one.due = None, self._due_after(line, one.table, message, one)
                self.look_at = min(self.look_at, one.due)
            elif refusal is not None:
                self._push(message)
            elif one is not None:
                one.pauses = 0
        elif call.rule.gives_back:
            self._give_back(message, line)
        if last or refusal is not None:
            self._calls.pop(call.number, None)
        return None

    def _give_back(self, message: Message, line: Line | None) -> None:
        """If it leases something: nobody would work on it until its lease ends. Without an error, as nothing failed."""
        if not _is_lease(message):
            return
        lease = {name: message.params[name] for name in _OF_LEASE if name in message.params}
        if line is None or line.state is not State.READY:
            line = self._line_for("RELEASE", lease)
        if line is not None and line.state is State.READY:
            self._start("RELEASE", lease, Role.NOBODY, line)

    def _push(self, message: Message) -> None:
        if len(self.pushes) >= self.options.pushes_max:
            # What is leased is never dropped; more than any credit allows is no daemon of ours.
            if not _is_lease(message):
                self.pushes_dropped += 1
                return
            if len(self.pushes) >= 2 * self.options.pushes_max:
                raise Error("invalid", "the daemon leases more than was asked for")
        self.pushes.append(message)

    def _settle_oldest(self, line: Line, error: Error) -> None:
        """A refusal without a request belongs to the oldest command, of those whose answer overtakes no other."""
        oldest = next((call for call in self._calls.values() if call.line is line and not call.wait_ms), None)
        if oldest is None:
            # Of the connection itself, such as over_limit with command=CONNECT.
            raise failure("closed" if error.code == "invalid" else error.code, error.message, error.facts)
        if oldest.role is Role.LOGIN:
            raise error
        self._finish(oldest, error)
        self.look_again()


def addresses_of(server: str) -> list[str]:
    """Of Options.server; at least one, possibly no address."""
    return [one.strip(" ") for one in server.split(",")]


def _is_followed(push: Message) -> bool:
    """A daemon tells that what listened to a table there is over, as another one decides for it, or nobody."""
    return push.command in ("UNLISTENED", "UNWATCHED") and push.params.get("code") in ("moved", "unavailable")


def _retry_of(message: Message) -> float | None:
    """Seconds after which to send again what was answered so: nobody decides for the table, and nothing was done."""
    if message.params.get("code") != "unavailable" or "retry" not in message.params:
        return None
    return min(max(whole(message.params, "retry"), _RETRY_MS_MIN), _WAIT_MS_MAX) / 1000


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
    """What connections with and without asyncio have in common: their session, and the process that has it."""

    def __init__(self, options: Options) -> None:
        self._session = Session(options)
        self._process = os.getpid()
        # Until a daemon says that it knows no error_trace.
        self._takes_traces = True
        # Tables that have no room for one more name: until then they get no numbers.
        self._no_room_until: dict[str, float] = {}

    @property
    def options(self) -> Options:
        return self._session.options

    @property
    def connects(self) -> int:
        """Number of connections made to home, of those to other nodes that were lost, and of tables that moved. More than
        before: what belongs to a connection, such as leases, may be over."""
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

    def give_number(self, params: dict[str, Any]) -> bool:
        """Gives a put or send a number of this connection, unless it has one, or its table has no room for the name."""
        if "client" in params or self._no_room_until.get(params["table"], 0.0) > time.monotonic():
            return False
        params.update(client=self.client, sequence=self.next_sequence())
        return True

    def has_no_room(self, table: str, why: Error) -> bool:
        """What a refusal says about the name that was given. True: the table has no room for it, and nothing was done. If
        it is another peer's, as ours is another address now, the next command has another one."""
        if why.facts.get("parameter") != "client":
            return False
        if why.code == "not_allowed":
            self._session.client, self._session.sequence = drawn_name(), 0
        if why.code != "over_limit":
            return False
        self._no_room_until[table] = time.monotonic() + _WITHOUT_NAME
        return True

    def abandon(self, call: Call) -> None:
        """Nobody waits for this answer any more: what it leases is released."""
        if not self._is_foreign:
            self._session.abandon(call)

    # --- inside ---

    @property
    def _is_foreign(self) -> bool:
        return os.getpid() != self._process

    def _check_process(self) -> None:
        """Two processes would read each other's answers, and give two rows the same number.

        Raises Error (not_supported) in a child of fork().
        """
        if self._is_foreign:
            raise Error(
                "not_supported",
                f"process {self._process} made this connection to {self.options.server}, and this is process "
                f"{os.getpid()}: connect in each child after fork()",
            )
