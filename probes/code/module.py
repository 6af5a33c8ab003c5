"""One file of code: its text as it is searched, its syntax tree, and its blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .binding import blocks_of
from .canonical import canonical
from .index import Index
from .ready import Rule
from .scopes import Block
from .search import Search
from .source import Source, vocabulary

if TYPE_CHECKING:
    from ast_grep_py import SgNode


@dataclass(eq=False)
class Module:
    """One file."""

    source: Source
    idioms: Mapping[str, Rule]

    @cached_property
    def text(self) -> str:
        """What is searched: the file with names as libraries know them, line by line."""
        return canonical(self.source.text)

    @cached_property
    def index(self) -> Index:
        """The syntax tree. There is one for any text; what does not parse is an ERROR node in it."""
        from ast_grep_py import SgRoot

        return Index(SgRoot(self.text, "python").root())

    @cached_property
    def search(self) -> Search:
        """Looks for rules in it."""
        return Search(self.index, self.idioms, vocabulary(self.text))

    @cached_property
    def block(self) -> Block:
        """The blocks and definitions."""
        return blocks_of(self.index.root)

    def find(self, rule: Rule, constraints: Mapping[str, Rule] | None = None) -> Sequence[SgNode]:
        """Where a rule matches.

        Raises BadRule.
        """
        return self.search.find(rule, constraints)
