"""Webhooks on the command line."""

import json

import pytest
from tests.web.test_webhooks import Receiver

import podium

HOOK = "https://example.org/hook"


def asked(command, *arguments):
    return json.loads(command(*arguments, "--json").stdout)


def test_a_webhook_is_made_listed_rests_and_is_removed(command, league):
    assert "There are no webhooks" in command("webhook", league).stderr
    made = asked(command, "webhook", league, "create", HOOK, "--kind", "title.reached")
    assert made["secret"].startswith("whsec_")
    assert (made["id"], made["kinds"]) == (1, ["title.reached"])
    listed = asked(command, "webhook", league, "list")
    assert listed == [{key: each for key, each in made.items() if key != "secret"}]
    shown = command("webhook", league, "list").stdout
    assert HOOK in shown
    assert made["secret"] not in shown
    assert command("webhook", league, "rest", 1).stdout == "Webhook 1 rests.\n"
    assert "it rests" in command("webhook", league, "list").stdout
    assert "again" in command("webhook", league, "resume", 1).stdout
    assert command("webhook", league, "remove", 1, "--who", "ann").stdout == (
        "Webhook 1 is removed.\n"
    )
    assert asked(command, "webhook", league) == []
    actions = [each["action"] for each in asked(command, "log", league)]
    assert actions.count("webhook") == 4


def test_the_secret_is_shown_once_and_for_people_too(command, league):
    made = command("webhook", league, "create", HOOK)
    assert "is told 'contest.rated', 'rating.changed'" in made.stdout
    assert "whsec_" in made.stdout
    assert "shown only now" in made.stderr


def test_a_message_is_tried(command, league):
    with Receiver() as receiver:
        made = asked(command, "webhook", league, "create", receiver.address)
        receiver.answers = [200, 500, 500]
        assert command("webhook", league, "test", 1).stdout == (
            "Webhook 1 has taken a message (HTTP 200).\n"
        )
        assert "answered HTTP 500" in command("webhook", league, "test", 1).complaint
        assert asked(command, "webhook", league, "test", 1)["status"] == 500
        assert [each["type"] for each in receiver.messages(made["secret"])] == ["webhook.test"] * 3


def test_deliveries_are_shown_and_can_be_sent_again(command, league):
    command("webhook", league, "create", HOOK, "--kind", "contest.rated")
    with podium.League(league) as opened:
        opened.record(["ann", "bob"], id="late", time="2026-09-01")
        number = opened.deliveries()["notice"].item()
    (delivery,) = asked(command, "webhook", league, "deliveries", 1)
    assert (delivery["notice"], delivery["attempts"]) == (number, 0)
    assert "due" in command("webhook", league, "deliveries").stdout
    assert asked(command, "webhook", league, "deliveries", "--failed") == []
    assert asked(command, "webhook", league, "send-again", 1) == {"again": 0}
    again = command("webhook", league, "send-again", 1, "--notice", number)
    assert again.stdout == "1 notice to be sent again.\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("create",), "a new webhook needs an address"),
        (("create", "ftp://example.org"), "begins with https://"),
        (("create", HOOK, "--kind", "title"), "is nothing that a webhook is told"),
        (("creat", HOOK), "did you mean 'create'?"),
        (("list", "1"), "takes no '1'"),
        (("remove",), "the number of a webhook is needed"),
        (("remove", "one"), "the number of a webhook is needed"),
        (("remove", "7"), "there is no webhook 7"),
        (("test", "7"), "there is no webhook 7"),
        (("send-again", "7"), "there is no webhook 7"),
        (("deliveries", "7"), "there is no webhook 7"),
        (("list", "--failed"), "--failed is for deliveries"),
        (("list", "--notice", "1"), "--notice is for send-again"),
        (("remove", "1", "--kind", "title.reached"), "--kind is for create"),
    ],
)
def test_what_is_wrong_is_one_sentence(command, league, arguments, said):
    assert said in command("webhook", league, *arguments).complaint
