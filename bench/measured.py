#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes doc/measured.md, and the figures in README.md, from the tables of results and from the goals (goals.tsv).

    measured.py                          writes both
    measured.py --check                  writes nothing; fails if a file would change, or if a table mixes commits
    measured.py --check --allow-mixed    the same, but a table may mix commits

A line of goals.tsv is one figure, or one per case if its text names columns in braces:

    section   a section of doc/measured.md (SECTIONS), or `face`: a figure that also stands in README.md
    measure   its text; {case} takes the row's column `case`, and each case gets a figure of its own
    rows      which rows of the section's table count: `column=value; column!=value`. A value may be `a or b`, or have `*`.
              `-`: nothing measures it yet
    take      how they are combined: a column, with `least`, `most`, `geomean`, `span` (most over least) or `count` before it.
              `geomean C by K`: of the least C of each K. A bare column needs exactly one row
    beside    rows of the same table: the figure is that of `rows` over that of these
    unit      printed behind the figure
    goal      `<= N`, `>= N`, empty (no goal), or `own`: the goal stands in the table. In figures.tsv that is the row's variant; in
              tables with a tail, `own LABEL` names the line of the tail
    source    where the goal was set

If rows have commits, only those of the newest commit that measured the figure count: so a ratio never mixes two runs. Values
of 0 and words (`skipped`) count as not measured.

