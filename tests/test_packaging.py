"""What is installed: the whole of `traindx`, and nothing beside it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("engine", "kb", "probes", "templates")


def packages() -> list[str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        listed: list[str] = tomllib.load(file)["tool"]["setuptools"]["packages"]
    return listed


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_package_is_listed(folder: str) -> None:
    found = {path.parent.relative_to(ROOT) for path in (ROOT / folder).rglob("__init__.py")}
    assert {"traindx." + ".".join(path.parts) for path in found} == {
        one for one in packages() if one.split(".")[1:2] == [folder]
    }


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names in a wheel that was built from a copy of this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    ignored = (".*", "build", "*.egg-info", "__pycache__", "tests")
    _copy(ROOT, source, ignored)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
        str(source),
    ]
    subprocess.run(command, check=True)
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built).namelist()


def _copy(root: Path, target: Path, ignored: tuple[str, ...]) -> None:
    import shutil

    shutil.copytree(root, target, ignore=shutil.ignore_patterns(*ignored), symlinks=True)


def test_nothing_is_installed_beside_traindx(wheel: list[str]) -> None:
    assert {name.split("/")[0] for name in wheel if ".dist-info/" not in name} == {"traindx"}


def test_the_types_are_installed(wheel: list[str]) -> None:
    assert "traindx/py.typed" in wheel


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_installed(wheel: list[str], folder: str) -> None:
    wanted = {".py", ".yaml", ".j2", ".json"}
    found = {str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*") if path.suffix in wanted}
    assert found <= {name.removeprefix("traindx/") for name in wheel}
