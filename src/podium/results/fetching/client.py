"""A client that asks slowly, says who it is, and asks again when no usable answer comes."""

import io
import json
import math
import random
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3 import exceptions
from urllib3.util import Url, parse_url

from podium import __version__
from podium.errors import BusyError, InputError, NotFoundError
from podium.files import reason
from podium.results.formats import limits

POLITE_INTERVAL = 2.0
"""Seconds between two requests; Codeforces refuses more than one in two seconds."""
TRIES = 6
PATIENCE = 60.0
"""Seconds without a sign of life after which a request is given up."""

_PUBLIC_SITES = ("codeforces.com", "ctftime.org")
_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 60.0
_LONGEST_WISH = 600.0
"""The longest Retry-After that is waited for."""
_PIECE = 2**16
_TRY_LATER = {408, 425, 429}
_FINAL = {404, 410}


class UnansweredError(BusyError):
    """The site gives no usable answer, now; its text has no end, so that others can complete it."""


class RefusedError(NotFoundError):
    """The site has answered, and asking again would not change the answer."""


class Answer(NamedTuple):
    """What a site answered, which is JSON."""

    status: int
    body: bytes
    document: Any


class _Trouble(NamedTuple):
    """What came instead of a usable answer, and how long the site wishes us to wait."""

    what: str
    wish: float = 0.0


