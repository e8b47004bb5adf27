"""The Python client (clients/python): the rules of resending, the records that answers become, and the typed calls.

The calls are those of asyncio; make_blocking.py makes the others from them, as it does of what is written by hand.
"""

from __future__ import annotations

import re
import sys
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from .model import OF_MESSAGES, Answer, Call, Command, Parameter, Type, Types

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "clients/python/fastjournal/"
_WIDTH = 120


class Made(NamedTuple):
    """Where the calls of a type stand. base: a class by hand adds to this one, and has the calls of `by_hand`; else it
    is the class itself."""

    module: str
    records: str
    title: str
    base: str = ""
    by_hand: str = ""


_TYPES = {
    "journal": Made("journal_calls", "journal_records", "journal", "JournalCalls", "peek why"),
    "queue": Made("queue_calls", "queue_records", "queue", "QueueCalls"),
    "pipeline": Made(
        "document_calls", "document_records", "pipeline", "DocumentCalls", "failed children_done plans"
    ),
    "keyvalue": Made("key_value", "key_value_records", "key/value"),
    "blob": Made("blobs", "blob_records", "blob"),
    "daemon": Made("daemon_calls", "daemon_records", "daemon"),
}


@dataclass(frozen=True)
class Argument:
    """How Python gives a parameter: its type, its default (empty: it must be given), and what is made of it."""

    type: str
    default: str
    sent: str


