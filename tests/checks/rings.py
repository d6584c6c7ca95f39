#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rings.py BUILD_DIR [FOLDER...] - files of a folder that need each other, folder by folder (rings.sh has the rule).

File A needs file B if A's object uses a symbol that B's object defines. Headers of core have no objects: there A needs
B if A includes B or calls a function that B defines. Files that can reach each other are a ring; each ring is one line
of the output. Symbols private to a file do not count, and must not."""

import glob
import os
import re
import subprocess
import sys

CORE = "include/heddle/core"
# Each with its subfolders, or (True) without them. Missing from a build may be heddlec (libclang) and share (Linux).
FOLDERS = [("src/base", False), ("src/graph", False), ("src/backend", False), ("src/run", False), ("src/openmp", False),
           ("apps", True), ("tools/heddle", False), ("tools/heddlec", False), ("tools/share", False)]

# Permitted rings: files of a compiler that follow a recursive input. A part of such a ring is permitted, too.
ALLOWED = [
    # tree: a declaration has a type and an initial value, a type its declaration, a value any of them inside.
    {"parse/tree_build.c", "parse/tree_decl.c", "parse/tree_types.c", "parse/tree_value.c"},
    # device: statements hold expressions and declarations, expressions hold statements and calls, in any order.
    {"device/device_atomic.c", "device/device_call.c", "device/device_code.c", "device/device_decl.c",
     "device/device_expr.c", "device/device_init.c", "device/device_loop.c", "device/device_region.c",
     "device/device_share.c", "device/device_split.c", "device/device_team.c", "device/device_use.c", "device/device_vla.c"},
]


def defined_and_used(objects):
    """Global symbols of objects: {source: (defined, used)}."""
    files = {}
    for path, source in objects:
        out = subprocess.run(["nm", "-P", path], capture_output=True, text=True, check=True).stdout
        defined, used = files.setdefault(source, (set(), set()))
        for name, kind in (line.split()[:2] for line in out.splitlines()):
            if kind in "Uvw":
                used.add(name)
            elif kind.isupper() or kind == "u":
                defined.add(name)
    return files


def objects_of(build):
    """(object, source) of each object with an existing source; CMake names objects after their sources."""
    for folder, _, names in os.walk(build):
        base, mark, below = os.path.relpath(folder, build).partition("CMakeFiles/")
        target, _, below = below.partition("/")
        if not mark or not target.endswith(".dir"):
            continue
        for name in names:
            source = os.path.normpath(os.path.join(base, below, name[:-2]))
            if name.endswith(".o") and os.path.exists(source):
                yield os.path.join(folder, name), source


def needs_of_headers():
    """Includes and calls among core's headers: {header: headers}."""
    text, home = {}, {}
    for path in sorted(glob.glob(CORE + "/**/*.h", recursive=True)):
        name = os.path.relpath(path, CORE)
        with open(path, encoding="utf-8") as file:
            text[name] = re.sub(r"/\*.*?\*/|//[^\n]*", " ", file.read(), flags=re.S)
    for name, code in text.items():
        for function in re.findall(r"^(?:HD_\w*FN|static|__global__|template)\b[^;{}()]*?(\w+)\([^;{}]*\)\s*\{", code, re.M):
            home.setdefault(function, set()).add(name)
    needs = {}
    for name, code in text.items():
        words = set(re.findall(r"\w+", code))
        needs[name] = {there for word in words & home.keys() for there in home[word] if len(home[word]) == 1}
        needs[name] |= set(re.findall(r'#include "heddle/core/([\w/]+\.h)"', code))
    return needs


def needs_of_sources(files):
    home = {}
    for source, (defined, _) in files.items():
        for symbol in defined:
            home.setdefault(symbol, set()).add(source)
    return {source: {there for symbol in used for there in home.get(symbol, ())} for source, (_, used) in files.items()}


def rings(needs):
    """Sets of files that reach each other (Tarjan), without those of one file."""
    order, low, stack, found = {}, {}, [], []

    def visit(a):
        order[a] = low[a] = len(order)
        stack.append(a)
        for b in sorted(needs[a]):
            if b not in order:
                visit(b)
            if b in stack:
                low[a] = min(low[a], low[b])
        if low[a] == order[a]:
            at = stack.index(a)
            found.append(stack[at:])
            del stack[at:]

    for a in sorted(needs):
        if a not in order:
            visit(a)
    return [sorted(ring) for ring in found if len(ring) > 1]


def rings_of(folder, alone, objects):
    inside = [(o, s) for o, s in objects if s.startswith(folder + "/") and not (alone and os.path.dirname(s) != folder)]
    if not inside and folder not in ("tools/heddlec", "tools/share"):
        sys.exit(f"{folder}: no objects: build all first")
    for ring in rings(needs_of_sources(defined_and_used(inside))):
        names = {os.path.relpath(source, folder) for source in ring}
        if not any(names <= allowed for allowed in ALLOWED):
            yield sorted(names)


def main():
    objects, wanted = list(objects_of(sys.argv[1])), sys.argv[2:]
    found = [(CORE, ring) for ring in rings(needs_of_headers()) if not wanted or CORE in wanted]
    for folder, alone in FOLDERS:
        if not wanted or folder in wanted:
            found += [(folder, ring) for ring in rings_of(folder, alone, objects)]
    for folder, ring in found:
        print(f"{folder}: {len(ring)} files need each other: {' '.join(ring)}")


main()
