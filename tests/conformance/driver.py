"""The Python client as a driver (README.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "clients/python")]

import fastjournal  # noqa: E402
from fastjournal.rows import Row  # noqa: E402
from line import join, split  # noqa: E402

DATES = ("process_date", "expiration_date", "insertion_date")


def say(verb: str, params: dict[str, Any]) -> None:
    sys.stdout.write(join(verb, {name: value for name, value in params.items() if value is not None}))


def shown(row: Row) -> dict[str, Any]:
    return {
        **row.columns,
        **{name: getattr(row, name) for name in ("table", "row", "epoch", "priority", "timeouts", "attempts")},
        **{name: getattr(row, name) for name in ("process_date", "insertion_date", "lease_end")},
    }


def shown_message(message: fastjournal.QueueMessage) -> dict[str, Any]:
    names = ("table", "message", "epoch", "queue", "body", "priority", "deliveries", "routing_key", "dead_of")
    more = {"redelivered": int(message.redelivered), "properties": message.properties_json}
    return {**{name: getattr(message, name) for name in names}, **more, "lease_end": message.lease_end}


def held(params: dict[str, Any]) -> fastjournal.QueueMessage:
    return fastjournal.QueueMessage(params["table"], params["message"], params["epoch"])


def leased(params: dict[str, Any]) -> Row:
    return Row(params["table"], params["row"], params["epoch"], {})


class Driver:
    def __init__(self) -> None:
        self.connection: fastjournal.Connection

    def open(self, params: dict[str, Any]) -> dict[str, Any]:
        self.connection = fastjournal.connect(params.pop("server"), **params)
        return {}

    def put(self, params: dict[str, Any]) -> dict[str, Any]:
        options = {name: params.pop(name) for name in (*DATES, "priority", "client", "sequence") if name in params}
        put = self.connection.journal(params.pop("table")).put(params, **options)
        return {"result": put.result, "row": put.row}

    def many(self, params: dict[str, Any]) -> dict[str, Any]:
        rows = [split(sys.stdin.readline())[1] for _ in range(params["rows"])]
        counts = self.connection.journal(params["table"]).put_many(
            rows, on_refused=lambda index, row, error: say("refused", {"index": index, "code": error.code})
        )
        names = ("inserted", "merged", "behind", "duplicate", "stale", "refused")
        return {name: getattr(counts, name) for name in names}

    def next(self, params: dict[str, Any]) -> dict[str, Any]:
        for name in ("wait", "lease"):
            if name in params:
                params[name] /= 1000
        for row in self.connection.journal(params.pop("table")).next(**params).rows:
            say("row", shown(row))
        return {}

    def touch(self, params: dict[str, Any]) -> dict[str, Any]:
        lease = params["lease"] / 1000 if "lease" in params else None
        return {"lease_end": self.connection.journal(params["table"]).touch(leased(params), lease)}

    def done(self, params: dict[str, Any]) -> dict[str, Any]:
        self.connection.journal(params["table"]).done(leased(params))
        return {}

    def done_next(self, params: dict[str, Any]) -> dict[str, Any]:
        for row in self.connection.journal(params["table"]).done_and_next(leased(params)).rows:
            say("row", shown(row))
        return {}

    def release(self, params: dict[str, Any]) -> dict[str, Any]:
        date = f"+{params['delay']}" if "delay" in params else None
        journal = self.connection.journal(params["table"])
        return {"fate": journal.release(leased(params), error=params.get("error"), process_date=date).fate}

    def fail(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"fate": self.connection.journal(params["table"]).fail(leased(params), params["error"]).fate}

    def why(self, params: dict[str, Any]) -> dict[str, Any]:
        for reason in self.connection.journal(params.pop("table")).why(**params):
            say("message", {"command": "REASON", **reason})
        return {}

    def listen(self, params: dict[str, Any]) -> dict[str, Any]:
        self.connection.journal(params.pop("table")).listen(params.pop("mode", "wake"), **params)
        return {}

    def unlisten(self, params: dict[str, Any]) -> dict[str, Any]:
        self.connection.journal(params["table"]).unlisten(params.get("domain"))
        return {}

    def wait(self, params: dict[str, Any]) -> dict[str, Any]:
        for notice in self.connection.notices(limit=params["limit"] / 1000):
            row = shown(notice.row) if notice.row is not None else {"ready": notice.ready, "missed": notice.missed}
            return {"kind": notice.kind, "table": notice.table, **row}
        raise fastjournal.TimedOut("timed_out", "no notice")

    def send(self, params: dict[str, Any]) -> dict[str, Any]:
        post = self.connection.queues(params.pop("table"))
        body = params.pop("body", "")
        if "exchange" in params:
            sent = post.publish(params.pop("exchange"), params.pop("routing_key", ""), body, **params)
        else:
            sent = post.send(params.pop("queue"), body, **params)
        return {"result": sent.result, "message": sent.message, "queues": sent.queues}

    def acquire(self, params: dict[str, Any]) -> dict[str, Any]:
        for name in ("wait", "lease"):
            if name in params:
                params[name] /= 1000
        params["accept"] = bool(params.pop("accept", 0))
        for message in self.connection.queues(params.pop("table")).acquire(**params).messages:
            say("row", shown_message(message))
        return {}

    def accept(self, params: dict[str, Any]) -> dict[str, Any]:
        self.connection.queues(params["table"]).accept(held(params))
        return {}

    def renew(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"lease_end": self.connection.queues(params["table"]).touch(held(params), params["lease"] / 1000)}

    def give_back(self, params: dict[str, Any]) -> dict[str, Any]:
        post = self.connection.queues(params["table"])
        return {"fate": post.release(held(params), error=params.get("error")).fate}

    def reject(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"fate": self.connection.queues(params["table"]).reject(held(params), params.get("error")).fate}

    def follow(self, params: dict[str, Any]) -> dict[str, Any]:
        self.connection.queues(params["table"]).listen(params["queue"], credit=params["credit"])
        return {}

    def wait_message(self, params: dict[str, Any]) -> dict[str, Any]:
        for notice in self.connection.notices(limit=params["limit"] / 1000):
            assert notice.message is not None
            return {"kind": notice.kind, **shown_message(notice.message)}
        raise fastjournal.TimedOut("timed_out", "no notice")

    def call(self, params: dict[str, Any]) -> dict[str, Any]:
        for message in self.connection.call(params.pop("command"), **params).messages:
            say("message", {"command": message.command, **message.params})
        return {}


def main() -> None:
    driver = Driver()
    for line in sys.stdin:
        verb, params = split(line)
        try:
            say("ok", getattr(driver, verb)(params))
        except fastjournal.Error as why:
            facts = {f"fact.{name}": value for name, value in why.facts.items()}
            say("error", {"code": why.code, "text": why.message, **facts})
        sys.stdout.flush()


main()
