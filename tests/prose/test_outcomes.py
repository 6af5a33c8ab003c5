"""How it went at two values of a setting."""

from __future__ import annotations

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.prose.reader import ProseReader


@pytest.fixture(scope="module")
def reader() -> ProseReader:
    knowledge: Knowledge = load([own_pack()])
    return ProseReader(knowledge)


@pytest.mark.parametrize(
    ("text", "helps"),
    [
        ("With 4 workers it fails, with 0 it works.", "one_worker_helps"),
        ("With dataloader_num_workers=4 I have this error, but with 0 it runs smoothly.", "one_worker_helps"),
        ("bs=8 ok, bs=16 crashes", "smaller_batch_helps"),
        ("batch size 4 is fine and 8 is fine, 16 gives OOM", "smaller_batch_helps"),
        ("lr 1e-3 diverges, 1e-4 is stable", "lower_lr_helps"),
        ("With lr=1e-5 nothing is learned, with 1e-3 it converges.", "higher_lr_helps"),
        ("With batch size 2 the loss is NaN. With batch size 16 everything is fine.", "larger_batch_helps"),
    ],
)
def test_the_value_that_works_tells(reader: ProseReader, text: str, helps: str) -> None:
    assert reader.trials(text).get(f"test.{helps}") is True


def test_the_setting_may_be_named_in_the_sentence_before(reader: ProseReader) -> None:
    said = reader.trials(
        "With 4 I have this error, but with 0 it runs smoothly.", "I wonder about num_workers."
    )
    assert said == {"test.one_worker_helps": True}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "batch size 32 works, but after 16 epochs it crashes", id="the other number counts epochs"
        ),
        pytest.param("lr 1e-3 and lr 1e-4 both diverge", id="neither works"),
        pytest.param("Their batch size 64 works and mine of 8 does not", id="somebody else's run"),
        pytest.param("With lr 1e-3 it diverges, with 8e-4 it is fine", id="hardly apart"),
        pytest.param("With 8 workers it takes 5 s, with 4 it hangs", id="of one nothing is said"),
        pytest.param("Does it work with 0 workers and fail with 4?", id="a question"),
    ],
)
def test_what_tells_nothing(reader: ProseReader, text: str) -> None:
    assert reader.trials(text) == {}