Exit status: 0 written or up to date, 1 a check failed, 2 a table or a goal cannot be read."""

import argparse
import collections
import csv
import hashlib
import math
import os
import re
import sys

RESULTS, GOALS, GUIDE, README = "bench/results", "bench/goals.tsv", "doc/measured.md", "README.md"
BEGIN, END = "<!-- bench/measured.py writes these lines -->", "<!-- until here -->"
GPU = "bench/results/h200/"

NOBODY = "-"

Section = collections.namedtuple("Section", "name title table command text")
SECTIONS = [
    Section("tasks", "Tasks on a GPU", GPU + "figures.tsv", "bash tests/gpu.sh --long figures",
            "The time of `wave72` is what a level of a 72 x 72 wavefront takes beyond the work in it. *Best baseline* is the quickest "
            "of launches a level, CUDA graphs of these with plain and programmatic edges, and a CUDA graph with a node a task. "
            "[benchmarks.md](benchmarks.md) says how time is taken."),
    Section("apps", "Applications on a GPU", GPU + "figures.tsv", "FIGURES=apps bash tests/gpu.sh --long figures",
            "The seven applications take tens to hundreds of microseconds at size S, use 1 GB at M and 16 GB at L. Ratios are times "
            "of the best baseline over times of the best schedule with resident workers."),
    Section("apps-h100", "Applications on an H100", RESULTS + "/h100/figures.tsv",
            "FIGURES=apps-s,apps-m bash tests/gpu.sh --long figures",
            "What was measured there only: the schedule `auto`, and a wave beside a copy of the same bytes (16,384 x 16,384 words)."),
    Section("spawn", "Tasks that make tasks, on a GPU", GPU + "figures.tsv",
            "FIGURES=spawn,uts,heat2d,bfs,slu bash tests/gpu.sh --long figures",
            "`central` is one locked queue for all workers, the papers' baseline. The street network has 331 levels."),
    Section("wave", "Waves on a GPU", GPU + "wave.tsv", "bash tests/gpu.sh --long wavespeed",
            "The best shape and number of warps of each. A cell that is kept is compared with a kernel that only writes as much, in the "
            "same run. [wave.md](wave.md#how-fast) says where the time goes."),
    Section("sweeps", "Sweeps in place on a GPU", GPU + "sweeps.tsv", "bash tests/gpu.sh --long wavespeed", ""),
    Section("sums", "Sums as waves on a GPU", GPU + "wave_sums.tsv", "bash tests/gpu.sh --long wavespeed", ""),
    Section("wave-apps", "Waves beside the same application's tasks on a GPU", GPU + "wave_apps.tsv",
            "bash tests/gpu.sh --long wavespeed", "Tiles of 128 by 128 under the quickest schedule; both count sums over all cells."),
    Section("peerwave", "Waves beside PeerWave's kernels", "doc/results/peerwave-wave.tsv", "heddle bench --figures peerwave --out DIR",
            "Geometric means over six applications at 46,080 x 46,080 cells, without heat2d. All cells are kept. "
            "[The other figures of the papers](results/README.md) are drawn."),
    Section("peers", "Waves beside the kernel as the thesis lists it", "doc/results/peerwave-ways.tsv",
            "heddle bench --figures peerwave --out DIR", ""),
    Section("pools", "Pools on a GPU", RESULTS + "/h100/pool.tsv", "bash tests/gpu.sh --long pool",
            "Tasks of 128 threads from one CPU thread. *A kernel each* is what a program without a pool would do: a launch for each "
            "task, over 32 streams."),
    Section("pagoda", "Pagoda's applications in a pool", "doc/results/pagoda-apps.tsv", "bash tests/gpu.sh --long pagoda",
            "Times of nine applications of up to 32,768 narrow tasks (one H100), data on the device: geometric means. `kernels` launches each "
            "task, over 32 streams; `batch` waits for each batch, as GeMTC does."),
    Section("openmp", "Translated OpenMP programs on a GPU", GPU + "openmp.tsv", "bash tests/gpu.sh --long openmp",
            "Programs that heddlec translated over the hand-written portable bodies."),
    Section("beside", "CUDA calls beside a resident kernel", GPU + "beside.tsv", "bash tests/gpu.sh beside",
            "[cuda-beside.md](cuda-beside.md) has them all."),
    Section("pagoda-copies", "Tasks of a pool that bring their data", "doc/results/pagoda-copies.tsv",
            "bash tests/gpu.sh --long pagoda", "Inputs and results are in pinned host memory."),
    Section("pagoda-links", "How near such tasks are to what the machine allows", "doc/results/pagoda-links.tsv",
            "bash tests/gpu.sh --long pagoda", "The link, the bodies alone, and 15 ns for the spawning of each task."),
    Section("pagoda-chunks", "Such tasks beside chunks of the best size", "doc/results/pagoda-chunks.tsv",
            "bash tests/gpu.sh --long pagoda",
            "A chunk is a copy of its inputs, one grid of its tasks, a copy of its results. All sizes from 256 tasks on, over two to four "
            "streams; their records are on the GPU before."),
    Section("pagoda-auto", "What a pool's mode auto chooses", "doc/results/pagoda-auto.tsv", "bash tests/gpu.sh --long pagoda",
            "The third pool that a context opens; data on the device."),
    Section("pagoda-slu", "Sparse LU in a pool", "doc/results/pagoda-slu.tsv", "bash tests/gpu.sh --long pagoda",
            "All tasks spawned at once by handles, or in waves that the host waits for: the better of resident and launches for each."),
    Section("pagoda-irregular", "Irregular tasks in a pool", "doc/results/pagoda-irregular.tsv", "bash tests/gpu.sh --long pagoda",
            "Teams of 32, 64, 128 and 256 threads, and sides to match."),
    Section("pagoda-response", "Response time of tasks in a pool", "doc/results/pagoda-response.tsv",
            "bash tests/gpu.sh --long pagoda", "Irregular tasks come at 80 % of the best rate of one grid of all."),
    Section("hdss", "One loop over 15 cores and one GPU", "doc/results/hdss-alone.tsv", "heddle bench --figures hdss",
            "750 MB of input in the host's memory (one H200, 16 cores, of which one is the GPU's manager). The bound is the work over the sum of the speeds alone."),
    Section("hdss-8gb", "The same with 8 GB", "doc/results/hdss-alone-8gb.tsv",
            "heddle bench --figures hdss --opt figures=alone -n 8000000000",
            "The bound is the work over the sum of the speeds alone."),
    Section("hdss-4kb", "The same with 4 KB", "doc/results/hdss-alone-4kb.tsv",
            "heddle bench --figures hdss --opt figures=alone -n 4096", "One to three indices, or rows of 4,096 bytes."),
    Section("hdss-ways", "Ways to divide such loops", "doc/results/hdss-ways.tsv", "heddle bench --figures hdss",
            "Later runs, over `cut`. Of mandel's rows some take a hundred times as long as others."),
    Section("hdss-openmp", "Loops on cores beside loops by hand", "doc/results/hdss-openmp.tsv",
            "heddle bench --figures hdss --opt figures=openmp",
            "The same bodies on the same memory: called by a plain loop on one core, and by loops of OpenMP with the chunk that was quickest."),
    Section("hdss-pipeline", "Loops on a GPU beside a pipeline by hand", "doc/results/hdss-pipeline.tsv",
            "heddle bench --figures hdss --opt figures=pipeline -n 8000000000",
            "8 GB of input in the host's memory. The pipeline has two to four streams, and the chunk that was quickest."),
    Section("hdss-fronts", "Wavefronts over several GPUs", "doc/results/hdss-fronts.tsv",
            "heddle bench --figures hdss --opt figures=fronts",
            "Each GPU has strides of rows. Fields are in the host's memory; of dtw and sw only the sequences travel."),
    Section("mesi-matmul", "Products of matrices by jobs", "doc/results/mesi-matmul.tsv", "bash tests/gpu.sh --long mesi",
            "One and two H200s of one host. From host to host, copies of inputs and results are in the time. Pools are an eighth of "
            "the data. [multi-gpu.md](multi-gpu.md#measured-on-two-h200s) says where the time goes."),
    Section("mesi-one", "Products on one GPU beside the least time", "doc/results/mesi-one-matmul.tsv",
            "heddle bench --figures mesi --opt figures=matmul",
            "The least time is that of the arithmetic by the best kernel by hand, with its data resident. Or it is that of the bytes, by plain copies of "
            "the same run, if that is longer. The first fetch and the last write are added."),
    Section("mesi-one-hotspot", "Steps of hotspot beside the least time", "doc/results/mesi-one-hotspot.tsv",
            "heddle bench --figures mesi --opt figures=hotspot --opt steps=300", "300 steps of 8,192 x 8,192 cells, from host to host, on one H200."),
    Section("mesi-hotspot", "Steps of hotspot by jobs", "doc/results/mesi-hotspot-1000.tsv",
            "heddle bench --figures mesi --opt figures=hotspot --opt steps=1000",
            "1,000 steps of 8,192 x 8,192 cells that are on the GPUs, on one and two H200s."),
    Section("mesi-ep", "Pairs of ep by jobs", "doc/results/mesi-ep.tsv", "bash tests/gpu.sh --long mesi", "Class D, on one and two H200s."),
    Section("mesi-14a", "Unequal GPUs: a product of matrices", "doc/results/mesi-14a.tsv", "bash tests/gpu.sh --long mesi",
            "Figure 14 of MESI-CUDA's scheduling: int32, 8,192 x 8,192, from host to host, on an H200 and a part of another. Goals follow from the "
            "speed of the part alone in the same run."),
    Section("mesi-14b", "Unequal GPUs: ep", "doc/results/mesi-14b.tsv", "bash tests/gpu.sh --long mesi", "2^34 pairs."),
    Section("mesi-14d", "Unequal GPUs: hotspot", "doc/results/mesi-14d.tsv", "bash tests/gpu.sh --long mesi",
            "100 steps, from host to host."),
    Section("mesi-15a", "Tasks a job", "doc/results/mesi-15a.tsv", "bash tests/gpu.sh --long mesi",
            "Figure 15: the product of 8,192 x 8,192 in 2 to 128 tasks on one H200. A body takes 128 rows."),
    Section("cumas", "Twelve programs under heddle share", "doc/results/cumas-mixes.tsv", "bash tests/gpu.sh --long mixes",
            "The programs and sizes of CuMAS' Table 4.1 side by side on one GPU (`table`), and with longer kernels (`balanced`). *Best* is what no "
            "order can beat: each program one task, with the times that it takes alone in the same run. Means over orders of arrival."),
    Section("share", "What heddle share does to programs", GPU + "share.tsv", "bash tests/gpu.sh --long share",
            "One or two plain programs on one H200, under MPS off."),
    Section("share-h100", "The same on an H100", RESULTS + "/h100/share.tsv", "bash tests/gpu.sh --long share",
            "`share.txt` beside the table has earlier variants. Class high was measured there only."),
    Section("cumas-random", "Orders of random tasks", "doc/results/cumas-random.tsv", "heddle bench --figures cumas --opt figures=random",
            "200 sets of ten tasks; over the least makespan."),
    Section("cumas-planning", "How long an order takes to find", "doc/results/cumas-4.10.tsv", "heddle bench --figures cumas --opt figures=4.10",
            "On one core. The thesis has 2 and 61 ms for its DP at 8 and 12 tasks, 12 ms and 168 s for brute force."),
    Section("cumas-copies", "Estimates of copies", "doc/results/cumas-4.11.tsv", "heddle bench --figures cumas --opt figures=4.11",
            "From 1 to 64 MiB, both ways; every other size is learnt."),
    Section("cumas-kernels", "Estimates of kernels", "doc/results/cumas-4.12.tsv", "heddle bench --figures cumas --opt figures=4.12",
            "A line through an eighth and a quarter of the bytes gives the time of all. The thesis has 4 % on average, 15 % at worst."),
    Section("tests-pools", "Tests of pools on a GPU", RESULTS + "/h100/tests.tsv", "bash tests/gpu.sh --long pool", ""),
    Section("tests", "Tests on a GPU", GPU + "tests.tsv", "bash tests/gpu.sh",
            "`h200/tests.txt` is the same table, to be read."),
    Section("cpu", "Tasks on two CPU threads", RESULTS + "/cpu-2-cores.tsv", "make bench-overhead",
            "Everything that a task costs is counted: adding, freezing and running it. Each library runs at its own best settings, in turn "
            "with the others. Goals for two workers come from what a plain copy gains by a second thread in the same run."),
    Section("simulator", "A loop over a thousand simulated units", RESULTS + "/simulator.tsv", "build/tests/test_unit_simulate --table",
            "200 ms, five kinds of units, in virtual time: efficiency is all work over all speeds, over the time of the loop. "
            "Where the first end is early, the slowest units are left out at the end, since their least slice would be the last to end."),
    Section("waves-cpu", "Waves on CPU threads", RESULTS + "/cpu-waves.tsv", "heddle bench sw sw/wave -n 2048 -b 256",
            "One thread; minima of a busy machine, on which two threads cannot be measured. [wave.md](wave.md#what-happens-inside) says "
            "where the time goes."),
    Section("waves-cores", "Waves on cores of a quiet machine", RESULTS + "/cpu-waves-16.tsv",
            "heddle bench APP APP/wave -n N -b B --backends cpu --policies share --workers W",
            "The cores of the machine with the GPU, minima. Fields of 4,096 rows are 256 bands for two threads; most of the rest is the ramp."),
    Section("task-bench", "Task Bench on two CPU threads", RESULTS + "/task-bench-cpu.tsv", "make bench-tasks",
            "Metric and patterns of Task Bench (SC'20). *All in* counts adding, freezing and running; the others have no *run again*."),
    Section("openmp-cpu", "Translated OpenMP programs on two CPU threads", RESULTS + "/openmp-cpu.tsv", "make bench-openmp", ""),
    Section("spawn-cpu", "Tasks that make tasks, on two CPU threads", RESULTS + "/spawn-cpu.tsv", "make bench-spawn",
            "libgomp runs a task at once when there are many."),
    Section("nvcc", "nvcc and the bodies of waves", RESULTS + "/nvcc-waves.tsv", "bench/nvcc_cost.py",
            "Seconds of the processor, on a machine that was busy with other work; kilobytes of the code for one generation of GPUs."),
]
FACE_TABLE = GPU + "figures.tsv"

# Tables of the papers' figures have no commits; this guide has the commit of all that stand below a heading.
FIGURES_GUIDE = "doc/results/README.md"
HEADINGS = {"pagoda": "Pagoda", "peerwave": "PeerWave"}

Goal = collections.namedtuple("Goal", "section measure rows take beside unit goal source line")
Table = collections.namedtuple("Table", "path rows head tail")
Figure = collections.namedtuple("Figure", "measure value unit aim met commit rows")


class Problem(Exception):
    """A table or a goal that cannot be read."""


# ---- tables -------------------------------------------------------------------------------------


def read_text(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        return f.read()


def read_table(root, path):
    """Rows as dicts; comments above (`# key: text`) and below (a tail of figures: label, reached, direction, goal)."""
    lines = read_text(root, path).splitlines()
    head, tail = {}, {}
    for line in lines:
        about = re.fullmatch(r"# (\w+): (.*)", line)
        figure = re.fullmatch(r"# (.*?)  +(\S+)(?: \S+)? +([<>]=) (\S+)(?: \S+)?  (?:yes|no)", line)
        if figure:
            tail[figure[1]] = (float(figure[2]), f"{figure[3]} {figure[4]}")
        elif about and not tail:
            head.setdefault(about[1], about[2])
    rows = list(csv.DictReader((x for x in lines if not x.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE))
    return Table(path, rows, head, tail)


def number(text):
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if value and math.isfinite(value) else None


def condition_of(text):
    """Column, whether the value must differ, and the values as one pattern."""
    parts = re.fullmatch(r"([^=!]+)(!?)=(.*)", text)
    if not parts:
        raise Problem(f"'{text}' is no condition")
    values = "|".join(re.escape(v).replace(r"\*", ".*") for v in parts[3].split(" or "))
    return parts[1], bool(parts[2]), re.compile(values)


def select(table, text):
    """The rows that meet all conditions of a text."""
    chosen = [] if text == NOBODY else table.rows
    for column, differs, pattern in map(condition_of, text.split("; ") if chosen else []):
        if column not in table.rows[0]:
            raise Problem(f"there is no column {column}")
        chosen = [r for r in chosen if bool(pattern.fullmatch(r[column] or "")) != differs]
    return chosen


def commits_of(root, table):
    """The commits of a table's rows with their dates, oldest first; without a date: ''."""
    if table.rows and "commit" in table.rows[0]:
        pairs = {(r["date"], r["commit"]) for r in table.rows}
        newest = {commit: max(d for d, c in pairs if c == commit) for _, commit in pairs}
        return sorted(newest.items(), key=lambda c: c[1])
    if "commit" in table.head:
        return [(table.head["commit"], table.head.get("date", ""))]
    paper = HEADINGS.get(os.path.basename(table.path).split("-")[0])
    for text in read_text(root, FIGURES_GUIDE).split("\n# ")[1:]:
        commit = re.search(r"at\s+commit\s+([0-9a-f]{7,12})", text)
        if paper and paper in text.split("\n")[0] and commit:
            return [(commit[1], "")]
    raise Problem(f"{table.path}: its commit is not known")


