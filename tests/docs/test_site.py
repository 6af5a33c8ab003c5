"""The pages of the site, as its builder writes them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from generated import Broken, filled, run
from knowledge_pages import KnowledgePages
from links import linked
from reference import commands, schema
from traindx.cli import exit_codes
from traindx.cli.group import COMMANDS
from traindx.engine.diagnosis import Diagnosis
from traindx.engine.report.pages import cause_page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {"fp16-overflow": "causes/fp16-overflow.md", "act.max_abs": "facts/act.md#act.max_abs"}


@pytest.fixture(scope="module")
def pages() -> KnowledgePages:
    return KnowledgePages()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`act.max_abs` is large", "[`act.max_abs`](../facts/act.md#act.max_abs) is large"),
        ("`fp16-overflow` itself", "`fp16-overflow` itself"),
        ("`act.max_abs > 1` is a condition", "`act.max_abs > 1` is a condition"),
        ("```\n`act.max_abs`\n```", "```\n`act.max_abs`\n```"),
        ("a token <pad> and `<![x`", "a token &lt;pad> and <code>&#60;&#33;&#91;x</code>"),
    ],
)
def test_ids_become_links_and_nothing_becomes_html(text: str, expected: str) -> None:
    assert linked(text, "causes/fp16-overflow.md", PAGES) == expected


def test_the_page_of_a_cause_shows_its_example_and_the_patch(pages: KnowledgePages) -> None:
    text = cause_page("fp16-overflow", pages.knowledge, pages.examples.of("fp16-overflow"))
    parts = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert parts == [
        "What happens", "Where it shows", "How people tell of it", "Evidence", "An example", "What to do", "Sources"
    ]  # fmt: skip
    assert "step 40 loss nan" in text
    assert "the run computes in FP16" in text.split("## An example")[1]
    assert re.search(r"^-\w+: fp16\n\+\w+: bf16$", text, re.MULTILINE)


def test_settings_that_an_example_only_states_are_spelled_for_a_trainer(pages: KnowledgePages) -> None:
    shown = pages.examples.of("lr-too-high")
    assert shown is not None
    assert shown.patch.startswith("--- a/")


def test_every_place_that_links_lead_to_is_written(
    pages: KnowledgePages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(pages.examples), "of", lambda *_: None)
    written = dict(pages.written())
    anchors = {
        f"{path}#{name}" for path, text in written.items() for name in re.findall(r"\{ #([\w.-]+) \}", text)
    }
    missing = [place for place in pages.places.values() if place not in anchors and place not in written]
    assert missing == []


def test_the_navigation_holds_every_cause_and_symptom(pages: KnowledgePages) -> None:
    shown = str(pages.navigation())
    assert all(f"causes/{name}.md" in shown for name in pages.knowledge.causes)
    assert all(f"symptoms/{name}.md" in shown for name in pages.knowledge.symptoms)


def test_a_page_is_played_in_order() -> None:
    page = '```yaml title="lab/facts/x.yaml"\n- {name: loss.x, type: bool}\n```\n<!-- run: diagnose kb lint --kb lab -->'
    played = filled(page, ROOT)
    assert "$ diagnose kb lint --kb lab" in played
    assert "lab/facts/x.yaml:1:3: `means` is missing" in played


def test_only_diagnose_is_run(tmp_path: Path) -> None:
    with pytest.raises(Broken, match="only diagnose is run"):
        run("rm -r x", tmp_path)


def test_the_rule_of_the_guide_works() -> None:
    played = filled((DOCS / "writing-a-rule.md").read_text(encoding="utf-8"), ROOT)
    assert "there is no fix `swap-node`" in played
    assert "3 examples, 0 failed" in played
    assert "gpu-clock-held  confirmed" in played
    assert played.count("does not load\n") == 2, "the skeleton, and the missing fix"


def test_every_command_has_its_help() -> None:
    text = commands()
    assert [name for name in COMMANDS if f"## diagnose {name}\n" not in text] == []
    assert "## diagnose kb lint\n" in text


def test_every_record_of_the_json_is_listed() -> None:
    text = schema()
    assert [name for name in Diagnosis._fields if f"`{name}`" not in text] == []


def test_every_exit_code_is_told() -> None:
    text = (DOCS / "exit-codes.md").read_text(encoding="utf-8")
    codes = {name: value for name, value in vars(exit_codes).items() if name.isupper()}
    assert re.findall(r"^\| (\d+) \| `(\w+)`", text, re.MULTILINE) == [
        (str(code), name) for name, code in codes.items()
    ]


def test_every_written_page_is_in_the_navigation() -> None:
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    written = {path.name for path in DOCS.glob("*.md")} - {"accuracy.md"}
    assert [name for name in sorted(written) if f": {name}" not in listed] == []