_DOCUMENT = "Document | ShownDocument | int"
# Where that does not follow from the declaration: by TYPE.CALL.PARAMETER, or TYPE.PARAMETER.
_ARGUMENTS = {
    "journal.next.count": Argument("int", "1", "count=count"),
    "journal.list.count": Argument("int", "1000", "count=page"),
    "queue.browse.body": Argument("bool", "False", "body=1 if body else None"),
    "queue.body": Argument("Body", '""', '**either("body", body or None)'),
    "queue.properties": Argument("Properties | None", "None", "properties=json_text(properties)"),
    "queue.routing_key": Argument("str", '""', "routing_key=routing_key or None"),
    "queue.message": Argument("QueueMessage | int", "", "message=number_of(message)"),
    "queue.acquire.count": Argument("int", "1", "count=count"),
    "queue.declare.temporary": Argument("bool | None", "None", "temporary=flag(temporary)"),
    "pipeline.found.hash": Argument("str", '""', "hash=hash or None"),
    "pipeline.next.count": Argument("int", "1", "count=count"),
    "pipeline.reason": Argument("str", '""', "reason=kept(reason, {kept}) or None"),
    "pipeline.chosen": Argument("Iterable[str]", "", 'chosen=" ".join(chosen)'),
    "pipeline.why.document": Argument(_DOCUMENT, "", "document=number_of(document)"),
    "pipeline.kick.document": Argument(_DOCUMENT, "", "document=number_of(document)"),
    "pipeline.document": Argument(f"{_DOCUMENT} | None", "None", "document=number_of(document)"),
    "keyvalue.value": Argument("Value", "", "value=value"),
    "keyvalue.if_value": Argument("Value", "None", "if_value=if_value"),
    "keyvalue.by": Argument("int | float", "1", "by=by"),
    "blob.put.key": Argument("Key | None", "", '**either("key", key)'),
    "blob.key": Argument("Key | None", "None", '**either("key", key)'),
    "blob.data": Argument("bytes", "", "data=data"),
}
# Of those that are given by their place: it may be absent nevertheless.
_OPTIONAL = {"queue.reject.error"}
# Python's words, and what has another name here.
_NAMES = {"from": "from_", "for": "for_", "class": "kind"}
# Here an empty text is as good as none.
_EMPTY_IS_ABSENT = {"journal"}
# A value has its type in Python; and what these calls never had.
_WITHOUT = {
    "journal.touch": "worker",
    "journal.release": "failed",
    "journal.list": "traces",
    "keyvalue.set": "type",
    "queue.touch": "worker",
    "queue.queues": "count",
    "queue.exchanges": "count",
    "queue.bindings": "count",
}
# Options that may be given by their place, too.
_BY_PLACE = {
    "journal.next": "count",
    "journal.touch": "lease",
    "journal.fail": "error_trace",
    "queue.acquire": "queue count",
    "queue.touch": "lease",
    "queue.reject": "error_trace",
    "queue.browse": "queue",
    "queue.bind": "routing_key",
    "queue.unbind": "routing_key",
    "pipeline.next": "source destination count",
    "pipeline.dropped": "destination reason",
    "pipeline.destinations": "destination",
    "pipeline.history": "document",
    "pipeline.retry": "document",
    "pipeline.force": "document",
    "pipeline.drop": "document",
    "pipeline.resolve": "document",
    "pipeline.pause": "reason",
}
# Records by hand, and what reads them: by TYPE.CALL.ANSWER, or TYPE.ANSWER. What a call that leases, or that gives
# back, returns. What stays a dictionary.
_READ_BY_HAND = {
    "journal.ROW": ("Row", "row_of"),
    "queue.MESSAGE": ("QueueMessage", "message_of"),
    "pipeline.documents.DOCUMENT": ("ShownDocument", "shown_of"),
    "pipeline.DOCUMENT": ("Document", "document_of"),
}
_LEASED = {
    "journal": ("Work", "work_of"),
    "queue": ("Acquired", "acquired_of"),
    "pipeline": ("HandedOut", "handed_out_of"),
}
_FATES = {"journal": ("Returned", "returned_of"), "queue": ("ReturnedMessage", "fate_of")}
_DICTIONARIES = {"REASON"}
# The fields of records, where they are not all of the answer in its order. `!`: every answer has it, so that the record
# has no default; else it is the first one alone.
_FIELDS = {
    "journal.INSERTED": "row! result! merges! process_date!",
    "journal.KICKED": "row! process_date",
    "queue.SENT": "message! queues! result! process_date!",
    "queue.BINDING": "binding! exchange! queue! routing_key",
    "pipeline.DESTINATION": "destination! step branches guarantee mode reason processing restart dirty force error"
    " batched sending sent dropped dead error_doc in_doubt with_workers",
    "pipeline.EVENT": "event! date what document uri destination worker failures class error reason router chosen mode"
    " hash operation generation parent original children by",
    "keyvalue.STORED": "key! result timestamp type value",
    "blob.BLOB": "hash! result entry_time begin end length file content_hash data",
}
_FIELD_TYPES = {
    "keyvalue.value": ("Value", "None"),
    "blob.data": ("bytes", 'b""'),
    "daemon.persistent": ("bool", "True"),
    "words": ("list[str]", "field(default_factory=list)"),
    "bytes": ("Key", '""'),
    "flag": ("bool", "False"),
    "string": ("str", '""'),
}
# What else there is to say of a call.
_NOTES = {
    "queue.declare": "A temporary queue is not there again after a reconnect.",
    "queue.move": "After Disconnected (closed) call it again: what was moved is no longer there.",
    "queue.remove": "Raises Error not_found, also if this was sent again after a loss and carried out before.",
    "queue.remove_exchange": "Raises as `remove` does.",
    "queue.unbind": "Raises as `remove` does.",
    "journal.kick": "None: it has expired, and is gone.",
}
# What modules by hand have for the calls.
_KNOWN = {
    ".async_calls": "Calls TableCalls",
    ".messages": "Acquired Body Properties QueueMessage ReturnedMessage acquired_of fate_of message_of number_of",
    ".pipeline": "Document HandedOut ShownDocument document_of handed_out_of number_of shown_of",
    ".rows": "Columns Date Duration Returned Row Work columns_of key_of returned_of row_of work_of",
    ".typed": "Key Value either flag given if_any json_text kept number one record span when word",
    ".wire": "Message",
}
# "the key" says nothing, nor does a limit above this.
_SAYS_NOTHING_FROM = 10**12
_SAYS_NOTHING = re.compile(r"the [\w' ]+(; (or else|without) .*)?")
_NUMBERED = (
    "Changes are numbered under a name that the connection drew: one whose answer was lost is sent again, and counts "
    "once."
)
_UNLESS = " With a condition (if_timestamp, if_value, overwrite) they are not: then Disconnected (closed) is raised."
# These have a condition that no parameter says: there is no such key.
_CONDITIONAL = {"keyvalue.alias"}


