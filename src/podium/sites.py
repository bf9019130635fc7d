"""Addresses of other servers, which somebody gave: what they consist of, or a sentence."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from podium.errors import InputError

_PORTS = {"http": 80, "https": 443}
_LONGEST = 2000
_LONGEST_HOST = 253
_NAME = re.compile(r"[\w-]{1,63}(?:\.[\w-]{1,63})*\.?", re.ASCII)


@dataclass(frozen=True)
class Site:
    """Where a server is, and what it is asked for."""

    scheme: str
    host: str
    """A name or a number of the network, without brackets."""
    port: int
    target: str
    """The path and the query."""

    @property
    def shown(self) -> str:
        """What sentences call it: whatever comes after the host may be a secret.

        Example:
            >>> site_of("https://example.org:8443/hook?key=1").shown
            'https://example.org:8443'
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


def site_of(address: object) -> Site:
    """The parts of an address of http or https; raise for anything else.

    Example:
        >>> site_of("https://example.org/hook?key=1")
        Site(scheme='https', host='example.org', port=443, target='/hook?key=1')
        >>> site_of("ftp://example.org/results.csv")
        Traceback (most recent call last):
        podium.errors.InputError: an address begins with https:// or http://, not 'ftp'.
    """
    if not isinstance(address, str) or not address:
        raise InputError("an address is a text such as https://example.org/hook.")
    if len(address) > _LONGEST:
        raise InputError(f"an address has at most {_LONGEST:,} characters, not {len(address):,}.")
    if re.fullmatch(r"[!-~]+", address) is None or set(address) & set('\\"<>^`{|}'):
        raise InputError(
            "an address has no spaces and none but plain letters, digits and signs; a browser "
            "copies it so, with xn-- in names and % in paths."
        )
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise InputError(
            "this is no address: its host or its port cannot be read; https://example.org:8443/hook"
            " would be one."
        ) from None
    if parts.scheme not in _PORTS:
        raise InputError(f"an address begins with https:// or http://, not {parts.scheme!r}.")
    if parts.username is not None or parts.password is not None:
        raise InputError(
            "an address that podium asks has no login in it; leave out what is up to @."
        )
    if not host or len(host) > _LONGEST_HOST or not _is_host(host):
        raise InputError(
            f"an address names a host, in 1 to {_LONGEST_HOST} characters, as example.org."
        )
    if port == 0:
        raise InputError("the port of an address is from 1 to 65535, not 0.")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Site(parts.scheme, host, port or _PORTS[parts.scheme], target)


def _is_host(host: str) -> bool:
    """Whether a host is a name, or a number of the network."""
    if ":" not in host:
        return _NAME.fullmatch(host) is not None
    try:
        return not ipaddress.IPv6Address(host).scope_id
    except ValueError:
        return False
