"""The client for Node: the rules of commands, and the typed calls as methods (clients/node/lib/made)."""

from __future__ import annotations

import re

from .model import Call, Command, Parameter, Type, Types
from .node_types import files_of_types
from .node_words import (
    COLUMNS, answer_of, argument_of, calls_of, camel, class_of, commands_of, comment, is_ignoring, is_told,
    made_from, may_be_gone, of_type, options_of, purpose, special, things_of,
)  # fmt: skip

_MADE = "clients/node/lib/made"
_UNFORMATTED = "// clang-format off\n"


# --- rules


def _one(values: set[str], command: str, word: str) -> str:
    """Of a name that several types have: they must agree, or say nothing."""
    said = sorted(value for value in values if value)
    if len(said) > 1:
        raise ValueError(f"{word} of {command} differ: {', '.join(said)}")
    return said[0] if said else ""


def _rule(name: str, same: list[Command]) -> tuple[str, str]:
    """Whether to send it again, and the rule in JavaScript."""
    resend = _one({one.resend for one in same if one.resend != "never"}, name, "resend") or "never"
    words = {
        "wait": "wait" if any(one.has("wait") for one in same) else "",
        "doneBefore": _one({one.done_before for one in same}, name, "done-before"),
        "leases": sorted({one.leases for one in same if one.leases}, reverse=True),
        "giveBack": _one({one.gives_back for one in same}, name, "gives-back"),
    }
    told = [f"resend: '{resend}'"]
    for word, value in words.items():
        if value:
            told.append(f"{word}: [{', '.join(map(repr, value))}]" if isinstance(value, list) else f"{word}: '{value}'")
    return resend, f"  {name}: {{{', '.join(told)}}},\n"


def _rules(types: Types) -> str:
    by_resend: dict[str, str] = {"own": "", "always": "", "numbered": "", "never": ""}
    commands = commands_of(types)
    for name in sorted({one.name for one in commands}):
        same = [one for one in commands if one.name == name]
        resend, rule = _rule(name, same)
        # Nothing is to be known of what is never sent again and leases nothing.
        if resend != "never" or "leases" in rule:
            by_resend["own" if same[0].kind == "own" else resend] += rule
    return f"""{made_from("plugins/*/*.xml", "src/server/admin/daemon.xml")}{_UNFORMATTED}
// What a client must know of commands, in the words of CommandRule in index.d.ts. Of a name that several types have the
// rule is the same, or harmless in the others: a DELETE of a journal cannot be numbered.
export const declaredRules = {{
  // The daemon's own, sent again after a loss.
{by_resend["own"]}
  // Sent again after a loss.
{by_resend["always"]}
  // Sent again if they have `client` and `sequence`.
{by_resend["numbered"]}
  // Known for what they lease.
{by_resend["never"]}}};
"""


# --- answers


def _words(name: str, words: list[str]) -> str:
    """A set of words, as one text."""
    if not words:
        return f"    {name}: none,"
    lines, line = [], f"    {name}: words('"
    for nr, word in enumerate(words):
        piece = word if nr == 0 else f" {word}"
        if len(line) + len(piece) + 4 > COLUMNS:
            lines.append(f"{line}' +")
            line = "      '"
        line += piece
    return "\n".join([*lines, f"{line}'),"])


def _kinds(types: dict[str, Type]) -> str:
    out = ""
    for of in types.values():
        out += f"\nexport const {of.name} = {{\n"
        for answer in of.records:
            fields = of.answers[answer].fields
            numbers = [one.name for one in fields if one.type in ("integer", "date", "duration")]
            flags = [one.name for one in fields if one.type == "flag"]
            out += f"  {answer}: {{\n{_words('numbers', numbers)}\n{_words('flags', flags)}\n  }},\n"
        out += "};\n"
    return f"""{made_from("plugins/*/*.xml", "src/server/admin/daemon.xml", "clients/calls/*.toml")}{_UNFORMATTED}
// Which fields of answers are numbers and which are flags; all others are text or bytes.
const words = (text) => new Set(text.split(' '));
const none = new Set();
{out}"""


def _zero(answer: str, of: Type) -> str:
    """What a record has where the answer does not say it."""
    always = special(of).always.get(answer, {})
    hidden = special(of).hidden.get(answer, frozenset())
    out = []
    for one in of.answers[answer].fields:
        if one.name in hidden:
            continue
        if always.get(one.name) not in (None, "", "?"):
            out.append(f"{camel(one.name)}: {always[one.name]}")
        elif is_told(one, answer):
            out.append(f"{camel(one.name)}: false")
    return "{" + ", ".join(out) + "}"


