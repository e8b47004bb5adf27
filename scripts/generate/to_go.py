"""The Go client (clients/go): the rules of resending, the records that answers become, and the typed calls.

All is laid out as gofmt would: each field of a struct has a comment above it, so that nothing is aligned.
"""

from __future__ import annotations

import re
import textwrap

from .model import Answer, Call, Command, Parameter, Type, Types

_FOLDER = "clients/go/"
_WIDTH = 118
# What the names of a type's options begin with, as several types have calls of one name.
_PREFIXES = {
    "blob": "Blob", "daemon": "Daemon", "journal": "Journal", "keyvalue": "KeyValue", "pipeline": "Document",
    "queue": "Queue",
}  # fmt: skip
_NAMES = {"uri": "URI", "ttl": "TTL"}
_ARGUMENTS = {"error": "why"}
# Other kinds than those that are declared: by TYPE.NAME, of parameters and fields alike. any: a value of any type;
# raw: bytes alone; words: between blanks; set: true if absent.
_KINDS = {
    "keyvalue.value": "any",
    "keyvalue.if_value": "any",
    "keyvalue.by": "any",
    "blob.data": "raw",
    "pipeline.chosen": "words",
    "pipeline.destinations": "words",
    "pipeline.branches": "words",
    "pipeline.dropped_at": "words",
    "daemon.persistent": "set",
}
# Of each kind: its type, how it is read from a message, and how it is given to one that need not have it.
_GO = {
    "string": ("string", 'p.Text("{0}")', 'params.setText("{0}", {1})'),
    "integer": ("int64", 'p.Int("{0}")', 'params.setInt("{0}", {1})'),
    "flag": ("bool", 'p.Bool("{0}")', 'params.setFlag("{0}", {1})'),
    "boolean": ("bool", 'p.Bool("{0}")', 'params.setFlag("{0}", {1})'),
    "set": ("bool", 'p.Text("{0}") != "0"', ""),
    "date": ("time.Time", 'p.Time("{0}")', 'params.setDate("{0}", {1})'),
    "duration": ("time.Duration", 'p.Span("{0}")', 'params.setSpan("{0}", {1})'),
    "bytes": ("any", 'p.Content("{0}")', 'params.setContent("{0}", {1})'),
    "any": ("any", 'p.Content("{0}")', 'params.setValue("{0}", {1})'),
    "raw": ("[]byte", 'p.Raw("{0}")', 'params.setRaw("{0}", {1})'),
    "words": ("[]string", 'p.Words("{0}")', 'params.setWords("{0}", {1})'),
}


def _camel(name: str) -> str:
    return _NAMES.get(name) or "".join(word.capitalize() for word in name.lower().split("_"))


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]


def _argument(name: str) -> str:
    return _ARGUMENTS.get(name) or _lower("".join(word.capitalize() for word in name.split("_")))


def _comment(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=f"{indent}// ", subsequent_indent=f"{indent}// ",
                         break_long_words=False, break_on_hyphens=False)  # fmt: skip


def _told(one: Parameter) -> str:
    """What a parameter or a field is, and its limits."""
    text = one.description
    if one.type == "flag":
        # In Go they are yes and no.
        text = re.sub(r"\b1:", "true:", re.sub(r"\b0:", "false:", text))
    if one.choices and not all(choice in text for choice in one.choices):
        text += f": {', '.join(one.choices)}"
    limits = one.limits()
    if one.type == "duration" and isinstance(one.max, int):
        limits = limits.replace(str(one.max), f"{one.max} ms", 1)
    if one.type == "bytes":
        limits = "string or []byte" + (f"; {limits}" if limits else "")
    return text + (f" ({limits})" if limits else "")


def _said_by(name: str, description: str) -> str:
    """The comment of a method, which begins with its name."""
    verb = description.split()[0]
    joint = " " if verb.endswith("s") and len(verb) > 3 else ": "
    return f"{name}{joint}{_lower(description)}" + ("" if description.endswith(".") else ".")


