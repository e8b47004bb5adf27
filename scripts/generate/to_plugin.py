"""For table types: plugins/TYPE/made.h and made.cpp. A struct of each command with its parameters, and its reader,
with the limits, choices and defaults of TYPE.xml; and the options of a table. What a parameter must be beside that is
checked by hand.
"""

from __future__ import annotations

import re
import textwrap

from generate.model import Command, Option, Parameter, Type

_WIDTH = 120
# What is made of each type.
_COMMANDS_OF = ("journal", "pipeline", "queue")
_OPTIONS_OF = ("blob", "journal", "keyvalue", "pipeline", "queue")
# Where a choice that is given as an empty text is as one that is absent.
_EMPTY_IS_ABSENT = {"journal", "pipeline"}
# By the server, which gives it as Command::worker.
_READ_BY_OTHERS = {"table", "worker"}
# Options that the server, the engine or rows read.
_OPTIONS_READ_BY_OTHERS = {
    "connect", "catalog", "wake-timeout", "one-at-a-time", "domain", "domain-weights", "slow-from", "aging",
    "concurrency", "concurrency-domain", "concurrency-key", "rate", "rate-domain", "write-timeout", "write-rate",
    "file-mode", "file-group",
}  # fmt: skip
# Options that are members of structs which types share: member and struct of rows, and the member there.
_PARTS = {
    "processing-timeout": ("times", "LeaseTimes", "usual"),
    "processing-timeout-min": ("times", "LeaseTimes", "min"),
    "processing-timeout-max": ("times", "LeaseTimes", "max"),
    "processing-timeout-http": ("times", "LeaseTimes", "http"),
    "max-timeouts": ("attempts", "AttemptRules", "max_timeouts"),
    "max-attempts": ("attempts", "AttemptRules", "max_attempts"),
    "max-lifetime-timeouts": ("attempts", "AttemptRules", "max_lifetime"),
    "back-off": ("attempts", "AttemptRules", "formula"),
    "back-off-first": ("attempts", "AttemptRules", "back_off_first"),
    "back-off-factor": ("attempts", "AttemptRules", "back_off_factor"),
    "back-off-max": ("attempts", "AttemptRules", "back_off_max"),
    "back-off-jitter": ("attempts", "AttemptRules", "back_off_jitter"),
    "grace": ("lifetimes", "Lifetimes", "grace"),
    "keep-parked": ("lifetimes", "Lifetimes", "parked"),
    "client-keep": ("lifetimes", "Lifetimes", "client"),
    "keep-groups": ("lifetimes", "Lifetimes", "group"),
    "uniques-max": ("lifetimes", "Lifetimes", "uniques"),
    "priority-words": ("words", "Words", "priorities"),
}
# The structs that a type has; it has their other options on its own.
_PARTS_OF = {
    "journal": ("times", "attempts", "lifetimes", "words"),
    "queue": ("times", "attempts", "lifetimes"),
    "pipeline": ("times",),
}
_HEADER_OF_PART = {"times": "lease_times", "attempts": "attempts", "lifetimes": "timers", "words": "words"}

_UNITS = {
    "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
    "TiB": 1 << 40, "": 1,
}  # fmt: skip
_KEYWORDS = {
    "bool", "case", "class", "default", "delete", "double", "export", "false", "float", "new", "operator", "true",
    "void",
}  # fmt: skip
_RANGE = "model::Range const& {}_range"
_NAMES = "model::PriorityNames const& names"


def _pascal(name: str) -> str:
    return "".join(word.capitalize() for word in re.split("[_-]", name.lower()))


def _snake(name: str) -> str:
    out = name.lower().replace("-", "_")
    return f"{out}_word" if out in _KEYWORDS else out


def _digits(number: int) -> str:
    return f"{number:_}".replace("_", "'")


def _comment(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=f"{indent}// ", subsequent_indent=f"{indent}// ")


def _member(declared: str, description: str) -> list[str]:
    line = f"  {declared};  // {description}"
    return [line] if len(line) <= _WIDTH else [*_comment(description, "  "), f"  {declared};"]


