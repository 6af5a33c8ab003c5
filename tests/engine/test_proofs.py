"""Patterns are tried when they are written and when they come from others, not at each load of our own."""

from __future__ import annotations

import pytest

from traindx.engine.kb.load import check_packs, compile_packs
from traindx.engine.kb.packs import all_packs
from traindx.engine.kb.problems import KnowledgeError

from ..small_pack import PackMaker

FILE = "signatures/mine.yaml"
SIGNATURE = """
- id: fan-dead
  pattern: {pattern}
  means: The fan stands still.
  role: failure
  finds: [{finds}]
"""
BROKEN = {FILE: SIGNATURE.format(pattern="'fan (?:dead'", finds="fan dead")}
UNMATCHED = {FILE: SIGNATURE.format(pattern="fan dead", finds="the fan is still")}
FRAME = {
    "frames/mine.yaml": "- {id: fan, means: In the fan., pattern: 'fan\\.py:', finds: ['fan.py:spin'], passes: ['my_fan.py:x']}\n"
}
CODE = {
    "code/mine.yaml": "- {id: fan, means: A fan., rule: {regex: 'fan('}, finds: ['fan()'], passes: ['x']}\n"
}
AROUND = {
    "code/mine.yaml": "- {id: fan, means: A fan., rule: {regex: 'fan(?!s)'}, finds: ['fan()'], passes: ['x']}\n"
}


def mistakes(make_pack: PackMaker, changed: dict[str, str]) -> str:
    with pytest.raises(KnowledgeError) as caught:
        compile_packs([make_pack(changed)])
    return str(caught.value)


def test_a_broken_pattern_of_a_users_pack_is_reported_at_load_with_its_place(make_pack: PackMaker) -> None:
    said = mistakes(make_pack, BROKEN)
    assert (
        "pack/signatures/mine.yaml:3:3: not a regular expression: missing ), unterminated subpattern" in said
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (UNMATCHED, "signatures/mine.yaml:2:3: `finds` is not matched: the fan is still"),
        (FRAME, "frames/mine.yaml:1:3: `finds` and `passes` disagree with the pattern: my_fan.py:x"),
        (CODE, "code/mine.yaml:1:28: not a regular expression: missing ), unterminated subpattern"),
        (
            AROUND,
            "code/mine.yaml:1:28: ast-grep knows no look-around and no back-reference, as (?! here: fan(?!s)",
        ),
    ],
)
def test_so_is_a_pattern_that_does_not_do_what_its_author_says(
    make_pack: PackMaker, changed: dict[str, str], said: str
) -> None:
    assert said in mistakes(make_pack, changed)


def test_a_proven_pack_is_not_tried_again_at_load(make_pack: PackMaker) -> None:
    assert compile_packs([make_pack(UNMATCHED)._replace(proven=True)])


def test_a_check_tries_a_proven_pack_too(make_pack: PackMaker) -> None:
    with pytest.raises(KnowledgeError, match="`finds` is not matched: the fan is still"):
        check_packs([make_pack(UNMATCHED)._replace(proven=True)])


def test_only_our_own_pack_counts_as_proven(make_pack: PackMaker) -> None:
    own, users = all_packs([make_pack({}).root])
    assert own.proven
    assert not users.proven
