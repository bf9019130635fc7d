"""How the server itself asks other servers: those of the outside, at addresses that users gave.

Whoever gives an address must not reach by it what only the server can: itself, its neighbours, or
what tells machines in a cloud their secrets. So a name is looked up once, all that it stands for
must be of the open network, and exactly that is connected to, whatever the name stands for by then.
"""

import io
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, cast

from podium import __version__
from podium.errors import BusyError, InputError, NotFoundError
from podium.files import reason
from podium.sites import Site, site_of

PATIENCE = 15.0
"""Seconds that a request takes at most, from the first connection to the last byte."""
_MOST_PLACES = 4
"""Of one name, so many numbers are tried."""
_COMMON = (80, 443)
_RESERVED_PORTS = 1024
"""Ports below are of mail, printers, files and so on, but for `_COMMON`."""
_OPEN = ipaddress.IPv6Network("2000::/3")
_CLOSED = [
    ipaddress.ip_network(each)
    for each in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",  # what machines of Azure, and they alone, find there
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
    )
]
"""Networks that are special by IANA's registries, of IPv6 those in `_OPEN`; what Python knows of
them depends on its version."""
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""Where a network that has IPv6 alone finds the rest of the world."""
_AGAIN = (408, 425, 429)

Resolve = Callable[..., list[tuple[Any, ...]]]
"""What `socket.getaddrinfo` is."""
Number = ipaddress.IPv4Address | ipaddress.IPv6Address


class Outside:
    """The only way by which the server asks other servers.

    Addresses are of http or https, without a login, and lead to the open network. No redirects are
    followed, and no proxies used. Threads may share it.

    Args:
        allow_private: Whether loopback, private networks and all else may be reached, too.
        patience: Seconds that a request takes at most.
        resolve: How names are looked up; for tests, as are `clock` and `trusting`.
        clock: Seconds that only grow.
        trusting: Whose certificates are believed; by default, those that the system believes.
    """

    def __init__(
        self,
        allow_private: bool = False,
        *,
        patience: float = PATIENCE,
        resolve: Resolve = socket.getaddrinfo,
        clock: Callable[[], float] = time.monotonic,
        trusting: ssl.SSLContext | None = None,
    ) -> None:
        self.allow_private = allow_private
        self._patience = patience
        self._resolve = resolve
        self._clock = clock
        self._trusting = trusting

    def check(self, address: object) -> None:
        """Raise unless an address is one that may be asked, as things are now.

        Raises:
            InputError: It is no address, nobody says what its name stands for, or it leads where
                the server does not ask.
        """
        try:
            self._places(self._site(address))
        except BusyError as unknown:  # to who types it, a name that nobody knows is a wrong one
            raise InputError(str(unknown)) from None

    def post(self, address: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Send something; the status that is answered. What else is, is not read.

        Raises:
            InputError: The address is none, is not allowed, or leads to another one.
            BusyError: There is no answer.
        """
        with self._asked("POST", address, body, headers) as answer:
            return answer.status

    def get(self, address: str, most_bytes: int) -> bytes:
        """What is at an address.

        Raises:
            InputError: The address is none, is not allowed, leads to another one, or to more.
            NotFoundError: There is nothing, or not for everybody.
            BusyError: There is no answer, or none that is whole.
        """
        site = site_of(address)
        with self._asked("GET", address, None, {"Accept-Encoding": "identity"}) as answer:
            status = answer.status
            if status >= 500 or status in _AGAIN:
                raise BusyError(f"{site.shown} answered HTTP {status}; try again later.")
            if status != 200:
                raise NotFoundError(f"{site.shown} answered HTTP {status} instead of results.")
            if (packed := answer.getheader("Content-Encoding", "identity")).lower() != "identity":
                raise InputError(f"{site.shown} answers packed as {packed!r}, which nobody asked.")
            body = answer.read(most_bytes + 1)
            if len(body) > most_bytes:
                raise InputError(f"{site.shown} answers with more than {most_bytes:,} bytes.")
            if answer.length:
                raise BusyError(f"{site.shown} gave an answer that broke off.")
        return body

    def _site(self, address: object) -> Site:
        site = site_of(address)
        if site.port < _RESERVED_PORTS and site.port not in _COMMON and not self.allow_private:
            raise InputError(
                f"port {site.port} is no port of the web; 80, 443 and those from "
                f"{_RESERVED_PORTS} on may be."
            )
        return site

    def _places(self, site: Site) -> list[tuple[Any, ...]]:
        """What a name stands for now; all of it must be allowed, or none is."""
        try:
            found = self._resolve(site.host, site.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise BusyError(f"no host {site.host!r} is known; try again later.") from None
        if not self.allow_private and not all(is_open(each[4][0]) for each in found):
            raise InputError(
                f"{site.host!r} is in a network that is not open to all, where this server asks "
                f"nobody; whoever runs it can allow that by --allow-private-addresses."
            )
        return found[:_MOST_PLACES]

    @contextmanager
    def _asked(
        self, method: str, address: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Iterator[HTTPResponse]:
        """The answer to a request, as long as it is read."""
        site = self._site(address)
        said = {"User-Agent": f"podium/{__version__}", **headers, "Connection": "close"}
        connection = HTTPConnection(site.host, site.port)
        if site.scheme == "https":
            connection = HTTPSConnection(site.host, site.port, context=self._context())
        connection.auto_open = 0
        with closing(self._wire(site)) as wire:
            try:
                connection.sock = cast(socket.socket, wire)
                connection.request(method, site.target, body, said)
                with connection.getresponse() as answer:
                    _refuse_redirect(site, answer.status)
                    yield answer
            except HTTPException:  # which, if the connection ends, is an OSError too
                raise BusyError(f"{site.shown} gave an answer that broke off, or none.") from None
            except OSError as error:
                raise BusyError(f"{site.shown} gave no answer: {_why(error)}.") from None

    def _wire(self, site: Site) -> "_Wire":
        """A connection to one of the places of a site, which were all checked."""
        until = self._clock() + self._patience
        problem = f"no host {site.host!r} is known"
        for family, kind, protocol, _, place in self._places(site):
            raw = socket.socket(family, kind, protocol)
            wire = _Wire(raw, until, self._clock)
            try:
                wire.connect(place)
                if site.scheme == "https":
                    wire.secure(self._context(), site.host)
            except OSError as error:
                wire.close()
                problem = _why(error)
                continue
            except BaseException:
                wire.close()
                raise
            return wire
        raise BusyError(f"{site.shown} cannot be reached: {problem}.")

    def _context(self) -> ssl.SSLContext:
        if self._trusting is None:
            self._trusting = ssl.create_default_context()
        return self._trusting


def _refuse_redirect(site: Site, status: int) -> None:
    if 300 <= status < 400:
        raise InputError(
            f"{site.shown} leads to another address (HTTP {status}), which is not followed; give "
            f"that one, if it is right."
        )


def _why(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "it takes too long"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not believed ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        return "there is no secure connection"
    return reason(error)


class _Wire:
    """A socket with an end to what all of a request may take, for `http.client`."""

    def __init__(self, raw: socket.socket, until: float, clock: Callable[[], float]) -> None:
        self._socket, self._until, self._clock = raw, until, clock

    def timed(self) -> socket.socket:
        """The socket, for no longer than there is time."""
        left = self._until - self._clock()
        if left <= 0.0:
            raise TimeoutError
        self._socket.settimeout(left)
        return self._socket

    def connect(self, place: Any) -> None:
        """Connect to a place that was looked up before."""
        self.timed().connect(place)

    def secure(self, context: ssl.SSLContext, name: str) -> None:
        """Speak TLS from now on, with whoever proves to have the name."""
        self._socket = context.wrap_socket(self.timed(), server_hostname=name)

    def sendall(self, data: Any) -> None:
        """Send all of something."""
        self.timed().sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        """What is received."""
        assert mode == "rb"
        return io.BufferedReader(_Received(self))

    def close(self) -> None:
        """Let go of it."""
        self._socket.close()


class _Received(io.RawIOBase):
    """What comes through a wire."""

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Receive some of it."""
        return self._wire.timed().recv_into(buffer)


def is_open(number: str) -> bool:
    """Whether a number of the network is one of the open network, which anybody could ask.

    Example:
        >>> is_open("93.184.215.14"), is_open("127.0.0.1"), is_open("100.64.0.1")
        (True, False, False)
        >>> is_open("2606:2800:21f::1"), is_open("::ffff:93.184.215.14"), is_open("fe80::1%eth0")
        (True, False, False)
    """
    found: Number = ipaddress.ip_address(number)
    if found in _TRANSLATED:
        found = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    if found.version == 6 and found not in _OPEN:
        return False
    return found.is_global and not any(found in each for each in _CLOSED)