def _records(of: Type) -> str:
    known = special(of)
    used = {name for call in calls_of(of) for name in (call.returns, call.pages, call.leases) if name in of.answers}
    out = ""
    for answer in of.records:
        is_single = answer in known.from_message and all(call.pages != answer for call in of.calls)
        if answer not in used or is_single:
            continue
        shown = f"assign({_zero(answer, of)}, params, kinds.{answer})"
        if answer in known.finish:
            shown = f"{known.finish[answer]}({shown})"
        shown = known.from_params.get(answer, f"(params) => {shown}")
        results = next((one.choices for one in of.answers[answer].fields if one.name == "result"), ())
        told = [f"name: '{answer}'", f"shown: {shown}"]
        if results:
            told.append(f"results: [{', '.join(map(repr, results))}]")
        out += _object(told, "", f"const {answer} = ", ";")
    return f"// Answers, and what the program gets of them.\n{out}"


# --- calls


def _argument(call: Call, one: Parameter, of: Type, by_place: bool) -> str:
    """A parameter of the message, from an argument."""
    known, name, word = special(of), one.name, camel(one.name)
    if said := argument_of(call, one, of):
        return said
    if by_place and name in things_of(of):
        return f"{name}: {word}.{word} ?? {word}"
    if one.type == "bytes":
        given = f"bytesOf('{name}', {word})"
        return f"...({word} === undefined ? {{}} : {given})" if name in known.optional else f"...{given}"
    if by_place and name in known.empty_is_absent:
        return f"{name}: {word} || undefined"
    if one.type == "flag":
        return f"{name}: flag({word})"
    return word if name == word else f"{name}: {word}"


def _map(parts: list[str]) -> str:
    if len(parts) == 1 and parts[0].startswith("..."):
        return parts[0][3:]
    return f"{{{', '.join(parts)}}}"


def _object(parts: list[str], indent: str, head: str, tail: str) -> str:
    """`head{parts}tail`, on one line or several."""
    whole = f"{indent}{head}{_map(parts)}{tail}"
    if len(whole) <= COLUMNS:
        return f"{whole}\n"
    return f"{indent}{head}{{\n" + "".join(f"{indent}  {part},\n" for part in parts) + f"{indent}}}{tail}\n"


def _ending(call: Call, of: Type, params: str, limits: str) -> tuple[bool, str]:
    """Whether it is async, so that what it throws is a rejection; and what it does with its parameters and limits."""
    known = special(of)
    command = f"'{call.command.name}'"
    if call.pages:
        carried = f", '{known.carried[call.name]}'" if call.name in known.carried else ""
        return False, f"return this.#calls.pagesOf({command}, {call.pages}, {params}, {limits}{carried});"
    if call.adds:
        return True, f"return this.#calls.sum({command}, '{call.adds}', {params}, count, {limits});"
    if call.returns == "messages":
        return True, f"return (await this.#calls.call({command}, {params}, {limits})).messages;"
    sender = known.numbered if call.numbered else "report" if call.reports else "call"
    if sender == "call" and call.returns:
        sender = "first"
    sent = f"await this.#calls.{sender}({command}, {params}, {limits})"
    if call.leases in known.from_reply:
        return True, f"return {known.from_reply[call.leases]}({sent});"
    if call.leases:
        return True, f"return leasedOf('{known.leases}', {call.leases}, {sent});"
    if call.fate:
        return True, f"return {known.from_reply['fate']}({sent});"
    if not call.returns:
        return True, f"{sent};"
    if call.returns in known.from_message:
        return True, f"return {known.from_message[call.returns]}({sent});"
    if call.returns in of.answers:
        return True, f"return {'foundOf' if may_be_gone(call) else 'recordOf'}({call.returns}, {sent});"
    returned = answer_of(call, of).field(call.returns)
    if answer_of(call, of).counted:
        return True, f"return textOf(await this.#calls.call({command}, {params}, {limits}), '{call.returns}');"
    value = f"({sent}).params.{call.returns}"
    if call.returns in known.from_field:
        return True, f"return {known.from_field[call.returns]}({value});"
    return True, f"return numberOf({value});" if returned.type in ("date", "integer") else f"return {value};"


def _traced(call: Call) -> set[str]:
    """What failedWith makes a failure of."""
    return {"error", "error_trace"} if call.reports else set()


