"""The C++ library (clients/cpp): the rules of all commands, and the typed calls of clients/calls.

A type has made_NAME.h for users (options, records, the class of the calls), made_NAME_messages.h for the library
(options as parameters of commands, the words of enums), and made_NAME.cpp. What is special is by hand, in NAME.h and
NAME.cpp: a class that adds to the made one.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .cpp_names import NAMES, WORDS, Names
from .model import OF_MESSAGES, Answer, Call, Parameter, Type, Types

_WIDTH = 120


# By their declared types; words: several, between blanks.
_TAKEN = {
    "string": "std::string_view",
    "bytes": "std::string_view",
    "columns": "Params const&",
    "duration": "DurationMs",
    "integer": "std::uint64_t",
    "words": "std::vector<std::string> const&",
}
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
    "words": "std::vector<std::string>",
    "flag": "bool",
    "date": "TimeMs",
    "duration": "DurationMs",
    "integer": "std::uint64_t",
}
_OF_LIBRARY = {"client", "sequence", "count"}
_DEFAULTS = {"bool": "{false}", "std::uint64_t": "{0}"}
_ALL = "{UINT64_MAX}"
# How members and arguments become parameters of a command: {0} is its name, {1} their value. How fields are read: {0}
# is their name, {1} the message.
_SETTERS = {
    "Params const&": "set_columns(command, {1});",
    "bool": 'set_flag(command, "{0}", {1});',
    "std::string": 'set_if_any(command, "{0}", {1});',
    "std::uint32_t": 'command.set_integer("{0}", {1});',
    "std::uint64_t": 'command.set("{0}", Value::of_unsigned({1}));',
    "std::vector<std::string> const&": 'set_words(command, "{0}", {1});',
    "DurationMs": 'command.set_integer("{0}", {1}.value);',
    "std::optional<bool>": 'set_truth(command, "{0}", {1});',
    "std::optional<std::string>": 'if ({1}) command.set("{0}", std::string_view{{*{1}}});',
    "std::optional<DurationMs>": 'set_span(command, "{0}", {1});',
    "std::optional<Date>": 'set_date(command, "{0}", {1});',
}
_SET_NUMBER = 'set_number(command, "{0}", {1});'
_READERS = {
    "std::string": '{1}.text("{0}")',
    "std::uint8_t": 'static_cast<std::uint8_t>(number({1}, "{0}"))',
    "std::uint64_t": 'number({1}, "{0}")',
    "std::vector<std::string>": 'words_in({1}, "{0}")',
    "bool": 'number({1}, "{0}") != 0',
    "TimeMs": 'date({1}, "{0}")',
    "std::optional<TimeMs>": 'date_if_any({1}, "{0}")',
    "DurationMs": 'span_if_any({1}, "{0}").value_or(DurationMs{{}})',
    "std::optional<DurationMs>": 'span_if_any({1}, "{0}")',
}
# What is included, and for what; of std: what has another name.
_STD = {"move": "utility", "to_array": "array"}
_INCLUDES = {
    "clients/cpp/answers.h": "command_on|text_of_all|unexpected|set_if_any|number(?=\\()|then(?=\\()",
    "clients/cpp/client.h": "Connection|Params",
    "clients/cpp/command_rule.h": "CommandRule",
    "clients/cpp/date.h": "Date",
    "clients/cpp/error_text.h": "set_error|report",
    "clients/cpp/key_text.h": "set_key|set_hash|key_in|bytes_in|value_of|read_value|call_changing",
    "clients/cpp/typed_value.h": "TypedValue",
    "fastjournal/types.h": "TimeMs|DurationMs",
}

@dataclass(frozen=True)
class Member:
    """A member of a struct, or an argument. parameter: None of the options of a call. code: see cpp_names.Own."""

    ctype: str
    name: str
    default: str
    parameter: Parameter | None = None
    code: str | None = None

    def __str__(self) -> str:
        return f"{self.ctype} {self.name}{self.default}"


# ---- text


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _comment(*sentences: str) -> list[str]:
    text = " ".join(filter(None, sentences))
    return textwrap.wrap(text, _WIDTH - 2, initial_indent="// ", subsequent_indent="// ")


def _block(head: list[str], body: list[str], end: str = "}") -> list[str]:
    return [*head, *("  " + line if line else line for line in body), end, ""]


def _wrapped(head: str, arguments: list[str], tail: str) -> list[str]:
    """HEAD(ARGUMENT, ...)TAIL; where it is too long, arguments stand below each other."""
    text = (f"{head}(" + ",\n".join(arguments) + f"){tail}").replace(" ", "\0")
    below = " " * (len(head) + 1)
    lines = textwrap.wrap(text, _WIDTH - 2, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def _described(members: list[tuple[str, str]]) -> list[str]:
    """Declarations with what is said of them: behind them, some in one column, or above where there is no room."""
    widest = max(len(code) for code, _ in members)
    out = []
    for is_behind, some in itertools.groupby(members, lambda one: widest + len(one[1]) < _WIDTH - 6):
        run = list(some)
        column = max(len(code) for code, _ in run) + 1
        for code, said in run:
            out += [f"{code + ';':{column}}  // {said}"] if is_behind else [*_comment(said), code + ";"]
    return out


def _file(made: str, about: str, body: list[str], own: Iterable[str] = (), is_header: bool = False) -> str:
    code = re.sub("//.*", "", "\n".join(body))
    names = {re.sub(r"^uint\w+", "cstdint", one) for one in re.findall(r"\bstd::(\w+)", code)}
    std = sorted({f"#include <{_STD.get(one, one)}>" for one in names - {"size_t"}})
    used = [one for one, words in _INCLUDES.items() if re.search(rf"\b({words})\b", code)]
    includes = [*std, *([""] if std else []), *sorted(f'#include "{one}"' for one in [*used, *own]), ""]
    head = [f"// Made by ./mk generate from {made}: do not edit.", "// clang-format off", *_comment(about)]
    head += ["#pragma once", "", *includes] if is_header else includes
    return "\n".join([*head, "namespace fastjournal::client {", "", *body, "}  // namespace fastjournal::client", ""])


class _Maker:
    """The files of one table type."""

    def __init__(self, of: Type, names: Names) -> None:
        self.of = of
        self.names = names
        self.calls = [one for one in of.calls if one.name not in names.by_hand]
        self.enum_of = {place.rstrip("?"): enum for enum, said in names.enums.items() for place in said.split()}
        self.leased = next((self.record(one.leases) for one in of.calls if one.leases), "")
        self.struct_of = {call: struct for struct, calls in names.structs.items() for call in calls.split()}

    # ---- what there is

    def record(self, answer: str) -> str:
        return self.of.records.get(answer, answer.capitalize())

    def words(self, enum: str) -> tuple[str, ...]:
        place = self.names.enums[enum].split()[0]
        answer, _, name = place.rstrip("?").partition(".")
        choices = self.of.answers[answer].field(name).choices
        return ("", *choices) if place.endswith("?") else choices

    def find(self, message: str, name: str, known: Iterable[Parameter]) -> Parameter:
        """As it is declared, or as C++ has it alone."""
        found = next((one for one in known if one.name == name), Parameter(name, "string"))
        own = self.names.members.get(f"{message}.{name}")
        return replace(found, description=own.said) if own and own.said else found

    def member(self, message: str, one: Parameter, ctype: str, default: str | None = None) -> Member | None:
        place = f"{message}.{one.name}"
        if place in self.names.members:
            own = self.names.members[place]
            if own is None:
                return None
            parts = re.fullmatch(r"(.+) (\w+)(\{.*\}| = .*)?", own.declared).groups("")
            return Member(*parts, replace(one, min=None, max=None, default=None), own.code)
        ctype = self.enum_of.get(place, ctype)
        if default is None:
            default = _DEFAULTS.get(ctype, "{}")
        called = dict(one.split("=") for one in self.names.called.split())
        return Member(ctype, called.get(one.name) or WORDS.get(one.name, one.name), default, one)

    def option(self, call: Call, one: Parameter) -> Member | None:
        ctype, default = _OPTIONS.get(one.type, ""), None
        if one.name == "count" and (call.pages or call.adds):
            ctype, default = "std::uint64_t", _ALL
        elif one.type == "flag" and one.default in (0, 1):
            ctype, default = "bool", "{true}" if one.default else "{false}"
        elif one.type == "integer" and one.default and one.min:
            ctype, default = "std::uint32_t", f"{{{one.default}}}"
        elif one.type == "integer" and isinstance(one.max, int) and one.max <= 255:
            ctype = "std::optional<std::uint8_t>"
        return self.member(call.command.name, one, ctype, default)

    def struct_members(self, struct: str) -> list[Member]:
        """What all calls that take it have."""
        calls = [one for one in self.of.calls if self.struct_of.get(one.name) == struct]
        of_all = set.intersection(*({option.name for option in one.options} for one in calls))
        names = self.names.order.get(struct, "").split() or [one.name for one in calls[0].options if one.name in of_all]
        command = calls[0].command
        found = (self.option(calls[0], self.find(command.name, name, command.parameters)) for name in names)
        return [one for one in found if one]

    def arguments(self, call: Call) -> list[Member]:
        """The connection numbers it, and pages are of the library's size, unless a struct of options has these."""
        command = call.command.name
        out = [self.member(command, one, _TAKEN["words" if one.is_words else one.type], "") for one in call.takes]
        if call.command.columns and call.command.kind == "add":
            out.insert(0, Member(_TAKEN["columns"], "columns", "", Parameter("columns", "columns")))
        struct = self.struct_of.get(call.name)
        known = _OF_LIBRARY | {one.parameter.name for one in self.struct_members(struct)} if struct else _OF_LIBRARY
        rest = [self.option(call, one) for one in call.options if one.name not in known]
        for one in filter(None, rest):
            default = one.default and (" = false" if one.ctype == "bool" else " = {}")
            ctype = "std::string_view" if one.ctype == "std::string" else one.ctype
            out.append(replace(one, ctype=ctype, default=default))
        if struct:
            out.append(Member(f"{struct} const&", "options", " = {}"))
        return sorted(out, key=lambda one: (one.default != "", one.parameter is not None))

    def signature(self, call: Call) -> list[str]:
        return [*([f"{self.leased} const& {call.about}"] if call.about else []), *map(str, self.arguments(call))]

    def has_message(self, call: Call) -> bool:
        return call.command.transaction == "promised" and not call.leases

    def called(self, call: Call) -> str:
        return "_".join(WORDS.get(one, one) for one in call.name.split("_"))

    def message(self, call: Call) -> str:
        return self.names.messages.get(call.name, f"{self.called(call)}_of")

    def records(self) -> list[Answer]:
        shown = {name for one in self.of.calls for name in (one.returns, one.pages, one.leases)}
        found = [one for one in self.of.answers.values() if one.name in shown]
        return [one for one in found if self.record(one.name) != self.names.known]

    def fields(self, answer: Answer) -> list[Member]:
        names = self.names.order.get(self.record(answer.name), "").split()
        names = names or [one.name for one in self.of.fields(answer.name)]
        out = []
        for one in (self.find(answer.name, name, answer.fields) for name in names):
            ctype = _FIELDS["words" if one.is_words else one.type]
            ctype = f"std::optional<{ctype}>" if one.name in self.names.optional.split() else ctype
            out.append(self.member(answer.name, one, ctype))
        return out

    # ---- made_NAME.h

    def struct(self, name: str, note: str, members: list[Member]) -> list[str]:
        head = [*_comment(self.names.notes.get(name, note)), f"struct {name} {{"]
        described = _described([(str(one), self.said(one)) for one in members])
        return _block(head, [*self.names.within.get(name, "").splitlines(), *described], "};")

    def said(self, member: Member) -> str:
        one = member.parameter
        said = OF_MESSAGES.sub("", one.description)
        if member.ctype == "bool":
            said = re.sub("^0: ", "false: ", said.split(";")[0].removeprefix("1: "))
        return f"{said} ({limits})" if (limits := one.limits()) and member.default != _ALL else said

    def about(self, call: Call) -> list[str]:
        returns = "Returns how many." if call.adds and "how many" not in call.doc.lower() else ""
        if call.returns and call.returns not in {*self.of.answers, "messages"} and not self.enum_returned(call):
            field = self.of.answers[call.command.answers[0]].field(call.returns)
            returns = f"Returns {re.sub('^of .*: |, between.*', '', field.description)}."
        said = OF_MESSAGES.sub("", call.doc)
        return _comment(said if said.endswith(".") else f"{said}.", returns, self.names.notes.get(call.name, ""))

    def class_(self) -> list[str]:
        name = self.names.calls
        out = ["// `connection` must outlive it."]
        kept = ["Connection& connection_;"]
        made = f"explicit {name}(Connection& connection) : connection_(connection) {{}}"
        if self.of.of_tables:
            kept.append("std::string table_;")
            made = f"{name}(Connection& connection, std::string table)"
            made += " : connection_(connection), table_(std::move(table)) {}"
        out += [made, ""]
        for call in self.calls:
            head = f"[[nodiscard]] {self.shape(call)[0]} {self.called(call)}"
            out += [*self.about(call), *_wrapped(head, self.signature(call), ";")]
        if sent := [one for one in self.calls if self.has_message(one)]:
            out += ["", "// For pipelining and transactions: what these calls send. Texts are borrowed."]
        for call in sent:
            out += _wrapped(f"[[nodiscard]] Message {self.message(call)}", self.signature(call), " const;")
        about = f"// The calls of {self.names.file}.h that are one command each."
        return _block([about, f"class {name} {{", " public:"], out, "")[:-1] + _block([" protected:"], kept, "};")

    def header(self) -> list[str]:
        out = [f"struct {self.names.known};", ""] if self.names.known else []
        for enum in self.names.enums:
            out += _comment(self.names.notes.get(enum, ""))
            words = ", ".join(WORDS.get(one, one) for one in self.words(enum))
            out += [f"enum class {enum} : std::uint8_t {{ {words} }};", ""]
        for answer in self.records():
            name = self.record(answer.name)
            out += self.struct(name, answer.description, self.fields(answer))
            article = "an" if answer.name[0] in "AEIO" else "a"
            out[-1] = f"// From {article} {answer.name}; invalid for any other message."
            out += [f"[[nodiscard]] Result<{name}> {_snake(name)}_of(Message const& message);", ""]
        if self.names.work:
            name, rows = self.names.work.split()
            next_date = "if empty: when there may be one, if the daemon knows it"
            members = [(f"std::vector<{self.leased}> {rows}{{}}", "empty: there is none")]
            members.append(("std::optional<TimeMs> next_date{}", next_date))
            out += _block([f"struct {name} {{"], _described(members), "};")
        for struct in self.names.structs:
            out += self.struct(struct, "", self.struct_members(struct))
        return out + self.class_()

    # ---- made_NAME_messages.h

    def set(self, one: Member, value: str, is_wanted: bool = False) -> str:
        parameter = one.parameter
        if parameter is None:
            struct = one.ctype.removesuffix(" const&")
            return f"set_options(command, {value});" if self.set_members(struct) else ""
        if one.code is not None:
            return one.code.replace("{0}", value)
        name = parameter.name
        if parameter.type == "bytes":
            given = f"if (!{value}.empty()) " if one.ctype == "std::string" else ""
            return f'{given}set_key(command, "{name}", {value});'
        if parameter.kept:
            return f'set_error(command, "{name}", {value}, {parameter.kept});'
        if one.ctype in self.names.enums:
            return f'command.set("{name}", k{one.ctype}Words[static_cast<std::size_t>({value})]);'
        if is_wanted and one.ctype == "std::string_view":
            return f'command.set("{name}", {value});'
        if one.default == "{true}":
            return f'if (!{value}) command.set_integer("{name}", 0);'
        given = f"if ({value} > 0) " if one.default == "{0}" else ""
        ctype = one.ctype.replace("std::string_view", "std::string")
        return given + _SETTERS.get(ctype, _SET_NUMBER).format(name, value)

    def set_members(self, struct: str) -> list[Member]:
        """A count of all pages is not sent."""
        return [one for one in self.struct_members(struct) if one.default != _ALL]

    def set_options(self, struct: str) -> list[str]:
        members = self.set_members(struct)
        head = f"inline void set_options(Message& command, {struct} const& options) {{"
        body = [*filter(None, (self.set(one, f"options.{one.name}") for one in members))]
        return _block([head], body) if members else []

    def reader(self, answer: Answer) -> tuple[list[str], list[str]]:
        """For made_NAME_messages.h, and for made_NAME.cpp. What leases is also read whatever the name of the message:
        a LISTEN about one has a part of it."""
        record, fields = self.record(answer.name), self.fields(answer)
        known = [one for one in fields if one.ctype in self.names.enums]
        words = [f" {'of' if one.name in ('kind', 'type') else 'with'} a known {one.name}" for one in known]
        check = " || ".join([f'message.command != "{answer.name}"', *(f"!{one.name}" for one in known)])
        found = "std::optional<{0}> const {1} = word_in<{0}>(k{0}Words, message.text(\"{1}\"));"
        checks = [found.format(one.ctype, one.name) for one in known]
        checks.append(f'if ({check}) return unexpected(message, "{answer.name}{"".join(words)}");')
        body = [f"{record} out;", *filter(None, map(self.read, fields)), "return out;"]
        head = f"Result<{record}> {_snake(record)}_of(Message const& message) {{"
        if record == self.leased and not known:
            made = _block([f"inline {record} {_snake(record)}_from(Message const& message) {{"], body)
            return made, _block([head], [*checks, f"return {_snake(record)}_from(message);"])
        return [], _block([head], [*checks, *body])

    def read(self, one: Member) -> str:
        name = one.parameter.name
        if one.code is not None:
            return one.code
        if one.ctype in self.names.enums:
            return f"out.{name} = *{name};"
        if one.parameter.type == "bytes":
            return f'out.{one.name} = key_in(message, "{name}");'
        return f"out.{one.name} = {_READERS[one.ctype].format(name, 'message')};"

    def messages(self) -> list[str]:
        out = []
        for enum in self.names.enums:
            words = self.words(enum)
            head = f"inline constexpr std::array<std::string_view, {len(words)}> k{enum}Words{{"
            quoted = ", ".join(f'"{one}"' for one in words)
            out += textwrap.wrap(f"{head}{quoted}}};", _WIDTH, subsequent_indent="    ")
        out += [""] if out else []
        for struct in self.names.structs:
            out += self.set_options(struct)
        return out + [line for answer in self.records() for line in self.reader(answer)[0]]

    # ---- made_NAME.cpp

    def enum_returned(self, call: Call) -> str:
        return self.enum_of.get(f"{call.command.answers[0]}.{call.returns}", "")

    def shape(self, call: Call) -> tuple[str, str]:
        """What it returns, and how that comes from the command."""
        command, owner = call.command, self.of.class_name
        record = self.record(call.pages or call.leases or call.returns)
        read = (f"{owner}::" if record == self.names.known else "") + f"{_snake(record)}_of"
        options = self.struct_members(self.struct_of[call.name]) if call.name in self.struct_of else []
        most = "options.count" if any(one.default == _ALL for one in options) else "UINT64_MAX"
        if call.pages:
            # About one row a count is refused.
            most = f", {most}" if command.has("count") and not command.has("row") else ""
            return f"Result<std::vector<{record}>>", f"all_pages(connection_, command, {read}{most})"
        if call.adds:
            return "Result<std::uint64_t>", f'sum_of_pages(connection_, command, "{call.adds}", {most})'
        sent = "report(connection_, command)" if call.reports else "connection_.call(command)"
        sent = self.names.numbered if call.numbered else sent
        if call.fate:
            return f"Result<{self.names.known}>", f"then({sent}, {owner}::returned_of)"
        if call.leases and self.names.work:
            work, rows = self.names.work.split()
            return f"Result<{work}>", f"leased_by({sent}, &{work}::{rows}, {read})"
        if call.leases:
            read = f"[](Reply const& all) {{ return list_of(all, {read}); }}"
            return f"Result<std::vector<{record}>>", f"then({sent}, {read})"
        if not call.returns:
            return "Status", f"{sent}.status()"
        if call.returns == "messages":
            return "Result<Reply>", sent
        if call.or_nothing or "DELETED" in command.answers[1:]:
            read = f"[](Message const& answer) {{ return if_any(answer, {read}); }}"
            return f"Result<std::optional<{record}>>", f"then({sent}, {read})"
        if call.returns in self.of.answers:
            return f"Result<{record}>", f"then({sent}, {read})"
        returned = f"then({sent}, [](Message const& answer) -> Result<{{0}}> {{{{\n  return {{1}};\n}}}})"
        if enum := self.enum_returned(call):
            wanted = " or ".join(one.split(".")[0] for one in self.names.enums[enum].split())
            read = f'known_word<{enum}>(k{enum}Words, answer, "{call.returns}", "{wanted}")'
            return f"Result<{enum}>", returned.format(enum, read)
        answer = self.of.answers[command.answers[0]]
        field = answer.field(call.returns)
        if answer.counted:
            return "Result<std::string>", f'text_of_all({sent}, "{field.name}")'
        ctype = _FIELDS["words" if field.is_words else field.type]
        return f"Result<{ctype}>", returned.format(ctype, f"{ctype}{{{_READERS[ctype].format(field.name, 'answer')}}}")

    def definition(self, call: Call) -> list[str]:
        arguments = self.arguments(call)
        made = f'command_on(table_, "{call.command.name}")' if self.of.of_tables else f'Message("{call.command.name}")'
        if about := call.about:
            made = f'command_about({about}, "{about}", {about}.{about}, table_, "{call.command.name}")'
        body = [f"Message command = {made};"]
        body += [f'command.set_integer("{name}", {value});' for name, value in call.fixed.items()]
        for number, one in enumerate(arguments):
            is_wanted = one.default == "" and (number == 0 or one.parameter.required)
            body += filter(None, [self.set(one, one.name, is_wanted)])
        signature = [one.split(" = ")[0] for one in self.signature(call)]
        result, ending = self.shape(call)
        owner, out = self.names.calls, []
        if self.has_message(call):
            head = _wrapped(f"Message {owner}::{self.message(call)}", signature, " const {")
            out = _block(head, [*body, "return command;"])
            names = ", ".join(one.split()[-1] for one in signature)
            body = [f"Message command = {self.message(call)}({names});"]
        body += f"return {ending};".splitlines()
        return out + _block(_wrapped(f"{result} {owner}::{self.called(call)}", signature, " {"), body)

    def source(self) -> list[str]:
        out = [line for answer in self.records() for line in self.reader(answer)[1]]
        return out + [line for call in self.calls for line in self.definition(call)]

    def files(self) -> dict[str, str]:
        file, made = self.names.file, self.of.sources
        base = f"clients/cpp/made_{file}"
        about = f"{self.of.description} Options, records, calls: for {file}.h, which has what is special."
        inside = "Options as parameters of commands, and words of enums. Internal to the library."
        return {
            f"{base}.h": _file(made, about, self.header(), is_header=True),
            f"{base}_messages.h": _file(made, inside, self.messages(), [f"{base}.h"], is_header=True),
            f"{base}.cpp": _file(
                made, f"The calls of made_{file}.h.", self.source(), [f"{base}_messages.h", f"clients/cpp/{file}.h"]
            ),
        }


# ---- rules


def _rules(types: Types) -> str:
    tables = [name for name in NAMES if types[name].of_tables]
    every = [command for name in tables for command in types[name].commands.values()]
    body = []
    for name in tables:
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
        body += _block([f"std::span<CommandRule const> {name.replace('keyvalue', 'key_value')}_commands() {{"], table)
    names = textwrap.wrap(", ".join(f'"{name}"' for name in types.resent), 110)
    table = ["static constexpr auto kNames = std::to_array<std::string_view>({", *(f"  {one}" for one in names), "});"]
    body += _block(["std::span<std::string_view const> resent_daemon_commands() {"], [*table, "return kNames;"])
    about = "Which commands may be sent again, wait, and lease: clients/cpp/command_rule.h."
    return _file("plugins/*/*.xml", about, body)


def files(types: Types) -> dict[str, str]:
    out = {"clients/cpp/made_rules.cpp": _rules(types)}
    for name, names in NAMES.items():
        out |= _Maker(types[name], names).files()
    return out
