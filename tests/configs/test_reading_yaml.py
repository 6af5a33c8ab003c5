from __future__ import annotations

import pytest

from traindx.probes.configs.formats import yaml_file


def values(text: str) -> dict[str, object]:
    return {entry.key: entry.value for entry in yaml_file.read(text).entries}


def problems(text: str) -> list[tuple[str, str]]:
    return [(one.kind, one.message) for one in yaml_file.read(text).problems]


def test_every_value_knows_its_exact_place() -> None:
    text = "# top\noptim:\n  lr: 5e-5  # low\n  betas: [0.9, 0.99]\nname: 'é x'\n"
    spans = {entry.key: text[slice(*entry.span)] for entry in yaml_file.read(text).entries if entry.span}
    assert spans == {"optim.lr": "5e-5", "optim.betas.0": "0.9", "optim.betas.1": "0.99", "name": "'é x'"}


def test_yaml_1_1_reads_an_exponent_without_a_dot_as_text() -> None:
    assert values("a: 1e-5\nb: 1.0e-5\n") == {"a": "1e-5", "b": 1e-5}


def test_a_bare_no_is_false() -> None:
    assert values("mixed_precision: no\nquoted: 'no'\n") == {"mixed_precision": False, "quoted": "no"}


def test_the_last_of_two_equal_keys_counts_and_is_noted() -> None:
    text = "lr: 1\nbs: 2\nlr: 3\n"
    assert values(text)["lr"] == 3
    assert problems(text) == [("duplicate", "the key `lr` stands twice; first in line 1")]


def test_tags_of_other_loaders_are_passed_over() -> None:
    assert values(
        "opt: !new:torch.optim.Adam\n  lr: 0.1\nns: !!python/object:argparse.Namespace\n  x: 1\n"
    ) == {
        "opt.lr": 0.1,
        "ns.x": 1,
    }


def test_several_documents_are_all_read() -> None:
    assert values("a: 1\n---\nb: 2\n--- # third\nc: 3\n") == {"a": 1, "b": 2, "c": 3}


def test_a_tab_as_indentation_is_said_to_be_one() -> None:
    kind, message = problems("train:\n\tlr: 1\n")[0]
    assert kind == "syntax"
    assert message.endswith("YAML allows no tab for indentation")


def test_a_template_is_no_broken_yaml() -> None:
    assert problems("lr: {{ rate }}\n")[0][0] == "note"


def test_an_alias_bomb_is_a_note() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 8)]
    assert problems("\n".join(lines))[0][0] == "note"


def test_deep_nesting_is_a_note() -> None:
    assert problems("[" * 5000)[0][0] in ("note", "syntax")


def test_many_brackets_and_long_lines_alone_are_no_depth() -> None:
    text = f"lr: 0.1\nclasses: [{', '.join(['[1, 2]'] * 2000)}]\nprompt: {'x ' * 2000}y\n"
    assert (values(text)["lr"], problems(text)) == (0.1, [])


@pytest.mark.parametrize("key", ["lr", '"lr"', "'lr' "])
def test_an_alias_can_give_way_to_a_value_of_its_own(key: str) -> None:
    text = f"base: &lr 0.1\n{key}: *lr  # both\n"
    entries = {entry.key: entry for entry in yaml_file.read(text).entries}
    assert entries["lr"].value == 0.1
    assert entries["lr"].span is not None
    assert text[slice(*entries["lr"].span)] == "*lr"
    assert entries["base"].span is not None


def test_what_a_merge_brings_in_has_its_place_at_the_anchor() -> None:
    text = "half: &half {fp16: true}\ntrainer:\n  <<: *half\n  lr: 0.1\n"
    entries = {entry.key: entry for entry in yaml_file.read(text).entries}
    assert entries["trainer.fp16"].at == text.index("true")


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n"])
def test_an_empty_file_has_no_settings(text: str) -> None:
    assert values(text) == {}
