# SPDX-License-Identifier: MIT
"""Shared by the comparisons of whole programs (openmp/translated.py, spawn/libgomp.py): runs programs, and frames the
measurements. The table is that of tables.py.

Exit status of a comparison: 0 measured (whatever the figures), 1 a wrong answer, 2 cannot run."""

import collections
import os
import subprocess
import sys

from tables import Table, Tee, Wrong, header


def run(command, **settings):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **settings})
    if done.returncode:
        raise Wrong(f"{command[0]} ended with status {done.returncode}: {done.stderr.strip()}")
    return done


Comparison = collections.namedtuple("Comparison", "what programs apps rounds own measure")
"""what is timed; what the build folder must hold; apps; rounds; options of its own, as (name, default, help);
measure(args, table), which writes the rows."""


def add_arguments(parser, c):
    parser.add_argument("--programs", required=True, help="a build folder: " + c.programs)
    parser.add_argument("--tsv", help="a file that gets all that is printed")
    own = [*c.own, ("rounds", c.rounds, "interleaved rounds"), ("apps", ",".join(c.apps), "which applications")]
    for name, default, text in own:
        parser.add_argument("--" + name, type=type(default), default=default, help=f"{text} ({default})")


def compare(args, c):
    if args.rounds < 2 or not set(args.apps.split(",")) <= set(c.apps):
        sys.stderr.write("compare: at least two rounds, apps among " + ",".join(c.apps) + "\n")
        return 2
    out = Tee(args.tsv)
    header(out)
    table = Table(out)
    try:
        c.measure(args, table)
    except OSError as e:
        sys.stderr.write(f"compare: {e}\n")
        return 2
    except Wrong as e:
        sys.stderr.write(f"compare: {e}\n")
        return 1
    table.summary()
    return 0
