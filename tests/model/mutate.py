#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py SOURCE_DIR OUT_DIR [NAME...] - does the model test notice when the core is wrong?

Copies include/heddle to OUT_DIR once for every change, builds the model test against the copy and runs it, with few
preemptions first. Changes: each ACQUIRE, RELEASE and ACQ_REL in core/*.h is weakened in turn; and bugs of the
protocol are planted (BUGS below; an entry whose text is no longer found is an error, so the list cannot rot).
Prints a table: where, what, caught by which case after how many schedules. Exit status 1 when a change is not
caught, or does not compile. With NAMEs, only changes whose first column begins with one.

CC: the compiler (cc). Takes a minute or two.
"""
import os
import re
import shutil
import subprocess
import sys
import time

WEAKER = {"ACQUIRE": ["RELAXED"], "RELEASE": ["RELAXED"], "ACQ_REL": ["ACQUIRE", "RELEASE", "RELAXED"]}
NAMES = ("ring", "worker", "stop", "policy", "ticket", "plan", "iqs")
RING, WORKER, STOP, POLICY, TICKET, PLAN, IQS = ("core/%s.h" % name for name in NAMES)

# name, file, text, text instead. The first four are mistakes that the literature and first drafts make.
BUGS = [
    ("tail is moved by load and store", RING,
     "HD_CAS(&c->tail, tail, (tail + 1u) & HD_RING_COUNT, RELAXED, DEV)",
     "(HD_STORE(&c->tail, (tail + 1u) & HD_RING_COUNT, RELAXED, DEV), 1)"),
    ("end when all rings are seen empty", WORKER,
     "hd_settle(r, w->n_done);",
     "{ uint32_t i_, empty_ = HD_LOAD(&r->shared->seed, RELAXED, DEV) >= r->n_roots;"
     " for (i_ = 0; i_ < 2u * r->n_workers; i_++)"
     " empty_ &= HD_LOAD(&r->cursors[i_].tail, RELAXED, DEV) == HD_LOAD(&r->cursors[i_].head, RELAXED, DEV);"
     " if (empty_ && hd_stop(&r->shared->fail, HD_STOP_DONE)) hd_wake_all(r); }"),
    ("dozes whatever the tail is", RING,
     "return HD_CAS(&c->tail, head, head | HD_RING_DOZE, RELAXED, DEV);",
     "{ uint32_t t_ = HD_LOAD(&c->tail, RELAXED, DEV); (void)head;"
     " return HD_CAS(&c->tail, t_, t_ | HD_RING_DOZE, RELAXED, DEV); }"),
    ("head is published before the slot is empty", RING,
     "HD_STORE(slot, 0u, RELAXED, DEV);\n    *head",
     "HD_STORE(&c->head, (*head + 1u) & HD_RING_COUNT, RELEASE, DEV);\n    HD_STORE(slot, 0u, RELAXED, DEV);\n"
     "    *head"),
    ("slot is not emptied", RING, "HD_STORE(slot, 0u, RELAXED, DEV);", ""),
    ("head is never published", RING, "HD_STORE(&c->head, *head, RELEASE, DEV);", "(void)c;"),
    ("full is seen one too late", RING, ">= n_slots)", "> n_slots)"),
    ("producer does not tell of the doze", RING, "*doze = tail & HD_RING_DOZE;", ""),
    ("doze bit stays after waking", RING, "(void)HD_CAS(&c->tail, head | HD_RING_DOZE, head, RELAXED, DEV);",
     "(void)c, (void)head;"),
    ("the end does not wake", STOP, "hd_stop(&r->shared->fail, HD_STOP_DONE))\n        hd_wake_all(r);",
     "hd_stop(&r->shared->fail, HD_STOP_DONE))\n        return;"),
    ("a failure does not wake", WORKER, "if (why != HD_STOP_DONE)\n                hd_wake_all(r);",
     "if (why == HD_STOP_NOT)\n                hd_wake_all(r);"),
    ("given back before it is placed, and after", WORKER,
     "        hd_place(r, w, e, ready, sure == HD_NONE);\n    }\n    hd_finished(r, w, t, task);",
     "        hd_settle(r, hd_warp_lane() == 0);\n"
     "        hd_place(r, w, e, ready, sure == HD_NONE);\n    }\n    hd_finished(r, w, t, task);"),
    ("what was taken ahead is placed, too", WORKER, "int taken = at + hd_warp_lane() == sure;", "int taken = 0;"),
    ("what two wait for is taken ahead", WORKER, "if ((task->first[i].need & HD_NEED_MASK) == 1u)",
     "if ((task->first[i].need & HD_NEED_MASK) >= 1u)"),
    ("given back twice", WORKER, "        w->n_done = 0;\n", ""),
    ("not given back before waiting", WORKER, "hd_settle(r, w->n_done);", "if (!w->n_done) hd_settle(r, 1u);"),
    ("counter is not acquired", WORKER, "hd_acquire(r, w->run, t);", "(void)t;"),
    ("counter is read once", WORKER, "while ((int32_t)(HD_LOAD(&r->count[t], ACQUIRE, DEV) - target) < 0)",
     "if ((int32_t)(HD_LOAD(&r->count[t], ACQUIRE, DEV) - target) < 0)"),
    ("counter is compared without the wrap", WORKER,
     "while ((int32_t)(HD_LOAD(&r->count[t], ACQUIRE, DEV) - target) < 0)",
     "while (HD_LOAD(&r->count[t], ACQUIRE, DEV) < target)"),
    ("arrival is told by a second look", WORKER, "HD_ADD(&r->count[e.task], 1u, ACQ_REL, DEV) + 1u == run * need",
     "(HD_ADD(&r->count[e.task], 1u, ACQ_REL, DEV), HD_LOAD(&r->count[e.task], RELAXED, DEV)) == run * need"),
    ("run number is forgotten", WORKER, "== run * need", "== need"),
    ("seed is taken by load and store", WORKER, "at = HD_ADD(&r->shared->seed, n, RELAXED, DEV);",
     "HD_STORE(&r->shared->seed, at + n, RELAXED, DEV);"),
    ("parks without looking at the urgent ring", WORKER, "if (!hd_ring_doze(urgent, w->head[0]))",
     "if (0 && !hd_ring_doze(urgent, w->head[0]))"),
    ("the heads are not written down", WORKER, "HD_STORE(&r->cursors[2 * w->id + 1].head, w->head[1], RELAXED, DEV);",
     ""),
    ("a full ring is not tried elsewhere", WORKER, "hd_spill(r, w, hd_ballot(said == HD_PUSH_FULL), e.task);",
     "(void)hd_spill, (void)hd_ballot(said == HD_PUSH_FULL);"),
    ("list loses its rest", WORKER, "w->list = r->link[t];", "w->list = HD_NONE;"),
    ("kept task is overwritten", WORKER, "hd_policy_keeps(r->policy) && w->kept == HD_NONE",
     "hd_policy_keeps(r->policy)"),
    ("the turn is moved while lanes read it", POLICY,
     "hd_warp_sync(); /* all lanes have read before lane 0 moves it */", ""),
    ("the turn is not each lane's own", WORKER, "first + hd_popcount(mask & ((1u << lane) - 1u))", "first + lane"),
    ("the last task is given away", WORKER, "if (w->kept == HD_NONE && !hd_has_spare(r, w)) {", "if (0) {"),
    ("a task that could not be given is dropped", WORKER,
     "r->link[t] = w->list;\n        w->list = t;\n        return;", "return;"),
    ("a task is given as if it were counted", WORKER, "r->n_slots, t, 1, hd_never_full(r));",
     "r->n_slots, t, 0, hd_never_full(r));"),
    ("who was given a task is not woken", WORKER,
     "if (said == HD_PUSH_WAKE)\n        r->host->unpark(r->host->self, owner);\n    return", "return"),
    ("a bound task is kept by whoever freed it", WORKER, "ready && (bound == HD_NONE || bound == w->id)", "ready"),
    ("a bound task goes where the policy says", WORKER, "bound != HD_NONE ? bound : first", "first"),
    ("a bound root is run by whoever takes it", WORKER, "hd_bound_elsewhere(r, w, t) && hd_hand_over", "0 && hd_hand_over"),
    ("a spare root is not looked at", WORKER, "w->seed != w->seed_end)\n        t = hd_take_seed(r, w);",
     "w->seed != w->seed_end)\n        t = r->roots[w->seed++];"),
    ("a bound task is given away", WORKER, "if (hd_bound_to(r, t) == HD_NONE && HD_CAS", "if (HD_CAS"),
    ("a place is reserved by load and store", RING, "HD_ADD(&c->tail, 1u, RELAXED, DEV) :",
     "(at = HD_LOAD(&c->tail, RELAXED, DEV), HD_STORE(&c->tail, at + 1u, RELAXED, DEV), at) :"),
    ("rearm forgets who is out", STOP, "HD_STORE(&s->out, 0u, RELAXED, DEV);", ""),
    ("rearm forgets the seed", STOP, "HD_STORE(&s->seed, 0u, RELAXED, DEV);", ""),
    ("rearm forgets the ticket", STOP, "HD_STORE(&s->ticket, 0u, RELAXED, DEV);", ""),
    ("rearm forgets the tail", STOP, "HD_STORE(&s->tail, 0u, RELAXED, DEV);", ""),
    ("a ticket is drawn by load and store", TICKET, "return HD_ADD(&r->shared->ticket, 1u, RELAXED, DEV);",
     "{ uint32_t t_ = HD_LOAD(&r->shared->ticket, RELAXED, DEV);"
     " HD_STORE(&r->shared->ticket, t_ + 1u, RELAXED, DEV); return t_; }"),
    ("a served slot is not emptied", TICKET, "HD_STORE(slot, 0u, RELAXED, DEV);", ""),
    ("slots are reserved one at a time", TICKET, "hd_popcount(mask), RELAXED, DEV)", "1u, RELAXED, DEV)"),
    ("run number is forgotten in a plan", PLAN, "ACQUIRE, DEV) - run * s->need)", "ACQUIRE, DEV) - s->need)"),
    ("a plan's counter is compared without the wrap", PLAN,
     "(int32_t)(HD_LOAD(&r->count[s->task], ACQUIRE, DEV) - run * s->need) >= 0",
     "HD_LOAD(&r->count[s->task], ACQUIRE, DEV) >= run * s->need"),
    ("the end of a queue is read before its size", IQS,
     "uint32_t size = HD_LOAD(hd_iqs_size(r, w->id), ACQUIRE, DEV);\n"
     "    uint32_t end = size ? HD_LOAD(hd_iqs_end(r, w->id), RELAXED, DEV) : 0u;",
     "uint32_t end = HD_LOAD(hd_iqs_end(r, w->id), RELAXED, DEV);\n"
     "    uint32_t size = HD_LOAD(hd_iqs_size(r, w->id), ACQUIRE, DEV);"),
    ("no second look", IQS, "if (size == 0u || end - w->head[0] != size)\n        return 0;\n    w->head[1] = end;",
     "if (size == 0u)\n        return 0;\n    (void)end;\n    w->head[1] = w->head[0] + size;"),
    ("a task is counted before it is written", IQS,
     "HD_STORE(&r->slots[(uint64_t)target * r->n_slots + (at & (r->n_slots - 1u))], task, RELAXED, DEV);\n"
     "    HD_COUNT(hd_iqs_size(r, target), RELEASE, DEV);",
     "HD_COUNT(hd_iqs_size(r, target), RELEASE, DEV);\n"
     "    HD_STORE(&r->slots[(uint64_t)target * r->n_slots + (at & (r->n_slots - 1u))], task, RELAXED, DEV);"),
    ("a place in a queue is taken by load and store", IQS, "at = HD_ADD(hd_iqs_end(r, target), 1u, RELAXED, DEV);",
     "at = HD_LOAD(hd_iqs_end(r, target), RELAXED, DEV);\n"
     "    HD_STORE(hd_iqs_end(r, target), at + 1u, RELAXED, DEV);"),
    ("a task that is done stays in the size", IQS, "(void)HD_SUB(hd_iqs_size(r, w->id), 1u, RELAXED, DEV);", ""),
    ("the last reason wins", STOP, "HD_CAS(&f->stop, HD_STOP_NOT, why, RELAXED, DEV);",
     "(HD_EXCH(&f->stop, why, RELAXED, DEV), 1);"),
    ("the last failure wins", STOP, "if (!HD_CAS(&f->code, 0u, code ? code : 1u, RELAXED, DEV))",
     "HD_STORE(&f->code, code ? code : 1u, RELAXED, DEV);\n    if (0)"),
]
# What the core asks of the host: a wake-up hands on what the waker knew.
HOST_BUGS = [("parking hands nothing on", "explore.c", "learn(&now->known, &p->known);",
              "if (which >= 8u) learn(&now->known, &p->known);")]
