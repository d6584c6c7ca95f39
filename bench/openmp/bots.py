# SPDX-License-Identifier: MIT
"""Programs in the manner of BOTS (tests/heddlec/corpus/bots) by heddlec beside gcc -fopenmp: the same source, size and
cut-off (`timed:` in its head), on one thread and on all of the machine.

The time is that of the region, which the program prints on stderr. Runs take turns, and nothing is timed before both
programs print the same successful words. A program that heddlec refuses is listed with the code and skipped; its figure
stays open. Columns, heading and exit status are those of ../beside.py."""

import glob
import os
import re
import subprocess
import tempfile

from beside import Comparison, run
from tables import Wrong, progress
from openmp.translated import ROOT, milliseconds

FOLDER = os.path.join(ROOT, "tests", "heddlec", "corpus", "bots")
APPS = sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(FOLDER, "*.c")))


def why_refused(command):
    """None if heddlec accepts the program, else the first code or line of its messages."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    code = re.search(r"error: .*\[(HC[0-9]+)\]", done.stderr)
    return "refused, " + code.group(1) if code else "not compiled"


class Case:
    """One program with its arguments, translated and by gcc."""

    def __init__(self, args, folder, app):
        source = os.path.join(FOLDER, app + ".c")
        with open(source, encoding="utf-8") as f:
            sizes = re.search(r"^ \* timed: ([0-9 ]+)", f.read(), re.MULTILINE)
        if not sizes:
            raise Wrong(f"{source}: no `timed:` in its head")
        self.sizes = sizes.group(1).split()
        self.label = "-".join([app, *self.sizes])
        self.heddlec, self.gcc = os.path.join(folder, app), os.path.join(folder, app + "-gcc")
        run([args.gcc, "-std=gnu11", "-O3", "-fopenmp", source, "-o", self.gcc, "-lm"])
        self.refused = why_refused([os.path.join(args.programs, "heddlec"), "--region=parallel", "--backend", "cpu", "-O3",
                                    source, "-o", self.heddlec])

    def run_gcc(self, threads):
        return run([self.gcc] + self.sizes, OMP_NUM_THREADS=str(threads))

    def run_heddlec(self, threads):
        return run([self.heddlec] + self.sizes, HEDDLE_BACKEND="cpu", HEDDLE_WORKERS=str(threads),
                   OMP_NUM_THREADS=str(threads))

    def verify(self, threads):
        said = [r(threads).stdout for r in ((self.run_gcc,) if self.refused else (self.run_gcc, self.run_heddlec))]
        if len(set(said)) != 1 or not said[0].endswith(", successful\n"):
            raise Wrong(f"{self.label} on {threads}: {' / '.join(said)}")


def measure_case(table, case, threads, rounds):
    heddlec, gcc = [], []
    turns = [(case.run_gcc, gcc)] + ([] if case.refused else [(case.run_heddlec, heddlec)])
    for i in range(rounds):
        progress(f"{case.label} on {threads}: round {i + 1} of {rounds}")
        for program, times in turns if i % 2 else reversed(turns):
            times.append(milliseconds(r"region ([0-9.]+) ms", program(threads).stderr))
    progress("")
    where = f"{threads}-thread" + "s" * (threads > 1)
    libgomp = table.row("region", case.label, "libgomp-" + where, gcc, "ms")
    speed = None
    if case.refused:
        table.skipped("region", case.label, "heddlec-" + where, case.refused)
    else:
        translated = table.row("region", case.label, "heddlec-" + where, heddlec, "ms")
        speed = table.row("speed_median", case.label, "libgomp:heddlec-" + where, [libgomp / translated], "x")
    if threads > 1:
        table.figure(f"{case.label}, {threads} threads: speed over libgomp's", speed, 0.9, at_least=True)


def measure(args, table):
    with tempfile.TemporaryDirectory() as folder:
        for app in args.apps.split(","):
            progress(f"{app}: building and verifying")
            case = Case(args, folder, app)
            for threads in sorted({1, len(os.sched_getaffinity(0))}):
                case.verify(threads)
                measure_case(table, case, threads, args.rounds)


COMPARISON = Comparison("programs in the manner of BOTS beside libgomp", "heddlec", APPS, 7,
                        [("gcc", "gcc", "a compiler with -fopenmp")], measure)
