#!/usr/bin/env python3
"""Counts how often two slots that load the two lines of 256-byte blocks change places.

  slot_order.py SCENARIOS.tsv CLOCKS.tsv > slot_order.tsv

CLOCKS.tsv is what `capture SCENARIOS.tsv --clocks CLOCKS.tsv` writes, for kernels of one CTA. Slots
2n and 2n + 1 load the first and the second lines of the same blocks. Of the rounds in which both
issue within 24 cycles, it counts those in which the slot with the first lines (or with the second
lines) issues first, and after how many of them the other slot issues first in the next round.
"""
import collections
import csv
import re
import sys

TOGETHER = 24


def read_launches(path):
    launches = collections.defaultdict(dict)
    with open(path, encoding="ascii") as clocks:
        for row in csv.DictReader(clocks, delimiter="\t"):
            launches[row["name"], row["launch"]][int(row["operation"])] = int(row["issue"])
    return launches


def count(issues, slots):
    """Rounds and changes of a launch: of the first lines ahead, then of the second."""
    counts = [0, 0, 0, 0]
    for operation in range(len(issues) - slots):
        if operation % slots % 2 == 1 or operation + slots + 1 >= len(issues):
            continue
        gap = issues[operation + 1] - issues[operation]
        after = issues[operation + slots + 1] - issues[operation + slots]
        if abs(gap) <= TOGETHER:
            ahead = 0 if gap > 0 else 2
            counts[ahead] += 1
            counts[ahead + 1] += (after > 0) != (gap > 0)
    return counts


def main():
    launches = read_launches(sys.argv[2])
    print("name\tfirst_ahead\tfirst_lost\tsecond_ahead\tsecond_lost\tscenario")
    with open(sys.argv[1], encoding="ascii") as scenarios:
        for row in csv.DictReader(scenarios, delimiter="\t"):
            slots = int(re.search(r" depth=(\d+)", row["scenario"]).group(1))
            counts = [
                count(issues, slots)
                for (name, _), issues in launches.items()
                if name == row["name"]
            ]
            print(row["name"], *map(sum, zip(*counts)), row["scenario"], sep="\t")


main()
