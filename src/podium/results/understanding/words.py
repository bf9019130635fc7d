"""What columns are called in English, German, French, Spanish, Portuguese and Italian.

Words are keys as `key` makes them of a header: small letters and digits only, without accents.
"""

import re
import unicodedata
from collections.abc import Iterable

_NUMBERED_HEADER = re.compile(r"[^\W\d_]+[\s._#-]*\d+\b.*", re.DOTALL)
_VALUE = re.compile(r"[+-]?\d+([.,:/-]\d+)*\.?([T ]\d+(:\d+)*([.]\d+)?Z?)?")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")


def key(header: str) -> str:
    r"""A header without what spelling it differently changes.

    Example:
        >>> key("\ufeffPosición "), key("Match_ID"), key("Straße"), key("#")
        ('posicion', 'matchid', 'strasse', '#')
    """
    letters = unicodedata.normalize("NFKD", header).casefold()
    return "".join(filter(str.isalnum, letters)) or ("#" if "#" in letters else "")


def keys(header: str) -> tuple[str, str]:
    """The key of a header with what stands in brackets, and without, as of "Time (UTC)"."""
    bare = _BRACKETS.sub("", header)
    return key(header), key(bare) or key(header)


def is_of_series(header: str) -> bool:
    """Whether it is one of many: 'Week 3', 'R2', a date."""
    return is_value(header) or bool(_NUMBERED_HEADER.match(header.strip()))


def is_value(header: str) -> bool:
    """Whether it is a number or a date, as no column is called."""
    text = header.strip()
    return bool(text) and bool(_VALUE.fullmatch(text))


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


