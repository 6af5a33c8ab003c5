"""The observer attaches to every Python of a run before its own code, and is not noticed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .running import program, watch, watch_command

# A package that is called torch and is none: that something of ours fails on it is part of the test.
TORCH = {
    "torch/__init__.py": "__version__ = '0'\nprint('torch runs')\n",
    "torch/utils/__init__.py": "",
    "torch/utils/data/__init__.py": "",
    "torch/utils/data/_utils/__init__.py": "",
    "torch/utils/data/_utils/worker.py": "def _worker_loop():\n    print('worker runs', flush=True)\n",
}


@pytest.fixture
def torch_like(tmp_path: Path) -> Path:
    for name, text in TORCH.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


# -- who is attached to


def test_a_script_is_the_main_process(tmp_path: Path) -> None:
    ran = watch("import os; print(os.getpid())", tmp_path)
    (process,) = ran.of("process")
    assert (process["role"], process["pid"], process["version"]) == ("main", int(ran.out), 1)


@pytest.mark.parametrize("how", [("-m", "program"), ("-c", "import program"), ("-X", "dev", "program.py")])
def test_however_python_is_started(tmp_path: Path, how: tuple[str, ...]) -> None:
    program("print('here')", tmp_path)
    ran = watch_command([sys.executable, *how], tmp_path)
    assert (ran.out, ran.err, ran.roles) == ("here\n", "", ["main"])


def test_a_script_that_is_executed_by_itself(tmp_path: Path) -> None:
    path = program(f"#!{sys.executable}\nprint('here')", tmp_path)
    path.chmod(0o755)
    assert watch_command([str(path)], tmp_path).roles == ["main"]


def test_through_a_shell(tmp_path: Path) -> None:
    assert watch_command(["sh", "-c", f"{sys.executable} -c pass; true"], tmp_path).roles == ["main"]


def test_a_process_that_it_starts_is_a_child(tmp_path: Path) -> None:
    ran = watch("import subprocess, sys; subprocess.run([sys.executable, '-c', 'pass'])", tmp_path)
    main, child = ran.of("process")
    assert (main["role"], child["role"], child["parent"]) == ("main", "child", main["pid"])


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_of_multiprocessing_are_children(tmp_path: Path, method: str) -> None:
    ran = watch(
        f"""
import multiprocessing

def work():
    print("work", flush=True)

if __name__ == "__main__":
    child = multiprocessing.get_context({method!r}).Process(target=work)
    child.start()
    child.join()
""",
        tmp_path,
    )
    assert ran.out == "work\n"
    assert {"main", "child"} == set(ran.roles)
    assert len({record["pid"] for record in ran.of("process")}) == len(ran.roles)


def test_a_forked_worker_of_a_data_loader_is_a_worker_and_says_no_more(torch_like: Path) -> None:
    ran = watch(
        """
import multiprocessing
from torch.utils.data._utils.worker import _worker_loop

child = multiprocessing.get_context("fork").Process(target=_worker_loop)
child.start()
child.join()
""",
        torch_like,
    )
    (worker,) = [process for process in ran.run.processes if process[0]["role"] == "worker"]
    assert "worker runs" in ran.out
    assert len(worker) == 1


def test_a_spawned_worker_says_so_when_it_knows(torch_like: Path) -> None:
    ran = watch(
        """
import multiprocessing

if __name__ == "__main__":
    from torch.utils.data._utils.worker import _worker_loop

    child = multiprocessing.get_context("spawn").Process(target=_worker_loop)
    child.start()
    child.join()
