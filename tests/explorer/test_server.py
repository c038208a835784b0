"""Nothing is answered without the token, under another name of the machine, or for another page."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import socket
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from consortium.explorer import page
from consortium.explorer.answers import Desk
from consortium.explorer.server import HOST, Guard, bound, serve
from consortium.support.errors import InputError

TOKEN, PORT = "s3cret", 4321


def answered(path: str, kind: str = "http", **headers: str | list[str]) -> Any:
    """The status of what is sent back; ``None`` where the page is reached."""
    sent: list[dict[str, Any]] = []
    reached: list[object] = []

    async def app(scope: object, receive: object, send: Any) -> None:
        reached.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, given in {"host": f"{HOST}:{PORT}", **headers}.items()
           for value in ([given] if isinstance(given, str) else given)]  # fmt: skip
    asyncio.run(Guard(app, TOKEN, PORT)({"type": kind, "path": path, "headers": raw}, receive, send))
    if reached:
        assert b"default-src 'self'" in dict(sent[0]["headers"])[b"content-security-policy"]
        return None
    return sent[0].get("status", sent[0].get("code"))


def test_the_page_reaches_who_knows_the_address() -> None:
    assert answered(f"/{TOKEN}/") is None
    assert answered(f"/{TOKEN}/_nicegui_ws/socket.io", "websocket", origin=f"http://{HOST}:{PORT}") is None
    assert answered(f"/{TOKEN}/", host=f"localhost:{PORT}", origin=f"http://localhost:{PORT}") is None


@pytest.mark.parametrize(
    "path", ["/", "/docs", "/openapi.json", f"/{TOKEN}", f"/{TOKEN}x/", f"//{TOKEN}/", "/S3CRET/", "/ü/"]
)
@pytest.mark.parametrize(("kind", "refusal"), [("http", 403), ("websocket", 1008)])
def test_without_the_token_everything_is_refused(path: str, kind: str, refusal: int) -> None:
    assert answered(path, kind) == refusal


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": f"evil.example:{PORT}"},
        {"host": HOST},
        {"host": f"{HOST}:{PORT + 1}"},
        {"host": []},
        {"host": [f"{HOST}:{PORT}", "evil.example"]},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://{HOST}:{PORT}"},
        {"origin": f"http://localhost:{PORT}"},
    ],
)
def test_other_hosts_and_pages_are_refused(headers: dict[str, Any]) -> None:
    assert answered(f"/{TOKEN}/", **headers) == 403
    assert answered(f"/{TOKEN}/x", "websocket", **headers) == 1008


def test_it_listens_on_this_machine_alone_and_says_which_port_is_taken() -> None:
    with bound(0) as first:
        address, port = first.getsockname()
        assert address == "127.0.0.1"
        first.listen()
        with pytest.raises(InputError, match=rf"--port: {port} cannot be used \(.*in use.*\)"):
            bound(port)
    with bound(port) as again:
        assert isinstance(again, socket.socket)


def test_the_browser_is_sent_by_a_file_and_ctrl_c_also_ends_the_process_of_a_tab(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nicegui, uvicorn = pytest.importorskip("nicegui"), pytest.importorskip("uvicorn")
    before, desk = multiprocessing.active_children(), Desk()

    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)

    def run(server: Any, sockets: list[socket.socket]) -> None:
        sockets[0].close()
        server.started = True
        while not opened:
            time.sleep(0.01)
        (found,) = opened
        file = Path(url2pathname(urlsplit(found).path))
        assert urlsplit(found).scheme == "file"
        assert file.stat().st_mode & 0o077 == 0
        assert f"url={said[0]}" in file.read_text()
        assert said[0].split("/")[3] not in found  # what the browser is called with, everybody may see
        assert asyncio.run(desk.ask(os.getpid)) in {child.pid for child in multiprocessing.active_children()}
        raise KeyboardInterrupt

    monkeypatch.setattr(uvicorn.Server, "run", run)
    monkeypatch.setattr(nicegui.ui, "run_with", lambda *_, **__: None)
    monkeypatch.setattr(page, "register", lambda _: None)
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        serve(say=said.append)
    assert not Path(url2pathname(urlsplit(opened[0]).path)).parent.exists()
    assert multiprocessing.active_children() == before
