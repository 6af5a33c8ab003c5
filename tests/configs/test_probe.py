from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traindx.engine.facts import Origin
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.configs.probe import ConfigProbe
from traindx.probes.inputs import Input, Kind

from .conftest import Reads


def test_a_fact_knows_its_line_and_column(read: Reads) -> None:
    place = read({"train.yaml": "seed: 1\noptim:\n  lr: 5e-5  # low\n"}).fact("learning_rate").place
    assert place is not None
    assert (place.input, place.line, place.column, place.text) == ("train.yaml", 3, 7, "lr: 5e-5  # low")


def test_what_was_recognised_is_a_fact(read: Reads) -> None:
    fact = read({"a.yaml": "per_device_train_batch_size: 4\nnum_train_epochs: 1\n"}).fact("dialect")
    assert (fact.value, fact.note) == ("hf-v4", "recognised as Hugging Face transformers 4")


def test_the_names_of_all_keys_are_known(read: Reads) -> None:
    fact = read({"a.yaml": "model:\n  depth: 50\n  heads: [{width: 4}]\n"}).fact("keys")
    assert fact.value == ("model", "depth", "heads", "width")


def test_a_script_given_as_code_is_code(read: Reads) -> None:
    assert read({}, {"train.py": "lr = 0.1\n"}).fact("learning_rate").origin is Origin.CODE
    assert read({"config.py": "learning_rate = 0.1\n"}).fact("learning_rate").origin is Origin.CONFIG


def test_settings_written_by_a_script_into_a_file(read: Reads) -> None:
    run = read(
        {
            "run.sh": 'cat > ds.json <<EOF\n{"zero_optimization": {"stage": 3},\n "gradient_clipping": 0.5}\nEOF\ndeepspeed t.py\n'
        }
    )
    place = run.fact("grad_clip_norm").place
    assert place is not None
    assert (run["grad_clip_norm"], place.line) == (0.5, 3)


@pytest.mark.parametrize(
    ("content", "note", "bad"),
    [
        (b"", "empty", True),
        (
            b"\x80\x04\x95\x00",
            "a pickle or an archive, which is never opened; hand in the text it was made from",
            True,
        ),
        (b"lr: 1\x00\x00", "binary, not text", True),
        (b"a: \xff\xfe1\n", "not valid UTF-8; read as Latin-1", False),
        (b"lr: [1\n", "line 2: while parsing a flow sequence, did not find expected ',' or ']'", True),
        (b"just words\n", "line 1: a single value and no settings", True),
    ],
)
def test_what_cannot_be_read_is_said(read: Reads, content: bytes, note: str, bad: bool) -> None:
    seen = read({"c.yaml": content}).findings.inputs[0]
    assert seen.note.startswith(note) or note in seen.note
    assert seen.bad is bad


def test_a_file_that_is_too_large_is_refused(read: Reads) -> None:
    assert "larger than" in read({"c.yaml": b"#" * (9 << 20)}).findings.inputs[0].note


def test_a_file_that_is_not_there(read: Reads, tmp_path: Path) -> None:
    assert read({"c.yaml": tmp_path / "missing.yaml"}).findings.inputs[0].note == "no such file"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_encodings_are_told_apart(read: Reads, encoding: str) -> None:
    assert read({"c.yaml": "lr: 0.1  # größer\n".encode(encoding)})["learning_rate"] == 0.1


def test_a_compressed_file_is_read(read: Reads) -> None:
    assert read({"c.yaml.gz": gzip.compress(b"lr: 0.1\n")})["learning_rate"] == 0.1


def test_what_the_probe_gives_depends_on_what_there_is(knowledge: Knowledge) -> None:
    nothing = ConfigProbe([Input("train.log", Kind.LOG, data=b"x")], knowledge)
    assert (nothing.gives, nothing.asked_for) == (frozenset(), False)
    assert "config.*" in ConfigProbe([Input("c.yaml", Kind.CONFIG, data=b"")], knowledge).gives


def test_every_fact_it_gives_is_declared(knowledge: Knowledge, read: Reads) -> None:
    text = "per_device_train_batch_size: 4\nlerning_rate: 1\nnum_train_epochs: 0\nevaluation_strategy: epoch\nlr: 1e-4\nlr: 2\n"
    run = read({"c.yaml": text, "d.json": '{"a" 1}', "e.sh": "export A=1\n"})
    names = {fact.name for fact in run.findings.facts if fact.name.startswith("config.")}
    assert names <= set(knowledge.facts)


SCRAPS = st.lists(
    st.sampled_from([
        "lr: 1", "{", "}", "[", '"a": 1', ",", "fp16=True", "--lr 1", "python t.py", "$X", "\\\n", "<<EOF", "EOF", "'", '"', "\t", "- ",
        "&a", "*a", "<<: *a", "${lr}", "{{x}}", "#SBATCH --mem=", "---", "\r\n", "\n", "  ", "def f(", "lr = 1", "[a]", "1e-5", "é", "\x85", "$(", "`",
    ]),
    max_size=25,
).map("".join)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(SCRAPS.map(str.encode), st.binary(max_size=60)),
    st.sampled_from(
        ["a.yaml", "a.json", "a.toml", "a.py", "a.sh", "a.ini", "a.ipynb", "x", "requirements.txt"]
    ),
    st.sampled_from([Kind.CONFIG, Kind.CODE]),
)
def test_no_bytes_whatever_raise(knowledge: Knowledge, content: bytes, name: str, kind: Kind) -> None:
    probe = ConfigProbe([Input(name, kind, data=content)], knowledge)
    for fact in probe.run().facts:
        assert fact.places == () or fact.places[0].line is None or fact.places[0].line >= 1
