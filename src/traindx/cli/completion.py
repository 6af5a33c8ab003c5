"""Completion for bash, zsh and fish."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class

from .group import COMMANDS, COMPLETE, choose


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash:  diagnose completion bash >> ~/.bashrc
    zsh:   diagnose completion zsh >> ~/.zshrc
    fish:  diagnose completion fish > ~/.config/fish/completions/diagnose.fish
    """
    click.echo(_shell(shell).source())


def complete(instruction: str) -> int:
    """Answer a shell that asks for completions: `bash_complete`, `zsh_complete`, `fish_complete`."""
    shell, _, wanted = instruction.partition("_")
    asked = _shell(shell)
    if wanted == "source":
        click.echo(asked.source())
        return 0
    args, incomplete = asked.get_completion_args()
    for item in _items(shell, args, incomplete):
        click.echo(asked.format_completion(item))
    return 0


def _items(shell: str, args: list[str], incomplete: str) -> list[CompletionItem]:
    command, _, rest = choose(args)
    found = _completion_of(shell, command).get_completions(rest, incomplete)
    if args:
        return found
    return [CompletionItem(name) for name in COMMANDS if incomplete and name.startswith(incomplete)] + found


def _completion_of(shell: str, command: click.Command) -> ShellComplete:
    """How a shell completes one command."""
    found = get_completion_class(shell)
    assert found is not None
    return found(command, {}, "diagnose", COMPLETE)


def _shell(shell: str) -> ShellComplete:
    return _completion_of(shell, click.Command("diagnose"))
