#!/usr/bin/env python3
"""Measures inserts of put_many into a daemon of its own, with fresh data on the disk of --folder, each row synced.

The work: rows of 200 random bytes under keys of their own, in one connection, for --seconds each round. At the end
the daemon is asked how many rows it has: one too few or too many fails the run. FJ_BIN and FJ_PLUGINS name the
programs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fastjournal

TABLE = """<table name="bench" model="journal" row-key="name"><schema>
<column name="name" type="string" required="true"/><column name="payload" type="buffer"/></schema></table>"""


class Rows:
    """Rows for so many seconds."""

    def __init__(self, seconds: float, prefix: str) -> None:
        self.seconds = seconds
        self.prefix = prefix
        self.count = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        payloads = [os.urandom(200) for _ in range(64)]
        prefix, clock = self.prefix, time.perf_counter
        end = clock() + self.seconds
        while clock() < end:
            for payload in payloads:
                yield {"name": f"{prefix}{self.count}", "payload": payload}
                self.count += 1


def put_sync(server: str, rows: Rows, window: int) -> int:
    with fastjournal.connect(server) as connection:
        return connection.journal("bench").put_many(rows, window=window).inserted


def put_async(server: str, rows: Rows, window: int) -> int:
    async def run() -> int:
        async with await fastjournal.aio.connect(server) as connection:
            return (await connection.journal("bench").put_many(rows, window=window)).inserted

    return asyncio.run(run())


def put_one_by_one(server: str, rows: Rows, window: int) -> int:
    with fastjournal.connect(server) as connection:
        journal = connection.journal("bench")
        return sum(journal.put(row).result == "inserted" for row in rows)


WORKS: dict[str, tuple[Callable[[str, Rows, int], int], str]] = {
    "put_many, TCP": (put_sync, "tcp"),
    "put_many, unix socket": (put_sync, "unix"),
    "put_many, asyncio, TCP": (put_async, "tcp"),
    "put, one by one, TCP": (put_one_by_one, "tcp"),
}


def start(folder: Path) -> tuple[subprocess.Popen[str], dict[str, str]]:
    programs, plugins = Path(os.environ["FJ_BIN"]), os.environ["FJ_PLUGINS"]
    (folder / "tables").mkdir()
    (folder / "tables" / "bench.xml").write_text(TABLE)
    (folder / "fastjournal.xml").write_text("<fastjournal/>")
    words = [programs / "fastjournald", "--config", folder / "fastjournal.xml", "--tables", folder / "tables"]
    words += [
        "--plugins",
        plugins,
        "--data",
        folder / "data",
        "--listen",
        "127.0.0.1:0",
        "--listen",
        f"unix:{folder}/socket",
    ]
    daemon = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, text=True)
    assert daemon.stdout is not None
    addresses = {}
    for line in daemon.stdout:
        if line.startswith("listening "):
            address = line.split()[1]
            addresses["unix" if address.startswith("unix:") else "tcp"] = address
        if line == "ready\n":
            threading.Thread(target=daemon.stdout.read, daemon=True).start()
            return daemon, addresses
    sys.exit(f"the daemon ended with status {daemon.wait()}")


def main() -> None:
    parser = argparse.ArgumentParser(description="inserts per second of the Python client")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each round (2)")
    parser.add_argument("--rounds", type=int, default=3, help="the median is shown (3)")
    parser.add_argument("--window", type=int, default=2048, help="rows in flight (2048)")
    parser.add_argument("--only", default="", help="works whose name has this text")
    parser.add_argument("--folder", help="where the data is (the folder for temporary files)")
    parser.add_argument("--json", action="store_true", help="one object a work")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="fj-python-bench-", dir=given.folder))
    daemon, addresses = start(folder)
    rates: dict[str, list[float]] = {name: [] for name in WORKS if given.only in name}
    busy: dict[str, list[float]] = {name: [] for name in rates}
    total = 0
    try:
        for number in range(given.rounds):
            for name in rates:
                put, kind = WORKS[name]
                rows = Rows(given.seconds, f"{name} {number} ")
                began, cpu = time.perf_counter(), time.process_time()
                inserted = put(addresses[kind], rows, given.window)
                took = time.perf_counter() - began
                busy[name].append((time.process_time() - cpu) / took)
                rates[name].append(inserted / took)
                total += inserted
                if inserted != rows.count:
                    sys.exit(f"{name}: {rows.count} rows, {inserted} inserted")
        with fastjournal.connect(addresses["tcp"]) as connection:
            there = connection.journal("bench").stats()["rows"]
        if there != total:
            sys.exit(f"{total} rows were acknowledged, {there} are there")
    finally:
        daemon.terminate()
        daemon.wait()
        shutil.rmtree(folder)
    if not given.json:
        print(f"{'work':28} {'rows/s':>9} {'client busy':>12}")
    for name, found in rates.items():
        rate, share = statistics.median(found), statistics.median(busy[name])
        if given.json:
            shown = {"work": name, "rows_per_s": round(rate), "client_busy": round(share, 2), "rounds": len(found)}
            print(json.dumps(shown | {"window": given.window}))
        else:
            print(f"{name:28} {rate:9,.0f} {share:12.0%}")


if __name__ == "__main__":
    main()
