"""The condition language: three values, small, and never an exception."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.conditions import ConditionError, check, compile_node, needs, parse, witnesses

TYPES = {
    "a.yes": "bool", "a.no": "bool", "a.unknown": "bool", "a.count": "int", "a.rate": "float", "a.name": "str",
    "a.list": "list", "env.package.torch": "version", "log.prose": "list",
}  # fmt: skip
FACTS: dict[str, Any] = {
    "a.yes": True, "a.no": False, "a.count": 3, "a.rate": 0.5, "a.name": "fp16", "a.list": ("module.fc", "head"),
    "env.package.torch": "2.1.0+cu121", "log.prose": ("It works on one GPU.", "fp16 fails"),
}  # fmt: skip


def value(text: str, expect: str = "any") -> Any:
    return compile_node(check(parse(text), TYPES.get, {"big": 100.0}, expect=expect))(FACTS.get)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.yes", True),
        ("not a.yes", False),
        ("a.unknown", None),
        ("not a.unknown", None),
        ("a.unknown and a.no", False),
        ("a.unknown and a.yes", None),
        ("a.unknown or a.yes", True),
        ("a.unknown or a.no", None),
        ("not not a.yes", True),
        ("a.yes and not a.no or a.unknown", True),
        ("a.count == 3", True),
        ("a.count != 3", False),
        ("1 < a.count <= 3", True),
        ("a.rate * 4 - 1 == 1", True),
        ("-a.rate < 0", True),
        ("2 - 1 - 1 == 0", True),
        ("8 / 4 / 2 == 1", True),
        ("1 + 2 * 3 == 7", True),
        ("(1 + 2) * 3 == 9", True),
        ("a.count > 1e2", False),
        ("a.count < limit.big", True),
        ('a.name == "fp16"', True),
        ("a.name == 'bf16'", False),
        ('a.name in ["fp16", "bf16"]', True),
        ('a.name not in ["fp16"]', False),
        ('"head" in a.list', True),
        ('contains(a.list, "MODULE")', True),
        ('contains(a.name, "16")', True),
        ("len(a.list) == 2", True),
        ("known(a.unknown)", False),
        ("known(a.no)", True),
        ("max(a.count, 7) == 7", True),
        ("log2(8) == 3", True),
        ("round(ceil(0.2)) == 1", True),
        ('said("one gpu")', True),
        ('said("two gpus")', None),
    ],
)
def test_values(text: str, expected: object) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("version", "text", "expected"),
    [
        ("2.1.0+cu121", '< "2.2"', True),
        ("2.10.0", '> "2.9"', True),
        ("2.1.0", '== "2.1"', True),
        ("2.1rc1", '< "2.1.0"', True),
        ("v0.7.1", '== "0.7.1"', True),
        ("0.7.2", '!= "0.7.1"', True),
    ],
)
def test_versions_are_ordered_as_versions(version: str, text: str, expected: bool) -> None:
    node = check(parse(f"env.package.torch {text}"), TYPES.get, {})
    assert compile_node(node)({"env.package.torch": version}.get) is expected


@pytest.mark.parametrize(
    "text",
    [
        "1 / 0",
        "a.count / (a.count - 3)",
        "ln(0)",
        "log2(0 - 1)",
        "ceil(1e400 * 10)",
        "a.unknown and 1 / 0 > 1",
    ],
)
def test_what_cannot_be_computed_is_unknown(text: str) -> None:
    assert value(text) is None


def test_nan_compares_with_nothing() -> None:
    node = parse("a.rate > 1 or a.rate <= 1")
    assert compile_node(node)({"a.rate": float("nan")}.get) is None


def test_a_value_of_another_type_than_declared_is_unknown() -> None:
    assert compile_node(parse("a.count > 1"))({"a.count": "three"}.get) is None


@pytest.mark.parametrize(
    ("text", "message", "offset"),
    [
        ("", "expected a fact", 0),
        ("a.yes and", "expected a fact", 9),
        ("a.yes = 1", "cannot read `=`", 6),
        ("(a.yes", "expected `)`", 6),
        ("a.yes a.no", "unexpected `a.no`", 6),
        ("frob(a.yes)", "no function `frob`", 0),
        ("abs(1, 2)", "takes 1 argument, not 2", 0),
        ("known(1)", "takes the name of a fact", 0),
        ('said("(")', "not a regular expression", 0),
        ("a.yes ; import os", "cannot read `;`", 6),
        ("(" * 60 + "a.yes" + ")" * 60, "nested too deeply", 50),
        ("known(log.prose", "expected `)`, found the end", 15),
    ],
)
def test_what_is_not_of_the_language_is_refused_with_its_place(text: str, message: str, offset: int) -> None:
    with pytest.raises(ConditionError) as caught:
        parse(text)
    assert message in caught.value.message
    assert caught.value.offset == offset


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a.missing", "no fact `a.missing`"),
        ("limit.missing < 1", "no threshold `limit.missing`"),
        ('a.count == "three"', "compares int with str"),
        ('a.name < "z"', "orders numbers"),
        ("a.count and a.yes", "needs bool"),
        ("a.name + 1 > 2", "needs int or float"),
        ("a.count", "a condition is true or false"),
        ("a.yes in a.count", "looks into a list or a text"),
        ('a.yes and not said("two gpus")', "silence is no denial"),
        ('not (a.yes or said("two gpus"))', "silence is no denial"),
    ],
)
def test_names_and_types_are_checked_when_a_rule_is_loaded(text: str, message: str) -> None:
    with pytest.raises(ConditionError) as caught:
        check(parse(text), TYPES.get, {"big": 100.0})
    assert message in caught.value.message


def test_a_condition_names_the_facts_it_needs() -> None:
    assert needs(parse('a.yes and (a.count > 2 or said("x"))')) == {"a.yes", "a.count", "log.prose"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.no or a.yes", (("a.yes", None),)),
        ("a.yes and a.count == 3", (("a.yes", None), ("a.count", None))),
        ("a.yes and a.no", (("a.no", None),)),
        ('said("fails")', (("log.prose", 1),)),
        ('contains(a.list, "head")', (("a.list", 1),)),
        ("a.unknown or a.rate < 1", (("a.rate", None),)),
    ],
)
def test_witnesses_are_the_facts_that_decided(text: str, expected: object) -> None:
    assert witnesses(parse(text), FACTS.get) == expected


words = st.sampled_from(
    ["a.yes", "a.no", "a.unknown", "and", "or", "not", "(", ")", "<", "==", "1", '"x"', "a.count", "["]
)


@given(st.lists(words, max_size=12).map(" ".join))
def test_any_text_either_parses_or_is_refused(text: str) -> None:
    try:
        node = parse(text)
    except ConditionError:
        return
    outcome = compile_node(node)(FACTS.get)
    assert outcome is None or isinstance(outcome, (bool, int, float, str, tuple))


logic = st.recursive(
    st.sampled_from(["a.yes", "a.no", "a.unknown"]),
    lambda inner: st.one_of(
        inner.map(lambda one: f"not ({one})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}) and ({two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}) or ({two[1]})"),
    ),
    max_leaves=8,
)


@given(logic)
def test_learning_more_never_turns_a_known_answer_round(text: str) -> None:
    condition = compile_node(parse(text))
    before = condition(FACTS.get)
    for answer in (True, False):
        after = condition({**FACTS, "a.unknown": answer}.get)
        assert before is None or after is before
