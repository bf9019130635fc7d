"""How a site is asked: slowly, by name, and again."""

import base64
import email.utils
import socket
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import PodiumError
from podium.results.fetching.client import Client, RefusedError, UnansweredError
from podium.results.formats import limits
from tests.local_site import PAGE, TROUBLES, Reply, in_json, zipped

PATH = "contest.list"


def test_a_client_says_who_it_is_and_takes_compressed_answers(site, connect):
    site.troubles[PATH] = [zipped(in_json({"result": ["ü"]}))]
    answer = connect(site).ask(PATH, {"gym": "false"})
    assert answer.document == {"result": ["ü"]}
    assert answer.body == in_json({"result": ["ü"]}).body
    [request] = site.requests
    assert request.path == "/api/contest.list?gym=false"
    assert request.headers["user-agent"] == f"podium/{podium.__version__}"
    assert "gzip" in request.headers["accept-encoding"]


def test_requests_are_two_seconds_apart(site, connect):
    client = connect(site)
    for _ in range(4):
        client.ask(PATH)
    assert [request.time for request in site.requests] == [0.0, 2.0, 4.0, 6.0]


def test_the_interval_starts_when_an_answer_has_come(site, clock, connect):
    client = connect(site, interval=5.0)

    def slowly(_):
        clock.now += 3.0

    client.ask(PATH, trouble=slowly)
    client.ask(PATH)
    assert [request.time for request in site.requests] == [0.0, 8.0]


def test_time_spent_elsewhere_counts(site, clock, connect):
    client = connect(site)
    client.ask(PATH)
    clock.now += 60.0
    client.ask(PATH)
    assert clock.sleeps == []


@pytest.mark.parametrize("name", TROUBLES)
def test_trouble_is_tried_again(site, connect, name):
    reply, _ = TROUBLES[name]
    site.troubles[PATH] = [reply, reply]
    assert connect(site).ask(PATH).status == 200
    assert len(site.requests) == 3


@pytest.mark.parametrize("name", TROUBLES)
def test_a_client_gives_up_in_one_sentence(site, connect, name):
    reply, what = TROUBLES[name]
    site.troubles[PATH] = [reply] * 6
    with pytest.raises(UnansweredError) as caught:
        connect(site).ask(PATH)
    told = str(caught.value)
    assert told.startswith(f"{site.host} gave no usable answer in 6 tries, the last time ")
    assert told.endswith(what)
    assert len(site.requests) == 6


@pytest.mark.parametrize("status", [408, 425, 429, 500, 599])
def test_some_answers_are_no_answers_even_in_json(site, connect, status):
    site.troubles[PATH] = [in_json({"status": "OK"}, status)]
    assert connect(site).ask(PATH).status == 200
    assert len(site.requests) == 2


def test_json_deeper_than_anybody_can_read_is_tried_again(site, connect):
    site.troubles[PATH] = [Reply(b"[" * 200_000)]
    assert connect(site).ask(PATH).status == 200


def test_pauses_double(site, clock, connect):
    site.troubles[PATH] = [Reply(PAGE, 502)] * 6
    with pytest.raises(UnansweredError):
        connect(site).ask(PATH)
    assert clock.sleeps == [2.0, 4.0, 8.0, 16.0, 32.0]


def test_pauses_differ_and_are_announced(site, clock, connect):
    chances = iter([0.0, 0.5, 1.0])
    site.troubles[PATH] = [Reply(PAGE, 502)] * 3
    said = []
    connect(site, chance=lambda: next(chances), report=said.append).ask(PATH)
    assert clock.sleeps == [2.0, 5.0, 12.0]
    assert said == [f"{site.host}: HTTP 502; trying again in {n} s." for n in (2, 5, 12)]