# --- text


def _head(sources: str) -> str:
    return f"# Made by ./mk generate from {sources}: do not edit.\n"


def _wrapped(text: str, indent: int, hanging: int = 0) -> str:
    blanks = " " * indent
    return textwrap.fill(
        text, _WIDTH, initial_indent=blanks, subsequent_indent=blanks + " " * hanging, break_on_hyphens=False
    )


def _docstring(paragraph: str, items: list[tuple[str, str]], indent: int) -> str:
    """A paragraph, then a line for each item, with its name before it."""
    blanks = " " * indent
    first = _wrapped(f'"""{_sentence(paragraph)}', indent)
    if not items:
        last = len(first.splitlines()[-1])
        return f'{first}"""\n' if last + 3 <= _WIDTH else f'{first}\n{blanks}"""\n'
    lines = [_wrapped(f"{name}: {_sentence(text)}", indent, hanging=4) for name, text in items]
    return "\n".join([first, "", *lines, f'{blanks}"""\n'])


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


def _laid_out(before: str, items: list[str], behind: str, indent: int) -> str:
    """On one line, or all items on one, or each on its own."""
    blanks = " " * indent
    inner = ", ".join(items)
    if len(line := f"{blanks}{before}{inner}{behind}") <= _WIDTH:
        return f"{line}\n"
    if len(line := f"{blanks}    {inner}") <= _WIDTH:
        return f"{blanks}{before}\n{line}\n{blanks}{behind}\n"
    return f"{blanks}{before}\n" + "".join(f"{blanks}    {item},\n" for item in items) + f"{blanks}{behind}\n"


def _imports(code: str, known: dict[str, set[str]]) -> str:
    """Of the names that the code has."""
    used = set(re.findall(r"\w+", code))
    lines = []
    for module, names in sorted(known.items()):
        if found := sorted(names & used, key=lambda name: (name[0].islower(), name)):
            line = f"from {module} import {', '.join(found)}\n"
            each = "".join(f"    {name},\n" for name in found)
            lines.append(line if len(line) <= _WIDTH else f"from {module} import (\n{each})\n")
    return "".join(lines)


# --- rules


def _rule(commands: list[Command]) -> tuple[str, str, str, bool]:
    """Of a name that several types have: the same, or one that does no harm in the others, as a command without client
    and sequence cannot be numbered."""
    resends = {one.resend for one in commands}
    if resends == {"never", "numbered"} and not any(one.resend == "never" and one.has("client") for one in commands):
        resends = {"numbered"}
    (resend,) = resends
    wait = "wait" if any(one.has("wait") for one in commands) else ""
    (done_before,) = {one.done_before for one in commands}
    return resend, wait, done_before, any(one.gives_back for one in commands)


def _rules(types: Types) -> str:
    by_name: dict[str, list[Command]] = {}
    for kind in types.values():
        for command in kind.commands.values() if kind.of_tables else ():
            by_name.setdefault(command.name, []).append(command)
    rules = {name: _rule(commands) for name, commands in sorted(by_name.items())}
    groups = {"always": "Sent again after a loss.", "numbered": "Sent again if they have client and sequence."}
    groups["never"] = "Known for what they lease."
    text = ""
    for resend, said in groups.items():
        text += f"    # {said}\n"
        for name, rule in rules.items():
            if rule[0] == resend and rule != ("never", "", "", False):
                text += f'    "{name}": ({_words(rule)}),\n'
    return (
        _head("plugins/*/*.xml and src/server/admin/daemon.xml")
        + '"""What is declared of commands: the members of rules.Rule."""\n\n'
        + "from __future__ import annotations\n\n"
        + "# A command that is not here is never sent again.\n"
        + f"OF_TABLES: dict[str, tuple[str, str, str, bool]] = {{\n{text}}}\n\n"
        + "# The daemon's own commands that are sent again.\n"
        + f"OF_DAEMON = (\n{''.join(f'    {chr(34)}{name}{chr(34)},{chr(10)}' for name in types.resent)})\n"
    )


