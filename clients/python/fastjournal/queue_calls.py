# Made from async_queue_calls.py by `python3 clients/python/make_blocking.py`: change that file instead.
# Made by ./mk generate from plugins/queue/queue.xml and clients/calls/queue.toml: do not edit.
"""The commands of a queue table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .calls import TableCalls
from .messages import (
    Acquired,
    Body,
    Properties,
    QueueMessage,
    ReturnedMessage,
    acquired_of,
    fate_of,
    message_of,
    number_of,
)
from .queue_records import Binding, Exchange, Queue, Sent
from .rows import Date, Duration
from .typed import either, flag, given, json_text, kept, number, one, record, span, when, word

# What their `result` may be.
_SENT = ("sent", "duplicate", "expired")


class QueueCalls(TableCalls):
    """A queue table on a connection, which must outlive it. Every call raises what `Connection.call` does.

    Message queues: named queues, exchanges that route to them, messages that are acquired and accepted, all of it
    transactional. Changes are numbered under a name that the connection drew: one whose answer was lost is sent again,
    and counts once.
    """

    def send(
        self,
        queue: str,
        body: Body = "",
        *,
        properties: Properties | None = None,
        group: str | None = None,
        priority: int | None = None,
        lease: Duration | None = None,
        process_date: Date | None = None,
        expiration_date: Date | None = None,
        deduplication: str | None = None,
        client: str | None = None,
        sequence: int | None = None,
    ) -> Sent:
        """Puts a message on a queue, or by an exchange on each queue that it routes to.

        body: the message, as text or bytes.
        properties: what goes with it: an object in JSON, which is given back as it came; at most 65536 bytes.
        group: the messages of one group on a queue are handed out one at a time, in the order of their numbers; at most
            128 bytes.
        priority: the smallest is first; up to 255, unless the table says otherwise by priorities; 0 to 4294967295; 100
            if absent.
        lease: how long its consumers may take unless they say otherwise; as the queue says if absent; 0.001 to 31536000
            s.
        process_date: not to be handed out before; now if absent.
        expiration_date: not to be handed out from then on; 0 or absent: as the queue says.
        deduplication: with queue: a further message with the same text, sent to this queue within five minutes of the
            first one, is not stored; the answer has the number of the first one; at most 128 bytes.
        client: the producer's name for this start of it; with sequence: resent messages are there once; at most 128
            bytes.
        sequence: the number of this message by this client.
        """
        params = given(
            table=self.table,
            queue=queue,
            **either("body", body or None),
            properties=json_text(properties),
            group=group,
            priority=priority,
            lease=span(lease),
            process_date=when(process_date),
            expiration_date=when(expiration_date),
            deduplication=deduplication,
            client=client,
            sequence=sequence,
        )
        return one(self._numbered("SEND", params), "SENT", record(Sent), _SENT)

    def publish(
        self,
        exchange: str,
        routing_key: str = "",
        body: Body = "",
        *,
        properties: Properties | None = None,
        group: str | None = None,
        priority: int | None = None,
        lease: Duration | None = None,
        process_date: Date | None = None,
        expiration_date: Date | None = None,
        mandatory: bool | None = None,
        client: str | None = None,
        sequence: int | None = None,
    ) -> Sent:
        """Sends a message to the queues that the exchange routes it to.

        routing_key: what a direct or topic exchange routes by: words between dots; at most 255 bytes.
        body: the message, as text or bytes.
        properties: what goes with it: an object in JSON, which is given back as it came; at most 65536 bytes.
        group: the messages of one group on a queue are handed out one at a time, in the order of their numbers; at most
            128 bytes.
        priority: the smallest is first; up to 255, unless the table says otherwise by priorities; 0 to 4294967295; 100
            if absent.
        lease: how long its consumers may take unless they say otherwise; as the queue says if absent; 0.001 to 31536000
            s.
        process_date: not to be handed out before; now if absent.
        expiration_date: not to be handed out from then on; 0 or absent: as the queue says.
        mandatory: True, refused if the exchange routes it to no queue; False, then it is dropped, and the answer says
            so. True for a direct exchange if absent, else False.
        client: the producer's name for this start of it; with sequence: resent messages are there once; at most 128
            bytes.
        sequence: the number of this message by this client.
        """
        params = given(
            table=self.table,
            exchange=exchange,
            routing_key=routing_key or None,
            **either("body", body or None),
            properties=json_text(properties),
            group=group,
            priority=priority,
            lease=span(lease),
            process_date=when(process_date),
            expiration_date=when(expiration_date),
            mandatory=flag(mandatory),
            client=client,
            sequence=sequence,
        )
        return one(self._numbered("SEND", params), "SENT", record(Sent), _SENT)

    def acquire(
        self,
        queue: str | None = None,
        count: int = 1,
        *,
        queues: str | None = None,
        lease: Duration | None = None,
        wait: Duration | None = None,
        accept: bool = False,
        worker: str | None = None,
    ) -> Acquired:
        """Hands out the next messages of a queue, each to one consumer until it ends its lease.

        queue: the queue; of any by turns if absent; at most 255 bytes.
        count: how many messages at most; 1 to 1024; 1 if absent.
        queues: several of them, 256 at most, in place of queue: the first message of all of them, by priority, then in
            the order of one queue, without turns; at most 4096 bytes.
        lease: how long the consumer may take; if absent, as the message or its queue says; processing-timeout-min to
            processing-timeout-max; processing-timeout if absent.
        wait: how long to wait for a message when there is none; 0 to 31536000 s; 0 if absent.
        accept: True, they are gone with the answer, without lease and ACCEPT: at most once.
        worker: the consumer's name, for people; peer address and connection if absent; at most 256 bytes.
        """
        params = given(
            table=self.table,
            queue=queue,
            count=count,
            queues=queues,
            lease=span(lease),
            wait=span(wait),
            accept=1 if accept else None,
            worker=worker,
        )
        return acquired_of(self.connection.request("ACQUIRE", params))

    def acquire_message(
        self, message: QueueMessage | int, *, lease: Duration | None = None, worker: str | None = None
    ) -> Acquired:
        """Hands out this message, also before its date, parked, or on a paused queue.

        message: this message alone, in place of queue: also before its date, which is now then, parked, or on a paused
            queue.
        lease: how long the consumer may take; if absent, as the message or its queue says; processing-timeout-min to
            processing-timeout-max; processing-timeout if absent.
        worker: the consumer's name, for people; peer address and connection if absent; at most 256 bytes.
        """
        params = given(table=self.table, message=number_of(message), lease=span(lease), worker=worker)
        return acquired_of(self.connection.request("ACQUIRE", params))

    def touch(self, message: QueueMessage, lease: Duration | None = None) -> int:
        """Renews a lease, and takes it over on a new connection.

        lease: how long from now; processing-timeout-min to processing-timeout-max; processing-timeout if absent.
        Returns: when the lease is over.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=message.table or self.table, message=message.message, epoch=message.epoch, lease=span(lease)
        )
        return number(self.connection.request("TOUCH", params), "TOUCHED", "lease_end")

    def accept(self, message: QueueMessage) -> None:
        """The message is dealt with: it leaves its queue.

        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(table=message.table or self.table, message=message.message, epoch=message.epoch)
        self.connection.request("ACCEPT", params)

    def release(
        self,
        message: QueueMessage,
        *,
        process_date: Date | None = None,
        priority: int | None = None,
        error: str | None = None,
        error_trace: str | None = None,
        failed: bool | None = None,
    ) -> ReturnedMessage:
        """Gives a message back to its place in the queue, as redelivered. With an error it is a failed delivery: after
        the last one it is dead.

        process_date: when it may be handed out again; if absent: at once, or after the back-off of a failed delivery.
        priority: its new priority, as in SEND; it keeps the old one if absent; 0 to 4294967295.
        error: what went wrong, for people. Makes it a failed delivery; 1024 bytes are kept.
        error_trace: where it went wrong, as a traceback, for people. Makes it a failed delivery; 65536 bytes are kept.
        failed: True, a failed delivery, also without error; False, none, also with one.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=message.table or self.table,
            message=message.message,
            epoch=message.epoch,
            process_date=when(process_date),
            priority=priority,
            error=kept(error, 1024),
            error_trace=kept(error_trace, 65536),
            failed=flag(failed),
        )
        return fate_of(self.connection.report("RELEASE", params))

    def reject(
        self, message: QueueMessage, error: str | None = None, error_trace: str | None = None
    ) -> ReturnedMessage:
        """The message can never be dealt with: it goes to the queue's dead letters at once, or is parked where there
        are none.

        error: why, for people; 1024 bytes are kept.
        error_trace: where it went wrong, as a traceback, for people; 65536 bytes are kept.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=message.table or self.table,
            message=message.message,
            epoch=message.epoch,
            error=kept(error, 1024),
            error_trace=kept(error_trace, 65536),
        )
        return fate_of(self.connection.report("REJECT", params))

    def park(
        self,
        message: QueueMessage,
        *,
        priority: int | None = None,
        error: str | None = None,
        error_trace: str | None = None,
    ) -> ReturnedMessage:
        """Puts a message aside: it stays on its queue, parked, until somebody kicks, moves or removes it. No failed
        delivery is counted.

        priority: its new priority, as in SEND; it keeps the old one if absent; 0 to 4294967295.
        error: why, for people; 1024 bytes are kept.
        error_trace: where it went wrong, as a traceback, for people; 65536 bytes are kept.
        Raises: Error stale_epoch, not_leased or unknown_row if the lease is over: then the work is to be dropped.
        """
        params = given(
            table=message.table or self.table,
            message=message.message,
            epoch=message.epoch,
            priority=priority,
            error=kept(error, 1024),
            error_trace=kept(error_trace, 65536),
        )
        return fate_of(self.connection.report("PARK", params))

    def browse(
        self, queue: str | None = None, *, status: str | None = None, body: bool = False, page: int = 100
    ) -> Iterator[QueueMessage]:
        """Shows messages of a queue by their number, without taking them.

        queue: of this queue only; at most 255 bytes.
        status: in this state only; one of "waiting", "due", "behind", "acquired", "parked".
        body: True, with their bodies.
        page: asks for so many at a time; 1 to 1000.
        """
        params = given(table=self.table, queue=queue, status=status, body=1 if body else None, count=page)
        return self._pages("BROWSE", params, "MESSAGE", message_of)

    def count(self, *, queue: str | None = None, status: str | None = None, count: int | None = None) -> int:
        """How many messages of a queue, or of the table, are in a state, counted page by page.

        queue: of this queue only; at most 255 bytes.
        status: in this state only; one of "waiting", "due", "behind", "acquired", "parked".
        count: how many at most; all if absent.
        """
        params = given(table=self.table, queue=queue, status=status)
        return self._all("COUNT", params, count, "COUNTED")

    def read(
        self, message: QueueMessage | int, *, offset: int | None = None, length: int | None = None
    ) -> QueueMessage:
        """Shows one message, or a part of its body.

        offset: from this byte of the body on; 0 if absent.
        length: so many bytes of it at most; with offset or length the body comes as bytes.
        """
        params = given(table=self.table, message=number_of(message), offset=offset, length=length)
        return one(self.connection.request("READ", params), "MESSAGE", message_of)

    def peek(self, queue: str, *, status: str | None = None) -> Iterator[QueueMessage]:
        """Shows the first message of a queue in a state, without taking it: the one that would be handed out, come to
        its date, or be kicked next.

        status: in this state; due if absent, also where the queue is paused; one of "due", "waiting", "behind",
            "parked".
        """
        params = given(table=self.table, queue=queue, status=status)
        return self._pages("PEEK", params, "MESSAGE", message_of)

    def why(self, message: QueueMessage | int) -> dict[str, Any]:
        """Says in a sentence, and in parameters for programs, why a message is where it is."""
        params = given(table=self.table, message=number_of(message))
        return self.connection.request("WHY", params).first.params

    def queues(self) -> Iterator[Queue]:
        """Shows the queues with what is on them, in the order of their names."""
        params = given(table=self.table)
        return self._pages("QUEUES", params, "QUEUE", record(Queue))

    def exchanges(self) -> Iterator[Exchange]:
        """Shows the exchanges, in the order of their names."""
        params = given(table=self.table)
        return self._pages("EXCHANGES", params, "EXCHANGE", record(Exchange))

    def bindings(self, *, exchange: str | None = None, queue: str | None = None) -> Iterator[Binding]:
        """Shows the bindings by their number.

        exchange: of this exchange only; at most 255 bytes.
        queue: of this queue only; at most 255 bytes.
        """
        params = given(table=self.table, exchange=exchange, queue=queue)
        return self._pages("BINDINGS", params, "BINDING", record(Binding))

    def declare(
        self,
        queue: str,
        *,
        temporary: bool | None = None,
        dead_letters: str | None = None,
        max_deliveries: int | None = None,
        max_messages: int | None = None,
        max_bytes: int | None = None,
        when_full: str | None = None,
        lease: Duration | None = None,
        expires: Duration | None = None,
        delay: Duration | None = None,
        max_message_bytes: int | None = None,
        properties: Properties | None = None,
    ) -> str:
        """Makes a queue, or changes its options; or makes an exchange. What is absent stays as it is. A temporary queue
        is not there again after a reconnect.

        temporary: True, it ends with this connection.
        dead_letters: the queue that gets what is rejected, or was delivered too often; empty: they are parked; at most
            255 bytes.
        max_deliveries: a message that failed so often is dead; 0: as the option max-deliveries; 0 to 250.
        max_messages: so many messages at most; 0: no limit; 0 to 4000000000.
        max_bytes: so many bytes of bodies at most; 0: no limit.
        when_full: refuse (SEND), or drop (the first messages, which are dead then); one of "refuse", "drop".
        lease: how long consumers of its messages may take, unless message or ACQUIRE say otherwise; 0: as the option
            processing-timeout; 0 to 31536000 s.
        expires: its messages expire so long after they came, or after their process_date; 0: never; 0 to 315360000 s.
        delay: a message that is sent without process_date is handed out so long after it came; 0: at once; 0 to
            31536000 s.
        max_message_bytes: a body has so many bytes at most; 0: as the option message-size-max; 0 to 67108864.
        properties: what goes with it, one object in JSON, which QUEUES of this queue gives back as it came; empty:
            nothing; at most 8192 bytes.
        Returns: made, changed or unchanged.
        """
        params = given(
            table=self.table,
            queue=queue,
            temporary=flag(temporary),
            dead_letters=dead_letters,
            max_deliveries=max_deliveries,
            max_messages=max_messages,
            max_bytes=max_bytes,
            when_full=when_full,
            lease=span(lease),
            expires=span(expires),
            delay=span(delay),
            max_message_bytes=max_message_bytes,
            properties=json_text(properties),
        )
        return word(self.connection.request("DECLARE", params), "DECLARED", "result")

    def declare_exchange(self, exchange: str, kind: str) -> str:
        """Makes an exchange of this kind.

        kind: direct (routing keys that are equal), fanout (every queue) or topic (patterns); one of "direct", "fanout",
            "topic".
        Returns: made, changed or unchanged.
        """
        params = given(table=self.table, exchange=exchange, kind=kind)
        return word(self.connection.request("DECLARE", params), "DECLARED", "result")

    def remove(self, queue: str, *, if_empty: bool = False) -> None:
        """Removes a queue with its messages and bindings, or an exchange with its bindings. Raises Error not_found,
        also if this was sent again after a loss and carried out before.

        if_empty: True, only a queue without messages.
        """
        params = given(table=self.table, queue=queue, if_empty=1 if if_empty else None)
        self.connection.request("REMOVE", params)

    def remove_exchange(self, exchange: str) -> None:
        """Removes an exchange with its bindings. Raises as `remove` does."""
        params = given(table=self.table, exchange=exchange)
        self.connection.request("REMOVE", params)

    def bind(
        self, exchange: str, queue: str, routing_key: str = "", *, declare: bool = False, temporary: bool = False
    ) -> str:
        """From now on the exchange routes to the queue what fits.

        routing_key: of a direct exchange the routing key; of a topic exchange a pattern, where * stands for a word and
            # for any number of them; at most 255 bytes.
        declare: True, the queue is made if there is none: a durable subscription.
        temporary: True, it is made, and ends with this connection: a subscription that does not last.
        Returns: made or unchanged.
        """
        params = given(
            table=self.table,
            exchange=exchange,
            queue=queue,
            routing_key=routing_key or None,
            declare=1 if declare else None,
            temporary=1 if temporary else None,
        )
        return word(self.connection.request("BIND", params), "BOUND", "result")

    def unbind(self, exchange: str, queue: str, routing_key: str = "") -> None:
        """Ends a binding; messages on the queue stay. Raises as `remove` does.

        routing_key: as in BIND; at most 255 bytes.
        """
        params = given(table=self.table, exchange=exchange, queue=queue, routing_key=routing_key or None)
        self.connection.request("UNBIND", params)

    def purge(self, queue: str, *, status: str | None = None, count: int | None = None) -> int:
        """Drops messages of a queue that are not acquired.

        status: in this state only; both if absent; one of "waiting", "parked".
        count: how many at most; all if absent.
        """
        params = given(table=self.table, queue=queue, status=status)
        return self._all("PURGE", params, count, "PURGED")

    def move(self, queue: str, to: str, *, status: str | None = None, count: int | None = None) -> int:
        """Moves messages of a queue that are not acquired to another queue, in their order and with their attempts
        reset: dead letters back to work; or parked ones of a queue back to its front. Without `to` each dead letter
        goes back to the queue on which it died, in the order of their numbers; others stay. After Disconnected (closed)
        call it again: what was moved is no longer there.

        to: the queue that gets them; the same one for parked messages; if absent, that on which each died; at most 255
            bytes.
        status: in this state only; both if absent; one of "waiting", "parked".
        count: how many at most; all if absent.
        """
        params = given(table=self.table, queue=queue, to=to, status=status)
        return self._all("MOVE", params, count, "MOVED")

    def move_back(self, queue: str, *, status: str | None = None, count: int | None = None) -> int:
        """Moves dead letters of a queue back to the queues on which they died, with their attempts reset.

        status: in this state only; both if absent; one of "waiting", "parked".
        count: how many at most; all if absent.
        """
        params = given(table=self.table, queue=queue, status=status)
        return self._all("MOVE", params, count, "MOVED")

    def kick(self, message: QueueMessage | int, *, status: str | None = None) -> None:
        """Puts a message back to work: a parked one, with its attempts reset; one that waits for its date; or one that
        a consumer has, whose lease is taken back and who is refused from then on. Or so many of a queue: the parked
        ones; those that wait for their date only if none is parked.

        status: of a message: only in this state; one of "waiting", "acquired", "parked".
        """
        params = given(table=self.table, message=number_of(message), status=status)
        self.connection.request("KICK", params)

    def kick_queue(self, queue: str, *, count: int | None = None) -> int:
        """Puts messages of a queue back to work: the parked ones; those that wait for their date only if none is
        parked.

        count: how many at most; all if absent.
        """
        params = given(table=self.table, queue=queue)
        return self._all("KICK", params, count, "KICKED")

    def delete(self, message: QueueMessage | int) -> None:
        """Removes a message that no consumer has."""
        params = given(table=self.table, message=number_of(message))
        self.connection.request("DELETE", params)

    def pause(self, queue: str, *, until: Date | None = None, reason: str | None = None) -> str:
        """Nothing of a queue is handed out any more; leases go on, messages are taken. A queue that is paused already
        gets the new date; one that its first use makes is made.

        until: when it goes on by itself; at RESUME only if absent.
        reason: why, for people; at most 255 bytes.
        Returns: changed or unchanged.
        """
        params = given(table=self.table, queue=queue, until=when(until), reason=reason)
        return word(self.connection.request("PAUSE", params), "PAUSED", "result")

    def resume(self, queue: str) -> str:
        """Ends a PAUSE; who waits for messages is told.

        Returns: changed or unchanged.
        """
        params = given(table=self.table, queue=queue)
        return word(self.connection.request("RESUME", params), "RESUMED", "result")
