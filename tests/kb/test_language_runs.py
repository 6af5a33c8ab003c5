"""Runs of language models and embedders: lost ones are seen, errors that name a setting lead to it, and sound ones rest in peace."""

from __future__ import annotations

import pytest

from traindx.engine.diagnose import diagnose
from traindx.engine.diagnosis import Diagnosis
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.registry import probes_for

MEGATRON = " [2025-05-02 08:{0:02}:31.8] iteration {0:8}/  120000 | learning rate: 2.7E-04 | lm loss: {1:.6E} | grad norm: {2:.3f} |\n"
VALIDATED = " validation loss at iteration {0} | lm loss value: {1:.6E} | lm loss PPL: 1.0E+01 | \n"
TRAINER = "{{'loss': {1:.4f}, 'grad_norm': 0.9, 'learning_rate': {2:.3e}, 'epoch': {0:.2f}}}\n"
STARTED = "***** Running training *****\n"
PREEMPTED = (
    "slurmstepd: error: *** JOB 90112 ON gpu03 CANCELLED AT 2025-06-02T01:40:00 DUE TO PREEMPTION ***\n"
)
VERL = "step:{0} - actor/pg_loss:-0.00{3} - actor/ppo_kl:0.0001 - actor/grad_norm:0.12 - critic/rewards/mean:0.08 - response_length/mean:{1} - response_length/clip_ratio:{2}\n"
GRPO = "{{'loss': 0.0, 'grad_norm': 0.0, 'reward': {1}, 'reward_std': {2}, 'frac_reward_zero_std': {3}, 'kl': 0.0, 'epoch': {0}}}\n"
DPO = "{{'loss': {1:.4f}, 'grad_norm': 2.1, 'learning_rate': 5e-05, 'rewards/chosen': {2:.4f}, 'rewards/rejected': {3:.4f}, 'epoch': {0:.2f}}}\n"
RETRIEVAL = "{{'eval_dev_cosine_accuracy@1': {1}, 'eval_runtime': 61.2, 'epoch': {0}}}\n"
NEMO_FIRST = "[NeMo W 2025-04-01 02:01:19 nemo_logging:405] There were no checkpoints found in checkpoint_dir or no checkpoint folder at checkpoint_dir :/r/ckpt. Training from scratch.\n"
SERVED = "ERROR 05-09 12:02:44 [core.py:396] ValueError: To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed\n"


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def seen_in(knowledge: Knowledge, log: str, code: str = "", config: str = "") -> Diagnosis:
    inputs = [Input("train.log", Kind.LOG, data=log.encode())] if log else []
    inputs += [Input("train.py", Kind.CODE, data=code.encode())] if code else []
    inputs += [Input("job.yaml", Kind.CONFIG, data=config.encode())] if config else []
    probes = probes_for(inputs, knowledge, machine=False)
    return diagnose(knowledge, probes, version="test").diagnosis


def symptoms_of(diagnosis: Diagnosis) -> list[str]:
    return [one.id for one in diagnosis.symptoms]


def first_of(diagnosis: Diagnosis) -> str:
    return diagnosis.causes[0].id if diagnosis.causes else ""


def raised(message: str) -> str:
    return (
        f'Traceback (most recent call last):\n  File "train.py", line 9, in main\n    check(cfg)\n{message}\n'
    )


def megatron(last: float) -> str:
    losses = [2.33 - 0.001 * (step % 3) for step in range(80)] + [last] * 8
    lines = [MEGATRON.format(24_000 + step * 10, loss, 0.24) for step, loss in enumerate(losses, 1)]
    for place, validated in ((80, last), (60, 2.33), (40, 2.32), (20, 2.33)):
        lines.insert(place, VALIDATED.format(24_000 + place * 10, validated))
    return "".join(lines)


def attempts(count: int, interruption: str) -> str:
    one = "".join(TRAINER.format(0.01 * step, 2.5 / (1 + 0.05 * step), 1e-5) for step in range(1, 40))
    return interruption.join([STARTED + one] * count)


def test_a_run_that_ends_worse_than_it_began(knowledge: Knowledge) -> None:
    assert symptoms_of(seen_in(knowledge, megatron(4.6))) == ["loss-spike"]


def test_a_run_of_the_same_course_that_stays_well(knowledge: Knowledge) -> None:
    assert symptoms_of(seen_in(knowledge, megatron(2.32))) == []


def test_an_interrupted_run_that_begins_again_each_time(knowledge: Knowledge) -> None:
    diagnosis = seen_in(knowledge, attempts(3, PREEMPTED))
    assert (symptoms_of(diagnosis), first_of(diagnosis)) == (["checkpoint-failure"], "checkpoint-not-loaded")


def test_folds_begin_again_and_are_no_lost_attempts(knowledge: Knowledge) -> None:
    assert "checkpoint-failure" not in symptoms_of(seen_in(knowledge, attempts(3, "fold done\n")))


@pytest.mark.parametrize(("length", "cut", "found"), [(505, 0.97, True), (210, 0.01, False)])
def test_answers_that_run_into_the_limit(
    knowledge: Knowledge, length: int, cut: float, *, found: bool
) -> None:
    log = "".join(VERL.format(step, length, cut, step % 7) for step in range(1, 60))
    assert (first_of(seen_in(knowledge, log)) == "length-limit-too-short") == found