def _words(rule: tuple[str, str, str, bool]) -> str:
    return ", ".join(f'"{word}"' for word in rule[:3]) + f", {rule[3]}"


# --- records


def _fields(kind: Type, answer: Answer) -> list[tuple[Parameter, bool]]:
    """Each with whether an answer always has it."""
    if said := _FIELDS.get(f"{kind.name}.{answer.name}"):
        return [(answer.field(word.rstrip("!")), word.endswith("!")) for word in said.split()]
    fields = kind.fields(answer.name)
    return [(one, one is fields[0]) for one in fields]


def _record(kind: Type, answer: Answer, name: str) -> str:
    lines, docs = [], []
    for one, is_always_there in _fields(kind, answer):
        called = _NAMES.get(one.name, one.name)
        said = _FIELD_TYPES.get(f"{kind.name}.{one.name}")
        said = said or _FIELD_TYPES.get("words" if one.is_words else one.type) or ("int", "0")
        lines.append(f"    {called}: {said[0]}" + ("" if is_always_there else f" = {said[1]}"))
        docs.append((called, _description(one)))
    head = f"@dataclass(frozen=True, slots=True)\nclass {name}:\n"
    return head + _docstring(answer.description, docs, 4) + "\n" + "\n".join(lines) + "\n"


def _returned(kind: Type) -> dict[str, str]:
    """The answers whose records calls return, with the names of these."""
    used = {name for call in kind.calls for name in (call.returns, call.pages)} - _DICTIONARIES
    return {
        answer: record
        for answer, record in kind.records.items()
        if answer in used and f"{kind.name}.{answer}" not in _READ_BY_HAND
    }


def _records(kind: Type) -> str:
    body = "\n\n".join(_record(kind, kind.answers[answer], name) for answer, name in _returned(kind).items())
    names = "".join(f'    "{name}",\n' for name in sorted(_returned(kind).values()))
    imports = "from __future__ import annotations\n\n" + _imports(body, {"dataclasses": {"dataclass", "field"}})
    if typed := _imports(_code(body), {".typed": {"Key", "Value"}}):
        imports += f"\n{typed}"
    title = f"What the commands of {_owner(kind)} answer. Dates and durations are milliseconds"
    return (
        _head(kind.sources) + f'"""{title}."""\n\n{imports}\n\n{body}\n\n__all__ = [\n{names}]\n'
    )


def _owner(kind: Type) -> str:
    return f"a {_TYPES[kind.name].title} table" if kind.of_tables else "the daemon itself"


def _code(text: str) -> str:
    """Without docstrings."""
    return re.sub(r'""".*?"""', "", text, flags=re.S)


# --- calls


def _description(one: Parameter) -> str:
    """For those who call: a flag is True or False."""
    text = OF_MESSAGES.sub("", one.description)
    if one.type == "bytes":
        text = text.replace(", as text", ", as text or bytes")
    if one.type == "flag":
        text = re.sub(r"\b1:", "True,", re.sub(r"\b0:", "False,", text))
        text = re.sub(r"\b1\b", "True", re.sub(r"\b0\b", "False", text))
    return text


def _seconds(value: int | str) -> str:
    return f"{value / 1000:.15g}" if isinstance(value, int) else value


