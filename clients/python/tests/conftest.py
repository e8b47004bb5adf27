"""The real daemon for tests: a temporary folder, addresses that the system chooses, and every process ended by its id.

FJ_BIN is the folder of fastjournald and fastjournal, FJ_PLUGINS that of the table types.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))


def needed(variable: str) -> Path:
    folder = os.environ.get(variable, "")
    if not Path(folder).is_dir() or not folder:
        pytest.fail(f"{variable} names no folder: {folder!r}", pytrace=False)
    return Path(folder)


# Documents are indexed, and published once.
PLAN = """<plan name="docs" version="1">
<retry max-attempts="3" first="1ms" factor="1" jitter="0"/>
<source name="pages" router="duplicate-all"/>
<step name="index" after="pages" kind="idempotent" guarantee="at-least-once"/>
<step name="publish" after="pages" kind="potent"/>
</plan>"""


class Daemon:
    """A table "jobs" with the key `name`, "pages" with the key `uri`, "post" with queues, "docs" with PLAN, "values" and
    "images" with pairs and blobs; on TCP and on a unix socket."""

    def __init__(self) -> None:
        self.programs = needed("FJ_BIN")
        self.plugins = needed("FJ_PLUGINS")
        self.folder = Path(tempfile.mkdtemp(prefix="fj-python-"))
        self.as_configured = False
        self.tables = self.folder / "tables"
        self.tables.mkdir()
        self.write("fastjournal.xml", "<fastjournal/>")
        self.write_table("jobs", "name")
        self.write_table("pages", "uri")
        self.write(
            "tables/post.xml",
            '<table name="post" model="queue"><queues>orders failed</queues></table>',
        )
        self.write("tables/values.xml", '<table name="values" type="keyvalue"/>')
        self.write("tables/images.xml", '<table name="images" type="blob"/>')
        (self.tables / "plans").mkdir()
        self.write_plan("docs", PLAN)
        self.process: subprocess.Popen[str] | None = None
        self.addresses: list[str] = []

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def write_table(
        self,
        name: str,
        key: str,
        options: str = "<processing-timeout>60s</processing-timeout>"
        "<processing-timeout-min>100ms</processing-timeout-min><grace>10s</grace>"
        "<back-off-first>1ms</back-off-first>",
    ) -> None:
        self.write(
            f"tables/{name}.xml",
            f'<table name="{name}" model="journal" row-key="{key}"><schema>'
            f'<column name="{key}" type="string" required="true"/><column name="title" type="string"/>'
            f'<column name="size" type="int64"/><column name="payload" type="buffer"/></schema>{options}</table>',
        )

    def write_plan(self, name: str, plan: str, options: str = "") -> None:
        self.write(f"tables/plans/{name}.xml", plan)
        self.write(
            f"tables/{name}.xml", f'<table name="{name}" type="pipeline"><plan>plans/{name}.xml</plan>{options}</table>'
        )

    def start(self) -> None:
        words = [
            self.programs / "fastjournald",
            "--config",
            self.folder / "fastjournal.xml",
            "--tables",
            self.tables,
            "--plugins",
            self.plugins,
            "--data",
            self.folder / "data",
        ]
        if not self.as_configured:
            words += ["--listen", "127.0.0.1:0", "--listen", f"unix:{self.folder}/socket"]
        self.process = subprocess.Popen(
            list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout is not None
        self.addresses = []
        said = []
        for line in self.process.stdout:
            said.append(line)
            if line.startswith("listening "):
                self.addresses.append(line.split()[1])
            if line == "ready\n":
                break
        else:
            self.process.wait()
            pytest.fail("the daemon did not start:\n" + "".join(said))
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    @property
    def tcp(self) -> str:
        return self.addresses[0]

    @property
    def local(self) -> str:
        """A unix socket: it has the same name after a restart."""
        return f"unix:{self.folder}/socket"

    def kill(self, number: int = signal.SIGKILL) -> None:
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait()
            self.process = None

    def run(self, *words: str) -> str:
        """The command line."""
        return subprocess.run(
            [self.programs / "fastjournal", *words], check=True, cwd=self.folder, text=True, capture_output=True
        ).stdout


@pytest.fixture
def stopped() -> Iterator[Daemon]:
    """A daemon that is not started yet."""
    one = Daemon()
    yield one
    one.kill()
    shutil.rmtree(one.folder)


@pytest.fixture
def daemon(stopped: Daemon) -> Daemon:
    stopped.start()
    return stopped


def pytest_unconfigure(config: pytest.Config) -> None:
    """The lines that scripts/count_tests.awk counts."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not os.environ.get("FJ_COUNTED"):
        return
    passed = len(reporter.stats.get("passed", []))
    failed = len(reporter.stats.get("failed", [])) + len(reporter.stats.get("error", []))
    for count, what in ((passed, "passed"), (failed, "failed")):
        if count:
            print(f"\n  {count} test case{'s' * (count != 1)} out of {passed + failed} {what}")
