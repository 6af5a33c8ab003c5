"""Where the features of an input lie, and on which side of a run they were normalised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

MOST = 1 << 16
"""Numbers of an input whose level is taken, about."""

FEWEST, FEATURES = 4, 4096
"""Columns of a table, or of a sequence. Of one or two, as the places of a function that is drawn, any may be asked for."""

CENTRED, UNIT = 0.3, (0.7, 1.4)
"""Means and deviations of features that were normalised, by these data or by constants of others like them."""

APART, TIMES = 0.8, 2.0
"""So far from the means of the other side, in its deviations, or so many times its deviations, they were not prepared alike."""

WHOLE = 100
"""Samples in one input that tell where its features lie, whatever order they come in."""

NORMAL, DIFFERENT = 0.8, 0.5
"""The shares of features that must be normalised on the one side, and apart from those of the other."""


Levels = list[tuple[int, Any]]
"""Of some inputs how many samples they have, and what `level_of` found."""


def level_of(torch: Any, tensor: torch.Tensor) -> torch.Tensor | None:
    """Mean and deviation of each channel of pictures, or of each column of a table or a sequence; None where they are too few."""
    axis = 1 if tensor.dim() > 3 else tensor.dim() - 1
    features = tensor.shape[axis]
    if features > FEATURES or (tensor.dim() <= 3 and features < FEWEST):
        return None
    found: torch.Tensor | None = None
    with torch.no_grad():
        some = tensor.detach()[: max(2, MOST // max(1, tensor[0].numel()))].float()
        columns = some.movedim(axis, -1).reshape(-1, features)
        if len(columns) >= FEWEST:
            found = torch.stack([columns.mean(0), columns.square().mean(0)])
    return found


def normalised_side(torch: Any, training: Levels, evaluation: Levels) -> str | None:
    """`training` or `evaluation`, where the features of that side alone were normalised; `both` where the two are alike."""
    if (
        not training
        or not evaluation
        or {len(one[0]) for _, one in training + evaluation} != {len(training[0][1][0])}
    ):
        return None
    trained = _pooled(torch, [one for _, one in training])
    sides = [_compared(*trained, *_pooled(torch, part)) for part in _parts(evaluation)]
    return next((side for side in sides if side != "both"), "both" if sides else None)


def _parts(evaluation: Levels) -> list[list[Any]]:
    """Inputs of as many samples belong together: the model may be asked for what it was trained on as well.

    The last batch of a set has fewer, and its few samples tell little.
    """
    parts: dict[int, list[Any]] = {}
    for samples, level in evaluation:
        parts.setdefault(samples, []).append(level)
    most = max(parts.values(), key=len)
    return [part for samples, part in parts.items() if part is most or samples >= WHOLE]


def _compared(mean: Any, spread: Any, other_mean: Any, other_spread: Any) -> str | None:
    # What never varies, as the margin of a picture, was not normalised by its deviation.
    varies = (spread > 0) & (other_spread > 0)
    if not bool(varies.any()):
        return None
    mean, spread, other_mean, other_spread = (one[varies] for one in (mean, spread, other_mean, other_spread))
    if _share(_apart(mean, spread, other_mean, other_spread)) < DIFFERENT:
        return "both"
    if _share(_is_normal(mean, spread)) >= NORMAL:
        return "training"
    return "evaluation" if _share(_is_normal(other_mean, other_spread)) >= NORMAL else None


def _pooled(torch: Any, levels: list[Any]) -> tuple[Any, Any]:
    """Mean and deviation over all inputs, each of which counts alike."""
    mean, square = torch.stack(levels).mean(0)
    return mean, (square - mean.square()).clamp(min=0).sqrt()


def _is_normal(mean: Any, spread: Any) -> Any:
    return (mean.abs() < CENTRED) & (spread > UNIT[0]) & (spread < UNIT[1])


def _apart(mean: Any, spread: Any, other_mean: Any, other_spread: Any) -> Any:
    times = other_spread / spread
    return ((other_mean - mean).abs() > APART * spread) | (times > TIMES) | (times * TIMES < 1)


def _share(features: Any) -> float:
    return float(features.float().mean())
