# SPDX-License-Identifier: MIT
"""The compared programs (bench/subjects) as child processes. Each is asked for one measurement at a time and stopped by
a signal in between, because some libraries' idle threads keep polling."""

import os
import signal
import subprocess
import sys

from tables import Table, Tee, Wrong, header

WORKERS = 2

# Baselines: program, number of threads, settings to try. libgomp with one thread has no contention for its lock, so it
# is shown beside the comparison with equal threads.
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


class Subject:
    """A child that answers one line per request, and is stopped in between."""

    alive = []

    def __init__(self, programs, program, settings=None):
        self.settings = settings or {}
        home = os.path.join(programs, "home")  # StarPU writes what it knows of the machine to its home
        os.makedirs(home, exist_ok=True)
        quiet = {"STARPU_HOME": home, "STARPU_SILENT": "1", "STARPU_CALIBRATE": "0", "STARPU_PROFILING": "0"}
        path = os.path.join(programs, program)
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


def why_skipped(programs, program):
    path = os.path.join(programs, program)
    if os.access(path, os.X_OK):
        return None
    try:
        with open(path + ".skipped", encoding="utf-8") as f:
            return f.read().strip()
    except OSError:
        return "not built"


def show(settings):
    return ",".join(f"{k}={v}" for k, v in settings.items()) or "as-is"


def run_bench(name, tsv, measure):
    """Calls measure(table) and prints the table, also to the file tsv. Returns the exit status of a bench."""
    if len(os.sched_getaffinity(0)) < WORKERS:
        sys.stderr.write(f"{name}: needs {WORKERS} hardware threads\n")
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    out = Tee(tsv)
    header(out)
    table = Table(out)
    try:
        measure(table)
    except Wrong as e:
        sys.stderr.write(f"{name}: {e}\n")
        return 1
    finally:  # a stopped child would outlive this process
        for subject in list(Subject.alive):
            subject.close()
    table.summary()
    return 0