def _limits(one: Parameter) -> str:
    said = [f"one of {', '.join(map(_quoted, one.choices))}"] if one.choices else []
    if one.max is None or (isinstance(one.max, int) and one.max >= _SAYS_NOTHING_FROM):
        pass
    elif one.type == "duration":
        said.append(f"{_seconds(one.min or 0)} to {_seconds(one.max)}{' s' if isinstance(one.max, int) else ''}")
    elif one.type == "integer":
        said.append(f"{one.min or 0} to {one.max}")
    else:
        said.append(f"at most {one.max} bytes")
    if one.kept:
        said.append(f"{one.kept} bytes are kept")
    if one.default is not None and one.type != "flag":
        said.append(f"{_seconds(one.default) if one.type == 'duration' else one.default} if absent")
    return "".join(f"; {words}" for words in said)


class Method:
    """A call as a method of the class."""

    def __init__(self, kind: Type, call: Call) -> None:
        self.kind = kind
        self.call = call
        self.where = f"{kind.name}.{call.name}"
        options = {one.name: one for one in call.options if one.name not in _WITHOUT.get(self.where, "").split()}
        self.by_place = [*call.takes, *(options.pop(name) for name in _BY_PLACE.get(self.where, "").split())]
        # A row is known by its number or its key.
        self.has_key = call.command.columns and options.pop("row", None) is not None
        self.by_name = [*options.values()]

    # What it is given.

    def _is_page(self, one: Parameter) -> bool:
        return bool(self.call.pages) and one.name == "count"

    def _is_most(self, one: Parameter) -> bool:
        return bool(self.call.adds) and one.name == "count"

    def _name(self, one: Parameter) -> str:
        return "page" if self._is_page(one) else _NAMES.get(one.name, one.name)

    def _argument(self, one: Parameter) -> Argument:
        said = _ARGUMENTS.get(f"{self.where}.{one.name}") or _ARGUMENTS.get(f"{self.kind.name}.{one.name}")
        if said:
            return replace(said, sent=said.sent.replace("{kept}", str(one.kept)))
        if self._is_page(one):
            return Argument("int", str(one.default), "count=page")
        if self._is_most(one):
            return Argument("int | None", "None", "")
        name = self._name(one)
        if one.type == "flag" and one.default in (0, 1):
            given = f"1 if {name} else None" if one.default == 0 else f"None if {name} else 0"
            return Argument("bool", str(bool(one.default)), f"{name}={given}")
        empty = " or None" if self.kind.name in _EMPTY_IS_ABSENT and one.name != "client" else ""
        word, value = {
            "bytes": ("Key", ""),
            "date": ("Date", f"when({name})"),
            "duration": ("Duration", f"span({name})"),
            "flag": ("bool", f"flag({name})"),
            "integer": ("int", name),
            "string": ("str", (f"kept({name}, {one.kept})" if one.kept else name) + empty),
        }[one.type]
        sent = f"{name}={value}" if name == one.name else f'**{{"{one.name}": {value}}}'
        if one.type == "bytes":
            sent = f'**either("{name}", {name})'
        if one in self.call.takes and f"{self.where}.{one.name}" not in _OPTIONAL:
            return Argument(word, "", sent)
        return Argument(f"{word} | None", "None", sent)

    def _given(self, one: Parameter) -> str:
        argument = self._argument(one)
        return f"{self._name(one)}: {argument.type}" + (f" = {argument.default}" if argument.default else "")

    def signature(self) -> str:
        call = self.call
        items = ["self"]
        if call.about:
            items.append(f"{call.about}: {self._record(call.about.upper())}")
        if call.command.columns and call.command.kind == "add":
            items.append("columns: Columns")
        if self.has_key:
            items += ["row: int | None = None", *map(self._given, self.by_name), "**key: Any"]
        else:
            items += map(self._given, self.by_place)
            items += ["*", *map(self._given, self.by_name)] if self.by_name else []
        word = "def" if call.pages else "async def"
        return _laid_out(f"{word} {call.name}(", items, f") -> {self.returned()}:", 4)

    # What it returns.

    def _record(self, answer: str) -> str:
        return self._by_hand(answer)[0] or self.kind.records[answer]

    def _read(self, answer: str) -> str:
        return self._by_hand(answer)[1] or f"record({self.kind.records[answer]})"

    def _by_hand(self, answer: str) -> tuple[str, str]:
        found = _READ_BY_HAND.get(f"{self.where}.{answer}") or _READ_BY_HAND.get(f"{self.kind.name}.{answer}")
        return found or ("", "")

    def _answer(self) -> Answer:
        return self.kind.answers[self.call.command.answers[0]]

    def _is_record(self) -> bool:
        return self.call.returns in self.kind.records and self.call.returns not in _DICTIONARIES

    def _may_be_gone(self) -> bool:
        return self.call.or_nothing or "DELETED" in self.call.command.answers

    def returned(self) -> str:
        call = self.call
        if call.pages:
            return f"AsyncIterator[{self._record(call.pages)}]"
        if call.adds:
            return "int"
        if call.leases:
            return _LEASED[self.kind.name][0]
        if call.fate:
            return _FATES[self.kind.name][0]
        if not call.returns:
            return "None"
        if call.returns == "messages":
            return "list[Message]"
        if self._is_record():
            return self._record(call.returns) + (" | None" if self._may_be_gone() else "")
        if call.returns in self.kind.answers:
            return "dict[str, Any]"
        field = self._answer().field(call.returns)
        return "list[str]" if field.is_words else "str" if field.type == "string" else "int"

    # What it does.

    def _mark(self) -> str:
        """What tells one lease of a thing from the others."""
        return "epoch" if self.call.command.has("epoch") else "token"

    def body(self) -> str:
        call = self.call
        items = ["table=self.table"] if self.kind.of_tables else []
        if about := call.about:
            mark = self._mark()
            items = [f"table={about}.table or self.table", f"{about}={about}.{about}", f"{mark}={about}.{mark}"]
        items += filter(None, (self._argument(one).sent for one in [*self.by_place, *self.by_name]))
        items += [f"{name}={value}" for name, value in call.fixed.items()]
        before = "key_of(row, key) | " if self.has_key else ""
        if call.command.columns and call.command.kind == "add":
            before = "columns_of(columns) | "
        return _laid_out(f"params = {before}given(", items, ")", 8) + self._end()

    def _condition(self) -> list[str]:
        """When it must not be sent again: it would be answered by what the first one has done."""
        if self.where in _CONDITIONAL:
            return ["True"]
        names = [one.name for one in self.by_name]
        said = [f"{name} is not None" for name in ("if_timestamp", "if_value") if name in names]
        said += ["not overwrite"] if "overwrite" in names else []
        return [" or ".join(said)] if said else []

    def _end(self) -> str:
        call = self.call
        command = f'"{call.command.name}"'
        if call.pages:
            return f'        return self._pages({command}, params, "{call.pages}", {self._read(call.pages)})\n'
        if call.adds:
            return f'        return await self._all({command}, params, count, "{self._answer().name}")\n'
        if call.numbered:
            reply = f"await self._numbered({', '.join([command, 'params', *self._condition()])})"
        else:
            reply = f"await self.connection.{'report' if call.reports else 'request'}({command}, params)"
        if call.leases:
            return f"        return {_LEASED[self.kind.name][1]}({reply})\n"
        if call.fate:
            return f"        return {_FATES[self.kind.name][1]}({reply})\n"
        if not call.returns:
            return f"        {reply}\n"
        if call.returns == "messages":
            return f"        return ({reply}).messages\n"
        if self._is_record():
            answer = self.kind.answers[call.returns]
            items = [reply, f'"{answer.name}"', self._read(answer.name)]
            items += [f"_{answer.name}"] if _results(answer) else []
            return _laid_out(f"return {'if_any' if self._may_be_gone() else 'one'}(", items, ")", 8)
        if call.returns in self.kind.answers:
            return f"        return ({reply}).first.params\n"
        read = "number" if self.returned() == "int" else "word"
        split = ".split()" if self.returned() == "list[str]" else ""
        return f'        return {read}({reply}, "{self._answer().name}", "{call.returns}"){split}\n'

    def docstring(self) -> str:
        items = []
        if self.call.command.columns and self.call.command.kind == "add":
            items.append(("columns", "by their names; None is an absent value"))
        if self.has_key:
            items.append(("row, key", "the row's number, or else the key columns"))
        for one in [*self.by_place, *self.by_name]:
            if one in self.call.takes and _SAYS_NOTHING.fullmatch(one.description):
                continue
            if self._is_page(one):
                items.append(("page", f"asks for so many at a time; {one.min} to {one.max}"))
            elif self._is_most(one):
                items.append(("count", "how many at most; all if absent"))
            else:
                items.append((self._name(one), _description(one) + _limits(one)))
        if self.call.returns and self.call.returns not in {*self.kind.answers, "messages"}:
            said = _description(self._answer().field(self.call.returns))
            items.append(("Returns", re.sub("^of [A-Z_]+( and [A-Z_]+)*: ", "", said)))
        if self.call.about:
            codes = "stale_epoch, not_leased or unknown_row" if self._mark() == "epoch" else "stale_epoch"
            items.append(("Raises", f"Error {codes} if the lease is over: then the work is to be dropped"))
        note = f" {_NOTES[self.where]}" if self.where in _NOTES else ""
        return _docstring(_sentence(OF_MESSAGES.sub("", self.call.doc)) + note, items, 8)


