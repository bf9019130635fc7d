"""Sites on this machine that answer as Codeforces and CTFtime do, and misbehave on request."""

import gzip
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qs, urlsplit

WEEK = 7 * 86_400


class Request(NamedTuple):
    """What a site was asked."""

    path: str
    contest: str | None
    headers: dict[str, str]
    """With keys in small letters."""
    time: float


@dataclass(frozen=True)
class Reply:
    """What a site sends."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    """How many of the promised bytes are not sent."""
    drop: bool = False
    """Close the connection without a word."""
    hold: bool = False
    """Say nothing until the site is closed."""


def in_json(document: Any, status: int = 200, **more: Any) -> Reply:
    return Reply(json.dumps(document).encode(), status, **more)


def zipped(reply: Reply) -> Reply:
    return Reply(gzip.compress(reply.body), reply.status, {"Content-Encoding": "gzip"})


LIMIT = {"status": "FAILED", "comment": "Call limit exceeded"}
PAGE = b"<!DOCTYPE html><html><head><title>\n Just a moment... </title></head></html>"
TROUBLES = {
    "a dropped connection": (Reply(drop=True), "an answer that broke off"),
    "a short body": (Reply(b'{"status": "OK"}', cut=4), "an answer that broke off"),
    "half of the JSON": (
        Reply(b'{"status": "OK", "res'),
        "HTTP 200 with JSON that breaks off or is damaged",
    ),
    "nothing": (Reply(b""), "HTTP 200 with nothing in it"),
    "a page": (Reply(PAGE), "HTTP 200 with a page 'Just a moment...' instead of JSON"),
    "a bare page": (Reply(b" <p>no", 403), "HTTP 403 with a page instead of JSON"),
    "HTTP 400 with a page": (
        Reply(PAGE, 400),
        "HTTP 400 with a page 'Just a moment...' instead of JSON",
    ),
    "HTTP 429": (Reply(PAGE, 429), "HTTP 429"),
    "HTTP 500": (in_json({"status": "OK", "result": []}, 500), "HTTP 500"),
    "HTTP 502": (Reply(PAGE, 502), "HTTP 502"),
    "HTTP 503": (Reply(b"busy", 503, {"Retry-After": "1"}), "HTTP 503"),
    "damaged gzip": (
        Reply(b"\x1f\x8bnonsense", headers={"Content-Encoding": "gzip"}),
        "an answer that broke off",
    ),
    "half of the gzip": (
        Reply(gzip.compress(b"[0]" * 99)[:-12], headers={"Content-Encoding": "gzip"}),
        "HTTP 200 with JSON that breaks off or is damaged",
    ),
}
"""Answers that a client tries again, and what it calls them."""


class Site:
    """A server on a free port of the loopback interface.

    `troubles` are replies to send before the right one, by contest or last part of the path.
    """

    def __init__(self, clock: Callable[[], float] = lambda: 0.0) -> None:
        self.requests: list[Request] = []
        self.troubles: dict[str, list[Reply]] = {}
        self.asked = threading.Event()
        self._closing = threading.Event()
        self._clock = clock
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self.host}/api"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def reply(self, _request: Request) -> Reply:
        """The right answer."""
        return Reply(b"<h1>not found</h1>", 404)

    @property
    def asked_for(self) -> list[str]:
        """The contests of all requests, or the last parts of their paths."""
        return [_name(request) for request in self.requests]

    def _next_reply(self, request: Request) -> Reply:
        waiting = self.troubles.get(_name(request))
        return waiting.pop(0) if waiting else self.reply(request)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                contest = parse_qs(parts.query).get("contestId", [None])[0]
                headers = {key.lower(): value for key, value in self.headers.items()}
                request = Request(self.path, contest, headers, site._clock())
                site.requests.append(request)
                site.asked.set()
                self._send(site._next_reply(request))

            def _send(self, reply: Reply) -> None:
                if reply.hold:
                    site._closing.wait()
                if reply.hold or reply.drop:
                    self.close_connection = True
                    return
                self.send_response(reply.status)
                for key, value in reply.headers.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body[: len(reply.body) - reply.cut])
                self.close_connection = self.close_connection or reply.cut > 0

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


def _name(request: Request) -> str:
    return request.contest or urlsplit(request.path).path.rstrip("/").rpartition("/")[2]


class CodeforcesSite(Site):
    """Contests that tests add, and all of the API that podium uses."""

    def __init__(self, clock: Callable[[], float] = lambda: 0.0) -> None:
        super().__init__(clock)
        self.contests: list[dict[str, Any]] = []
        self.ranks: dict[str, dict[str, int]] = {}
        self.failures: dict[str, str] = {}
        self.calls_allowed: int | None = None
        """After so many calls, one is refused because of the limit."""

    def add(
        self,
        number: int,
        ranks: dict[str, int],
        *,
        start: int | None = None,
        phase: str = "FINISHED",
        ago: int = 5 * WEEK,
    ) -> None:
        """A contest of an hour; those without ranks are not rated."""
        start = 1_700_000_000 + 100_000 * number if start is None else start
        self.contests.insert(
            0,
            {
                "id": number,
                "name": f"Round {number}",
                "type": "CF",
                "phase": phase,
                "frozen": False,
                "durationSeconds": 3600,
                "startTimeSeconds": start,
                "relativeTimeSeconds": ago + 3600,
            },
        )
        self.ranks[str(number)] = ranks

    def reply(self, request: Request) -> Reply:
        if self.calls_allowed is not None:
            self.calls_allowed -= 1
            if self.calls_allowed < 0:
                self.calls_allowed = 3
                return in_json(LIMIT, 503)
        method = urlsplit(request.path).path.rpartition("/")[2]
        if method == "contest.list":
            return zipped(in_json({"status": "OK", "result": self.contests}))
        number = request.contest or ""
        if number in self.failures:
            return in_json({"status": "FAILED", "comment": self.failures[number]}, 400)
        contest = next(each for each in self.contests if str(each["id"]) == number)
        result = {
            "contest.ratingChanges": self._changes,
            "contest.standings": self._standings,
        }[method](contest, self.ranks[number])
        return in_json({"status": "OK", "result": result})

    @staticmethod
    def _changes(contest: dict[str, Any], ranks: dict[str, int]) -> list[dict[str, Any]]:
        return [
            {
                "contestId": contest["id"],
                "contestName": contest["name"],
                "handle": handle,
                "rank": rank,
                "ratingUpdateTimeSeconds": contest["startTimeSeconds"] + 7200,
                "oldRating": 1500,
                "newRating": 1500 + 10 * len(ranks) - 20 * rank,
            }
            for handle, rank in ranks.items()
        ]

    @staticmethod
    def _standings(contest: dict[str, Any], ranks: dict[str, int]) -> dict[str, Any]:
        rows = [
            {
                "party": {"members": [{"handle": handle}], "participantType": "CONTESTANT"},
                "rank": rank,
                "points": 100.0,
            }
            for handle, rank in ranks.items()
        ]
        return {"contest": contest, "problems": [], "rows": rows}


class CtftimeSite(Site):
    """Events by year: titles, times and the places of teams."""

    def __init__(self, clock: Callable[[], float] = lambda: 0.0) -> None:
        super().__init__(clock)
        self.years: dict[str, dict[str, Any]] = {}

    def add(self, year: int, number: int, places: dict[int, int]) -> None:
        """An event in the spring of a year."""
        self.years.setdefault(str(year), {})[str(number)] = {
            "title": f"CTF {number} ",
            "time": 31_556_952.0 * (year - 1970) + 7_776_000 + number,
            "scores": [
                {"team_id": team, "points": f"{1000 - place}.0000", "place": place}
                for team, place in places.items()
            ],
        }

    def reply(self, request: Request) -> Reply:
        year = urlsplit(request.path).path.rstrip("/").rpartition("/")[2]
        return in_json(self.years[year]) if year in self.years else super().reply(request)


class Clock:
    """Seconds that pass only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sleeps: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.sleeps.append(seconds)
