"""One thing changed, all else equal: two short runs of the user's script, compared, and what they answer."""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from traindx.engine.facts import Fact, Origin, Place
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import ExperimentRule

from .short_run import ShortRun, run_shortly

_ENDS = 5
"""Last losses that are compared, by their median."""


class Outcome(NamedTuple):
    """What an experiment gave."""

    experiment: ExperimentRule
    before: ShortRun
    after: ShortRun
    """The changed run; the same as `before` where nothing is changed."""
    answers: tuple[Fact, ...]
    reason: str
    """Why it answers nothing, where it does not."""


class Laboratory:
    """Runs experiments on one command. The run as it is is made once for each number of steps.

    Seeds and steps are the same in all runs. `steps` is the fewest steps of a run, `patience` the seconds that one
    may take, `tell` is called with the experiment's id (empty for the run as it is), the steps made and the steps
    wanted.
    """

    def __init__(
        self,
        command: Sequence[str],
        knowledge: Knowledge,
        *,
        steps: int = 50,
        seed: int = 0,
        patience: float = 600.0,
        tell: Callable[[str, int, int], object] = lambda name, done, wanted: None,
    ) -> None:
        self._command, self._knowledge = list(command), knowledge
        self.steps, self._seed, self._patience, self._tell = steps, seed, patience, tell
        self._before: dict[int, ShortRun] = {}
        self._work = tempfile.TemporaryDirectory(prefix="traindx-", ignore_cleanup_errors=True)

    def close(self) -> None:
        """Remove what the runs wrote for us."""
        self._work.cleanup()

    def as_it_is(self, steps: int | None = None) -> ShortRun:
        """The run without a change; without a number of steps the longest that was made. Raises NotStarted."""
        if steps is None and self._before:
            return self._before[max(self._before)]
        wanted = max(self.steps, steps or 0)
        if wanted not in self._before:
            self._before[wanted] = self._run(None, wanted)
        return self._before[wanted]

    def seconds(self, experiment: ExperimentRule) -> float:
        """What an experiment will take, judged by the run as it is."""
        before = self._before.get(self.steps)
        if before is None:
            return self._patience
        wanted = max(self.steps, experiment.steps)
        running = wanted / before.per_second if before.per_second else 0.0
        start = max(
            1.0, before.seconds - before.steps / before.per_second if before.per_second else before.seconds
        )
        new = (wanted not in self._before) + (not experiment.alone)
        return new * (start + running)

    def run(self, experiment: ExperimentRule) -> Outcome:
        """Run an experiment. Raises NotStarted."""
        before = self.as_it_is(experiment.steps)
        if experiment.alone:
            return Outcome(experiment, before, before, *_answers(experiment, before, before))
        after = self._run(experiment, max(self.steps, experiment.steps))
        _compare(before, after, self._knowledge)
        return Outcome(experiment, before, after, *_answers(experiment, before, after))

    def _run(self, experiment: ExperimentRule | None, steps: int) -> ShortRun:
        name = experiment.id if experiment else ""
        folder = Path(tempfile.mkdtemp(prefix=f"{name or 'as-it-is'}-", dir=self._work.name))
        return run_shortly(
            self._command, folder, self._knowledge, steps=steps, seed=self._seed, patience=self._patience,
            change=experiment.change if experiment else {},
            variables=experiment.environment if experiment else {},
            progress=lambda done: self._tell(name, done, steps),
        )  # fmt: skip


def _compare(before: ShortRun, after: ShortRun, knowledge: Knowledge) -> None:
    """Add to the facts of the changed run how it differs from the other."""
    tell = after.facts.add
    one, other = _end(before.losses), _end(after.losses)
    if one and other is not None:
        tell(Fact("test.loss_ratio", other / one, Origin.LIVE))
    worst, now = before.facts.value("test.trouble"), after.facts.value("test.trouble")
    if isinstance(worst, int) and isinstance(now, int):
        tell(Fact("test.relief", now < worst, Origin.LIVE))
    if before.per_second and after.per_second:
        tell(Fact("test.speedup", after.per_second / before.per_second, Origin.LIVE))
    if before.losses and after.losses:
        tell(
            Fact(
                "test.same_losses",
                _alike(before.losses, after.losses, knowledge.limits["same_loss"]),
                Origin.LIVE,
            )
        )


def _end(losses: Sequence[float | None]) -> float | None:
    finite = [one for one in losses if one is not None and math.isfinite(one)]
    return statistics.median(finite[-_ENDS:]) if finite else None


def _alike(before: Sequence[float | None], after: Sequence[float | None], tolerance: float) -> bool:
    def same(one: float | None, other: float | None) -> bool:
        if one is None or other is None or not (math.isfinite(one) and math.isfinite(other)):
            return str(one) == str(other)
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)

    return len(before) == len(after) and all(map(same, before, after))


def _answers(experiment: ExperimentRule, before: ShortRun, after: ShortRun) -> tuple[tuple[Fact, ...], str]:
    """What the two runs answer, or why they answer nothing."""
    if reason := _useless(experiment, before, after):
        return (), reason
    facts, open_questions = [], 0
    for rule in experiment.answers:
        value = rule.of(before.facts, after.facts)
        if value is None:
            open_questions += 1
        else:
            place = Place(f"experiment {experiment.id}")
            facts.append(Fact(rule.fact, value, Origin.LIVE, (place,)))
    if facts or not open_questions:
        return tuple(facts), ""
    if all(one.before is not None and one.before.of(before.facts) is not True for one in experiment.answers):
        return (), "the run as it is does not show the trouble in so few steps"
    return (), "the two runs do not decide it"


def _useless(experiment: ExperimentRule, before: ShortRun, after: ShortRun) -> str:
    """Why nothing can be learnt from these runs."""
    if not before.steps and not before.failure:
        return "no optimizer step was seen in the run as it is"
    if experiment.alone:
        return ""
    if after.troubles:
        return f"the change could not be made ({after.troubles[0]})"
    if experiment.change and not after.changed:
        return "there was nothing to change in this script"
    if after.failure and after.failure.partition(":")[0] != before.failure.partition(":")[0]:
        return f"the changed run failed in a way of its own ({after.failure})"
    if not after.in_time and before.in_time:
        return "the changed run took too long"
    return ""
