#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws bench_gpu's results: reads figures.tsv and writes one SVG per figure beside it. Needs no GPU, but matplotlib,
as nothing else here does. Skipped and failed rows are left out, with a note on stderr.

    plot_gpu.py FIGURES.TSV [DIR]

Exit status: 0 drawn, 2 cannot (no matplotlib, no such file, nothing measured in it)."""

import csv
import os
import sys

try:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
except ImportError:
    print("plot_gpu.py: needs matplotlib (pip install matplotlib)", file=sys.stderr)
    sys.exit(2)

BASELINES = ("levels", "graph", "cudagraph", "taskgraph", "launches", "grid.sync", "one block")
PLAIN = {"svg.hashsalt": "heddle", "font.size": 9, "axes.grid": True, "grid.color": "#d8dee4", "axes.axisbelow": True}


def read(path):
    """Rows as dicts with value as a number; and the file's lines on the machine."""
    rows, missing, about = [], 0, []
    with open(path, encoding="utf-8") as f:
        lines = [line for line in f if not line.startswith("#") or about.append(line[1:].strip())]
    for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        if row.get("form") == "short":  # from a short call: few runs
            continue
        if row.get("commit") and not about:
            about = [f"{row['gpu']}, driver {row['driver']}, commits named in the table"]
        try:
            row["value"] = float(row["value"])
            rows.append(row)
        except ValueError:
            missing += 1
    if missing:
        print(f"plot_gpu.py: {missing} rows were skipped or failed", file=sys.stderr)
    return rows, about


def is_baseline(subject):
    return subject.startswith(BASELINES)


def save(fig, directory, name, about):
    if about:
        fig.text(0.01, 0.005, about[min(1, len(about) - 1)], fontsize=6, color="#57606a")
    fig.tight_layout(rect=(0, 0.02, 1, 1))
    path = os.path.join(directory, name + ".svg")
    fig.savefig(path, metadata={"Date": None})
    plt.close(fig)
    print(path)


def best(rows, key, least=True):
    """The best value of each key."""
    out = {}
    for row in rows:
        k = key(row)
        if k not in out or (row["value"] < out[k]) == least:
            out[k] = row["value"]
    return out


def level_bars(ax, values, unit, title, colour=lambda name: "#4e79a7"):
    names = sorted(values, key=values.get, reverse=True)
    ax.barh(names, [values[n] for n in names], color=[colour(n) for n in names])
    ax.set_xlabel(unit)
    ax.set_title(title, fontsize=10)
    for i, name in enumerate(names):
        ax.text(values[name], i, f" {values[name]:.3g}", va="center", fontsize=7)


def colour_of(subject):
    if subject == "central":
        return "#e15759"
    return "#8c8c8c" if is_baseline(subject) else "#4e79a7" if subject.startswith(("static", "plan")) else "#59a14f"


def draw_hops(rows, directory, about):
    hops = [r for r in rows if r["figure"] in ("bare-handover", "hop-remote", "hop-kept") and r["variant"] != "median pair"]
    if not hops:
        return
    values = best(hops, lambda r: f"{r['figure']}: {r['subject']}")
    fig, ax = plt.subplots(figsize=(7, 0.8 + 0.3 * len(values)))
    level_bars(ax, values, "us a hop", "What passing a task on takes", lambda n: colour_of(n.split(": ")[1]))
    save(fig, directory, "gpu-hops", about)


def draw_wave(rows, directory, about):
    wave = [r for r in rows if r["figure"] == "wave72"]
    lengths = sorted({r["variant"].split()[0] for r in wave})
    if not wave:
        return
    fig, axes = plt.subplots(1, len(lengths), figsize=(4.2 * len(lengths), 4.6), squeeze=False)
    for ax, length in zip(axes[0], lengths):
        values = best([r for r in wave if r["variant"].split()[0] == length], lambda r: r["subject"])
        level_bars(ax, values, "us a level over the work", f"72 x 72 wavefront, bodies of {length}", colour_of)
    save(fig, directory, "gpu-wave72", about)


def size_us(variant):
    return float(variant.rsplit(" ", 1)[1].removesuffix("ns")) / 1000


def draw_efficiency(rows, directory, about):
    rows = [r for r in rows if r["figure"] == "efficiency"]
    curves = {}
    for r in rows:
        graph, setting = r["variant"].rsplit(" ", 1)[0].rsplit(" ", 1)
        curves.setdefault(graph, {}).setdefault((r["subject"], setting), []).append((size_us(r["variant"]), r["value"]))
    if not curves:
        return
    fig, axes = plt.subplots(1, len(curves), figsize=(4.6 * len(curves), 4.2), squeeze=False, sharey=True)
    for ax, graph in zip(axes[0], curves):
        for (subject, _), points in curves[graph].items():
            ax.semilogx(*zip(*sorted(points)), "--" if is_baseline(subject) else "-", marker=".", label=subject)
        ax.set_title(graph, fontsize=10)
        ax.set_xlabel("us a task")
        ax.set_ylim(0, 1.05)
        ax.legend(fontsize=7)
    axes[0][0].set_ylabel("share of the bound")
    save(fig, directory, "gpu-efficiency", about)


