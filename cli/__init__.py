"""Floor 7: the command line. It parses arguments, shows progress, prints what lower floors return, sets exit codes."""

import signal
import sys


def main() -> None:
    """Entry point of the command ``consortium``: it answers Ctrl-C from here on, before anything heavy is imported."""
    try:
        from .stopping import answer_signals

        answer_signals()
        from .app import ended

        code = ended(sys.argv[1:])
    except KeyboardInterrupt:  # before ``ended`` could answer it, or after all was printed
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        from .exits import NO_ANSWER, STOPPED

        code = STOPPED
        if sys.stderr is not None:
            sys.stderr.write(NO_ANSWER.format("Ctrl-C") + "\n")
    from .stopping import leave

    leave(code)
