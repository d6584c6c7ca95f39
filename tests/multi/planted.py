#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""planted.py SOURCE_DIR OUT_DIR [NAME...] - do the tests notice when the directory of pieces, or the line of jobs, is wrong?
planted.py SOURCE_DIR - are the texts of all planted bugs still there? Takes no time.

For each bug below, copies src/engine/multi to OUT_DIR, changes one text, builds a test against the copy and runs it:
tests/multi/line.c, if the file is one of the line, else sequences.c. An
entry is an error when its text is not found exactly once, so the list cannot rot. Prints a table: the bug, and the check that caught it.
Exit status 1 if one is not caught or does not compile. With NAMEs: only bugs that begin with one. CC: the compiler (cc). All take some
two minutes of one processor. HEDDLE_MUTATIONS=K/N: only each N-th, from the K-th on; of the others only the text is looked for."""
import os
import re
import shutil
import subprocess
import sys

MULTI = "src/engine/multi"
BASE = ("alloc", "list", "status")
DIRECTORY = ("asked", "cells", "leaving", "log", "lost", "move", "points", "repeated", "segment", "slab", "window")  # of MULTI
LINE = ("cut", "line", "line_ends", "line_give", "line_next", "order", "settle")
GRAPH = ("range", "range_boxes", "range_cells", "rtree")
SEQUENCES = "400000"  # the rarest one takes that many; most need a hundred

# name, file, text, replacement
BUGS = [
    ("a write leaves copies on other devices valid, as halos in the paper", "segment.c", "        hd_seg_cell_stale(s, c, body);\n        hd_seg_copy_fill(s, hd_seg_copy_in(s, c, w)",
     "        for (uint64_t i = 0; i < c->copies.n; i++)\n            if (!hd_seg_copy_at(s, c, i)->window || hd_seg_copy_at(s, c, i)->window->device == w->device)\n"
     "                hd_seg_copy_at(s, c, i)->is_valid = 0;\n        hd_seg_copy_fill(s, hd_seg_copy_in(s, c, w)"),
    ("a write leaves copies in other windows of the device valid", "segment.c", "        hd_seg_cell_stale(s, c, body);\n        hd_seg_copy_fill(s, hd_seg_copy_in(s, c, w)",
     "        for (uint64_t i = 0; i < c->copies.n; i++)\n            if (!hd_seg_copy_at(s, c, i)->window || hd_seg_copy_at(s, c, i)->window->device != w->device)\n"
     "                hd_seg_copy_at(s, c, i)->is_valid = 0;\n        hd_seg_copy_fill(s, hd_seg_copy_in(s, c, w)"),
    ("a write leaves home valid", "segment.c", "        hd_seg_cell_stale(s, c, body);\n        hd_seg_copy_fill(s, hd_seg_copy_in(s, c, w)",
     "        for (uint64_t i = 0; i < c->copies.n; i++)\n            if (hd_seg_copy_at(s, c, i)->window)\n"
     "                hd_seg_copy_at(s, c, i)->is_valid = 0;\n        hd_seg_copy_fill(s, hd_seg_copy_in(s, c, w)"),
    ("the host's write leaves devices valid", "segment.c", "        hd_seg_cell_stale(s, c, number);\n        hd_seg_copy_fill(s, hd_seg_copy_in(s, c, NULL)", "        hd_seg_copy_fill(s, hd_seg_copy_in(s, c, NULL)"),
    ("a write does not wait for readers", "move.c", "    if (writes)\n        hd_marks_need", "    if (writes && !copy->window)\n        hd_marks_need"),
    ("a move home does not wait for readers of home", "move.c", "    if (writes)\n        hd_marks_need", "    if (writes && copy->window)\n        hd_marks_need"),
    ("a write does not wait for the one before", "move.c", "    hd_clocks_need(&s->clocks, copy->ready);\n", "    if (!writes)\n        hd_clocks_need(&s->clocks, copy->ready);\n"),
    ("a source that is not ready", "move.c", "        hd_seg_copy_need(s, hd_seg_copy_in(s, c, r->from), 0);\n", ""),
    ("a body reads what is not ready", "segment.c", "        hd_seg_copy_need(s, copy, writes(u));", "        if (writes(u))\n            hd_seg_copy_need(s, copy, 1);"),
    ("a move is not noted at its source", "move.c", "        hd_mark_raise(from->marks, mark, p.number);\n", "        (void)mark;\n"),
    ("a body's reads are not noted", "segment.c", "        if (reads(&uses[i]))\n            commit_read(s", "        if (0)\n            commit_read(s"),
    ("memory is used again at once", "cells.c", "    if (w)\n        memcpy(copy->marks", "    if (0)\n        memcpy(copy->marks"),
    ("readers of a window are forgotten when it leaves", "window.c", "    hd_marks_join(&s->clocks, w->extent->marks, copy->marks);\n", ""),
    ("the writer of a window is forgotten when it leaves", "window.c", "    hd_mark_raise(w->extent->marks, hd_mark_of(&s->clocks, w->device, copy->ready.queue), copy->ready.number);\n", ""),
    ("what is dirty leaves without going home", "window.c", "    HD_TRY(hd_seg_move_dirty(s, w, plan));\n    s->devices", "    (void)plan;\n    s->devices"),
    ("only home counts when the only copy leaves", "move.c", "if (hd_seg_copy_at(s, c, i) != only && hd_seg_copy_at(s, c, i)->is_valid)", "if (hd_seg_copy_at(s, c, i) != only)"),
    ("free neighbours lose marks when they become one", "slab.c", "        hd_mark_raise(b->marks, i, gone->marks[i]);", "        (void)i;"),
    ("the rest of an extent loses its marks", "slab.c", "    memcpy(rest->marks, b->marks, a->n_marks * sizeof *b->marks);\n", ""),
    ("a call's windows leave for one another", "leaving.c", "    if (w->used != s->time && (!at_rest", "    if (1 && (!at_rest"),
    ("arrays are not cut at the edges of windows", "window.c", "    HD_TRY(hd_seg_cells_cut(s, a, &w->rect));\n", ""),
    ("a window that only the slice's end fits", "directory.h", "    return r->row <= part->row && part->end_row <= r->end_row &&", "    return part->end_row <= r->end_row &&"),
    ("packed rows for a body that wants the array's stride", "window.c", "(u->is_packed || w->stride == hd_seg_array_of(s, u->array)->stride)", "1"),
    ("reach is not asked", "move.c", "if (!s->reach[device * s->n_devices + copy->window->device])", "if (0)"),
    ("runs of different windows become one", "move.c", "last->from == from && last->rect.byte", "last->rect.byte"),
    ("runs of different bands become one", "move.c", "last->rect.byte == rect->byte && last->rect.end_row", "last->rect.end_row"),
    ("runs side by side need not be equally long", "move.c", " && r->rect.row == right->rect.row &&\n           r->rect.end_row == right->rect.end_row;", " && r->rect.row == right->rect.row;"),
    ("a cut cell keeps its first half only", "cells.c", "    hd_seg_cell_at(b, i)->end_row = row;\n", ""),
    ("cells join whatever is valid", "cells.c", "copy->is_valid != twin->is_valid || ", ""),
    ("cells join whatever writes them", "cells.c", "copy->ready.queue != twin->ready.queue || copy->ready.number != twin->ready.number ||", "0 ||"),
    ("cells join whoever reads them", "cells.c", "memcmp(copy->marks, twin->marks, hd_n_marks(s->n_devices) * sizeof *copy->marks)", "0"),
    ("a queue inherits what was waited for later", "points.c", "if (c->since[from + r] <= number)", "if (1)"),
    ("points are done one too early", "points.c", "return number > c->done[queue] ? number : 0;", "return number > c->done[queue] + 1 ? number : 0;"),
    ("waits are inferred through a device that may be lost", "points.c", "if (r / HD_N_ROLES == own)", "if (1)"),
    ("the host reads home too early", "segment.c", "    need_home(s, array, rect, 0);", "    (void)need_home;"),
    ("the host writes home too early", "segment.c", "    need_home(s, array, rect, 1);", "    need_home(s, array, rect, 0);"),
    ("what depends on a lost device counts as valid", "lost.c", "(copy->sources >> device & 1)", "0"),
    ("of dependences only the last step is known", "move.c", "(hd_seg_point_is_done(&s->clocks, copy->ready) ? 0 : copy->sources)", "(hd_seg_point_is_done(&s->clocks, copy->ready), 0)"),
    ("a body's result does not depend on what it reads", "segment.c", "            sources |= hd_seg_copy_sources(s, copy);", "            (void)sources;"),
    ("what a lost body has overwritten is not valid again", "lost.c", "number = number && is_all_again(s, array, &rect, number) ? number : 0;", "(void)is_all_again;\n        number = 0;"),
    ("what was on its way home is valid again", "lost.c", "            copy->is_valid = 0;\n            copy->stale_by = 0;", "            copy->is_valid = 0;"),
    ("what others wrote since is not looked at when older bytes become valid", "lost.c", "if (e->state != HD_SEG_AGAIN && writes_rect", "if (0 && writes_rect"),
    ("a body is given again whatever was written since", "lost.c", "is_missing(s, i, device) && !is_too_late(s, i)", "is_missing(s, i, device)"),
    ("what the host has written since is not known", "segment.c", "hd_seg_log_add(s, &use, 1, ", "hd_seg_log_add(s, &use, 0, "),
    ("results of a body that is given again stay where they are", "lost.c", "    undo_all(s);\n", "    (void)undo_all;\n"),
    ("cells join whatever has made copies stale", "cells.c", " || copy->stale_by != twin->stale_by", ""),
    ("points of a lost device are waited for", "lost.c", "        s->clocks.done[q] = s->clocks.given[q];\n", "        (void)q;\n"),
    ("readers of home are forgotten by a move home", "move.c", "    if (copy->window)\n        memset(copy->marks, 0, hd_n_marks(s->n_devices) * sizeof *copy->marks);\n    else\n",
     "    memset(copy->marks, 0, hd_n_marks(s->n_devices) * sizeof *copy->marks);\n    if (!copy->window)\n"),
    ("writers of home are forgotten but the last", "move.c", "        hd_mark_raise(copy->marks, hd_mark_of(&s->clocks, HD_HOME, p.queue), p.number);\n", "        ;\n"),
    ("the pool is larger than it is", "window.c", "if (plan->need_bytes > s->devices[device].slab.n_bytes)", "if (0)"),
    ("map fixed: a lost device keeps its tasks", "line_ends.c", "            k->family->owners[i] = HD_NONE;", "            k->family->owners[i] = device;"),
    ("slices that are given again stay with the lost device", "line_ends.c", "            p->device = HD_NONE; /* anybody's */", "            (void)l; /* anybody's */"),
    ("a slice is passed over for ever", "line_give.c", "if (!is_short || at[i]->n_passed >= HD_WINDOW_SHORT)", "if (!is_short)"),
    ("nobody counts how often a slice is passed over", "line_give.c", "            at[i]->n_passed++;", "            ;"),
    ("the first free slice is taken, whatever has to come for it", "line_give.c", "if (!is_short || at[i]->n_passed", "if (1 || at[i]->n_passed"),
    ("slices do not wait for those of earlier jobs", "order.c", "return p->node == HD_NONE || !node_at(o, p->node)->n_before;", "(void)o;\n    return p != NULL;"),
    ("a slice that waits for several is free after the first", "order.c", "        node_at(o, number)->n_before++;", "        node_at(o, number)->n_before = 1;"),
    ("tasks are not where shares are", "cut.c", "while (d + 1u < k->line->n_devices && middle >= k->family->bounds[d + 1u])", "while (d + 1u < k->line->n_devices && middle > k->config.n)"),
    ("shares go by no weights", "settle.c", "k->config.map == HEDDLE_MAP_STATIC ? equal : k->line->weights", "k->config.map != HEDDLE_N_MAPS ? equal : k->line->weights"),
    ("when all leave, those of the call do not", "window.c", "    HD_TRY(send_all_away(s, device, plan));\n", "    (void)send_all_away;\n"),
]


def changed(source, file, text, replacement):
    """The file's code with the bug, or None."""
    with open(os.path.join(source, MULTI, file), encoding="utf-8") as f:
        code = f.read()
    return code.replace(text, replacement) if code.count(text) == 1 else None


