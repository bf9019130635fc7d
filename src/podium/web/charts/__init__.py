"""Charts as pictures that the server makes: from documents to SVG that a page can hold.

Colours come from classes (`static/charts.css`), so that a page's policy can forbid inline styles;
`static/chart.js` adds what can be pointed at, zoomed and moved. Without a script all of them can be
read, at any width.
"""

from podium.web.charts.career import career, career_data
from podium.web.charts.change import change, limits
from podium.web.charts.compare import compare
from podium.web.charts.distribution import distribution
from podium.web.charts.embedded import badge, curve_svg
from podium.web.charts.places import places
from podium.web.charts.pulls import pulls
from podium.web.charts.sparkline import sparkline
from podium.web.charts.tones import Titles, style_sheet, tone, tone_for
from podium.web.charts.weights import weights
from podium.web.charts.what_if import what_if

__all__ = [
    "Titles",
    "badge",
    "career",
    "career_data",
    "change",
    "compare",
    "curve_svg",
    "distribution",
    "limits",
    "places",
    "pulls",
    "sparkline",
    "style_sheet",
    "tone",
    "tone_for",
    "weights",
    "what_if",
]
