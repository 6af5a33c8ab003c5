"""Packages by name and version, and how torch was built: nothing of it is imported."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.machine.host import Host
from traindx.probes.machine.observed import Observed
from traindx.probes.machine.python import environment, installed, observe_packages
from traindx.probes.machine.torch_build import observe_toolkit, observe_torch

from .conftest import HostMaker, values

CUDA_BUILD = """from typing import Optional
__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip', 'xpu']
__version__ = '2.5.1+cu124'
debug = False
cuda: Optional[str] = '12.4'
git_version = 'a8d6afb511a69687bbb2b7e88a3cf67917e1697e'
hip: Optional[str] = None
xpu: Optional[str] = None
"""
CPU_BUILD = CUDA_BUILD.replace("+cu124", "+cpu").replace("'12.4'", "None")
ROCM_BUILD = CPU_BUILD.replace("+cpu", "+rocm6.2").replace(
    "hip: Optional[str] = None", "hip: Optional[str] = '6.2.41133'"
)
OLD_BUILD = "__version__ = '1.7.1'\ndebug = False\ncuda = '10.2'\ngit_version = '57bffc3'\nhip = None\n"


def site(folder: Path, *distributions: str, torch: str = "") -> str:
    """A folder of installed packages."""
    for name in distributions:
        (folder / name).mkdir(parents=True)
    if torch:
        (folder / "torch").mkdir(parents=True)
        (folder / "torch" / "version.py").write_text(torch, encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize(
    ("folder", "name", "version"),
    [
        ("torch-2.5.1+cu124.dist-info", "torch", "2.5.1+cu124"),
        ("flash_attn-2.7.0.post2.dist-info", "flash-attn", "2.7.0.post2"),
        ("PyYAML-6.0-py3.10.egg-info", "pyyaml", "6.0"),
        ("ruamel.yaml-0.18.6.dist-info", "ruamel-yaml", "0.18.6"),
        ("scikit_learn-1.5.2.dist-info", "scikit-learn", "1.5.2"),
    ],
)
def test_the_name_of_a_folder_tells_package_and_version(
    tmp_path: Path, folder: str, name: str, version: str
) -> None:
    assert installed([site(tmp_path, folder)]) == {name: version}


def test_the_first_folder_that_holds_a_package_counts(tmp_path: Path) -> None:
    first = site(tmp_path / "a", "numpy-1.26.4.dist-info")
    second = site(tmp_path / "b", "numpy-2.1.0.dist-info", "scipy-1.14.0.dist-info")
    assert installed([first, "/no/such/folder", second]) == {"numpy": "1.26.4", "scipy": "1.14.0"}


@given(names=st.lists(st.text(st.characters(exclude_characters="/\0"), max_size=40)))
def test_any_name_of_a_folder_is_survived(names: list[str]) -> None:
    class Folder(str):
        __slots__ = ()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.listdir", lambda folder: [f"{name}.dist-info" for name in names])
        assert all(version[0].isdigit() for version in installed([Folder("/x")]).values())


def packages(host: Host, knowledge: Knowledge) -> Observed:
    seen = Observed()
    observe_packages(host, knowledge.packages, seen)
    return seen


def test_packages_become_facts_and_missing_ones_reasons(
    make_host: HostMaker, knowledge: Knowledge, tmp_path: Path
) -> None:
    folder = site(
        tmp_path,
        "flash_attn-2.7.0.dist-info",
        "rich-13.0.0.dist-info",
        "nvidia_cudnn_cu12-9.1.0.70.dist-info",
    )
    seen = packages(make_host(search_path=(folder,)), knowledge)
    assert values(seen.findings) == {
        "env.python": "3.11.7", "env.package.flash_attn": "2.7.0", "env.cudnn": "9.1.0.70",
    }  # fmt: skip
    assert (
        seen.findings.unknowable["env.package.torch"]
        == "the versions of packages that are not installed in /ours"
    )


def test_the_working_directory_is_no_place_of_packages(make_host: HostMaker, knowledge: Knowledge) -> None:
    assert list(environment(make_host(search_path=("", "relative"))).folders) == []


# -- which environment ------------------------------------------------------------------------


def test_the_active_environment_counts_where_ours_has_no_torch(make_host: HostMaker, tmp_path: Path) -> None:
    active = tmp_path / "venv"
    site(active / "lib/python3.12/site-packages", torch=CUDA_BUILD)
    (active / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.4\n")
    here = environment(
        make_host(environ={"VIRTUAL_ENV": str(active)}, search_path=(site(tmp_path / "ours"),))
    )
    assert (here.name, here.python) == (str(active), "3.12.4")


def test_the_folder_tells_the_python_of_a_conda_environment(make_host: HostMaker, tmp_path: Path) -> None:
    site(tmp_path / "env/lib/python3.10/site-packages", torch=CUDA_BUILD)
    (tmp_path / "env/lib/python3.1").symlink_to("python3.10")
    assert environment(make_host(environ={"CONDA_PREFIX": str(tmp_path / "env")})).python == "3.10"


def test_our_own_environment_counts_where_it_has_torch(make_host: HostMaker, tmp_path: Path) -> None:
    site(tmp_path / "active/lib/python3.12/site-packages", torch=CPU_BUILD)
    ours = site(tmp_path / "ours", torch=CUDA_BUILD)
    host = make_host(environ={"VIRTUAL_ENV": str(tmp_path / "active")}, search_path=(ours,))
    assert environment(host).name == "/ours"


# -- torch ------------------------------------------------------------------------------------


def torch_facts(make_host: HostMaker, tmp_path: Path, build: str, system: str = "linux") -> Observed:
    seen = Observed()
    observe_torch(make_host(search_path=(site(tmp_path / "site", torch=build),), system=system), seen)
    return seen


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (
            CUDA_BUILD,
            {"env.package.torch": "2.5.1+cu124", "env.cuda": "12.4", "env.torch_is_cpu_build": False},
        ),
        (CPU_BUILD, {"env.package.torch": "2.5.1+cpu", "env.torch_is_cpu_build": True}),
        (
            ROCM_BUILD,
            {"env.package.torch": "2.5.1+rocm6.2", "env.rocm": "6.2.41133", "env.torch_is_cpu_build": False},
        ),
        (OLD_BUILD, {"env.package.torch": "1.7.1", "env.cuda": "10.2", "env.torch_is_cpu_build": False}),
    ],
)
def test_torch_tells_what_it_was_built_for(
    make_host: HostMaker, tmp_path: Path, build: str, expected: dict[str, object]
) -> None:
    assert values(torch_facts(make_host, tmp_path, build).findings) == expected


def test_a_file_that_tells_nothing_is_a_reason(make_host: HostMaker, tmp_path: Path) -> None:
    seen = torch_facts(make_host, tmp_path, "import os; os.system('x')\n")
    assert values(seen.findings) == {}
    assert "does not tell" in seen.findings.unknowable["env.torch_is_cpu_build"]


def test_on_macos_no_build_is_a_cpu_build(make_host: HostMaker, tmp_path: Path) -> None:
    seen = torch_facts(make_host, tmp_path, CPU_BUILD, system="darwin")
    assert "macOS" in seen.findings.unknowable["env.torch_is_cpu_build"]


def test_without_torch_there_is_a_reason(make_host: HostMaker) -> None:
    seen = Observed()
    observe_torch(make_host(), seen)
    assert set(seen.findings.unknowable) == {"env.cuda", "env.rocm", "env.torch_is_cpu_build"}


@pytest.mark.parametrize(
    ("file", "text", "version"),
    [
        (
            "/usr/local/cuda/version.json",
            '{"cuda" : {"name" : "CUDA SDK", "version" : "12.1.105"}}',
            "12.1.105",
        ),
        ("/usr/local/cuda/version.txt", "CUDA Version 10.2.89\n", "10.2.89"),
        ("/opt/cuda/version.txt", "CUDA Version 11.3.109\n", "11.3.109"),
    ],
)
def test_the_toolkit_tells_its_version(make_host: HostMaker, file: str, text: str, version: str) -> None:
    seen = Observed()
    observe_toolkit(make_host({file: text}, {"CUDA_HOME": "/opt/cuda"}), seen)
    assert values(seen.findings) == {"env.cuda_toolkit": version}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cuda": 3}', "CUDA"])
def test_a_broken_version_file_is_no_toolkit(make_host: HostMaker, text: str) -> None:
    seen = Observed()
    observe_toolkit(make_host({"/usr/local/cuda/version.json": text}), seen)
    assert "env.cuda_toolkit" in seen.findings.unknowable
