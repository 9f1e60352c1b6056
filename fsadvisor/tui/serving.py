"""The explorer's page for a browser of this machine: textual-serve, on loopback only and behind a token.

Each visit is a process of its own, which ends with it. The page loads nothing from elsewhere.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import secrets
import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aiohttp import web
from textual_serve.server import Server

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from aiohttp.typedefs import Middleware
    from textual_serve.app_service import AppService

_HOST: Final = "127.0.0.1"
_ADDRESS: Final = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?")
"""What a browser may call this machine. Any other name is one that somebody pointed here."""

_VISITS: Final = 4
"""At the same time: each looks at the whole machine."""

_END_S: Final = 5.0
_FOLDER: Final = str(Path(__file__).parents[2])
_START: Final = (
    "import sys; sys.path.append(sys.argv[1]); sys.argv[:2] = ['fsadvisor']\n"
    "from fsadvisor.__main__ import main; sys.exit(main())"
)
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "font-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_PAGE: Final = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>fsadvisor</title>
<link rel="stylesheet" href="static/css/xterm.css">
<link rel="icon" href="data:,">
<script src="static/js/textual.js"></script>
<script src="focus.js" defer></script>
<style>
@font-face {{ font-family: "Roboto Mono"; src: url("static/fonts/RobotoMono-VariableFont_wght.ttf"); }}
body {{ background: #14181c; color: #d0d4d8; font-family: monospace; }}
.closed {{ display: none; position: absolute; inset: 0; z-index: 10; padding: 4em; background: #14181c; }}
body.-closed .closed {{ display: block; }}
a {{ color: inherit; }}
</style></head>
<body><div class="closed">The explorer has ended. <a href="">Open it again</a></div>
<div id="terminal" class="textual-terminal" data-session-websocket-url="{socket}" data-font-size="14"></div>
</body></html>
"""

_FOCUS: Final = """new MutationObserver((_, seen) => {
  const keys = document.querySelector(".xterm-helper-textarea");
  if (keys) { keys.focus(); seen.disconnect(); }
}).observe(document.getElementById("terminal"), {childList: true, subtree: true});
"""
"""What is typed is meant for the terminal from the beginning, without a click."""


class NoPortError(Exception):
    """The port can't be had: a sentence for people."""


class _Pages(Server):
    """Serves only who has the token, by a name of this machine."""

    def __init__(self, command: str, token: str) -> None:
        super().__init__(command, title="fsadvisor")
        self._token = token
        self._visits: set[asyncio.Task[Any]] = set()

    def application(self) -> web.Application:
        """The routes, all below the token."""
        app = web.Application(middlewares=[_guard(self._token)])
        below = f"/{self._token}"
        app.router.add_get(f"{below}/", self._index)
        app.router.add_get(f"{below}/focus.js", _focus)
        app.router.add_get(f"{below}/ws", self.handle_websocket)
        app.router.add_static(f"{below}/static", self.statics_path)
        app.on_response_prepare.append(_with_headers)
        app.on_shutdown.append(self.on_shutdown)
        return app

    async def _index(self, request: web.Request) -> web.Response:
        page = _PAGE.format(socket=f"ws://{request.host}/{self._token}/ws")
        return web.Response(text=page, content_type="text/html")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """One visit, unless there are too many."""
        if len(self._visits) >= _VISITS:
            raise web.HTTPServiceUnavailable(text=f"{_VISITS} pages are open already: close one\n")
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - aiohttp handles requests in tasks
        self._visits.add(task)
        try:
            return await super().handle_websocket(request)
        finally:
            self._visits.discard(task)

    async def _process_messages(self, websocket: web.WebSocketResponse, app_service: AppService) -> None:
        """Until the visit ends, and its process has: the loop must not end before, or a traceback is printed."""
        try:
            await super()._process_messages(websocket, app_service)
        finally:
            await app_service.stop()
            if app_service._process is not None:
                await app_service._process.wait()

    async def on_shutdown(self, app: web.Application) -> None:  # noqa: ARG002 - aiohttp's
        """End all visits."""
        for task in tuple(self._visits):
            task.cancel()


def _guard(token: str) -> Middleware:
    """Answers nobody else, whatever is asked for."""

    @web.middleware
    async def guarded(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        words = _refusal(request, token)
        return web.Response(status=403, text=f"{words}\n") if words else await handler(request)

    return guarded


def _refusal(request: web.Request, token: str) -> str:
    """Why a request is refused; '' where it is answered."""
    if not _ADDRESS.fullmatch(request.host):
        return "This is served as localhost only."
    if request.headers.get("Origin", f"http://{request.host}") != f"http://{request.host}":
        return "Another site's page may not ask this one."
    if not secrets.compare_digest(request.path.removeprefix("/").partition("/")[0].encode(), token.encode()):
        return "Open the address that `fsadvisor serve` printed: its token is not in this one."
    return ""


async def _focus(_: web.Request) -> web.Response:
    return web.Response(text=_FOCUS, content_type="text/javascript")


async def _with_headers(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(_HEADERS)


def served(argv: Sequence[str], port: int, write: Callable[[Sequence[str]], None], *, may_write: bool) -> None:
    """Until SIGINT, SIGTERM or, unless nohup had that ignored, SIGHUP. Raises NoPortError.

    `argv` is the command line, of which each visit runs its own. `write` is what prints the address, and may raise.
    """
    command = shlex.join((sys.executable, "-I", "-c", _START, _FOLDER, *argv, "--page"))
    token = secrets.token_urlsafe(24)
    asyncio.run(_serve(_Pages(command, token), token, port, write, may_write=may_write))


async def _serve(
    pages: _Pages, token: str, port: int, write: Callable[[Sequence[str]], None], *, may_write: bool
) -> None:
    stopped = asyncio.Event()
    hang_up = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
    for number in (signal.SIGINT, signal.SIGTERM, *hang_up):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    unheard = logging.Logger("what anybody on this machine may send", logging.CRITICAL + 1)
    runner = web.AppRunner(pages.application(), access_log=None, logger=unheard, shutdown_timeout=_END_S)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, _HOST, port).start()
        except OSError as error:
            raise NoPortError(
                f"port {port} of {_HOST}: {os.strerror(error.errno or 0)}; name another one: --port N"
            ) from error
        port = runner.addresses[0][1]
        write((f"http://{_HOST}:{port}/{token}/\n",))
        state = "It may write and measure" if may_write else "It is read-only"
        sys.stderr.write(
            f"fsadvisor: open this address in a browser of this machine. {state}; whoever has the address has it.\n"
            f"fsadvisor: from elsewhere: ssh -L {port}:{_HOST}:{port} HOST, then open it there. Ctrl-C ends it.\n"
        )
        await stopped.wait()
    finally:
        await runner.cleanup()
