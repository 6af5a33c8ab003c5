"""From series to facts."""

from __future__ import annotations

from collections.abc import Sequence

from .adversary_facts import tell_adversaries
from .eval_facts import tell_distance, tell_eval, tell_perplexity, tell_rivals
from .lines import Lines
from .loss_facts import has_no_level, tell_loss
from .marks import Mark
from .positions import Positions
from .rate_facts import tell_rate
from .reward_facts import policy, tell_rewards
from .run_facts import tell_host_memory, tell_memory, tell_norm, tell_scale, tell_skips
from .score_facts import tell_error_rates, tell_lowest, tell_rare, tell_scores
from .series import Curve, Series, curve_of
from .speed import tell_speed
from .spikes import tell_resume, tell_spikes
from .standing import is_a_share, standing
from .store import Store
from .term_facts import tell_divergence, tell_learnt, tell_terms
from .told import Told

_SOME = 3


def tell_series(
    told: Told, store: Store, positions: Positions | None = None, lines: Lines | None = None
) -> None:
    """Everything the series of one log say."""
    _tell_quirks(told, store)
    train, trouble = _tell_loss(told, store, lines)
    _tell_parts(told, store, lines)
    _tell_nan_iterations(told, store)
    _tell_validation(told, store, train, lines)
    _tell_scores(told, store)
    if lines is not None:
        tell_adversaries(told, store, lines.names)
    for series in store.of("grad_norm")[:1]:
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


def _tell_quirks(told: Told, store: Store) -> None:
    """What the loss of an agent does though nothing is wrong."""
    agent = bool(store.of("episode_return") or store.of("episode_length"))
    if agent or store.of("reward"):
        # The loss of a policy gradient has no floor, so its sign says nothing.
        told.quirks |= {"negative-loss-is-normal"}
    if agent or policy(store) is not None:
        told.quirks |= {"loss-has-no-level"}
    if policy(store) is not None:
        told.quirks |= {"zero-loss-is-normal"}


def _tell_loss(told: Told, store: Store, lines: Lines | None) -> tuple[Curve | None, Mark | None]:
    """What the loss says, as the curve of its finite values and where it broke."""
    losses = [*store.of("loss"), *store.of("loss_part")]
    loss = standing(losses, lines)
    if loss is None:
        return None, None
    hidden = _masked(told, loss, store.of("grad_norm"), store.of("eval_loss"))
    train = tell_loss(told, loss, [one for one in losses if one is not loss], masked=hidden)
    if lines is not None and lines.names.losses.is_of_density(loss.name.printed) and not is_a_share(loss):
        told.tell("loss.of_density", True, loss.marks[0])
    trouble = _trouble(told, loss, train, hidden=bool(hidden))
    if not has_no_level(told, loss):
        tell_resume(told, train)
    return train, trouble


def _tell_parts(told: Told, store: Store, lines: Lines | None) -> None:
    """What the terms of a loss say."""
    losses = [*store.of("loss"), *store.of("loss_part")]
    terms = [one for one in losses if "total" not in one.name.printed]
    tell_learnt(told, losses)
    tell_terms(told, terms, lines.names.losses.is_held_down if lines is not None else lambda _: False)
    if lines is not None:
        tell_divergence(told, [*terms, *store.of("reference_kl")], lines.names.losses.is_divergence)


def _differ(train: Series, validation: Series, lines: Lines) -> bool:
    """Whether one of the two is a mean square and the other its root, so that their sizes say nothing."""
    roots = [lines.names.losses.is_root(one.name.printed) for one in (train, validation)]
    return roots[0] != roots[1]


def _tell_validation(told: Told, store: Store, train: Curve | None, lines: Lines | None) -> None:
    """What the validation says: its loss, or else its perplexity, and the distance of what is generated."""
    losses = [*store.of("eval_loss"), *store.of("eval_loss_part")]
    validation = standing(losses, lines)
    if validation is not None:
        trained = standing([*store.of("loss"), *store.of("loss_part")], lines)
        if trained is not None and lines is not None and _differ(trained, validation, lines):
            train = None
        tell_eval(told, validation, [one for one in losses if one is not validation], train)
    elif perplexity := store.of("eval_perplexity"):
        tell_perplexity(told, perplexity[0])
    for series in [*store.of("eval_perplexity"), *store.of("perplexity")][:1]:
        if series.last is not None:
            told.tell("log.perplexity.last", series.last.value, series.last.mark)
    for series in store.of("eval_distance")[:1]:
        tell_distance(told, series)
    tell_rivals(told, store)


def _tell_scores(told: Told, store: Store) -> None:
    """What the scores say, in training and in validation, of all classes and of single ones."""
    training, validation = store.of("accuracy"), store.of("eval_accuracy")
    tell_scores(told, next(iter(training), None), next(iter(validation), None))
    tell_rare(told, [*validation, *training, *store.of("eval_recall")])
    rates = store.of("eval_error_rate") or store.of("bare_error_rate")
    tell_error_rates(told, store.of("error_rate"), rates)
    for series in store.of("eval_accuracy_lowest")[:1]:
        tell_lowest(told, series, next(iter(validation), None))


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