PLAYER = _set(
    "player players playername handle user username usernames nick nickname screenname gamertag "
    "displayname fullname competitor competitorname participant participantname contestant "
    "contestantname athlete athletename driver drivername rider ridername runner runnername racer "
    "swimmer skier skater sailor cyclist golfer fencer wrestler boxer fighter archer shooter pilot "
    "skipper helm helmsman jockey entrant entrantname gamer login account accountname contender "
    "candidate "
    "spieler spielerin spielername fahrer fahrerin fahrername teilnehmer teilnehmerin teilnehmende "
    "teilnehmername laufer lauferin laeufer laeuferin sportler sportlerin athlet athletin starter "
    "schutze schuetze schwimmer schwimmerin reiter reiterin benutzer benutzername nutzer "
    "nutzername spitzname steuermann steuerfrau namevorname vornamename nachnamevorname "
    "vornamenachname "
    "joueur joueuse nomdujoueur participante concurrent concurrente coureur coureuse pilote "
    "cavalier nageur nageuse tireur utilisateur pseudo pseudonyme nometprenom nomprenom prenomnom "
    "prenometnom nomcomplet "
    "jugador jugadora nombredeljugador competidor competidora atleta corredor corredora piloto "
    "ciclista nadador nadadora usuario nombredeusuario apodo concursante deportista "
    "nombreyapellidos nombreyapellido nombrecompleto apellidosynombre apellidoynombre "
    "jogador jogadora nomedojogador utilizador concorrente nomecompleto "
    "giocatore giocatrice nomegiocatore partecipante corridore pilota utente nuotatore nominativo "
    "nomeecognome nomecognome cognomeenome cognomenome soprannome"
)
NAME = _set("name names nom noms nombre nombres nome")
"""The player, unless there is another column for that."""
PLAYER_NUMBER = _set("playerid userid participantid competitorid athleteid driverid riderid")
FIRST_NAME = _set(
    "firstname first givenname forename vorname vornamen prenom prenoms nombre nombres nome"
)
LAST_NAME = _set(
    "lastname last surname familyname nachname familienname nomdefamille apellido apellidos "
    "cognome sobrenome apelido name nom"
)
_ONLY_FIRST = _set("firstname givenname forename vorname vornamen prenom prenoms")
_ONLY_LAST = LAST_NAME - _set("last name nom")
TEAM = _set(
    "team teams teamname mannschaft mannschaften teamnamen equipe equipes nomdelequipe "
    "equipo equipos equipa equipas squadra squadre"
)
CLUB = _set(
    "club clubname verein vereinsname clube societa crew boat boot bateau barco barca yacht "
    "horse pferd cheval caballo cavalo cavallo"
)
"""Whom or what players start for or with: the player only if no other column is."""
RANK = _set(
    "rank ranking rk rnk place placing placement position pos posn standing finish finishposition "
    "finishingposition finalrank finalposition finalplace overallrank overallplace "
    "overallposition endrank fin finalstanding finalstandings positiontext positionorder plc "
    "platz platzierung platznr rang rangplatz rg pl plz gesamtplatz gesamtrang endplatz "
    "endplatzierung "
    "classement clt clst cl clas placefinale puesto posicion clasificacion lugar colocacao "
    "classificacao posicao posizione piazzamento posto classifica"
)
NUMBER_SIGN = _set("#")
"""The rank, unless there is another column for that."""
SCORE = _set(
    "score scores points point pts pt totalscore totalpoints totalpts finalscore finalpoints "
    "overallscore netscore pointstotal scoretotal "
    "punkte punkt punktzahl pkt pkte pkt gesamtpunkte gesamtpunktzahl punktestand "
    "puntos ptos puntaje puntuacion puntostotales pontos pontuacao totaldepontos "
    "punti punteggio puntitotali pointstotaux"
)
COUNT = _set("goals tore buts goles gols reti ringe weite")
"""The score, unless there is another column for that."""
MARK = _set("performance marca note nett net")
"""The score, unless there is another; of times, strokes and some grades the lowest is the best."""
TOTAL = _set("total totals gesamt summe totale suma soma somma totaux sum")
"""The score, unless there is another column for that."""
DURATION = _set(
    "duration elapsed elapsedtime chiptime guntime nettime grosstime finishtime finishingtime "
    "racetime laptime besttime totaltime officialtime dauer laufzeit nettozeit bruttozeit endzeit "
    "fahrzeit zielzeit gesamtzeit finaltime finalstime temps tempsnet tempsofficiel tempsreel "
    "tempstotal chrono duree tiempo tiemponeto tiempofinal "
    "tiempooficial tiempototal duracion tempo tempofinale tempototale tempototal tempooficial "
    "temponetto tempoufficiale tempoliquido tempofinal durata duracao"
)
"""How long somebody took: the score, if no column has points."""
TIME_OR_DURATION = _set("time zeit times zeiten")
"""When it was, a time of day, or how long somebody took; the cells tell."""
DATE = _set("date dates datetime timestamp datum fecha data")
"""When it was; other words count only if none of these is there."""
TIME = _set(
    "day when played playedat playedon startdate starttime "
    "startedat startsat starts enddate endtime endedat finishedat gamedate matchdate eventdate "
    "racedate contestdate tourneydate "
    "tournamentdate rounddate dateplayed dateofplay utcdate dateutc datetimeutc utctime "
    "timeutc kickoff dateandtime datetimeofstart unixtime epoch "
    "tag zeitpunkt zeitstempel spieldatum wettkampfdatum turnierdatum renndatum termin "
    "datumuhrzeit datumzeit datumundzeit datumunduhrzeit wann beginn anstoss "
    "jour dateheure dateetheure datedelepreuve quand horodatage "
    "dia fechahora fechayhora cuando datahora dataehora quando giorno dataora dataeora "
    "datagara datadellagara dataevento"
)
CLOCK = _set(
    "clock clocktime timeofday uhrzeit anstosszeit heure horaire hora horario ora orario "
    "kickofftime localtime"
)
CONTEST_NUMBER = _set(
    "contestid eventid tournamentid tourneyid raceid competitionid meetid turnierid"
)
CONTEST = _set(
    "contest event tournament tourney race competition meet meeting grandprix regatta "
    "wettkampf turnier rennen wettbewerb veranstaltung concours epreuve tournoi course "
    "evenement evento torneo prueba carrera competicion concurso prova torneio corrida "
    "competicao gara competizione corsa concorso "
    "cup championship meisterschaft pokal championnat campeonato campionato"
)
CONTEST_NAME = _set(
    "contestname eventname tournamentname tourneyname racename competitionname turniername "
    "wettkampfname nomdutournoi nombredeltorneo nomedotorneio nometorneo nomedelevento"
)
ROUND = _set(
    "round rd roundid roundnumber roundno roundnr stage heat matchday gameday week weekno leg "
    "session runde rundennr spieltag lauf etappe woche durchgang ronde journee manche tour etape "
    "semaine ronda jornada etapa semana rodada turno giornata tappa settimana"
)
"""The contest, or what tells contests of one event apart."""
GAME = _set(
    "match game fixture spiel partie begegnung partida partido partita juego jogo matchup duel"
)
GAME_NUMBER = _set(
    "matchid gameid matchno gameno matchnumber gamenumber matchnr spielnr spielid partieid "
    "spielnummer fixtureid"
)
OUTCOME = _set("outcome ftr")
RESULT = _set(
    "result results res ergebnis ergebnisse spielergebnis endergebnis endstand spielstand "
    "resultat resultats resultado resultados placar marcador risultato risultati esito"
)
"""What came of it: in matches the outcome, otherwise a rank or a score; the cells tell."""
SETS = _set("satze saetze sets legs frames")
"""What came of a match, if no other column says it."""
STATUS = _set("status statut estado stato estatus finishstatus")
OPPONENT = _set(
    "opponent opponentname opponents rival gegner gegnerin gegnername adversaire opposant "
    "oponente contrincante adversario adversaria avversario avversaria opposition"
)
WINNER = _set(
    "winner winnername winners winningplayer winningteam sieger siegerin gewinner gewinnerin "
    "gagnant gagnante vainqueur ganador ganadora vencedor vencedora vincitore vincitrice"
)
LOSER = _set(
    "loser losername losers losingplayer losingteam verlierer verliererin unterlegener perdant "
    "perdante vaincu perdedor perdedora derrotado derrotada perdente sconfitto sconfitta"
)
ATTRIBUTE = _set(
    "age alter edad idade eta jahrgang jg born birthyear yearofbirth geburtsjahr annee naissance "
    "ano anno elo rating dwz fide fideid title titel sex gender geschlecht sexe sexo sesso "
    "country nation nationality nat land pays pais paese noc flag city town ort stadt ville "
    "ciudad cidade citta state sail sailno sailnumber segelnummer segelnr boat boot bootsklasse "
    "hcp handicap yardstick rating id license licence lizenz startnummer dossard dorsal "
    "pettorale number nummer numero num email comment comments notes bemerkung bemerkungen remarks"
)
"""What is told about players beside what they did."""
MAYBE_LADDER = _set(
    "division div league liga ligue lega class klasse categorie categoria category kategorie region"
)
"""What could be a ladder; podium says so, and takes it only if told."""

