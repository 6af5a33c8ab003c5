"""How a process ends becomes evidence, and looks to the user as it always did."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from .running import Bare, Ran, run_bare, watch

RAISES = "def step():\n    raise ValueError('boom')\n"
THREAD = (
    "import threading\nthread = threading.Thread(target=step, name='feeder')\nthread.start()\nthread.join()\n"
)
CHILD = """
import multiprocessing
if __name__ == "__main__":
    child = multiprocessing.get_context({method!r}).Process(target=step)
    child.start()
    child.join()
"""
ENDINGS = {
    "uncaught": RAISES + "step()",
    "hook replaced": RAISES + "import sys\nsys.excepthook = lambda *args: print('mine')\nstep()",
    "hook that ends the process": RAISES
    + "import os, sys\nsys.excepthook = lambda *args: os._exit(5)\nstep()",
    "printed by the script": RAISES
    + "import sys\ntry: step()\nexcept ValueError: print('failed'); sys.exit(1)",
    "in a thread": RAISES + THREAD,
    "in a forked child": RAISES + CHILD.format(method="fork"),
    "in a spawned child": RAISES + CHILD.format(method="spawn"),
}


@pytest.fixture(scope="module", params=ENDINGS.values(), ids=list(ENDINGS))
def ended(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Bare]:
    """The same program, watched and not."""
    folder = tmp_path_factory.mktemp("ended")
    return watch(request.param, folder), run_bare(request.param, folder)


def test_an_exception_is_recorded_however_it_ends_the_program(ended: tuple[Ran, Bare]) -> None:
    (raised,) = ended[0].of("exception")
    assert (raised["type"], raised["message"], raised["line"]) == ("ValueError", "boom", 2)
    assert raised["file"].endswith("program.py")
    assert "in step" in raised["traceback"]


def test_the_user_sees_what_there_was_to_see_without_us(ended: tuple[Ran, Bare]) -> None:
    watched, bare = ended
    assert watched[:3] == bare


@pytest.mark.parametrize(
    "leave",
    [
        "",
        "import sys; sys.exit()",
        "import sys; sys.exit(3)",
        "raise SystemExit(4)",
        "import os; os._exit(5)",
    ],
)
def test_a_program_that_ends_by_itself_did_not_fail(tmp_path: Path, leave: str) -> None:
    ran = watch(leave, tmp_path)
    (end,) = ran.of("end")
    assert not ran.of("exception")
    assert end["how"] == "exit"
    assert (ran.code, ran.out, ran.err) == run_bare(leave, tmp_path)


def test_an_exception_that_was_dealt_with_is_none(tmp_path: Path) -> None:
    ran = watch(RAISES + "try: step()\nexcept ValueError: pass", tmp_path)
    assert not ran.of("exception")


def test_an_exit_that_says_success_reports_no_exception(tmp_path: Path) -> None:
    ran = watch(RAISES + "import sys\ntry: step()\nexcept ValueError: sys.exit(0)", tmp_path)
    assert not ran.of("exception")


def test_ctrl_c_is_a_signal_and_no_failure(tmp_path: Path) -> None:
    ran = watch("import os, signal; os.kill(os.getpid(), signal.SIGINT)\nwhile True: pass", tmp_path)
    (end,) = ran.of("end")
    assert (end["how"], end["status"]) == ("signal", signal.SIGINT)
    assert not ran.of("exception")


def test_who_leaves_the_debugger_ends_the_run_by_hand(tmp_path: Path) -> None:
    ran = watch("import bdb; raise bdb.BdbQuit", tmp_path)
    assert not ran.of("exception")
    assert [one["what"] for one in ran.of("event")] == ["ended from the debugger"]


def test_what_was_written_before_a_kill_is_there(tmp_path: Path) -> None:
    ran = watch("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", tmp_path)
    assert (ran.code, ran.roles, ran.of("end")) == (-signal.SIGKILL, ["main"], [])


def test_a_segmentation_fault_leaves_the_stack(tmp_path: Path) -> None:
    ran = watch("import ctypes\ndef crash():\n    ctypes.string_at(0)\ncrash()", tmp_path)
    (fault,) = ran.of("fault")
    assert (ran.code, fault["why"], ran.err) == (-signal.SIGSEGV, "Segmentation fault", "")
    assert any(frame.endswith("program.py:3 in crash") for frame in fault["threads"][0]["frames"])


def test_a_closed_standard_output_is_nothing_to_us(tmp_path: Path) -> None:
    ran = watch("import os; os.close(1); os.close(2); raise ValueError", tmp_path)
    assert [one["type"] for one in ran.of("exception")] == ["ValueError"]


def test_a_program_that_closes_every_descriptor_still_has_a_journal(tmp_path: Path) -> None:
    ran = watch("import os; os.closerange(3, 64)\nopen('mine', 'w').write('x'); raise ValueError", tmp_path)
    assert len(ran.of("exception")) == 1
    assert (tmp_path / "mine").read_text() == "x"


def test_a_backward_that_fails_where_all_is_frozen_says_so(tmp_path: Path) -> None:
    ran = watch(
        """
