"""A client of fastjournald, a durable job queue.

    import fastjournal

    with fastjournal.connect("127.0.0.1:4050") as connection:
        pages = connection.journal("pages")
        pages.put({"uri": "http://example.com/"}, priority=20)

`fastjournal.aio` is the same for asyncio; `fastjournal.worker` makes a worker of a function, `fastjournal.consumer` one
for messages of a queue. `connection.queues`, `documents`, `key_value` and `blobs` have the commands of other tables,
`daemon` the daemon's own.
README.md has examples; doc/protocol.md of fastjournal describes every command and error code.
"""

from . import aio
from .blob_records import Blob, Maintaining, StoredBlob
from .blobs import Blobs
from .connection import Connection, connect
from .daemon_calls import Daemon
from .daemon_records import (
    Alert,
    Branch,
    CommandHelp,
    Digest,
    OwnRights,
    Reloaded,
    ShownTable,
    Waiter,
)
from .document_records import Destination, Event, KickedDocument, Plan, Step
from .documents import Documents
from .errors import Disconnected, Error, GiveUp, NotSent, TimedOut
from .journal import Journal
from .journal_records import Domain, DueRows, KickedRow, Put
from .key_value import KeyValue
from .key_value_records import Pair, Stored
from .messages import Acquired, Binding, Exchange, Queue, QueueMessage, ReturnedMessage, Sent
from .notices import Notice
from .options import Options
from .pipeline import Child, Delivery, Document, HandedOut, Sending, ShownDocument
from .queues import Queues
from .rows import PutMany, Returned, Row, Work
from .session import Reply, drawn_name
from .wire import Message
from .worker import Worker, consumer, worker

__version__ = "0.1.0"
__all__ = [
    "Acquired",
    "Alert",
    "Binding",
    "Blob",
    "Blobs",
    "Branch",
    "Child",
    "CommandHelp",
    "Connection",
    "Daemon",
    "Delivery",
    "Destination",
    "Digest",
    "Disconnected",
    "Document",
    "Documents",
    "Domain",
    "DueRows",
    "Error",
    "Event",
    "Exchange",
    "GiveUp",
    "HandedOut",
    "Journal",
    "KeyValue",
    "KickedDocument",
    "KickedRow",
    "Maintaining",
    "Message",
    "NotSent",
    "Notice",
    "Options",
    "OwnRights",
    "Pair",
    "Plan",
    "Put",
    "PutMany",
    "Queue",
    "QueueMessage",
    "Queues",
    "Reloaded",
    "Reply",
    "Returned",
    "ReturnedMessage",
    "Row",
    "Sending",
    "Sent",
    "ShownDocument",
    "ShownTable",
    "Step",
    "Stored",
    "StoredBlob",
    "TimedOut",
    "Waiter",
    "Work",
    "Worker",
    "aio",
    "connect",
    "consumer",
    "drawn_name",
    "worker",
]
