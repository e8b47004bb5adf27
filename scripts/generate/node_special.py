"""What the declarations and clients/calls do not say of the client for Node, which was there before: names and types of
its own, functions by hand, defaults, what an answer always has."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Special:
    """Of a table type: where its calls differ from what the declarations say, in Node alone."""

    # Of the class that is made; a class of that other name, by hand, is derived from it.
    made_class: str = ""
    # Calls that have always ignored options that they do not know.
    ignoring: frozenset[str] = frozenset()
    # An option that this call has always taken, without use.
    also: dict[str, str] = field(default_factory=dict)
    # Calls that are by hand.
    by_hand: frozenset[str] = frozenset()
    # The first argument of calls that take columns, with its type.
    columns: dict[str, str] = field(default_factory=dict)
    # Of these CALL.OPTION another value than the daemon's is sent if none is given.
    defaults: dict[str, str] = field(default_factory=dict)
    # What the next page is asked for with, beside its place.
    carried: dict[str, str] = field(default_factory=dict)
    # How what has client and sequence is sent.
    numbered: str = "numbered"
    # Functions by hand: of an answer, from the message; from its parameters; from all messages ("fate": of what was
    # given back); from a field; for what is made of it.
    from_message: dict[str, str] = field(default_factory=dict)
    from_params: dict[str, str] = field(default_factory=dict)
    from_reply: dict[str, str] = field(default_factory=dict)
    from_field: dict[str, str] = field(default_factory=dict)
    finish: dict[str, str] = field(default_factory=dict)
    # Arguments as parameters of the message: by PARAMETER, CALL.PARAMETER. Options with other names.
    argument: dict[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    # Arguments that may be absent, and those of which an empty one is absent.
    optional: frozenset[str] = frozenset()
    empty_is_absent: frozenset[str] = frozenset()
    # Fields that an answer always has, with what is assumed without (flags: false); "?": it may be undefined.
    always: dict[str, dict[str, str]] = field(default_factory=dict)
    # Fields that these calls never get, by the name of the answer.
    hidden: dict[str, frozenset[str]] = field(default_factory=dict)
    # Types in TypeScript: how names of options begin, or the name by call; those that index.d.ts has: of options, of
    # what is leased, of the answer that leases, of what became of one, of records; by PARAMETER, CALL.PARAMETER,
    # ANSWER.field, CALL.returns.
    prefix: str = ""
    options: dict[str, str] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    lease: str = ""
    leased: str = ""
    # The member of that which has them.
    leases: str = ""
    fate: str = ""
    records: dict[str, str] = field(default_factory=dict)
    # Answers that are read by hand, and whose type is made all the same, under this name.
    fields: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    # What else there is to say of a call.
    notes: dict[str, str] = field(default_factory=dict)


_QUEUE = Special(
    made_class="QueueCalls",
    ignoring=frozenset(
        "acquire touch release reject browse read why queues exchanges bindings remove bind unbind purge move".split()
    ),
    also={"send": "mandatory"},
    from_message={"SENT": "sentOf", "REASON": "reasonOf"},
    from_params={"MESSAGE": "messageFrom"},
    from_reply={"fate": "fateOf"},
    argument={
        "send.body": "...contentOf(body)",
        "publish.body": "...contentOf(body)",
        "properties": "properties: jsonOf(properties)",
    },
    optional=frozenset({"body", "error"}),
    empty_is_absent=frozenset({"routing_key"}),
    always={
        "MESSAGE": dict.fromkeys(
            "message epoch queue bytes priority process_date sent_date deliveries".split(), ""
        ),
        "SENT": {"message": "?", "queues": "0", "result": "", "process_date": "0"},
        "QUEUE": dict.fromkeys("queue messages due acquired parked bytes".split(), "") | {"dead_letters": "''"},
        "EXCHANGE": {"exchange": "", "kind": "", "bindings": ""},
        "BINDING": {"binding": "", "exchange": "", "queue": "", "routing_key": "''"},
    },
    hidden={
        "MESSAGE": frozenset({"body", "properties", "places"}),
        **dict.fromkeys(("SENT", "QUEUE", "EXCHANGE", "BINDING"), frozenset({"table"})),
    },
    prefix="Queue",
    options={
        "send": "SendOptions", "publish": "PublishOptions", "acquire": "AcquireOptions", "declare": "QueueOptions",
    },
    lease="LeasedMessage",
    leased="Acquired",
    leases="messages",
    fate="ReturnedMessage",
    records={"MESSAGE": "QueueMessage", "REASON": "Reason"},
    fields={"MESSAGE": "MessageFields"},
    types={"declare_exchange.result": "'made' | 'unchanged'", "properties": "object | string"},
    notes={
        "remove": "`not_found`, also if it was sent again after a loss and carried out before.",
        "move": "After a ClosedError call it again: what was moved is no longer there.",
        "touch": "The lease moves to this connection.",
    },
)  # fmt: skip
_JOURNAL = Special(
    made_class="JournalCalls",
    ignoring=frozenset("next touch done done_and_next release fail list".split()),
    by_hand=frozenset({"peek", "why"}),
    columns={"put": "columns: Columns", "delete": "what: What", "kick": "what: What"},
    defaults={"list.count": "1000"},
    carried={"timeline": "now"},
    from_message={"INSERTED": "putOf"},
    from_params={"ROW": "rowFrom"},
    from_reply={"ROW": "workOf", "fate": "returnedOf"},
    always={
        "ROW": dict.fromkeys(
            "row epoch lease_end priority process_date insertion_date timeouts attempts".split(), ""
        ),
        "KICKED": {"row": ""},
        "DUE": {"from": "0", "to": "0", "rows": "0"},
        "DOMAIN": dict.fromkeys("rows waiting due ready processing weight".split(), "") | {"domain": "''"},
    },
    hidden={"ROW": frozenset({"accepted_date", "places"}), "KICKED": frozenset({"count", "looked", "dry_run"})},
    prefix="Journal",
    options={"put": "PutOptions", "next": "NextOptions"},
    lease="Leased",
    leased="Work",
    fate="Returned",
    records={"INSERTED": "Put", "ROW": "Row"},
    fields={"ROW": "RowFields"},
    types={"ROW.status": "'waiting' | 'due' | 'behind' | 'processing' | 'parked'"},
    notes={
        "put": "Without a client of its own it is numbered under a name that the connection drew: it counts once, and "
        "is sent again after a loss.",
        "touch": "The lease moves to this connection.",
        "kick": "Undefined: it had expired, and is gone.",
    },
)
_KEYVALUE = Special(
    numbered="change",
    finish={"PAIR": "valued", "STORED": "valued"},
    argument={"value": "value: valueOf(value)", "if_value": "if_value: ifValue === null ? '' : ifValue"},
    optional=frozenset({"by"}),
    always={
        "STORED": {"key": "", "result": ""},
        "PAIR": {"key": "", "type": "", "timestamp": "", "value": "?"},
    },
    hidden={"STORED": frozenset({"count"})},
    prefix="KeyValue",
    types={
        "value": "TypedValue",
        "if_value": "TypedValue",
        "by": "number | bigint | string",
        "STORED.value": "Received | null",
        "PAIR.value": "Received | null | undefined",
    },
    notes={
        "set": "A number is an integer if it is a safe one (Number.isSafeInteger), else a float; with `type: 'float'` "
        "it is a float in any case. A bigint is an integer, a string of type string, bytes are a buffer, null is void.",
        "add": "`by`: a number with a fraction, or a text such as '2.0', is a float.",
    },
)
_BLOB = Special(
    optional=frozenset({"key"}),
    always={"STORED": dict.fromkeys("hash entry_time begin end file result".split(), ""),
            "BLOB": dict.fromkeys("hash result entry_time begin end length file content_hash".split(), ""),
            "MAINTAINING": dict.fromkeys("result mode phase file total done".split(), "")},
    hidden={"BLOB": frozenset({"place", "descriptor", "newer", "files"})},
    prefix="Blob",
    types={"data": "string | Uint8Array", "BLOB.data": "Buffer", "BLOB.result": "'found'"},
    notes={
        "put": "Without `key` of the blob with that `hash`.",
        "get": "Without `key` of the blob with that `hash`.",
        "omit": "Without `key` of the blob with that `hash`.",
        "list": "Without their bytes.",
    },
)  # fmt: skip
_STATES = (
    "processing restart dirty force error batched sending sent dropped dead error_doc in_doubt with_workers"
).split()
_DOCUMENT = "Pick<PipelineDocument, 'document'> | number | bigint"
_PIPELINE = Special(
    made_class="DocumentCalls",
    by_hand=frozenset({"failed", "plans"}),
    ignoring=frozenset(
        "found next sent dropped routed children_done release documents destinations why history pause resume".split()
    ),
    defaults={"found.handOut": "true"},
    from_message={"DOCUMENT": "documentOf", "REASON": "reasonOf"},
    from_params={"DOCUMENT": "shownFrom", "DESTINATION": "destinationFrom", "EVENT": "eventFrom"},
    from_reply={"DOCUMENT": "handedOutOf"},
    from_field={"dropped_at": "wordsOf"},
    argument={
        "hand_out": "hand_out: handOut ? undefined : 0",
        "dropped.reason": "reason: errorText(reason)",
        "chosen": "chosen: [...chosen].join(' ')",
        "document": "document: numberOfDocument(document)",
    },
    renamed={"class": "kind"},
    optional=frozenset({"hash"}),
    empty_is_absent=frozenset({"hash"}),
    always={
        "STEP": dict.fromkeys("plan version step kind".split(), ""),
        "KICKED": {"document": "", "count": "0"},
        "DESTINATION": dict.fromkeys((*"destination guarantee mode reason branches".split(), *_STATES), ""),
        "EVENT": dict.fromkeys("event date what chosen".split(), ""),
        "PLAN": dict.fromkeys("plan version documents text xml".split(), ""),
    },
    prefix="Pipeline",
    options={"found": "FoundOptions", "next": "NextDocumentsOptions"},
    given={"retry": "Wish & { ifChanged?: boolean }", "force": "Wish", "drop": "Wish", "resolve": "Wish"},
    lease="LeasedDocument",
    leased="HandedOut",
    records={"DOCUMENT": "PipelineDocument", "DESTINATION": "Destination", "EVENT": "PipelineEvent"},
    fields={"DESTINATION": "Destination", "EVENT": "PipelineEvent", "PLAN": "Plan"},
    types={
        "DESTINATION.branches": "string[]",
        "EVENT.chosen": "string[]",
        "EVENT.mode": "'open' | 'probing' | 'shut'",
        "EVENT.operation": "'delete'",
        "chosen": "Iterable<string>",
        "history.document": _DOCUMENT,
        "routed.dropped_at": "string[]",
        "documents.returns": "ShownDocument",
        "why.returns": "{ document: number | bigint; states: string; text: string }",
    },
)
_DAEMON = Special(
    always={
        "HELP": dict.fromkeys("command type right description".split(), ""),
        "RIGHTS": {"rights": "", "connection": ""},
        "TABLE": {"persistent": "true"} | dict.fromkeys("name type log key columns types description".split(), ""),
        "ALERT": dict.fromkeys("name priority message tags count first last".split(), ""),
        "WAITER": dict.fromkeys("table connection mode since".split(), ""),
        "BRANCH": dict.fromkeys("xid state origin".split(), ""),
        "DIGEST": dict.fromkeys("lsn digest".split(), ""),
        "RELOADED": dict.fromkeys("changes count".split(), ""),
    },
    prefix="Daemon",
)
SPECIAL = {
    "journal": _JOURNAL, "queue": _QUEUE, "keyvalue": _KEYVALUE, "blob": _BLOB, "pipeline": _PIPELINE, "daemon": _DAEMON
}  # fmt: skip