def _head(made_of: str, about: str) -> list[str]:
    return [f"// Made by ./mk generate from {made_of}: do not edit.", "// clang-format off", *_comment(about)]


# --- choices


class _Choices:
    """The enumerations of a type, by parameter and words: WhenFullChoice. Of two lists of one name each is named for
    its first command: BrowseStatus, PurgeStatus."""

    def __init__(self, of_type: Type):
        where = {}
        self._of_options = set()
        for command in of_type.commands.values() if of_type.name in _COMMANDS_OF else ():
            for one in command.parameters:
                if one.choices:
                    where.setdefault((one.name, one.choices), command.name)
        for one in of_type.options if of_type.name in _OPTIONS_OF else ():
            if one.choices:
                key = (one.name.replace("-", "_"), one.choices)
                self._of_options |= {key} - where.keys()
                where.setdefault(key, "table")
        names = [name for name, _ in where]
        self._empty_is_absent = of_type.name in _EMPTY_IS_ABSENT
        self._names = {
            key: f"{_pascal(first)}{_pascal(key[0])}" if names.count(key[0]) > 1 else f"{_pascal(key[0])}Choice"
            for key, first in where.items()
        }

    def name_of(self, one: Parameter | Option) -> str:
        return self._names[(one.name.replace("-", "_"), one.choices)]

    def reader_of(self, one: Parameter) -> str:
        return "read_choice_or_none" if self._empty_is_absent and not one.required else "read_choice"

    def declared(self) -> list[str]:
        out = []
        for key, name in self._names.items():
            words = key[1]
            values = ", ".join(map(_snake, words))
            texts = ", ".join(f'"{word}"' for word in words)
            array = f"inline constexpr std::string_view k{name}Words[] = {{"
            out.append(f"enum class {name} : std::uint8_t {{ {values} }};")
            if key in self._of_options:
                continue
            if len(array) + len(texts) + 2 <= _WIDTH:
                out.append(f"{array}{texts}}};")
            else:
                out += [array, *textwrap.wrap(texts, _WIDTH, initial_indent="    ", subsequent_indent="    "), "};"]
            out += [
                f"[[nodiscard]] constexpr std::string_view name_of({name} one) {{",
                f"  return k{name}Words[static_cast<std::size_t>(one)];",
                "}",
            ]
        return [*out, ""] if out else []


# --- commands


def _smallest(max_value: int | str | None) -> str:
    if not isinstance(max_value, int):
        return "std::uint64_t"
    return next((f"std::uint{bits}_t" for bits in (8, 32) if max_value < 1 << bits), "std::uint64_t")


def _has_range(one: Parameter) -> bool:
    """The limits of a number are options of the table."""
    return one.type in ("integer", "duration") and any(isinstance(it, str) for it in (one.min, one.max, one.default))


def _type_of(one: Parameter, choices: _Choices) -> tuple[str, str]:
    """The type of a member, and its initial value."""
    if one.type == "bytes":
        return "Value const*", "nullptr"
    if one.type == "string" and not one.choices:
        return ("std::string_view" if one.required else "model::Text"), ""
    if one.choices:
        plain, value = choices.name_of(one), ""
    elif one.type == "flag":
        plain, value = "bool", "true" if one.default else "false"
    elif one.type == "date" or one.type == "duration" or _has_range(one):
        plain, value = "std::int64_t", _digits(one.default) if isinstance(one.default, int) else "0"
    else:
        plain, value = _smallest(one.max), _digits(one.default or 0)
    return (plain, value) if one.required or one.default is not None else (f"std::optional<{plain}>", "")


def _parameters(command: Command) -> list[Parameter]:
    """None of commands that take texts as they come."""
    out = [one for one in command.parameters if one.name not in _READ_BY_OTHERS]
    return out if any(one.type != "string" or one.required or one.max or one.choices for one in out) else []


def _is_named(one: Parameter) -> bool:
    """A number for which the table has words."""
    return one.name == "priority" and one.max == 255


