"""Webhooks: what is due is sent, signed, and tried again later if nobody takes it.

The signatures are those of Standard Webhooks (https://www.standardwebhooks.com). A notice is noted
as sent after it was: a process that is killed in between leads to a notice that is sent twice, and
never to one that is not sent.
"""

import base64
import hashlib
import hmac
import json
import random
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, NamedTuple

from podium.documents import iso
from podium.errors import BusyError, ConflictError, NotFoundError, PodiumError
from podium.league import notices, webhooks
from podium.league.database import now
from podium.league.webhooks import Delivery, Webhook
from podium.results.times import from_microseconds
from podium.web.catalogue import Hosted
from podium.web.chores import LOOK, Job
from podium.web.doors import writing
from podium.web.outside import Outside

_MINUTE, _HOUR = 60, 3600
DELAYS = (
    5,
    30,
    2 * _MINUTE,
    10 * _MINUTE,
    30 * _MINUTE,
    _HOUR,
    2 * _HOUR,
    4 * _HOUR,
    8 * _HOUR,
    12 * _HOUR,
    20 * _HOUR,
    24 * _HOUR,
)
"""Seconds between attempts, three days in all; after one more than these, a notice is given up."""
TEST = "webhook.test"
"""The kind of a message that only shows that messages arrive."""
WHO = "podium serve"
"""In whose name the site changes something by itself."""
_AT_ONCE = 16
"""Webhooks of a league that are sent to at the same time."""
_GONE = 410
_SOON = 0.5
"""Seconds until it is seen what else is due while somebody is slow to answer."""


class Outcome(NamedTuple):
    """What came of an attempt."""

    status: int | None
    """That of the answer; None if there was none."""
    problem: str | None
    """Why it has not arrived; None if it has."""
    is_silent: bool = False
    """Whether nobody has answered at all."""


def signature(secret: str, identifier: str, timestamp: int, body: bytes) -> str:
    """The signature of a message.

    Example:
        >>> secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
        >>> signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
        'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    key = base64.b64decode(secret.removeprefix(webhooks.PREFIX))
    signed = b".".join((identifier.encode(), b"%d" % timestamp, body))
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def post(outside: Outside, webhook: Webhook, identifier: str, message: Any) -> Outcome:
    """Send a message, now and once."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    timestamp = int(time.time())
    headers = {
        "Content-Type": "application/json",
        "webhook-id": identifier,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(webhook.secret, identifier, timestamp, body),
    }
    try:
        status = outside.post(webhook.address, body, headers)
    except PodiumError as error:
        return Outcome(None, str(error), isinstance(error, BusyError))
    if 200 <= status < 300:
        return Outcome(status, None)
    return Outcome(status, f"{webhook.shown} answered HTTP {status}.")


def addressed(hosted: Hosted, told: dict[str, Any]) -> dict[str, Any]:
    """A notice with the league that it is of, as it is sent."""
    data = told.pop("data")
    return {**told, "league": {"key": hosted.key, "title": hosted.title}, "data": data}


def send_test(hosted: Hosted, outside: Outside, number: int) -> Outcome:
    """Send a message to a webhook that says nothing, to see whether it arrives."""
    moment = now()
    told = {"type": TEST, "timestamp": iso(from_microseconds(moment)), "data": {}}
    identifier = f"test-{moment:x}-{number}"
    return post(outside, hosted.league.webhook(number), identifier, addressed(hosted, told))


def add(
    hosted: Hosted, outside: Outside, address: str, kinds: list[str] | None, who: str
) -> tuple[int, str]:
    """Let a program be told of changes, at an address that this server may ask."""
    outside.check(address)
    return writing(hosted).add_webhook(address, kinds, who=who)


def seconds_until_due(hosted: Hosted, _state: Any = None) -> float:
    """How long it is until something is to be sent; a while if nothing is."""
    with hosted.snapshot() as view:
        due = webhooks.next_due(view._connection)
    return LOOK if due is None else max(0.0, (due - now()) / 1e6)


def send_due(hosted: Hosted, state: Any) -> float:
    """Send what is due, to each webhook one after the other, and to all of them at once."""
    busy: dict[int, Future[None]] = {}
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="podium-webhook") as senders:
        while not state.chores.stopping.is_set():
            for number in [each for each, sent in busy.items() if sent.done()]:
                busy.pop(number).result()
            with hosted.snapshot() as view:
                found = webhooks.due(view._connection, busy)
            for each in found:
                busy[each.webhook.id] = senders.submit(send, hosted, state.outside, each)
            if not busy:
                break
            wait(busy.values(), _SOON, FIRST_COMPLETED)
    return seconds_until_due(hosted)


SENDER = Job("webhooks", send_due, seconds_until_due)


def send(
    hosted: Hosted,
    outside: Outside,
    delivery: Delivery,
    chance: Callable[[], float] = random.random,
) -> None:
    """Make one attempt, and note what came of it."""
    with hosted.snapshot() as view:
        told = notices.of_number(view._connection, delivery.notice)
    if told is None:  # all of it is about players who are hidden by now
        with writing(hosted).noting() as connection:
            webhooks.note_arrival(connection, delivery, None)
        return
    outcome = post(outside, delivery.webhook, told["id"], addressed(hosted, told))
    if outcome.status == _GONE:
        with suppress(ConflictError, NotFoundError):
            writing(hosted).set_webhook(delivery.webhook.id, False, who=WHO)
    with writing(hosted).noting() as connection:
        _note(connection, delivery, outcome, chance)


def _note(
    connection: Any, delivery: Delivery, outcome: Outcome, chance: Callable[[], float]
) -> None:
    if outcome.problem is None:
        webhooks.note_arrival(connection, delivery, outcome.status)
        return
    later, tried = None, delivery.attempts
    if tried < len(DELAYS) and outcome.status != _GONE:
        later = now() + pause(tried, chance)
    webhooks.note_failure(connection, delivery, outcome.problem, outcome.status, later)
    if outcome.is_silent:
        others = now() + pause(min(tried, len(DELAYS) - 1), chance)
        most = len(DELAYS) + 1
        webhooks.note_silence(connection, delivery, outcome.problem, others, most)


def pause(attempts: int, chance: Callable[[], float] = random.random) -> int:
    """Microseconds until the attempt after so many more, never the same for all who wait.

    Example:
        >>> pause(0, lambda: 0.0), pause(0, lambda: 1.0)
        (5000000, 6250000)
    """
    return int(DELAYS[attempts] * 1e6 * (1.0 + chance() / 4.0))
