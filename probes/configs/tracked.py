"""The settings of a run as it, or a tracker, wrote them down: they tell what it used, and nothing reads them again."""

from __future__ import annotations

from traindx.engine.regex import regex

from .document import Entry, Reading

_COPIES = regex(
    r"(?:^|/)(?:\.hydra/\w+\.ya?ml|version_\d+/hparams\.ya?ml|training_options\.json|params \(a file each\))$"
)
"""Hydra's folder, the hyperparameters in a folder of Lightning's logger, the options in a run of StyleGAN, MLflow's settings."""

_OWN = ("_wandb", "wandb_version")
"""Keys by which such a file is known; they are no settings."""
_HOLDS = "value"


def is_copy(name: str) -> bool:
    """Whether a file is what a trainer writes of its run, by where it lies."""
    return _COPIES.search(name.replace("\\", "/")) is not None


def untracked(reading: Reading) -> Reading | None:
    """The settings without what Weights & Biases put around them, a level more; None where it is no such file."""
    if not any(entry.path and entry.path[0] in _OWN for entry in reading.entries):
        return None
    return reading._replace(entries=tuple(_inner(entry) for entry in reading.entries if _is_setting(entry)))


def _is_setting(entry: Entry) -> bool:
    return len(entry.path) > 1 and entry.path[0] not in _OWN and entry.path[1] == _HOLDS


def _inner(entry: Entry) -> Entry:
    return entry._replace(path=(entry.path[0], *entry.path[2:]))
