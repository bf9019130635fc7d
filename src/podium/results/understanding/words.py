"""What columns are called in English, German, French, Spanish, Portuguese and Italian.

Words are keys as `key` makes them of a header: small letters and digits only, without accents.
"""

import re
import unicodedata

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
    "entrant entrantname gamer login account accountname contender candidate "
    "spieler spielerin spielername fahrer fahrerin fahrername teilnehmer teilnehmerin teilnehmende "
    "teilnehmername laufer lauferin laeufer laeuferin sportler sportlerin athlet athletin starter "
    "schutze schuetze schwimmer schwimmerin reiter reiterin benutzer benutzername nutzer "
    "nutzername spitzname "
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
    "team teams teamname crew mannschaft mannschaften teamnamen equipe equipes nomdelequipe "
    "equipo equipos squadra squadre"
)
RANK = _set(
    "rank ranking rk rnk place placing placement position pos posn standing finish finishposition "
    "finishingposition finalrank finalposition finalplace overallrank overallplace "
    "overallposition endrank "
    "platz platzierung platznr rang rangplatz pl plz gesamtplatz gesamtrang endplatz "
    "classement clt clst placefinale puesto posicion clasificacion lugar colocacao classificacao "
    "posicao posizione piazzamento classifica"
)
NUMBER_SIGN = _set("#")
"""The rank, unless there is another column for that."""
SCORE = _set(
    "score scores points point pts pt totalscore totalpoints totalpts finalscore finalpoints "
    "overallscore netscore pointstotal scoretotal "
    "punkte punkt punktzahl pkt pkte pkt gesamtpunkte gesamtpunktzahl punktestand "
    "puntos puntaje puntuacion puntostotales pontos pontuacao totaldepontos "
    "punti punteggio puntitotali pointstotaux"
)
TOTAL = _set("total totals gesamt summe totale suma soma somma totaux sum")
"""The score, unless there is another column for that."""
DURATION = _set(
    "duration elapsed elapsedtime chiptime guntime nettime grosstime finishtime finishingtime "
    "racetime laptime besttime totaltime officialtime dauer laufzeit nettozeit bruttozeit endzeit "
    "fahrzeit zielzeit gesamtzeit temps tempsofficiel tempsreel tempstotal duree tiempo "
    "tiempooficial tiempototal duracion tempo tempofinale tempototale tempototal tempooficial "
    "durata duracao"
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
    "tag zeitpunkt spieldatum wettkampfdatum turnierdatum renndatum termin datumuhrzeit "
    "datumzeit datumundzeit datumunduhrzeit wann beginn anstoss "
    "jour dateheure dateetheure datedelepreuve quand "
    "dia fechahora fechayhora cuando datahora dataehora quando giorno dataora dataeora"
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
    "competicao gara competizione corsa concorso"
)
CONTEST_NAME = _set(
    "contestname eventname tournamentname tourneyname racename competitionname turniername "
    "wettkampfname nomdutournoi nombredeltorneo nomedotorneio nometorneo nomedelevento"
)
ROUND = _set(
    "round roundid roundnumber roundno roundnr stage heat matchday gameday week weekno leg session "
    "runde rundennr spieltag lauf etappe woche durchgang ronde journee manche tour etape semaine "
    "ronda jornada etapa semana rodada turno giornata tappa settimana"
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
    "resultat resultats resultado resultados risultato risultati esito"
)
"""What came of it: in matches the outcome, otherwise a rank or a score; the cells tell."""
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
    ("home", "heim heimmannschaft heimteam gastgeber", "gast gaeste gaste gastmannschaft gastteam"),
    ("home", "domicile recevant receveur", "exterieur visiteur visiteurs"),
    ("home", "local locales equipolocal mandante", "visitante visitantes equipovisitante"),
    ("home", "casa", "trasferta ospite ospiti fora visitante"),
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
    "satze saetze buts but puntos goles gol gols pontos punti reti rete sets set result"
).split()


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


def _scores() -> list[tuple[frozenset[str], frozenset[str]]]:
    found = [(_with(one, _COUNTS), _with(other, _COUNTS)) for _, one, other in _SIDES]
    for one, other in _PAIRS:
        nouns = [noun + end for noun in ("player", "team", "p", "spieler") for end in (one, other)]
        ends = [[one, *nouns[::2]], [other, *nouns[1::2]]]
        found.append((_with(" ".join(ends[0]), _COUNTS), _with(" ".join(ends[1]), _COUNTS)))
    found.append((frozenset({"fthg", "hg", "homeft"}), frozenset({"ftag", "ag", "awayft"})))
    of_winner, of_loser = (_with(" ".join(each), _COUNTS) for each in (WINNER, LOSER))
    return [*found, (of_winner, of_loser)]


PLAYERS = _players()
"""The side of the first, and what the first and the second of two players are called."""
SCORES = _scores()
"""What the scores of the first and the second are called."""


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
