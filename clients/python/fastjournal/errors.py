"""What a call raises: the daemon's refusals and the client's own failures, by one class with the code of
doc/protocol.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Error(Exception):
    """A refusal by the daemon, or a failure of the client.

    `code`: a word of the table of codes in doc/protocol.md, section 7, such as "paused" or "stale_epoch". Codes may be
    added. `message`: a sentence for people. `facts`: the other parameters of the daemon's ERROR, such as `parameter`,
    `holder`, `epoch`.
    """

    def __init__(self, code: str, message: str, facts: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.facts: dict[str, Any] = dict(facts or {})


class TimedOut(Error, TimeoutError):
    """No answer in time (code timed_out). Whether the command was carried out is not known."""


class Disconnected(Error, ConnectionError):
    """No connection: it cannot be made (unavailable), or was lost before an answer to a command that must not be sent
    twice (closed: whether it was carried out is not known)."""


class GiveUp(Exception):
    """Raised by the function of a worker for a row or message that can never succeed: it is given up at once (FAIL,
    REJECT). So is a document at its destination, by the function of a `deliver`."""


class NotSent(Exception):
    """Raised by the function of `Documents.deliver` for a document that did not arrive.

    error: for people. kind: the class of the failure, at most 64 bytes; failures of one class are counted together.
    permanent: it would fail again each time. drop: this is no failure: it need not arrive there. may_have_arrived:
    nobody knows, as no answer came; where it may arrive once at most, nothing is said then, and it is in doubt when the
    lease is over.
    """

    def __init__(
        self,
        error: str = "",
        *,
        kind: str = "error",
        permanent: bool = False,
        drop: bool = False,
        may_have_arrived: bool = False,
    ) -> None:
        super().__init__(error)
        self.kind = kind
        self.permanent = permanent
        self.drop = drop
        self.may_have_arrived = may_have_arrived


def failure(code: str, message: str, facts: Mapping[str, Any] | None = None) -> Error:
    """The error of the class that belongs to `code`."""
    kind = {"timed_out": TimedOut, "closed": Disconnected, "unavailable": Disconnected}.get(code, Error)
    return kind(code, message, facts)
