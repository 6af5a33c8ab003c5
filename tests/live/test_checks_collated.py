"""Functions that sort a part of what samples hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from tests.live.checking import checked
from tests.live.looking import Said
from tests.live.running import watch


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


UNSHIFTED = "data.indices_not_shifted"


def graphs(count: int) -> list[dict[str, torch.Tensor]]:
    """Rings of differing size, each edge in both directions."""
    made = []
    for _ in range(count):
        size = int(torch.randint(4, 12, ()))
        nodes = torch.arange(size)
        ring = torch.stack([nodes, (nodes + 1) % size])
        made.append({"x": torch.randn(size, 3), "edges": torch.cat([ring, ring.flip(0)], dim=1)})
    return made


def join(samples: Any, shifted: bool = False, across: bool = False) -> dict[str, torch.Tensor]:
    """One graph of many that do not touch, where the edges are moved on."""
    sizes = torch.tensor([0] + [len(one["x"]) for one in samples]).cumsum(0).tolist()
    edges = [one["edges"] + (first if shifted else 0) for one, first in zip(samples, sizes, strict=False)]
    joined = torch.cat(edges, dim=1)
    return {"x": torch.cat([one["x"] for one in samples]), "edges": joined.t() if across else joined}


def of_nodes(samples: Any) -> dict[str, torch.Tensor]:
    """And of which graph each node is, which pooling needs."""
    owner = [torch.full((len(one["x"]),), number) for number, one in enumerate(samples)]
    return {**join(samples), "owner": torch.cat(owner)}


@pytest.mark.parametrize("put_together", [join, lambda samples: join(samples, across=True), of_nodes])
def test_edges_that_all_point_to_the_first_graph_are_seen(put_together: Any) -> None:
    assert loaded(graphs(64), put_together)[UNSHIFTED] is True


def with_counts(samples: Any) -> Any:
    return join(samples), [len(one["x"]) for one in samples]


def with_graph_of_edge(samples: Any) -> Any:
    owner = [torch.full((one["edges"].shape[1],), number) for number, one in enumerate(samples)]
    return join(samples), torch.cat(owner)


def as_list(samples: Any) -> Any:
    return [one["x"] for one in samples], [one["edges"] for one in samples]


@pytest.mark.parametrize(
    "put_together", [lambda samples: join(samples, shifted=True), with_counts, with_graph_of_edge, as_list]
)
def test_edges_that_are_moved_on_or_that_the_model_may_move_are_fine(put_together: Any) -> None:
    assert UNSHIFTED not in loaded(graphs(64), put_together).facts


def test_pairs_of_labels_that_are_joined_point_to_no_rows() -> None:
    """Each word of a sentence has its part of speech, and the class of its name."""

    def sample() -> tuple[torch.Tensor, torch.Tensor]:
        size = int(torch.randint(4, 30, ()))
        return torch.randn(size, 3), torch.randint(0, 6, (size, 2))

    def put_together(samples: Any) -> Any:
        return tuple(torch.cat(one) for one in zip(*samples, strict=True))

    assert UNSHIFTED not in loaded([sample() for _ in range(64)], put_together).facts


IN_WORKER = """
import torch
from torch import nn
from torch.utils.data import DataLoader

def graph():
    size = int(torch.randint(4, 12, ()))
    nodes = torch.arange(size)
    ring = torch.stack([nodes, (nodes + 1) % size])
    return torch.randn(size, 3), torch.cat([ring, ring.flip(0)], dim=1)

def join(samples):
    return tuple(torch.cat(one, dim) for dim, one in enumerate(zip(*samples)))

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.01)
for _ in range(2):
    for x, edges in DataLoader([graph() for _ in range(64)], batch_size=8, collate_fn=join, num_workers=2):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
"""


def test_what_a_worker_puts_together_is_told_and_a_list_is_a_data_set(tmp_path: Path) -> None:
    ran = watch(IN_WORKER, tmp_path)
    assert (ran.code, ran.of("trouble")) == (0, []), ran.err
    assert [one["value"] for one in ran.of("fact") if one["name"] == UNSHIFTED][:1] == [True]
