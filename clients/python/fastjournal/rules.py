"""What a client knows of each command: whether it may be sent again after a loss, and how long it may take."""

from __future__ import annotations

from typing import NamedTuple

from ._rules import OF_DAEMON, OF_TABLES


class Rule(NamedTuple):
    """Knowledge about a command: whether it may be sent again after a loss, and more."""

    resend: str = "never"  # "always", or "numbered": if it has client and sequence
    wait: str = ""  # the parameter by which the daemon waits; such an answer may overtake others
    done_before: str = ""  # the answer to assume if a command that was sent again finds the row gone
    gives_back: bool = False  # what an answer leases is released if nobody waits for it any more


# The commands of tables, as their types declare them, and those of the daemon itself.
RULES: dict[str, Rule] = {name: Rule(*members) for name, members in OF_TABLES.items()} | dict.fromkeys(
    OF_DAEMON, Rule(resend="always")
)