def draw_uneven(rows, directory, about):
    rows = [r for r in rows if r["figure"] == "uneven" and r["subject"] != "bound"]
    graphs = sorted({r["variant"].split()[0] for r in rows})
    if not graphs:
        return
    fig, axes = plt.subplots(1, len(graphs), figsize=(4.8 * len(graphs), 4.2), squeeze=False)
    for ax, graph in zip(axes[0], graphs):
        mine = [r for r in rows if r["variant"].split()[0] == graph]
        by_seed = best(mine, lambda r: (r["subject"] + ", profiled" * ("profiled" in r["variant"]), r["variant"].split()[2]))
        values = {}
        for (subject, _), us in by_seed.items():
            values.setdefault(subject, []).append(us)
        values = {s: sum(v) / len(v) for s, v in values.items()}
        level_bars(ax, values, "us, mean of the seeds", f"log-normal tasks of 5 us, {graph}", colour_of)
    save(fig, directory, "gpu-uneven", about)


def draw_apps(rows, directory, about):
    ratios = [r for r in rows if r["figure"] == "apps-ratio"]
    if not ratios:
        return
    kinds = sorted({r["subject"] for r in ratios})
    names = list(dict.fromkeys(r["variant"] for r in ratios))
    fig, ax = plt.subplots(figsize=(max(6, 0.6 * len(names)), 4))
    for i, kind in enumerate(kinds):
        values = {r["variant"]: r["value"] for r in ratios if r["subject"] == kind}
        at = [k + 0.4 * i for k, n in enumerate(names) if n in values]
        ax.bar(at, [values[n] for n in names if n in values], 0.38, label=kind)
    ax.axhline(1, color="#d1242f", linewidth=1)
    ax.set_xticks([k + 0.2 for k in range(len(names))], names, rotation=60, ha="right")
    ax.set_ylabel("times as quick")
    ax.legend(fontsize=7)
    save(fig, directory, "gpu-apps", about)


def draw_beside(rows, directory, about, figure):
    """Each subject at its best, by case: the first word of a variant."""
    rows = [r for r in rows if r["figure"] == figure and r["unit"] == "us" and r["subject"] != "path x (body + bare hand-over)"]
    case = lambda r: r["variant"].split()[0].rstrip(",")
    cases = list(dict.fromkeys(case(r) for r in rows))
    if not cases:
        return
    most = max(len({r["subject"] for r in rows if case(r) == c}) for c in cases)
    fig, axes = plt.subplots(1, len(cases), figsize=(5.2 * len(cases), 1 + 0.26 * most), squeeze=False)
    for ax, c in zip(axes[0], cases):
        level_bars(ax, best([r for r in rows if case(r) == c], lambda r: r["subject"]), "us", f"{figure}, {c}", colour_of)
    save(fig, directory, "gpu-" + figure, about)


def draw_spawn(rows, directory, about):
    kinds = (("empty child", "Mtasks/s", "Empty tasks spawned and run"), ("start", "us", "From spawning to starting elsewhere"))
    rows = [r for r in rows if r["figure"] == "spawn" and r["subject"] != "start / bare hand-over"]
    if not rows:
        return
    fig, axes = plt.subplots(1, 2, figsize=(10.5, 5))
    for ax, (name, unit, title) in zip(axes, kinds):
        mine = [r for r in rows if r["variant"].startswith(name) and r["unit"] == unit]
        level_bars(ax, best(mine, lambda r: r["subject"], unit == "us"), unit, title, colour_of)
    save(fig, directory, "gpu-spawn", about)


def draw_limits(rows, directory, about):
    values = {r["variant"]: r["value"] for r in rows if r["figure"] == "apps-limit" and r["subject"].startswith("persistent")}
    if not values:
        return
    fig, ax = plt.subplots(figsize=(6.5, 0.8 + 0.28 * len(values)))
    level_bars(ax, values, "times the least time", "Distance of apps to their own limit")
    ax.set_xscale("log")
    save(fig, directory, "gpu-limits", about)


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    directory = sys.argv[2] if len(sys.argv) == 3 else os.path.dirname(sys.argv[1]) or "."
    try:
        rows, about = read(sys.argv[1])
        os.makedirs(directory, exist_ok=True)
    except OSError as e:
        print(f"plot_gpu.py: {e}", file=sys.stderr)
        return 2
    if not rows:
        print("plot_gpu.py: nothing was measured in this file", file=sys.stderr)
        return 2
    plt.rcParams.update(PLAIN)
    for draw in (draw_hops, draw_wave, draw_efficiency, draw_uneven, draw_apps, draw_limits, draw_spawn):
        draw(rows, directory, about)
    for figure in ("heat2d", "bfs", "slu", "uts"):
        draw_beside(rows, directory, about, figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