def plant(source, out, file, code):
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(os.path.join(source, MULTI), os.path.join(out, "engine/multi"))
    with open(os.path.join(out, "engine/multi", file), "w", encoding="utf-8") as f:
        f.write(code)


def build(source, out, file):
    is_line = file[:-2] in LINE
    tests = os.path.join(source, "tests")
    multi = os.path.join(out, "engine/multi")
    sources = [os.path.join(multi, f"{name}.c") for name in DIRECTORY]
    sources += [os.path.join(source, "src/base", f"{name}.c") for name in BASE]
    if is_line:
        sources += [os.path.join(multi, f"{name}.c") for name in LINE]
        sources += [os.path.join(source, "src/graph", f"{name}.c") for name in GRAPH]
    sources += [os.path.join(tests, "multi", name) for name in (("line.c",) if is_line else ("sequences.c", "devices.c"))]
    command = [os.environ.get("CC", "cc"), "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-w", f"-I{out}", f"-I{source}/src", f"-I{source}/include",
               f"-I{tests}", *sources, "-lpthread", "-lm", "-o", os.path.join(out, "test")]
    return subprocess.run(command, capture_output=True, text=True)


def run(out):
    """What caught it, or None."""
    env = dict(os.environ, HEDDLE_SEQUENCES=SEQUENCES)
    try:
        done = subprocess.run([os.path.join(out, "test")], capture_output=True, text=True, env=env, timeout=900)
    except subprocess.TimeoutExpired:
        return "a hang"
    if done.returncode == 0:
        return None
    said = re.search("does not hold: (.*)", done.stdout)
    return said.group(1) if said else f"status {done.returncode}"


def catch(source, out, file, code):
    plant(source, out, file, code)
    built = build(source, out, file)
    return "DOES NOT COMPILE: " + built.stderr[:400] if built.returncode else run(out) or "NOT CAUGHT"


def main():
    source, out, names = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None, sys.argv[3:]
    part, parts = (int(x) for x in os.environ.get("HEDDLE_MUTATIONS", "0/1").split("/"))
    n_bad = 0
    for number, (name, file, text, replacement) in enumerate(BUGS):
        if names and not name.startswith(tuple(names)):
            continue
        code = changed(source, file, text, replacement)
        found = "is there" if code else f"NOT ONCE in {file}"
        if code and out and number % parts == part:
            found = catch(source, out, file, code)
        n_bad += found.startswith(("NOT", "DOES NOT"))
        print(f"{name}: {found}", flush=True)
    return 1 if n_bad else 0


sys.exit(main())
