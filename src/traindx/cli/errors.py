"""One boundary turns errors into a message and an exit code. Anything it does not know is a fault of ours."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

import click

from .exit_codes import BAD_CALL, INTERRUPTED, NOTHING_FOUND, OUR_FAULT


class BadCall(click.ClickException):
    """Something wrong with the call or an input. The message names it and what to do."""

    exit_code = BAD_CALL

    def show(self, file: object = None) -> None:
        """Print the message to standard error."""
        from traindx.engine.redact import safe

        click.echo(f"diagnose: {safe(self.message)}", err=True)


def guarded(run: Callable[[], int | None]) -> int:
    """Run a command and give its exit code; no exception gets past here."""
    try:
        return run() or NOTHING_FOUND
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        error.show()
        return BAD_CALL
    except (click.Abort, KeyboardInterrupt):
        click.echo("diagnose: stopped", err=True)
        return INTERRUPTED
    except (BrokenPipeError, SystemExit) as left:
        if isinstance(left, SystemExit) and left.code != 1:
            raise
        # The reader went away (`| head`), for which click leaves with 1. Nothing more can be said, and nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOTHING_FOUND
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            return _ours(error)
        click.echo(
            "diagnose: what was to be printed does not fit: the disk behind standard output is full", err=True
        )
        return BAD_CALL
    except Exception as error:  # noqa: BLE001 - the one boundary; it shows everything
        return _ours(error)


def _ours(error: Exception) -> int:
    import traceback

    from traindx import __version__
    from traindx.engine.redact import safe

    click.echo(safe("".join(traceback.format_exception(error))), err=True, nl=False)
    click.echo(
        f"diagnose: this is a fault of traindx {__version__}, not of your run. "
        "Please report it with the lines above.",
        err=True,
    )
    return OUR_FAULT