# Bugs that model.c has itself, when it is told to.
MACROS = [("end when all queues are seen empty, as in Juggler", "MODEL_PAPER_END")]


def code_of(line, in_comment):
    """The line with comments blanked, columns kept, and whether a comment goes on."""
    out, i = "", 0
    while i < len(line):
        if in_comment:
            end = line.find("*/", i)
            stop = len(line) if end < 0 else end + 2
            out, i, in_comment = out + " " * (stop - i), stop, end < 0
        elif line.startswith("/*", i):
            in_comment = True
        else:
            out, i = out + line[i], i + 1
    return out, in_comment


def weakenings(core):
    """(where, what, file, line number, column, old, new) for every order in core but atom.h, which defines
    them, and kernel.h, which no host compiles."""
    for name in sorted(os.listdir(core)):
        if not name.endswith(".h") or name in ("atom.h", "kernel.h"):
            continue
        in_comment = False
        with open(os.path.join(core, name)) as f:
            for number, line in enumerate(f, 1):
                code, in_comment = code_of(line, in_comment)
                for m in re.finditer(r"\b(ACQUIRE|RELEASE|ACQ_REL)\b", code):
                    call = re.findall(r"HD_\w+\([^,]*", code[:m.start()])
                    for new in WEAKER[m.group(1)]:
                        yield ("%s:%d" % (name, number), "%s) %s -> %s" % (call[-1], m.group(1), new),
                               "core/" + name, number, m.start(), m.group(1), new)