def _arguments(command: Command) -> str:
    ranges = [_RANGE.format(one.name) for one in _parameters(command) if _has_range(one)]
    ranges += [_NAMES for one in _parameters(command) if _is_named(one)]
    return ", ".join(["Command const& command", "Decision& decision", *ranges])


def _struct(command: Command, choices: _Choices) -> list[str]:
    out = [*_comment(f"{command.name}. {command.description}"), f"struct {_pascal(command.name)} {{"]
    for one in _parameters(command):
        declared, value = _type_of(one, choices)
        out += _member(f"{declared} {_snake(one.name)}{{{value}}}", one.description)
        if one.type == "bytes":
            out += _member(f"{declared} {_snake(one.name)}_binary{{{value}}}", "or as bytes")
    return [*out, "", f"  [[nodiscard]] bool read({_arguments(command)});", "};", ""]


def _read(one: Parameter, choices: _Choices) -> str:
    to = _snake(one.name)
    if one.choices:
        return f"model::{choices.reader_of(one)}(param, k{choices.name_of(one)}Words, {to}, why)"
    if one.type == "flag":
        return f"model::read_flag(param, {to}, why)"
    if one.type == "date":
        return f"model::read_date(param, decision.asked().value, {to}, why)"
    if one.type == "string":
        how = f"read_text(param, {_digits(one.max)}, {to}, why)" if one.max else f"read_bytes(param, {to})"
        return f"model::{how}"
    if _has_range(one):
        return f"model::read_integer(param, {one.name}_range, {to}, why)"
    if _is_named(one):
        return f"model::read_priority(param, names, {_digits(one.min or 0)}, {_digits(one.max)}, {to}, why)"
    if one.max is None:
        assert one.min == 0, one.name
        return f"model::read_unsigned(param, {to}, why)"
    return f"model::read_integer(param, {_digits(one.min or 0)}, {_digits(one.max)}, {to}, why)"


def _reader(command: Command, choices: _Choices) -> list[str]:
    reads: dict[int, list[tuple[str, str]]] = {}
    for one in _parameters(command):
        if one.type == "bytes":
            for name in (one.name, f"{one.name}_binary"):
                reads.setdefault(len(name), []).append((name, f"{_snake(name)} = &param.value"))
        else:
            reads.setdefault(len(one.name), []).append((one.name, _read(one, choices)))
    out = [f"bool {_pascal(command.name)}::read({_arguments(command)}) {{", "  Status& why = decision.status;"]
    out += [f"  {_snake(one.name)} = {one.name}_range.absent;" for one in _parameters(command) if _has_range(one)]
    out += ["  for (Param const& param : command.message->params()) {", "    switch (param.name.size()) {"]
    for size in sorted(reads):
        out.append(f"      case {size}:")
        for n, (name, read) in enumerate(reads[size]):
            test = f'{"else " if n else ""}if (model::is(param, "{name}"))'
            line = f"        {test} {read};"
            out += [line] if len(line) <= _WIDTH else [f"        {test}", f"          {read};"]
        out.append("        break;")
    return [*out, "      default: break;", "    }", "  }", "  return why.ok();", "}", ""]


# --- options


def _amount(written: str) -> int:
    number, unit = re.fullmatch(r"(\d+)([A-Za-z]*)", written).groups()
    return int(number) * _UNITS[unit]


def _option_member(one: Option, choices: _Choices) -> str:
    if one.type in ("text", "plan"):
        return f"std::string {_snake(one.name)}{{}}"
    if one.type == "boolean":
        return f"bool {_snake(one.name)}{{{one.default}}}"
    if one.type == "choice":
        name = choices.name_of(one)
        return f"{name} {_snake(one.name)}{{{name}::{_snake(one.default)}}}"
    wide = {"duration": "std::int64_t", "size": "std::uint64_t"}.get(one.type) or _smallest(one.max)
    return f"{wide} {_snake(one.name)}{{{_digits(_amount(one.default))}}}"


