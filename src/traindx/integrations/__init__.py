"""Watch a run of a training library: each of these imports its library when it is asked for.

trainer.add_callback(traindx.integrations.TrainerCallback())      transformers
Trainer(callbacks=[traindx.integrations.Callback()])              Lightning
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .lightning import Callback as Callback
    from .transformers import TrainerCallback as TrainerCallback


def __getattr__(name: str) -> Any:
    """The callback of a library. Raises ImportError where the library is not installed."""
    if name == "TrainerCallback":
        from .transformers import TrainerCallback

        return TrainerCallback
    if name == "Callback":
        from .lightning import Callback

        return Callback
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
