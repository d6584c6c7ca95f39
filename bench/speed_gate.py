# SPDX-License-Identifier: MIT
"""The speed gate: reads two tables of results, or two folders of them, and names each row that became worse by more
than its noise. It knows tables of bench_gpu (figure subject variant value unit n_runs spread note, perhaps more) and of
overhead.py (measure case subject median min max unit); files with other columns are named and not compared.

The unit gives the better direction, for some rows RULES does. The noise of a row is the larger of what its repeated
runs show, in either table, and of a least share (LEAST); rows with one run have a tolerance instead (ONCE, or RULES).

Rows measured without heddle (the card, CUDA's libraries, other runtimes) never fail: they show whether the machine
differs. A row that was measured and is now skipped or missing is named and does not fail either; a row that is `failed`
fails.

Exit status: 0 nothing became worse, 1 something did, 2 a table cannot be read."""

import collections
import csv
import os
import re
import sys

LEAST, ONCE, MOST = 0.03, 0.05, 0.5  # shares: no noise is less; without repeated runs; no noise is more
LESS, MORE, NEITHER = -1, 1, 0

UNITS = {"ns": LESS, "us": LESS, "ms": LESS, "s": LESS, "us/level": LESS, "% of run": LESS, "max/mean": LESS, "of limit": LESS,
         "%": LESS, "bytes": LESS, "x": MORE, "of bound": MORE, "Gtasks/s": MORE, "Mtasks/s": MORE, "Mnodes/s": MORE}

# figure or measure, subject, unit (patterns of whole words), direction (None: of the unit), tolerance (None: as above).
# The first that fits holds.
RULES = [
    ("goal|bench|bare-handover", ".*", ".*", NEITHER, None),  # made from other rows; of the program; of the card
    ("apps-limit", "bytes|arithmetic", ".*", NEITHER, None),
    ("apps-limit", "persistent / limit", "x", LESS, None),
    ("slu", "path x .*", ".*", NEITHER, None),
    ("spawn", "start / bare hand-over", "x", LESS, 0.1),
    ("spawn", ".*", "%", NEITHER, None),  # how many relays started elsewhere
    ("uneven", "bound", ".*", NEITHER, None),
    ("host", ".*", ".*", None, 0.25),  # one look at the host's clock
    ("ratio_.*", "heddlec:.*", "x", LESS, None),
]

# Measured without heddle.
OTHERS = re.compile(r"raw|hardware blocks|device copy|cuSOLVER.*|libgomp[^:]*|libomp[^:]*|starpu[^:]*|serial|gcc-.*|tiles|"
                    r"(levels without heddle|.* grid\.sync|one block|launches).*")

# Earlier names of subjects: their first word, or what follows "cuda/" in a path of names.
RENAMED = {"plan": "static", "ticket": "dynamic", "cudagraph": "graph", "cudagraph+pdl": "graph+pdl",
           "levels/by-body/sync": "levels+sync/by-body"}

Row = collections.namedtuple("Row", "key value n spread source")  # value None: skipped or failed, which source then says


def renamed(subject):
    word, blank, rest = subject.partition(" ")
    name, slash, form = word.partition("/")
    return RENAMED.get(word, RENAMED.get(name, name) + slash + form) + blank + rest


def read_gpu(r):
    key = (r["figure"], renamed(r["subject"]), r["variant"], r["unit"], r.get("form") or "")
    try:
        return Row(key, float(r["value"]), int(r["n_runs"]), float(r["spread"]), r.get("commit") or "")
    except ValueError:
        return Row(key, None, 0, 0, r["value"])


def read_beside(r):
    """Other load only lengthens times: so the noise is twice the half of the spread on the good side."""
    key = (r["measure"], r["subject"], r["case"], r["unit"], "")
    try:
        median, least, most = float(r["median"]), float(r["min"]), float(r["max"])
    except (TypeError, ValueError):
        return Row(key, None, 0, 0, "skipped")
    good = median - least if direction_of(key) == LESS else most - median
    return Row(key, median, 1 if least == most else 2, 2 * good / median if median else 0, "")


def rule_of(key):
    for figure, subject, unit, direction, tolerance in RULES:
        if re.fullmatch(figure, key[0]) and re.fullmatch(subject, key[1]) and re.fullmatch(unit, key[3]):
            return direction, tolerance
    return None, None


def direction_of(key):
    direction = rule_of(key)[0]
    return UNITS.get(key[3], NEITHER) if direction is None else direction


