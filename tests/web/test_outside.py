"""What the server asks other servers, and where it refuses to."""

import contextlib
import http.server
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podium.errors import BusyError, InputError, NotFoundError
from podium.web.outside import Outside, is_open
from tests.local_site import Reply, Request, Site

OPEN = "93.184.215.14"


def resolver(*numbers: str) -> Any:
    """Looks up every name as these numbers."""

    def resolve(_host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        return [
            (
                socket.AF_INET6 if ":" in each else socket.AF_INET,
                socket.SOCK_STREAM,
                socket.IPPROTO_TCP,
                "",
                (each, port, 0, 0) if ":" in each else (each, port),
            )
            for each in numbers
        ]

    return resolve


class Echo(Site):
    """A server that answers as it is told, and keeps what it was asked."""

    def __init__(self, answer: Reply) -> None:
        super().__init__()
        self.answer = answer

    def reply(self, _request: Request) -> Reply:
        return self.answer


@contextlib.contextmanager
def saying(**reply: Any) -> Iterator[Echo]:
    with Echo(Reply(**reply)) as site:
        yield site


@contextlib.contextmanager
def raw_server(answer: bytes) -> Iterator[str]:
    """A server that says something to whoever comes, and then waits; its host and port."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def speak() -> None:
            with contextlib.suppress(OSError):
                came, _ = listening.accept()
                with came:
                    came.recv(65536)
                    came.sendall(answer)
                    over.wait()

        thread = threading.Thread(target=speak)
        thread.start()
        host, port = listening.getsockname()
        try:
            yield f"http://{host}:{port}/"
        finally:
            over.set()
            with contextlib.suppress(OSError):
                socket.create_connection((host, port)).close()
            thread.join()


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "127.9.9.9",
        "0x7f.1",
        "0x7f000001",
        "0177.0.0.1",
        "2130706433",
        "0",
        "0.0.0.0",
        "localhost",
        "LOCALHOST",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:7f00:1::]",
        "[2002:a00:1::]",
        "[2002:808:808::]",
        "[3fff::1]",
        "[fe80::1]",
        "[fec0::1]",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
        "[2001:db8::1]",
        "[2001::1]",
        "[100::1]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "0xa9fea9fe",
        "100.64.0.1",
        "192.0.2.1",
        "192.0.0.192",
        "198.18.0.1",
        "168.63.129.16",
        "203.0.113.9",
        "224.0.0.1",
        "239.1.2.3",
        "240.0.0.1",
        "255.255.255.255",
    ],
)
def test_no_number_of_a_closed_network_is_asked_however_it_is_written(host: str) -> None:
    outside = Outside()
    for ask in (
        lambda address: outside.check(address),
        lambda address: outside.post(address, b"{}", {}),
        lambda address: outside.get(address, 100),
    ):
        with pytest.raises(InputError, match="not open to all"):
            ask(f"http://{host}:8080/hook")


@pytest.mark.parametrize("number", [OPEN, "8.8.8.8", "2606:2800:21f::1", "64:ff9b::808:808"])
def test_numbers_of_the_open_network_are(number: str) -> None:
    assert is_open(number)
    Outside(resolve=resolver(number)).check("https://example.org/hook")


@pytest.mark.parametrize("inner", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1"])
def test_a_name_is_refused_if_anything_that_it_stands_for_is_in_a_closed_network(
    inner: str,
) -> None:
    outside = Outside(resolve=resolver(OPEN, inner))
    with pytest.raises(InputError, match="not open to all"):
        outside.post("https://rebinding.example/hook", b"{}", {})


@pytest.mark.parametrize("port", [1, 22, 25, 139, 445, 1023])
def test_ports_of_other_services_are_not_asked(port: int) -> None:
    with pytest.raises(InputError, match=f"port {port} is no port of the web"):
        Outside(resolve=resolver(OPEN)).post(f"http://example.org:{port}/", b"", {})


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "gopher://example.org/", "http://a:b@example.org/", "x" * 5000],
)
def test_what_is_no_address_of_the_web_is_asked_by_no_means(address: str) -> None:
    for outside in (Outside(), Outside(allow_private=True)):
        with pytest.raises(InputError):
            outside.get(address, 100)


def test_a_name_is_looked_up_once_and_what_was_checked_is_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, connected = [], []

    def rebinding(host: str, port: int, **more: Any) -> Any:
        asked.append(host)
        return resolver(OPEN if len(asked) == 1 else "127.0.0.1")(host, port, **more)

    def connect(_: socket.socket, place: Any) -> None:
        connected.append(place)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("socket.socket.connect", connect)
    monkeypatch.setattr("socket.getaddrinfo", rebinding)
    with pytest.raises(BusyError, match="cannot be reached: connection refused"):
        Outside(resolve=rebinding).post("http://rebinding.example/hook", b"{}", {})
    assert asked == ["rebinding.example"]
    assert connected == [(OPEN, 80)]


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with saying(body=b"proxied") as proxy, saying(body=b"direct") as site:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{proxy.host}")
        assert Outside(allow_private=True).get(site.url, 100) == b"direct"
        assert proxy.requests == []


def test_what_is_asked_has_the_name_of_the_host_and_the_path() -> None:
    with saying(body=b"results") as site:
        port = site.host.rpartition(":")[2]
        outside = Outside(allow_private=True, resolve=resolver("127.0.0.1"))
        assert outside.get(f"http://results.example:{port}/week-3.csv?x=1", 100) == b"results"
        (request,) = site.requests
    assert request.path == "/week-3.csv?x=1"
    assert request.headers["host"] == f"results.example:{port}"
    assert request.headers["user-agent"].startswith("podium/")


class Receiving(http.server.BaseHTTPRequestHandler):
    """Takes what is posted, and answers with the status that its path says."""

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        self.server.received.append((dict(self.headers), self.rfile.read(size)))  # type: ignore[attr-defined]
        status, _, inner = self.path.strip("/").partition("?to=")
        self.send_response(int(status))
        if inner:
            self.send_header("Location", f"http://{inner}/secret")
        self.end_headers()
        self.wfile.write(b"x" * 10**6)

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def receiver() -> Iterator[tuple[str, list[Any]]]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiving) as server:
        server.received = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", server.received  # type: ignore[attr-defined]
        finally:
            server.shutdown()
            thread.join()


def _post(outside: Outside, address: str) -> int:
    return outside.post(address, b'{"a": 1}', {"Content-Type": "application/json", "X-Id": "7"})


@pytest.mark.parametrize("status", [301, 302, 303, 304, 307, 308])
def test_redirects_are_not_followed_and_are_a_failure(status: int) -> None:
    refused = r"leads to another address .* not followed"
    outside = Outside(allow_private=True)
    with saying(body=b"secret") as inner, receiver() as (address, received):
        there = {"Location": f"http://{inner.host}/secret"}
        with saying(status=status, headers=there) as site, pytest.raises(InputError, match=refused):
            outside.get(site.url, 100)
        with pytest.raises(InputError, match=refused):
            _post(outside, f"{address}/{status}?to={inner.host}")
    assert inner.requests == []
    assert len(received) == 1


@pytest.mark.parametrize("status", [200, 204, 400, 404, 410, 429, 500, 503])
def test_a_post_says_which_status_was_answered(status: int) -> None:
    with receiver() as (address, received):
        assert _post(Outside(allow_private=True), f"{address}/{status}") == status
    ((headers, body),) = received
    assert body == b'{"a": 1}'
    assert (headers["X-Id"], headers["Content-Type"]) == ("7", "application/json")


@pytest.mark.parametrize(
    ("reply", "kind", "sentence"),
    [
        ({"status": 404}, NotFoundError, "answered HTTP 404"),
        ({"status": 403}, NotFoundError, "answered HTTP 403"),
        ({"status": 429}, BusyError, "answered HTTP 429"),
        ({"status": 503}, BusyError, "answered HTTP 503"),
        ({"body": b"x" * 101}, InputError, "more than 100 bytes"),
        ({"body": b"x" * 50, "cut": 1}, BusyError, "broke off"),
        ({"drop": True}, BusyError, "broke off"),
        (
            {"body": b"x", "headers": {"Content-Encoding": "gzip"}},
            InputError,
            "packed as 'gzip'",
        ),
    ],
)
def test_what_comes_instead_of_results_is_one_sentence(
    reply: Any, kind: type[Exception], sentence: str
) -> None:
    with (
        saying(**reply) as site,
        pytest.raises(kind, match=sentence),
    ):
        Outside(allow_private=True).get(site.url, 100)


def test_as_many_bytes_as_are_allowed_are_read() -> None:
    with saying(body=b"x" * 100) as site:
        assert Outside(allow_private=True).get(site.url, 100) == b"x" * 100


def test_a_server_that_says_nothing_is_left_after_a_while() -> None:
    with saying(hold=True) as site, pytest.raises(BusyError, match="takes too long"):
        Outside(allow_private=True, patience=0.05).get(site.url, 100)


@pytest.mark.parametrize("said", [b"HTTP/1.1 200 OK\r\nX-", b"HTTP/1.1 200 OK\r\n\r\npart"])
def test_a_server_that_goes_on_in_small_steps_is_left_too(said: bytes) -> None:
    """Every step is short enough by itself; here, time passes with every look at the clock."""
    moments = iter(range(10**6))
    outside = Outside(allow_private=True, patience=4.0, clock=lambda: float(next(moments)))
    with raw_server(said) as address, pytest.raises(BusyError, match="takes too long"):
        outside.get(address, 100)


def test_what_is_no_http_is_a_sentence() -> None:
    with raw_server(b"220 mail.example ESMTP\r\n") as address, pytest.raises(BusyError):
        Outside(allow_private=True).get(address, 100)


def test_where_nobody_listens_nobody_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(BusyError, match="cannot be reached: connection refused"):
        Outside(allow_private=True).get(f"http://127.0.0.1:{port}/", 100)


def test_the_next_number_of_a_name_is_tried_if_the_first_does_not_answer() -> None:
    with saying(body=b"second") as site:
        port = site.host.rpartition(":")[2]
        outside = Outside(allow_private=True, resolve=resolver("127.0.0.2", "127.0.0.1"))
        assert outside.get(f"http://two.example:{port}/", 100) == b"second"


def test_a_name_that_nobody_knows_is_said_to_be_so() -> None:
    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    outside = Outside(resolve=unknown)
    with pytest.raises(InputError, match=r"no host 'nobody.example' is known"):
        outside.check("https://nobody.example/")
    with pytest.raises(BusyError, match=r"no host 'nobody.example' is known"):
        outside.get("https://nobody.example/", 100)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate of `hook.example`, which nobody has signed but itself."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    made = ["-keyout", str(path), "-out", f"{path}.crt", "-days", "2", "-subj", "/CN=hook.example"]
    names = ["-addext", "subjectAltName=DNS:hook.example"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *made, *names],
        check=True,
        capture_output=True,
    )
    path.write_bytes(path.read_bytes() + Path(f"{path}.crt").read_bytes())
    return path


@contextlib.contextmanager
def secure_receiver(certificate: Path) -> Iterator[tuple[int, list[str | None]]]:
    """A server with a certificate; its port, and which names it was asked for."""
    names: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiving) as server:
        server.received = []  # type: ignore[attr-defined]
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port, names
        finally:
            server.shutdown()
            thread.join()


def test_a_certificate_has_to_be_of_the_name_that_was_given(certificate: Path) -> None:
    believed = ssl.create_default_context(cafile=certificate)
    where = resolver("127.0.0.1")
    with secure_receiver(certificate) as (port, names):
        outside = Outside(allow_private=True, resolve=where, trusting=believed)
        assert _post(outside, f"https://hook.example:{port}/204") == 204
        assert names == ["hook.example"]
        with pytest.raises(BusyError, match="certificate is not believed"):
            _post(outside, f"https://other.example:{port}/204")
        with pytest.raises(BusyError, match="certificate is not believed"):
            _post(Outside(allow_private=True, resolve=where), f"https://hook.example:{port}/204")
