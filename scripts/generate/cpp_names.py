"""What the C++ library says in its own way: names, types and orders that its users know."""

from __future__ import annotations

from dataclasses import dataclass

# Whose rules each function has.
RULES = {
    "journal": "journal_commands",
    "keyvalue": "key_value_commands",
    "queue": "queue_commands",
    "pipeline": "pipeline_commands",
    "blob": "blob_commands",
}


@dataclass(frozen=True)
class Names:
    """What C++ says in its own way of a table type. Parameters and fields are MESSAGE.NAME."""

    file: str
    enums: dict[str, str]  # their parameters and fields; the first one has the words
    structs: dict[str, str]  # of options: the calls that take them. Other calls take theirs as arguments
    order: dict[str, str]  # of the members of records and structs; others: all as declared. Empty: by hand
    members: dict[str, str]  # that are not what their declaration makes of them; empty: left out
    public: set[str]  # records that users read themselves from messages
    notes: dict[str, str]  # on enums, records and structs, and what is said of calls beside their declaration
    by_hand: set[str]  # calls
    also: str = ""  # in the class; empty: all of the class is by hand
    fate: str = ""  # the record of what was given back, which returned_of() of the class reads
    ahead: str = ""  # what NAME.h declares, and the class names
    # How a numbered call goes on with {0}, and how bytes are said and read.
    numbered: str = "then_first(connection_.call_numbered(command), {0})"
    set_bytes: str = 'set_bytes(command, "{0}", "{0}_binary", {1}, options.binary);'
    includes: tuple[str, str] = ("", "")  # of made_NAME.h, and of made_NAME_messages.h


NAMES = {
    "queue": Names(
        file="queues",
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
        },
        order={
            "QueueMessage": "table message epoch queue body bytes offset properties exchange routing_key priority"
            " process_date sent_date expiration_date lease_end redelivered deliveries dead_of origin status worker"
            " error error_trace",
            "Reason": "state text",
            "GiveBackOptions": "process_date error failed error_trace",
            "BrowseOptions": "queue status body count after",
        },
        members={
            "MESSAGE.priority": "std::uint8_t priority{0}",
            "MESSAGE.expiration_date": "std::optional<TimeMs> expiration_date{}",
            "TOUCH.worker": "",
            "REJECT.error": "std::string_view error = {}",
            "READ.offset": "",
            "READ.length": "",
            "BROWSE.count": "std::uint32_t page{0}",
            "BROWSE.after": "std::uint64_t after{0}",
            "DECLARE.temporary": "std::optional<bool> temporary{}",
            "DECLARE.dead_letters": "std::optional<std::string> dead_letters{}",
            "DECLARE.max_deliveries": "std::optional<std::uint32_t> max_deliveries{}",
            "PURGE.count": "std::uint64_t count{UINT64_MAX}",
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
        public={"QueueMessage"},
        by_hand={"acquire", "browse"},
        fate="ReturnedMessage",
        ahead="struct Acquired;\nclass Browse;\nstruct QueueListenOptions;\nstruct ReturnedMessage;",
        also="""\
// The next messages, each leased until it is accepted, released or rejected.
[[nodiscard]] Result<Acquired> acquire(AcquireOptions const& options = {});
// Shows messages by their number, without taking them.
[[nodiscard]] Browse browse(BrowseOptions options = {});
// A part of its body.
[[nodiscard]] Result<QueueMessage> read(std::uint64_t message, std::uint64_t offset, std::uint64_t length);
// Remains in force after a reconnect; read the notices with wait_queue_notice. Messages delivered before a loss are
// handed out again once the table's grace (0) is over. A second listen of the same queue changes mode and credit.
[[nodiscard]] Status listen(QueueListenOptions const& options);
[[nodiscard]] Status unlisten(std::string_view queue = {});
// The meaning of the answers to SEND, and to RELEASE or REJECT.
[[nodiscard]] static Result<Sent> sent_of(Message const& answer);
[[nodiscard]] static Result<ReturnedMessage> returned_of(Message const& answer);""",
    ),
    "keyvalue": Names(
        file="key_value",
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
            "Stored": "",
            "Pair": "table key type value timestamp expiration_date locked worked_on ttl lock_end worked_on_end"
            " persist creation_date modification_date access_date size main_key",
            "SetOptions": "overwrite if_timestamp if_value timestamp expiration_date ttl persist listen client"
            " sequence",
            "GetOptions": "data facts skip_worked_on worked_on expiration_date ttl listen",
            "Range": "prefix from to regex after count data facts skip_worked_on worked_on",
        },
        members={
            "PAIR.value": "TypedValue value{}",
            "PAIR.expiration_date": "std::optional<TimeMs> expires{}",
            "PAIR.ttl": "std::optional<DurationMs> ttl{}",
            "PAIR.lock_end": "std::optional<TimeMs> lock_end{}",
            "PAIR.worked_on_end": "std::optional<TimeMs> worked_on_end{}",
            "PAIR.creation_date": "TimeMs created{}",
            "PAIR.modification_date": "TimeMs modified{}",
            "PAIR.access_date": "TimeMs accessed{}",
            "SET.if_value": "std::optional<TypedValue> if_value{}",
            "SET.expiration_date": "std::optional<Date> expires{}",
            "SET.listen": "bool watch{false}",
            "GET.expiration_date": "std::optional<Date> expires{}",
            "GET.listen": "bool watch{false}",
            "GET.to": "std::optional<std::string> to{}",
            "GET.after": "std::string after{}",
            "GET.count": "std::uint32_t page{0}",
        },
        public={"Pair"},
        notes={
            "SetResult": "Only `stored` changed something now. exists: a value is there already. mismatch: another "
            "value is there than was expected. stale: what is there, or was deleted, has a later timestamp. duplicate: "
            "client and sequence are known: it was carried out before, with whatever result it had then.",
            "SetOptions": "client and sequence: both or none; then the connection numbers it, if it has no condition.",
            "Pair": "A pair. value: void if values were left out; a string that TRUNCATE cut within a character is no "
            "UTF-8. With GetOptions::facts: ttl, lock_end, worked_on_end, persist and the dates.",
            "GetOptions": "expires, ttl and watch are of one key; ttl 0: none from then on.",
            "Range": "All that is given must hold. Keys are compared byte by byte.",
        },
        by_hand={"set", "get", "scan", "delete", "add"},
        numbered="then(call(command), {0})",
        set_bytes='set_key(command, "{0}", {1});',
        includes=("clients/cpp/typed_value.h", "clients/cpp/key_text.h"),
    ),
}
# Words that C++ has.
WORDS = {"void": "nothing", "float": "real"}