""",
        torch_like,
    )
    assert [one["role"] for one in ran.of("role")] == ["worker"]


@pytest.mark.parametrize("names", [("RANK", "WORLD_SIZE"), ("SLURM_PROCID", "SLURM_NTASKS")])
def test_the_rank_is_what_the_launcher_says(tmp_path: Path, names: tuple[str, str]) -> None:
    (process,) = watch("", tmp_path, inherited=dict(zip(names, ("1", "4"), strict=True))).of("process")
    assert (process["rank"], process["world_size"]) == (1, 4)


@pytest.mark.parametrize("flag", ["-I", "-S", "-E"])
def test_a_python_that_ignores_the_environment_is_not_watched_and_that_is_said(
    tmp_path: Path, flag: str
) -> None:
    ran = watch("print('runs')", tmp_path, flags=(flag,))
    assert (ran.out, ran.roles) == ("runs\n", [])
    assert "no Python process could be watched" in ran.run.notes[0]


def test_two_runs_side_by_side_keep_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        assert watch("", tmp_path / name).roles == ["main"]


# -- what it leaves alone


def test_the_users_own_sitecustomize_runs(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("HERE = 'own'")
    code = "import sitecustomize; print(sitecustomize.HERE)"
    ran = watch(code, tmp_path, inherited={"PYTHONPATH": str(tmp_path / "own")})
    assert (ran.out, ran.roles) == ("own\n", ["main"])


def test_an_error_in_it_is_reported_as_python_does(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("raise RuntimeError('mine')")
    ran = watch("print('runs')", tmp_path, inherited={"PYTHONPATH": str(tmp_path / "own")})
    assert "Error in sitecustomize" in ran.err
    assert "RuntimeError: mine" in ran.err
    assert ran.out == "runs\n"


def test_the_path_of_modules_is_the_programs_own(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    ran = watch("import sys; print(*sys.path)", tmp_path, inherited={"PYTHONPATH": str(tmp_path / "own")})
    assert ran.out.split()[:2] == [str(tmp_path), str(tmp_path / "own")]
    assert not [path for path in ran.out.split() if path.endswith("start")]


def test_torch_is_not_imported_for_the_program(tmp_path: Path) -> None:
    assert watch("import sys; print('torch' in sys.modules)", tmp_path).out == "False\n"


def test_a_folder_that_is_gone_does_not_stop_the_program(tmp_path: Path) -> None:
    ran = watch("print('runs')", tmp_path, inherited={})
    gone = {"TRAINDX_RUN": str(tmp_path / "gone")}
    code = (
        "import os, subprocess, sys; "
        f"subprocess.run([sys.executable, '-c', 'print(1)'], env={{**os.environ, **{gone!r}}})"
    )
    again = watch(code, tmp_path)
    assert (ran.out, again.out, again.err) == ("runs\n", "1\n", "")


def test_nothing_is_attached_without_a_folder(tmp_path: Path) -> None:
    code = "import sys; print(sorted(name for name in sys.modules if name.startswith('traindx')))"
    assert watch(code, tmp_path, inherited={}).out != "[]\n"
    start = f"import os, subprocess, sys; os.environ.pop('TRAINDX_RUN'); subprocess.run([sys.executable, '-c', {code!r}])"
    assert watch(start, tmp_path).out == "[]\n"


# -- the import of torch


def test_a_fault_of_ours_is_written_down_and_the_program_goes_on(torch_like: Path) -> None:
    ran = watch("import torch; print(torch.__version__)", torch_like)
    assert (ran.code, ran.out, ran.err) == (0, "torch runs\n0\n", "")
    assert ran.of("trouble")


def test_asking_whether_torch_is_there_does_not_attach(torch_like: Path) -> None:
    code = "import importlib.util; print(type(importlib.util.find_spec('torch').loader).__name__)"
    ran = watch(code, torch_like)
    assert ran.out == "SourceFileLoader\n"
    assert not ran.of("torch")


def test_torch_is_met_once_however_often_it_is_loaded(torch_like: Path) -> None:
    code = "import importlib, torch; importlib.reload(torch); print(vars(torch.__loader__).keys() & {'exec_module'})"
    ran = watch(code, torch_like)
    assert ran.out == "torch runs\ntorch runs\nset()\n"
    assert len(ran.of("torch")) == 1


def test_an_import_that_fails_looks_as_it_does_without_us(torch_like: Path) -> None:
    (torch_like / "torch" / "__init__.py").write_text("import no_such_module")
    ran = watch("import torch", torch_like)
    assert "no_such_module" in ran.err
    assert "when_imported" not in ran.err
    assert ran.err.count("File ") == 2


def test_a_second_try_after_a_failed_import_is_met(torch_like: Path) -> None:
    (torch_like / "torch" / "__init__.py").write_text(
        "import os\nif 'READY' not in os.environ: raise ImportError('not yet')\n__version__ = '0'"
    )
    code = "import os\ntry: import torch\nexcept ImportError: os.environ['READY'] = '1'\nimport torch"
    assert len(watch(code, torch_like).of("torch")) == 1
