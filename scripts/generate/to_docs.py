"""Tables of the documents: what stands between `<!-- made: WHAT TYPE -->` and `<!-- made: end -->`.

WHAT is `commands`: each command with its parameters, right and answers; or `limits`: each parameter that has some.
"""

from __future__ import annotations

import re
from pathlib import Path

from .model import Command, Parameter, Type

_ROOT = Path(__file__).resolve().parents[2]
_DOCUMENTS = sorted(path.name for path in (_ROOT / "doc").glob("*.md"))
_REGION = re.compile(r"(<!-- made: (\w+) (\w+) -->\n).*?(<!-- made: end -->)", re.DOTALL)
_HIDDEN = {"table", "table_binary"}
_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_TIMES = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s"))


def files(types: dict[str, Type]) -> dict[str, str]:
    out = {}
    for name in _DOCUMENTS:
        text = (_ROOT / "doc" / name).read_text()
        made = _REGION.sub(lambda found: found[1] + "\n" + _MAKERS[found[2]](types[found[3]]) + "\n" + found[4], text)
        if made != text:
            out[f"doc/{name}"] = made
    return out


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |\n"


def _commands(kind: Type) -> str:
    out = _row("command", "parameters", "right", "answers") + "|---|---|---|---|\n"
    for command in kind.commands.values():
        out += _row(command.name, _parameters(command), f"`{command.right}`", " ".join(command.answers))
    return out


def _parameters(command: Command) -> str:
    """Those that are required, and the others in brackets."""
    needed = [one.name for one in command.parameters if one.required and one.name not in _HIDDEN]
    others = [one.name for one in command.parameters if not one.required and one.name not in _HIDDEN]
    if command.columns:
        others.insert(0, "COLUMNS")
    return ", ".join(filter(None, (" ".join(needed), f"[{' '.join(others)}]" if others else "")))


def _limits(kind: Type) -> str:
    """Commands that have a parameter with the same limits share a row."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for command in kind.commands.values():
        for one in command.parameters:
            if one.type != "flag" and (one.max is not None or one.choices or one.kept):
                rows.setdefault((one.name, _range(one), shown(one, one.default)), []).append(command.name)
    out = _row("parameter", "of", "allowed", "if absent") + "|---|---|---|---|\n"
    for (name, allowed, default), commands in sorted(rows.items()):
        out += _row(f"`{name}`", "all that have it" if len(commands) > 6 else ", ".join(commands), allowed, default)
    return out


def _range(one: Parameter) -> str:
    if one.choices:
        return " ".join(f"`{choice}`" for choice in one.choices)
    if one.kept:
        return f"{_size(one.kept)} of it are kept"
    if one.type in ("integer", "duration"):
        return f"{shown(one, one.min)} to {shown(one, one.max)}"
    return f"at most {shown(one, one.max)}"


def shown(one: Parameter, bound: int | str | None) -> str:
    if bound is None:
        return ""
    if isinstance(bound, str):
        return f"`{bound}`"
    if one.type == "duration" and bound:
        return next((f"{bound // unit}{word}" for unit, word in _TIMES if bound % unit == 0), f"{bound} ms")
    return f"{bound:,}" if one.type in ("integer", "duration") else _size(bound)


def _size(count: int) -> str:
    return next((f"{count // unit} {word}" for unit, word in _UNITS if count % unit == 0), f"{count} bytes")


_MAKERS = {"commands": _commands, "limits": _limits}
