# SPDX-License-Identifier: MIT
"""The losses of programs translated by heddlec: measures, prints TSV, then the figures reached.

The programs of apps/openmp, translated with heddlec's own flags, are compared with the hand-written portable bodies of
apps/ (`heddle run APP --opt body=portable`) of the same sizes, on one worker and on all, and with themselves compiled
by gcc -fopenmp. Runs take turns, and nothing is timed before all give the same answers. Columns, heading and exit
status are those of ../beside.py. Other load can only lengthen times, so the least ones are compared."""

import json
import os
import re
import tempfile
import time

from beside import Comparison, run
from tables import Wrong, progress

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# Side, block and sweeps (or none): 20 to 60 ms on one worker of a present machine.
APPS = {"lu": (960, 64, 0), "jacobi": (1920, 64, 12), "sw": (4608, 64, 0), "dtw": (4608, 64, 0), "heat": (2880, 64, 4),
        "sat": (5760, 64, 0), "inthist": (1440, 64, 0)}


def milliseconds(pattern, text):
    found = re.search(pattern, text)
    if not found:
        raise Wrong(f"no {pattern} in: {text}")
    return float(found.group(1))


class Case:
    """One application: three programs for it, and the times of each one's runs, in ms."""

    def __init__(self, args, folder, app):
        self.app, (self.n, self.b, self.sweeps) = app, APPS[app]
        self.label = f"{app}-{self.n}x{self.n}-{self.b}"
        self.sizes = [str(v) for v in APPS[app] if v]
        self.hand = [os.path.join(args.programs, "heddle"), "run", app, "-n", str(self.n), "-b", str(self.b), "--opt",
                     "body=portable", "--json"] + (["--opt", f"sweeps={self.sweeps}"] if self.sweeps else [])
        self.generated, self.gcc = os.path.join(folder, app), os.path.join(folder, app + "-gcc")
        source = os.path.join(ROOT, "apps", "openmp", app + ".c")
        run([os.path.join(args.programs, "heddlec"), source, "-o", self.generated, "--backend", "cpu"])
        run([args.gcc, "-std=gnu11", "-O3", "-fopenmp", source, "-o", self.gcc, "-lm"])

    def verify(self):
        """gcc's program and heddlec's must print the same words, the hand-written app the same numbers."""
        said = run([self.generated] + self.sizes).stdout
        if run([self.gcc] + self.sizes).stdout != said:
            raise Wrong(f"{self.label}: heddlec's program and gcc's give other answers")
        answer = json.loads(run(self.hand, HEDDLE_BACKEND="cpu").stdout)["answer"]
        lines = dict(line.split(" = ", 1) for line in said.splitlines())
        for key, value in answer.items():
            if isinstance(value, (int, float)) and float(lines[key]) != float(value):
                raise Wrong(f"{self.label}: {key} is {lines[key]}, by hand {value}")

    def time_hand(self, workers):
        return json.loads(run(self.hand + ["--no-check"], **workers).stdout)["times_ms"]["run"]

    def time_generated(self, workers):
        """The graph's run, with loading as by hand; and the region, with all that came before it."""
        said = run([self.generated] + self.sizes, HEDDLE_OMP_VERBOSE="1", **workers).stderr
        loaded, ran = (milliseconds(what + r" in ([0-9.]+) ms", said) for what in ("loaded", "run"))
        return loaded + ran, milliseconds(r"region ([0-9.]+) ms", said)

    def time_gcc(self):
        return milliseconds(r"region ([0-9.]+) ms", run([self.gcc] + self.sizes).stderr)


