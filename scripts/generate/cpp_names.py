"""What the C++ library says in its own way: names, types and orders that its users know."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

# Words that C++ has, or that are none.
WORDS = {
    "void": "nothing", "float": "real", "new": "fresh", "class": "kind", "delete": "erase", "for": "pause", "": "none",
}  # fmt: skip


class Own(NamedTuple):
    """A parameter or a field as C++ has it. code: the statement that sets it from {0}, or that reads it into `out`;
    None: as its type is set and read; empty: none."""

    declared: str
    said: str = ""
    code: str | None = None


@dataclass(frozen=True)
class Names:
    """What C++ says in its own way of a table type. Parameters and fields are MESSAGE.NAME."""

    file: str
    calls: str  # the class of the made calls
    enums: dict[str, str]  # their parameters and fields; the first one has the words. `?`: it may be absent
    structs: dict[str, str]  # of options: the calls that take them. What not all of these have are arguments
    order: dict[str, str]  # of the members of records and structs; others: all as declared
    members: dict[str, Own | None]  # that are not what their declaration makes of them; None: left out
    notes: dict[str, str]  # on enums, records and structs, and what is said of calls beside their declaration
    by_hand: set[str] = field(default_factory=set)  # calls
    called: str = ""  # parameters and fields that have other names
    optional: str = ""  # fields that are absent, not 0
    within: dict[str, str] = field(default_factory=dict)  # what records have besides their members
    messages: dict[str, str] = field(default_factory=dict)  # of calls: what makes their command for pipelining
    work: str = ""  # the struct of what was leased, and its list
    known: str = ""  # a record by hand, which the class by hand reads: of an answer, or of what was given back
    numbered: str = "connection_.call_numbered(command)"


_LEFT_OUT = dict.fromkeys(("TOUCH.worker", "DONE.domain", "DONE.worker"))
_IN_PLACE_OF_KEY = Own("std::string hash{}", code="set_hash(command, {0});")
NAMES = {
    "journal": Names(
        file="journal",
        calls="JournalCalls",
        enums={"PutResult": "INSERTED.result"},
        structs={
            "PutOptions": "put",
            "NextOptions": "next",
            "ReleaseOptions": "release",
            "WhichRows": "peek why delete kick",
            "RowFilter": "list count delete_matching kick_matching",
        },
        order={
            "Row": "table row epoch columns priority process_date insertion_date lease_end timeouts attempts omitted"
            " status worker error error_trace merges expiration_date accepted_date",
            "KickedRow": "row process_date",
            "NextOptions": "count lease wait domain worker",
            "WhichRows": "row columns",
        },
        members=_LEFT_OUT
        | {
            "ROW.columns": Own(
                "std::map<std::string, std::string> columns{}",
                "as of text_of(); without absent values",
                "out.columns = columns_in(message, is_row_parameter);",
            ),
            "ROW.omitted": Own(
                "std::string omitted{}", "columns not possible on this connection, with commas; use PEEK on another one"
            ),
            "ROW.priority": Own("std::uint8_t priority{0}"),
            "PEEK.columns": Own("Params columns{}", "or the columns of its key", "set_columns(command, {0});"),
        },
        notes={
            "PutResult": "merged: into the waiting row of this key. behind: a worker has the row of this key, and this "
            "row waits behind it. duplicate: client and sequence are known, nothing changed. stale: the insertion date "
            "is older than the row's, nothing changed. expired: in a transaction, before the commit.",
            "PutOptions": "client and sequence: both or none; then the connection numbers it.",
            "Row": "A row as returned by NEXT or `deliver`, or as shown by PEEK and LIST (epoch 0, unless you may "
            "manage; what follows `omitted` is only shown).",
            "ReleaseOptions": "With an error the release is a failed attempt: it is counted, the row rests for the "
            "table's back-off (or until the date), and after too many attempts the row is given up. Without an error "
            "nothing is counted, and the row is due at once (or at the date).",
            "WhichRows": "One row, or the rows of a key.",
            "put": "Numbered (Connection::number): a put whose answer was lost is sent again, and counts once.",
            "kick": "Nothing: it has expired, and is gone.",
            "kick_matching": "Without a status: those that are parked.",
        },
        optional="expiration_date accepted_date",
        messages={"put": "insert_of"},
        work="Work rows",
        known="Returned",
    ),
    "keyvalue": Names(
        file="key_value",
        calls="KeyValueCalls",
        enums={
            "ValueType": "PAIR.type SET.type",
            "SetResult": "STORED.result",
            "EraseResult": "DELETED.result",
        },
        structs={
            "SetOptions": "set",
            "GetOptions": "get",
            "Range": "scan",
            "EraseOptions": "delete",
        },
        order={
            "Pair": "table key type value timestamp expiration_date locked worked_on ttl lock_end worked_on_end"
            " persist creation_date modification_date access_date size main_key",
            "SetOptions": "overwrite if_timestamp if_value timestamp expiration_date ttl persist listen client"
            " sequence",
            "GetOptions": "data facts skip_worked_on worked_on expiration_date ttl listen",
            "Range": "prefix from to regex after count data facts skip_worked_on worked_on",
        },
        members={
            "PAIR.value": Own(
                "TypedValue value{}", code="if (Status read = read_value(message, out.value); !read.ok()) return read;"
            ),
            "SET.if_value": Own(
                "std::optional<TypedValue> if_value{}", code='if ({0}) command.set("if_value", value_of(*{0}));'
            ),
            "GET.to": Own("std::optional<std::string> to{}"),
            "GET.after": Own("std::string after{}"),
            "GET.count": Own("std::uint32_t page{0}"),
        },
        notes={
            "SetResult": "Only `stored` changed something now. exists: a value is there already. mismatch: another "
            "value is there than was expected. stale: what is there, or was deleted, has a later timestamp. duplicate: "
            "client and sequence are known: it was carried out before, with whatever result it had then.",
            "SetOptions": "client and sequence: both or none; then the connection numbers it, if it has no condition.",
            "Pair": "A pair. value: void if values were left out; a string that TRUNCATE cut within a character is no "
            "UTF-8. With GetOptions::facts: ttl, lock_end, worked_on_end, persist and the dates.",
            "GetOptions": "expires, ttl and watch are of one key; ttl 0: none from then on.",
            "Range": "All that is given must hold. Keys are compared byte by byte.",
            "rename": "`exists`: the new key is taken, and `overwrite` does not say that its value goes.",
            "lock": "in_use: another client has it locked, see the fact lock_end. A lock belongs to the connection: it "
            "is over when Connection::connects() has grown. One's own is renewed.",
        },
        by_hand={"set", "get", "scan", "add"},
        known="Stored",
        called="expiration_date=expires creation_date=created modification_date=modified access_date=accessed"
        " listen=watch",
        optional="expiration_date ttl lock_end worked_on_end",
        numbered="call_changing(connection_, command)",
    ),
    "queue": Names(
        file="queues",
        calls="QueueCalls",
        enums={
            "SentResult": "SENT.result",
            "ExchangeKind": "EXCHANGE.kind DECLARE.kind",
            "Declared": "DECLARED.result BOUND.result",
        },
        structs={
            "SendOptions": "send publish",
            "AcquireOptions": "acquire",
            "GiveBackOptions": "release",
            "QueueOptions": "declare",
            "BindOptions": "bind",
            "BrowseOptions": "browse",
            "ChangeOptions": "purge move",
            "KickQueueOptions": "kick_queue",
        },
        order={
            "QueueMessage": "table message epoch queue body is_text bytes offset properties exchange routing_key"
            " priority process_date sent_date expiration_date lease_end redelivered deliveries dead_of origin status"
            " worker error error_trace lease leases returns parkings kicks timeouts",
            "Reason": "state text",
            "SendOptions": "binary properties priority process_date expiration_date mandatory client sequence lease",
            "GiveBackOptions": "process_date error failed error_trace priority",
            "BrowseOptions": "queue status body count after",
        },
        members=_LEFT_OUT
        | {
            "SEND.binary": Own("bool binary{false}", "the body is bytes: else it must be UTF-8", ""),
            "SEND.body": Own("std::string_view body", code='set_bytes(command, "body", {0}, options.binary);'),
            "MESSAGE.body": Own(
                "std::string body{}", code='out.body = message.text(message.has("body") ? "body" : "body_binary");'
            ),
            "MESSAGE.is_text": Own("bool is_text{true}", "sent as text", 'out.is_text = !message.has("body_binary");'),
            "REJECT.error": Own("std::string_view error = {}"),
            "READ.offset": None,
            "READ.length": None,
            "BROWSE.count": Own("std::uint32_t page{0}"),
            "BROWSE.after": Own("std::uint64_t after{0}"),
            "DECLARE.temporary": Own("std::optional<bool> temporary{}"),
            "DECLARE.dead_letters": Own("std::optional<std::string> dead_letters{}"),
            "DECLARE.max_deliveries": Own("std::optional<std::uint32_t> max_deliveries{}"),
        },
        notes={
            "SentResult": "duplicate: client and sequence are known, nothing changed. expired: in a transaction, "
            "before the commit.",
            "QueueMessage": "A message as returned by ACQUIRE or `deliver`, or as shown by BROWSE and READ (epoch 0, "
            "unless you may manage).",
            "GiveBackOptions": "With an error it is a failed delivery: after too many the message is dead. Without one "
            "nothing is counted. `failed` says it otherwise.",
            "QueueOptions": "What is absent stays as it is.",
            "ChangeOptions": "What PURGE and MOVE change: messages that no consumer has, in the order of the queue.",
            "read": "unknown_row: there is no such message.",
            "remove": "not_found, also if it was resent after a loss and carried out before.",
            "move": "After `closed` call it again: what was moved is no longer there.",
        },
        by_hand={"browse"},
        optional="expiration_date",
        work="Acquired messages",
        known="ReturnedMessage",
    ),
    "pipeline": Names(
        file="documents",
        calls="DocumentCalls",
        enums={"DocumentChange": "DOCUMENT.change?"},
        structs={
            "FoundOptions": "found",
            "NextDocuments": "next",
            "FailedOptions": "failed",
            "ShownDocuments": "documents",
            "ShownDestinations": "destinations",
            "ShownEvents": "history",
            "DocumentFilter": "retry force drop resolve",
        },
        order={
            "Document": "document token source uri hash change destinations children newer operation check lease_end"
            " connects parent original child states done orphan children_known children_not_done missing_below"
            " in_hands_below failed_below",
            "FoundOptions": "hand_out dry_run gone lease worker",
            "FailedOptions": "error permanent error_trace",
        },
        members={
            "DOCUMENT.children": Own("bool children{false}", "something made of it is missing: take it apart again"),
            "DOCUMENT.operation": Own(
                "bool is_gone{false}",
                "its source does not have it any more: it is to be deleted at its destinations",
                'out.is_gone = message.text("operation") == "delete";',
            ),
            "DOCUMENT.connects": Own(
                "std::uint64_t connects{0}", "Connection::connects() when it was handed out; 0: not known", ""
            ),
            "FAILED.class": Own("std::string_view kind", code='set_error(command, "class", {0}, 64);'),
        },
        notes={
            "DocumentChange": "none: of NEXT. fresh: it was not known. changed: its hash is another one. resume: it is "
            "missing somewhere. processing: likewise, and all of that is with workers, rests, is in doubt or paused. "
            "unchanged: nothing is to be done.",
            "Document": "A document in this worker's hands, or only known. What follows `child` is shown by documents.",
            "DocumentFilter": "Needs one of document, source, destination, kind and status, or `all`.",
            "failed": "`kind` is the class of the failure, of which 64 bytes are kept.",
        },
        within={
            "Document": "using Change = DocumentChange;\n"
            "[[nodiscard]] bool is_mine() const { return token != 0; }  // else nothing was handed out\n\n"
        },
    ),
    "blob": Names(
        file="blob_table",
        calls="BlobTable",
        enums={},
        structs={"StoreOptions": "put", "BlobPart": "get", "MaintainOptions": "maintain"},
        order={
            "Blob": "hash result entry_time begin end length file content_hash data",
            "BlobPart": "offset length hash",
        },
        members={
            "PUT.data": Own("std::string_view data", code='command.set("data", Value::of_binary({0}));'),
            "PUT.hash": _IN_PLACE_OF_KEY,
            "GET.hash": _IN_PLACE_OF_KEY,
            "OMIT.hash": _IN_PLACE_OF_KEY,
            "BLOB.data": Own("std::string data{}", code='out.data = bytes_in(message, "data");'),
        },
        notes={"put": "Numbered (Connection::number): a put whose answer was lost is sent again, and counts once."},
    ),
    "daemon": Names(
        file="daemon",
        calls="Daemon",
        enums={},
        structs={"FetchOptions": "fetch"},
        order={},
        members={
            "TABLE.persistent": Own(
                "bool persistent{true}", code='out.persistent = message.text("persistent") != "0";'
            ),
        },
        notes={},
        called="command=name",
    ),
}
