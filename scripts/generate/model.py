"""The declarations of table types and of the daemon (`fastjournal schema --json`), and the calls of clients
(clients/calls), as values.

clients/calls/README.md says what each word of a call means.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

_WORDS_OF_CALL = {
    "name", "command", "doc", "takes", "without", "only_takes", "fixed", "about", "returns", "or_nothing", "leases",
    "fate", "pages", "adds",
}  # fmt: skip
# What descriptions say of messages, and is not so of calls.
OF_MESSAGES = re.compile(
    r"^(a range|of a key|of a queue|of an exchange|many rows|with next=1): |; needs request"
    r"|, in milliseconds|; in lines and JSON as base64|, with next=1|, between blanks|, a page at a time"
    r"|; of a large table a page at a time"
    r"|; (of a key )?the last message has `after` if there (is|are) more( to look at)?"
)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a command, or a field of an answer. `type`: string, bytes (text or bytes: two parameters on the
    wire, NAME and NAME_binary), integer, flag, date, duration, boolean. `min`, `max`, `default`: a number, or the name
    of the table's option that says it."""

    name: str
    type: str
    required: bool = False
    description: str = ""
    min: int | str | None = None
    max: int | str | None = None
    default: int | str | None = None
    choices: tuple[str, ...] = ()
    kept: int = 0

    @property
    def is_words(self) -> bool:
        return self.type == "string" and "between blanks" in self.description

    def limits(self) -> str:
        """For people: "1 to 1024; 1 if absent", "at most 255 bytes"; empty: none."""
        said = []
        if self.type in ("integer", "duration") and self.max is not None:
            said.append(f"{self.min or 0} to {self.max}")
        elif self.max is not None:
            said.append(f"at most {self.max} bytes")
        if self.kept:
            said.append(f"{self.kept} bytes are kept")
        if self.default is not None and self.type != "flag":
            said.append(f"{self.default} if absent")
        return "; ".join(said)


@dataclass(frozen=True)
class Answer:
    name: str
    fields: tuple[Parameter, ...]
    columns: bool
    counted: bool
    description: str

    def field(self, name: str) -> Parameter:
        return next(one for one in self.fields if one.name == name)


@dataclass(frozen=True)
class Command:
    name: str
    parameters: tuple[Parameter, ...]
    answers: tuple[str, ...]
    kind: str
    right: str
    resend: str  # never, always, numbered
    transaction: str  # refused, at-once, promised
    columns: bool
    leases: str
    gives_back: str
    done_before: str
    description: str

    def parameter(self, name: str) -> Parameter:
        return next(one for one in self.parameters if one.name == name)

    def has(self, name: str) -> bool:
        return any(one.name == name for one in self.parameters)


@dataclass(frozen=True)
class Call:
    """A typed call: what clients/calls says of it, with the parameters that it takes. `takes` are given by their place,
    `options` by name."""

    name: str
    command: Command
    doc: str
    takes: tuple[Parameter, ...]
    options: tuple[Parameter, ...]
    fixed: dict[str, int] = field(default_factory=dict)
    about: str = ""  # the parameter that a leased thing is known by: its first argument
    returns: str = ""  # the name of an answer, of a field of the answer, messages, or empty: nothing
    or_nothing: bool = False
    leases: str = ""
    fate: bool = False
    pages: str = ""
    adds: str = ""

    @property
    def numbered(self) -> bool:
        return self.command.resend == "numbered"

    @property
    def reports(self) -> bool:
        """It tells of a failure: older daemons do not know all that it tells."""
        return self.command.has("error_trace")


@dataclass(frozen=True)
class Option:
    """An option of a table. `type`: integer, duration, size, boolean, choice, text, plan."""

    name: str
    type: str
    default: str  # as written: 1h, 64MiB, true
    description: str
    min: int | None = None
    max: int | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Type:
    """A type of tables, or "daemon": the daemon itself, whose commands are about no table, or say which one."""

    name: str
    class_name: str
    commands: dict[str, Command]
    answers: dict[str, Answer]
    records: dict[str, str]  # the name of the record that an answer becomes
    calls: tuple[Call, ...]
    nothing: str
    description: str
    options: tuple[Option, ...] = ()

    @property
    def of_tables(self) -> bool:
        return self.name != "daemon"

    def fields(self, answer: str) -> list[Parameter]:
        """What records of it have: the table is known, and pages are gone through."""
        hidden = ("after", "table") if self.of_tables else ("after",)
        return [one for one in self.answers[answer].fields if one.name not in hidden]

    @property
    def sources(self) -> str:
        folder = f"plugins/{self.name}" if self.of_tables else "src/server/admin"
        return f"{folder}/{self.name}.xml and clients/calls/{self.name}.toml"


