"""Replays timing records with `tmasim validate` and summarizes the errors. Used by the other scripts."""

import csv
import json
import math
import pathlib
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = ROOT / "build" / "tmasim"
MACHINE = ROOT / "configs" / "gpus" / "h200.yaml"
RECORDS = [ROOT / "tests/hardware/h200" / name for name in ("timing.tsv", "timing_random.tsv")]

# A family is a set of rows that measure the same thing: its name, a pattern for the names of its rows (a
# row belongs to the first pattern that matches), and its description. A family from DRAM follows the same
# family from L2.
FAMILIES = [
    ("lat_l2", r"lat_l2_", "one operation at a time, from L2"),
    ("lat_dram", r"lat_dram_", "the same, from DRAM"),
    ("sm1_l2", r"sm1_l2_", "one SM, several operations in flight, from L2"),
    ("sm1_dram", r"sm1_dram_", "the same, from DRAM"),
    ("grid_l2", r"grid\d+_l2_", "2 to 132 SMs, from L2"),
    ("grid_dram", r"grid\d+_dram_", "the same, from DRAM"),
    ("full_l2", r"full_l2_", "all SMs, from L2"),
    ("full_dram", r"full_dram_", "the same, from DRAM"),
    ("promo_sm1", r"promo.*_sm1$", "short rows by promotion and pitch, one SM, from DRAM"),
    ("promo_full", r"promo", "the same, all SMs"),
    ("im2col_l2", r"im2col_l2_", "im2col loads, from L2"),
    ("im2col_dram", r"im2col_dram_", "the same, from DRAM"),
    ("oob", r"oob_", "boxes outside the tensor, half or wholly"),
    ("store_l2", r"store_l2_", "stores to lines that L2 has"),
    ("store_dram", r"store_dram_", "stores to lines that it lacks"),
    ("redadd_l2", r"redadd_l2_", "reductions (add) on lines that L2 has"),
    ("redadd_dram", r"redadd_dram_", "reductions on lines that it lacks"),
    ("prefetch", r"prefetch_", "prefetches into L2"),
    ("rnd_load", r"rnd_load_", "tile loads drawn at random"),
    ("rnd_im2col", r"rnd_im2col_", "im2col loads drawn at random"),
    ("rnd_store", r"rnd_store_", "stores drawn at random"),
    ("rnd_redadd", r"rnd_redadd_", "reductions drawn at random"),
]


def family_of(name):
    """Returns the name of the row's family; "other" if it has none."""
    return next((family for family, pattern, _ in FAMILIES if re.match(pattern, name)), "other")


class ReplayError(Exception):
    """`tmasim validate` failed. The text is its error message."""


def replay_file(path, machine=MACHINE, command=COMMAND, options=()):
    """Replays a file, and returns its part of validate's JSON output as a dictionary. `options` are
    further ones of validate."""
    arguments = [command, "validate", "--format", "json", "--gpu", machine, path, *options]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ReplayError(done.stderr.strip() or f"{command} ended with {done.returncode}")
    return json.loads(done.stdout)["files"][0]


def replay(paths, machine=MACHINE, command=COMMAND, processes=2):
    """Replays several files, `processes` at a time, and returns a list of their results."""
    with ThreadPoolExecutor(processes) as pool:
        return list(pool.map(lambda path: replay_file(path, machine, command), paths))


def read_table(path):
    """The rows of a file of records, each a dictionary by column."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def summary(errors):
    """Returns number, mean, median, 95th percentile and maximum, as `tmasim validate` defines them."""
    errors = sorted(errors)
    count = len(errors)
    if count == 0:
        return {"rows": 0, "mean": math.nan, "median": math.nan, "p95": math.nan, "max": math.nan}
    return {
        "rows": count,
        "mean": sum(errors) / count,
        "median": (errors[(count - 1) // 2] + errors[count // 2]) / 2,
        "p95": errors[(95 * count + 99) // 100 - 1],
        "max": errors[-1],
    }


def percent(fraction, digits=1):
    """Formats a fraction as a percentage; empty for NaN."""
    return "" if math.isnan(fraction) else f"{100 * fraction:.{digits}f} %"
