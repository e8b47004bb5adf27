"""Makes the half of the client without asyncio from the half with it: `python3 make_blocking.py` writes it anew.

`async` and `await` are dropped, and names replaced by those of NAMES. What differs by more than that is in
fastjournal/_net_async.py and fastjournal/_net_blocking.py, two modules with the same names, both written by hand.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent / "fastjournal"
# The modules with asyncio, and those that are made from them.
MODULES = {
    "aio": "connection",
    "async_blobs": "blobs",
    "async_calls": "calls",
    "async_daemon_calls": "daemon_calls",
    "async_document_calls": "document_calls",
    "async_documents": "documents",
    "async_journal": "journal",
    "async_journal_calls": "journal_calls",
    "async_key_value": "key_value",
    "async_queue_calls": "queue_calls",
    "async_queues": "queues",
}
NAMES = MODULES | {
    "_net_async": "_net_blocking",
    "AsyncIterator": "Iterator",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
}
Place = tuple[int, int]  # line, from 1, and column


def made_from(source: str) -> str:
    """The text of the module that is made from this one."""
    return made_of((FOLDER / f"{source}.py").read_text(), source)


def made_of(text: str, source: str) -> str:
    """Likewise, from a text that may not be in its file yet."""
    lines = text.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    # From the end, so that places before it stay true. No token that is changed has several lines.
    for (row, begin), (_, end), new in sorted(changes(tokens), reverse=True):
        line = lines[row - 1]
        lines[row - 1] = line[:begin] + new + line[end:]
    head = f"# Made from {source}.py by `python3 clients/python/make_blocking.py`: change that file instead.\n"
    return head + "".join(lines)


def changes(tokens: list[tokenize.TokenInfo]) -> Iterator[tuple[Place, Place, str]]:
    """Begin, end and new text of each."""
    for at, token in enumerate(tokens):
        if token.type == tokenize.NAME and token.string in ("async", "await"):
            yield token.start, tokens[at + 1].start, ""
        elif token.type == tokenize.NAME and token.string in NAMES:
            yield token.start, token.end, NAMES[token.string]
        elif token.string == "(" and tokens[at + 1].string == "await" and not is_call(tokens[at - 1]):
            end = closed_at(tokens, at)
            # `(await call()).value`: without `await` it needs no parentheses.
            if tokens[end + 1].string == ".":
                yield token.start, token.end, ""
                yield tokens[end].start, tokens[end].end, ""


def is_call(before: tokenize.TokenInfo) -> bool:
    """Whether a parenthesis behind this token calls what is before it."""
    is_name = before.type == tokenize.NAME and not keyword.iskeyword(before.string)
    return is_name or before.string in (")", "]")


def closed_at(tokens: list[tokenize.TokenInfo], opened: int) -> int:
    """Where the parenthesis is closed that is opened there."""
    depth = 0
    for at in range(opened, len(tokens)):
        depth += (tokens[at].string in ("(", "[", "{")) - (tokens[at].string in (")", "]", "}"))
        if not depth:
            return at
    raise ValueError("a parenthesis is not closed")


if __name__ == "__main__":
    for source, made in MODULES.items():
        (FOLDER / f"{made}.py").write_text(made_from(source))