class Bench:
    def __init__(self, source, out):
        self.model = os.path.join(source, "tests", "model")
        self.include = os.path.join(source, "include")
        self.out = out
        self.cc = os.environ.get("CC", "cc").split()
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        self.compile(self.model, self.include, "graphs.c")
        self.compile(self.model, self.include, "explore.c")

    def compile(self, folder, include, name, obj=None, macros=()):
        obj = obj or os.path.join(self.out, name + ".o")
        subprocess.run(self.cc + ["-std=c11", "-D_GNU_SOURCE", "-DHEDDLE_MODEL", "-O2", "-w", "-I" + folder,
                                  "-I" + include, *["-D" + m for m in macros], "-c", os.path.join(folder, name), "-o", obj], check=True)
        return obj

    def copy(self):
        root = os.path.join(self.out, "copy")
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(os.path.join(self.include, "heddle"), os.path.join(root, "heddle"))
        return root

    def run(self, include, explore=None, macros=()):
        """Builds against `include` and runs. How it was caught, or None."""
        objects = [self.compile(self.model, include, "model.c", macros=macros), os.path.join(self.out, "graphs.c.o"),
                   explore or os.path.join(self.out, "explore.c.o")]
        program = os.path.join(self.out, "model")
        subprocess.run(self.cc + objects + ["-o", program], check=True)
        for most in ("0", "1", "2", "9"):
            done = subprocess.run([program, "--most", most], stdout=subprocess.PIPE, text=True, timeout=600)
            if done.returncode:
                return self.how(done)
        return None

    @staticmethod
    def how(done):
        lines = done.stdout.splitlines()
        last = lines[-1].split() if lines else []
        if not last or last[-1] != "FAILED":
            return "the test ends with status %d" % done.returncode
        name, mode, schedules = last[0], last[1], last[last.index("schedules") - 1]
        why = next((line for line in lines if line.startswith(name + ": ")), "").split(": ", 1)[1]
        return "%s, %s, schedule %s: %s" % (name, mode, schedules, why)


