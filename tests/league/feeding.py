"""Processes that feed leagues, and are killed in the middle.

It reads turns from its input, one a line: a league, how many processes are to feed it, what the
matches are called and after how many answers one of them is killed, the one that rates if they are
several. It prints the identifiers of all matches that were answered.
"""

import json
import os
import random
import selectors
import signal
import sys
import threading
import time

import podium
from podium import League

SYSTEM = "glicko2"
THREADS = 4
GOING_ON = 12
"""Answers of the others that are waited for after one was killed."""


def feed(where: str, called: str, acknowledged: int) -> None:
    """Record matches for ever, and say of each that it was answered, once it was."""
    with League(where) as league, league.feed() as feed:

        def play(thread: int) -> None:
            rng = random.Random(f"{called}-{thread}")
            number = 0
            while True:
                players = [f"p{each}" for each in rng.sample(range(30), 2)]
                answer = feed.record(players, id=f"{called}-{thread}-{number}")
                os.write(acknowledged, f"{answer.id} {int(feed.rates)}\n".encode())
                number += 1

        threads = [threading.Thread(target=play, args=(each,)) for each in range(THREADS)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()


class Child:
    """One of them."""

    def __init__(self, where: str, called: str) -> None:
        self.answers, writes = os.pipe()
        self.process = os.fork()
        if not self.process:
            try:
                feed(where, called, writes)
            finally:
                os._exit(1)
        os.close(writes)
        self.said = b""
        self.rates = False

    def read(self) -> int:
        """Take what it says; how many answers more."""
        part = os.read(self.answers, 1 << 16)
        if not part:
            raise EOFError(f"process {self.process} has ended by itself")
        self.said += part
        lines = part.decode().split("\n")
        if len(lines) > 1 and lines[-2]:
            self.rates = lines[-2].endswith("1")
        return part.count(b"\n")

    def kill(self) -> None:
        """End it, and take what it has said until then."""
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        while part := os.read(self.answers, 1 << 16):
            self.said += part
        os.close(self.answers)

    @property
    def ids(self) -> list[str]:
        """Of the matches that were answered: a line counts if it is complete."""
        return [line.split()[0].decode() for line in self.said.split(b"\n")[:-1]]


def answers(children: list[Child], count: int) -> None:
    """Wait until they have said so much."""
    with selectors.DefaultSelector() as selector:
        for each in children:
            selector.register(each.answers, selectors.EVENT_READ, each)
        while count > 0:
            for key, _ in selector.select():
                count -= key.data.read()


def turn(where: str, processes: int, called: str, after: int) -> dict[str, object]:
    """Feed a league and kill who does; what was answered."""
    children = [Child(where, f"{called}-{number}") for number in range(processes)]
    answers(children, after)
    victim = next((each for each in children if each.rates), children[0])
    moment = time.perf_counter() + random.random() * 0.004
    while time.perf_counter() < moment:
        pass
    victim.kill()
    others = [each for each in children if each is not victim]
    if others:
        answers(others, GOING_ON)
    for each in others:
        each.kill()
    return {"answered": [id for each in children for id in each.ids], "rated": victim.rates}


if __name__ == "__main__":
    ladder = podium.Ladder(SYSTEM)  # kernels are there before anybody is killed
    ladder.record(["ann", "bob"])
    for line in sys.stdin:
        where, processes, called, after = line.rstrip("\n").split("\t")
        print(json.dumps(turn(where, int(processes), called, int(after))), flush=True)
