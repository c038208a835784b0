"""Floor 7: the command line. It parses arguments, shows progress, prints what lower floors return, sets exit codes."""


def main() -> None:
    """Entry point of the command ``consortium``."""
    from .app import entry

    entry()
