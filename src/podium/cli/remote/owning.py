"""A league on a site: who may do what, which programs are told, and which contests are live."""

import dataclasses
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

from podium.cli.remote.reading import RemoteView
from podium.cli.remote.understanding import moment, understood
from podium.documents import as_document
from podium.errors import InputError, NotFoundError
from podium.league import League
from podium.league.access import Token
from podium.league.backups import Backup
from podium.league.live import Posted
from podium.progress import Progress
from podium.results.contests import Contests
from podium.results.options import Options, Said
from podium.results.times import Time, to_microseconds


class RemoteOwner(RemoteView):
    """What commands ask of a league beside changes of what is rated; sites log it by the token."""

    def _refuse_who(self, who: str | None) -> None:
        if who is not None:
            raise InputError(
                f"{self.where}: is a site, which logs changes in the name of the token; --who is "
                f"for leagues that are kept here."
            )

    @understood
    def create_token(
        self, name: str, role: str, *, expires: Time | None = None, who: str | None = None
    ) -> str:
        """Let somebody do something; the text that lets them."""
        self._refuse_who(who)
        said = {"name": name, "role": role, "expires": expires}
        self._made = self._site.order("POST", "/tokens", as_document(said))
        return str(self._made["token"])

    @understood
    def identified(self, token: str) -> Token:
        """Whose token it is that was made."""
        if self._made["token"] != token:
            raise NotFoundError(f"{self.where}: is a site, which knows tokens that it has made.")
        return _token(self._made)

    @understood
    def revoke_token(self, id: int, *, who: str | None = None) -> Token:
        """Let a token be good for nothing."""
        self._refuse_who(who)
        return _token(self._site.order("DELETE", "/tokens", id=id))

    @understood
    def set_access(self, to: str, *, who: str | None = None) -> None:
        """Let everybody see the league, or who has a token."""
        self._refuse_who(who)
        self._site.order("PUT", "/access", {"access": to})

    @understood
    def add_webhook(
        self, address: str, kinds: Iterable[str] | None = None, *, who: str | None = None
    ) -> tuple[int, str]:
        """Let a program be told of changes; its number and secret."""
        self._refuse_who(who)
        said = {"address": address, "kinds": None if kinds is None else list(kinds)}
        found = self._site.order("POST", "/webhooks", said)
        return found["id"], found["secret"]

    def webhook(self, id: int) -> None:
        """Raise if there is no webhook of that number."""
        if id not in self.webhooks()["id"]:
            raise NotFoundError(
                f"there is no webhook {id}; podium webhook LEAGUE list shows all of them."
            )

    def remove_webhook(self, id: int, *, who: str | None = None) -> None:
        """Let a program be told nothing any more."""
        self._refuse_who(who)
        self._site.order("DELETE", f"/webhooks/{id}")

    def set_webhook(self, id: int, active: bool, *, who: str | None = None) -> None:
        """Let a program be told of changes, or of none until it is set again."""
        self._refuse_who(who)
        self._site.order("POST", f"/webhooks/{id}/{'resume' if active else 'rest'}")

    @understood
    def try_webhook(self, id: int) -> dict[str, Any]:
        """Let the site send a message that says nothing; what became of it."""
        found = self._site.order("POST", f"/webhooks/{id}/test")
        return {name: found[name] for name in ("status", "problem")}

    @understood
    def send_again(self, webhook: int, notice: int | None = None) -> int:
        """Let a notice be sent again, or all that were given up; how many they are."""
        found = self._site.order("POST", f"/webhooks/{webhook}/send-again", {"notice": notice})
        return int(found["again"])

    def backup(
        self, path: Path, *, replace: bool = False, progress: Progress | None = None
    ) -> Backup:
        """Copy the league to a file, for an owner."""
        with tempfile.TemporaryDirectory(prefix="podium-") as folder:
            sent = Path(folder, "league.db")
            with sent.open("wb") as file:
                self._site.download("/backup.db", file)
            with League.reading(sent) as league:
                copy = league.backup(path, replace=replace, progress=progress)
        return dataclasses.replace(copy, where=self.where)

    @understood
    def post_live(
        self, contest: str, standings: Contests, *, name: str | None = None, who: str | None = None
    ) -> Posted:
        """Post the standings of a contest that runs."""
        self._refuse_who(who)
        table = standings.frame(given=True).drop("contest")
        found = self._site.replace("/live", table, id=contest, title=name)
        return Posted(**{field: found[field] for field in Posted.__dataclass_fields__})

    def end_live(self, contest: str, *, who: str | None = None) -> None:
        """Let a contest be live no more."""
        self._refuse_who(who)
        self._site.order("DELETE", "/live", id=contest)

    def poll_live(
        self,
        contest: str,
        address: str | None,
        /,
        *,
        every: int = 30,
        who: str | None = None,
        **options: Unpack[Said],
    ) -> None:
        """Let the site fetch the standings of a contest, or no longer."""
        self._refuse_who(who)
        if address is None:
            self._site.order("DELETE", "/live/source", id=contest)
            return
        said, usual = Options.of(options).document(), Options().document()
        told = {key: value for key, value in said.items() if value != usual[key]}
        source = {**told, "address": address, "every": every}
        self._site.order("PUT", "/live/source", source, id=contest)


def _token(found: dict[str, Any]) -> Token:
    expires = found["expires"]
    ends = None if expires is None else to_microseconds(moment(expires))
    return Token(found["id"], found["name"], found["role"], ends)
