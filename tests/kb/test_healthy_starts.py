"""What libraries print at the start of a run, of itself harmless: where the run then learns, nothing is accused."""

from __future__ import annotations

from pathlib import Path

import pytest

from traindx.engine.diagnose import diagnose
from traindx.engine.diagnosis import Diagnosis
from traindx.engine.facts import Fact, Facts, Origin
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.engine.symptoms import see_symptoms
from traindx.probes.inputs import Input, Kind
from traindx.probes.registry import probes_for

LEARNS = "".join(
    f"epoch {n + 1:2d} train_loss {0.4 + 1.9 * 0.8**n:.4f} val_loss {0.5 + 1.8 * 0.8**n:.4f} acc {0.9 - 0.7 * 0.8**n:.3f}\n"
    for n in range(16)
)
TRIED = """A matching Triton is not available, some optimizations will not be enabled
Traceback (most recent call last):
  File "/venv/lib/python3.10/site-packages/xformers/__init__.py", line 57, in _is_triton_available
    import triton  # noqa
ModuleNotFoundError: No module named 'triton'
"""
NOTHING_TO_RESUME = """WARNING: could not find the metadata file /ckpt/latest_checkpointed_iteration.txt
    will not load any checkpoints and will start from random
"""
NEW_HEAD = "loaded: _IncompatibleKeys(missing_keys=['fc.weight', 'fc.bias'], unexpected_keys=[])\n"
HEAD_LEFT_OUT = "_IncompatibleKeys(missing_keys=[], unexpected_keys=['head.weight', 'head.bias'])\n"
NO_CARD = "WARNING:absl:No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)\n"
FEW_CAPTIONS = """INFO     found directory /w/img/12_sks dog contains 25 image files
WARNING  No caption file found for 3 images. Training will continue without captions for these images. If class token exists, it will be used.
"""
STARTS = [TRIED, NOTHING_TO_RESUME, NEW_HEAD, HEAD_LEFT_OUT, NO_CARD, FEW_CAPTIONS]


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def diagnosed(knowledge: Knowledge, folder: Path, text: str) -> Diagnosis:
    path = folder / "train.log"
    path.write_text(text, encoding="utf-8")
    inputs = [Input(path.name, Kind.LOG, path)]
    return diagnose(knowledge, probes_for(inputs, knowledge, machine=False), version="test", top=5).diagnosis


@pytest.mark.parametrize(
    "start", STARTS, ids=["tried", "nothing to resume", "new head", "no head", "no card", "few captions"]
)
def test_what_is_printed_before_a_run_that_learns_accuses_nothing(
    knowledge: Knowledge, tmp_path: Path, start: str
) -> None:
    found = diagnosed(knowledge, tmp_path, start + LEARNS)
    assert [one.id for one in found.symptoms] == []
    assert [one.id for one in found.causes if one.verdict in ("likely", "confirmed")] == []


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (TRIED, "dependency-mismatch"),
        (LEARNS + TRIED, "dependency-mismatch"),
        (NEW_HEAD.replace("fc.weight", "layer1.0.conv1.weight") + LEARNS, "checkpoint-not-loaded"),
        (FEW_CAPTIONS.replace("for 3", "for 24") + LEARNS, "caption-mismatch"),
    ],
    ids=["nothing follows", "in the end", "not the head alone", "most captions"],
)
def test_where_it_is_no_start_or_more_than_usual_it_is_named(
    knowledge: Knowledge, tmp_path: Path, text: str, cause: str
) -> None:
    found = diagnosed(knowledge, tmp_path, text)
    assert found.causes[0].id == cause
    assert found.causes[0].verdict in ("likely", "confirmed")


@pytest.mark.parametrize(
    ("highest", "classes", "swings"), [(0.24, 5, False), (2.4, 5, True), (0.24, None, True)]
)
def test_a_loss_that_stays_far_below_guessing_only_swings_with_its_batches(
    knowledge: Knowledge, highest: float, classes: int | None, swings: bool
) -> None:
    facts = Facts()
    values = {"loss.oscillating": True, "loss.max": highest, "model.classes": classes}
    facts.extend(Fact(name, value, Origin.LIVE) for name, value in values.items() if value is not None)
    seen = {one.symptom.id for one in see_symptoms(knowledge, facts, ())}
    assert ("loss-oscillating" in seen) == swings


@pytest.mark.parametrize(
    ("near_zero", "spike", "highest", "explodes"),
    [
        (True, False, 3.9, False),
        (True, True, 3.9, True),
        (False, False, 3.9, True),
        (True, False, 900.0, True),
    ],
)
def test_gradients_that_began_small_harm_nothing_that_is_learnt(
    knowledge: Knowledge, near_zero: bool, spike: bool, highest: float, explodes: bool
) -> None:
    facts = Facts()
    values: dict[str, bool | float | str] = {
        "grad.norm.exploding": True,
        "grad.norm.nonfinite": False,
        "grad.norm.first": 0.06,
        "grad.norm.max": highest,
        "loss.trend": "falling",
        "loss.diverging": False,
        "loss.spike": spike,
        "loss.train_near_zero": near_zero,
        "log.watched_steps": 400,
    }
    facts.extend(Fact(name, value, Origin.LIVE) for name, value in values.items())
    seen = {one.symptom.id for one in see_symptoms(knowledge, facts, ())}
    assert ("grad-explosion" in seen) == explodes
