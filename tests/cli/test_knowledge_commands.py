"""`diagnose kb`, `explain`, `new`, `completion`: the knowledge base at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Command

KINDS = (
    "cause",
    "symptom",
    "fact",
    "fix",
    "signature",
    "code-pattern",
    "dialect",
    "log-format",
    "procedure",
    "checklist",
)


def test_kb_list_counts_every_kind(diagnose: Command) -> None:
    out = diagnose("kb", "list").out
    assert all(word in out for word in ("causes", "symptoms", "signatures", "dialects"))


def test_kb_list_names_the_entries(diagnose: Command) -> None:
    assert "fp16-overflow" in diagnose("kb", "list", "causes").out
    assert diagnose("kb", "list", "cause").out == diagnose("kb", "list", "causes").out


def test_kb_show_names_the_file(diagnose: Command) -> None:
    out = diagnose("kb", "show", "fp16-overflow").out
    assert "causes/precision/fp16-overflow.yaml" in out
    assert "id: fp16-overflow" in out


def test_kb_show_of_nothing_names_the_nearest(diagnose: Command) -> None:
    result = diagnose("kb", "show", "fp16-overfow")
    assert result.code == 2
    assert "fp16-overflow" in result.err


def test_kb_test_runs_the_examples_of_a_cause(diagnose: Command) -> None:
    result = diagnose("kb", "test", "fp16-overflow")
    assert "0 failed" in result.out
    assert result.code == 0


def test_kb_schema_on_disk_is_current(diagnose: Command) -> None:
    assert diagnose("kb", "schema", "--check").code == 0


def test_kb_coverage_counts_the_playbook(diagnose: Command) -> None:
    assert "of 127 items done" in diagnose("kb", "coverage").out


def test_a_pack_adds_a_cause_and_the_report_says_so(diagnose: Command, tmp_path: Path) -> None:
    pack = tmp_path / "lab"
    (pack / "facts").mkdir(parents=True)
    (pack / "facts" / "lab.yaml").write_text(
        "- name: test.lab_fan_dead\n  type: bool\n  means: The fan of the lab machine stands still.\n"
        "  ask: Does the fan stand still?\n  minutes: 1\n"
    )
    result = diagnose(
        "--symptom",
        "nan",
        "--kb",
        pack,
        "--answer",
        "test.lab_fan_dead=yes",
        "--no-machine",
        "--format",
        "json",
    )
    assert result.data["packs"] == ["added: fact test.lab_fan_dead (lab)"]


def test_a_pack_with_mistakes_names_them_all_with_their_places(diagnose: Command, tmp_path: Path) -> None:
    pack = tmp_path / "lab"
    (pack / "facts").mkdir(parents=True)
    (pack / "facts" / "lab.yaml").write_text(
        "- name: test.a\n  type: boool\n  means: A.\n- name: test.b\n  type: bool\n"
    )
    result = diagnose("kb", "lint", "--kb", pack)
    assert result.code == 2
    assert "lab.yaml:2" in result.err
    assert "lab.yaml:4" in result.err


@pytest.mark.parametrize(
    "name", ["fp16-overflow", "nan-loss", "use-bf16", "test.fp32_clears_nan", "config.precision", "a01"]
)
def test_everything_with_an_id_has_a_page(diagnose: Command, name: str) -> None:
    result = diagnose("explain", name)
    assert result.code == 0
    assert name in result.out


def test_a_page_that_is_not_there_names_the_nearest(diagnose: Command) -> None:
    result = diagnose("explain", "fp16-overfow")
    assert result.code == 2
    assert "fp16-overflow" in result.err


def test_a_symptom_has_its_page_under_its_other_names_too(diagnose: Command) -> None:
    assert "`cuda-oom` · symptom" in diagnose("explain", "oom").out


@pytest.mark.parametrize("name", ["lr-tenth", "spike_ratio", "limit.spike_ratio"])
def test_what_has_an_id_and_no_page_is_shown_by_another_command(diagnose: Command, name: str) -> None:
    result = diagnose("explain", name)
    assert (result.code, "`diagnose kb show " in result.err) == (2, True)


def test_a_word_names_the_ids_that_it_is_a_part_of(diagnose: Command) -> None:
    assert "nearest: lr-schedule-wrong, lr-too-high, lr-too-low" in diagnose("explain", "lr").err


def test_new_writes_skeletons_that_lint_can_read(diagnose: Command, tmp_path: Path) -> None:
    lab = tmp_path / "lab"
    for kind in ("cause", "fact", "fix", "dialect", "symptom", "signature"):
        name = f"test.lab_{kind}" if kind == "fact" else f"lab-{kind}"
        assert diagnose("new", kind, name, "--kb", lab).code == 0
        assert len([path for path in lab.rglob("*.yaml") if name in path.read_text()]) == 1
    linted = diagnose("kb", "lint", "--kb", lab)
    assert linted.code == 2  # what a person is to fill in
    assert "Traceback" not in linted.err
    assert "fault" not in linted.err


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("fact", "my-fact"),
        ("fact", "lab.thing"),
        ("fact", "test.my-fact"),
        ("cause", "my.cause"),
        ("fix", "a--b"),
    ],
)
def test_new_writes_nothing_under_a_name_that_would_not_load(
    diagnose: Command, tmp_path: Path, kind: str, name: str
) -> None:
    result = diagnose("new", kind, name, "--kb", tmp_path / "lab")
    assert (result.code, (tmp_path / "lab").exists()) == (2, False)
    assert f"`{name}`" in result.err


def test_what_is_left_to_fill_in_is_said_in_plain_words(diagnose: Command, tmp_path: Path) -> None:
    diagnose("new", "cause", "lab-thing", "--kb", tmp_path)
    err = diagnose("kb", "lint", "--kb", tmp_path).err
    assert "`sources` is empty" in err
    assert "validation" not in err


def test_new_does_not_overwrite(diagnose: Command, tmp_path: Path) -> None:
    diagnose("new", "cause", "lab-thing", "--kb", tmp_path)
    before = {path: path.read_text() for path in tmp_path.rglob("*.yaml")}
    assert diagnose("new", "cause", "lab-thing", "--kb", tmp_path).code == 2
    assert {path: path.read_text() for path in tmp_path.rglob("*.yaml")} == before


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(diagnose: Command, shell: str) -> None:
    assert "_DIAGNOSE_COMPLETE" in diagnose("completion", shell).out


@pytest.mark.parametrize("command", [[], ["kb"], ["kb", "lint"], ["explain"], ["new"], ["completion"]])
def test_help_teaches(diagnose: Command, command: list[str]) -> None:
    result = diagnose(*command, "--help")
    assert result.code == 0
    assert "Usage: diagnose" in result.out


def test_version(diagnose: Command) -> None:
    assert diagnose("--version").out.startswith("diagnose, version ")