# ---- figures ------------------------------------------------------------------------------------


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


WAYS = {"least": min, "most": max, "geomean": geomean, "span": lambda v: max(v) / min(v)}


def least_by(rows, column, key):
    least = {}
    for r in rows:
        value = number(r[column])
        if value is not None:
            least[r[key]] = min(value, least.get(r[key], value))
    return list(least.values())


def reduce_rows(rows, take):
    """The value that `take` makes of rows; None when none of them was measured."""
    words = take.split()
    if words[0] == "count":
        return float(len(rows))
    way = words.pop(0) if words[0] in WAYS else None
    if rows and words[0] not in rows[0]:
        raise Problem(f"there is no column {words[0]}")
    if words[1:2] == ["by"]:
        values = least_by(rows, words[0], words[2])
    else:
        values = [v for v in (number(r[words[0]]) for r in rows) if v is not None]
    if not way and len(values) > 1:
        raise Problem(f"{len(values)} rows where one is wanted")
    return WAYS[way](values) if way and values else values[0] if values else None


def newest(rows, take):
    """The rows of the newest commit that measured them, and this commit."""
    if not rows or "commit" not in rows[0] or take.startswith("count"):
        return rows, ""
    column = take.split(" by ")[0].split()[-1]
    measured = [r for r in rows if number(r[column]) is not None]
    if not measured:
        return [], ""
    last = max(measured, key=lambda r: r["date"])["commit"]
    return [r for r in measured if r["commit"] == last], last


