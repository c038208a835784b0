"""Floor 9: the command line. It parses arguments, shows progress, prints what lower floors return, sets exit codes."""

import gc
import os
import signal
import sys

QUIET = {"OPENBLAS_NUM_THREADS": "1", "PYDANTIC_DISABLE_PLUGINS": "__all__"}
"""What takes a tenth of a second at every start and is no use here: exact numbers know no BLAS, options no plugins."""
GARBAGE = 100_000
"""Objects made before the collector of garbage looks at them: modules are none, however many there are."""


def main() -> None:
    """Entry point of the command ``consortium``: it answers Ctrl-C from here on, before anything heavy is imported."""
    try:
        gc.set_threshold(GARBAGE)
        os.environ.update({name: value for name, value in QUIET.items() if name not in os.environ})
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
