"""What a text reads like: a hint where evidence is missing, and never more."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.diagnose import Reasoned, diagnose
from traindx.engine.facts import Fact, Origin, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import compile_packs
from traindx.engine.probe import Findings
from traindx.engine.resemblance import Index, Likeness, likenesses, pairs, stem, written_words
from traindx.engine.weigh import reads_like

from ..small_pack import PackMaker

NAMES = ("masks", "shapes", "overflow")
WORDS = {
    "pad": {"": [0, 9, 1, 1]},
    "nan": {"": [2, 6]},
    "loss": {"": [0, 1, 1, 1, 2, 1]},
    "batch": {"": [0, 4, 1, 3], "size": [1, 2]},
    "size": {"": [0, 4, 1, 3]},
}
"""Of each word, the pages that hold it and how often."""
PAGES = Index(NAMES, (100, 100, 100), WORDS)
ALL = frozenset(NAMES)


class Told:
    """A probe that read a text, and perhaps some facts in it."""

    id, cost, asked_for = "logs", 0.1, True
    gives: frozenset[str] = frozenset()

    def __init__(self, text: str, **facts: Value) -> None:
        self._text, self._facts = text, facts

    def run(self) -> Findings:
        facts = [Fact(name.replace("__", "."), value, Origin.LOG) for name, value in self._facts.items()]
        return Findings(facts, excerpts=[self._text])


def reasoned(knowledge: Knowledge, probe: Told, *symptoms: str) -> Reasoned:
    return diagnose(knowledge, [probe], symptoms=symptoms)


def test_names_are_taken_apart_at_capitals_and_underscores() -> None:
    assert written_words("key_padding_mask maxSeqLen (3)") == ["key", "padding", "mask", "max", "Seq", "Len"]
    assert written_words("4 GPUs, YOLOv8, CUDAGraph") == ["GPU", "YOLO", "CUDA", "Graph"]
    assert written_words("QLoRA or LoRA gives NaN") == ["QLoRA", "or", "LoRA", "gives", "NaN"]


def test_words_of_other_languages_are_words() -> None:
    assert written_words("loss не падает, hàm mất mát không giảm") == [
        "loss", "не", "падает", "hàm", "mất", "mát", "không", "giảm",
    ]  # fmt: skip
    assert pairs(written_words("显存不足")) == ["显 存", "存 不", "不 足"]


def test_where_files_lie_tells_nothing() -> None:
    assert written_words("File /usr/lib/site-packages/torch/nn.py failed and/or hung") == [
        "File", "failed", "and", "or", "hung",
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["mask", "masks", "masked", "masking"])
def test_words_are_compared_without_their_endings(word: str) -> None:
    assert stem(word) == "mask"


def test_the_nearest_page_counts_whole_and_the_others_by_their_share() -> None:
    found = likenesses(["the pad of the loss"], PAGES, ALL)
    assert found["masks"].share == 1.0 > found["shapes"].share > found["overflow"].share > 0


def test_a_word_weighs_what_bm25_says() -> None:
    rare = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    assert likenesses(["nan"], PAGES, ALL)["overflow"].nearest == round(10 * rare * 6 * 3 / (6 + 2))


def test_a_word_of_every_page_weighs_less_than_one_of_few() -> None:
    (common,), (rare,) = (
        [weight for page, weight in PAGES.weights(held) if page == 1] for held in ([0, 1, 1, 1, 2, 1], [1, 1])
    )
    assert common < rare / 5


def test_a_long_page_gains_nothing_by_its_length() -> None:
    index = Index(("short", "long"), (50, 500), {"pad": {"": [0, 2, 1, 2]}})
    found = likenesses(["pad"], index, frozenset(("short", "long")))
    assert found["short"].share > found["long"].share


def test_the_nearest_page_gets_the_weight_and_the_others_little_of_it() -> None:
    near, far = (reads_like(Likeness(share, ("pad",)), 8.0).decibans for share in (1.0, 0.5))
    assert (near, far) == (8.0, 2.0)


def test_the_words_that_tell_most_are_named_first() -> None:
    assert likenesses(["loss Pad"], PAGES, ALL)["masks"].words == ("Pad", "loss")


def test_a_word_counts_once_however_often_it_stands() -> None:
    assert likenesses(["pad " * 9 + "nan"], PAGES, ALL) == likenesses(["pad nan"], PAGES, ALL)


def test_two_words_side_by_side_tell_more_than_each_alone() -> None:
    apart, together = (likenesses([text], PAGES, ALL) for text in ("sizes of a batch", "the batch sizes"))
    assert max(apart, key=lambda page: apart[page].share) == "masks"
    assert max(together, key=lambda page: together[page].share) == "shapes"


def test_a_word_that_stands_in_a_named_pair_is_not_named_again() -> None:
    assert likenesses(["the batch sizes, the pad"], PAGES, ALL)["shapes"].words == ("batch sizes", "pad")


def test_words_that_tell_nothing_are_counted_in_pairs_and_not_named() -> None:
    words = {"and": {"rise": [0, 2]}, "rise": {"": [0, 1]}}
    index = Index(("spike",), (10,), words, frozenset({"and"}))
    found = likenesses(["and rises"], index, frozenset({"spike"}))["spike"]
    assert found.words == ("rises",)
    assert found.nearest > likenesses(["rises"], index, frozenset({"spike"}))["spike"].nearest


def test_words_of_two_texts_stand_not_side_by_side() -> None:
    assert likenesses(["a batch", "sizes"], PAGES, ALL)["shapes"].words == ("batch", "sizes")


def test_a_page_that_is_not_in_question_is_left_out() -> None:
    assert set(likenesses(["pad nan"], PAGES, frozenset({"overflow"}))) == {"overflow"}


@given(st.lists(st.text(max_size=60), max_size=4))
def test_shares_lie_between_zero_and_one_whatever_the_text(texts: list[str]) -> None:
    assert all(0 < one.share <= 1 for one in likenesses(texts, PAGES, ALL).values())


def test_where_nothing_settles_it_the_cause_whose_words_are_there_comes_first(knowledge: Knowledge) -> None:
    text = "after a large step it goes wrong"
    probe = Told(text, log__prose=(text,))
    first, second = reasoned(knowledge, probe, "nan-loss").ranked
    assert (first.cause.id, second.cause.id) == ("lr-too-high", "fp16-overflow")
    assert "large, step" in first.evidence[-1].statement


def test_a_hint_alone_makes_no_cause_likely(knowledge: Knowledge) -> None:
    text = "FP16 overflows and ends at 65504"
    first = reasoned(knowledge, Told(text, log__prose=(text,)), "nan-loss").ranked[0]
    assert (first.cause.id, first.verdict) == ("fp16-overflow", "possible")


def test_what_a_library_prints_with_every_error_of_a_kind_is_no_word_of_this_run(
    make_pack: PackMaker,
) -> None:
    always = "- {id: printed-always, means: Advice of a library., any: ['Perhaps FP16 overflows[.]']}\n"
    knowledge = Knowledge(compile_packs([make_pack({"phrases/lines.yaml": always})]).__getitem__)
    said = "the loss fell and is gone"
    printed, told = (
        reasoned(knowledge, Told(text, log__prose=(text,)), "nan-loss")
        for text in (f"{said} Perhaps FP16 overflows.", f"{said} FP16 overflows.")
    )
    hints = [
        [line for one in result.ranked for line in one.evidence if line.hint] for result in (printed, told)
    ]
    assert not any("overflows" in line.statement for line in hints[0])
    assert any("overflows" in line.statement for line in hints[1])


def test_where_evidence_settles_it_words_count_for_nothing(knowledge: Knowledge) -> None:
    probe = Told("FP16 overflows", test__lower_lr_helps=True, test__fp32_clears_nan=False)
    result = reasoned(knowledge, probe, "nan-loss")
    assert not any(line.hint for one in result.ranked for line in one.evidence)


def test_words_of_settings_alone_weigh_less_than_those_of_a_person(knowledge: Knowledge) -> None:
    text = "FP16 overflows and ends at 65504"
    probes = Told(text, config__files=1), Told(text, log__prose=(text,))
    settings, told = (reasoned(knowledge, probe, "nan-loss").ranked[0] for probe in probes)
    assert (settings.evidence[-1].decibans, told.evidence[-1].decibans) == (3.0, 8.0)


def test_a_log_in_which_nothing_is_wrong_is_not_compared(knowledge: Knowledge) -> None:
    assert reasoned(knowledge, Told("FP16 overflows")).ranked == []


def test_a_person_who_names_no_symptom_gets_a_hint(knowledge: Knowledge) -> None:
    result = reasoned(knowledge, Told("FP16 overflows here", log__prose=("FP16 overflows here",)))
    assert result.ranked[0].cause.id == "fp16-overflow"
    assert result.diagnosis.outcome == "nothing-found"


def test_words_that_are_those_of_one_symptom_and_of_no_other_tell_which_it_is(make_pack: PackMaker) -> None:
    hang = "id: hang\ntitle: It stands still\ntold_as: [the run freezes after the first batch]\n"
    knowledge = Knowledge(compile_packs([make_pack({"symptoms/hang.yaml": hang})]).__getitem__)
    text = "mine freezes after one batch"
    (seen,) = reasoned(knowledge, Told(text, log__prose=(text,), log__complaint=True)).diagnosis.symptoms
    assert (seen.id, seen.detected) == ("hang", True)
    assert seen.evidence[0].statement == "by its words alone it reads like this: freezes, after, batch"


def test_words_of_every_text_are_no_reason(make_pack: PackMaker) -> None:
    words = "- {id: tells-nothing, means: A word of every text, words: [the, after]}\n"
    hang = "id: hang\ntitle: It stands still\ntold_as: [the run freezes after the first batch]\n"
    files = {"symptoms/hang.yaml": hang, "words/reading.yaml": words}
    knowledge = Knowledge(compile_packs([make_pack(files)]).__getitem__)
    text = "mine freezes after one batch"
    (seen,) = reasoned(knowledge, Told(text, log__prose=(text,), log__complaint=True)).diagnosis.symptoms
    assert seen.evidence[0].statement == "by its words alone it reads like this: freezes, batch"


def test_a_word_or_two_of_any_text_tell_no_symptom(make_pack: PackMaker) -> None:
    hang = "id: hang\ntitle: It stands still\ntold_as: [the run freezes after the first batch]\n"
    knowledge = Knowledge(compile_packs([make_pack({"symptoms/hang.yaml": hang})]).__getitem__)
    knowledge.__dict__["weights"] = knowledge.weights._replace(words_tell=1000)
    text = "mine freezes after one batch"
    assert reasoned(knowledge, Told(text, log__prose=(text,), log__complaint=True)).diagnosis.symptoms == ()


def test_words_that_two_symptoms_share_tell_neither(make_pack: PackMaker) -> None:
    hang = "id: hang\ntitle: It stands still\ntold_as: [the loss is a number]\n"
    knowledge = Knowledge(compile_packs([make_pack({"symptoms/hang.yaml": hang})]).__getitem__)
    probe = Told("loss", log__prose=("a loss of a number",), log__complaint=True)
    assert reasoned(knowledge, probe).diagnosis.symptoms == ()


def test_the_names_of_columns_are_no_words(knowledge: Knowledge) -> None:
    result = reasoned(knowledge, Told("step 3 fp16 rate 0.1 overflows 7"), "nan-loss")
    assert not any(line.hint for one in result.ranked for line in one.evidence)


def test_a_word_or_two_that_are_shared_weigh_less_than_many(knowledge: Knowledge) -> None:
    text = "FP16 overflows and ends at 65504"
    probe = Told(text, log__prose=(text,))
    full = reasoned(knowledge, probe, "nan-loss").ranked[0].evidence[-1]
    knowledge.__dict__["weights"] = knowledge.weights._replace(words_in_full=10_000)
    less = reasoned(knowledge, probe, "nan-loss").ranked[0].evidence[-1]
    assert full.decibans == 8.0
    assert 0 < less.decibans < 4.0
    # Where much is shared, nothing is taken off.
    knowledge.__dict__["weights"] = knowledge.weights._replace(words_in_full=1)
    assert reasoned(knowledge, probe, "nan-loss").ranked[0].evidence[-1].decibans == 8.0


def test_a_cause_is_no_surer_by_words_alone_than_such_answers_are_right(knowledge: Knowledge) -> None:
    text = "FP16 overflows and ends at 65504"
    words, rest = Told(text, log__prose=(text,)), "a line of numbers"

    def sure(most: float, probe: Told) -> float:
        knowledge.__dict__["weights"] = knowledge.weights._replace(by_words_alone=most, words_in_full=1)
        return reasoned(knowledge, probe, "nan-loss").ranked[0].confidence

    assert sure(0.2, words) == 0.2 < sure(1.0, words)
    # Where a fact speaks for it too, the words are not all there is.
    beside = Told(rest, log__prose=(text,), config__precision="fp16")
    assert sure(0.2, beside) == sure(1.0, beside) > 0.2
