"""What a client knows of each command: whether it may be sent again after a loss, and how long it may take."""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """Knowledge about a command: whether it may be sent again after a loss, and more."""

    resend: str = "never"  # "always", or "numbered": if it has client and sequence
    wait: str = ""  # the parameter by which the daemon waits; such an answer may overtake others
    done_before: str = ""  # the answer to assume if a command that was sent again finds the row gone
    gives_back: bool = False  # what an answer leases is released if nobody waits for it any more


_ALWAYS = Rule(resend="always")
_NUMBERED = Rule(resend="numbered")
RULES: dict[str, Rule] = {
    # A lease of a lost answer ends after the table's grace, whether or not the command is sent again.
    "NEXT": Rule(resend="always", wait="wait", gives_back=True),
    "DONE": Rule(resend="always", done_before="COMPLETED", gives_back=True),
    "ACQUIRE": Rule(resend="always", wait="wait", gives_back=True),
    "ACCEPT": Rule(resend="always", done_before="ACCEPTED"),
    "FOUND": Rule(resend="always", gives_back=True),
    "CHILD": Rule(gives_back=True),
} | dict.fromkeys(
    "TOUCH PEEK LIST WHY TIMELINE DOMAINS ALERTS ALIVE CLUSTER DIGEST FETCH HEALTH HELP LISTEN "
    "METRICS OPENAPI RIGHTS STATS TABLES UNLISTEN UNWATCH WAITERS WATCH XA_RECOVER "
    "GET ATTACH OMIT "
    "BROWSE READ DECLARE REMOVE BIND UNBIND PURGE QUEUES EXCHANGES BINDINGS "
    # A lease that these ended has ended: sent again they are answered not_leased, stale_epoch or unknown_row.
    "RELEASE FAIL REJECT FAILED DROPPED "
    # Said again, these are answered as before.
    "PAUSE RESUME DRAIN "
    "SENDING SENT ROUTED CHILDREN_DONE HEARTBEAT RETRY FORCE DROP RESOLVE FORGET MIGRATE DOCUMENTS DESTINATIONS "
    "HISTORY PLANS STEPS".split(),
    _ALWAYS,
) | dict.fromkeys("INSERT SEND PUT SET DELETE ADD NOT TRUNCATE RENAME ALIAS".split(), _NUMBERED)
