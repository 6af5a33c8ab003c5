"""Predictions that are products of two tables: how wide they start."""

from __future__ import annotations

from typing import Any

from ..graphs import grad_fn_of
from ..operations import Call
from .check import Check
from .regression import LOSSES
from .tensors import readable

LOGITS = "binary_cross_entropy_with_logits"

FEWEST = 16
"""Predictions of a batch whose spread is told."""

SATURATED = 1.0
"""A spread of scores beyond which, times WIDE, a sigmoid is certain of most of them."""

WIDE = 5.0
"""How many times the spread of the targets is far too much: the first loss is 25 times that of the mean."""

LAID_OUT = ("SqueezeBackward", "UnsqueezeBackward", "ViewBackward", "ReshapeAliasBackward", "UnsafeViewBackward",
            "ExpandBackward", "SelectBackward", "AliasBackward")  # fmt: skip
"""What gives the same numbers another shape."""

ADDED = ("AddBackward", "SubBackward")
"""What may be added to a sum of products: a bias of each user, a mean."""

SUMMED = ("BmmBackward", "MmBackward")
"""Products that are summed over an axis by themselves."""

NODES = 24


class Tables(Check):
    """The scores of a recommender are products of a row of one table and a row of another.

    An embedding draws its rows with a standard deviation of one, so that a product of n numbers starts with that of the root of n:
    the first thing that is learnt is noise, and what is never seen together keeps it.
    """

    name = "products of tables"
    early = 2
    functions = (*LOSSES, LOGITS)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._told = False

    def called(self, call: Call) -> None:
        """A loss returned, in one of the first steps."""
        prediction, target = call.argument(0, "input"), call.argument(1, "target")
        if self._told or not (readable(self.torch, prediction) and readable(self.torch, target)):
            return
        if prediction.shape != target.shape or prediction.numel() < FEWEST:
            return
        if not _is_product_of_tables(grad_fn_of(prediction)):
            return
        self._told = True
        asked = SATURATED if call.name == LOGITS else float(target.detach().float().std())
        spread = float(prediction.detach().float().std())
        if asked > 0 and spread > WIDE * asked:
            self.say("model.init_products_wide", round(spread / asked, 1), call)


def _is_product_of_tables(last: Any) -> bool:
    """Whether this ends in a sum, over one axis, of the products of rows of two embeddings."""
    nodes = [last]
    for node in nodes:
        name = node.name() if node is not None else ""
        if name.startswith((*LAID_OUT, *ADDED)) and len(nodes) < NODES:
            nodes += _parents(node)
        elif name.startswith(SUMMED) and _are_rows(_parents(node)):
            return True
        elif name.startswith("SumBackward1"):
            (product,) = _parents(node) or [None]
            if (
                product is not None
                and product.name().startswith("MulBackward")
                and _are_rows(_parents(product))
            ):
                return True
    return False


def _are_rows(parents: list[Any]) -> bool:
    """Whether two tables were looked up for this, and nothing else was done with what they hold."""
    return len(parents) == 2 and all(_is_row(one) for one in parents)


def _is_row(node: Any) -> bool:
    for _ in range(NODES):
        name = node.name()
        if name.startswith("EmbeddingBackward"):
            return True
        above = _parents(node)
        if not name.startswith((*LAID_OUT, "TransposeBackward", "TBackward")) or len(above) != 1:
            return False
        node = above[0]
    return False


def _parents(node: Any) -> list[Any]:
    return [parent for parent, _ in node.next_functions if parent is not None]
