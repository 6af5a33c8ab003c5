"""The probe for saved states: what a resume would use, and whether it is whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from traindx.engine.facts import Fact, Origin, Place, Value, in_digits
from traindx.engine.probe import Event, Findings, InputSeen

from ..inputs import Input, Kind
from .contents import Contents, Unreadable
from .finite import look
from .newest import Saved, saved_states
from .safetensors_file import read_safetensors
from .torch_file import read_torch

GIVES = frozenset((
    "checkpoint.newest", "checkpoint.step", "checkpoint.size_mib", "checkpoint.has_optimizer", "checkpoint.has_scheduler",
    "checkpoint.has_scaler", "checkpoint.has_step", "checkpoint.unreadable", "checkpoint.nonfinite",
    "checkpoint.nonfinite_names", "checkpoint.items_total", "checkpoint.dtypes", "checkpoint.wrapper_prefix",
))  # fmt: skip
SMALL = 64 << 20
"""Bytes of a state that is always looked at: its names and a sample of its numbers."""
_WRAPPERS = ("module.", "_orig_mod.")
_LFS = b"version https://git-lfs"
_NAMED = 10
_PARTS: Mapping[str, tuple[str, ...]] = {
    "checkpoint.has_optimizer": ("optim",),
    "checkpoint.has_scheduler": ("sched", "lr_scheduler"),
    "checkpoint.has_scaler": ("scaler", "native_amp_scaling", "loss_scaler"),
}
"""Fact -> beginnings of the keys and file names that hold this part of the state."""
_STEPS = ("global_step", "step", "iteration", "iter", "epoch", "steps", "num_updates", "total_steps")


class CheckpointProbe:
    """Reads the newest of the saved states handed in. Nothing in them is run. It implements the Probe protocol."""

    id = "checkpoint"
    gives = GIVES

    def __init__(self, inputs: Sequence[Input]) -> None:
        self._states = saved_states(one for one in inputs if one.kind is Kind.CHECKPOINT)
        self._alone = all(one.kind is Kind.CHECKPOINT for one in inputs)
        self._findings = Findings()

    @property
    def cost(self) -> float:
        """Seconds: headers, and samples of the numbers."""
        return 0.5

    @property
    def asked_for(self) -> bool:
        """Whether one was named, lies in a directory of nothing else, or is read in no time; others are read where they matter."""
        named = any(one.named for state in self._states for one in state.files)
        newest = self._states[0].files if self._states else ()
        return named or self._alone or sum(_size(one.path) for one in newest if one.path) <= SMALL

    def run(self) -> Findings:
        """Read the newest state that can be read."""
        for state in self._states:
            contents = self._read(state)
            if contents:
                self._tell(state, contents)
                break
        return self._findings

    def _read(self, state: Saved) -> list[tuple[Input, Contents]]:
        read = []
        for one in state.files:
            assert one.path is not None
            try:
                contents = _contents(one.path)
                read.append((one, contents))
                note = f"{contents.format}, {len(contents.tensors)} tensors"
                self._findings.inputs.append(InputSeen(one.name, "checkpoint", _size(one.path), note))
            except (Unreadable, OSError) as error:
                self._unreadable(one, error)
        return read

    def _unreadable(self, one: Input, error: Exception) -> None:
        assert one.path is not None
        reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        damaged = one.named or "cut off" in reason
        self._findings.inputs.append(
            InputSeen(one.name, "checkpoint", _size(one.path), reason, bad=one.named)
        )
        if damaged:
            self._fact("checkpoint.unreadable", True, Place(one.name, text=reason))

    def _tell(self, state: Saved, read: Sequence[tuple[Input, Contents]]) -> None:
        place = Place(state.name)
        tensors = [(one, tensor) for one, contents in read for tensor in contents.tensors]
        step = _step_of(read)
        at = step if step is not None else state.step
        self._fact("checkpoint.newest", state.name, place)
        self._fact("checkpoint.unreadable", False, place)
        self._fact("checkpoint.step", int(at) if at is not None else None, place)
        self._fact(
            "checkpoint.size_mib", sum(_size(one.path) for one, _ in read if one.path) / (1 << 20), place
        )
        self._fact("checkpoint.items_total", len(tensors), place)
        self._fact(
            "checkpoint.dtypes", tuple(dict.fromkeys(tensor.dtype for _, tensor in tensors)) or None, place
        )
        self._tell_parts(read, place, has_step=at is not None)
        self._tell_names([tensor.name for _, tensor in tensors], place)
        self._tell_finite(read, place)
        words = [fact.removeprefix("checkpoint.has_") for fact in _PARTS if self._known(fact) is True]
        held = ", ".join(["weights", *words]) + (f", step {in_digits(at)}" if at is not None else "")
        others = f"; {len(self._states) - 1} older" if len(self._states) > 1 else ""
        self._findings.events.append(
            Event(f"A resume would use {state.name}, which holds {held}{others}", place)
        )

    def _tell_parts(self, read: Sequence[tuple[Input, Contents]], place: Place, *, has_step: bool) -> None:
        """Weights alone are a model, not a state to resume from: of them nothing is said to be missing.

        Not every run has a schedule or a scaler, so that only the optimizer and the step are missed.
        """
        names = [key.lower() for _, contents in read for key in contents.keys]
        names += [one.path.name.lower() for one, _ in read if one.path is not None]
        found = {fact: any(name.startswith(words) for name in names) for fact, words in _PARTS.items()}
        for fact, there in found.items():
            if there:
                self._fact(fact, True, place)
        if has_step or any(found.values()):
            self._fact("checkpoint.has_optimizer", found["checkpoint.has_optimizer"], place)
            self._fact("checkpoint.has_step", has_step, place)

    def _tell_names(self, names: Sequence[str], place: Place) -> None:
        weights = [name for name in names if not name.lower().startswith("optim")]
        inner = [
            name.removeprefix("state_dict.").removeprefix("model.").removeprefix("model_state_dict.")
            for name in weights
        ]
        if inner:
            wrapped = sum(name.startswith(_WRAPPERS) for name in inner) > len(inner) / 2
            self._fact("checkpoint.wrapper_prefix", wrapped or None, place)

    def _tell_finite(self, read: Sequence[tuple[Input, Contents]], place: Place) -> None:
        looked, bad, names = 0, 0, list[str]()
        for one, contents in read:
            assert one.path is not None
            try:
                with one.path.open("rb") as file:
                    found = look(file, contents.tensors)
            except OSError:
                continue  # It was read a moment ago; what cannot be read now is not judged.
            looked, bad, names = looked + found.looked, bad + found.bad, [*names, *found.names]
        if looked:
            self._fact("checkpoint.nonfinite", bad > 0, place)
            self._fact("checkpoint.nonfinite_names", tuple(names[:_NAMED]) or None, place)

    def _known(self, name: str) -> Value | None:
        return next((fact.value for fact in self._findings.facts if fact.name == name), None)

    def _fact(self, name: str, value: Value | None, place: Place) -> None:
        if value is not None and self._known(name) is None:
            places = (place,) * (len(value) if isinstance(value, tuple) else 1)
            self._findings.facts.append(Fact(name, value, Origin.LOG, places))


def _contents(path: Path) -> Contents:
    """What a file holds. Raises Unreadable and OSError."""
    size = _size(path)
    with path.open("rb") as file:
        start = file.read(len(_LFS))
        if not start:
            raise Unreadable("empty, as a file that was cut off")
        if start == _LFS:
            raise Unreadable("a pointer of Git LFS in place of the weights; `git lfs pull` fetches them")
        if start.lstrip()[:1] == b"<":
            raise Unreadable("a web page in place of the weights")
        file.seek(0)
        if path.suffix == ".safetensors":
            return read_safetensors(file, size)
        return read_torch(file)


def _step_of(read: Sequence[tuple[Input, Contents]]) -> float | None:
    return next(
        (contents.numbers[key] for key in _STEPS for _, contents in read if key in contents.numbers), None
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
