#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Task Bench (Slaughter et al., SC'20) on threads: the minimum effective task granularity (METG) of heddle, libgomp,
libomp and StarPU for each pattern. The table is that of tables.py.

Granularity is wall time x workers / tasks; efficiency is the kernels' work at the speed of kernels alone, over wall
time x workers. METG(50 %) is the granularity at which efficiency passes 50 %, interpolated between two lengths of the
kernel on a logarithmic scale. Lengths grow from one iteration until it has passed. Wall time is from the first task
created to the last one done; for heddle also that of rerunning the frozen graph, which the others lack.

Each subject is a child process (children.py); its tasks check their inputs. Each library runs with several settings,
and with two outputs kept per column or with one for each step; the best for the pattern counts. Medians of rounds in
which the libraries take turns. Exit status: 0 measured (whatever the figures), 1 a wrong result, 2 cannot run."""

import argparse
import math
import statistics
import sys

from children import BASELINES, WORKERS, Subject, run_bench, show, why_skipped
from tables import progress

PATTERNS = ["stencil_1d", "trivial", "no_comm", "stencil_1d_periodic", "dom", "tree", "fft", "all_to_all", "nearest",
            "spread", "random_nearest"]
LIBRARIES = {"heddle": ("heddle", WORKERS, [{}]), **{k: BASELINES[k] for k in ("libgomp", "libomp", "starpu")}}
HALF = 0.5
UNEVEN_NS = 5000
PEAK_ITERATIONS = 300000
MOST_ITERATIONS = 1 << 15


def lengths():
    """Kernel iterations to try: a factor of about the square root of two between them."""
    n = 1.0
    while n <= MOST_ITERATIONS:
        yield round(n)
        n = max(n + 1, n * math.sqrt(2))


def words(pattern, width, steps):
    more = f" radix={min(width, 3)} period=1" if pattern == "spread" else ""
    return f"pattern={pattern} width={width} steps={steps} workers={WORKERS}{more}"


class Peak:
    """Nanoseconds of a kernel iteration with all workers busy: the least seen."""

    def __init__(self, programs, kernel="compute_bound"):
        self.subject = Subject(programs, "task_bench_serial")
        self.kernel = kernel
        self.ns = math.inf

    def measure(self):
        ask = f"peak width={WORKERS} workers={WORKERS} kernel={self.kernel} iterations={PEAK_ITERATIONS}"
        self.ns = min(self.ns, self.subject.ask(ask)["ns"])


class Curve:
    """The results of one subject, by kernel length."""

    def __init__(self):
        self.points = {}  # iterations: granularity in ns

    def efficiency(self, n, peak):
        return n * peak / self.points[n]

    def metg(self, peak):
        """None: efficiency never passed one half."""
        below = None
        for n in sorted(self.points):
            if self.efficiency(n, peak) >= HALF:
                if below is None:
                    return self.points[n]
                share = (HALF - self.efficiency(below, peak)) / (self.efficiency(n, peak) - self.efficiency(below, peak))
                low, high = math.log(self.points[below]), math.log(self.points[n])
                return math.exp(low + share * (high - low))
            below = n
        return None


class Contender:
    """A library with one of its settings on one pattern."""

    def __init__(self, programs, library, settings, graph):
        program, _, _ = LIBRARIES[library]
        self.name = library
        self.graph = graph
        self.what = f"{library}/{show(settings)},{graph.split()[-1]}"
        self.subject = Subject(programs, "task_bench_" + program, settings)
        self.subject.ask("verify " + graph)
        self.keys = ("total", "rerun") if library == "heddle" else ("total",)

    def granularity(self, kernel, n):
        """In ns, by key, with kernels of n iterations."""
        answer = self.subject.ask(f"time {self.graph} kernel={kernel} iterations={n}")
        return {key: answer[key] * WORKERS / answer["tasks"] for key in self.keys}

    def walk(self, peak):
        """Curves of one round, from one iteration on until all keys have passed one half."""
        curves = {key: Curve() for key in self.keys}
        for n in lengths():
            for key, ns in self.granularity(peak.kernel, n).items():
                curves[key].points[n] = ns
            if all(curve.efficiency(n, peak.ns) >= HALF for curve in curves.values()):
                break
        return curves


def contenders_of(programs, library, graph):
    for settings in LIBRARIES[library][2]:
        for fields in (2, 0):
            yield Contender(programs, library, settings, f"{graph} fields={fields}")


def choose(programs, library, graph, peak):
    """The setting with the least METG in one round; None if the library is missing or none passes one half."""
    best, least = None, math.inf
    for c in contenders_of(programs, library, graph):
        progress(f"{c.what}: {graph}")
        metg = min(c.walk(peak)["total"].metg(peak.ns) or math.inf for _ in range(2))
        if metg < least:
            if best:
                best.subject.close()
            best, least = c, metg
        else:
            c.subject.close()
    return best


def in_turn(chosen, n_rounds, measure):
    """The values of measure(contender) by (library, key): a list with an entry per round."""
    values = {(c.name, key): [] for c in chosen for key in c.keys}
    for i in range(n_rounds):
        for c in chosen if i % 2 == 0 else reversed(chosen):
            progress(f"round {i + 1} of {n_rounds}: {c.what}")
            for key, value in measure(c).items():
                values[c.name, key].append(value)
    progress("")
    return values


def metgs_of(c, peak):
    return {key: curve.metg(peak.ns) or math.inf for key, curve in c.walk(peak).items()}


def name_of(library, key):
    return library if key == "total" else library + " again"


def show_values(table, measure, case, values):
    for (library, key), v in values.items():
        table.row(measure, case, name_of(library, key), v, "ns")


def measure_kernels(programs, table, peak, case, chosen, n_rounds):
    """The other kernels, under the settings that compute_bound chose."""
    memory = Peak(programs, "memory_bound")
    for _ in range(3):
        memory.measure()
    show_values(table, "metg_50", case + " memory_bound", in_turn(chosen, n_rounds, lambda c: metgs_of(c, memory)))
    memory.subject.close()
    empty = in_turn(chosen, n_rounds, lambda c: c.granularity("empty", 0))
    show_values(table, "granularity", case + " empty", empty)
    n = round(UNEVEN_NS / peak.ns)
    uneven = in_turn(chosen, n_rounds, lambda c: c.granularity("load_imbalance imbalance=2", n))
    show_values(table, "granularity", case + " load_imbalance, 5 us in the mean", uneven)


def measure_pattern(programs, table, peak, pattern, width, args):
    graph = words(pattern, width, args.steps)
    case = f"{pattern}-{width}"
    chosen = []
    for library in args.subjects:
        program = LIBRARIES[library][0]
        why = why_skipped(programs, "task_bench_" + program)
        best = None if why else choose(programs, library, graph, peak)
        if best:
            chosen.append(best)
        else:
            table.skipped("metg_50", case, library, why or "efficiency never reached one half")
    peak.measure()
    metgs = in_turn(chosen, args.rounds, lambda c: metgs_of(c, peak))
    show_values(table, "metg_50", case, metgs)
    if pattern in ("stencil_1d", "nearest"):
        measure_kernels(programs, table, peak, case, chosen, args.rounds)
    for c in chosen:
        table.print("setting", case, c.what, "-", "-", "-", "-")
        c.subject.close()
    return show_ratios(table, case, metgs)


def show_ratios(table, case, metgs):
    """Of heddle to the best of the others, all in and again; None without others."""
    others = [v for (library, _), v in metgs.items() if library != "heddle"]
    if not others or ("heddle", "total") not in metgs:
        return None
    best = min(others, key=statistics.median)
    ratios = []
    for key in ("total", "rerun"):
        mine = metgs["heddle", key]
        what = name_of("heddle", key) + ":best"
        ratios.append(table.row("metg_ratio", case, what, [a / b for a, b in zip(mine, best)], "x"))
    return (*ratios, statistics.median(metgs["heddle", "total"]), statistics.median(metgs["heddle", "rerun"]))


def geomean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def measure_all(programs, table, args):
    peak = Peak(programs)
    for _ in range(3):
        peak.measure()
    for width in args.widths:
        results = {p: measure_pattern(programs, table, peak, p, width, args) for p in args.patterns}
        known = [r for r in results.values() if r]
        first = results.get("stencil_1d")
        if first:
            table.figure(f"stencil_1d, {width} columns: METG(50 %), all in", first[2], 1000, " ns")
            table.figure(f"stencil_1d, {width} columns: the same, run again", first[3], 200, " ns")
            table.figure(f"stencil_1d, {width} columns: all in : best of the others", first[0], 0.5)
            table.figure(f"stencil_1d, {width} columns: run again : best of the others", first[1], 0.5)
        if known:
            what = f"{len(known)} patterns, {width} columns, geometric mean"
            table.figure(what + ": all in : best of the others", geomean([r[0] for r in known]), 0.4)
            table.figure(what + ": run again : best of the others", geomean([r[1] for r in known]), 0.4)
    table.row("peak", "kernel", "compute_bound", [peak.ns], "ns")
    peak.subject.close()


def read_arguments():
    parser = argparse.ArgumentParser(description="METG of Task Bench's patterns beside other libraries; TSV on stdout.")
    parser.add_argument("--programs", required=True, help="where the task_bench_* programs are")
    parser.add_argument("--rounds", type=int, default=7, help="interleaved rounds (7)")
    parser.add_argument("--steps", type=int, default=1000, help="steps of a graph (1000)")
    parser.add_argument("--widths", default=str(WORKERS), help=f"columns, a list ({WORKERS}: one a worker)")
    parser.add_argument("--patterns", default=",".join(PATTERNS), help="which (all)")
    parser.add_argument("--subjects", default=",".join(LIBRARIES), help="which libraries (all)")
    parser.add_argument("--tsv", help="a file that gets all that is printed")
    args = parser.parse_args()
    args.patterns = args.patterns.split(",")
    args.subjects = args.subjects.split(",")
    args.widths = [int(w) for w in args.widths.split(",")]
    if args.rounds < 1 or not set(args.patterns) <= set(PATTERNS) or not set(args.subjects) <= set(LIBRARIES):
        parser.error("rounds must be positive, patterns among " + ",".join(PATTERNS) + "; subjects: " + ",".join(LIBRARIES))
    return args


def main():
    args = read_arguments()
    return run_bench("task_bench", args.tsv, lambda table: measure_all(args.programs, table, args))


if __name__ == "__main__":
    sys.exit(main())
