"""What the models and optimizers of the run are: one record for each, when their first step comes."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from .again import Again
from .compiling import is_compiled
from .journal import Journal
from .model import children, held, unwrapped
from .part import Part
from .patching import replace

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .watcher import Watcher

OPTIONS = (
    "lr",
    "initial_lr",
    "weight_decay",
    "momentum",
    "betas",
    "eps",
    "nesterov",
    "amsgrad",
    "fused",
    "foreach",
)
"""Options of a group that are written down."""
MOST = 30
"""Groups, modules and names in one record."""
BATCH_NORMS = ("BatchNorm", "SyncBatchNorm", "InPlaceABN")
ADAPTERS = re.compile(r"lora_|adapter|ia3_|prompt_encoder|prefix_encoder", re.IGNORECASE)
"""Names that adapters give their parameters."""


class Models(Part):
    """Writes `model` and `optimizer` records, and says which parts of a model are frozen or shared."""

    name = "models"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._again = Again()
        optim = sys.modules["torch.optim.optimizer"]  # torch.optim hides the name of its module
        replace(watcher, optim.Optimizer, "add_param_group", self._wrap_add)

    def _wrap_add(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def add_param_group(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(optimizer, *args, **kwargs)
            self._watcher.own("models", self._written_anew, optimizer)
            return result

        return add_param_group

    def _written_anew(self, optimizer: torch.optim.Optimizer) -> None:
        """A group was added. Those that an optimizer is made with come before its first step, and are none of these."""
        model = self._watcher.models.get(id(optimizer))
        if model is not None:
            self._journal.record("optimizer", optimizer=model.number, **_optimizer(optimizer))

    def model_found(self, model: ModelSeen) -> None:
        """Count it."""
        copied = any(map(self._watcher.registry.is_copy, model.roots)) or None
        again = self._again.number(model)
        self._journal.record("model", model=model.number, copied=copied, again=again, **described(model))
        self._journal.record("optimizer", optimizer=model.number, **_optimizer(model.optimizer))
        self._journal.fact("model.has_batchnorm", any(map(_normalises, model.each_module())))
        dropout = max(map(_dropped, model.each_module()), default=0.0)
        if dropout:
            self._journal.fact("config.dropout", dropout)
        half = {str(one.dtype) for one in held(model.optimizer) if one.requires_grad} & {"torch.float16"}
        self._journal.fact("model.trainable_half", bool(half))
        kinds = {str(one.dtype) for one in held(model.optimizer) if one.requires_grad}
        self._journal.fact("model.trainable_bf16", kinds == {"torch.bfloat16"})
        frozen = _frozen(model)
        if frozen:
            self._journal.fact("model.frozen_names", frozen[:MOST])
        shared = _shared(model)
        if shared:
            self._journal.fact("model.modules_shared", shared[:MOST])
        self._journal.fact("model.layer_repeated", any(map(_repeats_a_layer, model.each_module())))

    def failed(self, error: BaseException) -> None:
        """The first backward may have failed because there was nothing to train: then no model was found yet.

        An optimizer that was given only what trains (as that of transformers) may hold nothing.
        """
        if self._watcher.models:
            return
        parameters = [one for optimizer in self._optimizers() for one in held(optimizer)] or [
            one for module in self._watcher.registry.heard() for one in module.parameters(recurse=False)
        ]
        if parameters and not any(one.requires_grad for one in parameters):
            self._journal.fact(
                "model.trainable_parameters", 0, note=f"{len(parameters)} parameters, all frozen"
            )

    def _optimizers(self) -> list[torch.optim.Optimizer]:
        kind = self._watcher.torch.optim.Optimizer
        return [
            one for one in gc.get_objects() if issubclass(type(one), kind) and hasattr(one, "param_groups")
        ]


def _repeats_a_layer(module: torch.nn.Module) -> bool:
    """Whether it holds one trained layer in several places, as `[layer] * 4` does. Tied embeddings stand apart."""
    trained = [id(one) for one in children(module) if any(True for _ in one.parameters())]
    return len(set(trained)) < len(trained)


def described(model: ModelSeen) -> dict[str, Any]:
    """The values of a `model` record."""
    parameters = [one for _, one in model.parameters()]
    dtypes: dict[str, int] = {}
    for one in parameters:
        kind = str(one.dtype).replace("torch.", "")
        dtypes[kind] = dtypes.get(kind, 0) + one.numel()
    return {
        "class": "+".join(dict.fromkeys(type(_bare(root)).__name__ for root in model.roots)),
        "parameters": sum(one.numel() for one in parameters),
        "trainable": sum(one.numel() for one in parameters if one.requires_grad),
        "dtypes": dtypes,
        "devices": sorted({str(one.device) for one in parameters}),
        "compiled": any(map(is_compiled, model.each_module())),
        "modules": _top_modules(model),
        "batch_norm": sum(map(_normalises, model.each_module())),
        "adapters": sum(one.numel() for name, one in model.parameters() if ADAPTERS.search(name)),
    }


def _bare(module: torch.nn.Module) -> torch.nn.Module:
    """The module of the user within the wrappers."""
    below = list(module.named_children())
    return _bare(below[0][1]) if len(below) == 1 and unwrapped(below[0][0]) == "" else module


def _normalises(module: torch.nn.Module) -> bool:
    return type(module).__name__.startswith(BATCH_NORMS)


def _dropped(module: torch.nn.Module) -> float:
    """The share that a dropout layer drops; 0 of any other."""
    rate = getattr(module, "p", 0.0) if "Dropout" in type(module).__name__ else 0.0
    return float(rate) if type(rate) in (int, float) else 0.0


def _top_modules(model: ModelSeen) -> dict[str, list[int]]:
    """First part of the name -> its parameters, and those of them that train."""
    found: dict[str, list[int]] = {}
    for name, one in model.parameters():
        counts = found.setdefault(name.partition(".")[0], [0, 0])
        counts[0] += one.numel()
        counts[1] += one.numel() if one.requires_grad else 0
    return dict(list(found.items())[:MOST])


def _frozen(model: ModelSeen) -> list[str]:
    """The outermost modules none of whose parameters train."""
    found: list[str] = []
    for root in model.roots:
        for module in root.modules():
            name = model.modules.get(id(module), "")
            inside = any(name == one or name.startswith(one + ".") for one in found)
            flags = [] if inside else [one.requires_grad for one in module.parameters()]
            if flags and not any(flags):
                found.append(name)
    return found


def _shared(model: ModelSeen) -> list[str]:
    """Modules with weights that stand in several places, all their places in one text: `a = b`."""
    places: dict[int, list[str]] = {}
    for root in model.roots:
        for name, module in root.named_modules(remove_duplicate=False):
            if module._parameters:
                places.setdefault(id(module), []).append(unwrapped(name))
    return [" = ".join(names[:MOST]) for names in places.values() if len(names) > 1]


def _optimizer(optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """The values of an `optimizer` record."""
    groups = []
    for group in optimizer.param_groups[:MOST]:
        known = {key: _plain(group[key]) for key in OPTIONS if group.get(key) is not None}
        groups.append({**known, "parameters": sum(one.numel() for one in group["params"])})
    return {"class": type(optimizer).__name__, "groups": groups}


def _plain(value: Any) -> Any:
    """A learning rate in a tensor is read once, before the first step."""
    return float(value) if hasattr(value, "item") else value
