"""The C++ library (clients/cpp): the rules of all commands, and the typed calls of clients/calls.

A type with calls has made_NAME.h for users (options, records, the class), made_NAME_messages.h for the library (options
as parameters of commands, records from answers), and made_NAME.cpp (the calls). What is special is in NAME.h, which
includes the first of these, and in NAME.cpp. Where much is special, all of the class is declared there.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from .cpp_names import NAMES, RULES, WORDS, Names
from .model import Answer, Call, Parameter, Type, Types

_WIDTH = 120


# By their declared types.
_TEXT = "std::string_view"
_TAKEN = {"string": _TEXT, "bytes": _TEXT, "duration": "DurationMs", "integer": "std::uint64_t"}
_OPTIONS = {
    "string": "std::string",
    "flag": "std::optional<bool>",
    "date": "std::optional<Date>",
    "duration": "std::optional<DurationMs>",
    "integer": "std::optional<std::uint64_t>",
}
_FIELDS = {
    "string": "std::string",
    "bytes": "std::string",
    "flag": "bool",
    "date": "TimeMs",
    "duration": "DurationMs",
    "integer": "std::uint64_t",
}
_OF_LIBRARY = {"client", "sequence", "count"}
_DEFAULTS = {"bool": "{false}", "std::uint64_t": "{0}"}
# How members and arguments become parameters of a command: {0} is its name, {1} their value. And how fields are read.
_SETTERS = {
    "std::string": 'set_if_any(command, "{0}", {1});',
    "std::string_view": 'set_if_any(command, "{0}", {1});',
    "bool": 'set_flag(command, "{0}", {1});',
    "std::uint32_t": 'command.set_integer("{0}", {1});',
    "std::uint64_t": 'command.set("{0}", Value::of_unsigned({1}));',
    "DurationMs": 'command.set_integer("{0}", {1}.value);',
    "std::optional<TypedValue>": 'if ({1}) command.set("{0}", value_of(*{1}));',
    "std::optional<bool>": 'set_truth(command, "{0}", {1});',
    "std::optional<std::string>": 'if ({1}) command.set("{0}", std::string_view{{*{1}}});',
    "std::optional<std::uint8_t>": 'set_number(command, "{0}", {1});',
    "std::optional<std::uint32_t>": 'set_number(command, "{0}", {1});',
    "std::optional<std::uint64_t>": 'set_number(command, "{0}", {1});',
    "std::optional<DurationMs>": 'set_span(command, "{0}", {1});',
    "std::optional<Date>": 'set_date(command, "{0}", {1});',
}
_READERS = {
    "std::string": 'message.text("{0}")',
    "std::uint8_t": 'static_cast<std::uint8_t>(number(message, "{0}"))',
    "std::uint64_t": 'number(message, "{0}")',
    "bool": 'number(message, "{0}") != 0',
    "TimeMs": 'date(message, "{0}")',
    "std::optional<TimeMs>": 'date_if_any(message, "{0}")',
    "DurationMs": 'span_if_any(message, "{0}").value_or(DurationMs{{}})',
    "std::optional<DurationMs>": 'span_if_any(message, "{0}")',
}


@dataclass(frozen=True)
class Member:
    ctype: str
    name: str
    default: str
    parameter: Parameter

    def __str__(self) -> str:
        return f"{self.ctype} {self.name}{self.default}"


# ---- text


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f'"{one}"' for one in words)


def _comment(*sentences: str) -> list[str]:
    text = " ".join(filter(None, sentences))
    return textwrap.wrap(text, _WIDTH - 2, initial_indent="// ", subsequent_indent="// ")


def _block(head: list[str], body: list[str], end: str = "}") -> list[str]:
    return [*head, *("  " + line if line else line for line in body), end, ""]


def _wrapped(head: str, arguments: list[str], tail: str) -> list[str]:
    """HEAD(ARGUMENT, ...)TAIL; where it is too long, arguments stand below each other."""
    lines = [head + "("]
    for number, argument in enumerate(arguments):
        piece = argument + (")" + tail if argument is arguments[-1] else ",")
        if number and len(lines[-1]) + len(piece) + 3 > _WIDTH:
            lines.append(" " * (len(head) + 1) + piece)
        else:
            lines[-1] += (" " if number else "") + piece
    return lines if arguments else [f"{head}(){tail}"]


def _described(members: list[tuple[str, str]]) -> list[str]:
    """Declarations with what is said of them: behind them where there is room, some in one column."""
    out = []
    for is_short, some in itertools.groupby(members, lambda one: len(one[0]) + len(one[1]) < _WIDTH - 8):
        run = list(some)
        column = max(len(code) for code, _ in run) + 1
        for code, said in run:
            out += [f"{code + ';':{column}}  // {said}"] if is_short else [*_comment(said), code + ";"]
    return out


class _Maker:
    """The files of one table type."""

    def __init__(self, of: Type, names: Names) -> None:
        self.of = of
        self.names = names
        self.calls = [one for one in of.calls if one.name not in names.by_hand]
        self.enum_of = {place: enum for enum, places in names.enums.items() for place in places.split()}
        self.has_text = "options.binary" in names.set_bytes  # or bytes are keys, and text if they can be
        self.leased = next((self.record(one.leases) for one in of.calls if one.leases), "")
        self.struct_of = {call: struct for struct, calls in names.structs.items() for call in calls.split()}

    # ---- what there is

    def record(self, answer: str) -> str:
        return self.of.records.get(answer, answer.capitalize())

    def words(self, enum: str) -> tuple[str, ...]:
        answer, _, name = self.names.enums[enum].split()[0].partition(".")
        return self.of.answers[answer].field(name).choices

    def member(self, message: str, one: Parameter, ctype: str, default: str | None = None) -> Member | None:
        place = f"{message}.{one.name}"
        if place in self.names.members:
            own = re.fullmatch(r"(.+) (\w+)(\{.*\}| = .*)", self.names.members[place])
            return Member(*own.groups(), one) if own else None
        ctype = self.enum_of.get(place, ctype)
        return Member(ctype, one.name, _DEFAULTS.get(ctype, "{}") if default is None else default, one)

    def option(self, command: str, one: Parameter) -> Member | None:
        if one.type == "flag" and one.default in (0, 1):
            return self.member(command, one, "bool", "{true}" if one.default else "{false}")
        if one.type == "integer" and one.default and one.min:
            return self.member(command, one, "std::uint32_t", f"{{{one.default}}}")
        if one.type == "integer" and isinstance(one.max, int) and one.max <= 255:
            return self.member(command, one, "std::optional<std::uint8_t>")
        return self.member(command, one, _OPTIONS.get(one.type, ""))

    def options(self, call: Call) -> list[Member]:
        """What it takes as arguments. The connection numbers it, and pages are of the library's size."""
        found = (self.option(call.command.name, one) for one in call.options if one.name not in _OF_LIBRARY)
        return [one for one in found if one]

    def struct_members(self, struct: str) -> list[Member]:
        """Calls may share it."""
        calls = [one for one in self.of.calls if self.struct_of.get(one.name) == struct]
        command = calls[0].command
        wanted = {option.name for one in calls for option in one.options}
        names = [one.name for one in command.parameters if one.name in wanted]
        names = self.names.order.get(struct, "").split() or names
        return [one for one in (self.option(command.name, command.parameter(name)) for name in names) if one]

    def takes(self, call: Call) -> list[Member]:
        return [self.member(call.command.name, one, _TAKEN[one.type], "") for one in call.takes]

    def arguments(self, call: Call) -> list[str]:
        out = [f"{self.leased} const& {call.about}"] if call.about else []
        out += map(str, self.takes(call))
        if struct := self.struct_of.get(call.name):
            return [*out, f"{struct} const& options = {{}}"]
        for one in self.options(call):
            ctype = "std::string_view" if one.ctype == "std::string" else one.ctype
            out.append(f"{ctype} {one.name} = {'false' if ctype == 'bool' else '{}'}")
        return out

    def records(self) -> list[Answer]:
        shown = {name for one in self.of.calls for name in (one.returns, one.pages, one.leases)}
        found = [one for one in self.of.answers.values() if one.name in shown]
        return [one for one in found if self.names.order.get(self.record(one.name)) != ""]

    def fields(self, answer: Answer) -> list[Member]:
        names = [one.name for one in answer.fields if one.name not in ("table", "after")]
        if order := self.names.order.get(self.record(answer.name)):
            names = order.split()
        return [self.member(answer.name, answer.field(one), _FIELDS[answer.field(one).type]) for one in names]

    # ---- made_NAME.h

    def struct(self, name: str, note: str, members: list[tuple[str, str]]) -> list[str]:
        return _block([*_comment(self.names.notes.get(name, note)), f"struct {name} {{"], _described(members), "};")

    def said(self, message: str, member: Member) -> str:
        one = member.parameter
        limits = "" if f"{message}.{one.name}" in self.names.members else one.limits()
        said = one.description
        if member.ctype == "bool":
            said = re.sub("^0: ", "false: ", said.split(";")[0].removeprefix("1: "))
        return f"{said} ({limits})" if limits else said

    def of_options(self, struct: str) -> list[str]:
        call = next(one for one in self.of.calls if self.struct_of.get(one.name) == struct)
        members = self.struct_members(struct)
        said = [(str(one), self.said(call.command.name, one)) for one in members]
        if self.has_text and any(one.type == "bytes" for one in call.takes):
            said.insert(0, ("bool binary{false}", "the body is bytes; otherwise it must be UTF-8"))
        return self.struct(struct, "", said)

    def of_answer(self, answer: Answer) -> list[str]:
        members = []
        for one in self.fields(answer):
            members.append((str(one), self.said(answer.name, one)))
            if one.parameter.type == "bytes" and self.has_text:
                members.append(("bool is_text{true}", "it was sent as text"))
        return self.struct(self.record(answer.name), answer.description, members)

    def about(self, call: Call) -> list[str]:
        # All pages are read here.
        said = re.sub(r", a page at a time(; the last message has .*?(?=\.))?", "", call.doc)
        returns = "Returns how many." if call.adds else ""
        if call.returns and call.returns not in self.of.answers and not self.enum_returned(call):
            returns = f"Returns {self.of.answers[call.command.answers[0]].field(call.returns).description}."
        return _comment(said, returns, self.names.notes.get(call.name, ""))

    def class_(self) -> list[str]:
        name = self.of.class_name
        made = f"{name}(Connection& connection, std::string table)"
        out = ["// `connection` must outlive it."]
        out += [f"{made} : connection_(connection), table_(std::move(table)) {{}}", ""]
        for call in self.calls:
            result, _ = self.shape(call)
            out += [*self.about(call), *_wrapped(f"[[nodiscard]] {result} {call.name}", self.arguments(call), ";")]
        out += [*self.names.also.splitlines(), ""]
        out += ["// For pipelining and transactions: what these calls send. Texts are borrowed."]
        for call in self.calls:
            if call.command.transaction == "promised":
                out += _wrapped(f"[[nodiscard]] Message {call.name}_of", self.arguments(call), self.const(call) + ";")
        kept = ["Connection& connection_;", "std::string table_;"]
        return _block([f"class {name} {{", " public:"], out, "")[:-1] + _block([" private:"], kept, "};")

    def const(self, call: Call) -> str:
        return " const" if call.about else ""

    def header(self) -> list[str]:
        out = [*self.names.ahead.splitlines(), ""] if self.names.ahead else []
        for enum in self.names.enums:
            out += _comment(self.names.notes.get(enum, ""))
            words = ", ".join(WORDS.get(one, one) for one in self.words(enum))
            out += [f"enum class {enum} : std::uint8_t {{ {words} }};", ""]
        for answer in self.records():
            out += self.of_answer(answer)
            if (name := self.record(answer.name)) in self.names.public:
                out[-1] = f"// From a {answer.name}; invalid for any other message."
                out += [f"[[nodiscard]] Result<{name}> {_snake(name)}_of(Message const& message);", ""]
        for struct in self.names.structs:
            out += self.of_options(struct)
        return out + self.class_() if self.names.also else out

    # ---- made_NAME_messages.h

    def set(self, one: Member, value: str, is_wanted: bool = False) -> str:
        parameter = one.parameter
        if parameter.type == "bytes":
            given = f"if (!{value}.empty()) " if one.ctype == "std::string" else ""
            return given + self.names.set_bytes.format(parameter.name, value)
        if parameter.kept:
            return f'set_error(command, "{parameter.name}", {value}, {parameter.kept});'
        if one.ctype in self.names.enums:
            return f'command.set("{parameter.name}", k{one.ctype}Words[static_cast<std::size_t>({value})]);'
        if is_wanted and one.ctype == "std::string_view":
            return f'command.set("{parameter.name}", {value});'
        if one.default == "{true}":
            return f'if (!{value}) command.set_integer("{parameter.name}", 0);'
        given = f"if ({value} > 0) " if one.default == "{0}" else ""
        return given + _SETTERS[one.ctype].format(parameter.name, value)

    def set_options(self, struct: str) -> list[str]:
        call = next(one for one in self.of.calls if self.struct_of.get(one.name) == struct)
        members = [one for one in self.struct_members(struct) if not (call.adds and one.name == "count")]
        head = f"inline void set_options(Message& command, {struct} const& options) {{"
        return _block([head], [self.set(one, f"options.{one.name}") for one in members])

    def reader(self, answer: Answer) -> tuple[list[str], list[str]]:
        """For made_NAME_messages.h, and for made_NAME.cpp. What leases is also read whatever the name of the message:
        a LISTEN about one has a part of it."""
        record, fields = self.record(answer.name), self.fields(answer)
        known = [one for one in fields if one.ctype in self.names.enums]
        words = [f" {'of' if one.name in ('kind', 'type') else 'with'} a known {one.name}" for one in known]
        check = " || ".join([f'message.command != "{answer.name}"', *(f"!{one.name}" for one in known)])
        checks = [self.word(one.ctype, one.name) for one in known]
        checks.append(f'if ({check}) return unexpected(message, "{answer.name}{"".join(words)}");')
        body = [f"{record} out;"]
        for one in fields:
            body += self.read(one)
        head = f"Result<{record}> {_snake(record)}_of(Message const& message) {{"
        if record == self.leased:
            made = _block([f"inline {record} {_snake(record)}_from(Message const& message) {{"], [*body, "return out;"])
            return made, _block([head], [*checks, f"return {_snake(record)}_from(message);"])
        if record in self.names.public:
            return [], _block([head], [*checks, *body, "return out;"])
        return _block([f"inline {head}"], [*checks, *body, "return out;"]), []

    def read(self, one: Member) -> list[str]:
        name = one.parameter.name
        if one.ctype in self.names.enums:
            return [f"out.{name} = *{name};"]
        if one.ctype == "TypedValue":
            read = ["Result<TypedValue> value = value_in(message);", "if (!value.ok()) return value.status();"]
            read.append(f"out.{one.name} = std::move(value).value();")
            return _block([f'if (message.has("{name}") || message.has("{name}_binary")) {{'], read)[:-1]
        if one.parameter.type == "bytes" and not self.has_text:
            return [f'out.{one.name} = key_in(message, "{name}");']
        if one.parameter.type == "bytes":
            text = f'message.text(out.is_text ? "{name}" : "{name}_binary")'
            return [f'out.is_text = !message.has("{name}_binary");', f"out.{one.name} = {text};"]
        return [f"out.{one.name} = {_READERS[one.ctype].format(name)};"]

    def word(self, enum: str, name: str) -> str:
        return f'std::optional<{enum}> const {name} = word_in<{enum}>(k{enum}Words, message.text("{name}"));'

    def messages(self) -> list[str]:
        out = []
        for enum in self.names.enums:
            words = self.words(enum)
            head = f"inline constexpr std::array<std::string_view, {len(words)}> k{enum}Words{{"
            tail = _quoted(words) + "};"
            out += [head + tail] if len(head + tail) <= _WIDTH else [head, "    " + tail]
        out.append("")
        for struct in self.names.structs:
            out += self.set_options(struct)
        for answer in self.records():
            out += self.reader(answer)[0]
        for enum in dict.fromkeys(filter(None, map(self.enum_returned, self.calls))):
            places = [one.split(".") for one in self.names.enums[enum].split()]
            name = places[0][1]
            wanted = f"{' or '.join(answer for answer, _ in places)} with a known {name}"
            out += _block(
                [f"inline Result<{enum}> {_snake(enum)}_of(Message const& message) {{"],
                [self.word(enum, name), f'if (!{name}) return unexpected(message, "{wanted}");', f"return *{name};"],
            )
        return out

    # ---- made_NAME.cpp

    def enum_returned(self, call: Call) -> str:
        return self.enum_of.get(f"{call.command.answers[0]}.{call.returns}", "")

    def shape(self, call: Call) -> tuple[str, str]:
        """What it returns, and how that comes from the command."""
        if call.pages:
            record = self.record(call.pages)
            return f"Result<std::vector<{record}>>", f"all_pages(connection_, command, {_snake(record)}_of)"
        if call.adds:
            most = "options.count" if call.name in self.struct_of else "UINT64_MAX"
            return "Result<std::uint64_t>", f'sum_of_pages(connection_, command, "{call.adds}", {most})'
        sent = "report(connection_, command)" if call.reports else "connection_.call(command)"
        if call.fate:
            return f"Result<{self.names.fate}>", f"then_first({sent}, returned_of)"
        if not call.returns:
            return "Status", f"{sent}.status()"
        if call.returns in self.of.answers or self.enum_returned(call):
            record = self.enum_returned(call) or self.record(call.returns)
            read = self.names.numbered if call.numbered else f"then_first({sent}, {{0}})"
            return f"Result<{record}>", read.format(f"{_snake(record)}_of")
        ctype = _FIELDS[self.of.answers[call.command.answers[0]].field(call.returns).type]
        if ctype == "TimeMs":
            return f"Result<{ctype}>", f'end_of({sent}, "{call.returns}")'
        read = f"return {ctype}{{{_READERS[ctype].format(call.returns)}}};"
        return f"Result<{ctype}>", f"then_first({sent}, [](Message const& message) -> Result<{ctype}> {{\n  {read}\n}})"

    def definition(self, call: Call) -> list[str]:
        arguments = [one.split(" = ")[0] for one in self.arguments(call)]
        made = f'command_on(table_, "{call.command.name}")'
        if about := call.about:
            made = f'command_about({about}, "{about}", {about}.{about}, table_, "{call.command.name}")'
        body = [f"Message command = {made};"]
        for number, one in enumerate(self.takes(call)):
            body.append(self.set(one, one.name, one.parameter.required or (number == 0 and not one.default)))
        body += [f'command.set_integer("{name}", {value});' for name, value in call.fixed.items()]
        if call.name in self.struct_of:
            body.append("set_options(command, options);")
        else:
            body += [self.set(one, one.name) for one in self.options(call)]
        owner, out = self.of.class_name, []
        if call.command.transaction == "promised":
            head = _wrapped(f"Message {owner}::{call.name}_of", arguments, self.const(call) + " {")
            out = _block(head, [*body, "return command;"])
            body = [f"Message command = {call.name}_of({', '.join(one.split()[-1] for one in arguments)});"]
        result, ending = self.shape(call)
        body += f"return {ending};".splitlines()
        return out + _block(_wrapped(f"{result} {owner}::{call.name}", arguments, " {"), body)

    def source(self) -> list[str]:
        out = [line for answer in self.records() for line in self.reader(answer)[1]]
        return out + [line for call in self.calls for line in self.definition(call)]

    def files(self) -> dict[str, str]:
        name, base = self.of.name, f"clients/cpp/made_{self.names.file}"
        more = [f'#include "{one}"\n' if one else "" for one in self.names.includes]
        made = f"plugins/{name}/{name}.xml and clients/calls/{name}.toml"
        about = f"{self.of.description} Options, records, calls: for {self.names.file}.h, which has what is special."
        return {
            f"{base}.h": _file(made, about, _HEADER_INCLUDES.format(more[0]), self.header()),
            f"{base}_messages.h": _file(
                made,
                "Options as parameters of commands, and records from answers. Internal to the library.",
                _MESSAGES_INCLUDES.format(more[1], base),
                self.messages(),
            ),
            f"{base}.cpp": _file(
                made,
                f"The calls of made_{self.names.file}.h.",
                f'#include "{base}_messages.h"\n#include "clients/cpp/{self.names.file}.h"\n',
                self.source(),
            ),
        }