def measure_case(table, case, n_workers, rounds):
    workers = {"HEDDLE_BACKEND": "cpu", "HEDDLE_WORKERS": str(n_workers)}
    hand, generated, regions, gcc = [], [], [], []
    for i in range(rounds):
        progress(f"{case.label} on {n_workers}: round {i + 1} of {rounds}")
        if i % 2:
            hand.append(case.time_hand(workers))
        ran, region = case.time_generated(workers)
        generated.append(ran)
        regions.append(region)
        if not i % 2:
            hand.append(case.time_hand(workers))
        if n_workers > 1:
            gcc.append(case.time_gcc())
    progress("")
    where = f"{n_workers}-worker" + ("s" if n_workers > 1 else "")
    table.row("graph_run", case.label, f"by-hand-{where}", hand, "ms")
    table.row("graph_run", case.label, f"heddlec-{where}", generated, "ms")
    table.row("region", case.label, f"heddlec-{where}", regions, "ms")
    if gcc:
        table.row("region", case.label, f"gcc-fopenmp-{where}", gcc, "ms")
    table.row("ratio_median", case.label, f"heddlec:by-hand-{where}", [g / h for g, h in zip(generated, hand)], "x")
    best = table.row("ratio_best", case.label, f"heddlec:by-hand-{where}", [min(generated) / min(hand)], "x")
    table.figure(f"{case.label}, {n_workers} worker{'s' * (n_workers > 1)}: heddlec : by hand", best, 1.1)


def measure_apps(args, table, folder):
    for app in args.apps.split(","):
        progress(f"{app}: building and verifying")
        case = Case(args, folder, app)
        case.verify()
        for n_workers in sorted({1, len(os.sched_getaffinity(0))}):
            measure_case(table, case, n_workers, args.rounds)


def measure_heddlec(args, table, folder):
    """heddlec alone: it generates sources, nothing is compiled."""
    command = [os.path.join(args.programs, "heddlec"), os.path.join(ROOT, "apps", "openmp", "lu.c"), "--emit",
               os.path.join(folder, "emitted")]
    times = []
    for _ in range(args.rounds):
        begin = time.perf_counter()
        run(command)
        times.append(time.perf_counter() - begin)
    table.row("translate", "lu.c", "heddlec", times, "s")
    table.figure("lu.c: heddlec, no compilers", min(times), 0.5, " s")


def show_inspection(table, case, subject, created, both):
    """The first graph's time: it finds no memory yet."""
    table.row("task_created", case, subject + "-first", created[:1], "ns")
    table.row("task_created", case, subject, created[1:], "ns")
    table.row("task_created_and_added", case, subject + "-first", both[:1], "ns")
    table.row("task_created_and_added", case, subject, both[1:], "ns")
    table.figure(f"{case}: creating a task of three dependences, {subject}", min(created[1:]), 150, " ns")
    table.figure(f"{case}: the same, and adding it to the graph", min(both[1:]), 150, " ns")


def measure_inspection(args, table, folder):
    number = r"([0-9.]+)"
    said = run([os.path.join(args.programs, "bench", "openmp_inspect"), "72", str(args.rounds)]).stdout
    found = re.findall(rf"new graph +: created +{number}, added +{number}, both +{number}, frozen +{number}", said)
    show_inspection(table, "inspect-72x72", "by-hand", [float(f[0]) for f in found],
                    [float(f[2]) + float(f[3]) for f in found])
    program = os.path.join(folder, "three")
    run([os.path.join(args.programs, "heddlec"), os.path.join(HERE, "three.c"), "-o", program, "--backend", "cpu"])
    said = run([program, "72", str(args.rounds)], HEDDLE_OMP_VERBOSE="1", HEDDLE_BACKEND="cpu").stderr
    found = re.findall(rf"heddle: ([0-9]+) tasks.* created in {number} ms, a graph in {number} ms", said)
    found = [[1e6 * float(ms) / int(n) for ms in times] for n, *times in found]
    show_inspection(table, "three-72x72", "heddlec", [f[0] for f in found], [sum(f) for f in found])


def measure(args, table):
    with tempfile.TemporaryDirectory() as folder:
        measure_heddlec(args, table, folder)
        measure_inspection(args, table, folder)
        measure_apps(args, table, folder)


COMPARISON = Comparison("programs of heddlec beside hand-written ones", "heddle, heddlec, bench/openmp_inspect", APPS, 11,
                        [("gcc", "gcc", "a compiler with -fopenmp")], measure)
