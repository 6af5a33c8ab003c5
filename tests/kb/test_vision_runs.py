"""Runs of vision, tables and agents: the cause that explains what is seen comes first, and a sound run is left in peace."""

from __future__ import annotations

import pytest

from traindx.engine.diagnose import diagnose
from traindx.engine.diagnosis import Diagnosis
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.registry import probes_for

SCAN = "train: Scanning data/labels/train... {found} images, 31 backgrounds, {corrupt} corrupt: 100%|##########| {found}/{found} [00:03<00:00, 1301.14it/s]\n"
EPOCHS = "".join(f"epoch {one} train_loss {3 / one:.4f} val_loss {3.2 / one:.4f}\n" for one in range(1, 13))
REPAIRED = "train: WARNING data/images/a812.jpg: corrupt JPEG restored and saved\n"
BEYOND = "train: WARNING data/images/{:04}.jpg: ignoring corrupt image/label: Label class 6 exceeds dataset class count 6. Possible class labels are 0-5\n"


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def seen_in(knowledge: Knowledge, log: str, code: str = "", symptoms: tuple[str, ...] = ()) -> Diagnosis:
    inputs = [Input("train.log", Kind.LOG, data=log.encode())]
    if code:
        inputs.append(Input("train.py", Kind.CODE, data=code.encode()))
    probes = probes_for(inputs, knowledge, machine=False)
    return diagnose(knowledge, probes, symptoms=symptoms, version="test").diagnosis


def symptoms_of(diagnosis: Diagnosis) -> list[str]:
    return [one.id for one in diagnosis.symptoms]


def first_of(diagnosis: Diagnosis) -> str:
    return diagnosis.causes[0].id if diagnosis.causes else ""


def test_a_picture_that_the_trainer_repaired_is_no_trouble(knowledge: Knowledge) -> None:
    assert symptoms_of(seen_in(knowledge, SCAN.format(found=4210, corrupt=0) + REPAIRED + EPOCHS)) == []


def test_one_bad_file_among_thousands_is_no_trouble(knowledge: Knowledge) -> None:
    bad = (
        "train: WARNING data/images/a.jpg: ignoring corrupt image/label: cannot identify image file 'a.jpg'\n"
    )
    assert symptoms_of(seen_in(knowledge, SCAN.format(found=4210, corrupt=1) + bad + EPOCHS)) == []


def test_what_is_called_corrupt_goes_by_its_reason(knowledge: Knowledge) -> None:
    log = "".join(map(BEYOND.format, range(20))) + SCAN.format(found=1210, corrupt=880)
    diagnosis = seen_in(knowledge, log)
    assert symptoms_of(diagnosis) == ["data-error"]
    verdicts = {one.id: one.verdict for one in diagnosis.causes}
    assert first_of(diagnosis) == "label-out-of-range"
    assert verdicts.get("corrupted-files", "unlikely") == "unlikely"


EPOCH = "Epoch {}/{}\n1563/1563 - 9s - loss: {} - accuracy: {} - val_loss: 2.3026 - val_accuracy: {}\n"


def test_a_loss_at_the_logarithm_of_the_classes_does_not_fall_whatever_it_was_at_first(
    knowledge: Knowledge,
) -> None:
    log = EPOCH.format(1, 8, 9120.4, 0.1003, "0.1000")
    log += "".join(EPOCH.format(one, 8, 2.3059 - one / 10_000, 0.0991, "0.1000") for one in range(2, 9))
    assert symptoms_of(seen_in(knowledge, log)) == ["loss-not-decreasing"]


def test_two_epochs_of_guessing_are_enough(knowledge: Knowledge) -> None:
    log = EPOCH.format(1, 2, 2.3031, 0.1000, "0.1000") + EPOCH.format(2, 2, 2.3029, 0.1000, "0.1000")
    assert symptoms_of(seen_in(knowledge, log)) == ["loss-not-decreasing"]


def test_a_slow_start_is_not_guessing(knowledge: Knowledge) -> None:
    log = EPOCH.format(1, 2, 2.2931, 0.1100, "0.1204") + EPOCH.format(2, 2, 2.2089, 0.1598, "0.1811")
    assert symptoms_of(seen_in(knowledge, log)) == []


RARE = "Epoch: {:03}, Loss: {:.4f}, Test Acc: {:.4f}, Test F1: {:.4f}\n"


def test_a_high_accuracy_and_an_f1_of_zero_is_a_rare_class_never_named(knowledge: Knowledge) -> None:
    log = "".join(RARE.format(one, 0.1 + 1 / one, 0.9763, 0) for one in range(5, 60, 5))
    diagnosis = seen_in(knowledge, log)
    assert (symptoms_of(diagnosis), first_of(diagnosis)) == (["suspicious-metrics"], "class-imbalance")


def test_an_f1_that_climbs_is_none(knowledge: Knowledge) -> None:
    log = "".join(RARE.format(one, 0.1 + 1 / one, 0.97, one / 100) for one in range(5, 60, 5))
    assert symptoms_of(seen_in(knowledge, log)) == []


MEMORY_BANK = """\
UserWarning: `LightningModule.configure_optimizers` returned `None`, this fit will run with no optimizer
UserWarning: `training_step` returned `None`. If this was on purpose, ignore this warning...
Traceback (most recent call last):
  File "anomalib/engine/engine.py", line 863, in train
    self.trainer.fit(model, train_dataloaders, val_dataloaders, datamodule, ckpt_path)
  File "anomalib/models/image/patchcore/lightning_model.py", line 84, in fit
    embeddings = torch.vstack(self.embeddings)
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 44.62 GiB. GPU 0 has a total capacity of 23.69 GiB of which 902.06 MiB is free.
"""


def test_a_memory_bank_that_is_too_large_is_not_blamed_on_the_optimizer_or_the_batch(
    knowledge: Knowledge,
) -> None:
    diagnosis = seen_in(knowledge, MEMORY_BANK)
    assert first_of(diagnosis) == "collected-tensors-too-large"
    assert "optimizer-wrong-parameters" not in [one.id for one in diagnosis.causes]


def test_a_scene_that_splits_until_memory_is_full_is_no_retained_graph(knowledge: Knowledge) -> None:
    log = "".join(
        f"Step {one}00: 138 GSs pruned. Now having {one * 160_000} GSs.\nloss=0.06| sh degree=3| : {one}00/30000 [13:40<20:11, {12 - one / 12:.2f}it/s]\n"
        for one in range(5, 118)
    )
    log += "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.20 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.91 GiB is free.\n"
    assert first_of(seen_in(knowledge, log)) == "model-too-large-for-memory"


FROZEN = """\
model = SamModel.from_pretrained("facebook/sam-vit-base").cuda()
for name, param in model.named_parameters():
    if name.startswith("vision_encoder"):
        param.requires_grad_(False)
optimizer = torch.optim.AdamW(model.{}.parameters(), lr=1e-5)
for x, y in loader:
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
FLAT = "".join(f"epoch {one} loss 0.4137\n" for one in range(20))


def test_an_optimizer_that_holds_only_what_is_frozen(knowledge: Knowledge) -> None:
    assert first_of(seen_in(knowledge, FLAT, FROZEN.format("vision_encoder"))) == "optimizer-wrong-parameters"


def test_an_optimizer_that_holds_what_is_not_frozen(knowledge: Knowledge) -> None:
    assert first_of(seen_in(knowledge, FLAT, FROZEN.format("mask_decoder"))) != "optimizer-wrong-parameters"