class _Maker:
    """The files of one type."""

    def __init__(self, of: Type) -> None:
        self.of = of
        self.prefix = _PREFIXES[of.name]
        leased = next((one.leases for one in of.commands.values() if one.leases), "")
        self.leased = leased and self.record_of(leased)

    def kind_of(self, one: Parameter) -> str:
        return _KINDS.get(f"{self.of.name}.{one.name}", one.type)

    def record_of(self, answer: str) -> str:
        return self.of.records.get(answer) or self.prefix + _camel(answer)

    def files(self) -> dict[str, str]:
        return {
            f"{_FOLDER}{self.of.name}_records.go": self.file(self.records()),
            f"{_FOLDER}{self.of.name}_calls.go": self.file(self.calls()),
        }

    def file(self, lines: list[str]) -> str:
        body = "\n".join(lines)
        used = [word for word in ("context", "time") if re.search(rf"\b{word}\.[A-Z]", body)]
        imports = [f'import "{used[0]}"', ""] if len(used) == 1 else []
        if len(used) > 1:
            imports = ["import (", *(f'\t"{word}"' for word in used), ")", ""]
        made = f"// Made by ./mk generate from {self.of.sources}: do not edit."
        return "\n".join([made, "", "package fastjournal", "", *imports, body]).rstrip() + "\n"

    # --- records

    def records(self) -> list[str]:
        used = set(self.of.records)
        for call in self.of.calls:
            used |= {call.returns, call.leases, call.pages} & self.of.answers.keys()
        return [line for answer in self.of.answers.values() if answer.name in used for line in self.record(answer)]

    def record(self, answer: Answer) -> list[str]:
        name = self.record_of(answer.name)
        fields = [one for one in answer.fields if one.name != "after"]
        out = [*_comment(f"{name} is {answer.name}: {_lower(answer.description)}"), f"type {name} struct {{"]
        for one in fields:
            out += [*_comment(_told(one), "\t"), f"\t{_camel(one.name)} {_GO[self.kind_of(one)][0]}"]
        if answer.columns:
            out += ["\t// the columns that have a value", "\tColumns Columns"]
        out += ["}", "", f"func {_lower(name)}Of(p Params) {name} {{", f"\tout := {name}{{}}"]
        for one in fields:
            out.append(f"\tout.{_camel(one.name)} = {_GO[self.kind_of(one)][1].format(one.name)}")
        if answer.columns:
            names = ' " +\n\t\t"'.join(textwrap.wrap(" ".join(one.name for one in answer.fields), 90))
            out.append(f'\tout.Columns = p.columnsBut("{names}")')
        return [*out, "\treturn out", "}", ""]

    # --- calls

    def calls(self) -> list[str]:
        name, owner, given = self.of.class_name, "the daemon itself", ("", "c")
        fields = ["\tconnection *Connection"]
        if self.of.of_tables:
            owner, given = f"a {self.of.name} table", ("table string", "c, table")
            fields.append("\ttable      string")
        out = [
            *_comment(f"{name} has the calls of {owner} on a connection. {self.of.description}"),
            f"type {name} struct {{",
            *fields,
            "}",
            "",
            f"// {name} has the calls of {owner}.",
            f"func (c *Connection) {name}({given[0]}) *{name} {{ return &{name}{{{given[1]}}} }}",
            "",
        ]
        return out + [line for call in self.of.calls for line in [*self.options(call), *self.call(call)]]

    def options_name(self, call: Call) -> str:
        return f"{self.prefix}{_camel(call.name)}Options"

    def is_optional(self, one: Parameter) -> bool:
        """Zero would mean something else than to leave it out."""
        if self.kind_of(one) == "flag":
            return one.default != 0
        least_is_more = isinstance(one.min, str) or (one.min or 0) > 0
        return self.kind_of(one) in ("integer", "duration") and one.default != 0 and not least_is_more

    def option_type(self, one: Parameter) -> str:
        kind = self.kind_of(one)
        plain = "Date" if kind == "date" else _GO[kind][0]
        return f"Optional[{plain}]" if self.is_optional(one) else plain

    def options(self, call: Call) -> list[str]:
        if not call.options:
            return []
        name = self.options_name(call)
        out = [f"// {name} are the options of {self.of.class_name}.{_camel(call.name)}.", f"type {name} struct {{"]
        for one in call.options:
            told = _told(one)
            if one.name == "count" and call.adds:
                told = "so many in all (all if absent)"
            elif one.name == "count" and call.pages:
                told = f"so many a page ({one.limits()})"
            out += [*_comment(told, "\t"), f"\t{_camel(one.name)} {self.option_type(one)}"]
        return [*out, "}", ""]

    def has_columns(self, call: Call) -> bool:
        """What adds up changes what fits a filter, and is about no key."""
        return call.command.columns and not call.adds

    def results(self, call: Call) -> tuple[str, str]:
        """What the call returns besides its error, and the zero value of that."""
        if call.fate:
            return "Returned", "Returned{}"
        if call.leases:
            record = self.record_of(call.leases)
            return f"Leased[{record}]", f"Leased[{record}]{{}}"
        if call.adds:
            return "int64", "0"
        if call.returns == "messages":
            return "[]Message", "nil"
        if call.returns in self.of.answers:
            record = self.record_of(call.returns)
            return record, f"{record}{{}}"
        if call.returns:
            kind = _GO[self.kind_of(self.answer_with(call).field(call.returns))][0]
            return kind, {"string": '""', "int64": "0", "bool": "false", "[]string": "nil"}.get(kind, f"{kind}{{}}")
        return "", ""

    def answer_with(self, call: Call) -> Answer:
        """That has the field which the call returns."""
        answers = [self.of.answers[name] for name in call.command.answers]
        return next(one for one in answers if any(field.name == call.returns for field in one.fields))

    def call(self, call: Call) -> list[str]:
        name, command = _camel(call.name), call.command
        arguments = [] if call.pages else ["ctx context.Context"]
        said = []
        if call.about:
            arguments.append(f"{_argument(call.about)} {self.leased}")
        if self.has_columns(call):
            arguments.append("columns Columns")
            if command.has("row"):
                said.append("columns: those of the key, or nil with the option Row.")
        for one in call.takes:
            kind = self.kind_of(one)
            arguments.append(f"{_argument(one.name)} {'Date' if kind == 'date' else _GO[kind][0]}")
            said.append(f"{_argument(one.name)}: {_told(one)}.")
        if call.options:
            arguments.append(f"options ...{self.options_name(call)}")
        result, zero = self.results(call)
        if call.pages:
            results = f"*Pages[{self.record_of(call.pages)}]"
        elif call.or_nothing:
            results = f"({result}, bool, error)"
            said.append("false: there is none.")
        else:
            results = f"({result}, error)" if result else "error"
        opening = f"func (t *{self.of.class_name}) {name}("
        line = f"{opening}{', '.join(arguments)}) {results} {{"
        out = [*_comment(" ".join([_said_by(name, call.doc), *said]))]
        if len(line) > _WIDTH:
            out += [opening, f"\t{', '.join(arguments)},", f") {results} {{"]
        else:
            out.append(line)
        return [*out, *self.parameters(call, zero), *self.end(call, zero), "}", ""]

    def parameters(self, call: Call, zero: str) -> list[str]:
        out = []
        if self.has_columns(call):
            out.append("\tparams, err := columnsOf(columns)")
            if call.pages:
                out += ["\tif err != nil {", f"\t\treturn failedPages[{self.record_of(call.pages)}](err)", "\t}"]
            else:
                out += ["\tif err != nil {", f"\t\treturn {zero + ', ' if zero else ''}err", "\t}"]
            out.append('\tparams["table"] = t.table')
        else:
            out.append('\tparams := Params{"table": t.table}' if self.of.of_tables else "\tparams := Params{}")
        if call.about:
            proof = "epoch" if call.command.has("epoch") else "token"
            about = _argument(call.about)
            out += [f'\tparams["{one}"] = {about}.{_camel(one)}' for one in (call.about, proof)]
        for one in call.takes:
            if one.required and self.kind_of(one) in ("string", "integer", "raw"):
                out.append(f'\tparams["{one.name}"] = {self.kept(one, _argument(one.name))}')
            elif one.required and self.kind_of(one) == "duration":
                out.append(f'\tparams["{one.name}"] = millisecondsOf({_argument(one.name)})')
            else:
                out.append("\t" + _GO[self.kind_of(one)][2].format(one.name, self.kept(one, _argument(one.name))))
        out += [f'\tparams["{name}"] = {value}' for name, value in call.fixed.items()]
        if call.options:
            out.append("\to := optionsOf(options)")
        for one in call.options:
            if call.adds and one.name == "count":
                continue
            value = f"o.{_camel(one.name)}"
            if self.is_optional(one):
                out.append(f'\tsetOptional(params, "{one.name}", {value})')
            else:
                out.append("\t" + _GO[self.kind_of(one)][2].format(one.name, self.kept(one, value)))
        return out

    @staticmethod
    def kept(one: Parameter, value: str) -> str:
        return f"cut({value}, {one.kept})" if one.kept else value

    def end(self, call: Call, zero: str) -> list[str]:
        command = call.command.name
        send = f'ctx, t.connection, "{command}", params'
        if call.fate:
            return [f"\treturn returnedBy({send})"]
        if call.leases:
            return [f'\treturn leasedBy({send}, "{call.leases}", {_lower(self.record_of(call.leases))}Of)']
        if call.pages:
            reader = f"{_lower(self.record_of(call.pages))}Of"
            return [f'\treturn pagesOf(t.connection, "{command}", params, "{call.pages}", {reader})']
        if call.adds:
            most = "o.Count" if any(one.name == "count" for one in call.options) else "0"
            return [f'\treturn addedBy({send}, "{call.adds}", {most})']
        if not call.returns:
            assigned = "=" if self.has_columns(call) else ":="
            return [f'\t_, err {assigned} t.connection.request(ctx, "{command}", params)', "\treturn err"]
        if call.returns == "messages":
            return [f'\treturn t.connection.request(ctx, "{command}", params)']
        if call.or_nothing:
            reader = f"{_lower(self.record_of(call.returns))}Of"
            return [
                f'\tp, err := oneOrNone({send}, "{call.returns}")',
                "\tif p == nil {",
                f"\t\treturn {zero}, false, err",
                "\t}",
                f"\treturn {reader}(p), true, nil",
            ]
        if call.returns in self.of.answers:
            answer, value = call.returns, f"{_lower(self.record_of(call.returns))}Of(p)"
        else:
            found = self.answer_with(call)
            field = found.field(call.returns)
            if found.counted:
                return [f'\treturn textOfAll({send}, "{field.name}")']
            answer, value = found.name, _GO[self.kind_of(field)][1].format(field.name)
        return [
            f'\tp, err := {"oneNumbered" if call.numbered else "oneOf"}({send}, "{answer}")',
            "\tif err != nil {",
            f"\t\treturn {zero}, err",
            "\t}",
            f"\treturn {value}, nil",
        ]


