"""The API of a site, as far as it is about one league: questions, changes, and what goes wrong."""

import io
import json
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any
from urllib.parse import quote, unquote, urlencode, urljoin

import polars as pl
import urllib3
from urllib3 import exceptions
from urllib3.util import Url, parse_url

from podium.errors import (
    AccessError,
    BusyError,
    ConflictError,
    DifferenceError,
    InputError,
    NotFoundError,
    PodiumError,
    RemovalError,
    StorageError,
)
from podium.files import reason
from podium.results.fetching.client import pool_for
from podium.texts import without_passwords

_API = "/api/v1/leagues"
_MOST_PAGES = 100_000
MOST = 1000
"""Rows that a page has at most."""
_PATIENCE = urllib3.Timeout(connect=10.0, read=60.0)
_LONG = urllib3.Timeout(connect=10.0, read=600.0)
"""Of changes, which may rate everything anew."""
_ATTEMPTS = 4
_PAUSE = 0.5
"""Seconds until a change whose answer was lost is asked for again; each time twice as many."""
_LARGEST = 2**28
"""Bytes of an answer."""
_PIECE = 2**16
_FILE, _PARQUET = "results.parquet", "application/vnd.apache.parquet"
_BUSY = (408, 429, 502, 503, 504)
"""What a site, or a proxy before it, answers when the same may work in a moment."""
_READ_ONLY = 405
_KINDS: dict[str, type[PodiumError]] = {
    "not-found": NotFoundError,
    "conflict": ConflictError,
    "removal": RemovalError,
    "sign-in": AccessError,
    "not-allowed": AccessError,
}
"""What problems of the site are here that are not wrong input."""


class LostError(BusyError):
    """There was no answer, or none that was complete."""


def not_understood() -> StorageError:
    """Of answers that are not what the API gives."""
    return StorageError("the site answers what podium does not understand.")


def checked_token(token: str) -> str:
    """A token that can stand in a header; raise for what is none."""
    found = token.strip()
    if not found.isascii() or not found.isprintable() or " " in found or not found:
        raise AccessError("this is no token; podium token LEAGUE create makes one.")
    return found


