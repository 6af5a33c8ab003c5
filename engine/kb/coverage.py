"""Which playbook items the knowledge base covers, by whom, and which are missing."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from .knowledge import Knowledge


@dataclass(frozen=True, slots=True)
class Item:
    """One thing a playbook says, and the entries that cite it."""

    id: str
    kind: str
    says: str
    cited_by: tuple[str, ...]
    """`cause fp16-overflow`, `fix use-bf16` ..."""
    later: str
    """What is still missing, where it is not done."""

    @property
    def done(self) -> bool:
        """Whether it works: something cites it, and nothing is said to be missing."""
        return bool(self.cited_by) and not self.later


def coverage(knowledge: Knowledge) -> list[Item]:
    """All items, in the order of their ids."""
    cited: dict[str, list[str]] = defaultdict(list)
    for kind, entries in knowledge.pages["sources"].items():
        for name, sources in entries.items():
            for source in sources:
                cited[source].append(f"{kind} {name}")
    return [
        Item(name, one["kind"], one["says"], tuple(sorted(cited[name])), one["later"])
        for name, one in sorted(knowledge.pages["playbook"].items())
    ]
