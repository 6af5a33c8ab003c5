"""What a loss is, by the name it is printed under."""

from __future__ import annotations

from traindx.engine.kb.knowledge import Knowledge

from .printed_words import words_of


class NamedLosses:
    """The words of such names."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._discriminator = knowledge.words["of-discriminator"]
        self._perhaps_discriminator = knowledge.words["perhaps-of-discriminator"]
        self._gan = knowledge.words["of-gan"]
        self._generator = knowledge.words["of-generator"]
        self._density = knowledge.words["of-density"]
        self._held_down = knowledge.words["held-down"]
        self._root = knowledge.words["of-a-root"]
        self._of_divergence = knowledge.words["of-divergence"]

    def is_of_discriminator(self, printed: str, *, gan: bool) -> bool:
        """Whether a loss, by the name it is printed under, is that of a discriminator; `gan` that others are a GAN's for sure."""
        words = printed.split()
        sure = not self._discriminator.isdisjoint(words)
        return sure or (gan and not self._perhaps_discriminator.isdisjoint(words))

    def is_of_gan(self, printed: str) -> bool:
        """Whether nothing but a GAN has a loss that is printed under this name."""
        return not self._gan.isdisjoint(printed.split())

    def is_of_generator(self, printed: str) -> bool:
        """The same for a generator."""
        return not self._generator.isdisjoint(printed.split())

    def is_of_density(self, printed: str) -> bool:
        """Whether a loss, by the name it is printed under, is a likelihood and may go below zero."""
        return not self._density.isdisjoint(printed.split())

    def is_divergence(self, printed: str) -> bool:
        """Whether this is the divergence between a latent code and its prior."""
        return not self._of_divergence.isdisjoint(words_of(printed))

    def is_held_down(self, printed: str) -> bool:
        """Whether what a term of the loss stands for is kept where it is, and not learnt."""
        return not self._held_down.isdisjoint(words_of(printed))

    def is_root(self, printed: str) -> bool:
        """Whether this is the root of a mean square, which is no measure beside the square itself."""
        return not self._root.isdisjoint(words_of(printed))
