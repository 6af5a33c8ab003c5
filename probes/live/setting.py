"""What the run is: versions, devices, models, optimizers, as facts that rules for files and logs ask for too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from traindx.engine.facts import Place

from .processes import RUN, Process, Record, number, whole
from .told import LiveFacts

_HALVES = {"float16": "fp16", "bfloat16": "bf16"}
_OPTIONS: Mapping[str, str] = {
    "weight_decay": "config.weight_decay",
    "momentum": "config.momentum",
    "eps": "config.adam_eps",
}
"""Option of an optimizer's group -> the setting it is."""


def tell_setting(facts: LiveFacts, process: Process, *, world_size: int) -> None:
    """Everything that the process says once: of itself, of torch, of its models and optimizers."""
    place = Place(RUN)
    head = next(process.of("process"), {})
    facts.tell("env.python", str(head["python"]).split()[0] if head.get("python") else None, place)
    facts.tell("dist.world_size", world_size, place)
    facts.tell("config.world_size", world_size, place)
    for record in process.of("torch"):
        _tell_torch(facts, record, place)
    models = list(_numbered(process, "model").values())
    if models:
        _tell_models(facts, models, place)
    leading = _leading(process)
    if leading is not None:
        _tell_optimizer(facts, leading, place)


def of_another_kind(process: Process) -> frozenset[int]:
    """The optimizers that are of another class than the one which tells the settings: their rates are measured by another rule."""
    leading = _leading(process) or {}
    records = _numbered(process, "optimizer")
    return frozenset(key for key, one in records.items() if one.get("class") != leading.get("class"))


def _leading(process: Process) -> Record | None:
    """The optimizer that holds most."""
    return max(_numbered(process, "optimizer").values(), key=_held, default=None)


def _numbered(process: Process, kind: str) -> dict[int, Record]:
    """The last record of each model, or of each optimizer."""
    return {whole(record.get(kind)) or 0: record for record in process.of(kind)}


def _tell_torch(facts: LiveFacts, record: Record, place: Place) -> None:
    version = str(record.get("torch") or "")
    facts.tell("env.package.torch", version or None, place)
    facts.tell("env.cuda", str(record["cuda"]) if record.get("cuda") else None, place)
    devices = record.get("devices")
    if isinstance(devices, list) and devices:
        facts.tell("gpu.present", True, place)
        facts.tell("gpu.count", len(devices), place)
        facts.tell("gpu.name", str(devices[0]), place)


def _tell_models(facts: LiveFacts, models: Sequence[Record], place: Place) -> None:
    """Sums over all models of the process but copies of them; the largest gives its name."""
    models = [one for one in models if not one.get("copied")] or models[:1]
    _tell_sizes(facts, models, place)
    facts.tell("model.has_batchnorm", _of_any(models, "batch_norm"), place)
    facts.tell("config.torch_compile", _of_any(models, "compiled"), place)
    facts.tell("config.pure_precision", _HALVES.get(_most_used_dtype(models) or ""), place)
    devices = {str(one).partition(":")[0] for model in models for one in _names(model.get("devices"))}
    # Without a device to choose, the processor says nothing of what was wanted.
    if devices and facts.value("gpu.present") is True:
        facts.tell("config.device", min(devices - {"cpu"}, default="cpu"), place)


def _tell_sizes(facts: LiveFacts, models: Sequence[Record], place: Place) -> None:
    # Several optimizers may hold parts of the same modules, or hold them one after the other.
    models = list({whole(one.get("again")) or whole(one.get("model")) or 0: one for one in models}.values())
    sizes = [whole(one.get("parameters")) or 0 for one in models]
    trained = [whole(one.get("trainable")) for one in models]
    if sum(sizes):
        facts.tell("model.parameters", float(sum(sizes)), place)
        if None not in trained:
            facts.tell("model.trainable_parameters", float(sum(one or 0 for one in trained)), place)
    facts.tell("model.name", str(models[sizes.index(max(sizes))].get("class") or "") or None, place)


def _of_any(models: Sequence[Record], key: str) -> bool | None:
    """Whether it holds of one of the models at least; None where none of them says."""
    said = [bool(one[key]) for one in models if one.get(key) is not None]
    return any(said) if said else None


def _most_used_dtype(models: Sequence[Record]) -> str | None:
    """The number format of most parameters. A second phase may go on with what the first has trained in another."""
    counts: Counter[str] = Counter()
    for one in {(one.get("class"), one.get("parameters")): one for one in models}.values():
        for name, count in _mapping(one.get("dtypes")).items():
            counts[str(name).removeprefix("torch.")] += whole(count) or 0
    return max(counts, key=counts.__getitem__, default=None)


def _tell_optimizer(facts: LiveFacts, record: Record, place: Place) -> None:
    """The options of the first group. The rate is the highest that was used: at the start it may be warming up."""
    name = str(record.get("class") or "").lower()
    facts.tell("config.optimizer", name or None, place)
    groups = [one for one in record.get("groups") or () if isinstance(one, dict)]
    rates = [number(one.get("lr")) for one in groups] + [number(one.get("initial_lr")) for one in groups]
    used = facts.value("log.lr.max")
    known = [
        one for one in (*rates, float(used) if isinstance(used, (int, float)) else None) if one is not None
    ]
    facts.tell("config.learning_rate", max(known, default=None), place)
    if not groups:
        return
    for option, fact in _OPTIONS.items():
        facts.tell(fact, number(groups[0].get(option)), place)
    betas = groups[0].get("betas")
    if isinstance(betas, list) and len(betas) == 2:
        facts.tell("config.adam_beta1", number(betas[0]), place)
        facts.tell("config.adam_beta2", number(betas[1]), place)


def _held(record: Record) -> int:
    groups = [one for one in record.get("groups") or () if isinstance(one, dict)]
    return sum(whole(one.get("parameters")) or 0 for one in groups)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _names(value: Any) -> Sequence[Any]:
    return list(value) if isinstance(value, (list, dict)) else [] if value is None else [value]
