#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""heddle's cost, beside libraries for the same job: measures, prints TSV, then the figures reached.

The table is that of tables.py; ns are per task. Every subject is a child process (children.py). Nothing is timed before
its digest equals the serial program's.

A ratio is the median over rounds of the ratio of two measurements that follow one another. Each baseline runs with
several settings, and the quickest for the case counts. Exit status: 0 measured (whatever the figures), 1 a wrong
result, 2 cannot run."""

import argparse
import statistics
import sys

from children import BASELINES, WORKERS, Subject, run_bench, show, why_skipped
from tables import Wrong, progress

CASES = [("wavefront", 300), ("lu", 40)]

# The cost of a task in small and large graphs: n x n wavefronts of some 10^3 ... 10^7 tasks, and rounds for each.
SIZES = [(32, None), (100, None), (316, None), (1000, None), (3162, 3)]
LARGEST_NEEDS_BYTES = 8 << 30

# Square problems that take some 0.3 s on one worker of a present machine, and an option each. The sides of fields are
# no powers of two: rows of 2^n bytes fall into the same sets of a cache, and the cache is not what is measured here.
APPS = {"dtw": (16384, "-"), "heat": (5760, "sweeps=12"), "inthist": (1920, "-"), "jacobi": (1920, "sweeps=24"),
        "lu": (1920, "-"), "sat": (8640, "-"), "sw": (16384, "-")}
BLOCK = 64


# ---- empty tasks, with the baselines ---------------------------------------------------------------


def a_task(answer, key="total"):
    return answer[key] / answer["n_tasks"]


def label(case):
    return f"{case[0]}-{case[1]}x{case[1]}"


class Contender:
    """A baseline with one of its settings, against heddle."""

    def __init__(self, programs, name, case, settings):
        program, workers, _ = BASELINES[name]
        self.name = name
        self.what = f"{name}/{show(settings)}"
        self.request = f"{case[0]} {case[1]} {workers}"
        self.subject = Subject(programs, "overhead_" + program, settings)
        self.values, self.ratios = [], []

    def median(self):
        return statistics.median(self.values)

    def meet(self, heddle, request, heddle_first):
        """One pair. The second may find the machine in another state than the first, so they swap places."""
        if heddle_first:
            mine, its = heddle.ask(request), self.subject.ask("time " + self.request)
        else:
            its, mine = self.subject.ask("time " + self.request), heddle.ask(request)
        self.values.append(a_task(its))
        self.ratios.append(a_task(mine) / a_task(its))
        return mine


def open_contenders(programs, table, case, digest):
    contenders = []
    for name, (program, _, variants) in BASELINES.items():
        why = why_skipped(programs, "overhead_" + program)
        if why:
            table.skipped("task_total", label(case), name, why)
            continue
        for settings in variants:
            progress(f"{label(case)}: verifying {name}")
            c = Contender(programs, name, case, settings)
            if c.subject.ask("verify " + c.request)["digest"] != digest:
                raise Wrong(f"{c.what} ran {case[0]} in a wrong order")
            contenders.append(c)
    return contenders


def show_contenders(table, what, contenders):
    """Prints each baseline's quickest setting, and marks the others; returns the median ratios."""
    ratios = {}
    for name in dict.fromkeys(c.name for c in contenders):
        mine = [c for c in contenders if c.name == name]
        for c in mine if len(mine) > 1 else []:
            table.row("setting_total", what, c.what, c.values, "ns")
        best = min(mine, key=Contender.median)
        table.row("task_total", what, name, best.values, "ns")
        ratios[name] = table.row("ratio_total", what, f"heddle:{name}", best.ratios, "x")
    return ratios


def measure_case(programs, table, case, n_rounds):
    what, request = label(case), f"{case[0]} {case[1]} {WORKERS}"
    heddle, serial = Subject(programs, "overhead_heddle"), Subject(programs, "overhead_serial")
    digest = serial.ask("verify " + request)["digest"]
    serial.close()
    if heddle.ask("verify " + request)["digest"] != digest:
        raise Wrong(f"heddle ran {case[0]} in a wrong order")
    contenders = open_contenders(programs, table, case, digest)
    mine = []
    for i in range(n_rounds):
        progress(f"{what}: round {i + 1} of {n_rounds}")
        mine += [c.meet(heddle, "time " + request, i % 2 == 0) for c in contenders]
    progress("")
    medians = {k: table.row("task_" + k, what, "heddle", [a_task(m, k) for m in mine], "ns")
               for k in ("total", "add_freeze", "run", "rerun")}
    ratios = show_contenders(table, what, contenders)
    table.figure(f"{what}: empty task, all in, : libgomp", ratios.get("libgomp"), 1 / 3)
    table.figure(f"{what}: the same : libgomp on one thread", ratios.get("libgomp-1-thread"), 1 / 3)
    table.figure(f"{what}: add + freeze, a task", medians["add_freeze"], 80, " ns")
    table.figure(f"{what}: run again, a task", medians["rerun"], 50, " ns")
    show_memory(programs, table, what, request)
    for subject in [heddle] + [c.subject for c in contenders]:
        subject.close()


