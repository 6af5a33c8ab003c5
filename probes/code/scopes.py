"""Where names get their values in one file: blocks inside blocks, and the definitions in each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ast_grep_py import SgNode

Key: TypeAlias = int | str
"""What is taken of a value: a position, a key or attribute, or EACH of its elements."""
EACH = "*"


@dataclass(slots=True, eq=False)
class Definition:
    """A name gets a value."""

    name: str
    """As written: `x`, or `self.x`."""
    value: SgNode | None
    """None where the value is not seen: a parameter, an import."""
    path: tuple[Key, ...]
    """What is taken of the value: `b` in `a, b = f()` is its element 1."""
    at: int
    """Where it has happened: the end of the statement."""
    block: Block
    kind: str = "assign"
    """`assign`, `augment` (`+=`), `add` (`x.append(v)`), `entry` (`x[k] = v`), `parameter` or `import`."""
    key: Key | None = None
    """The key of an entry, where it is a literal."""

    @property
    def is_code(self) -> bool:
        """Whether the name is that of a function or class."""
        return self.value is not None and self.value.kind() in ("function_definition", "class_definition")

    @property
    def always(self) -> bool:
        """Whether it happens whenever its function runs, or with its class."""
        return self.block.kind == "class" or self.block.always_in(self.block.scope)


@dataclass(slots=True, eq=False)
class Block:
    """A body of statements."""

    kind: str
    """`module`, `class`, `function`, `loop`, `branch` (may not run) or `plain`."""
    node: SgNode
    start: int
    end: int
    parent: Block | None
    choice: int = -1
    """The start of the `if` or `try` of which this is one branch: no other branch of it runs too."""
    name: str = ""
    """Of a function or class."""
    inner: list[Block] = field(default_factory=list)
    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    """Of a module, class or function: by name, in the order of the text."""
    parameters: list[str] = field(default_factory=list)
    returns: list[tuple[SgNode, Block]] = field(default_factory=list)
    """What a function gives back, and where."""

    @property
    def scope(self) -> Block:
        """The function, class or module whose names these are."""
        block = self
        while block.kind not in ("module", "class", "function") and block.parent:
            block = block.parent
        return block

    @property
    def owner(self) -> Block | None:
        """The class of a method."""
        around = self.parent.scope if self.parent else None
        return around if self.kind == "function" and around and around.kind == "class" else None

    def at(self, position: int) -> Block:
        """The innermost block around a position."""
        block = self
        while block.inner:
            index = bisect_right(block.inner, position, key=lambda one: one.start) - 1
            if index < 0 or position >= block.inner[index].end:
                break
            block = block.inner[index]
        return block

    def always_in(self, function: Block) -> bool:
        """Whether this block runs whenever the function does."""
        for block in self.upwards():
            if block is function:
                return True
            if block.kind == "branch":
                return False
        return False

    def upwards(self) -> Iterator[Block]:
        """This block and those around it, the innermost first."""
        block: Block | None = self
        while block:
            yield block
            block = block.parent


def reaching(
    found: list[Definition], position: int, block: Block, *, through_augment: bool
) -> Iterator[tuple[Definition, bool]]:
    """The definitions of one name that a use may see, and whether that is sure.

    The last one that always runs before the use hides those before it, and one in a branch casts
    doubt on them; in a loop, one after the use is seen from the second turn on.
    """
    around = list(block.upwards())
    choices = {one.choice: one for one in around if one.choice >= 0}
    hiding: Block | None = None
    replaced = False
    for one in reversed(found):
        if one.at > position or (choices and _other_branch(one.block, choices)):
            continue
        always = _always(one.block, around)
        yield one, always and not replaced
        if one.kind not in ("augment", "add", "entry") or (one.kind == "augment" and not through_augment):
            replaced = True
            if always:
                hiding = one.block
                break
    for loop in around:
        if loop is hiding or loop.kind in ("function", "module", "class"):
            break
        if loop.kind == "loop" and (hiding is None or loop not in hiding.upwards()):
            yield from ((one, _always(one.block, around)) for one in found if position < one.at <= loop.end)
            break


def _always(block: Block, around: list[Block]) -> bool:
    """Whether a block runs whenever the innermost one of `around` does."""
    for one in block.upwards():
        if one in around:
            return True
        if one.kind == "branch":
            return False
    return False


def _other_branch(block: Block, choices: dict[int, Block]) -> bool:
    """Whether a block is another branch of something of which one branch is taken already."""
    return any(one.choice in choices and choices[one.choice] is not one for one in block.upwards())


def constant(node: SgNode) -> Key | None:
    """A literal key or index; None for anything else."""
    text = node.text()
    if node.kind() == "string":
        return text.strip("\"'")
    if node.kind() in ("integer", "unary_operator"):
        try:
            return int(text)
        except ValueError:
            return None
    return None
