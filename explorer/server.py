"""The server behind the page: for this machine, and for whoever knows the address, alone.

It listens on 127.0.0.1. The address begins with a random token; every request and every socket without it, or with
another host or origin than the page's own, is refused before anything of the page is asked. A page from elsewhere that
tries (also under a name that resolves to this machine) knows neither. The browser is sent to the address by a file that
only its owner can read: its arguments are seen by everybody on the machine. Nothing but the page and its parts is
served, and the browser is told to load nothing from elsewhere.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, MutableMapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from ..support.errors import InputError
from ..support.loading import optional
from .answers import DESKS
from .view import View

HOST: Final = "127.0.0.1"
TOKEN_BYTES: Final = 24

Scope = MutableMapping[str, Any]


def serve(
    source: str | None = None,
    port: int = 0,
    show: bool = True,
    say: Callable[[str], None] = print,
    rule: str | None = None,
) -> None:
    """Serve the page until Ctrl-C; on a port that is free where ``port`` is 0.

    ``source``: what it shows first, by default the first scenario of the tutorial; ``show``: whether to open the
    browser; ``say``: told the address once the page can be visited; ``rule``: a custom rule, as ``FILE.py:Name``.
    Raises ScenarioError at once for a source that cannot be used, InputError where the system refuses the port.
    """
    from . import page

    first = View.opened(source or page.FIRST, rule)  # an unusable scenario is refused on the command line
    nicegui = optional("nicegui", "explore")
    uvicorn, fastapi = optional("uvicorn", "explore"), optional("fastapi", "explore")
    listening = bound(port)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    address = f"http://{HOST}:{listening.getsockname()[1]}/{token}/"
    outer = fastapi.FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    page.register(first)
    logging.getLogger("nicegui").setLevel(logging.ERROR)  # who asks for pages that do not exist is told so herself
    nicegui.ui.run_with(
        outer,
        title="consortium explorer",
        favicon=page.ICON,
        dark=None,
        mount_path=f"/{token}",
        tailwind=False,
        binding_refresh_interval=None,
        show_welcome_message=False,
    )
    guarded = Guard(outer, token, listening.getsockname()[1])
    config = uvicorn.Config(
        guarded, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    with TemporaryDirectory(prefix="consortium-") as folder:
        way = way_to(address, Path(folder)) if show else None
        threading.Thread(target=_announce, args=(address, way, say, server), daemon=True).start()
        try:
            server.run(sockets=[listening])
        finally:
            for desk in list(DESKS):
                desk.stop()


def bound(port: int) -> socket.socket:
    """A socket of this machine alone on this port, a free one for 0. Raises InputError where the system refuses it."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise InputError(f"--port: {port} cannot be used ({error}); without it a free one is taken") from None
    return listening


def way_to(address: str, folder: Path) -> str:
    """The address of a file in this folder that leads to another address, and that only its owner can read."""
    path = folder / "explorer.html"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write('<!doctype html><title>consortium explorer</title><meta name="referrer" content="no-referrer">\n')
        file.write(f'<meta http-equiv="refresh" content="0; url={address}"><a href="{address}">explorer</a>\n')
    return path.as_uri()


def _announce(address: str, way: str | None, say: Callable[[str], None], server: Any) -> None:
    """Tell the address as soon as somebody answers there."""
    while not server.started:
        if server.should_exit:
            return
        threading.Event().wait(0.02)
    say(address)
    if way is not None:
        webbrowser.open(way)


class Guard:
    """Refuses what does not come from the page itself; see the module."""

    def __init__(self, app: Any, token: str, port: int) -> None:
        self.app = app  # this name is where the toolkit looks for what is behind
        self._prefix = f"/{token}/"
        self._hosts = {f"{HOST}:{port}", f"localhost:{port}"}
        self._headers = [
            (b"content-security-policy", _policy(self._hosts)),
            (b"referrer-policy", b"no-referrer"),
            (b"x-content-type-options", b"nosniff"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
        ]

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answer as an ASGI application."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif self._may(scope):
            await self.app(scope, receive, self._with_headers(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": b"Refused: use the address that was printed.\n"})

    def _may(self, scope: Scope) -> bool:
        headers = [(name, value.decode("latin-1")) for name, value in scope["headers"] if name in (b"host", b"origin")]
        hosts = [value for name, value in headers if name == b"host"]
        origins = [value for name, value in headers if name == b"origin"]
        begin = scope["path"][: len(self._prefix)].encode(errors="replace")
        return (
            secrets.compare_digest(begin, self._prefix.encode())
            and len(hosts) == 1
            and hosts[0] in self._hosts
            and all(origin == f"http://{hosts[0]}" for origin in origins)
        )

    def _with_headers(self, send: Any) -> Any:
        async def sending(message: Scope) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        return sending


def _policy(hosts: set[str]) -> bytes:
    """What the browser may load: what this server sends. The toolkit compiles its templates, and so evaluates code."""
    sockets = " ".join(f"ws://{host}" for host in sorted(hosts))
    return (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data:; font-src 'self' data:; connect-src 'self' {sockets}; frame-ancestors 'none'; "
        "base-uri 'none'; form-action 'none'"
    ).encode()
