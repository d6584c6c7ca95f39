#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What heddle costs, beside the libraries that do the same: measures, prints TSV, then says what was reached.

Columns: measure case subject median min max unit; ns are per task. Lines that begin with '#' describe the machine (on
top) and the figures (at the end). Every subject is a child process (overhead/subject.c), asked for one measurement at a
time and stopped by a signal meanwhile, because the threads of some libraries go on polling when they have nothing to
do. Nothing is timed before its digest equals that of the serial program.

A ratio is the median over rounds of the ratio of two neighbours in time. Each baseline takes part with several
settings, and the quickest for the case counts as its result. What cannot be measured here stands in the table as
`skipped`, with the reason in place of the unit. Exit status: 0 measured (whatever the figures), 1 a wrong result,
2 cannot run."""

import argparse
import datetime
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys

CASES = [("wavefront", 300), ("lu", 40)]
WORKERS = 2

# Baselines: program, number of threads, settings to try. libgomp with one thread has no lock to fight for, so it is
# shown beside the even comparison.
BOUND = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
BASELINES = {
    "libgomp": ("libgomp", WORKERS, [
        {"OMP_WAIT_POLICY": "passive"},
        {"OMP_WAIT_POLICY": "active", **BOUND},
        {"OMP_WAIT_POLICY": "passive", **BOUND},
        {"GOMP_SPINCOUNT": "1000", **BOUND},
    ]),
    "libgomp-1-thread": ("libgomp", 1, [{"OMP_WAIT_POLICY": "active"}]),
    "libomp": ("libomp", WORKERS, [
        {},
        {"OMP_WAIT_POLICY": "active", **BOUND},
        {"KMP_LIBRARY": "turnaround", **BOUND},
    ]),
    "starpu": ("starpu", WORKERS, [
        {"STARPU_SCHED": "lws"},
        {"STARPU_SCHED": "lws", "STARPU_WORKERS_NOBIND": "1"},
    ]),
    "serial": ("serial", 1, [{}]),
}

# The cost of a task in small and large graphs: n x n wavefronts of some 10^3 ... 10^7 tasks, and rounds for each.
SIZES = [(32, None), (100, None), (316, None), (1000, None), (3162, 3)]
LARGEST_NEEDS_BYTES = 8 << 30

# Square problems that take some 0.3 s on one worker of a present machine, and an option each. The sides of fields are
# no powers of two: rows of 2^n bytes fall into the same sets of a cache, and the cache is not what is measured here.
APPS = {"dtw": (16384, "-"), "heat": (5760, "sweeps=12"), "inthist": (1920, "-"), "jacobi": (1920, "sweeps=24"),
        "lu": (1920, "-"), "sat": (8640, "-"), "sw": (16384, "-")}
BLOCK = 64


class Wrong(Exception):
    """A subject gave another result than the serial program, or ended."""


class Subject:
    """A child that answers one line a request, and is stopped between."""

    alive = []

    def __init__(self, programs, program, settings=None):
        self.settings = settings or {}
        home = os.path.join(programs, "home")  # StarPU writes what it knows of the machine to its home
        os.makedirs(home, exist_ok=True)
        quiet = {"STARPU_HOME": home, "STARPU_SILENT": "1", "STARPU_CALIBRATE": "0", "STARPU_PROFILING": "0"}
        path = os.path.join(programs, "overhead_" + program)
        self.child = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                      stderr=subprocess.PIPE, env={**os.environ, **quiet, **self.settings})
        self.name = program
        Subject.alive.append(self)
        self.child.send_signal(signal.SIGSTOP)

    def ask(self, line):
        self.child.send_signal(signal.SIGCONT)
        try:
            self.child.stdin.write(line + "\n")
            self.child.stdin.flush()
            answer = self.child.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise Wrong(f"{self.name} ended at '{line}': {self.child.communicate()[1].strip()}")
        self.child.send_signal(signal.SIGSTOP)
        return {k: v if k == "digest" else float(v) for k, v in (p.split("=") for p in answer.split())}

    def close(self):
        Subject.alive.remove(self)
        self.child.kill()
        self.child.communicate()


class Tee:
    """Writes to standard output and, when there is one, to a file."""

    def __init__(self, path):
        self.files = [sys.stdout] + ([open(path, "w", encoding="utf-8")] if path else [])

    def write(self, text):
        for f in self.files:
            f.write(text)
            f.flush()


class Table:
    """Prints rows as they come; remembers figures for the end."""

    def __init__(self, out):
        self.out = out
        self.figures = []
        self.print("measure", "case", "subject", "median", "min", "max", "unit")

    def print(self, *columns):
        self.out.write("\t".join(str(c) for c in columns) + "\n")

    def row(self, measure, case, subject, values, unit):
        median = statistics.median(values)
        self.print(measure, case, subject, *(f"{v:.4g}" for v in (median, min(values), max(values))), unit)
        return median

    def skipped(self, measure, case, subject, why):
        self.print(measure, case, subject, "skipped", "-", "-", why)

    def figure(self, what, reached, limit, unit="", at_least=False):
        """One figure to reach; reached None: not measured."""
        goal = f"{'>=' if at_least else '<='} {limit:.3g}{unit}"
        if reached is None:
            self.figures.append((what, "-", goal, "skipped"))
        else:
            ok = reached >= limit if at_least else reached <= limit
            self.figures.append((what, f"{reached:.3g}{unit}", goal, "yes" if ok else "no"))

    def summary(self):
        lines = [("figure", "reached", "to reach", ""), *self.figures]
        widths = [max(len(line[i]) for line in lines) for i in range(3)]
        self.out.write("#\n")
        for line in lines:
            cells = [line[0].ljust(widths[0]), line[1].rjust(widths[1]), line[2].rjust(widths[2]), line[3]]
            self.out.write(("# " + "  ".join(cells)).rstrip() + "\n")


def progress(text):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()


def first_line(*command):
    """What a program says first, or None."""
    if not shutil.which(command[0]):
        return None
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return said.stdout.splitlines()[0] if said.returncode == 0 and said.stdout else None


def header(out):
    cpu = "unknown"
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        for line in f:
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    here = os.path.dirname(os.path.abspath(__file__))
    commit = first_line("git", "-C", here, "rev-parse", "--short=12", "HEAD") or "unknown"
    if first_line("git", "-C", here, "status", "--porcelain", "--untracked-files=no"):
        commit += " with changes"
    facts = [
        ("cpu", f"{cpu}, {len(os.sched_getaffinity(0))} hardware threads"),
        ("kernel", f"{platform.system()} {platform.release()} {platform.machine()}"),
        ("gcc", first_line("gcc", "--version")),
        ("clang", first_line("clang", "--version")),
        ("starpu", first_line("pkg-config", "--modversion", "starpu-1.3")),
        ("commit", commit),
        ("load", f"{os.getloadavg()[0]:.2f} in the minute before; figures of a busy machine say little"),
        ("date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
    ]
    for key, value in facts:
        out.write(f"# {key}: {value or 'none'}\n")


# ---- empty tasks, with the baselines ---------------------------------------------------------------


def why_skipped(programs, program):
    path = os.path.join(programs, "overhead_" + program)
    if os.access(path, os.X_OK):
        return None
    try:
        with open(path + ".skipped", encoding="utf-8") as f:
            return f.read().strip()
    except OSError:
        return "not built"


def a_task(answer, key="total"):
    return answer[key] / answer["n_tasks"]


def show(settings):
    return ",".join(f"{k}={v}" for k, v in settings.items()) or "as-is"


def label(case):
    return f"{case[0]}-{case[1]}x{case[1]}"


class Contender:
    """A baseline with one of its settings, against heddle."""

    def __init__(self, programs, name, case, settings):
        program, workers, _ = BASELINES[name]
        self.name = name
        self.what = f"{name}/{show(settings)}"
        self.request = f"{case[0]} {case[1]} {workers}"
        self.subject = Subject(programs, program, settings)
        self.values, self.ratios = [], []

    def median(self):
        return statistics.median(self.values)

    def meet(self, heddle, request, heddle_first):
        """One pair: the second of two may find the machine otherwise than the first, so they change places."""
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
        why = why_skipped(programs, program)
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
    """Prints the quickest setting of each baseline, and the others as what they are; returns the median ratios."""
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
    heddle, serial = Subject(programs, "heddle"), Subject(programs, "serial")
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
    """A fresh child, so that what the system says of its memory is this graph's alone."""
    heddle = Subject(programs, "heddle")
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
    # The same tasks and edges, but all edges in one list: what the blob grows by is the price of the edges.
    heddle, n = Subject(programs, "heddle"), 100000
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
    subjects = {n: Subject(programs, "heddle") for n in answers}
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
    apps = Subject(programs, "apps")
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
    why = why_skipped(programs, "apps")
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
    if len(os.sched_getaffinity(0)) < WORKERS:
        sys.stderr.write(f"overhead: needs {WORKERS} hardware threads\n")
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    out = Tee(args.tsv)
    header(out)
    table = Table(out)
    try:
        for part in parts:
            PARTS[part](args.programs, table, args.rounds)
    except Wrong as e:
        sys.stderr.write(f"overhead: {e}\n")
        return 1
    finally:  # a stopped child would outlive this process
        for subject in list(Subject.alive):
            subject.close()
    table.summary()
    return 0


if __name__ == "__main__":
    sys.exit(main())
