#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nvcc_cost.py [FILE...] - what nvcc takes for the bodies of a wave, for one GPU generation, as TSV on stdout.

A row has the file, what was defined for it, its bodies, seconds of the processor in all and for one body, and kilobytes of the cubin.
Seconds are those of all processes that nvcc starts. Without FILEs all wave bodies of apps and examples are compiled.
bench/goals.tsv has the goals. ARCH: sm_90.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ARCH = os.environ.get("ARCH", "sm_90")
FLAGS = ["-Iinclude", "-Iapps", "-Isrc"]
FILES = ["examples/06_wave/bodies.c"] + ["apps/%s_wave_bodies.c" % app for app in ("sor", "heat", "sat", "inthist", "dtw", "sw")]


def said(*command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip()


def bodies(path):
    """How many entries the tables of a file have."""
    n = 0
    for entries in re.findall(r"heddle_wave_info \w+_waves_\[\] = \{(.*?)\};", said("cc", "-E", "-P", *FLAGS, path), re.S):
        depth = 0
        for c in entries:
            n += c == "{" and depth == 0
            depth += (c == "{") - (c == "}")
    return n


def compiled(path, defines):
    """Seconds and bytes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "out.cubin")
        subprocess.run(["nvcc", "-x", "cu", "-std=c++17", "-O3", "-DNDEBUG", "-arch=" + ARCH, "-fmad=false", *FLAGS,
                        *("-D" + d for d in defines), "-cubin", "-o", cubin, path], cwd=ROOT, check=True)
        n_bytes = os.path.getsize(cubin)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, n_bytes


def machine():
    model = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
    return "%s, %d cores" % (model.group(1) if model else "unknown", os.cpu_count())


def main():
    version = re.search(r"release ([\d.]+)", said("nvcc", "--version"))
    print("# cpu: %s\n# nvcc: %s, %s" % (machine(), version.group(1) if version else "unknown", ARCH))
    print("# commit: " + said("git", "describe", "--always", "--dirty", "--abbrev=7"))
    print("# date: " + time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime()))
    print("file\tdefined\tbodies\tseconds\tbody_seconds\tKB")
    cases = [(path, ()) for path in sys.argv[1:] or FILES]
    if not sys.argv[1:]:
        cases.insert(1, (FILES[0], ("HEDDLE_WAVE_TILES",)))
    for path, defines in cases:
        n = bodies(path)
        seconds, n_bytes = compiled(path, defines)
        print("%s\t%s\t%d\t%.1f\t%.1f\t%.0f" % (path, " ".join(defines) or "-", n, seconds, seconds / n, n_bytes / 1000), flush=True)


if __name__ == "__main__":
    main()
