# Made by ./mk generate from plugins/pipeline/pipeline.xml and clients/calls/pipeline.toml: do not edit.
"""What the commands of a pipeline table answer. Dates and durations are milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Destination:
    """A destination.

    destination: the destination.
    step: its output in the plan.
    branches: the successors of duplicating routers by which copies arrive there.
    guarantee: at-most-once or at-least-once.
    mode: open, probing (paused, as too much failed there) or shut.
    reason: why it is not open.
    processing: documents found, and to be brought there.
    restart: documents to be brought there again.
    dirty: documents to be brought there again if changed.
    force: documents to be sent again.
    error: documents that failed, and rest.
    batched: documents in batches of workers.
    sending: documents being sent, but for those in doubt.
    sent: documents that have arrived.
    dropped: documents that were dropped.
    dead: documents that failed too often.
    error_doc: documents that failed for good.
    in_doubt: documents that were being sent, and nobody knows whether they arrived.
    with_workers: of all these, documents that workers have for it.
    """

    destination: str
    step: str = ""
    branches: list[str] = field(default_factory=list)
    guarantee: str = ""
    mode: str = ""
    reason: str = ""
    processing: int = 0
    restart: int = 0
    dirty: int = 0
    force: int = 0
    error: int = 0
    batched: int = 0
    sending: int = 0
    sent: int = 0
    dropped: int = 0
    dead: int = 0
    error_doc: int = 0
    in_doubt: int = 0
    with_workers: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """What became of a document.

    event: its number since the start of the daemon.
    date: when it was.
    what: found, changed, handed_out, routed, children_done, in_doubt, forgotten, mode (of a destination), drains,
        resumed (of the table), or the state that it came into.
    document: the document's number.
    uri: where it is, or a child's name; absent if it was forgotten since.
    destination: the destination; absent of what concerns the whole document.
    worker: who has it, or had it.
    failures: so far.
    kind: of a failure.
    error: what went wrong.
    reason: why it was dropped, or why a destination is not open.
    router: who chose.
    chosen: names of steps.
    mode: of a destination: open, probing or shut.
    hash: of its content then.
    operation: delete: its source did not have it any more; absent of all others.
    generation: its version: how often it had changed by then, of a child its original; absent if never.
    parent: of a child: the document that it was made of.
    original: of a child: the document of the source that it was made of.
    children: of children_done: how many there are.
    by: who drains the table.
    """

    event: int
    date: int = 0
    what: str = ""
    document: int = 0
    uri: str = ""
    destination: str = ""
    worker: str = ""
    failures: int = 0
    kind: str = ""
    error: str = ""
    reason: str = ""
    router: str = ""
    chosen: list[str] = field(default_factory=list)
    mode: str = ""
    hash: str = ""
    operation: str = ""
    generation: int = 0
    parent: int = 0
    original: int = 0
    children: int = 0
    by: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A version of the plan.

    plan: its name.
    version: its version.
    documents: documents that were found by it, children among them.
    newest: True, documents are found by this one.
    text: what it says, in one line, for programs.
    xml: the same as the file of a plan.
    """

    plan: str
    version: int = 0
    documents: int = 0
    newest: bool = False
    text: str = ""
    xml: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A source or step of the plan.

    plan: the plan's name.
    version: of the plan.
    step: its name.
    kind: source, safe, idempotent or potent.
    effect: mutating or preserving.
    behind: the sources and steps before it.
    router: by-name, duplicate-all or round-robin, where several steps are behind it.
    copies_max: of by-name: how many successors a document may get.
    guarantee: of an output: at-most-once or at-least-once.
    any_path: True, of an output: one delivery is enough, whatever its path.
    """

    plan: str
    version: int = 0
    step: str = ""
    kind: str = ""
    effect: str = ""
    behind: list[str] = field(default_factory=list)
    router: str = ""
    copies_max: int = 0
    guarantee: str = ""
    any_path: bool = False


@dataclass(frozen=True, slots=True)
class KickedDocument:
    """No worker has it any more.

    document: the document's number.
    count: how many leases were taken back: one for each destination, and one for a run for its children.
    in_doubt: of these, destinations where it is in doubt now; absent: none.
    """

    document: int
    count: int = 0
    in_doubt: int = 0


__all__ = [
    "Destination",
    "Event",
    "KickedDocument",
    "Plan",
    "Step",
]
