"""What was true all along: whole histories, and rankings of everything at once.

`ranking` has static rankings of matches, votes and rankings (`rank`), out of `comparing`, what was
compared, and `fitting`, whose strengths explain it best. `looking` says how good everybody was at
every time (`look_back`), by `smoothing` all contests. `drawing` shows both.
"""
