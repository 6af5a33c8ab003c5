"""What a sentence denies is not read as said."""

from __future__ import annotations

import pytest

from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.prose import ProseReader
from traindx.probes.prose.denial import alternatives


@pytest.fixture(scope="module")
def reader() -> ProseReader:
    return ProseReader(load([own_pack()]))


def said(reader: ProseReader, sentence: str) -> set[str]:
    return {rule.id for rule, _ in reader.signatures(sentence)}


@pytest.mark.parametrize(
    ("denied", "stated", "what"),
    [
        ("I am not using fp16", "I am using fp16", "said-runs-in-fp16"),
        ("it never ran out of memory", "it ran out of memory", "said-out-of-memory"),
        ("none of the files are empty", "some of the files are empty", "said-files-damaged"),
        ("the model does not predict the same class for everything", "it predicts the same class for everything", "said-predicts-one-class"),
        ("no labels are missing", "labels are missing for some samples", "said-samples-without-labels"),
        ("it loads without any missing keys", "it loads with missing keys", "said-keys-do-not-match"),
        ("there are no missing or unexpected keys", "there are unexpected keys", "said-keys-do-not-match"),
        ("I removed batch norm", "the network has batch norm", "said-has-batchnorm"),
        ("I forgot to freeze the backbone", "I freeze the backbone", "said-parts-frozen"),
        ("I forgot to set shuffle=True", "I set shuffle=True", "said-data-shuffled"),
        ("I had forgotten to set a seed", "I set a seed", "said-seed-set"),
    ],
)  # fmt: skip
def test_a_negation_before_it_denies_it(reader: ProseReader, denied: str, stated: str, what: str) -> None:
    assert what not in said(reader, denied)
    assert what in said(reader, stated)


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("overfitting is not the issue", "said-overfits"),
        ("it isn't a memory leak", "said-host-memory-grows"),
        ("my classes are balanced, so class imbalance is not the problem", "said-classes-unbalanced"),
    ],
)
def test_what_is_ruled_out_is_denied(reader: ProseReader, sentence: str, what: str) -> None:
    assert what not in said(reader, sentence)


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("I forgot to mention that it hangs", "said-hangs"),
        ("I forgot to say that I use 4 GPUs", "said-several-devices"),
        ("I forgot to shuffle the data", "said-data-not-shuffled"),
    ],
)
def test_what_was_only_forgotten_to_be_told_is_said(reader: ProseReader, sentence: str, what: str) -> None:
    assert what in said(reader, sentence)


@pytest.mark.parametrize(
    ("kept", "fell"),
    [
        ("the KL term keeps the training loss from falling", "the training loss is falling"),
        ("the penalty prevents the loss from decreasing", "the loss is decreasing"),
    ],
)
def test_what_is_kept_from_falling_does_not_fall(reader: ProseReader, kept: str, fell: str) -> None:
    assert "said-loss-falls" not in said(reader, kept)
    assert "said-loss-falls" in said(reader, fell)


def test_what_is_not_flat_is_not_stuck(reader: ProseReader) -> None:
    assert not {"said-loss-flat", "said-loss-constant"} & said(reader, "the loss is not constant")
    assert "said-loss-constant" in said(reader, "the loss is constant")


def test_numbers_of_epochs_may_be_words(reader: ProseReader) -> None:
    assert "said-oom-later" in said(reader, "after two epochs it runs out of memory")
    assert "said-oom-later" not in said(reader, "with two workers it runs out of memory")


def test_a_negation_within_it_denies_it(reader: ProseReader) -> None:
    assert "said-rate-high" not in said(reader, "the learning rate is not too high")


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("I don't know why it hangs", "said-hangs"),
        ("I cannot train because it runs out of memory", "said-out-of-memory"),
        ("it does not work with fp16", "said-runs-in-fp16"),
        ("the run does not finish, it hangs", "said-hangs"),
        ("nothing helps, it overfits", "said-overfits"),
        ("I can't train without running out of memory", "said-out-of-memory"),
        ("it not only overfits but is slow", "said-overfits"),
    ],
)
def test_a_negation_of_something_else_denies_nothing(reader: ProseReader, sentence: str, what: str) -> None:
    assert what in said(reader, sentence)


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("I thought it was overfitting, but it was the data", "said-overfits"),
        ("to prevent exploding gradients I clip them", "said-gradients-explode"),
        ("the documentation says that the loss becomes NaN then", "said-loss-nan"),
        ("what happens if the labels are out of range", "said-labels-out-of-range"),
        ("it might be that the labels are wrong", "said-labels-wrong"),
    ],
)
def test_what_was_thought_guarded_against_or_read_is_not_stated(
    reader: ProseReader, sentence: str, what: str
) -> None:
    assert what not in said(reader, sentence)


def test_what_is_denied_once_may_be_stated_later(reader: ProseReader) -> None:
    assert "said-hangs" in said(reader, "on one GPU it does not hang, on four it hangs")


def test_a_pattern_of_absence_is_no_denial(reader: ProseReader) -> None:
    assert "said-no-clipping" in said(reader, "there is no gradient clipping")


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("a|b", ("a", "b")),
        ("a(?:b|c)|d", ("a(?:b|c)", "d")),
        (r"[|)]x|\|y", ("[|)]x", r"\|y")),
        (r"[]|]|[^]|]z", ("[]|]", "[^]|]z")),
        (r"(a|(b|c))[\]|]", (r"(a|(b|c))[\]|]",)),
    ],
)
def test_the_alternatives_of_a_pattern_end_outside_groups_and_sets(
    pattern: str, parts: tuple[str, ...]
) -> None:
    assert alternatives(pattern) == parts


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("the letters are not mirrored", "said-text-mirrored"),
        ("the GPU usage never reaches 95 %", "said-gpu-busy"),
    ],
)
def test_a_wording_that_asks_for_no_negation_is_denied_by_one_whatever_others_ask(
    reader: ProseReader, sentence: str, what: str
) -> None:
    assert what not in said(reader, sentence)


def test_the_alternatives_of_every_signature_make_up_its_pattern() -> None:
    patterns = [rule.pattern for rule in load([own_pack()]).prose_signatures.values()]
    assert ["|".join(alternatives(one)) for one in patterns] == patterns
