#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One front door to all comparisons by script:

    compare.py openmp --programs BUILD ...   programs of heddlec beside hand-written ones (openmp/translated.py)
    compare.py bots --programs BUILD ...     programs in the manner of BOTS by heddlec beside libgomp (openmp/bots.py)
    compare.py spawn --programs BUILD ...    spawned tasks beside libgomp's (spawn/libgomp.py)
    compare.py gate OLD NEW                  new tables beside the kept ones: what became worse (speed_gate.py)

Exit status: 0 measured, or nothing became worse; 1 a wrong answer, or something became worse; 2 cannot run."""

import argparse
import sys

import speed_gate
from beside import add_arguments, compare
from openmp import bots, translated
from spawn import libgomp

COMPARISONS = {"openmp": translated.COMPARISON, "bots": bots.COMPARISON, "spawn": libgomp.COMPARISON}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    for name, c in COMPARISONS.items():
        add_arguments(kinds.add_parser(name, help=f"times {c.what}; TSV on stdout"), c)
    speed_gate.add_arguments(kinds.add_parser("gate", help="what became worse by more than its noise"))
    args = parser.parse_args()
    return speed_gate.main(args) if args.kind == "gate" else compare(args, COMPARISONS[args.kind])


if __name__ == "__main__":
    sys.exit(main())