class Site:
    """The API of a site, as far as it is about one league."""

    def __init__(
        self, address: str, token: str | None = None, *, with_hidden: bool = False
    ) -> None:
        self.has_token = token is not None
        self._hidden = with_hidden
        try:
            url = parse_url(address)
        except exceptions.LocationParseError:
            url = Url()
        if not url.host or url.query or url.fragment:
            raise _no_league(address)
        self._shown = without_passwords(address)
        self._name = url.netloc or ""
        self._pool = pool_for(url)
        path = (url.path or "").rstrip("/")
        base, _, key = path.rpartition("/")
        self._root = f"{url.scheme}://{url.netloc}"
        login = urllib3.make_headers(basic_auth=unquote(url.auth)) if url.auth else {}
        if token is not None:
            login["Authorization"] = f"Bearer {checked_token(token)}"
        self._headers = {**self._pool.headers, **login, "Accept": "application/json"}
        self._base, self._key = base.removesuffix(_API), unquote(key)

    def league(self) -> dict[str, Any]:
        """What there is to know of the league; raise if there is none."""
        if not self._key:
            found = self._document(f"{self._base}{_API}")
            if not isinstance(found, list):
                raise _no_league(self._shown)
            if len(found) != 1:
                keys = ", ".join(sorted(str(each.get("key")) for each in found)) or "none"
                raise InputError(
                    f"{self._shown}: is a site of several leagues, {keys}; give the address of "
                    f"one, such as https://example.org/club."
                )
            self._key = str(found[0]["key"])
        about = self._document(self._address(""))
        if not isinstance(about, dict) or not {"system", "rules", "state"} <= about.keys():
            raise _no_league(self._shown)
        return about

    def ask(self, path: str, **parameters: Any) -> Any:
        """The answer to one question."""
        return self._document(self._address(path, parameters))

    def pages(self, path: str, rows: int | None, **parameters: Any) -> Iterator[Any]:
        """The pages of a long table, until there are so many rows or no more."""
        size = MOST if rows is None else max(1, min(MOST, rows))
        address: str | None = self._address(path, {**parameters, "n": size})
        asked = set[str]()
        while address is not None:
            asked.add(address)
            answer, headers = self._answered(address)
            yield answer
            address = _next(address, headers) if answer else None
            if address in asked or len(asked) > _MOST_PAGES:
                raise not_understood()

    def download(self, path: str, file: IO[bytes], **parameters: Any) -> None:
        """Write what is answered to a file."""
        address = self._address(path, parameters)
        with self._responding(address, None, None, "GET") as response:
            if response.status != 200:
                raise self._error(response.status, _parsed(b"".join(self._pieces(response))))
            for piece in response.stream(_PIECE, decode_content=True):
                file.write(piece)

    def _address(self, path: str, parameters: Mapping[str, Any] | None = None) -> str:
        said = {name: each for name, each in (parameters or {}).items() if each is not None}
        if self._hidden:
            said["hidden"] = "true"
        query = urlencode(said, doseq=True)
        return f"{self._base}{_API}/{quote(self._key, safe='')}{path}{f'?{query}' if query else ''}"

    def _document(self, path: str) -> Any:
        return self._answered(path)[0]

    def send(self, path: str, said: Mapping[str, Any]) -> Any:
        """What comes of a change.

        It has a key, so that one whose answer was lost is asked for again, and done once.
        """
        body = json.dumps(said, ensure_ascii=False, allow_nan=False).encode()
        return self._posted(self._address(path), body, "application/json")

    def upload(self, path: str, table: pl.DataFrame, **parameters: Any) -> Any:
        """What comes of a table that is sent as a file."""
        said = {"name": _FILE, **parameters}
        return self._posted(self._address(path, said), _as_file(table), _PARQUET)

    def replace(self, path: str, table: pl.DataFrame, **parameters: Any) -> Any:
        """What comes of a table that takes the place of what was there."""
        address = self._address(path, {"name": _FILE, **parameters})
        headers = {"Content-Type": _PARQUET}
        return self._answered(address, _as_file(table), headers, "PUT")[0]

    def order(self, method: str, path: str, said: Any = None, **parameters: Any) -> Any:
        """What comes of something that is asked for once."""
        body = b"" if said is None else json.dumps(said, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json"}
        return self._answered(self._address(path, parameters), body, headers, method)[0]

    def _posted(self, path: str, body: bytes, kind: str) -> Any:
        headers = {"Content-Type": kind, "Idempotency-Key": str(uuid.uuid4())}
        for attempt in range(_ATTEMPTS):
            try:
                return self._answered(path, body, headers)[0]
            except LostError:
                if attempt + 1 == _ATTEMPTS:
                    raise
                time.sleep(_PAUSE * 2**attempt)
        raise AssertionError

    def _answered(
        self,
        path: str,
        body: bytes | None = None,
        more: Mapping[str, str] | None = None,
        method: str = "POST",
    ) -> tuple[Any, Mapping[str, str]]:
        """A document, or the error that the site tells of."""
        with self._responding(path, body, more, method) as response:
            document = _parsed(b"".join(self._pieces(response)))
        if response.status == 200 and document is not None:
            return document, response.headers
        if body is not None and response.status == _READ_ONLY:
            raise InputError(
                f"{self._shown}: the site only shows the league, and takes nothing that is sent; "
                f"that is done where it is kept, or by a site that may write."
            )
        raise self._error(response.status, document)

    @contextmanager
    def _responding(
        self, path: str, body: bytes | None, more: Mapping[str, str] | None, method: str
    ) -> Iterator[urllib3.BaseHTTPResponse]:
        """What the site responds, while it is read."""
        try:
            yield self._pool.request(
                "GET" if body is None else method,
                urljoin(self._root, path),
                body=body,
                headers={**self._headers, **(more or {})},
                timeout=_PATIENCE if body is None else _LONG,
                retries=urllib3.Retry(
                    connect=2,
                    read=0,
                    status=0,
                    other=0,
                    redirect=5 if body is None else 0,
                    respect_retry_after_header=False,  # what a busy site says is its answer
                ),
                preload_content=False,
            )
        except exceptions.HTTPError as error:
            raise LostError(f"{self._name}: {_why(error)}.") from None

    def _error(self, status: int, document: Any) -> PodiumError:
        """What an answer tells of that is none; proxies tell it by the status alone."""
        told = document if isinstance(document, dict) else {}
        kind, detail = str(told.get("type")).partition("#problem-")[2], told.get("detail")
        is_ours = bool(kind) and isinstance(detail, str)
        if status in _BUSY and kind != "storage":
            return BusyError(
                f"{self._name}: {detail if is_ours else f'is busy ({status}); ask again later.'}"
            )
        if status >= 500:
            why = detail if is_ours else f"failed to answer ({status}); whoever runs it knows why."
            return StorageError(f"{self._name}: {why}")
        if not is_ours or kind == "no-address":
            return _no_league(self._shown)
        if kind == "difference":
            return DifferenceError(detail, told.get("fields"))
        return _KINDS.get(kind, InputError)(detail)

    def _pieces(self, response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
        size = 0
        for piece in response.stream(_PIECE, decode_content=True):
            size += len(piece)
            if size > _LARGEST:
                raise StorageError(f"{self._name}: answers with more than {_LARGEST:,} bytes.")
            yield piece


def _parsed(answer: bytes) -> Any:
    """The document of an answer; None if it is none."""
    try:
        return json.loads(answer)
    except (ValueError, RecursionError):
        return None


def _as_file(table: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue()


def _next(address: str, headers: Mapping[str, str]) -> str | None:
    """The address of the next page, which the header Link gives relative to this one."""
    for each in headers.get("Link", "").split(","):
        target, _, relation = each.strip().partition(">")
        if 'rel="next"' in relation and target.startswith("<"):
            return urljoin(address, target[1:])
    return None


def _no_league(address: str) -> InputError:
    return InputError(
        f"{without_passwords(address)}: is not the address of a league that podium serves; such "
        f"one looks like https://example.org/club."
    )


def _why(error: exceptions.HTTPError) -> str:
    """What came of a request that had no answer."""
    if isinstance(error, exceptions.MaxRetryError) and error.reason is not None:
        error = error.reason if isinstance(error.reason, exceptions.HTTPError) else error
    cause = error.__cause__ or getattr(error, "original_error", None)
    why = f" ({reason(cause)})" if isinstance(cause, OSError) else ""
    if isinstance(error, exceptions.ProxyError):
        return f"no connection through the proxy{why}"
    if isinstance(error, exceptions.SSLError):
        return f"no secure connection{why}"
    if isinstance(error, exceptions.NewConnectionError):
        return f"no connection{why}"
    if isinstance(error, exceptions.TimeoutError):
        return "no answer in time"
    return f"an answer that broke off{why}"
