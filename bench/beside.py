# SPDX-License-Identifier: MIT
"""What the comparisons of whole programs share (openmp/compare.py, spawn/compare.py): running a program, and all around
their measuring. Columns and heading are those of overhead.py.

Exit status of a comparison: 0 measured (whatever the figures), 1 a wrong answer, 2 cannot run."""

import argparse
import os
import subprocess
import sys

from overhead import Table, Tee, Wrong, header


def run(command, **settings):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **settings})
    if done.returncode:
        raise Wrong(f"{command[0]} ended with status {done.returncode}: {done.stderr.strip()}")
    return done


def read_arguments(what, programs, apps, rounds, own):
    """own: options of one comparison, as (name, default, help)."""
    parser = argparse.ArgumentParser(description=what + "; TSV on stdout.")
    parser.add_argument("--programs", required=True, help="a build folder: " + programs)
    parser.add_argument("--tsv", help="a file that gets all that is printed")
    own = [*own, ("rounds", rounds, "interleaved rounds"), ("apps", ",".join(apps), "which applications")]
    for name, default, text in own:
        parser.add_argument("--" + name, type=type(default), default=default, help=f"{text} ({default})")
    args = parser.parse_args()
    if args.rounds < 2 or not set(args.apps.split(",")) <= set(apps):
        parser.error("at least two rounds, apps among " + ",".join(apps))
    return args


def compare(args, measure):
    """measure(args, table) writes the rows."""
    out = Tee(args.tsv)
    header(out)
    table = Table(out)
    try:
        measure(args, table)
    except OSError as e:
        sys.stderr.write(f"compare: {e}\n")
        return 2
    except Wrong as e:
        sys.stderr.write(f"compare: {e}\n")
        return 1
    table.summary()
    return 0
