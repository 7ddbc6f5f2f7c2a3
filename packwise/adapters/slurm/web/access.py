"""Who may see the page: before every route, whatever it is.

Nothing is changed by any route, so only GET and HEAD are known; with a token, POST as well, which brings it and
gets a cookie. A token never is in an address, as those are kept: by browsers, and by whatever is on the way. On
loopback the Host has to be that of this machine: else a page from elsewhere could have its own name point here,
and read along (DNS rebinding). With a token, all need it but the sign of life, and what the form looks like.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from packwise.adapters.slurm.web.token import cookie_of, same

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

ALIVE = "/healthz"
_OPEN = (ALIVE, "/assets/page.css", "/assets/icon.svg")
#: What every answer says: nothing from elsewhere, nothing inline, in nobody's frame, told to nobody, kept by
#: nobody.
HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        b"img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"cache-control", b"no-store"),
)
_LOCAL = ("localhost", "127.0.0.1", "[::1]")
#: So much of a form is read.
_LONGEST = 16 * 1024
#: The form goes to where it is, so that what is after the # stays in the address.
_ASK = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Packwise: token needed</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="{root}assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="{root}assets/page.css"></head>
<body><main class="ask"><h1>This page needs a token</h1>{wrong}
<form method="post">
<label for="token">Token</label>
<input id="token" type="password" name="token" required autocomplete="off" autofocus>
<button>Open</button></form>
<p class="hint">Whoever runs <code>packwise slurm serve</code> knows it. Programs send it as
<code>Authorization: Bearer</code>. If a link has just brought you here, <a href="">go on</a>.</p>
</main></body></html>
"""
_WRONG = "This is not the token of this page."


class Access:
    """Lets through to ``app`` who may pass. ``local``: on loopback, which is also called ``host``; ``port``
    keeps the cookies of two servers apart.
    """

    def __init__(
        self, app: App, token: str | None, *, local: bool, host: str = "localhost", port: int = 0
    ) -> None:
        self._app = app
        self._token = token
        self._cookie = f"packwise_{port}"
        names = "|".join(re.escape(name) for name in (*_LOCAL, host))
        self._host = re.compile(rf"(?:{names})(?::\d{{1,5}})?", re.IGNORECASE) if local else None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = {name.lower() for name, _ in message["headers"]}
                added = [pair for pair in HEADERS if pair[0] not in told]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if self._host is not None and not self._host.fullmatch(headers.get(b"host", "")):
            await _answer(guarded, 403, "This page answers to localhost and 127.0.0.1 only.\n")
        elif scope["method"] == "POST" and self._token is not None:
            await self._let_in(scope, await _form(receive), guarded)
        elif scope["method"] not in ("GET", "HEAD"):
            text = "This page only shows: nothing can be changed here.\n"
            await _answer(guarded, 405, text, (b"allow", b"GET, HEAD"))
        elif scope["path"] in _OPEN or self._knows(headers):
            await self._app(scope, receive, guarded)
        else:
            await _refuse(guarded, scope)

    def _knows(self, headers: dict[bytes, str]) -> bool:
        """Whether the token comes along, or the cookie that stands for it."""
        if self._token is None:
            return True
        kind, _, given = headers.get(b"authorization", "").partition(" ")
        if kind.lower() == "bearer" and same(given.strip(), self._token):
            return True
        for pair in headers.get(b"cookie", "").split(";"):
            name, _, value = pair.strip().partition("=")
            if name == self._cookie and same(value, cookie_of(self._token)):
                return True
        return False

    async def _let_in(self, scope: Message, form: dict[str, str], send: Send) -> None:
        """A token becomes a cookie, and the same address is asked for again."""
        if self._token is None or not same(form.get("token", "").strip(), self._token):
            await _refuse(send, scope, _WRONG)
            return
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        rest = urlencode([pair for pair in query if pair[0] != "token"])
        place = "./" + quote(scope["path"].rpartition("/")[2]) + (f"?{rest}" if rest else "")
        cookie = f"{self._cookie}={cookie_of(self._token)}; Path=/; HttpOnly; SameSite=Strict"
        await _answer(
            send, 303, "", (b"location", place.encode()), (b"set-cookie", cookie.encode())
        )


async def _form(receive: Receive) -> dict[str, str]:
    """What was filled in; nothing if that is no form, or too long for one."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message["type"] == "http.request" and message.get("more_body", False)
        if len(body) > _LONGEST:
            return {}
    return dict(parse_qsl(body.decode("latin-1"), keep_blank_values=True))


async def _refuse(send: Send, scope: Message, wrong: str = "") -> None:
    challenge = (b"www-authenticate", b'Bearer realm="packwise"')
    if any(name.lower() == b"accept" and b"text/html" in value for name, value in scope["headers"]):
        text = _ASK.format(
            root="../" * (scope["path"].count("/") - 1),
            wrong=f'\n<p class="health warn" role="alert">{wrong}</p>' if wrong else "",
        )
        await _answer(send, 401, text, challenge, kind=b"text/html; charset=utf-8")
    else:
        text = wrong or "A token is needed: Authorization: Bearer TOKEN."
        await _answer(send, 401, f"{text}\n", challenge)


async def _answer(
    send: Send,
    code: int,
    text: str,
    *headers: tuple[bytes, bytes],
    kind: bytes = b"text/plain; charset=utf-8",
) -> None:
    body = text.encode()
    length = (b"content-length", str(len(body)).encode())
    await send(
        {
            "type": "http.response.start",
            "status": code,
            "headers": [(b"content-type", kind), length, *headers],
        }
    )
    await send({"type": "http.response.body", "body": body})