def replace_once(path, old, new):
    with open(path) as f:
        text = f.read()
    if old not in text:
        sys.exit("%s: no longer has the text of a planted bug: %s" % (path, old))
    with open(path, "w") as f:
        f.write(text.replace(old, new, 1))


def weaken(path, number, column, old, new):
    with open(path) as f:
        lines = f.readlines()
    line = lines[number - 1]
    lines[number - 1] = line[:column] + new + line[column + len(old):]
    with open(path, "w") as f:
        f.writelines(lines)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bench, names = Bench(sys.argv[1], sys.argv[2]), sys.argv[3:]
    missed = n = 0
    began = time.time()

    def report(where, what, how):
        nonlocal missed, n
        n += 1
        missed += how is None
        print("%-14s | %-62s | %s" % (where, what, how or "NOT CAUGHT"), flush=True)

    def wanted(name):
        return not names or any(name.startswith(x) for x in names)

    for where, what, path, number, column, old, new in weakenings(os.path.join(bench.include, "heddle", "core")):
        if wanted(where):
            root = bench.copy()
            weaken(os.path.join(root, "heddle", path), number, column, old, new)
            report(where, what, bench.run(root))
    for name, path, old, new in BUGS:
        if wanted(name):
            root = bench.copy()
            replace_once(os.path.join(root, "heddle", path), old, new)
            report(os.path.basename(path), name, bench.run(root))
    for name, path, old, new in HOST_BUGS:
        if wanted(name):
            folder = os.path.join(bench.out, "test")
            shutil.copytree(bench.model, folder, dirs_exist_ok=True)
            replace_once(os.path.join(folder, path), old, new)
            report(path, name, bench.run(bench.include, bench.compile(folder, bench.include, path, folder + ".o")))
    for name, macro in MACROS:
        if wanted(name):
            report("model.c", name, bench.run(bench.include, macros=[macro]))
    print("%d changes, %d not caught, %.0f s" % (n, missed, time.time() - began))
    sys.exit(1 if missed or not n else 0)


if __name__ == "__main__":
    main()
