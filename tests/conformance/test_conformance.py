"""Every conversation with every client, each against a daemon of its own: README.md."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Daemon
from line import join, split

HERE = Path(__file__).parent
PATIENCE_S = 60
CLIENTS = {
    "c": ["{bin}/fj_driver_c"],
    "cpp": ["{bin}/fj_driver_cpp"],
    "python": [sys.executable, f"{HERE}/driver.py"],
    "node": [os.environ.get("FJ_NODE", "node"), f"{HERE}/driver.mjs"],
    "cli": [sys.executable, f"{HERE}/driver_cli.py"],
}
# Where there is no compiler of Go, nothing is played with its client.
if os.environ.get("FJ_GO_DRIVER"):
    CLIENTS["go"] = [os.environ["FJ_GO_DRIVER"]]
# The columns of a row of the C++ library are texts.
TEXT_ROWS = {"cpp"}
VERBS = (
    "open put many next touch done done_next release fail why listen unlisten wait call send acquire accept renew "
    "give_back reject follow wait_message".split()
)
CONVERSATIONS = sorted((HERE / "conversations").glob("*.json"))


class Driver:
    def __init__(self, client: str, daemon: Daemon) -> None:
        words = [word.format(bin=daemon.programs) for word in CLIENTS[client]]
        environment = {**os.environ, "FJ_SCRATCH": str(daemon.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.unread = b""
        self.opened = False

    def send(self, verb: str, params: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((join(verb, params) + "".join(join("row", row) for row in rows)).encode())
        self.process.stdin.flush()

    def answer(self) -> list[tuple[str, dict[str, Any]]]:
        """The lines up to `ok` or `error`."""
        out = []
        until = time.monotonic() + PATIENCE_S
        while not out or out[-1][0] not in ("ok", "error"):
            line, newline, rest = self.unread.partition(b"\n")
            if newline:
                self.unread = rest
                out.append(split(line.decode("ascii")))
                continue
            assert self.process.stdout is not None
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, until - time.monotonic()))
            more = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            assert more, "no answer of the driver" if not ready else "the driver has ended"
            self.unread += more
        return out

    def end(self) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Play:
    def __init__(self, client: str, daemon: Daemon, tokens: dict[str, str]) -> None:
        self.client = client
        self.daemon = daemon
        self.tokens = tokens
        self.drivers: dict[str, Driver] = {}
        self.bound: dict[str, Any] = {}

    def given(self, value: Any) -> Any:
        """A value of the file as it is sent."""
        if isinstance(value, str) and value.startswith("$"):
            return self.bound[value]
        if isinstance(value, dict):
            ((kind, what),) = value.items()
            if kind == "bytes":
                return bytes.fromhex(what)
            if kind == "times":
                return what[0] * what[1]
            assert kind == "token"
            return self.tokens[what]
        return value

    def params(self, given: dict[str, Any]) -> dict[str, Any]:
        return {name: self.given(value) for name, value in given.items()}

    def fits(self, wanted: Any, got: Any) -> bool:
        if isinstance(wanted, str) and wanted.startswith("$"):
            return bool(self.bound.setdefault(wanted, got) == got)
        if isinstance(wanted, dict):
            if "contains" in wanted:
                return isinstance(got, str) and wanted["contains"] in got
            if "from" in wanted:
                return not isinstance(got, str) and wanted["from"] <= got <= wanted["to"]
            if "any" in wanted:
                return type(got).__name__ == wanted["any"]
            wanted = self.given(wanted)
        if isinstance(wanted, bytes) and isinstance(got, str):
            got = got.encode()
        return bool(wanted == got and isinstance(wanted, str) == isinstance(got, str))

    def compare(self, wanted: dict[str, Any], got: dict[str, Any], spelled: bool = False) -> None:
        for name, value in wanted.items():
            if value is None:
                assert name not in got, f"{name} must be absent: {got}"
                continue
            assert name in got, f"no {name}: {got}"
            one = got[name]
            if spelled and isinstance(one, str) and isinstance(value, (int, float)):
                one = bool(int(one)) if isinstance(value, bool) else type(value)(one)
            assert self.fits(value, one), f"{name}: expected {value!r}, got {got[name]!r}"

    def compare_all(self, wanted: list[dict[str, Any]], got: list[dict[str, Any]], spelled: bool = False) -> None:
        assert len(wanted) == len(got), f"expected {len(wanted)}, got {len(got)}: {got}"
        for one, other in zip(wanted, got, strict=True):
            self.compare(one, other, spelled)

    def driver(self, name: str, opens: bool) -> Driver:
        if name not in self.drivers:
            self.drivers[name] = Driver(self.client, self.daemon)
        driver = self.drivers[name]
        if not driver.opened and not opens:
            driver.send("open", {"server": self.daemon.local}, [])
            assert driver.answer() == [("ok", {})]
        driver.opened = True
        return driver

    def step(self, step: dict[str, Any]) -> None:
        if "daemon" in step:
            self.daemon_step(step)
            return
        by = step.get("by", "a")
        if not step.get("answer"):
            (verb,) = set(VERBS) & set(step)
            driver = self.driver(by, verb == "open")
            params = dict(step[verb])
            rows = []
            if verb == "many":
                rows = [self.params(row) for row in params["rows"]] if "rows" in params else [
                    {params["column"]: f"{params['prefix']}{nr}"} for nr in range(params["count"])
                ]
                params = {"table": params["table"], "rows": len(rows)}
            if verb == "open":
                params.setdefault("server", self.daemon.local)
            driver.send(verb, self.params(params), rows)
            if step.get("start"):
                return
        lines = self.drivers[by].answer()
        self.check(step, lines)

    def check(self, step: dict[str, Any], lines: list[tuple[str, dict[str, Any]]]) -> None:
        end, params = lines[-1]
        if "refused" in step:
            assert end == "error", f"expected a refusal, got {lines}"
            facts = {f"fact.{name}": value for name, value in step["refused"].get("facts", {}).items()}
            self.compare({"code": step["refused"]["code"], **facts}, params)
            assert params["text"], "a refusal without a sentence"
            return
        assert end == "ok", f"refused: {params}"
        if "in" in step:
            assert sum(params[name] for name in ("inserted", "merged", "behind", "duplicate")) == step["in"], params
        spelled = self.client in TEXT_ROWS
        self.compare(step.get("gives", {}), params, spelled)
        for verb, wanted in (("row", "rows"), ("message", "messages"), ("refused", "refused_rows")):
            got = [params for kind, params in lines[:-1] if kind == verb]
            if wanted in step:
                self.compare_all(step[wanted], got, spelled and verb == "row")
            else:
                assert verb != "refused" or not got, f"refused rows: {got}"

    def daemon_step(self, step: dict[str, Any]) -> None:
        if "when_rows" in step:
            self.wait_for_rows(*step["when_rows"])
        if step["daemon"] in ("restart", "kill"):
            self.daemon.kill(signal.SIGKILL)
        if step["daemon"] in ("restart", "start"):
            self.daemon.start()

    def wait_for_rows(self, table: str, rows: int) -> None:
        with socket.socket(socket.AF_UNIX) as asker:
            asker.settimeout(PATIENCE_S)
            asker.connect(self.daemon.local.removeprefix("unix:"))
            lines = asker.makefile("rw")
            until = time.monotonic() + PATIENCE_S
            while time.monotonic() < until:
                lines.write(f"STATS table={table}\n")
                lines.flush()
                figures = dict(word.split("=", 1) for word in lines.readline().split(" ", 1)[1].split(";") if "=" in word)
                if int(figures["rows"]) >= rows:
                    return
        pytest.fail(f"{table} never had {rows} rows")

    def end(self) -> None:
        for driver in self.drivers.values():
            driver.end()


@pytest.mark.parametrize("path", CONVERSATIONS, ids=lambda path: path.stem)
@pytest.mark.parametrize("client", CLIENTS)
def test_conversation(client: str, path: Path, stopped: Daemon) -> None:
    conversation = json.loads(path.read_text())
    unknown = set(conversation) - {"about", "steps", "config", "users", "cannot"}
    assert not unknown, f"{path.name}: unknown members {unknown}"
    if client in conversation.get("cannot", {}):
        assert conversation["cannot"][client], "a reason"
        return
    for table in (HERE / "tables").glob("*.xml"):
        shutil.copy(table, stopped.tables)
    tokens = {
        name: stopped.run("user", "add", name, "--rights", rights, "--file", "users.xml").strip()
        for name, rights in conversation.get("users", {}).items()
    }
    tokens["stranger"] = stopped.run("user", "add", "stranger", "--rights", "read", "--file", "others.xml").strip()
    if "config" in conversation:
        stopped.as_configured = True
        stopped.write("fastjournal.xml", conversation["config"])
    stopped.start()
    play = Play(client, stopped, tokens)
    try:
        for nr, step in enumerate(conversation["steps"], 1):
            if client in step.get("cannot", {}):
                continue
            try:
                play.step(step)
            except AssertionError as why:
                message = f"{path.name}, step {nr}, {json.dumps(step)}:\n{why}"
                raise pytest.fail.Exception(message, pytrace=False) from None
    finally:
        play.end()


def test_few_steps_are_left_out() -> None:
    """A client that cannot do a step is an exception: no client misses more than a twentieth of all steps."""
    for client in CLIENTS:
        steps = left_out = 0
        for path in CONVERSATIONS:
            conversation = json.loads(path.read_text())
            for step in conversation["steps"]:
                steps += 1
                left_out += client in conversation.get("cannot", {}) or client in step.get("cannot", {})
        assert left_out * 20 <= steps, f"{client}: {left_out} of {steps} steps are left out"
