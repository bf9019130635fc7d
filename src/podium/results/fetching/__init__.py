"""Results from the web: one module for each site, and what all of them share.

`client` asks a site, slowly and again when no usable answer comes; `keeping` holds the answers as
files that `podium.read` takes, and knows what is there already.

    from podium.results.fetching import codeforces

    codeforces.fetch("rounds", since="2024-01-01")
    podium.rate(podium.read("rounds"))
"""

from podium.extras import require

require("urllib3")