def _bound(value: object) -> int | str | None:
    return value["option"] if isinstance(value, dict) else value  # type: ignore[return-value]


def _parameters(declared: list[dict]) -> tuple[Parameter, ...]:
    """NAME beside NAME_binary is one, of text or bytes."""
    names = {one["name"] for one in declared}
    out = []
    for one in declared:
        name = one["name"]
        if name.endswith("_binary") and name.removesuffix("_binary") in names:
            continue
        out.append(
            Parameter(
                name=name,
                type="bytes" if f"{name}_binary" in names else one["type"],
                required=one["required"],
                description=one["description"],
                min=_bound(one.get("min")),
                max=_bound(one.get("max")),
                default=_bound(one.get("default")),
                choices=tuple(one.get("choices", ())),
                kept=one.get("kept", 0),
            )
        )
    return tuple(out)


def _command(declared: dict) -> Command:
    return Command(
        name=declared["name"],
        parameters=_parameters(declared["parameters"]),
        answers=tuple(declared["answers"]),
        kind=declared["kind"],
        right=declared["right"],
        resend=declared["resend"],
        transaction=declared["transaction"],
        columns=declared["columns"],
        leases=declared.get("leases", ""),
        gives_back=declared.get("gives_back", ""),
        done_before=declared.get("done_before", ""),
        description=declared["description"],
    )


def _option(declared: dict) -> Option:
    return Option(
        name=declared["name"],
        type=declared["type"],
        default=declared["default"],
        description=declared["description"],
        min=declared.get("min"),
        max=declared.get("max"),
        choices=tuple(declared.get("choices", ())),
    )


def _call(said: dict, commands: dict[str, Command], where: str) -> Call:
    if unknown := said.keys() - _WORDS_OF_CALL:
        raise ValueError(f"{where}: call {said.get('name')} has unknown words: {', '.join(sorted(unknown))}")
    command = commands[said["command"]]
    takes = tuple(command.parameter(name) for name in said.get("takes", ()))
    hidden = set() if command.kind == "own" else {"table"}
    hidden |= set(said.get("without", ())) | set(said.get("fixed", ())) | {one.name for one in takes}
    if about := said.get("about", ""):
        hidden |= {about, "epoch", "token"}
    if "pages" in said or "adds" in said:
        hidden |= {"after"}
    options = () if said.get("only_takes") else tuple(one for one in command.parameters if one.name not in hidden)
    for name in said.get("without", ()):
        command.parameter(name)  # it must be there
    return Call(
        name=said["name"],
        command=command,
        doc=said.get("doc", command.description),
        takes=takes,
        options=options,
        fixed=said.get("fixed", {}),
        about=about,
        returns=said.get("returns", ""),
        or_nothing=said.get("or_nothing", False),
        leases=said.get("leases", ""),
        fate=said.get("fate", False),
        pages=said.get("pages", ""),
        adds=said.get("adds", ""),
    )


def _type(name: str, declared: dict, file: Path) -> Type:
    said = tomllib.loads(file.read_text()) if file.exists() else {}
    commands = {one["name"]: _command(one) for one in declared["commands"]}
    answers = {
        one["name"]: Answer(
            one["name"], _parameters(one["parameters"]), one["columns"], one["counted"], one["description"]
        )
        for one in declared["answers"]
    }
    return Type(
        name=name,
        class_name=said.get("class", ""),
        commands=commands,
        answers=answers,
        records=said.get("records", {}),
        calls=tuple(_call(one, commands, str(file)) for one in said.get("call", ())),
        nothing=declared.get("nothing", ""),
        description=declared.get("description", "Its figures, who listens, backups, the cluster, and its life."),
        options=tuple(_option(one) for one in declared.get("options", ())),
    )


class Types(dict[str, Type]):
    """All table types, by name, and "daemon"."""

    @property
    def resent(self) -> tuple[str, ...]:
        """The commands of the daemon that may be sent again after a loss."""
        return tuple(sorted(one.name for one in self["daemon"].commands.values() if one.resend == "always"))


def read(schemas: list[bytes], calls: Path) -> Types:
    documents = [json.loads(schema) for schema in schemas]
    declared = {name: one for document in documents for name, one in document["types"].items()}
    declared["daemon"] = documents[0]["daemon"]
    return Types({name: _type(name, one, calls / f"{name}.toml") for name, one in declared.items()})
