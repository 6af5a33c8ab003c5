"""The settings of a run as it, or a tracker, wrote them down: they tell what it used, and nothing reads them again."""

from __future__ import annotations

import re

from traindx.engine.regex import regex

from .document import Entry, Reading
from .exact import File

_COPIES = regex(
    r"(?:^|/)(?:\.hydra/\w+\.ya?ml|multirun\.yaml|version_\d+/(?:hparams|config)\.ya?ml|training_options\.json|params \(a file each\)"
    r"|vis_data/config\.py|params/(?:agent|env)\.yaml|output/train/[^/]+/args\.yaml|pretrained_model/train_config\.json)$"
)
"""Hydra's folder and the list of its runs, the hyperparameters in a folder of Lightning's logger, the options in a run of StyleGAN, MLflow's settings,
the dumps of MMEngine and Isaac Lab, and what timm and LeRobot keep with a run."""

_BESIDE = (
    (
        regex(r"args\.ya?ml|params\.json"),
        ("results.csv", "summary.csv", "result.json", "last.pth.tar", "train_batch0.jpg"),
    ),
    (regex(r"(?:config|cfg)\.ya?ml"), ("last_checkpoint", "nerfstudio_models", "ckpts")),
    (regex(r".*\.py"), ("last_checkpoint",)),
    (regex(r"(?:\w+_)?config\.json"), ("trainer_state.json", "training_args.bin")),
    (regex(r"(?:args|config)\.yml"), ("0.monitor.csv", "evaluations.npz", "vecnormalize.pkl")),
)
"""Names that people too give to their settings, and what lies beside such a file where the run wrote it."""

_WRITTEN = regex(r"^save_dir: .*\Z|\ACUDNN_BENCHMARK: |(?:^|\s)!!python/object", re.MULTILINE)
"""What no person writes: the folder of the run as Ultralytics' last key, Detectron2's first, objects as PyYAML dumps them."""
_TEXTS = (".yaml", ".yml")

_OWN = ("_wandb", "wandb_version")
"""Keys by which such a file is known; they are no settings."""
_HOLDS = "value"


def is_copy(file: File) -> bool:
    """Whether a file is what a trainer writes of its run: by where it lies, what lies beside it, or what it holds."""
    name = file.name.replace("\\", "/")
    if _COPIES.search(name) or (name.endswith(_TEXTS) and _WRITTEN.search(file.text.rstrip())):
        return True
    base, folder = name.rsplit("/", 1)[-1], file.path.parent if file.path else None
    return folder is not None and any(
        pattern.fullmatch(base) and any((folder / one).exists() for one in beside)
        for pattern, beside in _BESIDE
    )


def untracked(reading: Reading) -> Reading | None:
    """The settings without what Weights & Biases put around them, a level more; None where it is no such file."""
    if not any(entry.path and entry.path[0] in _OWN for entry in reading.entries):
        return None
    return reading._replace(entries=tuple(_inner(entry) for entry in reading.entries if _is_setting(entry)))


def _is_setting(entry: Entry) -> bool:
    return len(entry.path) > 1 and entry.path[0] not in _OWN and entry.path[1] == _HOLDS


def _inner(entry: Entry) -> Entry:
    return entry._replace(path=(entry.path[0], *entry.path[2:]))