def _quoted(word: str) -> str:
    return f'"{word}"'


def _results(answer: Answer) -> tuple[str, ...]:
    return next((one.choices for one in answer.fields if one.name == "result"), ())


def _calls(kind: Type) -> str:
    made = _TYPES[kind.name]
    methods = [Method(kind, call) for call in kind.calls if call.name not in made.by_hand.split()]
    code = "".join(one.signature() + one.body() for one in methods)
    body = "\n".join(one.signature() + one.docstring() + one.body() for one in methods)
    known = {module: set(names.split()) for module, names in _KNOWN.items()}
    known[f".{made.records}"] = set(_returned(kind).values())
    # Both have this name, for what they are about.
    known[".messages" if kind.name == "pipeline" else ".pipeline"].discard("number_of")
    outer = {"collections.abc": {"AsyncIterator", "Iterable"}, "typing": {"Any"}}
    base = "TableCalls" if kind.of_tables else "Calls"
    doc = f"{_owner(kind).capitalize()} on a connection, which must outlive it."
    doc += " Every call raises what `Connection.call` does."
    more = f"{_sentence(kind.description)}"
    if any(one.call.numbered for one in methods):
        more += f" {_NUMBERED}"
    if any(one.call.command.has("if_timestamp") for one in methods):
        more += _UNLESS
    imports = "\n".join(filter(None, (_imports(code, outer), _imports(f"{base} {code}", known))))
    words = [(name, _results(kind.answers[name])) for name in _returned(kind)]
    results = "".join(_laid_out(f"_{name} = (", [*map(_quoted, found)], ")", 0) for name, found in words if found)
    if results:
        imports += f"\n# What their `result` may be.\n{results}"
    return (
        _head(kind.sources)
        + f'"""The commands of {_owner(kind)}."""\n\n'
        + f"from __future__ import annotations\n\n{imports}\n\n"
        + f"class {made.base or kind.class_name}({base}):\n"
        + _wrapped(f'"""{doc}', 4)
        + f"\n\n{_wrapped(more, 4)}\n    \"\"\"\n\n{body}"
    )


def files(types: dict[str, Type]) -> dict[str, str]:
    """All files that this module makes."""
    sys.path.insert(0, str(ROOT / "clients/python"))
    from make_blocking import made_of  # noqa: PLC0415

    out = {f"{FOLDER}_rules.py": _rules(types)}
    for name, made in _TYPES.items():
        source = f"async_{made.module}"
        out[f"{FOLDER}{made.records}.py"] = _records(types[name])
        out[f"{FOLDER}{source}.py"] = _calls(types[name])
        out[f"{FOLDER}{made.module}.py"] = made_of(out[f"{FOLDER}{source}.py"], source)
    return out
