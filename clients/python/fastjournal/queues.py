# Made from async_queues.py by `python3 clients/python/make_blocking.py`: change that file instead.
"""The commands of a queue table: for producers (send, publish), for consumers (acquire, touch, accept, release,
reject), and for who looks after its queues and exchanges."""

from __future__ import annotations

from collections.abc import Iterator

from .queue_calls import QueueCalls
from .notices import Notice
from .rows import Duration
from .typed import given, span


class Queues(QueueCalls):
    """A queue table on a connection, which must outlive it. Every call raises what `Connection.call` does.

    Messages are numbered under a name that the connection drew: a SEND whose answer was lost is sent again, and counts
    once.
    """

    def listen(
        self,
        queue: str | None = None,
        mode: str = "deliver",
        *,
        credit: int | None = None,
        lease: Duration | None = None,
        worker: str | None = None,
    ) -> None:
        """From now on there are `notices`, also after a reconnect. mode "deliver": leased messages, up to `credit` at
        once (1 to 1024); "wake": when there is something, to one idle listener, who calls `acquire` until there is
        nothing; "row": of each message that becomes due. Messages delivered before a loss are handed out again once the
        table's grace (0) is over."""
        self.connection.listen(
            self.table, **given(queue=queue, mode=mode, credit=credit, lease=span(lease), worker=worker)
        )

    def unlisten(self, queue: str | None = None) -> None:
        """Ends `listen` for this queue, or for the table."""
        self.connection.unlisten(self.table, **given(queue=queue))

    def notices(self, limit: float | None = None) -> Iterator[Notice]:
        """As `Connection.notices`: those of every table that the connection listens to."""
        return self.connection.notices(limit)
