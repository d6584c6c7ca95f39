# SPDX-License-Identifier: MIT
"""Tables of measurements and their headings: the machine, the compilers, the commit.

Columns: measure case subject median min max unit. Lines that begin with '#' describe the machine (on top) and the
figures (at the end). What cannot be measured is a row `skipped`, with the reason in place of the unit."""

import datetime
import os
import platform
import shutil
import statistics
import subprocess
import sys


class Wrong(Exception):
    """A subject gave another result than the serial program, or ended."""


class Tee:
    """Writes to standard output and, when there is one, to a file."""

    def __init__(self, path):
        self.files = [sys.stdout] + ([open(path, "w", encoding="utf-8")] if path else [])

    def write(self, text):
        for f in self.files:
            f.write(text)
            f.flush()


class Table:
    """Prints rows as they come; keeps figures for the end."""

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
        """One figure with its goal; reached None: not measured."""
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
    """The first output line of a program, or None."""
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