# --- rules

_STRENGTH = ("never", "numbered", "always")


def _rule(one: Command) -> str:
    said = [f"resend: {one.resend}"] if one.resend != "never" else []
    if one.has("wait"):
        said.append("waits: true")
    if one.done_before:
        said.append(f'doneBefore: "{one.done_before}"')
    if one.gives_back:
        said.append("givesBack: true")
    return f"rule{{{', '.join(said)}}}"


def _joined(types: dict[str, Type]) -> dict[str, Command]:
    """The commands of all types by their names. Of two that differ, the one that says more: a number tells whether a
    `numbered` one is meant."""
    out: dict[str, Command] = {}
    for of in types.values():
        for name, one in of.commands.items():
            known = out.get(name)
            if known is not None and {known.resend, one.resend} == {"never", "always"}:
                raise ValueError(f"{name} may be sent again in one type of tables, and not in another")
            if known is None or len(_rule(known)) < len(_rule(one)):
                out[name] = one
    return out


def _rules(types: Types) -> str:
    groups: dict[str, list[str]] = {}
    for name, one in sorted(_joined(types).items()):
        groups.setdefault(_rule(one), []).append(name)
    out = [
        "// Made by ./mk generate from plugins/*/*.xml and src/server/admin/daemon.xml: do not edit.",
        "",
        "package fastjournal",
        "",
        "// What is declared of commands. One that is not here is never sent again.",
        "var rules = rulesOf(",
    ]
    for said, names in sorted(groups.items()):
        if said == "rule{}":
            continue
        out += [f"\tdeclared{{{said}, []string{{"]
        words = ", ".join(f'"{name}"' for name in names) + ","
        out += textwrap.wrap(words, _WIDTH - 8, initial_indent="\t\t", subsequent_indent="\t\t")
        out += ["\t}},"]
    out += [")", "", "// The messages that lease something.", "var leases = map[string]lease{"]
    found = {}
    for of in types.values():
        for one in of.commands.values():
            if one.leases:
                back = [it.name for it in of.commands[one.gives_back].parameters if it.required]
                proof = next(name for name in ("epoch", "token") if name in back)
                names = ", ".join(f'"{name}"' for name in back)
                found[one.leases] = f'{{"{proof}", "{one.gives_back}", []string{{{names}}}}},'
    longest = max(len(name) for name in found)
    out += [f'\t"{name}":{" " * (longest - len(name) + 1)}{said}' for name, said in sorted(found.items())]
    return "\n".join([*out, "}"]) + "\n"


def files(types: dict[str, Type]) -> dict[str, str]:
    """All files that this module makes."""
    out = {f"{_FOLDER}rules.go": _rules(types)}
    for of in types.values():
        out |= _Maker(of).files()
    return out
