"""Of the clinic, one script in twenty is run each time: a whole round takes minutes."""

from __future__ import annotations

import pytest

_ONE_IN = 20


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the others out, unless all are asked for."""
    if config.getoption("--clinic"):
        return
    scripts = [one for one in items if one.path.name == "test_clinic.py"]
    left_out = {id(one) for index, one in enumerate(scripts) if index % _ONE_IN}
    if left_out:
        config.hook.pytest_deselected(items=[one for one in items if id(one) in left_out])
        items[:] = [one for one in items if id(one) not in left_out]
