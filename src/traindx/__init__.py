"""Find out why a training run fails, and what to change."""

__version__ = "0.1.0"
