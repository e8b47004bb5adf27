# Made from async_daemon_calls.py by `python3 clients/python/make_blocking.py`: change that file instead.
# Made by ./mk generate from src/server/admin/daemon.xml and clients/calls/daemon.toml: do not edit.
"""The commands of the daemon itself."""

from __future__ import annotations

from collections.abc import Iterator

from .calls import Calls
from .daemon_records import Alert, Branch, CommandHelp, Digest, OwnRights, Reloaded, ShownTable, Waiter
from .rows import Duration
from .typed import given, number, one, record, span, word
from .wire import Message


class Daemon(Calls):
    """The daemon itself on a connection, which must outlive it. Every call raises what `Connection.call` does.

    Its figures, who listens, backups, the cluster, and its life.
    """

    def commands(self) -> str:
        """Lists all commands.

        Returns: their names, separated by commas.
        """
        params = given()
        return word(self.connection.request("HELP", params), "COMMANDS", "list")

    def help(self, command: str) -> Iterator[CommandHelp]:
        """Tells what a command takes and answers, of each type of tables that has it.

        command: the command to tell about; the list of all if absent.
        """
        params = given(command=command)
        return self._pages("HELP", params, "HELP", record(CommandHelp))

    def rights(self, *, table: str | None = None) -> OwnRights:
        """Tells who the sender is, and what it may do.

        table: what it may do on this table, which need not exist; on all tables if absent.
        """
        params = given(table=table)
        return one(self.connection.request("RIGHTS", params), "RIGHTS", record(OwnRights))

    def tables(self) -> Iterator[ShownTable]:
        """Lists the tables with their columns."""
        params = given()
        return self._pages("TABLES", params, "TABLE", record(ShownTable))

    def stats(self, *, table: str | None = None) -> list[Message]:
        """Tells the figures of the daemon and of each table.

        table: only this table; the daemon and all tables if absent.
        """
        params = given(table=table)
        return self.connection.request("STATS", params).messages

    def metrics(self, *, format: str | None = None, table: str | None = None) -> str:
        """Tells the figures of STATS with their meanings, as text for a monitoring system.

        format: text is that of Prometheus; text if absent; one of "text", "openmetrics".
        table: only this table; the daemon and all tables if absent.
        Returns: whole lines.
        """
        params = given(format=format, table=table)
        return word(self.connection.request("METRICS", params), "METRICS", "text")

    def health(self, *, what: str | None = None) -> None:
        """Tells whether the daemon is of use: refused if a log does not serve.

        what: ready: all of its logs serve; live: it answers, whatever its logs do. ready if absent; one of "ready",
            "live".
        """
        params = given(what=what)
        self.connection.request("HEALTH", params)

    def openapi(self) -> str:
        """Describes the HTTP door as an OpenAPI document.

        Returns: in JSON.
        """
        params = given()
        return word(self.connection.request("OPENAPI", params), "OPENAPI", "text")

    def alerts(self, *, table: str | None = None) -> Iterator[Alert]:
        """Lists the alerts that are up.

        table: only those of this table.
        """
        params = given(table=table)
        return self._pages("ALERTS", params, "ALERT", record(Alert))

    def lower(self, name: str, *, table: str | None = None) -> None:
        """Ends an alert by hand.

        name: the alert, as ALERTS names it.
        table: the table of the alert; one of the daemon itself if absent.
        """
        params = given(name=name, table=table)
        self.connection.request("LOWER", params)

    def waiters(self, table: str, *, page: int = 100) -> Iterator[Waiter]:
        """Shows who listens and waits at a table, by connection.

        page: asks for so many at a time; 1 to 1000.
        """
        params = given(table=table, count=page)
        return self._pages("WAITERS", params, "WAITER", record(Waiter))

    def fetch(
        self,
        table: str,
        *,
        from_: int | None = None,
        to: int | None = None,
        count: int | None = None,
        bytes: int | None = None,
        snapshot: bool = False,
        cursor: str | None = None,
    ) -> list[Message]:
        """Gets records of a table, or all of its objects, for a follower.

        from_: the LSN of the first record; or else snapshot.
        to: only records below this LSN; up to the end if absent.
        count: how many records at most; 1 to 4096; 256 if absent.
        bytes: about how many bytes of bodies at most; 1 to 1048576; 1048576 if absent.
        snapshot: True, the objects of the table.
        cursor: of a snapshot: go on behind the page before, as it said.
        """
        params = given(
            table=table,
            **{"from": from_},
            to=to,
            count=count,
            bytes=bytes,
            snapshot=1 if snapshot else None,
            cursor=cursor,
        )
        return self.connection.request("FETCH", params).messages

    def xa_prepare(self, xid: str) -> int:
        """Prepares a branch: from then on it stays, with all that it holds, until it is committed or rolled back.

        xid: the branch, as its manager names it: FORMAT:GTRID:BQUAL.
        Returns: how many commands it has.
        """
        params = given(xid=xid)
        return number(self.connection.request("XA_PREPARE", params), "PREPARED", "ops")

    def xa_commit(self, xid: str, *, one_phase: bool = False) -> list[Message]:
        """Carries out a prepared branch. The answers of its commands follow the first message.

        xid: the branch, as its manager names it: FORMAT:GTRID:BQUAL.
        one_phase: True, one that was not prepared.
        """
        params = given(xid=xid, one_phase=1 if one_phase else None)
        return self.connection.request("XA_COMMIT", params).messages

    def xa_rollback(self, xid: str) -> None:
        """Gives up a branch.

        xid: the branch, as its manager names it: FORMAT:GTRID:BQUAL.
        """
        params = given(xid=xid)
        self.connection.request("XA_ROLLBACK", params)

    def xa_forget(self, xid: str) -> None:
        """Forgets a branch that an administrator has decided.

        xid: the branch, as its manager names it: FORMAT:GTRID:BQUAL.
        """
        params = given(xid=xid)
        self.connection.request("XA_FORGET", params)

    def xa_recover(self, *, all: bool = False, page: int = 100) -> Iterator[Branch]:
        """Lists the branches that are in doubt.

        all: True, all branches; False, those that are prepared and not ended.
        page: asks for so many at a time; 1 to 1000.
        """
        params = given(all=1 if all else None, count=page)
        return self._pages("XA_RECOVER", params, "BRANCH", record(Branch))

    def xa_decide(self, xid: str, outcome: str) -> int:
        """Decides a branch in doubt in place of its manager.

        xid: the branch, as its manager names it: FORMAT:GTRID:BQUAL.
        outcome: what becomes of it; one of "commit", "rollback".
        Returns: how many commands it had.
        """
        params = given(xid=xid, outcome=outcome)
        return number(self.connection.request("XA_DECIDE", params), "DECIDED", "ops")

    def digest(self, *, table: str | None = None, stale: bool = False) -> Iterator[Digest]:
        """Computes a digest of a table, or of each log, for comparisons.

        table: only this table; each log if absent.
        stale: True, also what this node has followed of the logs of other nodes.
        """
        params = given(table=table, stale=1 if stale else None)
        return self._pages("DIGEST", params, "DIGEST", record(Digest))

    def backup(self, *, digest: bool = False) -> list[Message]:
        """Keeps the files of all logs unchanged until BACKUP_DONE or the end of the connection, and tells which ones to
        copy.

        digest: True, with the digest of each log.
        """
        params = given(digest=1 if digest else None)
        return self.connection.request("BACKUP", params).messages

    def backup_done(self) -> None:
        """The files of the backup are copied: they may change again."""
        params = given()
        self.connection.request("BACKUP_DONE", params)

    def cluster(self) -> list[Message]:
        """Shows the logs that are shared with other nodes, who owns each, and which nodes there are."""
        params = given()
        return self.connection.request("CLUSTER", params).messages

    def step_down(self, log: str, *, for_: Duration | None = None) -> None:
        """This node gives a log to another one.

        for_: so long this node does not take it again; 0 to 3600 s; 10 if absent.
        """
        params = given(log=log, **{"for": span(for_)})
        self.connection.request("STEP_DOWN", params)

    def move_table(self, table: str) -> list[Message]:
        """Brings a table to the log that its file names, while it serves."""
        params = given(table=table)
        return self.connection.request("MOVE_TABLE", params).messages

    def reload(self, *, table: str | None = None, dry_run: bool = False) -> Reloaded:
        """Reads the tables folder again, and without a table also users and certificates; a bad file changes nothing.

        table: only this table.
        dry_run: True, tells the changes and makes none.
        """
        params = given(table=table, dry_run=1 if dry_run else None)
        return one(self.connection.request("RELOAD", params), "RELOADED", record(Reloaded))

    def stop(self) -> None:
        """Ends the daemon."""
        params = given()
        self.connection.request("STOP", params)

    def restart(self) -> None:
        """Ends the daemon so that its supervisor starts it again."""
        params = given()
        self.connection.request("RESTART", params)

    def log_rotate(self) -> None:
        """Opens the log file for people again."""
        params = given()
        self.connection.request("LOG_ROTATE", params)
