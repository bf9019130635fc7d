"""Addresses that users give."""

import pytest

from podium.errors import InputError
from podium.sites import site_of


@pytest.mark.parametrize(
    ("address", "host", "port", "target"),
    [
        ("http://example.org", "example.org", 80, "/"),
        ("HTTPS://EXAMPLE.org:8443/a?b=c#d", "example.org", 8443, "/a?b=c"),
        ("http://[2001:db8::1]:80/x", "2001:db8::1", 80, "/x"),
        ("https://xn--bcher-kva.example./", "xn--bcher-kva.example.", 443, "/"),
    ],
)
def test_an_address_has_a_host_a_port_and_a_target(
    address: str, host: str, port: int, target: str
) -> None:
    site = site_of(address)
    assert (site.host, site.port, site.target) == (host, port, target)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        (None, "is a text such as"),
        ("", "is a text such as"),
        ("example.org/hook", "begins with https:// or http://"),
        ("file:///etc/passwd", "begins with https:// or http://"),
        ("gopher://example.org/_GET", "begins with https:// or http://"),
        ("javascript:alert(1)", "begins with https:// or http://"),
        ("http://", "names a host"),
        ("http://.example.org", "names a host"),
        ("http://a..b/", "names a host"),
        (f"http://{'a' * 64}.org/", "names a host"),
        (f"http://{'.'.join(['a' * 60] * 5)}/", "in 1 to 253 characters"),
        ("http://[fe80::1%25eth0]/", "names a host"),
        ("http://[::1/", "cannot be read"),
        ("http://example.org:99999/", "cannot be read"),
        ("http://example.org:-1/", "cannot be read"),
        ("http://example.org:x/", "cannot be read"),
        ("http://example.org:0/", "from 1 to 65535"),
        ("http://ann@example.org/", "no login"),
        ("http://example.org:pw@127.0.0.1/", "no login"),
        ("http://:pw@example.org/", "no login"),
        ("http://@example.org/", "no login"),
        ("http://example.org\\@127.0.0.1/", "no spaces"),
        ("http://example.org/ HTTP/1.1", "no spaces"),
        ("http://example.org/\r\nX: y", "no spaces"),
        ("http://exa\tmple.org/", "no spaces"),
        ("http://bücher.example/", "no spaces"),
        ("http://127。0。0。1/", "no spaces"),
        ("http://example.org/" + "x" * 2000, "at most 2,000 characters"),
    ],
)
def test_what_is_no_address_is_one_sentence(address: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        site_of(address)
    assert "pw" not in str(caught.value)
