"""From series to facts; and series written in one line, for the tests of the knowledge base."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from traindx.engine.facts import Fact, Place
from traindx.engine.regex import regex

from .adversary_facts import tell_adversaries
from .eval_facts import tell_distance, tell_eval, tell_perplexity, tell_rivals
from .lines import Lines
from .loss_facts import has_no_level, tell_loss
from .marks import Each, Mark
from .names import Name
from .positions import Positions, Where
from .rate_facts import tell_rate
from .reward_facts import policy, tell_rewards
from .run_facts import tell_host_memory, tell_memory, tell_norm, tell_scale, tell_skips
from .score_facts import tell_lowest, tell_rare, tell_scores
from .series import Curve, Series, curve_of
from .speed import tell_speed
from .spikes import tell_resume, tell_spikes
from .standing import is_a_share, standing
from .store import Store
from .term_facts import tell_divergence, tell_terms
from .told import Told

_PART = regex(r"^(?P<start>[-+]?[\w.+-]+?)(?:\.\.(?P<end>[-+]?[\w.+-]+?))?(?:x(?P<times>\d+))?$")
_LONGEST = 1_000_000
_SOME = 3


def tell_series(
    told: Told, store: Store, positions: Positions | None = None, lines: Lines | None = None
) -> None:
    """Everything the series of one log say."""
    agent = bool(store.of("episode_return") or store.of("episode_length"))
    if agent or store.of("reward"):
        # The loss of a policy gradient has no floor, so its sign says nothing.
        told.quirks |= {"negative-loss-is-normal"}
    if agent or policy(store) is not None:
        told.quirks |= {"loss-has-no-level"}
    if policy(store) is not None:
        told.quirks |= {"zero-loss-is-normal"}
    losses, parts = store.of("loss"), store.of("loss_part")
    evals, scores = store.of("eval_loss"), store.of("eval_accuracy")
    norms, loss = store.of("grad_norm"), standing([*losses, *parts], lines)
    train, trouble = None, None
    if loss is not None:
        hidden = _masked(told, loss, norms, evals)
        train = tell_loss(told, loss, [one for one in (*losses, *parts) if one is not loss], masked=hidden)
        if lines is not None and lines.names.losses.is_of_density(loss.name.printed) and not is_a_share(loss):
            told.tell("loss.of_density", True, loss.marks[0])
        trouble = _trouble(told, loss, train, hidden=bool(hidden))
        if not has_no_level(told, loss):
            tell_resume(told, train)
    terms = [one for one in (*losses, *parts) if "total" not in one.name.printed]
    tell_terms(told, terms, lines.names.losses.is_held_down if lines is not None else lambda _: False)
    if lines is not None:
        tell_divergence(told, [*terms, *store.of("reference_kl")], lines.names.losses.is_divergence)
    _tell_nan_iterations(told, store)
    evals_and_parts = [*evals, *store.of("eval_loss_part")]
    validation = standing(evals_and_parts, lines)
    if validation is not None:
        tell_eval(told, validation, [one for one in evals_and_parts if one is not validation], train)
    elif perplexity := store.of("eval_perplexity"):
        tell_perplexity(told, perplexity[0])
    for series in [*store.of("eval_perplexity"), *store.of("perplexity")][:1]:
        if series.last is not None:
            told.tell("log.perplexity.last", series.last.value, series.last.mark)
    for series in store.of("eval_distance")[:1]:
        tell_distance(told, series)
    tell_rivals(told, store)
    tell_scores(told, next(iter(store.of("accuracy")), None), next(iter(scores), None))
    tell_rare(told, [*scores, *store.of("accuracy"), *store.of("eval_recall")])
    for series in store.of("eval_accuracy_lowest")[:1]:
        tell_lowest(told, series, next(iter(scores), None))
    if lines is not None:
        tell_adversaries(told, store, lines.names)
    for series in norms[:1]:
        if not _is_unmeasured(told, series):
            tell_norm(told, series, trouble)
    for series in store.of("learning_rate")[:1]:
        tell_rate(told, series, trouble, positions.total_steps if positions else None, lines, train)
    for series in store.of("loss_scale")[:1]:
        tell_scale(told, series)
    for series in store.of("memory_gib")[:1]:
        tell_memory(told, series)
    tell_host_memory(told, store)
    tell_rewards(told, store)
    tell_skips(told, store)
    tell_speed(told, store, positions, lines)


def _is_unmeasured(told: Told, norm: Series) -> bool:
    """Whether a norm is printed as 0 because nobody measures it: without gradients no loss would fall."""
    never = norm.bad == 0 and norm.high is not None and norm.high.value == 0 and norm.count >= _SOME
    return never and told.value("loss.trend") == "falling"


def _trouble(told: Told, loss: Series, train: Curve, *, hidden: bool) -> Mark | None:
    """Where the loss broke: its first NaN, shown or hidden, else its largest spike."""
    spike = None if has_no_level(told, loss) else tell_spikes(told, train)
    if loss.first_bad is not None:
        return loss.first_bad.mark
    if hidden:
        return next((mark for mark, value in zip(loss.marks, loss.values, strict=True) if value == 0), None)
    return spike.mark if spike else None


def _masked(told: Told, loss: Series, norms: Sequence[Series], evals: Sequence[Series]) -> bool | None:
    """Whether zeros, or missing losses, stand for NaN. None where nothing tells."""
    line = curve_of(loss)
    if "nan-hides-the-loss" in told.quirks and norms and norms[0].first_bad is not None:
        # The column vanishes: the norm is NaN and the loss was printed less often than the norm.
        return loss.bad == 0 and loss.count < norms[0].count
    if not line.values or 0 not in line.values:
        return False if line.values else None
    if "zero-loss-is-normal" in told.quirks:
        return None
    broken = any(one.first_bad is not None for one in (*norms, *evals))
    if broken and line.values[-1] == 0:
        return True
    sudden = _sudden(line.values)
    calm = norms and norms[0].bad == 0
    return True if sudden and "nan-shown-as-zero" in told.quirks and not calm else None


def _sudden(values: Sequence[float]) -> bool:
    """A loss well above zero, and then nothing but exact zeros."""
    first = next(index for index, value in enumerate(values) if value == 0)
    return 0 < first <= len(values) - 2 and not any(values[first:]) and values[first - 1] > 0.01


def _tell_nan_iterations(told: Told, store: Store) -> None:
    """Iterations that the trainer counts as NaN without printing their loss."""
    for series in store.of("nan_iterations")[:1]:
        if series.high is not None and series.high.value > 0 and told.value("loss.nonfinite") is not True:
            told.facts.pop("loss.nonfinite", None)
            told.tell("loss.nonfinite", True, series.high.mark, "iterations that the trainer counts as NaN")


def series_facts(series: Mapping[str, Sequence[float]], limits: Mapping[str, float]) -> list[Fact]:
    """The facts of series given as plain numbers: metric id -> values, a value a step."""
    store = Store()
    for metric, values in series.items():
        one = store.get(Name(metric, metric.replace("_", " "), 0))
        if one is not None:
            one.extend(list(values), _evenly(len(values)))
    told = Told(
        limits,
        lambda mark: Place("series", step=_whole(mark.step)),
        lambda mark: Where(mark.step),
        counted=True,
    )
    tell_series(told, store)
    return list(told.facts.values())


def _evenly(count: int) -> Each:
    """Marks as if all series ran over the same time, whatever their number of values."""
    return Each(lambda index: Mark(round(1e6 * (index + 1) / count), b"", step=float(index + 1)))


def _whole(step: float | None) -> int | None:
    return None if step is None else int(step)


def parse_series(text: str) -> list[float]:
    """A series written in one line.

    `2.3 nanx3` is 2.3 and three NaN, `1x5` five ones, `10..1x10` ten values from 10 to 1 in equal
    steps. Raises ValueError for anything else.
    """
    values: list[float] = []
    for part in text.split():
        found = _PART.match(part)
        if found is None:
            raise ValueError(f"`{part}` is not a value, `AxN` or `A..BxN`")
        start, times = _number(found["start"], part), int(found["times"] or 1)
        if len(values) + times > _LONGEST:
            raise ValueError(f"a series may have at most {_LONGEST} values")
        if found["end"] is None:
            values += [start] * times
            continue
        end = _number(found["end"], part)
        if times < 2 or not (math.isfinite(start) and math.isfinite(end)):
            raise ValueError(f"`{part}` needs two finite ends and a count of at least 2, as in `10..1x10`")
        values += [start + (end - start) * index / (times - 1) for index in range(times)]
    return values


def _number(text: str, part: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"`{text}` in `{part}` is no number") from None