def aim_of(goal, table, rows, value):
    """The goal as text: of goals.tsv, or the table's own."""
    own = re.fullmatch(r"own(?: (.*))?", goal)
    if not own:
        return goal
    if not own[1]:
        return rows[0]["variant"] if rows else ""
    if own[1] not in table.tail:
        raise Problem(f"the tail has no line {own[1]}")
    reached, aim = table.tail[own[1]]
    if value is not None and abs(reached - value) > 0.01 * abs(value):
        raise Problem(f"the tail says {reached:g} of {own[1]}, the rows {value:.4g}")
    return aim


def verdict(value, aim):
    if not aim:
        return "-"
    if value is None:
        return "not measured"
    direction, limit = aim.split()
    return "yes" if (value <= float(limit) if direction == "<=" else value >= float(limit)) else "**no**"


def figure_of(goal, table, case):
    """One figure; case: the columns in braces with their values."""
    rows_text, beside, measure, aim = ([t.format(**case) if case else t for t in
                                        (goal.rows, goal.beside, goal.measure, goal.goal)])
    chosen = [r for r in select(table, rows_text) if all(r[c] == v for c, v in case.items())]
    rows, commit = newest(chosen, goal.take)
    value = reduce_rows(rows, goal.take)
    if beside and value is not None:
        others = [r for r in select(table, beside) if not commit or r["commit"] == commit]
        other = reduce_rows(others, goal.take)
        value = value / other if other else None
    aim = aim_of(aim, table, rows or chosen, value)
    kept = [c for c in rows_text.split("; ") if c.split("=")[0] not in case]
    shown = "; ".join(kept + [f"{c}={v}" for c, v in case.items()]) + (f" over {beside}" if beside else "")
    return Figure(measure, value, goal.unit, aim, verdict(value, aim), commit, f"{goal.take}: {shown}")