def noise_of(old, new):
    tolerance = rule_of(old.key)[1]
    if tolerance is None:
        tolerance = LEAST if old.n > 1 and new.n > 1 else ONCE
    return min(MOST, max(tolerance, old.spread, new.spread))


def worse_by(old, new):
    """The share by which the time (or one over the rate) has grown; below 0: it is better."""
    if old.value == new.value or old.value <= 0 or new.value <= 0:
        return 0.0
    ratio = new.value / old.value
    return (ratio if direction_of(old.key) == LESS else 1 / ratio) - 1


def read(path):
    """A table's rows by key; None if its columns are unknown."""
    with open(path, encoding="utf-8", newline="") as f:
        table = csv.DictReader((line for line in f if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE)
        columns = set(table.fieldnames or ())
        if {"figure", "subject", "variant", "value", "unit", "n_runs", "spread"} <= columns:
            rows = [read_gpu(r) for r in table if r["unit"] is not None]
        elif {"measure", "case", "subject", "median", "min", "max", "unit"} <= columns:
            rows = [read_beside(r) for r in table if r["unit"] is not None]
        else:
            return None
    return {row.key: row for row in rows}


def pairs_of(old, new):
    """The files to compare, as (old, new)."""
    if os.path.isdir(old) != os.path.isdir(new):
        raise OSError(f"{old} and {new}: two tables or two folders are expected")
    if not os.path.isdir(old):
        return [(old, new)]
    names = sorted(n for n in os.listdir(new) if n.endswith(".tsv") and os.path.exists(os.path.join(old, n)))
    return [(os.path.join(old, n), os.path.join(new, n)) for n in names]


def name_of(key):
    return " ".join(part for part in key[:3] if part) + (f" ({key[4]})" if key[4] else "")


class Findings:
    def __init__(self):
        self.worse, self.machine, self.failed, self.gone = [], [], [], []
        self.n_better = self.n_same = self.n_other = 0

    def look(self, old, new):
        if old.value is None:
            return
        if new is None or new.value is None:
            failed = new is not None and new.source == "failed"
            (self.failed if failed else self.gone).append(name_of(old.key))
            return
        if direction_of(old.key) == NEITHER:
            self.n_other += 1
            return
        by, noise = worse_by(old, new), noise_of(old, new)
        if OTHERS.fullmatch(old.key[1]):
            self.n_other += 1
            if abs(by) > noise:
                self.machine.append((by, noise, old, new))
        elif by > noise:
            self.worse.append((by, noise, old, new))
        elif by < -noise / (1 + noise):
            self.n_better += 1
        else:
            self.n_same += 1


def print_changes(title, changes):
    if changes:
        print(title)
    for by, noise, old, new in sorted(changes, key=lambda c: -abs(c[0])):
        where = f"  {old.source or '?'} -> {new.source or '?'}" if old.source or new.source else ""
        print(f"  {100 * by:+6.1f} %  (noise {100 * noise:.1f} %)  {name_of(old.key)}: {old.value:g} -> {new.value:g} "
              f"{old.key[3]}{where}")


def print_names(title, names, most=20):
    if names:
        print(f"{title}: {len(names)}")
    for name in names[:most]:
        print(f"  {name}")
    if len(names) > most:
        print(f"  and {len(names) - most} more")


def add_arguments(parser):
    parser.add_argument("old", help="the table, or folder of tables, that is kept")
    parser.add_argument("new", help="what was measured anew")


def main(args):
    found = Findings()
    n_tables = 0
    try:
        for old_path, new_path in pairs_of(args.old, args.new):
            old, new = read(old_path), read(new_path)
            if old is None or new is None:
                print(f"{os.path.basename(new_path)}: not compared, it has other columns")
                continue
            n_tables += 1
            for key, row in old.items():
                found.look(row, new.get(key))
    except (OSError, UnicodeDecodeError, csv.Error) as e:
        sys.stderr.write(f"gate: {e}\n")
        return 2
    if not n_tables:
        sys.stderr.write("gate: there is no table that can be compared\n")
        return 2
    print_names("not measured any more", found.gone)
    print_changes("the machine differs, or what others than heddle have measured:", found.machine)
    print_names("failed", found.failed, 1000)
    print_changes("worse by more than the noise:", found.worse)
    print(f"{len(found.worse)} worse, {len(found.failed)} failed, {found.n_better} better, {found.n_same} the same, "
          f"{found.n_other} of others or without a direction")
    return 1 if found.worse or found.failed else 0
