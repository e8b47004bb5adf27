"""What the modules for Node share: names, comments, and what they ask of a call."""

from __future__ import annotations

import re
import textwrap

from .model import Answer, Call, Command, Parameter, Type
from .node_special import SPECIAL, Special

COLUMNS = 120
# These may be beyond 2^53, and are bigint then.
_BIG = set("message epoch origin row document parent original newer token sequence timestamp if_timestamp".split())
# A range up to here says nothing to people.
_LARGE = 10**11


def special(of: Type) -> Special:
    return SPECIAL[of.name]


def camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def pascal(name: str) -> str:
    return camel(f"_{name}")


def class_of(of: Type) -> str:
    return special(of).made_class or of.class_name


def made_from(*sources: str) -> str:
    return f"// Made by ./mk generate from {' and '.join(sources)}: do not edit.\n"


def of_type(of: Type) -> str:
    return made_from(of.sources)


def comment(text: str, indent: str = "") -> str:
    """As JSDoc, wrapped."""
    if len(indent) + len(text) + 7 <= COLUMNS:
        return f"{indent}/** {text} */\n"
    lines = textwrap.wrap(text, COLUMNS - len(indent) - 4, break_long_words=False, break_on_hyphens=False)
    # The end of the comment stands behind the last word, or takes it along.
    if len(indent) + len(lines[-1]) + (7 if len(lines) == 1 else 6) > COLUMNS:
        lines[-1:] = lines[-1].rsplit(" ", 1)
    lines[0] = f"/** {lines[0]}"
    return "".join(f"{indent}{line if nr == 0 else f' * {line}'}\n" for nr, line in enumerate(lines))[:-1] + " */\n"


def sentence(text: str) -> str:
    """With names in camel case, a capital letter and a full stop."""
    text = re.sub(r"(?<![\w`])[a-z]+(?:_[a-z]+)+(?!\w)", lambda found: f"`{camel(found[0])}`", text)
    text = re.sub(r"`[a-z]+(?:_[a-z]+)+`", lambda found: camel(found[0]), text)
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else f"{text}."


def _bound(bound: int | str) -> str:
    return f"the table's {bound}" if isinstance(bound, str) else f"{bound}"


def _limits(of: Parameter) -> str:
    """As sentences, each with a blank in front."""
    out = ""
    if of.type in ("integer", "duration"):
        if isinstance(of.max, str) or (of.max is not None and of.max < _LARGE):
            is_option = isinstance(of.min, str)
            out += f" From {_bound(of.min)} to its {of.max}." if is_option else f" {of.min or 0} to {_bound(of.max)}."
    elif of.max is not None and not of.choices:
        out += f" At most {_bound(of.max)}{' bytes' if isinstance(of.max, int) else ''}."
    if of.kept:
        out += f" At most {of.kept // 1024} KiB of it are kept."
    if isinstance(of.default, str) or (of.default is not None and of.type != "flag"):
        out += f" Default: {_bound(of.default)}."
    elif of.type == "flag" and of.default == 1:
        out += " Default: true."
    return out


def about(of: Parameter) -> str:
    """What a parameter, or a field, is: a description and its limits."""
    text = re.sub(r"^(a range|of a key|of a queue|of one key|many rows|with next=1): ", "", of.description)
    text = re.sub(r"^ms ", "milliseconds ", text)
    if of.type == "flag":
        text = re.sub(r"\b[01]\b", lambda found: "`true`" if found[0] == "1" else "`false`", text)
    for choice in set(of.choices) - {"all"}:
        text = re.sub(rf"(?<![\w'-]){choice}(?![\w'-])", f"'{choice}'", text)
    return sentence(text) + _limits(of)


def purpose(of: Call) -> str:
    """What a call is for."""
    said = re.sub(r"(, a page at a time)?(; (of a key )?the last message has `after` if [^.]*)?", "", sentence(of.doc))
    said = re.sub(r"(, page by page)?; how many(?=\.)", "", said)
    if of.adds:
        said += " Resolves with how many."
    return said


def argument_of(call: Call, one: Parameter, of: Type) -> str:
    """As the parameter of the message, if that is said here."""
    known = special(of).argument
    return known.get(f"{call.name}.{one.name}", known.get(one.name, ""))


def type_of(name: str, one: Parameter, given: dict[str, str], received: bool) -> str:
    """In TypeScript; `name`: of the call, or of the answer, that has it."""
    for key in (f"{name}.{one.name}", *([] if received else [one.name])):
        if key in given:
            return given[key]
    if one.choices:
        return " | ".join(f"'{choice}'" for choice in one.choices)
    if one.type == "date" and not received:
        return "DateValue"
    if one.type == "bytes":
        return "string | Buffer" if received else "string | Uint8Array"
    if one.type in ("flag", "boolean"):
        return "boolean"
    if one.type == "string":
        return "string"
    return "number | bigint" if one.name in _BIG else "number"


def calls_of(of: Type) -> list[Call]:
    return [call for call in of.calls if call.name not in special(of).by_hand]


def options_of(call: Call, of: Type) -> list[Parameter]:
    """A row by its number is one of the columns."""
    return [one for one in call.options if not (call.name in special(of).columns and one.name == "row")]


def may_be_gone(call: Call) -> bool:
    return call.or_nothing or (call.returns == "KICKED" and "DELETED" in call.command.answers)


def is_told(flag: Parameter, answer: str) -> bool:
    """A flag that is absent is 0, but for those that only some answers have at all."""
    return flag.type == "flag" and (answer, flag.name) not in {("PAIR", "persist"), ("BLOB", "newer")}


def things_of(of: Type) -> set[str]:
    """Numbers of what the calls return: an object that has one will do."""
    return {call.about for call in of.calls if call.about}


def is_ignoring(call: Call, of: Type) -> bool:
    """Its options are taken one by one, and others are ignored. Else others are refused."""
    return call.name in special(of).ignoring or not options_of(call, of)


def answer_of(call: Call, of: Type) -> Answer:
    """The answer that a call returns, or that has the field that it returns."""
    if call.returns in of.answers:
        return of.answers[call.returns]
    names = [name for name in call.command.answers if any(one.name == call.returns for one in of.answers[name].fields)]
    return of.answers[names[0]]


def commands_of(types: dict[str, Type]) -> list[Command]:
    return [command for of in types.values() for command in of.commands.values()]