_NUMBERED = (  # noqa: SIM905
    "player team competitor participant opponent fighter user name handle contestant athlete side "
    "spieler mannschaft teilnehmer gegner joueur equipe jugador equipo jogador giocatore squadra"
).split()
_PAIRS = (("a", "b"), ("1", "2"), ("one", "two"), ("i", "ii"))
_FIRST_SECOND = (("first", "second"), ("erster", "zweiter"), ("premier", "deuxieme"))
_SIDES = (
    ("home", "home", "away visitor visitors visiting guest guests road"),
    (
        "home",
        "heim heimmannschaft heimteam gastgeber",
        "gast gaeste gaste gastmannschaft gastteam auswarts auswaerts",
    ),
    (
        "home",
        "domicile adomicile recevant recevante receveur",
        "exterieur exterieure alexterieur visiteur visiteurs visiteuse",
    ),
    ("home", "local locales equipolocal mandante", "visitante visitantes equipovisitante visita"),
    ("home", "casa dicasa", "trasferta intrasferta ospite ospiti fora visitante"),
    ("white", "white", "black"),
    ("white", "weiss", "schwarz"),
    ("white", "blanc blancs", "noir noirs"),
    ("white", "blancas blanco blancos brancas brancos", "negras negro negros pretas pretos"),
    ("white", "bianco bianchi", "nero neri"),
)
_NOUNS = (  # noqa: SIM905
    "player team name side club competitor user username handle spieler mannschaft verein "
    "joueur equipe jugador equipo jogador time giocatore squadra"
).split()
_COUNTS = (  # noqa: SIM905
    "score scores points pts point goals goal runs sets games legs frames punkte pkt tore tor "
    "satze saetze buts but puntos goles gol gols pontos punti reti rete set result wins won siege"
).split()
_PARTS = frozenset(("set", "game", "leg", "frame", "satz"))
"""What is numbered by itself: 'Set 1' is the first set, not what the first player won."""


def _with(sides: str, nouns: list[str]) -> frozenset[str]:
    return frozenset(
        word for side in sides.split() for noun in nouns for word in (side + noun, noun + side)
    )


def _players() -> list[tuple[str, frozenset[str], frozenset[str]]]:
    found = [
        (side, _with(one, ["", *_NOUNS]), _with(other, ["", *_NOUNS]))
        for side, one, other in _SIDES
    ]
    for pairs, ordered in ((_PAIRS, False), (_FIRST_SECOND, True)):
        for one, other in pairs:
            names = [
                frozenset(
                    word
                    for noun in _NUMBERED
                    for word in ((end + noun,) if ordered else (noun + end, noun + end + "name"))
                )
                for end in (one, other)
            ]
            found.append(("", names[0] | {f"p{one}"}, names[1] | {f"p{other}"}))
    return found


