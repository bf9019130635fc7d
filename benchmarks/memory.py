"""Peak memory of reading and rating all Codeforces contests.

From /proc, because getrusage counts the memory of the process that started this one too.
"""

from benchmarks.report import Figure, data_file, in_fresh_process

_CODE = """
import re, sys, podium
contests = podium.read(sys.argv[1])
rated = podium.rate(contests, "elo-mmr", history=sys.argv[2] == "yes", threads=1)
table = rated.history if sys.argv[2] == "yes" else rated.ratings
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(int(peak[1]) / 1024)
"""


def run() -> list[Figure]:
    path = data_file("codeforces.parquet")
    podium_with = float(in_fresh_process(_CODE, path, "yes"))
    podium_without = float(in_fresh_process(_CODE, path, "no"))
    return [
        Figure("peak with the history table", podium_with, "MB", goal="< 1200 MB"),
        Figure("peak without history", podium_without, "MB", goal="< 600 MB"),
    ]