def _parts(of_type: Type) -> dict[str, str]:
    """Each struct that the type shares with others, by its member."""
    has = _PARTS_OF.get(of_type.name, ())
    found = (_PARTS[one.name] for one in of_type.options if one.name in _PARTS)
    return {member: struct for member, struct, _ in found if member in has}


def _part_of(one: Option, of_type: Type) -> tuple[str, str, str] | None:
    part = _PARTS.get(one.name)
    return part if part and part[0] in _parts(of_type) else None


def _options(of_type: Type, choices: _Choices) -> list[str]:
    out = ["// The options of a table; durations are ms, sizes bytes.", "struct Options {"]
    for one in of_type.options:
        if one.name not in _OPTIONS_READ_BY_OTHERS and not _part_of(one, of_type):
            out += _member(_option_member(one, choices), one.description)
    out += [f"  rows::{struct} {member}{{}};" for member, struct in _parts(of_type).items()]
    return [*out, "", "  [[nodiscard]] static std::span<rows::NamedOption<Options> const> all();", "};", ""]


def _option_table(of_type: Type) -> list[str]:
    out = [
        "std::span<rows::NamedOption<Options> const> Options::all() {",
        "  using rows::into;",
        "  static constexpr auto all = std::to_array<rows::NamedOption<Options>>({",
    ]
    for one in of_type.options:
        if one.name in _OPTIONS_READ_BY_OTHERS:
            out.append(f'      {{"{one.name}"}},  // others read it')
        elif part := _part_of(one, of_type):
            out.append(f'      {{"{one.name}", into<&Options::{part[0]}, &rows::{part[1]}::{part[2]}>}},')
        else:
            out.append(f'      {{"{one.name}", into<&Options::{_snake(one.name)}>}},')
    return [*out, "  });", "  return all;", "}", ""]


# --- files


def _header(of_type: Type, choices: _Choices) -> str:
    name, commands = of_type.name, of_type.name in _COMMANDS_OF
    out = _head(
        f"plugins/{name}/{name}.xml",
        f"The parameters of each command of {name} tables, and the options of a table. A reader takes from a command "
        "what it was given; false: a value is refused, and the decision says why."
        if commands
        else f"The options of {name} tables.",
    )
    standard = {"cstdint", "span", "string"} | ({"cstddef", "optional", "string_view"} if commands else set())
    out += ["#pragma once", "", *(f"#include <{one}>" for one in sorted(standard)), ""]
    ours = {"plugins/rows/table_type.h"}
    ours |= {"fastjournal/message.h", "fastjournal/table.h", "model/given.h"} if commands else set()
    ours |= {f"plugins/rows/{_HEADER_OF_PART[member]}.h" for member in _parts(of_type)}
    out += [f'#include "{one}"' for one in sorted(ours)]
    out += ["", f"namespace fastjournal::{name}::made {{", "", *choices.declared()]
    if commands:
        for command in of_type.commands.values():
            if _parameters(command):
                out += _struct(command, choices)
    if name in _OPTIONS_OF:
        out += _options(of_type, choices)
    return "\n".join([*out, f"}}  // namespace fastjournal::{name}::made", ""])


def _source(of_type: Type, choices: _Choices) -> str:
    name = of_type.name
    out = [*_head(f"plugins/{name}/{name}.xml", ""), f'#include "plugins/{name}/made.h"', "", "#include <array>", ""]
    out += [f"namespace fastjournal::{name}::made {{", ""]
    if name in _COMMANDS_OF:
        for command in of_type.commands.values():
            if _parameters(command):
                out += _reader(command, choices)
    if name in _OPTIONS_OF:
        out += _option_table(of_type)
    return "\n".join([*out, f"}}  // namespace fastjournal::{name}::made", ""])


def files(types: dict[str, Type]) -> dict[str, str]:
    out = {}
    for name in sorted({*_COMMANDS_OF, *_OPTIONS_OF}):
        choices = _Choices(types[name])
        out[f"plugins/{name}/made.h"] = _header(types[name], choices)
        out[f"plugins/{name}/made.cpp"] = _source(types[name], choices)
    return out
