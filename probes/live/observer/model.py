"""The modules that hold an optimizer's parameters, found among the live objects."""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from .registry import Registry

WRAPPERS = ("_orig_mod.", "module.", "_fsdp_wrapped_module.", "_forward_module.")
"""What the wrappers of torch.compile, DataParallel, DDP, FSDP and Fabric put in front of every name."""


@dataclass
class ModelSeen:
    """What one optimizer trains. Neither the optimizer nor a module is kept alive.

    `names`: qualified names without the names of wrappers, by id of the parameter, of all parameters of the roots.
    `modules`: the same of all modules.
    """

    number: int
    names: dict[int, str]
    modules: dict[int, str]
    _optimizer: weakref.ref[torch.optim.Optimizer]
    _roots: list[weakref.ref[torch.nn.Module]]
    _chain: list[weakref.ref[torch.nn.Module]]

    @property
    def optimizer(self) -> torch.optim.Optimizer:
        """The optimizer. Raises ReferenceError where the script has dropped it."""
        found = self._optimizer()
        if found is None:
            raise ReferenceError("the optimizer is gone")
        return found

    @property
    def is_alive(self) -> bool:
        """Whether the script still holds the optimizer."""
        return self._optimizer() is not None

    @property
    def roots(self) -> list[torch.nn.Module]:
        """The outermost modules that hold its parameters (mostly one, wrappers included)."""
        return _alive(self._roots)

    @property
    def chain(self) -> list[torch.nn.Module]:
        """The roots and all modules below them that hold all that the optimizer has in that root, outermost first.

        Whichever of them the script calls is "the model" of that call.
        """
        return _alive(self._chain)

    def name_of(self, parameter: torch.Tensor) -> str:
        """The qualified name of a parameter, or its place in the optimizer where no module holds it."""
        known = self.names.get(id(parameter))
        if known is not None:
            return known
        for number, one in enumerate(held(self.optimizer)):
            if one is parameter:
                return f"parameter {number} of {type(self.optimizer).__name__}"
        return "a parameter outside the model"

    def parameters(self) -> Iterator[tuple[str, torch.nn.Parameter]]:
        """Every parameter of the roots once, with its name, in the order of the modules."""
        seen = set()
        for root in self.roots:
            for parameter in root.parameters():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield self.names.get(id(parameter), "?"), parameter

    def is_adapted(self, named: re.Pattern[str]) -> bool:
        """Whether parameters of such names train, or a matrix of a module's own does beside a frozen layer below, as of a low-rank adapter."""
        return any(named.search(name) for name, one in self.parameters() if one.requires_grad) or any(
            any(own.requires_grad and own.dim() > 1 for own in module.parameters(recurse=False))
            and any(
                one.dim() > 1 and not one.requires_grad
                for child in children(module)
                for one in child.parameters()
            )
            for module in self.each_module()
        )

    def each_module(self) -> list[torch.nn.Module]:
        """Every module of the roots once."""
        return list({id(one): one for root in self.roots for one in root.modules()}.values())


def held(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    """The parameters of an optimizer, in its order."""
    return [one for group in optimizer.param_groups for one in group["params"]]


def find_model(registry: Registry, optimizer: torch.optim.Optimizer, number: int) -> ModelSeen:
    """Look for the modules of the optimizer's parameters; among all live objects, where others do not hold them."""
    wanted = {id(one) for one in held(optimizer)}
    holders = _holders(registry.heard(), wanted)
    if wanted - set().union(*(holds for _, holds in holders.values())):
        holders = _holders(registry.all_alive(), wanted)
    inner = {id(child) for module, _ in holders.values() for child in children(module)}
    roots = [module for key, (module, _) in holders.items() if key not in inner]
    chain = [one for root in roots for one in _chain(root, holders)]
    names, modules_named = _names(roots)
    return ModelSeen(
        number,
        names,
        modules_named,
        weakref.ref(optimizer),
        [weakref.ref(one) for one in roots],
        [weakref.ref(one) for one in chain],
    )


def _alive(modules: list[weakref.ref[torch.nn.Module]]) -> list[torch.nn.Module]:
    return [one for one in (ref() for ref in modules) if one is not None]


def children(module: torch.nn.Module) -> list[torch.nn.Module]:
    """The modules directly below this one; a half-made module has none."""
    return [one for one in (vars(module).get("_modules") or {}).values() if one is not None]


def _holders(modules: list[torch.nn.Module], wanted: set[int]) -> dict[int, tuple[torch.nn.Module, set[int]]]:
    """The modules that hold wanted parameters, with those that they hold, by id of the module."""
    found: dict[int, set[int]] = {}

    def holds(module: torch.nn.Module) -> set[int]:
        key = id(module)
        if key not in found:
            found[key] = set()  # a module within itself ends here
            own = {id(one) for one in (vars(module).get("_parameters") or {}).values()} & wanted
            found[key] = own.union(*(holds(child) for child in children(module)))
        return found[key]

    return {id(one): (one, holds(one)) for one in modules if holds(one)}


def _chain(
    root: torch.nn.Module, holders: dict[int, tuple[torch.nn.Module, set[int]]]
) -> Iterator[torch.nn.Module]:
    """The root, and each module below it that holds all that the root holds."""
    all_of_it = holders[id(root)][1]
    one: torch.nn.Module | None = root
    while one is not None:
        yield one
        one = next(
            (child for child in children(one) if id(child) in holders and holders[id(child)][1] == all_of_it),
            None,
        )


def _names(roots: list[torch.nn.Module]) -> tuple[dict[int, str], dict[int, str]]:
    """Names of the parameters and of the modules; with several roots the class of the root stands in front."""
    parameters: dict[int, str] = {}
    modules: dict[int, str] = {}
    for root in roots:
        kind = type(root).__name__ if len(roots) > 1 else ""
        for name, module in root.named_modules():
            plain = ".".join(filter(None, (kind, unwrapped(name))))
            modules.setdefault(id(module), plain)
            for own, parameter in module.named_parameters(recurse=False):
                parameters.setdefault(id(parameter), f"{plain}.{own}".lstrip("."))
    return parameters, modules


def unwrapped(name: str) -> str:
    """The name without what wrappers put in front: `module.fc.weight` is `fc.weight`."""
    while True:
        for wrapper in WRAPPERS:
            if (name + ".").startswith(wrapper):
                name = name[len(wrapper) :]
                break
        else:
            return name
