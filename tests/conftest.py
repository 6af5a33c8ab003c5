"""Options of the whole suite, and the small knowledge base."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import settings

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import compile_packs
from traindx.engine.kb.packs import Pack

from .small_pack import BASE, PackMaker

# As many tests run as there are cores: threads of torch would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The same examples every time, so that a build does not fail by chance; `--hypothesis-profile=search` looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("search", deadline=None)
settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="Write the golden texts anew instead of comparing."
    )
    parser.addoption(
        "--clinic", action="store_true", help="Watch every script of the clinic, not one in twenty."
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Where tests run beside each other, who is done takes from the others: a few take as long as hundreds of the rest."""
    if config.getoption("numprocesses", default=None) and config.getoption("dist") == "no":
        config.option.dist = "worksteal"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: some tests wait for a process that stands still."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether golden texts are to be written anew."""
    return bool(request.config.getoption("--update"))


@pytest.fixture
def make_pack(tmp_path: Path) -> PackMaker:
    """Writes a small, sound knowledge base with some files changed, and gives its pack."""

    def make(changed: Mapping[str, str]) -> Pack:
        for name, text in {**BASE, **changed}.items():
            path = tmp_path / "pack" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Pack("pack", tmp_path / "pack")

    return make


@pytest.fixture
def knowledge(make_pack: PackMaker) -> Knowledge:
    return Knowledge(compile_packs([make_pack({})]).__getitem__)