def show_memory(programs, table, what, request):
    """Uses a fresh child, so that the system's memory figure is this graph's alone."""
    heddle = Subject(programs, "overhead_heddle")
    info = heddle.ask("info " + request)
    heddle.close()
    blob = table.row("blob_per_task", what, "heddle", [info["blob"] / info["n_tasks"]], "B")
    peak = table.row("peak_per_blob", what, "heddle", [info["peak"] / info["blob"]], "x")
    resident = table.row("resident_per_blob", what, "heddle", [info["resident"] / info["blob"]], "x")
    table.figure(f"{what}: frozen blob a task", blob, 160, " B")
    table.figure(f"{what}: peak while building : blob", max(peak, resident), 3)


def measure_tasks(programs, table, n_rounds):
    for case in CASES:
        measure_case(programs, table, case, n_rounds)
    # The same tasks and edges, but all edges in one list: the blob's growth is the price of the edges.
    heddle, n = Subject(programs, "overhead_heddle"), 100000
    fan, chain = heddle.ask(f"info fan {n} {WORKERS}"), heddle.ask(f"info chain {n} {WORKERS}")
    heddle.close()
    edge = (fan["blob"] - chain["blob"]) / fan["n_edges"]
    table.row("blob_per_edge", f"fan-{n}", "heddle", [edge], "B")
    table.figure(f"fan-{n}: frozen blob an edge", edge, 8, " B")


# ---- small and large graphs ------------------------------------------------------------------------


def free_bytes():
    with open("/proc/meminfo", encoding="utf-8") as f:
        for line in f:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 0


def measure_sizes(programs, table, n_rounds):
    answers = {}
    for n, _ in SIZES:
        if n > 1000 and free_bytes() < LARGEST_NEEDS_BYTES:
            table.skipped("size_rerun", label(("wavefront", n)), "heddle",
                          f"needs {LARGEST_NEEDS_BYTES >> 30} GiB of free memory")
        else:
            answers[n] = []
    subjects = {n: Subject(programs, "overhead_heddle") for n in answers}
    for i in range(n_rounds):
        for n, at_most in SIZES:
            if n in answers and (at_most is None or i < at_most):
                progress(f"sizes: round {i + 1} of {n_rounds}, {n} x {n}")
                answers[n].append(subjects[n].ask(f"time wavefront {n} {WORKERS}"))
    progress("")
    for key, what, limit in (("rerun", "run again", 1.5), ("add_freeze", "add + freeze", 3)):
        medians = [table.row("size_" + key, label(("wavefront", n)), "heddle", [a_task(a, key) for a in its], "ns")
                   for n, its in answers.items()]
        spread = max(medians) / min(medians) if len(answers) == len(SIZES) else None
        table.figure(f"10^3 to 10^7 tasks: {what}, dearest : cheapest", spread, limit)
    for subject in subjects.values():
        subject.close()
    largest = max(answers)
    show_memory(programs, table, label(("wavefront", largest)), f"wavefront {largest} {WORKERS}")


# ---- applications ----------------------------------------------------------------------------------


def measure_app(programs, table, name, size, option, n_rounds):
    apps = Subject(programs, "overhead_apps")
    case = f"{name}-{size}x{size}-{BLOCK}"
    rounds = []
    for i in range(n_rounds):
        progress(f"{case}: round {i + 1} of {n_rounds}")
        rounds.append(apps.ask(f"{name} {size} {BLOCK} {option}"))
    apps.close()
    progress("")
    for key, subject in (("one", "heddle-1-worker"), ("two", "heddle-2-workers"), ("tiles", "serial")):
        table.row("app_run", case, subject, [r[key] / 1e6 for r in rounds], "ms")
    scaling = table.row("app_scaling", case, "heddle", [r["one"] / r["two"] for r in rounds], "x")
    copy = table.row("app_scaling", case, "copy", [r["copy1"] / r["copy2"] for r in rounds], "x")
    serial = table.row("app_ratio", case, "heddle-1-worker:serial", [r["one"] / r["tiles"] for r in rounds], "x")
    table.figure(f"{case}: 2 workers against 1", scaling, min(1.8, 0.9 * copy), at_least=True)
    table.figure(f"{case}: 1 worker : serial", serial, 1.05)


def measure_apps(programs, table, n_rounds):
    why = why_skipped(programs, "overhead_apps")
    for name, (size, option) in APPS.items():
        if why:
            table.skipped("app_run", name, "heddle", why)
        else:
            measure_app(programs, table, name, size, option, n_rounds)


PARTS = {"tasks": measure_tasks, "sizes": measure_sizes, "apps": measure_apps}


def main():
    parser = argparse.ArgumentParser(description="Times heddle beside its baselines; TSV on stdout.")
    parser.add_argument("--programs", required=True, help="where the overhead_* programs are")
    parser.add_argument("--rounds", type=int, default=11, help="interleaved rounds (11)")
    parser.add_argument("--parts", default=",".join(PARTS), help="which of tasks,sizes,apps (all)")
    parser.add_argument("--tsv", help="a file that gets all that is printed")
    args = parser.parse_args()
    parts = args.parts.split(",")
    if args.rounds < 1 or not set(parts) <= set(PARTS):
        parser.error("rounds must be positive, parts among " + ",".join(PARTS))

    def measure(table):
        for part in parts:
            PARTS[part](args.programs, table, args.rounds)

    return run_bench("overhead", args.tsv, measure)


if __name__ == "__main__":
    sys.exit(main())
