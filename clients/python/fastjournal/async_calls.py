"""What the classes of typed calls have in common, whatever the type of their table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from .session import Reply
from .typed import Paging, page_of
from .wire import Message

if TYPE_CHECKING:
    from .aio import Connection

_Shown = TypeVar("_Shown")


class Calls:
    """On a connection, which must outlive them."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    # --- inside ---

    async def _numbered(self, command: str, params: dict[str, Any], is_conditional: bool = False) -> Reply:
        """A command that counts once. A condition that is repeated would be answered by what the first one has done."""
        if ("client" in params) != ("sequence" in params):
            raise ValueError("expected both of client and sequence, or none")
        if is_conditional:
            return await self.connection.request(command, params)
        return await self.connection.request_numbered(command, params)

    async def _pages(
        self, command: str, params: dict[str, Any], answer: str, read: Callable[[Message], _Shown]
    ) -> AsyncIterator[_Shown]:
        after: dict[str, Any] | None = {}
        while after is not None:
            shown, after = page_of(await self.connection.request(command, params | after), answer, read)
            for one in shown:
                yield one

    async def _all(self, command: str, params: dict[str, Any], most: int | None, answer: str) -> int:
        paging = Paging(params, most)
        while not paging.ended:
            paging.take(await self.connection.request(command, paging.next()), answer)
        return paging.done


class TableCalls(Calls):
    """Those of a table."""

    def __init__(self, connection: Connection, table: str) -> None:
        super().__init__(connection)
        self.table = table

    async def stats(self) -> dict[str, Any]:
        """The figures of the table, by the names of STATS."""
        return (await self.connection.request("STATS", {"table": self.table})).first.params
