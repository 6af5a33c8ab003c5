"""Functions of torch, by what they do with a tensor that was cut from its graph."""

from __future__ import annotations

CUTS = ("detach", "__get__")
"""What gives a tensor without a graph from one with it; `__get__` is that of `.data`."""

DECISIONS = (
    "argmax", "max", "topk", "gt", "ge", "lt", "le", "greater", "less", "__gt__", "__ge__", "__lt__", "__le__",
)  # fmt: skip
"""What gives classes, places or truth values, which have no slope: those of a mask as well. The smallest is looked for in codebooks."""

COUNTED = ("long", "int", "bool", "type", "one_hot", "eq", "__eq__", "ne", "__ne__", "logical_and", "__and__")
"""What is made of these before they are numbers again."""

GRADIENT = "grad"
"""torch.autograd.grad, which gives numbers unless it is told to make a graph of them."""

LAYERS = (
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "embedding",
    "layer_norm",
    "batch_norm",
    "relu",
    "lstm",
    "gru",
)
"""What computes something new where gradients are switched off."""

MAKES = (*LAYERS, "matmul", "__matmul__", "mm", "bmm", "einsum")
"""What makes something of its own of a tensor."""

HANDED_ON = (
    "clone", "to", "float", "contiguous", "reshape", "view", "flatten", "unsqueeze", "squeeze", "permute", "transpose",
    "__getitem__", "cat", "stack", "matmul", "__matmul__", "mm", "bmm", "einsum", "normalize", "interpolate", "softmax",
    "log_softmax", "sigmoid", "clamp", "mul", "__mul__", "__rmul__", "div", "__truediv__", "sub", "__sub__", "__rsub__",
    "rsub", "neg", "__neg__", "pow", "__pow__", "square", "abs", "sqrt", "exp", "log", "log1p", "mean", "sum", "norm",
    "vector_norm", "avg_pool2d", "adaptive_avg_pool2d", "max_pool2d", "cosine_similarity", "pairwise_distance",
    "l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss", "cross_entropy", "nll_loss", "kl_div",
    "binary_cross_entropy", "binary_cross_entropy_with_logits",
)  # fmt: skip
"""What is computed from it and has no graph either. The largest of several is no term: it keeps a sum in range."""

SUMS = ("add", "__add__", "__radd__", "__iadd__", "add_")

JOINS = ("stack", "cat")
"""What puts the terms of a sum side by side."""
