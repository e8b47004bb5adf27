#!/usr/bin/env python3
"""Inserts per second of the clients for Python and Node, beside redis-py with rq and BullMQ, in one run.

Each round plays all works in turn, each for --seconds: jobs with a name of their own and 200 random bytes, in batches
of --window, over a unix socket, on the disk of --folder. fastjournald and Redis (appendonly, appendfsync as shown) are
started for the run. "always" syncs before an acknowledgement, as fastjournald does; "everysec" may lose a second. After
each work the server is asked how many jobs it has: one too few or too many ends the run. The median of the rounds is
shown, with the processor time of the client for each row.

FJ_BIN and FJ_PLUGINS name the programs. The others are optional: redis-server, python3-redis and python3-rq of the
system, and BullMQ by `npm install --prefix FOLDER bullmq ioredis` with --bullmq FOLDER. What is missing is said, and left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

import bench  # noqa: E402
import fastjournal  # noqa: E402

Measured = dict[str, float]  # rows, seconds, cpu_s
Work = Callable[[float, int], Measured]


def measured(rows: int, began: float, cpu: float) -> Measured:
    return {"rows": rows, "seconds": time.perf_counter() - began, "cpu_s": time.process_time() - cpu}


def batches(seconds: float, window: int) -> Any:
    """Batches of (name, payload), for so many seconds. Names are new in each call."""
    prefix, count, end = os.urandom(4).hex(), 0, time.perf_counter() + seconds
    payloads = [os.urandom(200) for _ in range(64)]
    while time.perf_counter() < end:
        yield [(f"{prefix}-{count + i}", payloads[i % 64]) for i in range(window)]
        count += window


class Fastjournal:
    def __init__(self, folder: Path) -> None:
        self.daemon, addresses = bench.start(folder)
        self.address = addresses["unix"]
        self.rows = 0

    def check(self, more: int) -> None:
        self.rows += more
        with fastjournal.connect(self.address) as connection:
            there = connection.journal("bench").stats()["rows"]
        if there != self.rows:
            sys.exit(f"fastjournal: {self.rows} rows were acknowledged, {there} are there")

    def python(self, seconds: float, window: int) -> Measured:
        began, cpu = time.perf_counter(), time.process_time()
        rows = bench.Rows(seconds, os.urandom(4).hex() + "-")
        with fastjournal.connect(self.address) as connection:
            inserted = connection.journal("bench").put_many(rows, window=window).inserted
        out = measured(inserted, began, cpu)
        self.check(inserted)
        return out

    def node(self, seconds: float, window: int) -> Measured:
        out = in_node("fastjournal", self.address, seconds, window, "")
        self.check(int(out["rows"]))
        return out

    def end(self) -> None:
        self.daemon.terminate()
        self.daemon.wait()


class Redis:
    def __init__(self, folder: Path) -> None:
        self.socket = str(folder / "redis.sock")
        words = ["redis-server", "--port", "0", "--unixsocket", self.socket, "--dir", str(folder), "--save", ""]
        words += ["--appendonly", "yes", "--appendfsync", "always"]
        self.server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self.server.stdout is not None
        for line in self.server.stdout:
            if "ready to accept connections" in line.lower():
                break
        else:
            sys.exit(f"redis-server ended with status {self.server.wait()}")
        self.server.stdout.close()

    def client(self) -> Any:
        import redis

        return redis.Redis(unix_socket_path=self.socket)

    def synced(self, policy: str, work: Work) -> Work:
        """The work with this appendfsync, on a Redis without jobs."""

        def run(seconds: float, window: int) -> Measured:
            self.command("CONFIG", "SET", "appendfsync", policy)
            self.command("FLUSHALL")
            return work(seconds, window)

        return run

    def command(self, *words: str) -> str:
        ran = subprocess.run(["redis-cli", "-s", self.socket, *words], capture_output=True, text=True, check=True)
        return ran.stdout.strip()

    def check(self, key: str, rows: int) -> None:
        if (there := int(self.command("LLEN", key))) != rows:
            sys.exit(f"{key}: {rows} jobs were acknowledged, {there} are there")

    def push(self, seconds: float, window: int) -> Measured:
        """A list and nothing else: no retries, no dates, no keys."""
        began, cpu, rows = time.perf_counter(), time.process_time(), 0
        client = self.client()
        for batch in batches(seconds, window):
            pipeline = client.pipeline(transaction=False)
            for name, payload in batch:
                pipeline.rpush("jobs", name.encode() + payload)
            rows += len(pipeline.execute())
        out = measured(rows, began, cpu)
        self.check("jobs", rows)
        return out

    def rq(self, seconds: float, window: int) -> Measured:
        from rq import Queue

        began, cpu, rows = time.perf_counter(), time.process_time(), 0
        queue = Queue("jobs", connection=self.client())
        for batch in batches(seconds, window):
            jobs = [queue.prepare_data("work.on", args=(payload,), job_id=name) for name, payload in batch]
            rows += len(queue.enqueue_many(jobs))
        out = measured(rows, began, cpu)
        self.check("rq:queue:jobs", rows)
        return out

    def bullmq(self, folder: str) -> Work:
        def run(seconds: float, window: int) -> Measured:
            out = in_node("bullmq", self.socket, seconds, window, folder)
            self.check("bull:jobs:wait", int(out["rows"]))
            return out

        return run

    def end(self) -> None:
        self.server.terminate()
        self.server.wait()


def in_node(work: str, address: str, seconds: float, window: int, folder: str) -> Measured:
    words = ["node", str(HERE / "beside.mjs"), work, address, str(seconds), str(window), folder]
    ran = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(ran.stdout))


def works(journal: Fastjournal, redis: Redis | None, bullmq: str) -> dict[str, Work]:
    out: dict[str, Work] = {"fastjournal, Python: put_many": journal.python}
    has_node = shutil.which("node") is not None
    if has_node:
        out["fastjournal, Node: putMany"] = journal.node
    else:
        print("left out: Node (no program node)", file=sys.stderr)
    if redis is None:
        return out
    for policy in ("always", "everysec"):
        if importlib.util.find_spec("redis"):
            out[f"redis-py: RPUSH, {policy}"] = redis.synced(policy, redis.push)
        if importlib.util.find_spec("redis") and importlib.util.find_spec("rq"):
            out[f"rq: enqueue_many, {policy}"] = redis.synced(policy, redis.rq)
        if has_node and bullmq:
            out[f"BullMQ: addBulk, {policy}"] = redis.synced(policy, redis.bullmq(bullmq))
    return out


def missing(bullmq: str) -> None:
    if not shutil.which("redis-server"):
        print("left out: all of Redis (Debian: redis-server)", file=sys.stderr)
        return
    for module, package in (("redis", "python3-redis"), ("rq", "python3-rq")):
        if not importlib.util.find_spec(module):
            print(f"left out: {module} (Debian: {package})", file=sys.stderr)
    if not bullmq:
        print("left out: BullMQ (npm install --prefix FOLDER bullmq ioredis, then --bullmq FOLDER)", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description="inserts per second of the clients, beside those of others")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each work in each round (2)")
    parser.add_argument("--rounds", type=int, default=3, help="the median is shown (3)")
    parser.add_argument("--window", type=int, default=2048, help="jobs of a batch (2048)")
    parser.add_argument("--bullmq", default="", help="the folder in which npm installed bullmq")
    parser.add_argument("--only", default="", help="works whose name has this text")
    parser.add_argument("--folder", help="where the data is (the folder for temporary files)")
    parser.add_argument("--json", action="store_true", help="one object a work")
    given = parser.parse_args()
    missing(given.bullmq)
    folder = Path(tempfile.mkdtemp(prefix="fj-bench-beside-", dir=given.folder))
    journal = Fastjournal(folder)
    redis = Redis(folder) if shutil.which("redis-server") else None
    try:
        all_works = {name: work for name, work in works(journal, redis, given.bullmq).items() if given.only in name}
        rates: dict[str, list[float]] = {name: [] for name in all_works}
        costs: dict[str, list[float]] = {name: [] for name in all_works}
        for _ in range(given.rounds):
            for name, work in all_works.items():
                out = work(given.seconds, given.window)
                rates[name].append(out["rows"] / out["seconds"])
                costs[name].append(out["cpu_s"] / out["rows"] * 1e6)
    finally:
        journal.end()
        if redis is not None:
            redis.end()
        shutil.rmtree(folder)
    load = os.getloadavg()[0]
    if not given.json:
        print(f"{'work':36} {'rows/s':>9} {'us/row':>7}   load {load:.1f}, {os.cpu_count()} processors")
    for name, found in rates.items():
        rate, cost = statistics.median(found), statistics.median(costs[name])
        if given.json:
            shown = {"work": name, "rows_per_s": round(rate), "client_cpu_us_per_row": round(cost, 2)}
            print(json.dumps(shown | {"rounds": len(found), "window": given.window, "load": load}))
        else:
            print(f"{name:36} {rate:9,.0f} {cost:7.1f}")


if __name__ == "__main__":
    main()
