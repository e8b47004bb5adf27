"""The half of the client without asyncio is what make_blocking.py makes from the other half."""

from __future__ import annotations

import pytest
from make_blocking import FOLDER, MODULES, made_from


@pytest.mark.parametrize("source", MODULES)
def test_the_half_without_asyncio_is_made_from_the_other(source: str) -> None:
    made = FOLDER / f"{MODULES[source]}.py"
    if made.read_text() != made_from(source):
        pytest.fail(
            f"{made.name} is not what {source}.py makes: run `python3 clients/python/make_blocking.py`, commit both",
            pytrace=False,
        )
