"""Functions that sort a part of what samples hold."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from tests.live.checking import checked
from tests.live.looking import Said


def sentences(count: int, numbered: bool = False) -> list[Any]:
    """Sentences of differing length, and a class of each."""
    made = []
    for number in range(count):
        words = torch.randint(1, 1000, (int(torch.randint(2, 20, ())),))
        made.append((words, number if numbered else int(words[0]) % 3))
    return made


def tagged(count: int) -> list[Any]:
    """Sentences of differing length, and a class of each word."""
    return [{"words": words.tolist(), "tags": (words % 3).tolist()} for words, _ in sentences(count)]


def sort(samples: Any, labels_too: bool = False, tell: bool = False) -> Any:
    """Sort sentences by length, and perhaps their classes with them."""
    words, labels = zip(*samples, strict=True)
    lengths, order = torch.tensor([len(one) for one in words]).sort(descending=True)
    kept = torch.tensor(labels)
    batch = pad_sequence(list(words), batch_first=True)[order], kept[order] if labels_too else kept, lengths
    return (*batch, order) if tell else batch


def sort_words(samples: Any) -> Any:
    """Sort sentences in place, and leave their tags."""
    lengths = torch.tensor([len(one["words"]) for one in samples])
    order = lengths.argsort()
    words = pad_sequence([torch.tensor(samples[int(k)]["words"]) for k in order], batch_first=True)
    tags = pad_sequence([torch.tensor(one["tags"]) for one in samples], batch_first=True, padding_value=-100)
    return {"words": words, "tags": tags, "mask": words > 0}


def loaded(samples: list[Any], put_together: Any, **options: Any) -> Said:
    """What is said of the batches of a loader."""
    with checked() as said:
        data: Any = samples
        for _ in DataLoader(data, batch_size=16, collate_fn=put_together, **options):
            pass
    return said


def test_labels_that_are_not_sorted_with_their_sentences_are_seen() -> None:
    assert loaded(sentences(64), sort)["data.collate_sorts_apart"] is True


def test_tags_that_are_not_sorted_with_their_sentences_are_seen() -> None:
    assert loaded(tagged(64), sort_words)["data.collate_sorts_apart"] is True


@pytest.mark.parametrize(
    "put_together",
    [
        lambda samples: sort(samples, labels_too=True),
        lambda samples: sort(samples, tell=True),
        lambda samples: sort(sorted(samples, key=lambda one: -len(one[0]))),
        lambda samples: (
            pad_sequence([one for one, _ in samples], batch_first=True),
            torch.ones(len(samples)),
        ),
    ],
    ids=["sorted together", "the order is told", "sorted before", "not sorted"],
)
def test_samples_that_stay_whole_are_not(put_together: Any) -> None:
    assert "data.collate_sorts_apart" not in loaded(sentences(64), put_together).facts


def test_numbers_of_samples_may_stay_where_they_were() -> None:
    assert "data.collate_sorts_apart" not in loaded(sentences(64, numbered=True), sort).facts


def test_others_of_the_batch_as_negatives_are_no_fault() -> None:
    def drawn(samples: Any) -> Any:
        words = pad_sequence([one for one, _ in samples], batch_first=True)
        return words, words[torch.randperm(len(words))], torch.tensor([label for _, label in samples])

    assert "data.collate_sorts_apart" not in loaded(sentences(64), drawn).facts


def test_sorted_windows_of_one_length_are_no_fault() -> None:
    def by_size(samples: Any) -> Any:
        windows = torch.stack([one[:2] for one, _ in samples])
        return windows[windows.sum(1).argsort()], torch.tensor([label for _, label in samples])

    assert "data.collate_sorts_apart" not in loaded(sentences(64), by_size).facts
