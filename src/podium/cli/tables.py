"""Tables out: what a command shows, as CSV, Markdown, LaTeX or a page of HTML.

A command makes a `Table` once. People read its cells, programs its values. Texts of strangers
become harmless here: to the form that they are printed in, and to the terminal it is printed on.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import resources
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli import options
from podium.cli.console import Column, print_table, print_text
from podium.cli.groups import Group
from podium.errors import InputError
from podium.markup import Markup, element, page, scrolling
from podium.texts import SHOWN, visible
from podium.wording import NOTHING

if TYPE_CHECKING:
    import polars as pl

_VISIBLE = {chr(code): text for code, text in SHOWN.items()}
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_MARKDOWN = {
    **_HTML,
    **{sign: f"\\{sign}" for sign in "\\`*_[]|~$"},
    "://": "\\://",
    "www.": "www\\.",
}
_LATEX = {
    **{sign: f"\\{sign}" for sign in "{}$&%#_"},
    **{sign: f"{{{sign}}}" for sign in "[]*"},  # which mean something after the end of a line
    "\\": "\\textbackslash{}",
    "^": "\\textasciicircum{}",
    "~": "\\textasciitilde{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "\\symbol{34}",
    "`": "\\symbol{96}",
    "--": "-{}-{}",
    "''": "'{}'{}",
    "→": "$\\to$",
    "±": "$\\pm$",
    "−": "$-$",
    "≈": "$\\approx$",
    "–": "--",
}
_SHORT = 24
"""Characters that a page keeps in one line."""
_LATEX_NEEDS = "% \\usepackage{booktabs}; letters beyond the Latin ones want XeLaTeX or LuaLaTeX\n"


@dataclass(frozen=True, slots=True)
class Table:
    """What a command shows, made once for all forms."""

    title: str
    columns: Sequence[Column]
    cells: Sequence[Iterable[str]]
    """The texts of each column, for people."""
    values: "pl.DataFrame"
    """For programs: not rounded, named as in documents."""
    facts: Sequence[str] = ()
    """What stands above the table."""
    caption: str = ""
    """What was asked, and how much of it is shown."""
    picture: Markup = Markup("")
    """What a page shows above the table."""

    def print(self) -> None:
        """Print the table alone, on the terminal."""
        print_table(self.columns, list(zip(*self.cells, strict=True)))


@dataclass(frozen=True, slots=True)
class Form(Group):
    """In which form the answer is printed; a table for the terminal if nothing is said."""

    json: options.Json = False
    csv: Annotated[
        bool, typer.Option("--csv", help="Print the table as CSV, with numbers not rounded.")
    ] = False
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print a table of GitHub's Markdown.")
    ] = False
    html: Annotated[
        bool, typer.Option("--html", help="Print a page of HTML that needs nothing else.")
    ] = False
    latex: Annotated[
        bool, typer.Option("--latex", help="Print a tabular of LaTeX, with booktabs.")
    ] = False

    def __post_init__(self) -> None:
        refuse_two_forms(*(f"--{each.name}" for each in fields(self) if getattr(self, each.name)))

    @property
    def for_terminal(self) -> bool:
        """Whether nothing is said."""
        return not (self.json or self.csv or self.markdown or self.html or self.latex)

    def print(self, *tables: Table) -> None:
        """Print tables in the form that is asked for; as CSV the first, which has all values."""
        if self.csv:
            print_text(as_csv(tables[0].values))
        elif self.html:
            print_text(as_page(tables))
        else:
            one = as_markdown if self.markdown else as_latex
            print_text("\n".join(one(each) for each in tables))


def refuse_two_forms(*said: str) -> None:
    """Raise if the answer is wanted in two forms at once."""
    if len(said) > 1:
        raise InputError(f"{said[0]} and {said[1]} are two forms of one answer; give one of them.")


def as_csv(values: "pl.DataFrame") -> str:
    """Full numbers, times in ISO format, and texts that no spreadsheet takes for formulas."""
    from podium.ratings import spreadsheets

    return spreadsheets.as_csv(values)


def as_markdown(table: Table) -> str:
    """The facts, a table whose columns stand below each other, and the caption."""
    heads = _escaped((each.header for each in table.columns), _MARKDOWN)
    padded, titles, rules = [], [], []
    for column, head, cells in zip(table.columns, heads, table.cells, strict=True):
        texts = _escaped(cells, _MARKDOWN)
        width = max(3, len(head), int(texts.str.len_chars().max() or 0))  # type: ignore[arg-type]
        padded.append(texts.str.pad_start(width) if column.right else texts.str.pad_end(width))
        titles.append(head.rjust(width) if column.right else head.ljust(width))
        rules.append(f"{'-' * (width - 1)}:" if column.right else "-" * width)
    lines = [f"| {' | '.join(each)} |\n" for each in (titles, rules)]
    said = [*table.facts, table.caption]
    *facts, caption = [f"{each}\n" if each else "" for each in _escaped(said, _MARKDOWN)]
    parts = [*facts, "".join(lines) + _rows(padded, "| ", " | ", " |\n"), caption]
    return "\n".join(filter(None, parts))


def as_latex(table: Table) -> str:
    """A tabular; what else there is to say are comments."""
    kinds = "".join("r" if each.right else "l" for each in table.columns)
    head = " & ".join(_escaped((each.header for each in table.columns), _LATEX))
    rows = _rows([_escaped(each, _LATEX) for each in table.cells], "", " & ", " \\\\\n")
    said = "".join(f"% {visible(each)}\n" for each in (*table.facts, table.caption) if each)
    return (
        f"{_LATEX_NEEDS}{said}\\begin{{tabular}}{{{kinds}}}\n\\toprule\n{head} \\\\\n\\midrule\n"
        f"{rows}\\bottomrule\n\\end{{tabular}}\n"
    )


def as_page(tables: Sequence[Table]) -> str:
    """A page of HTML with everything in it, whose tables can be sorted by a click."""
    files = resources.files("podium.cli")
    style, script = (files.joinpath(f"table.{kind}").read_text("utf-8") for kind in ("css", "js"))
    title = visible(tables[0].title)
    content = [element("h1", title)]
    for table in tables:
        content += [element("p", visible(each)) for each in table.facts]
        content += [table.picture, _html_table(table)]
    return page(title, style, element("main", *content), script=script)


def _html_table(table: Table) -> Markup:
    heads, columns = [], []
    for column, cells in zip(table.columns, table.cells, strict=True):
        texts = _escaped(cells, _HTML)
        short = int(texts.str.len_chars().max() or 0) <= _SHORT  # type: ignore[arg-type]
        kind = "number" if column.right else "short" if short else "long"
        tag, scope = ("th", ' scope="row"') if column.names else ("td", "")
        columns.append(f'<{tag}{scope} class="{kind}">' + texts + f"</{tag}>")
        heads.append(element("th", visible(column.header), scope="col", class_=kind))
    caption = visible(table.caption or table.title)
    return scrolling(
        caption,
        element("caption", caption),
        element("thead", element("tr", *heads)),
        element("tbody", "\n", Markup(_rows(columns, "<tr>", "", "</tr>\n"))),
    )


def _escaped(texts: Iterable[str], escapes: Mapping[str, str]) -> "pl.Series":
    import polars as pl

    found = pl.Series(texts, dtype=pl.String)
    return found.str.replace_many(_VISIBLE).str.replace_many(escapes)


def _rows(columns: "Sequence[pl.Series]", begin: str, between: str, end: str) -> str:
    """The rows of the columns one after the other."""
    import polars as pl

    names = [str(place) for place in range(len(columns))]
    frame = pl.DataFrame(dict(zip(names, columns, strict=True)))
    row = pl.concat_str(names, separator=between)
    return "".join(frame.select(pl.lit(begin) + row + pl.lit(end)).to_series())


def fixed(numbers: "pl.Series", digits: int, sign: str = "") -> list[str]:
    """Numbers with so many digits behind the point, and a dash for null."""
    return [NOTHING if each is None else f"{sign}{each:.{digits}f}" for each in numbers]


def whole(numbers: "pl.Series") -> list[str]:
    """Whole numbers, thousands apart."""
    return [f"{each:,}" for each in numbers]


def words(texts: "pl.Series") -> "pl.Series":
    """Texts, and a dash for null."""
    return texts.fill_null(NOTHING)


def dates(times: "pl.Series") -> "pl.Series":
    """The days of times, and a dash for null."""
    return times.dt.to_string("%Y-%m-%d").fill_null(NOTHING)