import torch
model = torch.nn.Linear(4, 2).requires_grad_(False)
optimizer = torch.optim.SGD([{"params": []}], 0.1)
model(torch.randn(3, 4)).sum().backward()
""",
        tmp_path,
    )
    (fact,) = [one for one in ran.of("fact") if one["name"] == "model.trainable_parameters"]
    assert (fact["value"], fact["note"]) == (0, "2 parameters, all frozen")


def test_the_first_cause_is_where_operands_are_looked_for(tmp_path: Path) -> None:
    code = "def inner():\n    return 1 / 0\ntry:\n    inner()\nexcept ZeroDivisionError as error:\n    raise RuntimeError from error"
    (raised,) = watch(code, tmp_path).of("exception")
    assert (raised["type"], raised["line"]) == ("RuntimeError", 2)


# -- operands


def operands_of(call: Any) -> list[dict[str, Any]]:
    from traindx.probes.live.observer.operands import operands

    with pytest.raises((RuntimeError, ValueError)) as raised:
        call()
    return operands(raised.value.__traceback__)


def test_the_operands_of_the_failing_call_are_named_with_shape_type_and_device() -> None:
    import torch

    left, right = torch.zeros(3, 5), torch.zeros(4, 2, dtype=torch.float64)

    def call() -> None:
        left @ right

    assert operands_of(call) == [
        {"name": "left", "shape": [3, 5], "dtype": "float32", "device": "cpu"},
        {"name": "right", "shape": [4, 2], "dtype": "float64", "device": "cpu"},
    ]


def test_the_parameters_of_a_module_and_the_parts_of_a_batch_are_operands() -> None:
    import torch

    layer, batch = torch.nn.Linear(4, 2), {"x": torch.zeros(3, 5), "name": "secret"}

    def call() -> None:
        layer(
            batch["x"],
        )

    shapes = {one["name"]: one["shape"] for one in operands_of(call)}
    assert shapes["layer.weight"] == [2, 4]
    assert shapes["batch['x']"] == [3, 5]
    assert "secret" not in str(shapes)


def test_no_property_of_the_users_is_evaluated() -> None:
    import torch

    class Holder:
        asked = 0

        @property
        def weight(self) -> torch.Tensor:
            self.asked += 1
            raise ValueError

    holder = Holder()

    def call() -> None:
        holder.weight + 1

    assert operands_of(call) == []
    assert holder.asked == 1


# -- the journal


def test_a_full_disk_ends_the_journal_and_nothing_else() -> None:
    from traindx.probes.live.observer.journal import Journal

    full = os.open("/dev/full", os.O_WRONLY)
    journal = Journal(lambda data: os.write(full, data))
    journal.record("event", what="something")
    os.close(full)
    assert journal.closed
