"""The knowledge base: all mistakes at once, each with its place; a cache that is never wrong."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from traindx.engine.kb import cache
from traindx.engine.kb.load import compile_packs, load
from traindx.engine.kb.packs import Pack, PackError, all_packs
from traindx.engine.kb.problems import KnowledgeError

from ..small_pack import FACTS, OVERFLOW, RATE, PackMaker


def mistakes(make_pack: PackMaker, file: str, text: str) -> str:
    """What the loader says of a pack with one file changed."""
    with pytest.raises(KnowledgeError) as caught:
        compile_packs([make_pack({file: text})])
    return str(caught.value)


CAUSE = "causes/precision/fp16-overflow.yaml"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "supports: strong,",
            "supports: stronk,",
            "fp16-overflow.yaml:6:48: `stronk` is not one of the words here",
        ),
        ("supports: strong,", "supports: stronk,", "did you mean `strong`?"),
        ("because: FP32 clears it", "becuase: FP32 clears it", "`becuase` is not a key here"),
        ("because: FP32 clears it", "becuase: FP32 clears it", "did you mean `because`?"),
        ("because: FP32 clears it", "becuase: FP32 clears it", "`because` is missing"),
        ("config.precision ==", "config.precison ==", "there is no fact `config.precison`"),
        ("config.precision ==", "config.precison ==", "did you mean `config.precision`"),
        ('== "fp16"', '= "fp16"', "cannot read `=`"),
        ("[use-bf16, use-fp32]", "[use-bf61]", "there is no fix `use-bf61`"),
        ("nan-loss: common", "nan-los: common", "there is no symptom `nan-los`"),
        ("{config.precision}", "{config.precison}", "there is no fact `config.precison`"),
        ("id: fp16-overflow", "id: overflow", "the file is named `fp16-overflow`, the id is `overflow`"),
        ("expect: silent", "expect: wins", "missing: silent"),
        (
            "{config.precision: bf16}",
            "{config.precision: bf61}",
            "`bf61` is not a value of `config.precision`",
        ),
        ("{test.fp32_clears_nan: true}", "{test.fp32_clears_nan: 1}", "is bool, and this is int"),
        (
            "supports: strong, absent",
            "supports: strong, against: weak, absent",
            "give `supports` or `against`",
        ),
        ("title: FP16 overflows", "title:\tFP16: overflows", "mapping values are not allowed"),
        ("title: FP16 overflows", "title: a\ntitle: b", "the key `title` stands twice; first in line 3"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_the_nearest_word(
    make_pack: PackMaker, old: str, new: str, said: str
) -> None:
    assert old in OVERFLOW
    assert said in mistakes(make_pack, CAUSE, OVERFLOW.replace(old, new, 1))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("{precison: fp32}", "there is no setting `precison`"),
        ("{precision: fp23}", "`fp23` is not a value of `config.precision`"),
        ("{learning_rate: [lower, smaller]}", "`config.learning_rate` is float, and this is str"),
    ],
)
def test_how_another_run_differs_is_checked_against_the_settings(
    make_pack: PackMaker, settings: str, said: str
) -> None:
    experiment = f"""
- id: fp32
  title: Train in FP32
  change: {{weights: float32}}
  settings: {settings}
  answers: [{{fact: test.fp32_clears_nan, yes: not loss.nonfinite}}]
"""
    assert said in mistakes(make_pack, "experiments/all.yaml", experiment)


def test_the_lines_around_a_mistake_are_shown(make_pack: PackMaker) -> None:
    text = mistakes(make_pack, CAUSE, OVERFLOW.replace("config.precision ==", "config.precison =="))
    assert (
        "\n    4 | symptoms: {nan-loss: common}\n    5 | evidence:\n  > 6 |   - {if: config.precison" in text
    )


def test_all_mistakes_are_reported_at_once(make_pack: PackMaker) -> None:
    broken = OVERFLOW.replace("strong, absent", "stronk, absent").replace("use-fp32", "use-fp23")
    with pytest.raises(KnowledgeError) as caught:
        compile_packs(
            [make_pack({CAUSE: broken, "facts/all.yaml": FACTS.replace("type: bool", "type: boole", 1)})]
        )
    said = str(caught.value)
    assert "stronk" in said
    assert "boole" in said


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(FACTS.replace("- {name", "- {{name", 1), id="a file that is no YAML"),
        pytest.param(FACTS.replace("type: bool", "type: boole", 1), id="an entry of another shape"),
        pytest.param(f"all:\n{FACTS}", id="a file of another form"),
    ],
)
def test_who_refers_to_what_could_not_be_read_makes_no_mistake(make_pack: PackMaker, facts: str) -> None:
    said = mistakes(make_pack, "facts/all.yaml", facts)
    assert said.count("facts/all.yaml:") == 1
    assert "there is no fact" not in said


def test_two_entries_with_one_id_do_not_load(make_pack: PackMaker) -> None:
    twice = FACTS + "- {name: loss.first, type: float, means: again}\n"
    assert "a second fact with the id `loss.first`; the first is at pack/facts/all.yaml:3" in mistakes(
        make_pack, "facts/all.yaml", twice
    )


def test_a_file_of_the_wrong_form_is_named(make_pack: PackMaker) -> None:
    assert "a file in facts/ holds a list of fact entries" in mistakes(
        make_pack, "facts/all.yaml", "name: x\n"
    )


def test_a_pack_overrides_by_id_and_says_so(make_pack: PackMaker, tmp_path: Path) -> None:
    own = make_pack({})
    other = tmp_path / "mine" / "causes" / "optimisation" / "lr-too-high.yaml"
    other.parent.mkdir(parents=True)
    other.write_text(RATE.replace("The rate is too high", "Ours"), encoding="utf-8")
    knowledge = load([own, Pack("mine", tmp_path / "mine")])
    assert knowledge.causes["lr-too-high"].title == "Ours"
    assert knowledge.packs == ("replaced: cause lr-too-high (mine)",)


def test_a_pack_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="no such folder"):
        all_packs([tmp_path / "nowhere"])


@pytest.fixture
def settled(make_pack: PackMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pack:
    """A pack whose files are old enough to be cached, and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_SETTLED", -1e9)
    return make_pack({})