def _method(call: Call, of: Type) -> str:
    known, name, ignores, options = special(of), camel(call.name), is_ignoring(call, of), options_of(call, of)
    is_total = {"count"} if call.adds else set()
    is_traced = _traced(call)
    # The options that are taken one by one.
    taken = [one for one in options if ignores or argument_of(call, one, of) or one.name in is_total | is_traced]
    places = [*([call.about] if call.about else []), *(camel(one.name) for one in call.takes)]
    parts = [f"...leaseOf({call.about})"] if call.about else []
    if call.name in known.columns:
        places = [known.columns[call.name].split(":")[0], *places]
        parts.append(f"...{places[0]}")
    for one in call.takes:
        if one.name not in is_traced:
            parts.append(_argument(call, one, of, True))
    if is_traced:
        parts.append("...failedWith(error, errorTrace)")
    parts += [_argument(call, one, of, False) for one in taken if one.name not in is_traced | is_total]
    parts += [f"{word}: {value}" for word, value in call.fixed.items()]
    words, limits = [camel(one.name) for one in taken], "limits"
    words = [f"{word} = {given}" if (given := known.defaults.get(f"{call.name}.{word}")) else word for word in words]
    if not options:
        places.append("limits = {}")
    elif ignores:
        places.append(f"{{{', '.join([*words, '...limits'])}}} = {{}}")
    else:
        limits = "{timeLimit, signal}"
        places.append(f"{{{', '.join([*words, 'timeLimit', 'signal', '...options'])}}} = {{}}")
        parts.append(f"...parametersOf('{name}', options, names.{name})")
    is_async, ending = _ending(call, of, _map(parts), limits)
    head = f"  {'async ' if is_async else ''}{name}({', '.join(places)}) {{"
    out = comment(purpose(call), "  ")
    if len(head) + len(ending) + 3 <= COLUMNS:
        return f"{out}{head} {ending} }}\n"
    if len(ending) + 4 <= COLUMNS and len(_map(parts)) < 60:
        return f"{out}{head}\n    {ending}\n  }}\n"
    ending = _ending(call, of, "params", limits)[1]
    return f"{out}{head}\n{_object(parts, '    ', 'const params = ', ';')}    {ending}\n  }}\n"


def _names(of: Type) -> str:
    known = special(of)
    out = []
    for call in calls_of(of):
        if is_ignoring(call, of):
            continue
        alone = _traced(call)
        together = [one for one in options_of(call, of) if not argument_of(call, one, of) and one.name not in alone]
        words = [camel(one.name) for one in together if one.name not in known.renamed]
        words = [word for word in words if not (call.adds and word == "count")]
        words += [known.also[call.name]] if call.name in known.also else []
        made = f"namesOf('{' '.join(words)}')"
        if others := [f"{known.renamed[one.name]}: '{one.name}'" for one in together if one.name in known.renamed]:
            made = f"{{...{made}, {', '.join(others)}}}"
        out.append(f"  {camel(call.name)}: {made},\n")
    return "// The options of calls that refuse others.\nconst names = {\n" + "".join(out) + "};\n"


_HELPERS = {
    "../answers.js": "assign foundOf leasedOf recordOf textOf valued",
    "../arguments.js": "bytesOf contentOf jsonOf valueOf",
    "../calls.js": "reasonOf",
    "../failures.js": "errorText failedWith",
    "../messages.js": "fateOf messageFrom sentOf",
    "../pipeline.js": "destinationFrom documentOf eventFrom handedOutOf numberOfDocument shownFrom wordsOf",
    "../protocol.js": "numberOf",
    "../rows.js": "flag namesOf parametersOf putOf returnedOf rowFrom workOf",
}


def _imports(body: str, of: Type) -> str:
    out = ""
    for file, words in _HELPERS.items():
        if used := [word for word in words.split() if re.search(rf"\b{word}[(.,}}]", body)]:
            line = f"import {{{', '.join(used)}}} from '{file}';\n"
            out += line if len(line) <= COLUMNS else _object(used, "", "import ", f" from '{file}';")
    return out if "kinds." not in body else f"{out}\nimport {{{of.name} as kinds}} from './answers.js';\n"


def _calls(of: Type) -> str:
    name = class_of(of)
    body = ""
    if about := next((call for call in calls_of(of) if call.about), None):
        words = f"table, {about.about}, {'token' if about.command.has('token') else 'epoch'}"
        body += f"// What is leased, by its numbers.\nconst leaseOf = ({{{words}}}) => ({{{words}}});\n\n"
    body += f"{_names(of)}\n{_records(of)}\n"
    owner = "a table" if of.of_tables else "the daemon itself"
    constructor = "constructor(calls) { this.#calls = calls; }\n\n"
    if of.of_tables:
        constructor = """constructor(calls) {
    this.table = calls.table;
    this.#calls = calls;
  }

  /** Its figures. */
  stats(limits = {}) { return this.#calls.stats(limits); }

"""
    body += f"""/** The commands of {owner}, as types/{of.name}.d.ts documents them. */
export class {name} {{
  #calls;

  {constructor}"""
    body += "\n".join(_method(call, of) for call in calls_of(of)) + "}\n"
    return f"{of_type(of)}{_UNFORMATTED}{_imports(body, of)}\n{body}"


def files(types: Types) -> dict[str, str]:
    out = {f"{_MADE}/rules.js": _rules(types), f"{_MADE}/answers.js": _kinds(types)}
    out |= {f"{_MADE}/{of.name}.js": _calls(of) for of in types.values()}
    return out | files_of_types(types)