def figures_of(goal, table):
    columns = re.findall(r"\{(\w+)\}", goal.measure)
    if not columns:
        return [figure_of(goal, table, {})]
    cases = dict.fromkeys(tuple(r[c] for c in columns) for r in select(table, goal.rows))
    if not cases:
        raise Problem("no row matches")
    return [figure_of(goal, table, dict(zip(columns, case))) for case in cases]


def read_goals(root):
    table = read_table(root, GOALS)
    names = {s.name for s in SECTIONS} | {"face"}
    goals = [Goal(**r, line=i) for i, r in enumerate(table.rows, 1)]
    for g in goals:
        if g.section not in names or not re.fullmatch(r"|own( .*)?|[<>]= [\d.]+", g.goal):
            raise Problem(f"{GOALS}: {g.measure}: section {g.section} or goal '{g.goal}' is not known")
    return goals


# ---- text ---------------------------------------------------------------------------------------


def wrap(text, width=120):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return "\n".join([*lines, line])


def with_commas(match):
    return f"{int(match[0]):,}"


def value_text(figure):
    if figure.value is None:
        return "not measured"
    digits = f"{figure.value:.4g}" if figure.value < 1e4 else f"{figure.value:.0f}"
    return re.sub(r"^\d{5,}$", with_commas, digits) + (f" {figure.unit}" if figure.unit else "")


