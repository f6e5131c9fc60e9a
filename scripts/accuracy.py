"""How well predictions order and meet measured cycles, and what they compare with: a naive baseline and
the noise of the hardware. Used by plot-fidelity."""

import math
import re

import replay

PAIRS_WITHIN = (0.05, 0.10, 0.20)  # pairs of rows whose measured cycles differ by up to this

# Of two medians of five launches each, the mean difference as a part of the mean range of five
# launches, if these are normal: 0.5357 (standard error of the median) * sqrt(2) * sqrt(2 / pi) / 2.326.
MEDIANS_OF_RANGE = 0.5357 * math.sqrt(2) * math.sqrt(2 / math.pi) / 2.326

# Grids for which two H200s choose other SMs of the die.
PLACED_GRIDS = range(8, 34)


def mean(values):
    return sum(values) / len(values)


def ordering(measured, predicted):
    """Returns Kendall's tau-b, and for each of PAIRS_WITHIN the share of its pairs that are ordered right.
    A pair that the prediction does not tell apart is not ordered right."""
    concordant = discordant = ties_measured = ties_predicted = 0
    right, pairs = [0] * len(PAIRS_WITHIN), [0] * len(PAIRS_WITHIN)
    for i, (a, x) in enumerate(zip(measured, predicted)):
        for b, y in zip(measured[:i], predicted[:i]):
            if a == b or x == y:
                ties_measured += a == b
                ties_predicted += x == y
            elif (a < b) == (x < y):
                concordant += 1
            else:
                discordant += 1
            if a == b:
                continue
            apart = max(a, b) / min(a, b) - 1
            for at, most in enumerate(PAIRS_WITHIN):
                if apart <= most:
                    pairs[at] += 1
                    right[at] += x != y and (a < b) == (x < y)
    total = len(measured) * (len(measured) - 1) / 2
    scale = math.sqrt((total - ties_measured) * (total - ties_predicted))
    tau = (concordant - discordant) / scale if scale > 0 else math.nan
    return tau, [r / p if p > 0 else math.nan for r, p in zip(right, pairs)]


def read_records(paths):
    """Returns the rows of timing records by name, with the words of their scenario."""
    records = {}
    for path in paths:
        for row in replay.read_table(path):
            row["words"] = dict(word.split("=") for word in row["scenario"].split())
            records[row["name"]] = row
    return records


def read_machine(path=replay.MACHINE):
    """Returns the numbers of a machine file by path, such as "tma.issue": durations in SM cycles, all
    others in the unit that they have."""
    values, section = {}, ""
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = re.match(r"(\s*)([a-z0-9_]+):\s*([^#]*)", line)
        if not entry:
            continue
        indent, key, value = entry.groups()
        number = re.match(r"([-+0-9.]+) *(\S*)", value)
        if not indent:
            section = key
        if number:
            scale = values["sm_clock"] / 1000 if number[2] == "ns" else 1
            values[key if not indent else f"{section}.{key}"] = float(number[1]) * scale
    return values


def naive_latency(machine, cold):
    """The latency of one operation without any queue."""
    keys = ["tma.issue", "crossbar.request", "l2.lookup", "crossbar.response", "tma.complete"]
    keys += ["dram.access", "dram.trcd"] if cold else []
    return sum(machine[key] for key in keys) + machine["crossbar.spread"] / 2


def naive(record, machine, rounds):
    """The cycles of a row as latency plus bytes over the peak rate: one latency, or with `rounds` one for
    each round of the pipeline."""
    words = record["words"]
    grid, cold = int(words["grid"]), words.get("cold", "0") == "1"
    peak = min(grid * machine["crossbar.sm_port"], 8 * machine["crossbar.gpc_port"])
    if cold:
        dram = machine["dram.bus"] / 8 * 2 * machine["dram.clock"] / machine["sm_clock"]
        peak = min(peak, dram)
    latencies = math.ceil(int(words["iters"]) / int(words["depth"])) if rounds else 1
    return latencies * naive_latency(machine, cold) + float(record["bytes"]) / peak


def scores(rows, records, machine):
    """Yields (name, errors, measured, predicted) of the model, of the baselines and of the hardware.
    Without predictions there is no order to judge."""
    measured = [row["measured"] for row in rows]
    own = [records[row["name"]] for row in rows]

    def against(predicted):
        return [abs(p / m - 1) for p, m in zip(predicted, measured)]

    predicted = [row["predicted"] for row in rows]
    yield "the model, without any correction", against(predicted), measured, predicted
    for name, rounds in (("naive: latency of each round of the pipeline, plus bytes over peak rate", True),
                         ("naive: one latency, plus bytes over peak rate", False)):  # fmt: skip
        guesses = [naive(record, machine, rounds) for record in own]
        yield name, against(guesses), measured, guesses
    placed = [i for i, record in enumerate(own) if int(record["words"]["grid"]) not in PLACED_GRIDS]
    other = [float(own[i]["cycles_med_other_gpu"]) for i in placed]
    here = [measured[i] for i in placed]
    yield "another H200", [abs(o / m - 1) for o, m in zip(other, here)], here, other
    again = [float(record["repeat_spread"]) * MEDIANS_OF_RANGE for record in own]
    yield "the same H200 again", again, None, None
