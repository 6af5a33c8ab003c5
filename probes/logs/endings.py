"""How a run ended: done, failed or cut off, which ranks were missing, and when device memory ran out."""

from __future__ import annotations

from collections.abc import Sequence

from traindx.engine.facts import Place

from .collected import Collected
from .failures import Failure
from .hits import Hits
from .log import Log, interval

_ENOUGH = 20
"""Lines that show progress, from which on a log is more than a pasted piece."""
_BETWEEN_TWO = ("SEND", "RECV", "COALESCED")
_TWO = 2
"""More places than two are several groups of processes that the log does not tell apart."""
_DURING = (
    ("loading", "in_loading"),
    ("saving", "in_saving"),
    ("evaluation", "in_evaluation"),
    ("optimizer-step", "in_optimizer"),
)
"""What `gpu.oom.when` may be, and the fact of the exception that says it."""


def tell_end(facts: Collected, hits: Hits, logs: Sequence[Log], first: Failure | None) -> None:
    """Whether training came to its end. `first` is the failure behind the others."""
    steps, total = facts.get("log.steps"), facts.get("log.total_steps")
    if steps is None or total is None or "log.finished" in facts:
        return
    place = steps.place or Place(logs[0].name)
    missing = int(total.value) - int(steps.value)  # type: ignore[arg-type]
    if missing <= 0:
        if any(log.has_curves() for log in logs):
            facts.add("log.finished", True, place)
            facts.add("log.ends_midway", False, place)
        return
    failed = first is not None or any(
        hit.rule.role in ("failure", "consequence") for hit in hits.found.values()
    )
    if failed or _stopped(logs, missing):
        facts.add("log.finished", False, place)
        facts.add("log.ends_midway", not failed, place)


def _stopped(logs: Sequence[Log], missing: int) -> bool:
    """Whether so many missing steps were never made: of a loss that is printed every 50, the last 50 may have been."""
    open_end = missing > max((interval(log) for log in logs), default=0)
    return open_end and sum(log.positions.seen for log in logs) >= _ENOUGH


def tell_missing(facts: Collected, hits: Hits, ranks: set[int]) -> None:
    """The ranks that print, and are none of the many that waited in a collective until the timeout."""
    for hit in hits.found.values():
        missing = ranks - hit.ranks
        if "dist.collective" in hit.rule.captures.values() and 0 < len(missing) < len(hit.ranks):
            facts.add("dist.missing_ranks", ", ".join(map(str, sorted(missing))), hit.place)


def tell_out_of_step(facts: Collected, hits: Hits) -> None:
    """The few ranks that waited in another collective than the many, each group of processes by itself."""
    for hit in hits.found.values():
        for group in dict.fromkeys(group for group, _ in hit.waits):
            at: dict[tuple[str, str], list[int]] = {}
            for (of, rank), where in hit.waits.items():
                # A message from one rank to another is no business of the rest.
                if of == group and not where[1].startswith(_BETWEEN_TWO):
                    at.setdefault(where, []).append(rank)
            few, many = sorted(at, key=lambda where: len(at[where])) if len(at) == _TWO else ((), ())
            if few and many and len(at[few]) < len(at[many]):
                facts.add("dist.ranks_out_of_step", _listed(at[few]), hit.place)
                said = f"{_ranks(at[few])} waited in {few[1]} number {few[0]}, {_ranks(at[many])} in {many[1]} number {many[0]}"
                facts.add("dist.out_of_step", said, hit.place)
                return


def _listed(ranks: Sequence[int]) -> str:
    return ", ".join(map(str, sorted(ranks)))


def _ranks(ranks: Sequence[int]) -> str:
    return f"rank{'s' if len(ranks) > 1 else ''} {_listed(ranks)}"


def tell_out_of_memory(facts: Collected, hits: Hits, first: Failure | None) -> None:
    """When in the run device memory ran out."""
    tried = next(
        (
            hit
            for hit in hits.found.values()
            if any(name.startswith("gpu.oom.") for name in hit.rule.captures.values())
        ),
        None,
    )
    if tried is None or first is None:
        return
    when = next((word for word, name in _DURING if _is_true(facts, f"log.exception.{name}")), "")
    step = tried.place.step
    if not when and step is not None:
        when = "first-step" if step <= 1 else "later"
    if when:
        facts.add("gpu.oom.when", when, first.place)


def _is_true(facts: Collected, name: str) -> bool:
    fact = facts.get(name)
    return fact is not None and fact.value is True