class Client:
    """Asks one site for JSON documents.

    Requests are at least `interval` seconds apart, from the end of one to the start of the next.
    Connections that fail or stop, pages that are not JSON, HTTP 429 and 5xx, and what the site's
    own rules call trouble are tried again after a pause that doubles, is never the same, and is as
    long as the site asks for. The environment's HTTPS_PROXY, HTTP_PROXY and NO_PROXY hold.

    Args:
        base_url: What all addresses start with, e.g. "https://codeforces.com/api".
        interval: Seconds; at least 2 for the public sites, anything from 0 on for others.
        tries: How often one document is asked for before the client gives up.
        patience: Seconds to wait for a connection, and for each piece of an answer.
        report: Called with a sentence before every pause.
        sleep: How to wait; for tests, as are `clock` and `chance`.
        clock: Seconds that only grow.
        chance: Numbers from 0 to 1 that make pauses differ.
    """

    def __init__(
        self,
        base_url: str,
        *,
        interval: float = POLITE_INTERVAL,
        tries: int = TRIES,
        patience: float = PATIENCE,
        report: Callable[[str], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        url = _checked_url(base_url)
        self._base = url.url.rstrip("/")
        self.site: str = url.netloc or ""
        self._interval = _checked_interval(interval, url.host or "")
        self._tries = tries
        self._patience = patience
        self._report = report
        self._sleep = sleep
        self._clock = clock
        self._chance = chance
        self._free_at = -math.inf
        self._pool = pool_for(url)

    def ask(
        self,
        path: str,
        fields: Mapping[str, str] | None = None,
        *,
        trouble: Callable[[Answer], str | None] = lambda _: None,
    ) -> Answer:
        """The answer, which is JSON and of which `trouble` does not say that it should be retried.

        Raises:
            UnansweredError: All tries failed.
            RefusedError: There is no such page.
        """
        seen = _Trouble("nothing")
        for attempt in range(self._tries):
            if attempt:
                self._pause(attempt, seen)
            if (remaining := self._free_at - self._clock()) > 0:
                self._sleep(remaining)
            try:
                answer = self._attempt(path, fields, trouble)
            finally:
                self._free_at = self._clock() + self._interval
            if isinstance(answer, Answer):
                return answer
            seen = answer
            if seen.wish > _LONGEST_WISH:
                raise UnansweredError(
                    f"{self.site} answered {seen.what} and asks to wait {seen.wish:,.0f} s"
                )
        raise UnansweredError(
            f"{self.site} gave no usable answer in {self._tries} tries, the last time {seen.what}"
        )

    def _pause(self, attempt: int, trouble: _Trouble) -> None:
        """Let the next turn be later, by more each time, and not the same for all who wait."""
        pause = min(_FIRST_PAUSE * 2.0 ** (attempt - 1), _LONGEST_PAUSE)
        pause = max(pause * (1.0 + self._chance() / 2.0), trouble.wish, self._interval)
        if self._report is not None:
            self._report(f"{self.site}: {trouble.what}; trying again in {pause:.0f} s.")
        self._free_at = self._clock() + pause

    def _attempt(
        self,
        path: str,
        fields: Mapping[str, str] | None,
        trouble: Callable[[Answer], str | None],
    ) -> Answer | _Trouble:
        try:
            response = self._pool.request(
                "GET",
                f"{self._base}/{path}",
                fields=dict(fields or {}),
                timeout=urllib3.Timeout(connect=self._patience, read=self._patience),
                retries=False,
                redirect=False,
                preload_content=False,
            )
            body = self._body(response)
        except exceptions.HTTPError as error:
            return _Trouble(self._described(error))
        status = response.status
        if status >= 500 or status in _TRY_LATER:
            return _Trouble(f"HTTP {status}", _wish(response))
        if response.get_redirect_location():
            raise RefusedError(
                f"{self.site} answered HTTP {status}: it is now at {response.headers['Location']}"
            )
        try:
            if limits.is_deep(body.decode(errors="replace")):
                raise RecursionError
            answer = Answer(status, body, json.loads(body))
        except (ValueError, RecursionError):
            if status in _FINAL:
                raise RefusedError(f"{self.site} answered HTTP {status}") from None
            return _Trouble(f"HTTP {status} with {_instead_of_json(body)}", _wish(response))
        what = trouble(answer)
        return answer if what is None else _Trouble(what, _wish(response))

    def _body(self, response: urllib3.BaseHTTPResponse) -> bytes:
        """What was sent, unpacked piece by piece."""
        whole = io.BytesIO()
        for piece in response.stream(_PIECE):
            whole.write(piece)
            if whole.tell() > limits.ALWAYS:
                response.close()
                raise RefusedError(
                    f"{self.site} answered with more than {limits.ALWAYS / 2**30:.1f} GiB"
                )
        return whole.getvalue()

    def _described(self, error: Exception) -> str:
        cause = error.__cause__ or getattr(error, "original_error", None)
        why = f" ({reason(cause)})" if isinstance(cause, OSError) else ""
        if isinstance(error, exceptions.ProxyError):
            return f"no connection through the proxy{why}"
        if isinstance(error, exceptions.NewConnectionError):
            return f"no connection{why}"
        if isinstance(error, exceptions.TimeoutError):
            return f"no answer within {self._patience:g} s"
        if isinstance(error, exceptions.SSLError):
            return f"no secure connection{why}"
        return "an answer that broke off"


def _checked_url(base_url: str) -> Url:
    try:
        url = parse_url(base_url)
    except exceptions.LocationParseError:
        url = Url()
    if url.scheme not in ("http", "https") or not url.host or url.query or url.fragment:
        raise InputError(
            f"{base_url!r} is not the address of a site; give one like https://codeforces.com/api."
        )
    return url


def _checked_interval(interval: float, host: str) -> float:
    if not 0.0 <= interval < math.inf:
        raise InputError(f"the interval between requests is a number of seconds, not {interval}.")
    is_public = any(host == site or host.endswith(f".{site}") for site in _PUBLIC_SITES)
    if is_public and interval < POLITE_INTERVAL:
        raise InputError(
            f"requests to {host} are at least {POLITE_INTERVAL:g} seconds apart, not {interval:g}."
        )
    return float(interval)


def pool_for(url: Url) -> urllib3.PoolManager:
    """Connections to a site, through a proxy if the environment says so."""
    headers = urllib3.make_headers(user_agent=f"podium/{__version__}", accept_encoding=True)
    proxies = getproxies()
    proxy = proxies.get(url.scheme or "", proxies.get("all"))
    if not proxy or proxy_bypass(url.netloc or ""):
        return urllib3.PoolManager(headers=headers)
    address = proxy if "://" in proxy else f"http://{proxy}"
    try:
        login = parse_url(address).auth
        return urllib3.ProxyManager(
            address,
            headers=headers,
            proxy_headers=urllib3.make_headers(proxy_basic_auth=login) if login else None,
        )
    except exceptions.HTTPError:
        raise InputError(
            f"the proxy that the environment gives for {url.scheme} is not one of http or https."
        ) from None


def _wish(response: urllib3.BaseHTTPResponse) -> float:
    """The seconds that a site asks us to wait."""
    try:
        return urllib3.Retry().get_retry_after(response) or 0.0
    except exceptions.InvalidHeader:
        return 0.0


def _instead_of_json(body: bytes) -> str:
    """What a page is that is not JSON.

    Example:
        >>> _instead_of_json(b"<html><title> Just a moment... </title></html>")
        "a page 'Just a moment...' instead of JSON"
        >>> _instead_of_json(b'{"status": "OK", "res')
        'JSON that breaks off or is damaged'
    """
    if not body.strip():
        return "nothing in it"
    if not body.lstrip().startswith(b"<"):
        return "JSON that breaks off or is damaged"
    title = re.search(rb"<title[^>]*>([^<]*)", body, re.IGNORECASE)
    words = " ".join(title[1].decode(errors="replace").split())[:60] if title else ""
    return f"a page {words!r} instead of JSON" if words else "a page instead of JSON"
