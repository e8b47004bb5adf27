"""A client of fastjournald, a durable job queue.

    import fastjournal

    with fastjournal.connect("127.0.0.1:4050") as connection:
        pages = connection.journal("pages")
        pages.put({"uri": "http://example.com/"}, priority=20)

`fastjournal.aio` is the same for asyncio; `fastjournal.worker` makes a worker of a function, `fastjournal.consumer` one
for messages of a queue. `connection.queues` and `connection.documents` have the commands of queue and pipeline tables.
README.md has examples; doc/protocol.md of fastjournal describes every command and error code.
"""

from . import aio
from .connection import Connection, connect
from .documents import Documents
from .errors import Disconnected, Error, GiveUp, NotSent, TimedOut
from .journal import Journal
from .messages import Acquired, Binding, Exchange, Queue, QueueMessage, ReturnedMessage, Sent
from .notices import Notice
from .options import Options
from .pipeline import Child, Delivery, Destination, Document, Event, HandedOut, Plan, Sending, ShownDocument
from .queues import Queues
from .rows import Put, PutMany, Returned, Row, Work
from .session import Reply, drawn_name
from .wire import Message
from .worker import Worker, consumer, worker

__version__ = "0.1.0"
__all__ = [
    "Acquired",
    "Binding",
    "Child",
    "Connection",
    "Delivery",
    "Destination",
    "Disconnected",
    "Document",
    "Documents",
    "Error",
    "Event",
    "Exchange",
    "GiveUp",
    "HandedOut",
    "Journal",
    "Message",
    "NotSent",
    "Notice",
    "Options",
    "Plan",
    "Put",
    "PutMany",
    "Queue",
    "QueueMessage",
    "Queues",
    "Reply",
    "Returned",
    "ReturnedMessage",
    "Row",
    "Sending",
    "Sent",
    "ShownDocument",
    "TimedOut",
    "Work",
    "Worker",
    "aio",
    "connect",
    "consumer",
    "drawn_name",
    "worker",
]