def source_line(root, section, table):
    machine = table.head.get("gpu") or table.head.get("cpu") or (table.rows[0].get("gpu") if table.rows else None) or "NVIDIA H200"
    driver = {r["driver"] for r in table.rows if "driver" in r}
    if driver:
        machine += ", driver " + ", ".join(sorted(driver))
    commits = [f"{c} ({d})" if d else c for c, d in commits_of(root, table)]
    rows = f"rows of commit{'s' if len(commits) > 1 else ''} {', '.join(commits)}"
    return wrap(f"`{section.command}` · [{os.path.basename(table.path)}]({os.path.relpath(table.path, 'doc')}) · {machine} · {rows}")


def section_text(root, section, table, figures):
    """Heading, where it is from, and the figures; a column of commits where there are several."""
    mixed = table and len(commits_of(root, table)) > 1 and any(f.commit for f in figures)
    origin = source_line(root, section, table) if table else f"`{section.command}` · {os.path.basename(section.table)} is not there"
    out = [f"## {section.title}", "", origin, ""]
    if section.text:
        out += [wrap(section.text), ""]
    out += ["| measure | reached | aimed at | met? |" + (" commit |" if mixed else "") + " rows |",
            "|---|---|---|---|" + ("---|" if mixed else "") + "---|"]
    for f in figures:
        aim = f"{f.aim} {f.unit}".strip() if f.aim else "-"
        commit = f" {f.commit or '-'} |" if mixed else ""
        out.append(f"| {f.measure} | {value_text(f)} | {aim} | {f.met} |{commit} `{f.rows}` |")
    return "\n".join(out)


def summary(figures):
    counts = collections.Counter(f.met for f in figures if f.aim)
    return (f"{sum(counts.values())} figures have a goal: {counts['yes']} reached it, {counts['**no**']} missed it, "
            f"{counts['not measured']} are not measured.")


def digests(root, tables):
    """A comment with what each table is: so that a value of it cannot change unseen, shown or not."""
    lines = []
    for path in sorted(p for p, table in tables.items() if table):
        with open(os.path.join(root, path), "rb") as f:
            lines.append(f"- {path} {hashlib.sha256(f.read()).hexdigest()[:16]}")
    return "<!-- Made from (SHA-256):\n" + "\n".join(lines) + "\n-->"


