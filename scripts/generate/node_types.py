"""The types of the calls for Node (clients/node/types), which index.d.ts exports with its own."""

from __future__ import annotations

import re

from .model import Call, Parameter, Type
from .node_words import (
    COLUMNS, about, answer_of, calls_of, camel, class_of, comment, is_told, may_be_gone, of_type, options_of,
    pascal, purpose, sentence, special, things_of, type_of,
)  # fmt: skip

_OF_PAGES = {"after", "request", "left"}
# From index.d.ts.
_IMPORTS = (
    "Acquired Columns DateValue Destination HandedOut Leased LeasedDocument LeasedMessage Limits Message Numbered "
    "Params PipelineDocument PipelineEvent Put QueueMessage Reason Received Returned ReturnedMessage Row ShownDocument "
    "TypedValue What Wish Work"
).split()


def _name(answer: str, of: Type) -> str:
    return special(of).records.get(answer) or of.records[answer]


def _member(name: str, mark: str, kind: str, said: str) -> str:
    line = f"  {name}{mark}: {kind};\n"
    if len(line) > COLUMNS:
        line = line.replace(": ", ":\n    | ", 1).replace("' | '", "'\n    | '")
    return comment(said, "  ") + line


def _record(answer: str, of: Type) -> str:
    known = special(of)
    always, hidden = known.always.get(answer, {}), known.hidden.get(answer, frozenset())
    name = known.fields.get(answer) or _name(answer, of)
    out = comment(sentence(of.answers[answer].description)) + f"export interface {name} {{\n"
    for one in of.answers[answer].fields:
        if one.name in _OF_PAGES or one.name in hidden:
            continue
        kind = type_of(answer, one, known.types, received=True)
        is_there = (one.name == "table" and of.of_tables) or one.name in always or is_told(one, answer)
        if always.get(one.name) == "?" and "undefined" not in kind:
            kind += " | undefined"
        out += _member(known.renamed.get(one.name, camel(one.name)), "" if is_there else "?", kind, about(one))
    return f"{out}}}\n"


def _behind(head: str, one: Parameter) -> str:
    text = about(one)
    return f"{head}: {text if text[1].isupper() else text[0].lower() + text[1:]}"


def _own_options(call: Call, of: Type) -> list[Parameter]:
    """Without what all numbered calls have."""
    return [one for one in options_of(call, of) if not (call.numbered and one.name in ("client", "sequence"))]


def _options_name(call: Call, of: Type) -> str:
    """Empty: it has none of its own."""
    if call.name in special(of).given:
        return special(of).given[call.name]
    if not _own_options(call, of):
        return ""
    return special(of).options.get(call.name, f"{special(of).prefix}{pascal(call.name)}Options")


def _options(call: Call, of: Type) -> str:
    out = f"export interface {_options_name(call, of)} extends {'Numbered' if call.numbered else 'Limits'} {{\n"
    for one in _own_options(call, of):
        kind = type_of(call.name, one, special(of).types, received=False)
        said = about(one)
        if one.name == "count" and call.adds:
            said = "So many at most. Default: all."
        elif one.name == "count" and call.pages:
            said = _behind("Of a page", one)
        if f"{call.name}.{one.name}" in special(of).defaults:
            said = re.sub(r"Default: .*", f"Default: {special(of).defaults[f'{call.name}.{one.name}']}.", said)
        out += _member(camel(one.name), "?", kind, said)
    return f"{out}}}\n"


def _returned(call: Call, of: Type) -> str:
    known = special(of)
    given = known.types.get(f"{call.name}.returns")
    if call.pages:
        return f"AsyncGenerator<{given or _name(call.pages, of)}, void, void>"
    if given:
        kind = given
    elif call.adds:
        kind = "number"
    elif call.leases:
        kind = known.leased
    elif call.fate:
        kind = known.fate
    elif call.returns == "messages":
        kind = "Message[]"
    elif call.returns in of.answers:
        kind = _name(call.returns, of) + (" | undefined" if may_be_gone(call) else "")
    elif call.returns:
        one = answer_of(call, of).field(call.returns)
        kind = known.types.get(f"{call.name}.{one.name}") or type_of("", one, {}, received=True)
    else:
        kind = "void"
    return f"Promise<{kind}>"