def _scores() -> list[tuple[str, frozenset[str], frozenset[str]]]:
    found = [(side, _with(one, _COUNTS), _with(other, _COUNTS)) for side, one, other in _SIDES]
    for ends in _PAIRS:
        one, other = (
            _with(end, [noun for noun in _COUNTS if noun not in _PARTS])
            | _with(" ".join(noun + end for noun in ("player", "team", "p", "spieler")), _COUNTS)
            for end in ends
        )
        found.append(("", one, other))
    found.append(("home", frozenset({"fthg", "hg", "homeft"}), frozenset({"ftag", "ag", "awayft"})))
    of_winner, of_loser = (_with(" ".join(each), _COUNTS) for each in (WINNER, LOSER))
    return [*found, ("", of_winner, of_loser)]


PLAYERS = _players()
"""The side of the first, and what the first and the second of two players are called."""
SCORES = _scores()
"""The side of the first, and what the scores of the first and the second are called."""
THIRD_SCORE = _with("3 c three", [noun for noun in _COUNTS if noun not in _PARTS])
SCORE_FOR = _with("player own my for team eigene", _COUNTS) | _set("gf pf rf")
SCORE_AGAINST = _with("opponent opponents opp against", _COUNTS) | _set("ga pa ra gegentore")
"""What the scores of a player and an opponent are called."""
OTHER_SIDE = {"home": "away", "white": "black", "away": "home", "black": "white"}
_NUMBERED_PLAYER = re.compile(rf"({'|'.join(_NUMBERED)}|p(?=\d))(?:\d+|[a-h])(?:name)?")
_PARTNER = re.compile(
    r"(?:partner|teammate|mate|mitspieler|partenaire|companero|parceiro|compagno)(?:[ab]|\d+)"
)
_IN_TEAMS = re.compile(
    rf"(?:{'|'.join(_NUMBERED)})(?:[ab]\d|\d[ab])"
    rf"|(?:team|side|mannschaft|equipe|equipo|squadra)[ab12](?:{'|'.join(_NUMBERED)})(?:[ab]|\d)"
    rf"|(?:{'|'.join((*WINNER, *LOSER))})\d"
    rf"|(?:home|away|heim|gast)(?:{'|'.join(_NUMBERED)})\d"
)
_PLACE = re.compile(
    r"\d(?:st|nd|rd|th|er|ere|e|eme|o|a)?(?:place|platz|rang|puesto|lugar|posto)"
    r"|\d(?:st|nd|rd|th|er|ere|eme)|(?:place|platz|rank|rang|pos|puesto|lugar|posto)\d"
    r"|first|second|third|gold|silver|bronze|(?:first|second|third)place"
)


def many_players(given: Iterable[str]) -> tuple[list[str], bool]:
    """The headers of players if a row has more than two, and whether these are teams.

    Example:
        >>> many_players(["Date", "Player A1", "Player A2", "Player B1", "Player B2"])
        (['Player A1', 'Player A2', 'Player B1', 'Player B2'], True)
    """
    by_key = {name: key(name) for name in given}
    in_teams = [name for name, each in by_key.items() if _IN_TEAMS.fullmatch(each)]
    if len(in_teams) > 2:
        return in_teams, True
    numbered = {name: _NUMBERED_PLAYER.fullmatch(each) for name, each in by_key.items()}
    players = {name: match[1] for name, match in numbered.items() if match}
    partners = [name for name, each in by_key.items() if _PARTNER.fullmatch(each)]
    if partners and players:
        return [name for name in by_key if name in players or name in partners], True
    for noun in dict.fromkeys(players.values()):
        alike = [name for name, each in players.items() if each == noun]
        if len(alike) > 2:
            return alike, False
    return [], False


def places(given: Iterable[str]) -> list[str]:
    """The headers that are places: 1st, 2nd, 3rd; none if there is only one."""
    found = [name for name in given if _PLACE.fullmatch(key(name))]
    return found if len(found) > 1 else []


def first_and_last(found: dict[str, str]) -> tuple[str, str] | None:
    """The headers of a first and a last name, out of those by key; one alone is a full name."""
    first = next((found[each] for each in found if each in _ONLY_FIRST), None)
    last = next((found[each] for each in found if each in _ONLY_LAST), None)
    if first is not None:
        last = last or next((found[each] for each in found if each in LAST_NAME), None)
    elif last is not None:
        first = next((found[each] for each in found if each in FIRST_NAME), None)
    elif {"first", "last"} <= found.keys():
        return found["first"], found["last"]
    return None if first is None or last is None or first == last else (first, last)