def guide_text(sections, tail):
    every = [f for _, figures in sections for f in figures]
    head = wrap("What was measured, what was aimed at, and whether it was reached. Missed goals are marked **no**. Each section names "
                "the command that makes its table; the last column says which rows of the table count, and what is made of them. "
                "`A over B` divides the first by the second.")
    return "\n\n".join(["<!-- Made by bench/measured.py from bench/results, doc/results and bench/goals.tsv: change those. -->\n"
                        "# Measured", head, summary(every), *(text for text, _ in sections), tail]) + "\n"


def face_text(figures):
    commits = {f.commit for f in figures}
    if len(commits) != 1 or any(f.value is None for f in figures):
        raise Problem(f"{README}: its figures are to be measured, at one commit: {', '.join(sorted(commits))}")
    out = [f"| one NVIDIA H200, commit {commits.pop()} | reached | aimed at |", "|---|---|---|"]
    for f in figures:
        missed = " (missed)" if f.met == "**no**" else ""
        out.append(f"| {f.measure} | {value_text(f)} | {f'{f.aim} {f.unit}'.strip() if f.aim else '-'}{missed} |")
    return "\n".join(out)


def readme_text(old, face):
    begin, end = old.find(BEGIN), old.find(END)
    if begin < 0 or end < begin:
        raise Problem(f"{README}: the lines `{BEGIN}` and `{END}` are not there")
    return old[:begin] + BEGIN + "\n" + face + "\n" + old[end:]


# ---- all ----------------------------------------------------------------------------------------


class Results:
    """The tables that sections name, each read once."""

    def __init__(self, root):
        self.root, self.tables = root, {}

    def table(self, path):
        if path not in self.tables:
            there = os.path.exists(os.path.join(self.root, path))
            self.tables[path] = read_table(self.root, path) if there else None
        return self.tables[path]

    def figures(self, goal, path):
        table = self.table(path)
        try:
            if table:
                return figures_of(goal, table)
            aim = "" if goal.goal.startswith("own") else goal.goal
            return [Figure(goal.measure, None, goal.unit, aim, verdict(None, aim), "", f"{goal.take}: {goal.rows}")]
        except (Problem, KeyError, IndexError) as e:
            raise Problem(f"{path}: {goal.measure}: {e}") from e

    def mixed(self):
        """Tables of figures whose rows come from several commits. Tests keep their results until they run again."""
        for path, table in self.tables.items():
            if path == GPU + "tests.tsv":
                continue
            commits = commits_of(self.root, table) if table else []
            if len(commits) > 1:
                yield f"{path}: rows of commits {', '.join(c for c, _ in commits)}"

    def forgotten(self):
        """Tables that no section shows."""
        for folder, _, names in os.walk(os.path.join(self.root, RESULTS)):
            for name in sorted(n for n in names if n.endswith(".tsv")):
                path = os.path.relpath(os.path.join(folder, name), self.root)
                if path not in self.tables:
                    yield f"{path}: no section of {GUIDE} shows it"


def made(root):
    """What the two files should hold, and the tables."""
    results, goals = Results(root), read_goals(root)
    sections = []
    for s in SECTIONS:
        figures = [f for g in goals if g.section == s.name for f in results.figures(g, s.table)]
        sections.append((section_text(root, s, results.table(s.table), figures), figures))
    face = [f for g in goals if g.section == "face" for f in results.figures(g, FACE_TABLE)]
    return {GUIDE: guide_text(sections, digests(root, results.tables)), README: readme_text(read_text(root, README), face_text(face))}, results


def complaints(root, files, results, allow_mixed):
    for path, text in files.items():
        there = os.path.exists(os.path.join(root, path))
        if not there or read_text(root, path) != text:
            yield f"{path}: is not what bench/measured.py makes of the tables and goals; run it"
    yield from results.forgotten()
    if not allow_mixed:
        yield from results.mixed()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    parser.add_argument("--allow-mixed", action="store_true", help="a table may have rows of several commits")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."), help="the source tree")
    args = parser.parse_args()
    try:
        files, results = made(args.root)
        if args.check:
            found = list(complaints(args.root, files, results, args.allow_mixed))
            print("\n".join(found), end="\n" if found else "")
            return 1 if found else 0
        for path, text in files.items():
            with open(os.path.join(args.root, path), "w", encoding="utf-8") as f:
                f.write(text)
    except (Problem, OSError, UnicodeDecodeError, csv.Error) as e:
        sys.stderr.write(f"measured: {e}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