def _arguments(call: Call, of: Type) -> list[str]:
    known = special(of)
    out = [known.columns[call.name]] if call.name in known.columns else []
    out += [f"{call.about}: {known.lease}"] if call.about else []
    for nr, one in enumerate(call.takes):
        kind = type_of(call.name, one, known.types, received=False)
        if one.name in things_of(of):
            record = next(_name(other.leases, of) for other in of.calls if other.leases)
            kind = f"Pick<{record}, '{one.name}'> | {kind}"
        mark = ""
        if one.name in known.optional:
            is_last = all(other.name in known.optional for other in call.takes[nr:])
            mark, kind = ("?", kind) if is_last else ("", f"{kind} | undefined")
        out.append(f"{camel(one.name)}{mark}: {kind}")
    options = _options_name(call, of) or ("Numbered" if call.numbered else "")
    return [*out, f"options?: {options}" if options else "limits?: Limits"]


def _said(call: Call, of: Type) -> str:
    said = purpose(call)
    for one in call.takes:
        if one.type in ("duration", "integer") and one.name not in things_of(of):
            said += f" {_behind(f'`{camel(one.name)}`', one)}"
    if call.returns and call.returns not in {*of.answers, "messages"}:
        one = answer_of(call, of).field(call.returns)
        said += " " + _behind("Resolves with the date" if one.type == "date" else "Resolves with", one)
    if note := special(of).notes.get(call.name):
        said += f" {note}"
    return said


def _method(call: Call, of: Type) -> str:
    arguments, returned = _arguments(call, of), _returned(call, of)
    line = f"  {camel(call.name)}({', '.join(arguments)}): {returned};\n"
    if len(line) > COLUMNS:
        line = f"  {camel(call.name)}(\n" + "".join(f"    {one},\n" for one in arguments) + f"  ): {returned};\n"
    return comment(_said(call, of), "  ") + line


def _types(of: Type) -> str:
    known = special(of)
    calls = [call for call in calls_of(of) if f"{call.name}.returns" not in known.types]
    used = {name for call in calls for name in (call.returns, call.pages, call.leases)}
    made = [name for name in of.records if name in known.fields or (name in used and name not in known.records)]
    parts = [_record(answer, of) for answer in made]
    parts += [_options(call, of) for call in calls_of(of) if _own_options(call, of) and call.name not in known.given]
    methods = "".join(_method(call, of) for call in calls_of(of))
    if of.of_tables:
        methods = f"  readonly table: string;\n{methods}  /** Figures by their names in STATS (not in camel case). */\n"
        methods += "  stats(limits?: Limits): Promise<Params>;\n"
    owner = f"one {of.name} table" if of.of_tables else "the daemon itself"
    parts.append(comment(f"The commands of {owner}.") + f"export interface {class_of(of)} {{\n{methods}}}\n")
    body = "\n".join(parts)
    if not of.of_tables:
        body = body.replace("the table's ", "the daemon's ")
    code = re.sub(r"/\*\*.*?\*/", "", body, flags=re.S)
    imports = [name for name in _IMPORTS if name not in known.fields.values() and re.search(rf"\b{name}\b", code)]
    line = f"import type {{ {', '.join(imports)} }} from '../index.js';\n"
    if len(line) > COLUMNS:
        line = "import type {\n" + "".join(f"  {name},\n" for name in imports) + "} from '../index.js';\n"
    return f"{of_type(of)}{line}\n{body}"


def files_of_types(types: dict[str, Type]) -> dict[str, str]:
    return {f"clients/node/types/{of.name}.d.ts": _types(of) for of in types.values()}
