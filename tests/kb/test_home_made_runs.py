"""Runs of home-made scripts and of less common trainers: what the script or the log shows comes first, and no fix does harm."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from traindx.engine.diagnose import diagnose
from traindx.engine.diagnosis import Diagnosis
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.registry import probes_for

BY_HEART = "".join(
    f"Epoch {one}/40 - loss: {1.39 / one:.4f} - train_acc: {min(0.998, 0.3 + one / 30):.4f} - val_acc: 0.25{one % 10}1\n"
    for one in range(1, 41)
)
OUT_OF_TABLE = """\
Finished training it 1024/306969 of epoch 0, 25.11 ms/it, loss 0.503100
Finished training it 2048/306969 of epoch 0, 25.02 ms/it, loss 0.496200
Traceback (most recent call last):
  File "dlrm_s_pytorch.py", line 440, in apply_emb
    V = E(sparse_index_group_batch, sparse_offset_group_batch)
  File "/opt/conda/lib/python3.8/site-packages/torch/nn/functional.py", line 2390, in embedding_bag
    ret, _, _, _ = torch.embedding_bag(
RuntimeError: Index 2 is out of bounds: 9021877, range 0 to 9000000
"""
NO_EDGES = """\
Traceback (most recent call last):
  File "train.py", line 91, in <module>
    logits = model(g, feats)
dgl._ffi.base.DGLError: There are 0-in-degree nodes in the graph, output for those nodes will be invalid.
"""
FILTERED = """\
[NeMo I 2025-02-10 09:00:31 collections:196] Dataset loaded with {kept} files totalling {hours} hours
[NeMo I 2025-02-10 09:00:31 collections:197] {left} files were filtered totalling 960.91 hours
[NeMo I 2025-02-10 09:00:33 collections:196] Dataset loaded with 5567 files totalling 10.52 hours
[NeMo I 2025-02-10 09:00:33 collections:197] 0 files were filtered totalling 0.00 hours
"""
EVALUATED = """\
from stable_baselines3 import PPO
env = VecNormalize(make_vec_env("HalfCheetah-v4", n_envs=8), norm_obs=True)
held_out = {}
model = PPO("MlpPolicy", env, learning_rate=3e-4)
model.learn(2_000_000, callback=EvalCallback(held_out, eval_freq=5000))
"""
UNLIKE = (
    "UserWarning: Training and eval env are not of the same type<stable_baselines3.common.vec_env.vec_normalize.VecNormalize "
    "object at 0x7f0e> != <stable_baselines3.common.vec_env.dummy_vec_env.DummyVecEnv object at 0x7f0f>\n"
)
ONE_SOFTMAX = """\
from tensorflow.keras import layers
outputs = layers.Dense(1, activation="softmax")(x)
model = keras.Model(inputs, outputs)
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
model.fit(train, epochs=25)
"""
VALIDATED = """\
optimizer = torch.optim.{optimizer}(model.parameters(), lr=1e-3, momentum=0.999)
train_loader = DataLoader(train_set, batch_size=4, shuffle=True, num_workers=8)
val_loader = DataLoader(val_set, batch_size=4)
for epoch in range(9):
    model.train()
    for x, y in train_loader:
        loss = F.cross_entropy(model(x), y{reduction})
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        for x, y in val_loader:
            total += F.cross_entropy(model(x), y, reduction="sum").item()
"""
CARRIED = """\
net = nn.LSTM(8, 32, batch_first=True)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
state = None
for epoch in range(10):
    for x, y in loader:
        optimizer.zero_grad()
        out, state = net(x, state)
        loss = F.mse_loss(out, y)
        loss.backward({})
        optimizer.step()
"""


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def seen_in(knowledge: Knowledge, log: str = "", code: str = "", symptom: str = "") -> Diagnosis:
    inputs = [Input("train.log", Kind.LOG, data=log.encode())] if log else []
    inputs += [Input("train.py", Kind.CODE, data=code.encode())] if code else []
    probes = probes_for(inputs, knowledge, machine=False)
    return diagnose(knowledge, probes, symptoms=(symptom,) if symptom else (), version="test").diagnosis


def first_of(diagnosis: Diagnosis) -> str:
    return diagnosis.causes[0].id if diagnosis.causes else ""


def said_of(diagnosis: Diagnosis) -> str:
    return " ".join(line.statement for cause in diagnosis.causes for line in cause.evidence)


def fixes_of(diagnosis: Diagnosis) -> list[str]:
    return [fix.id for fix in diagnosis.fixes]


def test_scores_alone_show_what_was_learnt_by_heart(knowledge: Knowledge) -> None:
    assert [one.id for one in seen_in(knowledge, BY_HEART).symptoms] == ["overfitting"]


def test_scores_that_lie_nearer_show_nothing(knowledge: Knowledge) -> None:
    nearer = BY_HEART.replace("val_acc: 0.25", "val_acc: 0.85")
    assert seen_in(knowledge, nearer).symptoms == ()


def test_an_id_beyond_its_table_is_no_matter_of_a_checkpoint(knowledge: Knowledge) -> None:
    diagnosis = seen_in(knowledge, OUT_OF_TABLE)
    assert first_of(diagnosis) == "label-out-of-range"
    assert "size-embedding-tables" in fixes_of(diagnosis)
    assert not {"match-class-count", "ignore-void-labels"} & set(fixes_of(diagnosis))


def test_a_line_of_progress_ends_no_training(knowledge: Knowledge) -> None:
    assert not any("complete" in one.what for one in seen_in(knowledge, OUT_OF_TABLE).timeline)


def test_a_graph_gets_no_fixes_for_pictures(knowledge: Knowledge) -> None:
    fixes = fixes_of(seen_in(knowledge, NO_EDGES))
    assert fixes[0] == "add-self-loops"
    assert not {"fit-input-size", "convert-channels", "resample-audio"} & set(fixes)


def test_a_limit_that_leaves_nearly_all_samples_out_is_seen(knowledge: Knowledge) -> None:
    diagnosis = seen_in(knowledge, FILTERED.format(kept=103, hours="0.00", left=281138))
    assert [one.id for one in diagnosis.symptoms] == ["data-error"]
    assert fixes_of(diagnosis)[0] == "let-samples-through"


def test_a_limit_that_leaves_few_samples_out_is_none(knowledge: Knowledge) -> None:
    assert seen_in(knowledge, FILTERED.format(kept=281138, hours="960.91", left=1204)).symptoms == ()


def test_an_agent_evaluated_on_other_observations(knowledge: Knowledge) -> None:
    diagnosis = seen_in(knowledge, UNLIKE, EVALUATED.format('gym.make("HalfCheetah-v4")'))
    assert [one.id for one in diagnosis.symptoms] == ["poor-output"]
    assert fixes_of(diagnosis)[0] == "normalise-evaluation-environment"


def test_an_agent_may_have_an_evaluation_of_its_own(knowledge: Knowledge) -> None:
    diagnosis = seen_in(knowledge, code=EVALUATED.format("make()"), symptom="poor-output")
    assert "no validation set" not in said_of(diagnosis)


def test_one_output_in_a_softmax_needs_a_sigmoid_and_not_nothing(knowledge: Knowledge) -> None:
    fixes = fixes_of(seen_in(knowledge, code=ONE_SOFTMAX, symptom="loss-not-decreasing"))
    assert fixes[0] == "sigmoid-for-one-output"
    assert "drop-final-activation" not in fixes


def test_a_sum_that_is_only_counted_has_no_gradient(knowledge: Knowledge) -> None:
    sound = seen_in(
        knowledge, code=VALIDATED.format(optimizer="SGD", reduction=""), symptom="loss-oscillating"
    )
    summed = seen_in(
        knowledge, code=VALIDATED.format(optimizer="SGD", reduction=', reduction="sum"'), symptom="nan-loss"
    )
    assert "summed over the batch" not in said_of(sound)
    assert "summed over the batch" in said_of(summed)


def test_the_momentum_of_rmsprop_is_not_that_of_sgd(knowledge: Knowledge) -> None:
    diagnosis = seen_in(
        knowledge, code=VALIDATED.format(optimizer="RMSprop", reduction=""), symptom="underfitting"
    )
    assert "SGD" not in said_of(diagnosis)
    assert "raise-adam-epsilon" not in fixes_of(diagnosis)


def test_training_does_not_wait_for_the_loader_of_validation(knowledge: Knowledge) -> None:
    diagnosis = seen_in(
        knowledge, code=VALIDATED.format(optimizer="SGD", reduction=""), symptom="slow-training"
    )
    assert "main process" not in said_of(diagnosis)


@pytest.mark.parametrize(
    ("kept", "cause", "symptom"),
    [("", "double-backward", "runtime-error"), ("retain_graph=True", "graph-retained", "memory-growth")],
)
def test_of_a_script_alone_nobody_knows_how_its_run_ended(
    knowledge: Knowledge, kept: str, cause: str, symptom: str
) -> None:
    diagnosis = seen_in(knowledge, code=CARRIED.format(kept))
    assert (first_of(diagnosis), [one.id for one in diagnosis.symptoms]) == (cause, [symptom])


def test_a_library_that_says_we_is_no_person(knowledge: Knowledge) -> None:
    log = (
        "Using device: cuda\nepoch 1 loss 2.30\n"
        "We strongly recommend passing in an `attention_mask` since your input_ids may be padded.\n"
        "epoch 2 loss 2.20\nepoch 3 loss 2.10\nepoch 4 loss 2.00\n"
    )
    assert "log.prose" not in {fact.name for fact in seen_in(knowledge, log).facts}


def test_a_loss_that_rises_all_along_is_a_symptom(knowledge: Knowledge) -> None:
    log = "".join(f"step {one} loss {2.3 + one * 37 % 11 / 10 + one * 0.02:.4f}\n" for one in range(1, 60))
    diagnosis = seen_in(knowledge, log)
    assert [one.id for one in diagnosis.symptoms] == ["loss-not-decreasing"]
    assert diagnosis.outcome != "cause-found"


@pytest.mark.parametrize(
    "beside",
    [
        pytest.param("recon_loss {0:.3f} kl_loss 21.1", id="a term falls, and another is given more weight"),
        pytest.param("loss_G {0:.3f} loss_D 0.43", id="adversaries"),
        pytest.param("val_acc 0.{1}", id="the score gets better"),
    ],
)
def test_a_loss_may_rise_where_something_else_tells_of_progress(knowledge: Knowledge, beside: str) -> None:
    log = "".join(
        f"epoch {one} loss {2.3 + one * 0.03:.4f} {beside.format(9 - one / 10, 30 + one)}\n"
        for one in range(1, 40)
    )
    assert seen_in(knowledge, log).symptoms == ()


def shown_by(knowledge: Knowledge, line: Callable[[int], str]) -> list[str]:
    """The symptoms of a log of thirty lines."""
    log = "".join(line(one) + "\n" for one in range(1, 31))
    return [one.id for one in seen_in(knowledge, log).symptoms]


def noise(point: int) -> float:
    """From 0 to 0.01, the same each time."""
    return point * 37 % 11 / 1000


@pytest.mark.parametrize(
    ("line", "symptom"),
    [
        pytest.param(
            lambda e: (
                f"epoch {e} loss {0.62 - e / 1000:.4f} accuracy 0.7812 val_loss 0.63 val_accuracy 0.7790"
            ),
            "loss-not-decreasing",
            id="one accuracy throughout, and a loss that hardly falls",
        ),
        pytest.param(
            lambda e: f"epoch {e} loss {0.9 - e / 50:.4f} accuracy 0.7812 val_loss 0.63 val_accuracy 0.7790",
            "poor-output",
            id="one accuracy throughout, and a loss that falls",
        ),
        pytest.param(
            lambda e: (
                f"epoch {e} tr_loss={1.8 + 0.5 / e:.3f} tr_acc={0.27 + noise(e):.3f} va_loss=1.82 va_acc={0.27 - noise(e):.3f}"
            ),
            "underfitting",
            id="a score that stays low though the loss falls",
        ),
        pytest.param(
            lambda e: f"step {e} loss {2.2 - e / 1000:.3f} loss_scale {65536 / 2**e:.1f}",
            "nan-loss",
            id="a loss scale that falls without end",
        ),
        pytest.param(
            lambda e: f"step {e} loss {3 - e / 20:.3f} step_time {0.21 * (1 + e / 12) + noise(e):.3f}s",
            "slow-training",
            id="steps that take longer and longer",
        ),
    ],
)
def test_a_course_that_shows_the_symptom(
    knowledge: Knowledge, line: Callable[[int], str], symptom: str
) -> None:
    assert shown_by(knowledge, line) == [symptom]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(
            lambda e: (
                f"epoch {e} loss {0.02 / e:.5f} accuracy 0.9500 val_loss {0.05 / e:.5f} val_accuracy 0.9400"
            ),
            id="all is learnt already",
        ),
        pytest.param(
            lambda e: (
                f"epoch {e} loss {0.9 - e / 50:.4f} accuracy {0.7 + e / 200:.4f} val_loss 0.63 val_accuracy 0.78"
            ),
            id="of a few samples of validation as many are right each time",
        ),
        pytest.param(
            lambda e: f"step {e} loss {3 - e / 20:.3f} loss_scale {65536 / 2 ** min(e, 6):.1f}",
            id="a loss scale that settles",
        ),
        pytest.param(
            lambda e: f"step {e} loss {3 - e / 20:.3f} step_time {0.21 if e % 3 else 0.6:.3f}s",
            id="steps of which some take longer",
        ),
    ],
)
def test_a_course_that_shows_nothing(knowledge: Knowledge, line: Callable[[int], str]) -> None:
    assert shown_by(knowledge, line) == []