def test_a_pause_is_no_shorter_than_the_interval_and_ends_somewhere(site, clock, connect):
    site.troubles[PATH] = [Reply(drop=True)] * 8
    connect(site, interval=7.0, tries=9).ask(PATH)
    assert clock.sleeps == [7.0, 7.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


@pytest.mark.parametrize("status", [200, 400, 429, 503])
def test_a_site_says_how_long_to_wait(site, clock, connect, status):
    site.troubles[PATH] = [Reply(PAGE, status, {"Retry-After": " 90"})]
    connect(site).ask(PATH)
    assert clock.sleeps == [90.0]


def test_a_site_names_the_moment(site, clock, connect):
    moment = email.utils.formatdate(time.time() + 300.0, usegmt=True)
    site.troubles[PATH] = [Reply(b"", 503, {"Retry-After": moment})]
    connect(site).ask(PATH)
    assert 200.0 < clock.sleeps[0] <= 300.0


def test_a_wish_that_nobody_understands_is_not_heard(site, clock, connect):
    site.troubles[PATH] = [Reply(b"", 503, {"Retry-After": "soon"})]
    connect(site).ask(PATH)
    assert clock.sleeps == [2.0]


def test_a_site_that_wants_a_long_rest_gets_it(site, connect):
    site.troubles[PATH] = [Reply(b"", 429, {"Retry-After": "3600"})]
    with pytest.raises(UnansweredError, match=r"answered HTTP 429 and asks to wait 3,600 s$"):
        connect(site).ask(PATH)
    assert len(site.requests) == 1


def test_a_rest_of_ten_minutes_is_waited_for(site, clock, connect):
    site.troubles[PATH] = [Reply(b"", 429, {"Retry-After": "600"})]
    connect(site).ask(PATH)
    assert clock.sleeps == [600.0]


def test_a_site_that_says_nothing(site, connect):
    site.troubles[PATH] = [Reply(hold=True)] * 2
    with pytest.raises(UnansweredError, match=r"no answer within 0\.05 s$"):
        connect(site, patience=0.05, tries=2).ask(PATH)
    assert connect(site).ask(PATH).status == 200


def test_nobody_at_home(clock):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        client = Client(url, sleep=clock.sleep, clock=clock)
        with pytest.raises(UnansweredError, match=r"no connection \(connection refused\)$"):
            client.ask("contest.list")


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_does_not_exist_is_not_asked_for_again(site, connect, status):
    site.troubles[PATH] = [Reply(PAGE, status)]
    with pytest.raises(RefusedError, match=rf"answered HTTP {status}$"):
        connect(site).ask(PATH)
    assert len(site.requests) == 1


def test_a_page_that_has_moved_is_not_followed(site, connect):
    site.troubles[PATH] = [Reply(b"", 301, {"Location": "http://elsewhere.invalid/"})]
    with pytest.raises(RefusedError, match=r"HTTP 301: it is now at http://elsewhere\.invalid/$"):
        connect(site).ask(PATH)
    assert len(site.requests) == 1


@pytest.mark.parametrize("reply", [Reply(PAGE, 404), Reply(b"", 301, {"Location": "/"})])
def test_the_interval_holds_after_a_refusal(site, clock, connect, reply):
    site.troubles[PATH] = [reply]
    client = connect(site)
    with pytest.raises(RefusedError):
        client.ask(PATH)
    client.ask(PATH)
    assert clock.sleeps == [2.0]


def test_a_sites_own_rules(site, connect):
    site.troubles[PATH] = [in_json({"busy": True}), in_json({"busy": False}, 400)]
    answer = connect(site).ask(
        PATH, trouble=lambda answer: "busy" if answer.document["busy"] else None
    )
    assert (answer.status, answer.document) == (400, {"busy": False})


def test_whatever_happens_requests_are_apart(site, clock):
    names = st.lists(st.sampled_from(sorted(TROUBLES)), max_size=5)

    @settings(max_examples=40)
    @given(st.lists(names, max_size=4), st.integers(0, 10), st.floats(0.0, 1.0))
    def check(documents, interval, chance):
        site.requests.clear()
        client = Client(
            site.url, interval=interval, sleep=clock.sleep, clock=clock, chance=lambda: chance
        )
        for names in documents:
            site.troubles[PATH] = [TROUBLES[name][0] for name in names]
            client.ask(PATH)
        times = [request.time for request in site.requests]
        assert len(times) == sum(len(names) + 1 for names in documents)
        assert all(later - time > interval - 1e-6 for time, later in pairwise(times))

    check()


def test_the_environment_names_a_proxy(site, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", f"http://ann:secret@{site.host}")
    Client("http://elsewhere.invalid/api", interval=0.0).ask(PATH)
    [request] = site.requests
    assert request.path == "http://elsewhere.invalid/api/contest.list"
    expected = base64.b64encode(b"ann:secret").decode()
    assert request.headers["proxy-authorization"] == f"Basic {expected}"


def test_a_proxy_without_a_scheme_is_one_of_http(site, monkeypatch):
    monkeypatch.setenv("http_proxy", site.host)
    Client("http://elsewhere.invalid/api", interval=0.0).ask(PATH)
    assert site.requests[0].path.startswith("http://elsewhere.invalid/")


def test_the_environment_excepts_hosts_from_the_proxy(site, connect, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://nowhere.invalid:1")
    monkeypatch.setenv("NO_PROXY", "example.org,127.0.0.1")
    assert connect(site).ask(PATH).status == 200


def test_one_proxy_may_be_for_all_schemes(site, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", f"http://{site.host}")
    Client("http://elsewhere.invalid/api", interval=0.0).ask(PATH)
    assert site.requests[0].path.startswith("http://elsewhere.invalid/")


def test_a_proxy_that_is_down(clock, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{taken.getsockname()[1]}")
        client = Client("http://elsewhere.invalid", sleep=clock.sleep, clock=clock)
        with pytest.raises(UnansweredError, match="no connection through the proxy"):
            client.ask(PATH)


def test_a_proxy_of_another_kind(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "socks5://localhost:1")
    with pytest.raises(PodiumError) as caught:
        Client("http://elsewhere.invalid")
    assert str(caught.value) == (
        "the proxy that the environment gives for http is not one of http or https."
    )


@pytest.mark.parametrize(
    "url",
    [
        "",
        "codeforces.com/api",
        "ftp://codeforces.com",
        "https://",
        "http://[::1",
        "a://b?c",
        "https://example.org/api?key=1",
        "https://example.org/api#top",
    ],
)
def test_an_address_that_is_none(url):
    with pytest.raises(PodiumError, match="is not the address of a site; give one like"):
        Client(url)


@pytest.mark.parametrize("interval", [-1.0, float("nan"), float("inf")])
def test_an_interval_that_is_none(interval):
    with pytest.raises(PodiumError, match="the interval between requests is a number of seconds"):
        Client("http://127.0.0.1", interval=interval)


@pytest.mark.parametrize("host", ["codeforces.com", "mirror.codeforces.com", "ctftime.org"])
def test_public_sites_are_not_hurried(host):
    with pytest.raises(PodiumError) as caught:
        Client(f"https://{host}/api/", interval=1.5)
    assert str(caught.value) == f"requests to {host} are at least 2 seconds apart, not 1.5."
    assert Client(f"https://{host}/api/", interval=2.0).site == host


def test_an_answer_that_unpacks_without_end_is_refused(site, connect, monkeypatch):
    monkeypatch.setattr(limits, "ALWAYS", 10**6)
    site.troubles[PATH] = [zipped(Reply(bytes(2 * 10**6))), zipped(in_json({"result": "x" * 9**6}))]
    client = connect(site)
    with pytest.raises(RefusedError, match=r"answered with more than 0\.0 GiB"):
        client.ask(PATH)
    assert client.ask(PATH).document == {"result": "x" * 9**6}


def test_an_answer_that_is_too_deep_is_none(site, connect):
    deep, deeper = (Reply(b"[" * depth + b"]" * depth) for depth in (64, 65))
    site.troubles[PATH] = [deep, deeper, deep]
    client = connect(site)
    for asked in (1, 3):
        assert client.ask(PATH).body == deep.body
        assert len(site.requests) == asked
