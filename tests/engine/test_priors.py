"""How often a cause is behind a symptom: the word of its author, corrected by what was counted in reports."""

from __future__ import annotations

import pytest

from traindx.engine.kb.load import compile_packs, load
from traindx.engine.kb.problems import KnowledgeError
from traindx.engine.report.pages import page

from ..small_pack import PackMaker

REPORTS = "reports/reported.yaml"
OVERFLOWS = "- {symptom: nan-loss, reports: 100, causes: {fp16-overflow: 40}}\n"


def priors(make_pack: PackMaker, reports: str) -> dict[str, float]:
    knowledge = load([make_pack({REPORTS: reports})])
    return {name: one.priors["nan-loss"] for name, one in knowledge.causes.items()}


def test_without_reports_the_word_is_the_prior(make_pack: PackMaker) -> None:
    assert priors(make_pack, "[]\n") == {"fp16-overflow": 0.1, "lr-too-high": 0.1}


def test_a_word_counts_as_much_as_a_hundred_reports(make_pack: PackMaker) -> None:
    assert priors(make_pack, OVERFLOWS)["fp16-overflow"] == pytest.approx((40 + 100 * 0.1) / (100 + 100))


def test_a_cause_that_was_counted_elsewhere_is_rarer_where_it_was_not(make_pack: PackMaker) -> None:
    both = OVERFLOWS + "- {symptom: hang, reports: 5, causes: {lr-too-high: 5}}\n"
    hang = "id: hang\ntitle: It hangs\naliases: []\ndetect:\n  - {if: loss.nonfinite, supports: weak, because: x}\n"
    knowledge = load([make_pack({REPORTS: both, "symptoms/hang.yaml": hang})])
    assert knowledge.causes["lr-too-high"].priors["nan-loss"] == pytest.approx(100 * 0.1 / (100 + 100))


def test_a_cause_that_nobody_could_count_keeps_its_word(make_pack: PackMaker) -> None:
    assert priors(make_pack, OVERFLOWS)["lr-too-high"] == 0.1


@pytest.mark.parametrize(
    ("reports", "said"),
    [
        ("- {symptom: nan-los, reports: 1, causes: {}}\n", "there is no symptom `nan-los`"),
        ("- {symptom: nan-loss, reports: 1, causes: {fp16-overflov: 1}}\n", "did you mean `fp16-overflow`?"),
        (
            "- {symptom: nan-loss, reports: 1, causes: {fp16-overflow: 2}}\n",
            "more causes are counted than reports",
        ),
    ],
)
def test_a_mistake_in_the_counts_is_named(make_pack: PackMaker, reports: str, said: str) -> None:
    with pytest.raises(KnowledgeError, match=r"reported\.yaml:1:") as caught:
        compile_packs([make_pack({REPORTS: reports})])
    assert said in str(caught.value)


def test_the_page_of_a_symptom_tells_what_was_counted(make_pack: PackMaker) -> None:
    shown = page("nan-loss", load([make_pack({REPORTS: OVERFLOWS})]))
    assert "`fp16-overflow`), 40 of 100 reports" in shown
    assert "`lr-too-high`)\n" in shown
