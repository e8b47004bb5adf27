"""The real daemon, as the tests of the Python client have it, and the counts that scripts/count_tests.awk reads."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]

_spec = importlib.util.spec_from_file_location("python_client", ROOT / "clients/python/tests/conftest.py")
assert _spec is not None and _spec.loader is not None
python_client = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(python_client)

Daemon = python_client.Daemon
stopped = python_client.stopped
pytest_unconfigure = python_client.pytest_unconfigure