def test_a_reward_that_no_answer_ever_earns(knowledge: Knowledge) -> None:
    log = "".join(GRPO.format(step / 100, 0.0, 0.0, 1.0) for step in range(1, 60))
    assert first_of(seen_in(knowledge, log)) == "loss-function-wrong"


def test_preference_tuning_that_leaves_its_own_answers_behind(knowledge: Knowledge) -> None:
    log = "".join(DPO.format(n / 90, 0.5 / n, -1.6 - 0.2 * n, -3 - 0.5 * n) for n in range(1, 91))
    assert symptoms_of(seen_in(knowledge, log)) == ["poor-output"]


@pytest.mark.parametrize(
    ("scores", "seen"),
    [((0.37, 0.366, 0.355, 0.349, 0.33, 0.328), True), ((0.37, 0.366, 0.38, 0.349, 0.36, 0.355), False)],
)
def test_a_score_that_falls_at_each_validation(
    knowledge: Knowledge, scores: tuple[float, ...], *, seen: bool
) -> None:
    log = "".join(
        "".join(TRAINER.format(n + k / 10, 0.08 / (n + 1), 2e-5) for k in range(9))
        + RETRIEVAL.format(n + 1, score)
        for n, score in enumerate(scores)
    )
    assert ("poor-output" in symptoms_of(seen_in(knowledge, log))) == seen


def test_weights_of_the_body_behind_a_head_that_are_made_up(knowledge: Knowledge) -> None:
    log = "Some weights of LlamaForCausalLM were not initialized from the model checkpoint at out and are newly initialized: ['lm_head.weight', 'model.embed_tokens.weight', 'model.layers.0.mlp.up_proj.weight']\n"
    assert first_of(seen_in(knowledge, log)) == "checkpoint-not-loaded"


def test_most_samples_are_left_out(knowledge: Knowledge) -> None:
    log = "[WARNING:swift] Dataset filtered, origin length: 118804, filtered dataset length: 641\n"
    assert symptoms_of(seen_in(knowledge, log)) == ["data-error"]


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("RuntimeError: Accumulation is not supported with this optimizer. Please set gradient_accumulation_steps=1.", "config-conflict"),
        ("ValueError: the split is too small for packing. You should set `eval_sample_packing: False`.", "config-conflict"),
        ("ValueError: Reused local directory: ['/tmp/c4'] vs ['/tmp/c4']. Provide a different one.", "config-conflict"),
        ("ValueError: Image features and image tokens do not match: tokens: 1187, features 1296", "length-limit-too-short"),
        ("ValueError: Image features and image tokens do not match: tokens: 0, features 1296", "input-not-wired"),
    ],
)  # fmt: skip
def test_an_error_leads_to_what_it_names(knowledge: Knowledge, message: str, cause: str) -> None:
    assert first_of(seen_in(knowledge, raised(message))) == cause


def test_an_engine_without_room_is_read_behind_its_prefix(knowledge: Knowledge) -> None:
    assert "cuda-oom" in symptoms_of(seen_in(knowledge, SERVED))


def test_a_step_that_gives_another_result_when_it_is_run_again(knowledge: Knowledge) -> None:
    log = (
        megatron(2.32)
        + "rerun_state_machine:Unexpected result nan on rank 43 (message='found NaN in local forward loss calculation')\n"
        "rerun_state_machine:First rerun: unexpected result is not reproducible within the tolerance (2.2 != nan)\n"
    )
    assert first_of(seen_in(knowledge, log)) == "hardware-fault"


def test_the_first_run_of_a_series_has_nothing_to_resume(knowledge: Knowledge) -> None:
    log = NEMO_FIRST + "".join(TRAINER.format(n / 100, 9 / (n + 1), 1e-5) for n in range(1, 60))
    assert symptoms_of(seen_in(knowledge, log)) == []


def test_numbers_of_a_manifest_are_text_by_rule(knowledge: Knowledge) -> None:
    manifest = (
        'apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: sft\nspec:\n  nprocPerNode: "8"\n'
        '  template:\n    spec:\n      restartPolicy: Never\n      resources: {limits: {cpu: "96"}}\n'
    )
    assert symptoms_of(seen_in(knowledge, "", config=manifest)) == []


def test_what_is_warned_of_still_works(knowledge: Knowledge) -> None:
    log = "FutureWarning: `evaluation_strategy` is deprecated and will be removed in version 4.46. Use `eval_strategy` instead\n"
    assert first_of(seen_in(knowledge, log)) == ""


def test_accumulation_adds_no_negatives(knowledge: Knowledge) -> None:
    code = (
        "from sentence_transformers import SentenceTransformerTrainingArguments\n"
        "loss = MultipleNegativesRankingLoss(model)\n"
        "args = SentenceTransformerTrainingArguments(per_device_train_batch_size=2, gradient_accumulation_steps=64)\n"
    )
    lines = [
        one.statement
        for cause in seen_in(knowledge, RETRIEVAL.format(1, 0.0), code).causes
        for one in cause.evidence
    ]
    assert any("and 2 go through the model together" in line for line in lines)
