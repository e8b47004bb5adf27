# Made from async_calls.py by `python3 clients/python/make_blocking.py`: change that file instead.
"""What the classes of typed calls have in common, whatever the type of their table."""

from __future__ import annotations

from collections.abc import Iterator, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from .session import Reply
from .typed import Paging, page_of
from .wire import Message

if TYPE_CHECKING:
    from .connection import Connection

_Shown = TypeVar("_Shown")


class Calls:
    """On a connection, which must outlive them."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    # --- inside ---

    def _numbered(self, command: str, params: dict[str, Any], is_conditional: bool = False) -> Reply:
        """A command that counts once. A condition that is repeated would be answered by what the first one has done."""
        if ("client" in params) != ("sequence" in params):
            raise ValueError("expected both of client and sequence, or none")
        if is_conditional:
            return self.connection.request(command, params)
        return self.connection.request_numbered(command, params)

    def _pages(
        self, command: str, params: dict[str, Any], answer: str, read: Callable[[Message], _Shown]
    ) -> Iterator[_Shown]:
        after: dict[str, Any] | None = {}
        while after is not None:
            shown, after = page_of(self.connection.request(command, params | after), answer, read)
            for one in shown:
                yield one

    def _all(self, command: str, params: dict[str, Any], most: int | None, answer: str) -> int:
        paging = Paging(params, most)
        while not paging.ended:
            paging.take(self.connection.request(command, paging.next()), answer)
        return paging.done


class TableCalls(Calls):
    """Those of a table."""

    def __init__(self, connection: Connection, table: str) -> None:
        super().__init__(connection)
        self.table = table

    def stats(self) -> dict[str, Any]:
        """The figures of the table, by the names of STATS."""
        return self.connection.request("STATS", {"table": self.table}).first.params
