"""What people write about a run becomes facts; what they ask, advise or wonder does not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from traindx.engine.facts import Facts, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.models import Signature, Trial
from traindx.engine.kb.packs import own_pack
from traindx.engine.kb.source import read_pack
from traindx.engine.kb.validate import Validated, validate
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs.probe import LogProbe
from traindx.probes.prose import ProseReader


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


@pytest.fixture(scope="module")
def reader(knowledge: Knowledge) -> ProseReader:
    return ProseReader(knowledge)


@pytest.fixture(scope="module")
def written() -> Validated:
    """The phrases, trials and signatures as their authors wrote them, examples included."""
    entries, _ = read_pack(own_pack())
    return validate([[raw for raw in entries if raw.kind in ("phrase", "trial", "signature")]], [])


def told(sentence: str, reader: ProseReader) -> dict[str, Value | list[str]]:
    """The facts that a sentence gives; what it captures stays text."""
    facts: dict[str, Value | list[str]] = dict(reader.trials(sentence))
    for rule, match in reader.signatures(sentence):
        facts[rule.fact] = True
        facts |= rule.facts
        facts |= {fact: match[group] for group, fact in rule.captures.items() if match[group] is not None}
    return facts


SAYS: list[tuple[str, dict[str, Value]]] = [
    # the loss
    ("After roughly 800 iterations the loss turns to NaN", {"loss.nonfinite": True, "loss.first_nonfinite_step": "800"}),
    ("inf shows up in the loss in the very first step", {"loss.nonfinite": True, "loss.nonfinite_from_start": True}),
    ("the loss came down nicely for an hour and then was NaN from one step to the next",
     {"loss.nonfinite": True, "loss.nonfinite_from_start": False, "loss.rising_before_nonfinite": False}),
    ("for a few sequences the loss is NaN, with the next batch it is fine again", {"loss.recovers": True}),
    ("once a NaN has come it never recovers", {"loss.recovers": False}),
    ("eval_loss prints nan while the train loss goes down", {"loss.eval.nonfinite": True, "loss.nonfinite": False}),
    ("the loss refuses to go down", {"loss.trend": "flat"}),
    ("training loss sits at 0.693 since the beginning", {"loss.near_random": True, "loss.trend": "flat"}),
    ("the loss is -3.2 and keeps falling", {"loss.negative": True}),
    ("it diverged at step 9000: the loss shot up and never came back", {"loss.diverging": True}),
    ("the loss jumps around between 0.5 and 6", {"loss.oscillating": True}),
    ("val_loss climbs from epoch 4 on", {"loss.eval.rising": True}),
    ("the validation loss keeps going down too", {"loss.eval.rising": False}),
    ("loss drops quickly at first and then stagnates at 1.9", {"loss.falling_then_flat": True}),
    # gradients and weights
    ("grad_norm explodes to 1e7", {"grad.norm.exploding": True}),
    ("the gradients are perfectly normal until the loss breaks", {"grad.norm.rising_before_trouble": False}),
    ("p.grad is None for all of the decoder", {"grad.missing": True}),
    ("the parameters are not updated at all", {"model.weights_change": False}),
    ("anomaly mode points to LogBackward0", {"test.anomaly_names_op": "LogBackward0"}),
    # what was tried
    ("in full precision there is no NaN", {"test.fp32_clears_nan": True}),
    ("Switching AMP off made no difference", {"test.fp32_clears_nan": False}),
    ("bf16 is stable, fp16 is not", {"test.bf16_works": True}),
    ("Tắt fp16 thì chạy bình thường.", {"test.fp32_clears_nan": True}),
    ("Без fp16 всё нормально, с fp16 loss становится nan.", {"test.fp32_clears_nan": True}),
    ("Отключил AMP — NaN пропал.", {"test.fp32_clears_nan": True}),
    ("关闭 fp16 之后 loss 正常，不再是 nan。", {"test.fp32_clears_nan": True}),
    ("关闭 fp16 之后还是 nan", {"test.fp32_clears_nan": False}),
    ("Без fp16 тоже NaN.", {"test.fp32_clears_nan": False}),
    ("Уменьшил learning rate в 10 раз, и NaN исчез.", {"test.lower_lr_helps": True}),
    ("Уменьшил learning rate в 10 раз, но NaN остался.", {"test.lower_lr_helps": False}),
    ("学习率调小到 1e-5 之后 loss 不再爆炸", {"test.lower_lr_helps": True}),
    ("При batch size 2 помещается, при 8 вылетает с CUDA out of memory", {"test.smaller_batch_helps": True}),
    ("Với batch size 2 thì được, batch size 8 thì hết bộ nhớ.", {"test.smaller_batch_helps": True}),
    ("I tried a lower learning rate, gradient clipping and a longer warm-up, nothing helped",
     {"test.lower_lr_helps": False, "test.clipping_helps": False, "test.warmup_helps": False}),
    ("with a third of the learning rate the curve looks good, so a smaller lr helps", {"test.lower_lr_helps": True}),
    ("I lowered the learning rate; it still happens", {"test.lower_lr_helps": False}),
    ("I lowered the learning rate; that helped", {"test.lower_lr_helps": True}),
    ("the loss was about 1200 in the first two epochs, and turned into INF in the third", {"loss.nonfinite_from_start": False}),
    ("the same crash even with a batch size of one", {"test.batch_one_fits": False, "test.smaller_batch_helps": False}),
    ("It runs on a single GPU, but as soon as a second one joins it hangs", {"test.one_device_works": True}),
    ("it only deadlocks when several GPUs are used", {"test.one_device_works": True}),
    ("one card shows the same behaviour", {"test.one_device_works": False}),
    ("num_workers=0 cures the hang", {"test.one_worker_helps": True}),
    ("NCCL_P2P_DISABLE=1 does not change anything", {"test.p2p_off_helps": False}),
    ("the CPU run finishes without problems, so on the CPU it works", {"test.cpu_works": True}),
    ("downgrading to transformers 4.36 got rid of it", {"test.other_version_works": True}),
    ("the bug is still there after upgrading to the latest PyTorch", {"test.other_version_works": False}),
    ("without torch.compile the step takes half the time and all is fine", {"test.no_compile_helps": True}),
    ("it manages to memorise ten images, so it overfits a few samples", {"test.overfits_one_batch": True}),
    ("even a single batch cannot be overfitted: it does not fit one batch", {"test.overfits_one_batch": False}),
    ("in train mode the masks are right, with eval() they are garbage", {"test.train_mode_fixes_eval": True}),
    ("training for 200 more epochs changes nothing", {"test.longer_training_helps": False}),
    ("an earlier checkpoint looks far better than the last", {"test.early_checkpoint_better": True}),
    # data and labels
    ("I verified that there are no NaNs in the inputs", {"data.inputs.nonfinite": False}),
    ("a few rows of the features contain inf", {"data.inputs.nonfinite": True}),
    ("pixels go in as 0-255", {"data.inputs.normalized": False}),
    ("class ids start at 1", {"data.labels.out_of_range": True}),
    ("for some prompts every label is -100", {"data.labels.all_ignored": True}),
    ("the same speakers appear in train and test", {"data.split_overlap": True}),
    ("the samples are sorted by class", {"data.shuffled": False}),
    ("we only have 40 recordings", {"data.repeats_small": True, "data.samples": "40"}),
    # outputs
    ("the classifier outputs the same label for every picture", {"act.same_output": True}),
    ("changing the prompt has no influence, the prompt is ignored", {"data.condition_used": False}),
    ("the whole mask is background", {"log.said_predicts_background": True}),
    ("generation goes on until the token limit, no EOS ever comes", {"log.said_never_stops": True}),
    ("pictures come out with a magenta tint", {"log.said_colour_cast": True}),
    ("what was white is black in the samples: white turns to black", {"log.said_colours_inverted": True}),
    ("validation accuracy reaches 100 % already in the first epoch", {"log.eval_accuracy.perfect_early": True}),
    ("mAP is zero for all classes", {"log.eval_accuracy.zero": True}),
    # memory, speed, hangs
    ("CUDA runs out of memory as soon as validation starts", {"gpu.oom.happened": True, "gpu.oom.when": "evaluation"}),
    ("RAM usage grows by 3 GB with every epoch until the process is killed",
     {"process.memory_growing": True, "process.killed": True}),
    ("GPU memory stays constant over the whole run", {"log.memory.growing": False}),
    ("a colleague's process holds 10 GB of the card", {"gpu.other_processes": True}),
    ("GPU utilisation hovers around 7 %", {"log.speed.gpu_utilization": "7"}),
    ("every 16 batches there is a pause of ten seconds", {"log.speed.stalls": True}),
    ("the images lie on an NFS share", {"env.network_storage": True}),
    ("the run stops after an hour without any error", {"log.ends_midway": True}),
    # checkpoints and repeating
    ("after resuming, the loss is back at 4.1", {"loss.jump_at_resume": True}),
    ("the restored weights were not loaded, the score is that of a random net", {"checkpoint.loaded": False}),
    ("two runs with seed 1 give different losses", {"test.repeats_with_seed": False}),
    ("it always breaks at the same image", {"test.same_batch_fails": True}),
    # other languages
    ("训练500步后loss变成nan", {"loss.nonfinite": True}),
    ("单卡训练正常，多卡就卡住", {"test.one_device_works": True}),
    ("设置 NCCL_P2P_DISABLE=1 之后就不卡了", {"test.p2p_off_helps": True}),
    ("设置 NCCL_P2P_DISABLE=1 之后还是卡", {"test.p2p_off_helps": False}),
    ("with num_workers=0 it survived 5k steps", {"test.one_worker_helps": True}),
    ("slurm just says OUT_OF_MEMORY and exit 137", {"process.killed": True, "process.out_of_memory": True}),
    ("лосс не падает", {"loss.trend": "flat"}),
    ("mô hình bị overfitting", {"log.said_overfits": True}),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "expected"), SAYS, ids=[sentence for sentence, _ in SAYS])
def test_a_sentence_says(sentence: str, expected: dict[str, Value], reader: ProseReader) -> None:
    facts = told(sentence, reader)
    assert {name: facts.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("notes", "fact", "value"),
    [
        # Of many versions or rates that can be tried one that works is enough, in whatever order they are told.
        (("The same with Lightning 0.7.0.", "With Lightning 0.6.0 it works."), "test.other_version_works", True),
        (("With Lightning 0.6.0 it works.", "The same error with Lightning 0.7.0."), "test.other_version_works", True),
        (("The same error with torch 2.1.", "The same error with torch 2.0."), "test.other_version_works", False),
        (("A learning rate of 1e-4 fails too.", "With a lower learning rate of 1e-6 it works."), "test.lower_lr_helps", True),
        # Of one thing the first verdict counts.
        (("In fp32 it is still NaN.", "In fp32 it works until step 500."), "test.fp32_clears_nan", False),
    ],
)  # fmt: skip
def test_one_that_works_is_enough(
    notes: tuple[str, ...], fact: str, value: bool, knowledge: Knowledge
) -> None:
    data = "".join(f"note: {note}\n" for note in notes).encode()
    facts = Facts()
    facts.extend(LogProbe([Input("train.log", Kind.LOG, data=data)], knowledge).run().facts)
    assert facts.value(fact) is value


def test_the_log_probe_reads_a_note_and_what_it_counts(knowledge: Knowledge) -> None:
    note = b"note: after 800 steps the loss turns to NaN; GPU utilisation hovers around 7 %\n"
    facts = Facts()
    facts.extend(LogProbe([Input("train.log", Kind.LOG, data=note)], knowledge).run().facts)
    assert facts.value("loss.nonfinite") is True
    assert facts.value("loss.first_nonfinite_step") == 800
    assert facts.value("log.speed.gpu_utilization") == 7.0


@pytest.mark.parametrize(
    ("note", "fact", "value"),
    [
        ("The loss jumps up and down. Without batch norm it does not.", "test.no_batchnorm_helps", True),
        ("It runs out of memory when it resumes. From scratch it doesn't.", "test.from_scratch_works", True),
        (
            "Validation swings from epoch to epoch. In fp32 there are no such swings.",
            "test.fp32_clears_nan",
            True,
        ),
        # Behind what went well, or what a sentence denied, a bare negation tells nothing for sure.
        ("It works on my laptop. Without batch norm it does not.", "test.no_batchnorm_helps", None),
        ("The loss does not fall. Without batch norm it does not.", "test.no_batchnorm_helps", None),
        ("I use a ResNet. Without batch norm it does not.", "test.no_batchnorm_helps", None),
    ],
)
def test_a_sentence_denies_of_a_trial_what_the_one_before_complained_of(
    note: str, fact: str, value: bool | None, knowledge: Knowledge
) -> None:
    facts = Facts()
    text = f"note:  - {note}\n".encode()
    facts.extend(LogProbe([Input("train.log", Kind.LOG, data=text)], knowledge).run().facts)
    assert facts.value(fact) is value


@pytest.mark.parametrize(
    "sentence",
    [
        "Does the loss become NaN in fp16 as well?",
        "How do I avoid running out of memory?",
        "Should I lower the learning rate?",
        "Is it fine on one GPU?",
        "Please try it with num_workers=0.",
        "You could train in fp32.",
        "Maybe the data contains NaN.",
        "I guess the labels are wrong.",
        "I do not know whether the inputs are normalised.",
        "We have not yet tried a smaller batch.",
        "If the loss is NaN, lower the learning rate.",
        "I will train in bf16 tomorrow.",
        "Thanks for the great work!",
        "The code and the settings are attached below.",
        "The paper describes three experiments.",
    ],
)
def test_a_sentence_that_states_nothing_gives_no_fact(sentence: str, reader: ProseReader) -> None:
    assert [rule.id for rule, _ in reader.signatures(sentence)] == []
    assert reader.trials(sentence) == {}


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("the loss is not NaN", "loss.nonfinite"),
        ("I no longer get NaN", "loss.nonfinite"),
        ("the gradient norm does not explode", "grad.norm.exploding"),
        ("the loss is not negative", "loss.negative"),
        ("the validation loss does not rise", "loss.eval.rising"),
        ("GPU memory does not grow", "log.memory.growing"),
        ("the weights do change", "log.said_weights_do_not_change"),
        ("the mAP is not zero", "log.eval_accuracy.zero"),
        ("with bf16 the loss becomes NaN as the model trains", "test.bf16_works"),
        ("with a lower learning rate the loss stays flat while the model trains", "test.lower_lr_helps"),
    ],
)
def test_a_negated_statement_is_not_read_as_its_opposite(
    sentence: str, fact: str, reader: ProseReader
) -> None:
    assert told(sentence, reader).get(fact) is not True


def test_every_sentence_that_a_signature_finds_is_read(written: Validated, reader: ProseReader) -> None:
    missed = [
        (name, text)
        for name, signature in _prose(written)
        for text in signature.finds
        if name not in {rule.id for rule, _ in reader.signatures(text)}
    ]
    assert missed == []


def test_what_somebody_is_not_sure_of_is_never_read(written: Validated, reader: ProseReader) -> None:
    doubted = (
        f"I am not sure whether {text}" for _, signature in _prose(written) for text in signature.finds
    )
    assert [text for text in doubted if any(reader.signatures(text)) or reader.trials(text)] == []


def test_every_trial_is_read_as_its_examples_say(written: Validated, reader: ProseReader) -> None:
    wrong = [
        (name, text, wanted)
        for name, entry in written.of("trial").items()
        for wanted, texts in _examples(entry.model)
        for text in texts
        if reader.trials(text).get(entry.model.gives) is not wanted
    ]
    assert wrong == []


def test_a_sentence_never_says_a_thing_and_its_opposite(written: Validated, reader: ProseReader) -> None:
    contradictions = [
        text for _, signature in _prose(written) for text in signature.finds if _contradicts(text, reader)
    ]
    assert contradictions == []


def _prose(written: Validated) -> Iterator[tuple[str, Signature]]:
    for name, entry in written.of("signature").items():
        if entry.model.where == "prose":
            yield name, entry.model


def _examples(trial: Trial) -> Iterator[tuple[bool | None, list[str]]]:
    yield True, trial.worked
    yield False, trial.failed
    yield None, trial.silent


def _contradicts(sentence: str, reader: ProseReader) -> bool:
    said: dict[str, object] = dict(reader.trials(sentence))
    for rule, _ in reader.signatures(sentence):
        for name, value in rule.facts.items():
            if said.setdefault(name, value) != value:
                return True
    return False


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        # The setting and the speed of the run that the remedy cured, not of the one in trouble.
        ("with num_workers=0 it works", "config.dataloader_workers"),
        ("with fp16=False the loss is normal but it is 3x slower", "log.said_training_slow"),
    ],
)
def test_what_is_said_of_the_run_with_the_remedy_is_not_said_of_the_other(
    sentence: str, fact: str, reader: ProseReader
) -> None:
    assert fact not in told(sentence, reader)


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("it hangs even with num_workers=0", "config.dataloader_workers"),
        ("num_workers is 16, and with num_workers=0 it works", "config.dataloader_workers"),
        ("it works, but it is slow", "log.said_training_slow"),
        ("training is 3x slower than yesterday", "log.said_training_slow"),
    ],
)
def test_what_is_said_of_the_run_in_trouble_is_kept(sentence: str, fact: str, reader: ProseReader) -> None:
    assert fact in told(sentence, reader)


@pytest.mark.parametrize(
    "praise",
    [
        "Loss giảm đều từ 4 xuống 1.2 sau 3 epoch, accuracy tăng lên 92%, mọi thứ bình thường",
        "训练正常，loss 从 2.3 降到 0.4，准确率一直在涨，已经写好报告",
        "Обучение идёт нормально, точность растёт с каждой эпохой, лосс падает",
        "No NaN, no crash, no OOM.",
    ],
)
def test_what_goes_well_is_no_complaint_in_any_language(reader: ProseReader, praise: str) -> None:
    assert reader.is_content(praise)
    assert not reader.complains(praise)


@pytest.mark.parametrize(
    "question",
    [
        "If I lower the batch size to 2, will the OOM go away?",
        "Would a smaller learning rate help here?",
        "We fixed the hang by setting NCCL_P2P_DISABLE=1.",
    ],
)
def test_what_would_be_or_is_over_states_nothing(reader: ProseReader, question: str) -> None:
    assert not reader.states(question)
    assert reader.trials(question) == {}
