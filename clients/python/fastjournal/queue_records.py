# Made by ./mk generate from plugins/queue/queue.xml and clients/calls/queue.toml: do not edit.
"""What the commands of a queue table answer. Dates and durations are milliseconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sent:
    """The message is on its queues, synced.

    message: its number on the first of its queues; absent: on none.
    queues: on how many queues it is.
    result: sent or duplicate; of a transaction also expired.
    process_date: not handed out before.
    """

    message: int
    queues: int
    result: str
    process_date: int


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue.

    queue: its name.
    messages: messages on it.
    due: of these, ready to be handed out.
    behind: of these, waiting for another one of their group; missing if there are none.
    urgent: of the due ones, with a priority below 1024; 100,000 are looked at, at most.
    acquired: of these, with consumers.
    parked: of these, parked for an operator.
    bytes: bytes of their bodies.
    temporary: True, it ends with its connection.
    declared: True, in the table's file.
    leaving: True, it was removed, and its messages go.
    dead_letters: the queue of dead letters.
    max_deliveries: its limit.
    max_messages: its limit.
    max_bytes: its limit.
    when_full: refuse or drop.
    lease: how long consumers of its messages may take, in ms.
    paused: True, it hands out nothing.
    paused_until: when it goes on by itself.
    now: of a queue that is paused until a date: the date at the daemon.
    pause_reason: why, as was said.
    expires: how long its messages last, in ms.
    delay: how long a message without a date waits, in ms.
    max_message_bytes: bytes of a body, at most.
    properties: what goes with it, as it came; only of a queue that was named.
    made_date: when it was made.
    changed_date: when DECLARE changed it last, or made it.
    """

    queue: str
    messages: int = 0
    due: int = 0
    behind: int = 0
    urgent: int = 0
    acquired: int = 0
    parked: int = 0
    bytes: int = 0
    temporary: bool = False
    declared: bool = False
    leaving: bool = False
    dead_letters: str = ""
    max_deliveries: int = 0
    max_messages: int = 0
    max_bytes: int = 0
    when_full: str = ""
    lease: int = 0
    paused: bool = False
    paused_until: int = 0
    now: int = 0
    pause_reason: str = ""
    expires: int = 0
    delay: int = 0
    max_message_bytes: int = 0
    properties: str = ""
    made_date: int = 0
    changed_date: int = 0


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange.

    exchange: its name.
    kind: direct, fanout or topic.
    bindings: how many it has.
    """

    exchange: str
    kind: str = ""
    bindings: int = 0


@dataclass(frozen=True, slots=True)
class Binding:
    """A binding.

    binding: its number.
    exchange: the exchange.
    queue: the queue.
    routing_key: the routing key or pattern.
    """

    binding: int
    exchange: str
    queue: str
    routing_key: str = ""


__all__ = [
    "Binding",
    "Exchange",
    "Queue",
    "Sent",
]
