"""The command line as a driver (README.md): a process for each command, always with --json.

A lease of `take` belongs to the connection of its process; the row is the worker's until the table's grace is over.
"""

from __future__ import annotations

import base64
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from line import join, split  # noqa: E402

PROGRAM = os.environ["FJ_BIN"] + "/fastjournal"
PATIENCE_S = 60
# Verbs of the command line for commands, and what each answers.
CALLS = {
    "LIST": ("ls", "ROW"),
    "PEEK": ("peek", "ROW"),
    "WHY": ("why", "REASON"),
    "PAUSE": ("pause", "PAUSED"),
    "DRAIN": ("drain", "DRAINING"),
    "RESUME": ("resume", "RESUMED"),
    "KICK": ("kick", "KICKED"),
    "DELETE": ("delete", "DELETED"),
    "STATS": ("stats", "STATS"),
    "TABLES": ("tables", "TABLE"),
}
OPTIONS = {"status", "prefix", "domain", "error", "after", "count", "reason"}


class Refused(Exception):
    pass


def say(verb: str, params: dict[str, Any]) -> None:
    sys.stdout.write(join(verb, params))


def plain(value: Any) -> Any:
    """A value of --json: buffers that are no text are base64."""
    if isinstance(value, str) and value.startswith("base64:"):
        return base64.b64decode(value[7:])
    return value


def objects(text: str) -> list[dict[str, Any]]:
    return [{name: plain(value) for name, value in json.loads(line).items()} for line in text.splitlines()]


def word(value: Any) -> str:
    if isinstance(value, bytes):
        return "base64:" + base64.b64encode(value).decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    # @ is a file, base64: are bytes.
    return "@" + value if isinstance(value, str) and value.startswith("@") else str(value)


def date(value: Any) -> str:
    return f"{value}ms" if isinstance(value, str) and value.startswith("+") else str(value)


