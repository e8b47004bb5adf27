"""What people give of a command's parameters: options of the command line, and inputs of the page.

Each has the parameters that its sources name: `queue::send::priority` in C++, where a keyword has the_ before it, and
inputOf('queue.SEND.priority') in JavaScript.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from pathlib import Path

from .model import OF_MESSAGES, Option, Parameter, Types
from .to_docs import shown

_ROOT = Path(__file__).resolve().parents[2]
_CLI = "clients/programs/fastjournal"
_PAGE = "src/server/page"
_MADE = """// Made by ./mk generate from plugins/*/*.xml and src/server/admin/daemon.xml: do not edit.
// clang-format off
// What the declarations say of parameters """
_WIDTH = 120
_JS = ("'", " +")  # how a text is quoted, and goes on in the next line
_LARGE = {"integer": 10**9, "duration": 10**12 - 1}  # nobody gets there, and help does not say it


def _named(types: Types, folder: str, pattern: str) -> list[tuple[tuple[str, ...], Parameter]]:
    """What the sources of the folder name: (type, command, parameter), and what is declared of it."""
    found: set[tuple[str, ...]] = set()
    for path in itertools.chain(*((_ROOT / folder).rglob(f"*.{ending}") for ending in ("h", "cpp", "js"))):
        if path.name not in ("made_parameters.h", "declared.js"):
            found.update(re.findall(pattern.replace("TYPE", f"({'|'.join(types)})"), path.read_text()))
    out = []
    for spelled in sorted(found):
        command, name = (word.removeprefix("the_") for word in spelled[1:])
        out.append((spelled, types[spelled[0]].commands[command.upper()].parameter(name)))
    return out


def _sentence(one: Parameter) -> str:
    return OF_MESSAGES.sub("", one.description).removeprefix("1: ")


def _numbers(one: Parameter) -> list[int | None]:
    """Its least, its most and its default; None: without, or an option of the table says it."""
    has_some = one.type in _LARGE
    return [bound if has_some and isinstance(bound, int) else None for bound in (one.min, one.max, one.default)]


def _limits(one: Parameter) -> str:
    """For people: "0 to 255, default 100"."""
    least, most, absent = (bound and re.sub("[, ]", "", shown(one, bound)) for bound in _numbers(one))
    said = [f"{least or 0} to {most}"] if most and one.max < _LARGE[one.type] else []
    if isinstance(one.default, str):
        said.append(f"default: the table's {one.default}")
    elif absent:
        said.append(f"default {absent}")
    return ", ".join(said)


def _literal(text: str, quote: str = '"', joint: str = "") -> str:
    parts = textwrap.wrap(text, _WIDTH - 28, drop_whitespace=False) or [""]
    return f"{joint}\n    ".join(quote + part.replace(quote, f"\\{quote}") + quote for part in parts)


def _option(spelled: str, one: Parameter) -> str:
    least, most, absent = _numbers(one)
    texts = (one.name, _sentence(one), " ".join(one.choices), _limits(one))
    values = [*map(_literal, texts), str(least or 0), "UINT64_MAX" if most is None else str(most), str(absent or 0)]
    while values[-1] in ('""', "0", "UINT64_MAX"):
        values.pop()
    line = f"inline constexpr Help {spelled}{{{', '.join(values)}}};"
    if len(line) > _WIDTH or "\n" in line:
        parts = ",\n    ".join(filter(None, (", ".join(values[:2]), ", ".join(values[2:]))))
        line = f"inline constexpr Help {spelled}{{\n    {parts}}};"
    return line


def _header(types: Types) -> str:
    out = f'{_MADE}that are options of verbs.\n#pragma once\n\n#include <cstdint>\n\n#include "{_CLI}/help.h"\n'
    for path, named in itertools.groupby(_named(types, _CLI, r"\bTYPE::(\w+)::(\w+)"), key=lambda each: each[0][:2]):
        space = f"namespace fastjournal::cli::{'::'.join(path)}"
        options = "\n".join(_option(spelled[2], one) for spelled, one in named)
        out += f"\n{space} {{\n{options}\n}}  // {space}\n"
    return out


def _input(one: Parameter, options: tuple[Option, ...]) -> dict[str, int | str]:
    """The attributes of its element; `help`: what stands behind it; `choices`: of a select."""
    least, most, absent = _numbers(one)
    limits = _limits(one)
    # A length that an option of the table says is at most the largest value of that.
    length = next((option.max for option in options if option.name == one.max), one.max) or one.kept or None
    out = {"maxlength": length, "choices": " ".join(one.choices) or None}
    if one.type in _LARGE:
        out = {"type": "number", "min": least, "max": most, "placeholder": absent}
    out["help"] = _sentence(one) + (f" ({limits})" if limits else "")
    return {name: value for name, value in out.items() if value is not None}


def _module(types: Types) -> str:
    out = f"{_MADE}for which the page has inputs.\nexport const parameters = {{\n"
    for spelled, one in _named(types, _PAGE, r"'TYPE\.([A-Z_]+)\.(\w+)'"):
        values = _input(one, types[spelled[0]].options).items()
        texts = [f"{name}: {said if isinstance(said, int) else _literal(said, *_JS)}" for name, said in values]
        line = f"  '{'.'.join(spelled)}': {{{', '.join(texts)}}},\n"
        if len(line) > _WIDTH + 1:
            line = f"  '{'.'.join(spelled)}': {{\n    {f',{chr(10)}    '.join(texts)}\n  }},\n"
        out += line
    return out + "};\n"


def files(types: Types) -> dict[str, str]:
    return {f"{_CLI}/made_parameters.h": _header(types), f"{_PAGE}/declared.js": _module(types)}
