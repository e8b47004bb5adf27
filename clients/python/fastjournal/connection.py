# Made from aio.py by `python3 clients/python/make_blocking.py`: change that file instead.
"""Connections to a daemon: `fastjournal.connect` makes one, `await fastjournal.aio.connect` one for asyncio. Names,
parameters, results and errors of both are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Iterable
from types import TracebackType
from typing import Any

from ._net_blocking import Net
from .blobs import Blobs
from .daemon_calls import Daemon
from .documents import Documents
from .journal import Journal
from .key_value import KeyValue
from .queues import Queues
from .errors import Error
from .failures import is_about_trace
from .notices import Notice, notice_of
from .options import DEFAULT_SERVER, Options, none_reached, place_of
from .session import Call, Reply
from .wire import Message


def connect(
    server: str = DEFAULT_SERVER, *, token: str = "", ca: str = "", certificate: str = "", key: str = "", **options: Any
) -> Connection:
    """Connects, with one attempt for each address. `options`: the other fields of `fastjournal.Options`.

    Raises Error: unavailable with the address and the reason, not_allowed (the token or certificate is refused),
    bad_parameter (no address, or files that cannot be read).
    """
    made = Connection(Options(server=server, token=token, ca=ca, certificate=certificate, key=key, **options))
    # Without asyncio the constructor has connected.
    if not made._session.is_ready:
        made._open_home()
    return made


class Connection(Net):
    """A connection to a daemon, made by `connect`. In a child of fork() all calls but `close` raise Error
    (not_supported).

    With asyncio any number of tasks of one event loop may use it, and it reconnects by itself while somebody waits for
    answers or notices. Without, it belongs to one thread at a time, nothing happens between calls, and it reconnects
    within the next call.

    After a loss it sends again what may be sent twice: commands that only read, NEXT, TOUCH, DONE, ACQUIRE, ACCEPT,
    FOUND, SENDING, SENT, and INSERT and SEND with `client` and `sequence`, for example (rules.RULES has them all). All
    others raise Disconnected (closed).
    """

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def journal(self, table: str) -> Journal:
        """The commands of a journal table."""
        return Journal(self, table)

    def queues(self, table: str) -> Queues:
        """The commands of a queue table."""
        return Queues(self, table)

    def documents(self, table: str) -> Documents:
        """The commands of a pipeline table."""
        return Documents(self, table)

    def key_value(self, table: str) -> KeyValue:
        """The commands of a key/value table."""
        return KeyValue(self, table)

    def blobs(self, table: str) -> Blobs:
        """The commands of a blob table."""
        return Blobs(self, table)

    def daemon(self) -> Daemon:
        """The daemon's own commands."""
        return Daemon(self)

    def call(self, command: str, /, **params: Any) -> Reply:
        """Sends a command of doc/protocol.md and waits for its answer. Values: str, bytes, int, float, bool; dates and
        durations in milliseconds.

        Raises Error: the daemon's refusal with its code; TimedOut (timed_out): no answer within time_limit, and rows
        and messages that a late answer leases are released; Disconnected (closed, unavailable).
        """
        return self.request(command, params)

    def transaction(self, commands: Iterable[tuple[str, dict[str, Any]]]) -> list[Message]:
        """Carries out all of these commands, each a name and its parameters, or none (doc/transactions.md). Returns
        their answers, in their order.

        Raises as `call` does: a refusal has the number of its command, from 1, as `facts["op"]`. After Disconnected
        (closed) all was done, or nothing; it is not sent again.
        """
        return self.call("TRANSACTION", commands=self._session.frames(commands)).messages[1:]

    def request(self, command: str, params: dict[str, Any]) -> Reply:
        """As `call`, with the parameters in a dictionary, which is the connection's from then on."""
        return self.receive(self.send(command, params))

    def request_numbered(self, command: str, params: dict[str, Any]) -> Reply:
        """As `request`, of a put or send: it gets a number, so that it is sent again after a loss, and counts once.
        Where the table has no room for one more name it is sent without, and so are those of the next minute."""
        if not self.give_number(params):
            return self.request(command, params)
        try:
            return self.request(command, dict(params))
        except Error as why:
            if not self.has_no_room(params["table"], why):
                raise
        del params["client"], params["sequence"]
        return self.request(command, params)

    def report(self, command: str, params: dict[str, Any]) -> Reply:
        """As `request`, of a failure: a daemon that knows no traces gets it without."""
        if not self._takes_traces:
            params.pop("error_trace", None)
        try:
            return self.request(command, dict(params))
        except Error as why:
            if not is_about_trace(why, params):
                raise
        self._takes_traces = False
        return self.report(command, params)

    def receive(self, call: Call) -> Reply:
        """The answer to a command that was sent. Raises as `call` does."""
        try:
            self.wait(call)
        except BaseException:
            self.abandon(call)
            raise
        if call.error is not None:
            self.abandon(call)
            raise call.error
        # From now on they are the caller's.
        messages, call.messages = call.messages, []
        return Reply(messages, call.resent)

    def listen(self, table: str, **params: Any) -> None:
        """LISTEN, and again after every reconnect. A subscription refused then raises from `wait_push`."""
        params["table"] = table
        self.request("LISTEN", dict(params))
        self._session.keep("LISTEN", params)

    def unlisten(self, table: str, **params: Any) -> None:
        """UNLISTEN."""
        params["table"] = table
        self._session.forget("LISTEN", params)
        self.request("UNLISTEN", params)

    def owner_of(self, table: str) -> str:
        """The address, as one of `Options.server`, to which commands of the table go now. Asks the daemon (STATS).

        A transaction of a table that has moved needs a connection to it. Raises as `call` does.
        """
        self.call("STATS", table=table)
        return self._session.address_of(table)

    def watch(self, **params: Any) -> None:
        """WATCH, and again after every reconnect; its rounds come from `wait_push`."""
        self.request("WATCH", dict(params))
        self._session.keep("WATCH", params)

    def notices(self, limit: float | None = None) -> Iterator[Notice]:
        """Notices of every table that this connection listens to, as they come. It ends when none came for `limit`
        seconds; None: never. Raises Error if a subscription was refused after a reconnect."""
        while True:
            try:
                push = self.wait_push(limit)
            except TimeoutError:
                return
            yield notice_of(push)

    # --- inside ---

    def _open_home(self) -> None:
        """One attempt for each server. Raises Error."""
        session, reasons = self._session, list[Error]()
        for server in session.servers:
            place_of(server)
        for server in session.servers:
            session.home.address = server
            try:
                self._open(session.home)
            except Error as error:
                reasons.append(error)
                continue
            return
        raise reasons[0] if len(reasons) == 1 else none_reached(reasons)
