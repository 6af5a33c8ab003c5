"""What a signature of prose is written to find, the reader hears: no rule about negations takes it back."""

from __future__ import annotations

from traindx.engine.kb.load import load, read_packs
from traindx.engine.kb.packs import own_pack
from traindx.probes.prose import ProseReader


def test_every_sentence_that_a_signature_of_prose_finds_is_heard() -> None:
    knowledge = load([own_pack()])
    reader = ProseReader(knowledge)
    models = {name: entry.model for name, entry in read_packs([own_pack()]).of("signature").items()}
    finds = {name: model.finds for name, model in models.items() if name in knowledge.prose_signatures}
    assert len(finds) > 500
    unheard = [
        (name, sentence)
        for name, sentences in finds.items()
        for sentence in sentences
        if name not in {rule.id for rule, _ in reader.signatures(sentence)}
    ]
    assert unheard == []
