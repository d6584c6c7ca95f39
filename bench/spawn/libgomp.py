# SPDX-License-Identifier: MIT
"""The cost of tasks that spawn tasks on threads: uts (tree T1) and 13 queens, heddle's cpu backend beside libgomp.

Both make the same tasks with the same node code (spawn_openmp.c); the granularity goes from one node or board per task
up to cheap task creation. libgomp uses its best: tied or untied tasks, active or passive waiting. Runs take turns, and
nothing is timed before both give the same answer. Columns, heading and exit status are those of ../beside.py."""

import json
import os

from beside import Comparison, run
from tables import Wrong, progress

# Application: its arguments, its option of granularity and that option's values, the answer of both.
APPS = {"uts": ([], "chunk", (1, 4, 16, 64), "nodes_total"),
        "queens": (["-n", "13"], "cutoff", (13, 9, 7, 5, 3), "solutions_total")}
LIBGOMP = [(kind, policy) for kind in ("tied", "untied") for policy in ("passive", "active")]
RUNS = 3  # of one program, one after another


class Case:
    """One application at one granularity, and the times of each subject, in ms."""

    def __init__(self, args, app, grain):
        sizes, option, _, self.key = APPS[app]
        self.label = f"{app}-{option}-{grain}"
        self.workers = str(args.workers)
        self.heddle = [os.path.join(args.programs, "heddle"), "run", app, *sizes, "--backend", "cpu", "--workers",
                       self.workers, "--opt", f"{option}={grain}", "--json", "--repeat", str(RUNS)]
        self.openmp = [os.path.join(args.programs, "bench", "spawn_openmp"), app, str(grain)]
        self.times = {}

    def run_openmp(self, kind, policy):
        answer, *ms = run([*self.openmp, kind, str(RUNS)], OMP_NUM_THREADS=self.workers,
                          OMP_WAIT_POLICY=policy).stdout.split()
        return int(answer), min(float(v) for v in ms)

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
        medians = {name: table.row("run", self.label, name, ms, "ms") for name, ms in self.times.items()}
        best = min((name for name in medians if name != "heddle"), key=medians.get)
        ratios = [g / h for g, h in zip(self.times[best], self.times["heddle"])]
        ratio = table.row("ratio", self.label, f"{best}:heddle", ratios, "x")
        table.figure(f"{self.label}: libgomp's best : heddle", ratio, 2, at_least=True)


def measure(args, table):
    for app in args.apps.split(","):
        cases = [Case(args, app, grain) for grain in APPS[app][2]]
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


COMPARISON = Comparison("spawned tasks beside libgomp's", "heddle, bench/spawn_openmp", APPS, 7,
                        [("workers", 2, "threads of each")], measure)