def cached(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "traindx").glob("*/core.json"))


def test_a_second_load_comes_from_the_cache(settled: Pack, tmp_path: Path) -> None:
    load([settled])
    (core,) = cached(tmp_path)
    core.write_text(core.read_text().replace("FP16 overflows", "from the cache"))
    assert load([settled]).causes["fp16-overflow"].title == "from the cache"


def test_only_a_load_that_has_to_compile_says_that_it_prepares(settled: Pack) -> None:
    told: list[str] = []

    @contextmanager
    def preparing() -> Iterator[None]:
        told.append("begun")
        yield
        told.append("done")

    load([settled], preparing)
    load([settled], preparing)
    assert told == ["begun", "done"]


def test_a_changed_file_is_seen_even_with_its_old_time_and_size(settled: Pack) -> None:
    load([settled])
    path = settled.root / CAUSE
    before = path.stat()
    path.write_text(OVERFLOW.replace("FP16 overflows", "FP16 overflowz"), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert load([settled]).causes["fp16-overflow"].title == "FP16 overflowz"


def test_a_file_changed_in_a_folder_that_is_a_link_is_seen(settled: Pack, tmp_path: Path) -> None:
    (settled.root / "limits").rename(tmp_path / "elsewhere")
    (settled.root / "limits").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    load([settled])
    path = tmp_path / "elsewhere" / "all.yaml"
    path.write_text(path.read_text().replace("value: 100", "value: 500"), encoding="utf-8")
    assert load([settled]).limits["big"] == 500


def test_files_that_could_still_change_unseen_are_not_cached(
    settled: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_SETTLED", 1e9)
    load([settled])
    assert cached(tmp_path) == []


@pytest.mark.parametrize("poison", [b"", b"\x80\x04K\x01.", b"[1, 2]", b"{", b"null"])
def test_a_broken_cache_is_rebuilt(settled: Pack, tmp_path: Path, poison: bytes) -> None:
    load([settled])
    (core,) = cached(tmp_path)
    core.write_bytes(poison)
    assert load([settled]).causes["fp16-overflow"].title == "FP16 overflows"


def test_a_cache_folder_that_others_can_write_is_not_used(settled: Pack, tmp_path: Path) -> None:
    load([settled])
    (tmp_path / "cache" / "traindx").chmod(0o777)
    (core,) = cached(tmp_path)
    core.write_text(json.dumps({"poisoned": True}))
    assert load([settled]).causes["fp16-overflow"].title == "FP16 overflows"


def test_a_cache_that_cannot_be_written_is_no_error(settled: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/cache")
    assert load([settled]).causes


def test_old_caches_are_tidied_away(settled: Pack, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "traindx"
    folder.mkdir(parents=True, mode=0o700)
    for number in range(20):
        (folder / f"old{number}").mkdir()
        os.utime(folder / f"old{number}", (time.time() - 9000 - number, time.time() - 9000 - number))
    load([settled])
    assert len(list(folder.iterdir())) <= 9


def test_a_number_that_yaml_takes_for_text_is_named_with_its_right_spelling(make_pack: PackMaker) -> None:
    said = mistakes(make_pack, "limits/own.yaml", "- {id: far, value: 1e4, means: Far., source: own}\n")
    assert "`1e4` is text here, and a number is wanted" in said
    assert "in YAML it is written 1.0e+04" in said