_HEADER_INCLUDES = """\
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/date.h"
{0}#include "fastjournal/types.h"
"""
_MESSAGES_INCLUDES = """\
#pragma once

#include <array>

#include "clients/cpp/answers.h"
#include "clients/cpp/error_text.h"
{0}#include "{1}.h"
"""


def _file(made: str, about: str, includes: str, body: list[str]) -> str:
    head = [f"// Made by ./mk generate from {made}: do not edit.", "// clang-format off", *_comment(about), includes]
    return "\n".join([*head, "namespace fastjournal::client {", "", *body, "}  // namespace fastjournal::client", ""])


# ---- rules


def _rules(types: Types) -> str:
    every = [command for name in RULES for command in types[name].commands.values()]
    body = []
    for name, function in RULES.items():
        rules = []
        for one in types[name].commands.values():
            if one.resend == "never" and not one.leases:
                continue
            said = {
                "wait": "wait" if one.has("wait") else "",
                "done_before": one.done_before,
                # A connection does not know the type of a table: what the command leases in each.
                "leases": " ".join(other.leases for other in every if one.leases and other.name == one.name),
                "give_back": one.gives_back,
            }
            rule = f'.name = "{one.name}", .resend = Resend::{one.resend}'
            rule += "".join(f', .{key} = "{value}"' for key, value in said.items() if value)
            rules.append(f"  {{{rule}}},")
        table = ["static constexpr auto kCommands = std::to_array<CommandRule>({", *rules, "});", "return kCommands;"]
        body += _block([f"std::span<CommandRule const> {function}() {{"], table)
    names = textwrap.wrap(", ".join(f'"{name}"' for name in types.resent), 110)
    table = ["static constexpr auto kNames = std::to_array<std::string_view>({", *(f"  {one}" for one in names), "});"]
    body += _block(["std::span<std::string_view const> resent_daemon_commands() {"], [*table, "return kNames;"])
    about = "Which commands may be sent again, wait, and lease: clients/cpp/command_rule.h."
    return _file("plugins/*/*.xml", about, '#include <array>\n\n#include "clients/cpp/command_rule.h"\n', body)


def files(types: Types) -> dict[str, str]:
    out = {"clients/cpp/made_rules.cpp": _rules(types)}
    for name, names in NAMES.items():
        out |= _Maker(types[name], names).files()
    return out
