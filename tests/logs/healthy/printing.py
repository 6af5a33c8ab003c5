"""What the printed shapes share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .runs import Step


def bar(done: int, total: int, width: int = 10) -> str:
    full = done * width // total
    return f"{100 * done // total:3d}%|{'█' * full}{' ' * (width - full)}| {done}/{total}"


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"


def at(second: int, day: str = "2024-05-14") -> str:
    return f"{day} {9 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


def averaged(run: list[Step], every: int) -> Iterator[tuple[Step, float]]:
    """Every so many steps the last of them, and the mean loss of all."""
    for start in range(0, len(run), every):
        part = run[start : start + every]
        yield part[-1], mean(one.loss for one in part)


def evals(run: list[Step]) -> Iterator[tuple[Step, float, float, float]]:
    """The steps with validation, with its loss and accuracy, and the mean training loss since the last one."""
    start = 0
    for step in run:
        if step.eval_loss is not None and step.eval_accuracy is not None:
            yield step, step.eval_loss, step.eval_accuracy, mean(one.loss for one in run[start : step.number])
            start = step.number