class Driver:
    def __init__(self) -> None:
        self.environment = dict(os.environ)
        self.listeners: dict[str, tuple[subprocess.Popen[str], queue.Queue[str]]] = {}

    def start(self, words: Sequence[str], given: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PROGRAM, *words, "--json"],
            input=given,
            text=True,
            capture_output=True,
            env=self.environment,
            timeout=PATIENCE_S,
        )

    def run(self, *words: str) -> list[dict[str, Any]]:
        ran = self.start(words, "")
        if ran.returncode in (0, 4):
            return objects(ran.stdout)
        for line in ran.stderr.splitlines():
            error = json.loads(line)
            if "error" in error:
                facts = {f"fact.{name}": value for name, value in error.get("facts", {}).items()}
                say("error", {"code": error["error"], "text": error["message"], **facts})
                raise Refused
        raise RuntimeError(f"{words} ended with {ran.returncode}: {ran.stderr}")

    def open(self, params: dict[str, Any]) -> dict[str, Any]:
        self.environment["FASTJOURNAL_SERVER"] = params["server"]
        self.environment["FASTJOURNAL_TOKEN"] = params.get("token", "")
        self.run("ping")
        return {}

    def put(self, params: dict[str, Any]) -> dict[str, Any]:
        words = ["put", params.pop("table")]
        for name, option in (("priority", "priority"), ("client", "client"), ("sequence", "sequence")):
            if name in params:
                words += [f"--{option}", str(params.pop(name))]
        for name, option in (("process_date", "at"), ("expiration_date", "expires")):
            if name in params:
                words += [f"--{option}", date(params.pop(name))]
        return self.run(*words, *(f"{name}={word(value)}" for name, value in params.items()))[0]

    def many(self, params: dict[str, Any]) -> dict[str, Any]:
        rows = [split(sys.stdin.readline())[1] for _ in range(params["rows"])]
        given = "".join(json.dumps(row) + "\n" for row in rows)
        folder = Path(os.environ["FJ_SCRATCH"])
        refused = folder / "refused"
        words = ["put", params["table"], "--from", "-", "--format", "json", "--refused", str(refused)]
        ran = self.start(words, given)
        reasons = Path(f"{refused}.reasons")
        if reasons.exists():
            for line in reasons.read_text().splitlines():
                reason = json.loads(line)
                say("refused", {"index": reason["line"] - 1, "code": reason["error"]})
            reasons.unlink()
            refused.unlink()
        counts = dict.fromkeys(("inserted", "merged", "behind", "duplicate", "stale"), 0)
        for answer in objects(ran.stdout):
            counts[answer["result"]] += 1
        return {**counts, "refused": len(rows) - sum(counts.values())}

    def next(self, params: dict[str, Any]) -> dict[str, Any]:
        words = ["take", params.pop("table")]
        for name, value in params.items():
            words += [f"--{name}", f"{value}ms" if name in ("wait", "lease") else str(value)]
        for row in self.run(*words):
            say("row", row)
        return {}

    def _about(self, verb: str, params: dict[str, Any], *more: str) -> list[dict[str, Any]]:
        return self.run(verb, params["table"], str(params["row"]), str(params["epoch"]), *more)

    def touch(self, params: dict[str, Any]) -> dict[str, Any]:
        return self._about("touch", params, *(["--lease", f"{params['lease']}ms"] if "lease" in params else []))[0]

    def done(self, params: dict[str, Any]) -> dict[str, Any]:
        self._about("done", params)
        return {}

    def done_next(self, params: dict[str, Any]) -> dict[str, Any]:
        self._about("done", params)
        return self.next({"table": params["table"]})

    def release(self, params: dict[str, Any]) -> dict[str, Any]:
        more = ["--error", params["error"]] if "error" in params else []
        if "delay" in params:
            more += ["--at", f"+{params['delay']}ms"]
        return self._fate(self._about("release", params, *more))

    def fail(self, params: dict[str, Any]) -> dict[str, Any]:
        return self._fate(self._about("fail", params, "--error", params["error"]))

    @staticmethod
    def _fate(answers: list[dict[str, Any]]) -> dict[str, Any]:
        return {"fate": answers[0]["fate"]}

    def why(self, params: dict[str, Any]) -> dict[str, Any]:
        return self.call({"command": "WHY", **params})

    def listen(self, params: dict[str, Any]) -> dict[str, Any]:
        self.unlisten(params)
        table = params.pop("table")
        words = [PROGRAM, "listen", table, "--json"]
        for name, value in params.items():
            words += [f"--{name}", str(value)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=self.environment)
        lines: queue.Queue[str] = queue.Queue()
        assert process.stdout is not None
        stream = process.stdout
        threading.Thread(target=lambda: [lines.put(line) for line in stream], daemon=True).start()
        self.listeners[table] = (process, lines)
        # It says nothing once it listens, but the daemon shows it.
        for _ in range(1000):
            if self.run("waiters", table):
                return {}
        raise RuntimeError("the listener does not listen")

    def unlisten(self, params: dict[str, Any]) -> dict[str, Any]:
        if params["table"] in self.listeners:
            process, _ = self.listeners.pop(params["table"])
            process.terminate()
            process.wait(PATIENCE_S)
        return {}

    def wait(self, params: dict[str, Any]) -> dict[str, Any]:
        ((_, lines),) = self.listeners.values()
        try:
            notice = objects(lines.get(timeout=params["limit"] / 1000))[0]
        except queue.Empty:
            say("error", {"code": "timed_out", "text": "no notice"})
            raise Refused from None
        kind = "delivered" if "epoch" in notice else "due" if "row" in notice else "work"
        return {"kind": kind, **notice}

    def send(self, params: dict[str, Any]) -> dict[str, Any]:
        words = ["queue", "send", params["table"]]
        if "exchange" in params:
            words += ["--exchange", params["exchange"], "--key", params.get("routing_key", "")]
        else:
            words.append(params["queue"])
        for name in ("priority", "properties", "client", "sequence"):
            if name in params:
                words += [f"--{name}", str(params[name])]
        if "process_date" in params:
            words += ["--at", date(params["process_date"])]
        return self.run(*words, params.get("body", ""))[0]

    def acquire(self, params: dict[str, Any]) -> dict[str, Any]:
        """`queue take` accepts what it prints. A lease outlives the program by the grace of the table."""
        if params.pop("accept", 0):
            words = ["queue", "take", params["table"], params["queue"]]
            if "count" in params:
                words += ["--count", str(params["count"])]
        else:
            words = ["call", "ACQUIRE", *(f"{name}={word(value)}" for name, value in params.items())]
        for message in self.run(*words):
            if "message" in message:
                say("row", message)
        return {}

    def _lease(self, command: str, params: dict[str, Any]) -> dict[str, Any]:
        return self.run("call", command, *(f"{name}={word(value)}" for name, value in params.items()))[0]

    def accept(self, params: dict[str, Any]) -> dict[str, Any]:
        return self._lease("ACCEPT", params)

    def renew(self, params: dict[str, Any]) -> dict[str, Any]:
        return self._lease("TOUCH", params)

    def give_back(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"fate": self._lease("RELEASE", params)["command"].lower()}

    def reject(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"fate": self._lease("REJECT", params)["command"].lower()}

    def follow(self, params: dict[str, Any]) -> dict[str, Any]:
        """Of all queues of the table."""
        return self.listen({"table": params["table"], "mode": "deliver", "credit": params["credit"]})

    def wait_message(self, params: dict[str, Any]) -> dict[str, Any]:
        return self.wait(params)

    def call(self, params: dict[str, Any]) -> dict[str, Any]:
        command = params.pop("command")
        if command not in CALLS:
            for message in self.run("call", command, *(f"{name}={word(value)}" for name, value in params.items())):
                say("message", message)
            return {}
        verb, answer = CALLS[command]
        words = [verb]
        if "table" in params:
            words.append(str(params.pop("table")))
        for name, value in params.items():
            if name == "row":
                words.append(str(value))
            elif name in OPTIONS:
                words += [f"--{name}", str(value)]
            else:
                words.append(f"{name}={word(value)}")
        for message in self.run(*words):
            say("message", {"command": answer, **message})
        return {}


def main() -> None:
    driver = Driver()
    for line in sys.stdin:
        verb, params = split(line)
        try:
            say("ok", getattr(driver, verb)(params))
        except Refused:
            pass
        sys.stdout.flush()
    for process, _ in driver.listeners.values():
        process.terminate()
        process.wait(PATIENCE_S)


main()
