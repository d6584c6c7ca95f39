# SPDX-License-Identifier: MIT
"""The cost of tasks that are spawned on threads, heddle's cpu backend beside libgomp.

uts (tree T1) and 13 queens: tasks that make tasks, with the same node code (spawn_openmp.c); the granularity goes from one
node or board per task up to cheap task creation. Then narrow tasks that one thread makes, which goes into a pool of the
workers (spawn_narrow.c): empty ones; and triple DES of a packet each, beside equal numbers of packets for each thread.

libgomp uses its best: tied or untied tasks, active or passive waiting. Runs take turns, and nothing is timed before both
give the same answer. Columns, heading and exit status are those of ../beside.py."""

import json
import os

from beside import Comparison, run
from tables import Wrong, progress

# Application of tasks that make tasks: its arguments, its option of granularity and that option's values, the answer of both.
TREES = {"uts": ([], "chunk", (1, 4, 16, 64), "nodes_total"),
         "queens": (["-n", "13"], "cutoff", (13, 9, 7, 5, 3), "solutions_total")}
LIBGOMP = [(kind, policy) for kind in ("tied", "untied") for policy in ("passive", "active")]
RUNS = 3  # of one program, one after another


def milliseconds(command, workers, policy):
    """The answer and the least time of a program that prints them."""
    answer, *ms = run([*command, str(RUNS)], OMP_NUM_THREADS=workers, OMP_WAIT_POLICY=policy).stdout.split()
    return int(answer), min(float(v) for v in ms)


def show_ratio(table, label, times, heddle, others):
    """Rows of the times; then the ratio of the best of the others' to heddle's, and the medians."""
    medians = {name: table.row("run", label, name, ms, "ms") for name, ms in times.items()}
    best = min(others, key=medians.get)
    ratios = [g / h for g, h in zip(times[best], times[heddle])]
    return table.row("ratio", label, f"{best}:{heddle}", ratios, "x"), medians


class Case:
    """One application at one granularity, and the times of each subject, in ms."""

    def __init__(self, args, app, grain):
        sizes, option, _, self.key = TREES[app]
        self.label = f"{app}-{option}-{grain}"
        self.workers = str(args.workers)
        self.heddle = [os.path.join(args.programs, "heddle"), "run", app, *sizes, "--backend", "cpu", "--workers",
                       self.workers, "--opt", f"{option}={grain}", "--json", "--repeat", str(RUNS)]
        self.openmp = [os.path.join(args.programs, "bench", "spawn_openmp"), app, str(grain)]
        self.times = {}

    def run_openmp(self, kind, policy):
        return milliseconds([*self.openmp, kind], self.workers, policy)

    def verify(self):
        """heddle also checks its answer here."""
        expected = json.loads(run(self.heddle).stdout)["answer"][self.key]
        for kind, policy in LIBGOMP:
            answer, _ = self.run_openmp(kind, policy)
            if answer != expected:
                raise Wrong(f"{self.label}: libgomp's program finds {answer}, heddle {expected}")

    def measure(self):
        ms = json.loads(run(self.heddle + ["--no-check"]).stdout)["times_ms"]["run_min"]
        self.times.setdefault("heddle", []).append(ms)
        for kind, policy in LIBGOMP:
            self.times.setdefault(f"libgomp-{kind}-{policy}", []).append(self.run_openmp(kind, policy)[1])

    def show(self, table):
        others = [name for name in self.times if name != "heddle"]
        ratio, _ = show_ratio(table, self.label, self.times, "heddle", others)
        table.figure(f"{self.label}: libgomp's best : heddle", ratio, 2, at_least=True)


class Narrow:
    """Narrow tasks that the program spawns, and the times of each subject, in ms."""

    n = 0
    counts = False  # the answer is the number of tasks
    subjects = {}  # a name: the program's argument, and a policy of waiting

    def __init__(self, args):
        self.program = os.path.join(args.programs, "bench", "spawn_narrow")
        self.workers = str(args.workers)
        self.times = {}

    def run(self, how, policy):
        return milliseconds([self.program, self.label, how, str(self.n), self.workers], self.workers, policy)

    def verify(self):
        answers = {self.run(how, policy)[0] for how, policy in self.subjects.values()}
        if len(answers) > 1 or self.counts and answers != {self.n}:
            raise Wrong(f"{self.label}: answers {sorted(answers)}")

    def measure(self):
        for name, (how, policy) in self.subjects.items():
            self.times.setdefault(name, []).append(self.run(how, policy)[1])


class Empty(Narrow):
    label = "empty"
    n = 262144
    counts = True
    subjects = {"heddle-spawn": ("spawn", "passive"), "heddle": ("many", "passive"),
                **{f"libgomp-{kind}-{policy}": (kind, policy) for kind, policy in LIBGOMP}}

    def show(self, table):
        others = [name for name in self.times if name.startswith("libgomp")]
        ratio, medians = show_ratio(table, self.label, self.times, "heddle", others)
        for name in ("heddle-spawn", "heddle"):
            table.row("task", self.label, name, [1e6 * ms / self.n for ms in self.times[name]], "ns")
        table.figure("empty: a task", 1e6 * medians["heddle"] / self.n, 150, " ns")
        table.figure(f"{self.label}: libgomp's best : heddle", ratio, 1, at_least=True)


class Des3(Narrow):
    label = "des3"
    n = 256
    subjects = {"heddle": ("pool", "passive"), "split": ("split", "passive")}

    def show(self, table):
        ratio, _ = show_ratio(table, self.label, self.times, "heddle", ["split"])
        table.figure(f"{self.label}: libgomp's best : heddle", ratio, 0.95, at_least=True)


NARROW = {"empty": Empty, "des3": Des3}


def cases_of(args, app):
    return [NARROW[app](args)] if app in NARROW else [Case(args, app, grain) for grain in TREES[app][2]]


def measure(args, table):
    for app in args.apps.split(","):
        cases = cases_of(args, app)
        for case in cases:
            progress(f"{case.label}: verifying")
            case.verify()
        for i in range(args.rounds):
            for case in cases:
                progress(f"{case.label}: round {i + 1} of {args.rounds}")
                case.measure()
        progress("")
        for case in cases:
            case.show(table)


COMPARISON = Comparison("spawned tasks beside libgomp's", "heddle, bench/spawn_openmp, bench/spawn_narrow",
                        [*TREES, *NARROW], 7, [("workers", 2, "threads of each")], measure)
