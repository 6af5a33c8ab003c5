"""The command `diagnose`."""


def main() -> None:
    """Run the command."""
