#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py SOURCE_DIR OUT_DIR [NAME...] - does the model test notice when the core is wrong?
mutate.py SOURCE_DIR - are the texts of all planted bugs still there? Takes a second.

For every change, copies include/heddle to OUT_DIR, builds the model test against the copy and runs it, with few
preemptions first. There are two kinds of change. Each ACQUIRE, RELEASE and ACQ_REL in core/*.h and core/baselines/*.h,
also a fenced one, is weakened in turn. Bugs of the protocol are planted (BUGS below); an entry is an error when its
text is no longer found, so the list cannot rot. Prints a table: where, what, caught by which case after how many
schedules. Exit status 1 if a change is not caught or does not compile. With NAMEs: only changes with a first column
that begins with one.

CC: the compiler (cc). CXX: a C++ compiler of the same make; without it, the blocks of a GPU are left out. LIBRARY:
libheddle.a and what it needs; without it, waves on blocks are left out. HEDDLE_MUTATIONS=K/N: only each N-th
change, from the K-th on (0 .. N - 1). All take some forty minutes of one processor.
"""
import os
import re
import shutil
import subprocess
import sys
import time

WEAKER = {"ACQUIRE": ["RELAXED"], "RELEASE": ["RELAXED"], "ACQ_REL": ["ACQUIRE", "RELEASE", "RELAXED"], "SEQ_CST": ["ACQ_REL"]}
CELLS = ("strip_step.h", "strip_enter.h", "strip_sweep.h", "strip_rows.h", "strip.h")  # of a wave on blocks
CUDA_ONLY = ("batch.h", "block.h", "copy.h", "kernel.h", "planned.h", "resident.h")
SPAWNING = ("spawn_buffer.h", "own.h", "spawn.h", "sibling.h")  # the cases of spawn.c test their orders
# Files that only some cases test: the beginnings of the cases' names.
CASES = {"ring.h": ["full", "placed", "parks", "wrap", "again", "cross", "diamond", "chain", "urgent"],
         "central.h": ["central"], "iqs.h": ["iqs"], "scheduler.h": ["sched"], "plan.h": ["plan"], "ticket.h": ["ticket", "spawn", "pool"],
         "pool.h": ["pool"], "send.h": ["pool"]}
POOLING = ("pool.h", "send.h")                          # pool.c tests these
WAVING = ("lone.h", "wave.h", "tile.h")                 # wave.c tests these
BOTH = ("ticket.h",)                                    # all cases test these
NAMES = ("ring", "rings", "worker", "stop", "dispatch", "turn", "policy", "ticket", "plan", "spawn_buffer", "own", "spawn", "baselines/iqs",
         "baselines/central", "baselines/scheduler", "pool", "send")
RING, RINGS, WORKER, STOP, DISPATCH, TURN, POLICY, TICKET, PLAN, SPAWN_BUFFER, OWN, SPAWN, IQS, CENTRAL, SCHEDULER, POOL, SEND = (
    "core/%s.h" % name for name in NAMES)

# name, file, text, replacement. The first four are mistakes that the literature and first drafts make.
BUGS = [
    ("tail is moved by load and store", RING,
     "HD_CAS(&c->tail, tail, (tail + 1u) & HD_RING_COUNT, RELAXED, DEV)",
     "(HD_STORE(&c->tail, (tail + 1u) & HD_RING_COUNT, RELAXED, DEV), 1)"),
    ("end when all rings are seen empty", WORKER,
     "hd_credit_return(r, w->n_done);",
     "{ uint32_t i_, empty_ = HD_LOAD(&r->control->next_root, RELAXED, DEV) >= r->n_roots;"
     " for (i_ = 0; i_ < 2u * r->n_workers; i_++)"
     " empty_ &= HD_LOAD(&r->cursors[i_].tail, RELAXED, DEV) == HD_LOAD(&r->cursors[i_].head, RELAXED, DEV);"
     " if (empty_ && hd_stop(&r->control->fail, HD_STOP_DONE)) hd_wake_all(r); }"),
    ("dozes whatever the tail is", RING,
     "return HD_CAS(&c->tail, head, head | HD_RING_DOZE, RELAXED, DEV);",
     "{ uint32_t t_ = HD_LOAD(&c->tail, RELAXED, DEV); (void)head;"
     " return HD_CAS(&c->tail, t_, t_ | HD_RING_DOZE, RELAXED, DEV); }"),
    ("head is never published", RING, "HD_STORE(&c->head, *head, RELEASE, DEV);", "(void)c;"),
    ("full is seen one too late", RING, "if (used == n_slots)\n            return HD_NONE;",
     "if (used == n_slots + 1u)\n            return HD_NONE;\n        used -= used == n_slots;"),
    ("producer does not tell of the doze", RING, "*doze = tail & HD_RING_DOZE;", ""),
    ("doze bit stays after waking", RING, "(void)HD_CAS(&c->tail, head | HD_RING_DOZE, head, RELAXED, DEV);",
     "(void)c, (void)head;"),
    ("the end does not wake", STOP, "hd_stop(&r->control->fail, HD_STOP_DONE))\n        hd_wake_all(r);",
     "hd_stop(&r->control->fail, HD_STOP_DONE))\n        return;"),
    ("given back twice", WORKER, "    hd_credit_return(r, w->n_done);\n    w->n_done = 0;\n", "    hd_credit_return(r, w->n_done);\n"),
    ("not given back before waiting", WORKER, "hd_credit_return(r, w->n_done);", "if (!w->n_done) hd_credit_return(r, 1u);"),
    ("run number is forgotten", WORKER, "== run * (e.need", "== (e.need"),
    ("seed is taken by load and store", WORKER, "at = HD_ADD(&r->control->next_root, n, RELAXED, DEV);",
     "HD_STORE(&r->control->next_root, at + n, RELAXED, DEV);"),
    ("the heads are not written down", WORKER, "HD_STORE(&r->cursors[2 * w->id + 1].head, w->head[1], RELAXED, DEV);",
     ""),
    ("list loses its rest", "core/own.h", "w->list = next;", "w->list = HD_NONE;"),
    ("a place is reserved by load and store", RING, "HD_ADD(&c->tail, 1u, RELAXED, DEV) :",
     "(at = HD_LOAD(&c->tail, RELAXED, DEV), HD_STORE(&c->tail, at + 1u, RELAXED, DEV), at) :"),
    ("rearm forgets who is out", STOP, "HD_STORE(&s->out, 0u, RELAXED, DEV);", ""),
    ("rearm forgets the seed", STOP, "HD_STORE(&s->next_root, 0u, RELAXED, DEV);", ""),
    ("rearm forgets the tail", STOP, "HD_STORE(&s->tail, 0u, RELAXED, DEV);", ""),
    ("run number is forgotten in a plan", PLAN, "{&r->count[task], run * need}", "{&r->count[task], need}"),
    ("a plan's counter is compared without the wrap", PLAN, "(int32_t)(HD_LOAD(g.count, ACQUIRE, DEV) - g.target) >= 0",
     "HD_LOAD(g.count, ACQUIRE, DEV) >= g.target"),
    ("head is published before the slot is empty", RING,
     "    HD_STORE(slot, 0u, RELAXED, DEV);\n    *head = (*head + 1u) & HD_RING_COUNT;\n    if ((*head & late) == 0u)\n"
     "        HD_STORE(&c->head, *head, RELEASE, DEV);",
     "    *head = (*head + 1u) & HD_RING_COUNT;\n    if ((*head & late) == 0u)\n"
     "        HD_STORE(&c->head, *head, RELEASE, DEV);\n    HD_STORE(slot, 0u, RELAXED, DEV);"),
    ("slot is not emptied", RING, "    HD_STORE(slot, 0u, RELAXED, DEV);\n", ""),
    ("a failure does not wake", TURN, "if (why != HD_STOP_DONE && hd_warp_lane() == 0)", "if (0)"),
    ("each lane looks for itself whether the run stops", TURN, "return hd_shuffle(hd_stopped(r), 0);\n    return n",
     "return hd_stopped(r);\n    return n"),
    ("given back before it is placed, and after", DISPATCH, "    hd_release_outputs(x);\n    if (x->n_succ)",
     "    hd_credit_return(r, hd_warp_lane() == 0);\n    hd_release_outputs(x);\n    if (x->n_succ)"),
    ("arrival is told by a second look", WORKER, "HD_ADD(&r->count[e.task], 1u, FENCED_ACQ_REL, DEV) + 1u == run *",
     "(HD_ADD(&r->count[e.task], 1u, FENCED_ACQ_REL, DEV), HD_LOAD(&r->count[e.task], RELAXED, DEV)) == run *"),
    ("successors behind the first are counted as the first", DISPATCH, "        e = hd_edge_mine(r, x->record, at);",
     "        e = x->edge;"),
    ("parks without looking at the urgent ring", RINGS, "if (!hd_ring_doze(urgent, w->head[0]))",
     "if (0 && !hd_ring_doze(urgent, w->head[0]))"),
    ("a full ring is not tried elsewhere", RINGS, "    if (full)\n        hd_own(r, w, full, e.task);", ""),
    ("kept task is overwritten", DISPATCH, "if (!mine || x->next != HD_NONE)", "if (!mine)"),
    ("a kept task is placed, too", DISPATCH, "mask &= ~hd_keep_one(x, e, mine, urgent);",
     "(void)hd_keep_one(x, e, mine, urgent);"),
    ("a kept task is run again", DISPATCH, "        x->next = HD_NONE;\n        x->next_run", "        x->next_run"),
    ("the turn is not each lane's own", RINGS, "rank = hd_popcount(mask & ((1u << hd_warp_lane()) - 1u));",
     "rank = hd_warp_lane();"),
    ("the last task is given away", RINGS, "if (x->next == HD_NONE && !hd_has_spare(r, w)) /*", "if (0) /*"),
    ("only lane 0 knows of a task that stays", RINGS, "    x->next = hd_shuffle(x->next, 0);\n", ""),
    ("a task that could not be given is dropped", RINGS,
     "else if (!hd_give_to(r, w, t, who))\n        hd_list_put(r, w, t);", "else\n        (void)hd_give_to(r, w, t, who);"),
    ("who was given a task is not woken", RINGS,
     "if (said == HD_PUSH_WAKE)\n        hd_unpark(r, owner);\n    return", "return"),
    ("a bound task is kept by whoever freed it", DISPATCH, "        mine &= hd_ballot(bound == HD_NONE || bound == w->id);\n", ""),
    ("a bound task goes where the policy says", RINGS, "bound != HD_NONE ? bound : hd_wrapped_any(r, target)", "hd_wrapped_any(r, target)"),
    ("a bound root is run by whoever takes it", RINGS, "hd_bound_elsewhere(r, w, t) && hd_hand_over", "0 && hd_hand_over"),
    ("a spare root is not looked at", RINGS, "        t = hd_rings_root(r, w);\n    return t;", "        t = r->roots[w->root_chunk++];\n    return t;"),
    ("a bound task is given away", RINGS, "if (hd_bound_to(r, t) != HD_NONE || !HD_CAS", "if (!HD_CAS"),
    ("nobody tells what was taken", SCHEDULER, "if (w->by.sched.told == w->head[1])", "if (1)"),
    ("end when all queues are seen empty, as in Juggler", DISPATCH, "    if (dispatch != HD_DISPATCH_TICKET)\n        hd_credit_return_own(r, w);",
     "    if (dispatch == HD_DISPATCH_IQS) {\n        uint32_t i_, left_ = HD_LOAD(&r->control->next_root, RELAXED, DEV) < r->n_roots;\n"
     "        for (i_ = 0; i_ < r->n_workers; i_++)\n            left_ |= HD_LOAD(hd_iqs_size(r, i_), RELAXED, DEV);\n"
     "        if (!left_)\n            (void)hd_stop(&r->control->fail, HD_STOP_DONE);\n"
     "    } else if (dispatch != HD_DISPATCH_TICKET)\n        hd_credit_return_own(r, w);"),
    ("rearm forgets the places", STOP, "HD_PAIR_STORE(&s->places, 0, RELAXED);", ""),
    ("a ticket is drawn by load and store", TICKET, "v = HD_PAIR_ADD(&r->control->places, 1u, RELAXED);",
     "v = HD_PAIR_LOAD(&r->control->places, RELAXED);\n        HD_PAIR_STORE(&r->control->places, v + 1u, RELAXED);"),
    ("a served place is not emptied", TICKET, "HD_PAIR_STORE(at, 0, RELAXED); /*", "/*"),
    ("places are reserved one at a time", TICKET, "one * n)", "one)"),
    ("a place takes nobody off those that wait", TICKET, "((hd_pair_word)1 << HD_HALF_BITS) - 1u;", "(hd_pair_word)1 << HD_HALF_BITS;"),
    ("who waits draws again", TICKET, "    else if (o->ticket == HD_NONE)\n        *all_wait", "    else\n        *all_wait"),
    ("one worker is not told of the end", TICKET, "i < r->n_workers; i +=", "i + 1u < r->n_workers; i +="),
    ("the end when all but one wait", TICKET, "return o->waiting + 1 == (int32_t)r->n_workers;", "return o->waiting + 2 == (int32_t)r->n_workers;"),
    ("nobody tells of the end", TICKET, "return o->waiting + 1 == (int32_t)r->n_workers;", "return 0;"),
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
    ("the lock is taken by load and store", CENTRAL, "HD_CAS(&r->control->lock, 0u, 1u, ACQUIRE, DEV)",
     "(HD_LOAD(&r->control->lock, ACQUIRE, DEV) == 0u && (HD_STORE(&r->control->lock, 1u, RELAXED, DEV), 1))"),
    ("the lock is kept where nothing is found", CENTRAL, "t = hd_central_pop(r);\n    hd_central_unlock(r);",
     "t = hd_central_pop(r);\n    if (t != HD_NONE)\n        hd_central_unlock(r);"),
    ("the tail is read before the lock is taken", CENTRAL,
     "hd_central_lock(r);\n        tail = HD_LOAD(&r->control->tail, RELAXED, DEV);",
     "tail = HD_LOAD(&r->control->tail, RELAXED, DEV);\n        hd_central_lock(r);"),
    ("the lock is given back before all lanes have written", CENTRAL,
     "    hd_warp_sync(); /* what the lanes wrote, and what they had acquired, is lane 0's to release */\n", ""),
    ("a task is taken without the lock", CENTRAL, "    hd_central_lock(r);\n    t = hd_central_pop(r);\n    hd_central_unlock(r);",
     "    t = hd_central_pop(r);"),
    ("the second round inserts what the first did", CENTRAL, "for (; from < end; bits >>= 1, from += hd_warp_width())",
     "for (; from < end; from += hd_warp_width())"),
    ("a task is told of before it stands in the queue", SCHEDULER,
     "    HD_STORE(hd_sched_in(r, w, at), e.task, RELAXED, DEV);",
     "    HD_STORE(hd_sched_iqs(r, w), at + 1u, RELEASE, DEV);\n    HD_STORE(hd_sched_in(r, w, at), e.task, RELAXED, DEV);"),
    ("an input queue takes one too many", SCHEDULER, "- s->taken[w] >= r->n_slots)", "- s->taken[w] > r->n_slots)"),
    ("the scheduler forgets the run's number", SCHEDULER, "!= s->run * (e.need", "!= (e.need"),
    ("a report is seen twice", SCHEDULER, "s->seen[w]++)", "s->seen[w] + i)"),
    ("the end when nothing is ready", SCHEDULER, "hd_sched_get(&s->left) == 0u", "hd_sched_n_ready(r, s) == 0u"),
    ("each part of a report counts its task", SCHEDULER, "    if (part == 0)\n        (void)hd_sched_sum(&s->left",
     "    (void)hd_sched_sum(&s->left"),
    ("the lanes of the scheduler do not meet", SCHEDULER,
     "    (void)hd_sched_sum(&s->room, room);\n    hd_all_sync();", "    (void)hd_sched_sum(&s->room, room);"),
    ("what finds no room is forgotten", SCHEDULER, "    else\n        s->head += n;", "    else\n        s->head = hd_sched_get(&s->tail);"),
    ("nobody waits for the scheduler", STOP, "r->n_workers + r->n_schedulers;", "r->n_workers;"),
    ("the last reason wins", STOP, "HD_CAS(&f->stop, HD_STOP_NOT, why, RELAXED, DEV);",
     "(HD_EXCH(&f->stop, why, RELAXED, DEV), 1);"),
    ("the last failure wins", STOP, "if (!HD_CAS(&f->code, 0u, code ? code : 1u, RELAXED, DEV))",
     "HD_STORE(&f->code, code ? code : 1u, RELAXED, DEV);\n    if (0)"),
]
# Bugs of bodies that spawn (spawn.c).
# Of pools; the last two of each word's order that concerns the host.
POOL_BUGS = [
    ("whoever fills a place does not wake its taker", TICKET, "    hd_unpark(r, dozer);\n", "    (void)dozer;\n"),
    ("a taker dozes whatever is in its place", TICKET,
     "HD_PAIR_CAS(hd_place_at(r, k), 0, hd_place_mark(k) | HD_PLACE_DOZE(w->id), RELAXED);",
     "(HD_PAIR_STORE(hd_place_at(r, k), hd_place_mark(k) | HD_PLACE_DOZE(w->id), RELAXED), 1);"),
    ("a taker that is back leaves its number in the place", TICKET,
     "(void)HD_PAIR_CAS(hd_place_at(r, k), hd_place_mark(k) | HD_PLACE_DOZE(w->id), 0, RELAXED);", "(void)r;"),
    ("tickets are drawn by load and store", TICKET, "k = HD_ADD(&r->control->ticket, 1u, RELAXED, DEV);",
     "HD_STORE(&r->control->ticket, k + 1u, RELAXED, DEV);"),
    ("a thread that helps waits for a task", TICKET, "if (hd_waiting_now(r) >= 0 || hd_urgent_is_there(r) ||", "if ("),
    ("a thread that helps draws a ticket by load and store", TICKET,
     "!HD_CAS(&r->control->ticket, k, k + 1u, RELAXED, DEV))\n        return HD_NONE;\n    while",
     "(HD_STORE(&r->control->ticket, k + 1u, RELAXED, DEV), 0))\n        return HD_NONE;\n    while"),
    ("a held task runs when it is sent", SEND, "s->held == HD_HELD || ", ""),
    ("a release writes the record anew", SEND, "    if (s->held != HD_RELEASED)\n        hd_send_write", "    if (1)\n        hd_send_write"),
    ("a task is told before it is over for those that wait", SPAWN,
     "        if (flags & HD_TASK_PINNED)\n            hd_wake(r, w, x, t, v, wrong, dispatch);\n        if (hd_warp_lane() == 0)\n"
     "            hd_slot_left(r, w, t, v >> HD_DONE_WORD_BITS, flags, wrong);\n",
     "        if (hd_warp_lane() == 0)\n            hd_slot_left(r, w, t, v >> HD_DONE_WORD_BITS, flags, wrong);\n"
     "        if (flags & HD_TASK_PINNED)\n            hd_wake(r, w, x, t, v, wrong, dispatch);\n"),
    ("those that wait do not learn of a failure", SPAWN, "        if (wrong)\n            hd_fate_cancel(r, t);\n", ""),
    ("a task that ended badly looks well to later ones", SPAWN, " | (wrong ? HD_DONE_WORD_WRONG : 0u)", ""),
    ("children are counted when they have ended only", SPAWN,
     "            hd_pool_created(r, w->id, &w->live, d->flags, n);\n        }", "        }"),
    ("a place of a task of several blocks does not count", POOL,
     "HD_FN void hd_blocks_share(hd_task *task) { (void)HD_ADD(hd_blocks_open(task), 1u, RELAXED, DEV); }",
     "HD_FN void hd_blocks_share(hd_task *task) { (void)task; }"),
    ("a block is taken by load and store", POOL, "const uint32_t k = HD_ADD(hd_blocks_next(task), 1u, RELAXED, DEV);",
     "const uint32_t k = HD_LOAD(hd_blocks_next(task), RELAXED, DEV);\n"
     "    HD_STORE(hd_blocks_next(task), k + 1u, RELAXED, DEV);"),
    ("the place that hands a task on is no reference to it", SEND, "s->n_blocks + 1u", "s->n_blocks"),
    ("the fate of the slot's last task stays", POOL, "    HD_STORE(&f->stop, HD_STOP_NOT, RELAXED, DEV);\n", ""),
    ("an urgent task that is about to be put is not waited for", POOL,
     "if (!is_there && (!all || HD_LOAD(&p->urgent_at->tail, RELAXED, DEV) == k))", "if (!is_there)"),
    ("an urgent task is taken by load and store", POOL, "HD_CAS(&p->urgent_at->head, k, k + 1u, RELAXED, DEV)",
     "(HD_STORE(&p->urgent_at->head, k + 1u, RELAXED, DEV), 1)"),
    ("a task is told without a release", POOL, "HD_STOP_DONE), FENCED_RELEASE, SYS)", "HD_STOP_DONE), RELAXED, SYS)"),
    ("a child's end is counted without a release", POOL, "own->ended[odd], RELEASE, SYS)", "own->ended[odd], RELAXED, SYS)"),
]

SPAWN_BUGS = [
    ("a done_word is locked by load and store", SPAWN_BUFFER, "HD_CAS(&k->done_word, v, v | HD_DONE_WORD_LOCK, ACQUIRE, DEV)",
     "(HD_STORE(&k->done_word, v | HD_DONE_WORD_LOCK, RELAXED, DEV), 1)"),
    ("who waits for a task that has ended stands in its list", SPAWN_BUFFER, "v & HD_DONE_WORD_ENDED ? 0u : 1u;", "1u;"),
    ("any generation is waited for", SPAWN_BUFFER, "*state = v >> HD_DONE_WORD_BITS != generation ? HD_NONE :", "(void)generation;\n        *state ="),
    ("a task stands in a list before its place moves on", SPAWN_BUFFER,
     "uint32_t at = task->succ++; /* before it stands in a list: from there on others may move it on */\n"
     "        if (hd_wait_for(r, t, r->after[t - r->n_tasks].handle[at]) == 1u)\n",
     "uint32_t at = task->succ, said_ = hd_wait_for(r, t, r->after[t - r->n_tasks].handle[at]);\n"
     "        task->succ = at + 1u;\n        if (said_ == 1u)\n"),
    ("a continuation does not wait for its maker", SPAWN_BUFFER, "->open, HD_OPEN_BODY, RELAXED, DEV);", "->open, 1u, RELAXED, DEV);"),
    ("a pinned task's end is not named", SPAWN_BUFFER, "c->flags = (uint16_t)(c->flags | HD_TASK_PINNED);", ""),
    ("nothing is lent", OWN, "(void)HD_ADD(&r->control->outstanding, n + HD_CREDIT_EXTRA, RELAXED, DEV);\n    w->n_done += n + HD_CREDIT_EXTRA;", ";"),
    ("what is lent is not taken back", OWN, "w->n_done += n + HD_CREDIT_EXTRA;", ""),
    ("a place of the depot is filled before its turn", OWN,
     "hd_await_word(hd_depot_word(r, place), hd_lap_at(place, r->n_depot));", ""),
    ("a place of the depot is emptied before it is full", OWN,
     "hd_await_word(hd_depot_word(r, place), hd_lap_at(place, r->n_depot) + 1u);", ""),
    ("the next round of the depot does not come", OWN, "hd_lap_at(place, r->n_depot) + r->n_depot, RELEASE", "hd_lap_at(place, r->n_depot), RELEASE"),
    ("more batches are taken than there are", OWN, "if ((int32_t)HD_SUB(&r->control->avail, 1u, RELAXED, DEV) <= 0) {",
     "if ((int32_t)HD_SUB(&r->control->avail, 1u, RELAXED, DEV) < 0) {"),
    ("who finds no batch forgets to say so", OWN, "(void)HD_ADD(&r->control->avail, 1u, RELAXED, DEV);\n        return HD_NONE;", "return HD_NONE;"),
    ("new slots are taken by load and store", OWN, "at = HD_ADD(&r->control->fresh, HD_BATCH, RELAXED, DEV);",
     "(at = HD_LOAD(&r->control->fresh, RELAXED, DEV), HD_STORE(&r->control->fresh, at + HD_BATCH, RELAXED, DEV));"),
    ("slots behind the arena are taken", OWN, "if (at >= r->n_arena)", "if (at > r->n_arena)"),
    ("all gather slots at once", OWN, "return w->since == 0 || ", "return 1 || "),
    ("who rests keeps its slots", OWN, "if (hd_shuffle(HD_LOAD(&r->control->n_blocked, RELAXED, DEV), 0))\n        hd_store_flush(r, w);", ""),
    ("who starves wakes nobody", OWN, "hd_wake_all(r); /* for their slots */", ""),
    ("what has no room runs all the same", OWN, "return w->n_free >= need;", "return 1;"),
    ("a slot that is let go of keeps its generation", SPAWN,
     "HD_STORE(&k->done_word, ((v >> HD_DONE_WORD_BITS) + 1u) << HD_DONE_WORD_BITS, RELEASE, DEV);\n            hd_slot_free",
     "HD_STORE(&k->done_word, (v >> HD_DONE_WORD_BITS) << HD_DONE_WORD_BITS, RELEASE, DEV);\n            hd_slot_free"),
    ("a slot that was let go of before the end keeps its generation", SPAWN,
     "return ((v >> HD_DONE_WORD_BITS) + 1u) << HD_DONE_WORD_BITS;", "return (v >> HD_DONE_WORD_BITS) << HD_DONE_WORD_BITS;"),
    ("a task is let go of by load and store", SPAWN, "HD_CAS(&k->done_word, v, v | HD_DONE_WORD_RELEASED, RELEASE, DEV)",
     "(HD_STORE(&k->done_word, v | HD_DONE_WORD_RELEASED, RELEASE, DEV), 1)"),
    ("who lets go does not see the end", SPAWN, "if (v & HD_DONE_WORD_ENDED) { /*", "if (0) { /*"),
    ("a task with waiters ends without the lock", SPAWN, "v = hd_done_word_lock(k, v >> HD_DONE_WORD_BITS, &state);", "(void)state;"),
    ("a list of waiters does not show in the done word", SPAWN_BUFFER, "v | HD_DONE_WORD_AWAITED, RELEASE, DEV);", "v, RELEASE, DEV);"),
    ("the end of a pinned task frees its slot", SPAWN, "    if (v & HD_DONE_WORD_RELEASED) {\n        HD_FENCE", "    if (1) {\n        HD_FENCE"),
    ("who waits is forgotten", SPAWN, "waiters = k->waiters;", "waiters = HD_NONE;"),
    ("the next who waits is read too late", SPAWN,
     "*waiters = hd_spawn_links_at(r, t)->next; /* before it stands in another list */\n        if (wrong)\n            hd_fate_cancel(r, t);\n        if (!hd_wait_on(r, t))\n            return t;",
     "int waits_ = hd_wait_on(r, t);\n        *waiters = hd_spawn_links_at(r, t)->next;\n        if (!waits_)\n            return t;"),
    ("children are waited for that were not made", SPAWN, "HD_OPEN_BODY - hd_least_of(d->n_spawned, d->n_room)", "HD_OPEN_BODY - d->n_room - 1u"),
    ("a continuation forgets what its maker pinned", SPAWN, "continuation->pinned = d->pinned;", "continuation->pinned = HD_NONE;"),
    ("a continuation is nobody's end", SPAWN, "continuation->ends_for = t;", "continuation->ends_for = HD_NONE;"),
    ("a slot is used again while its task's record is read", SPAWN,
     "    hd_warp_sync(); /* all have read it before its slot is free */\n        if (wrong && hd_warp", "        if (wrong && hd_warp"),
    ("what is made is not set off", SPAWN, "w->n_done -= n;", ""),
    ("what goes onto the own list in one piece is not set off", SPAWN, "w->n_done -= at - from;", ""),
    ("what goes onto the own list in one piece hides the rest", SPAWN, "hd_child_at(r, t)->link = first;",
     "hd_child_at(r, t)->link = HD_NONE;"),
    ("what waits for others goes onto the own list", SPAWN, "RELAXED, BLOCK) == HD_OUT_READY; at++)",
     "RELAXED, BLOCK) != 0u; at++)"),
    ("there is always room for any task", OWN, "w->n_free + 3u * HD_BATCH + 1u >= r->n_store", "1"),
    ("who has a task is still counted among those who rest", OWN, "if (!(w->is_idle | w->is_blocked))", "if (!w->is_blocked)"),
    ("used slots stay in the store", SPAWN, "w->n_free = top - n - n_extra;", ""),
    ("the holes of extra slots are not filled", SPAWN, "i < n_extra && i < unused; i++)", "i < 0u; i++)"),
    ("lanes look at a record that they have not acquired", SPAWN, "    hd_warp_sync(); /* its record may be", "    /* its record may be"),
    ("a continuation forgets what was pinned before", SPAWN, "before = x->record->links.pinned;", "before = HD_NONE;"),
    ("what the body made last is not handed on", SPAWN,
     "        hd_spawn_buffer_drain(r, w, x, d, dispatch);\n    if (hd_warp_lane() == 0)\n        hd_spawn_buffer_pay", "        ;\n    if (hd_warp_lane() == 0)\n        hd_spawn_buffer_pay"),
    ("who has tasks without room waits for good", TICKET, "    if (w->deferred != HD_NONE) {\n        v = HD_PAIR_LOAD", "    if (0) {\n        v = HD_PAIR_LOAD"),
    ("the deque gives and keeps", TICKET, "o->oldest += n;", ""),
    ("the deque gives its youngest", TICKET, "t = *hd_deque_at(o, lane);", "t = *hd_deque_at(o, has - 1u - lane);"),
    ("the deque forgets that it gave", TICKET, "o->n_deque = has - n;", ""),
    ("what finds no room in the deque is dropped", TICKET, "    if (left)\n        hd_ticket_place(r, left, task);", ""),
    ("what is given stays in the deque, too", TICKET, "hd_deque_put(r, w, mask & ~away, task);", "hd_deque_put(r, w, mask, task);"),
    ("what was set deferred and given stays", TICKET, "t = hd_take_for_others(r, w);", "t = w->deferred;"),
    ("the successors of the last task are counted after a continuation", TURN, "        hd_see_successors(r, x);\n        x->ahead", "        x->ahead"),
]
# Bugs in how the warps of a block communicate (block.cpp): name, half that must notice, text, replacement.
BLOCK_BUGS = [
    ("READY is arrived at while the last but one is not over", "plan",
     "go &= hd_plan_await(r, b, &b->began, h->last_but_one + 1u);", ";"),
    ("READY is waited for one step too little", "plan", "&b->began, h->last_but_one + 1u)", "&b->began, h->last_but_one)"),
    ("DONE is handed over while the last but one is not counted", "plan",
     "go &= hd_plan_await(r, b, &b->n_counted, h->n_ends - 1u);", ";"),
    ("slots are filled a batch early", "plan", "&b->began, base - HD_PLAN_BATCH + 1u)",
     "&b->began, base - HD_PLAN_SLOTS + 1u)"),
    ("slots are filled a step early", "plan", "&b->began, base - HD_PLAN_BATCH + 1u)", "&b->began, base - HD_PLAN_BATCH)"),
    ("slots are filled while they are counted", "plan", "stop |= !hd_plan_await(r, b, &b->walked, base - HD_PLAN_BATCH);",
     ""),
    ("the failure of this step is read, not of the last", "plan", "dead |= b->failed[(i + 1u) & 1u];",
     "dead |= b->failed[i & 1u];"),
    ("both failures are read", "plan", "dead |= b->failed[(i + 1u) & 1u];", "dead |= b->failed[0] | b->failed[1];"),
    ("a failure is forgotten", "plan", "dead |= b->failed[(i + 1u) & 1u];", "dead = b->failed[(i + 1u) & 1u];"),
    ("the first step of a batch is plain to who fetches", "plan", "first && head.plain) & ~1u;", "first && head.plain);"),
    ("the first step of a batch is plain to the lanes", "plan",
     "return (i + 1u) % HD_PLAN_BATCH ? hd_head_of(b, i + 1u) : none;", "(void)none; return hd_head_of(b, i + 1u);"),
    ("a plain step may wait", "plan", "!(h.has_end | first.z) &&", "!h.has_end &&"),
    ("plain steps are not begun together", "plan", "hd_bar_team(team_size);\n            head = next;", "head = next;"),
    ("the lanes leave without DONE", "plan", "    hd_done_arrive(n_ends, team_size + 32u);\n}", "}"),
    ("the last DONE is met twice", "plan", "return -1;", "return 0;"),
    ("what failed is counted", "plan", "if (!(said.x | said.y)) {", "if (1) {"),
    ("what did not run is counted", "plan", "if (said.z <= i)", "if (0)"),
    ("the end is said after READY", "plan", "        hd_set_word(&b->over, i);\n    }\n    __syncwarp();\n"
     "    hd_ready_arrive(h->n - 1u, team_size + 32u);\n",
     "    }\n    __syncwarp();\n    hd_ready_arrive(h->n - 1u, team_size + 32u);\n"
     "    if ((threadIdx.x & 31u) == 0)\n        hd_set_word(&b->over, i);\n    __syncwarp();\n"),
    ("filled is not released", "plan", "hd_set_word(&b->filled,", "hd_mark(&b->filled,"),
    ("walked is not released", "plan", "hd_set_word(&b->walked,", "hd_mark(&b->walked,"),
    ("counted is said before DONE", "plan", "        hd_done_sync(*n_ends, team_size + 32u);\n        said",
     "        if (lane == 0)\n            hd_mark(&b->n_counted, *n_ends + 1u);\n        __syncwarp();\n"
     "        hd_done_sync(*n_ends, team_size + 32u);\n        said"),
    ("walked is said before the batch is read", "plan",
     "        on =\n            __shfl_sync(0xffffffffu, hd_word(&b->filled), 0) > base ?",
     "        if (lane == 0)\n            hd_set_word(&b->walked, base + HD_PLAN_BATCH);\n"
     "        on =\n            __shfl_sync(0xffffffffu, hd_word(&b->filled), 0) > base ?"),
    ("successors are counted before DONE", "plan", "        hd_done_sync(*n_ends, team_size + 32u);\n        said",
     "        hd_plan_release(&r, step, mine);\n        hd_done_sync(*n_ends, team_size + 32u);\n        said"),
    ("READY goes by the step's number in the lanes", "plan", "hd_ready_sync(n_ready++, ", "hd_ready_sync(i, "),
    ("READY goes by the step's number in the fetching warp", "plan",
     "__syncwarp();\n            hd_ready_arrive(h.n - 1u, team_size + 32u);",
     "__syncwarp();\n            hd_ready_arrive(i, team_size + 32u);"),
    ("begun is said before the lanes meet", "plan", "        const uint32_t slot = hd_slot_of(b, i);\n        if (next.plain) {",
     "        const uint32_t slot = hd_slot_of(b, i);\n        if (threadIdx.x == 0)\n"
     "            hd_mark(&b->began, i + 1u);\n        if (next.plain) {"),
    ("who waits for a step does not see the stop", "plan", "if (go || (polls && hd_stopped(&r) != HD_STOP_NOT))",
     "if (go)"),
    ("a look that does not acquire is enough", "plan",
     "if (hd_goal_seems_reached(g) && hd_goal_reached(g))", "if (hd_goal_seems_reached(g))"),
    ("a watched step has no end", "plan", "first.w | (first.x >> 16 & HD_TASK_WATCH)", "first.w"),
    ("the clock of a plain step is read while it runs", "plan", "            if (plain)\n                continue;\n"
     "            if (TRACE && lane == 0)\n                b->ready[hd_slot_of(b, i)] = hd_clock();\n",
     "            if (TRACE && lane == 0)\n                b->ready[hd_slot_of(b, i)] = hd_clock();\n"
     "            if (plain)\n                continue;\n"),
    ("a watcher is told without a release", "plan", "HD_STORE(&r.watched[watch], run, RELEASE, SYS);",
     "HD_STORE(&r.watched[watch], run, RELAXED, SYS);"),
    ("records are fetched into the half that runs", "dynamic", "    x->half ^= 1u;\n", ""),
    ("a record is used before it has come", "dynamic", "    if (at != HD_AHEAD)\n        HD_COPY_WAIT();\n", "    if (at != HD_AHEAD)\n        ;\n"),
    ("a half is used again while records for it are on their way", "dynamic", "    HD_COPY_WAIT(); /* of the turn", "    /* of the turn"),
    ("the record of a task that waits is taken for one that was fetched since", "dynamic",
     "    x->next_at = HD_NONE; /* of a task", "    /* of a task"),
    ("what failed is finished", "dynamic", "        if (b->failed)\n            break;\n", ""),
    ("the lanes do not meet after a body", "dynamic", "            hd_mark(&b->ended, i);\n        }\n        hd_bar_block();",
     "            hd_mark(&b->ended, i);\n        }"),
    ("the turn ends before the body", "dynamic", "        hd_bar_block();\n        if (b->failed)", "        if (b->failed)"),
    ("nobody tells the lanes of the end", "dynamic", "        b->at = HD_NONE;\n", "        ;\n"),
    ("the worker leaves before the lanes do", "dynamic", "        b->at = HD_NONE;\n    hd_bar_block();", "        b->at = HD_NONE;"),
    ("the record is named after the barrier", "dynamic",
     "            b->at = x.at;\n", "            ;\n"),
    ("a part of the warp goes to a barrier", "dynamic", "        hd_bar_block();\n        hd_ahead(",
     "        if ((threadIdx.x & 31u) == 0)\n            hd_bar_block();\n        hd_ahead("),
    ("a watcher is told without a release by who counts", "dynamic",
     "HD_STORE(&r->watched[x->record->watch], w->run, RELEASE, SYS);", "HD_STORE(&r->watched[x->record->watch], w->run, RELAXED, SYS);"),
]
# Resident pools (block_pool.cpp), in one of RESIDENT: name, cases that must notice, text, replacement, and so on.
RESIDENT = ("wire.h", "courier.h", "crew.h", "serve.h", "serving.h")
# Cases that test their orders, by the beginnings of names.
RESIDENT_CASES = {"wire.h": ("wire", "crew.ends"), "courier.h": ("wire.again", "wire.others", "serve", "crews"), "crew.h": ("crew",),
                  "serve.h": ("serve",), "serving.h": ("serve", "crew")}
# Orders of them that the model does not need, and why: file, text of the line, order.
UNSEEN = {
    ("wire.h", "HD_LOAD((uint32_t *)(uintptr_t)next, SEQ_CST", "SEQ_CST"): "on x86 the store before it is the fence",
    ("wire.h", "HD_LOAD((uint32_t *)(uintptr_t)sleeps, SEQ_CST", "SEQ_CST"): "likewise the addition",
    ("wire.h", "HD_LOAD(&p->seen, ACQUIRE", "ACQUIRE"): "needs three threads that send",
    ("wire.h", "HD_STORE(&p->seen, taken, RELEASE", "RELEASE"): "likewise",
    ("courier.h", "HD_STORE(wire.taken, end, RELEASE, SYS)", "RELEASE"): "the same as in hd_couriers_tire, at the kernel's end",
    ("crew.h", "HD_FENCE_ACQUIRE();", "HD_FENCE_ACQUIRE()"): "in the model additions do not overtake one another",
    ("crew.h", "HD_FENCE_RELEASE(); /* before the taker", "HD_FENCE_RELEASE()"): "likewise",
}
RESIDENT_BUGS = [
    ("a line is there when its last unit is", "wire.one", "& 15u) == 15u;", "& 8u) != 0u;"),
    ("a line is there when any unit is", "wire.one", "& 15u) == 15u;", "& 15u) != 0u;"),
    ("a tag counts within the ring", "wire.round", "u[g].tag == place + 1u);", "(u[g].tag - place - 1u) % wire.n_lines == 0u);"),
    ("units have the tag of the next place", "wire.one", "const hd_unit u = {place + 1u, {a, b, c}};", "const hd_unit u = {place + 2u, {a, b, c}};"),
    ("places are taken by load and store", "wire.hosts", "return HD_ADD(&p->next, n, SEQ_CST, SYS);",
     "const uint32_t k_ = HD_LOAD(&p->next, SEQ_CST, SYS);\n    HD_STORE(&p->next, k_ + n, SEQ_CST, SYS);\n    return k_;"),
    ("a line is written a place too early", "wire.round", "return (int32_t)(place - taken) < (int32_t)wire->n_lines;",
     "return (int32_t)(place - taken) <= (int32_t)wire->n_lines;"),
    ("a line is said to be taken before it is", "wire.round", "HD_STORE(wire.taken, taken, RELEASE, SYS);", "HD_STORE(wire.taken, taken + 1u, RELEASE, SYS);"),
    ("what does not fit into a line is written after it", "wire.again",
     "            hd_wire_apart_write(wire, &s);\n", "",
     "handles[i], head, from, (n_bytes + 3u) / 4u * 4u);",
     "handles[i], head, from, (n_bytes + 3u) / 4u * 4u);\n        const hd_sent s_ = hd_sent_like(like, handles[i], i * stride);\n"
     "        hd_wire_apart_write(wire, &s_);"),
    ("a line is taken again", "wire.round", "return __ballot_sync(0xffffffffu, fresh) & ~c.got;", "return __ballot_sync(0xffffffffu, fresh);"),
    ("the pool's thread looks for lines, then says that it sleeps", "serve.ends",
     "    HD_STORE(sleeps, 1u, SEQ_CST, SYS);\n    return !hd_wire_is_left(wire, next);",
     "    const int left_ = hd_wire_is_left(wire, next);\n    HD_STORE(sleeps, 1u, SEQ_CST, SYS);\n    return !left_;"),
    ("the pool's thread sleeps whatever is left", "serve.ends", "return !hd_wire_is_left(wire, next);", "return 1;"),
    ("a task is put into a list before the lines before its own have come", "serve.after",
     "others < 0 ? 0u : c.late & hd_below((uint32_t)own);", "c.late;"),
    ("a courier does not wait for the lines of others", "serve.after", "others < 0 ? 0u : c.late", "c.late"),
    ("a chunk with tasks that wait is over", "serve.late", "hd_below(HD_CHUNK) || c.late)", "hd_below(HD_CHUNK))"),
    ("a held task is placed", "serve.held", "goes = !waits && !s.held;", "goes = !waits;"),
    ("each courier stops where it is", "serve.stops", "(uint32_t)hd_courier_extreme(c, all->top, c.place, 1);", "c.top - c.place;"),
    ("the next run begins where this one has", "serve.ends", "            all->place = end;\n", ""),
    ("couriers do not meet before they go on", "serve.holds", "        hd_couriers_meet(all, c);\n        t.began", "        t.began"),
    ("the kernel ends while tasks are left", "crews.holds", "while (!hd_others_wait(r)) {", "while (0) {"),
    ("places are read before those that were served", "crews.holds",
     "        return 0u - HD_LOAD(&r.control->outstanding, ACQUIRE, DEV) ==\n               hd_places_in(HD_PAIR_LOAD(&r.control->places, RELAXED));",
     "    {\n        const uint32_t p_ = hd_places_in(HD_PAIR_LOAD(&r.control->places, RELAXED));\n"
     "        return 0u - HD_LOAD(&r.control->outstanding, ACQUIRE, DEV) == p_;\n    }"),
    ("warps that work are free", "crew.two", "    x->free &= ~warps;\n", ""),
    ("a team has too few warps", "crew.wide", "if (hd_popcount(x->free) < width || ", "if ("),
    ("teams have the same barrier", "crew.pairs", "    x->barriers &= ~barrier;\n", ""),
    ("tasks have the same place to copy to", "crew.copies", "    x->stages &= ~stage;\n", ""),
    ("a place to copy to is never free again", "crew.copies", "    x->stages |= hd_used_by(", "    (void)hd_used_by("),
    ("warps that have ended stay so", "crew.again", "(void)HD_SUB(&c->ended, warps, RELAXED, BLOCK);", ";"),
    ("the words of ended warps are written, not subtracted from", "crew.both", "(void)HD_SUB(&c->ended, warps, RELAXED, BLOCK);",
     "HD_STORE(&c->ended, ended & ~warps, RELAXED, BLOCK);"),
    ("a team has ended when one of its warps has", "crew.wide", "x->warps && !(x->warps & ~ended));", "x->warps & ended);"),
    ("warps are called before they know their seat", "crew.one", "    if (lane == k) {\n        x->warps = warps;\n",
     "    hd_crew_call(c, warps);\n    if (lane == k) {\n        x->warps = warps;\n",
     "        c->stage_of[lane] = k;\n    hd_crew_call(c, warps);\n", "        c->stage_of[lane] = k;\n"),
    ("an urgent task that is taken early is not counted", "crew.hurry",
     "        (void)HD_ADD(&r->control->outstanding, 1u, RELAXED, DEV);\n        HD_FENCE_RELEASE();", "        HD_FENCE_RELEASE();",
     "        if (t == HD_NONE)\n            (void)HD_SUB(&r->control->outstanding, 1u, RELAXED, DEV);\n    }\n    t = hd_shuffle", "    }\n    t = hd_shuffle"),
    ("the task that an urgent one was taken before is forgotten", "crew.urgent", "    x->next = hd_shuffle(x->task, k);\n", ""),
    ("a place that an urgent task has left is not served", "crew.hurry", "        (void)HD_SUB(&r->control->outstanding, 1u, RELAXED, DEV);\n    }\n    return t;", "    }\n    return t;"),
    ("a block's end does not count", "crew.blocks", "        (void)hd_blocks_close(hd_child_at(r, x->task));\n", "        ;\n"),
    ("others help with a task of several blocks, uncounted", "crew.blocks", "    if (hd_is_in(mask))\n        hd_blocks_share(hd_child_at(r, x->task));\n", ""),
    ("a task that must not run does", "crew.fails", "ended = hd_ballot(hd_is_in(mask & ~many) && (wrong ||", "ended = hd_ballot(hd_is_in(mask & ~many) && (0u ||"),
    ("a task that must not run does, on a lone team", "serve.fails", "threadIdx.x < v->team && !v->skip", "threadIdx.x < v->team"),
    ("a block's end does not count, on a lone team", "serve.blocks", "        if (lane == 0)\n            (void)hd_blocks_close(task);\n", ""),
]
# Waves (wave.c); their engine is not in core: name, file, text, replacement.
LONE, WAVE, ENGINE, PLACE = "heddle/core/lone.h", "heddle/core/wave.h", "engine/wave.c", "engine/wave_place.c"
FLAG, TILE, TILE_ENGINE = "heddle/core/tile.h", "heddle/tile.h", "engine/tile.c"
WORKER_H = "heddle/core/worker.h"
# It waits until the band above the next part has handed on its first tile.
WAIT_ABOVE = """#include "heddle/core/own.h"
#include "heddle/core/tile.h"
HD_FN void wait_above(const hd_run *r, uint32_t at)
{
    const hd_tile_part *p = (const hd_tile_part *)hd_args_at(r, hd_task_at(r, r->roots[at]));
    const hd_tile_item *item = p->wave->items + p->item;
    const uint32_t base = p->wave->words->base * item->n_tiles;
    uint32_t n;
    for (n = 0; p->band && HD_LOAD(hd_tile_flag(p->wave, item, p->band - 1u), ACQUIRE, DEV) - base < 1u; n++)
        if (hd_stopped(r) != HD_STOP_NOT)
            return;
        else
            hd_wave_pause(n);
}
"""
# With the case that must catch it. Of several files: a tuple, a file a text.
WAVE_BUGS = [
    ("tags are the same in each run", "wave.two", LONE, "l->wave->words->base + p->tag", "p->tag"),
    ("tags are the same in each band", "wave.four", LONE, "p->tag + (band - p->band) * n + 1u", "p->tag - band * n + 1u",
     "hd_lone_from(l, far, band, tag - n)", "hd_lone_from(l, far, band, tag)"),
    ("a far row is written where it has not been read", "wave.rows", LONE, "hd_lone_from(l, far, band", "hd_lone_from(l, far + (~band & 1u) * HD_WAVE_GRANULE, band",
     "hd_lone_to(l, far, band", "hd_lone_to(l, far + (band & 1u) * HD_WAVE_GRANULE, band"),
    ("the last granule is not waited for", "wave.two", LONE, "else if (!hd_lone_receive", "else if (g + 1u < n && !hd_lone_receive"),
    ("tags do not go on", "wave.two", WAVE, "        wave->words->base = base;\n", ""),
    ("items are counted on", "wave.two", WAVE, "        wave->words->done = 0;\n", ""),
    ("parts are counted on", "wave.two", LONE, "    __builtin_memset(&wave->of_items[item], 0, sizeof *wave->of_items);\n", ""),
    ("what an item has found is joined before its last part has ended", "wave.items", LONE,
     "+ 1u != wave->items[item].n_parts)", "+ 1u == wave->items[item].n_parts)"),
    ("tags begin anew, and old words are left", "wave.wraps", WAVE, "        wave->far[i] = 0;", "        ;"),
    ("tags begin anew too late", "wave.wrap", WAVE, "HD_WAVE_TAG_MOST - wave->n_tags", "HD_WAVE_TAG_MOST"),
    ("tags do not go on behind a run that was stopped", "wave.stop", ENGINE,
     "words.base = hd_wave_base_after(&wave, words.base, &wraps);", "wraps = 0;"),
    ("tags never begin anew behind a run that was stopped", "wave.canceled", ENGINE,
     "words.base = hd_wave_base_after(&wave, words.base, &wraps);", "words.base += wave.n_tags, wraps = 0;"),
    ("parts are counted on behind a run that was stopped", "wave.stop", ENGINE,
     "    HD_TRY(clear(g->ctx, wave.of_items, wave.n_items * sizeof *wave.of_items));\n", ""),
    ("items are counted on behind a run that was stopped", "wave.ended", ENGINE, "words.done = words.failed =", "words.failed ="),
    ("old words are left behind a run that was stopped", "wave.stopped", ENGINE,
     "    if (wraps)\n        HD_TRY(clear_words(g->ctx, &wave));\n", ""),
    ("fields have the same far rows", "wave.items", PLACE,
     "x->words_at = x->frees == HD_NONE ? n_positions : m->items[x->frees].words_at;", "x->words_at = 0;"),
    ("parts have fixed numbers", "wave.late", WORKER_H, "at = HD_ADD(&r->control->next_root, n, RELAXED, DEV);",
     "at = w->policy_cursor;\n    w->policy_cursor += r->n_workers;"),
    ("a ticket is taken after the wait", "wave.tile.three", (WORKER_H, WORKER_H, TILE), '#include "heddle/core/own.h"\n', WAIT_ABOVE,
     "    at = HD_ADD(&r->control->next_root, n, RELAXED, DEV);\n",
     "    wait_above(r, at);\n    at = HD_ADD(&r->control->next_root, n, RELAXED, DEV);\n",
     "    t.at_ = p->first;\n", "    t.at_ = p->first;\n    t.seen_ = 1;\n"),
    ("a pass waits for bands of its own rows alone", "wave.pass", WAVE, "(band_rows - 1u + behind) / band_rows", "0u"),
    ("a pass waits for a granule too few", "wave.pass", LONE, "hd_wave_need(before, g, lag, n)", "hd_wave_need(before, g, lag, n) - 1u"),
    ("counts: raised before the column is written", "wave.count.east", LONE, "            hd_lone_begin(l);\n",
     "            hd_lone_begin(l), hd_east_raise(thread, &l->place, hd_lone_words(l), hd_lone_count(l, l->wave->last_col_count), l->row, hd_lone_end_row(l));\n"),
    ("counts: a band does not wait for those above", "wave.count.east", WAVE, "HD_LOAD(&words->east, ACQUIRE, DEV) < first;", "0;"),
    ("counts: raised without a release", "wave.count.east", WAVE, "HD_STORE(count, end, RELEASE, SYS)", "HD_STORE(count, end, RELAXED, SYS)"),
    ("counts: waited for without an acquire", "wave.count.west", WAVE, "n = HD_LOAD((uint32_t *)(uintptr_t)count, ACQUIRE, SYS)", "n = HD_LOAD((uint32_t *)(uintptr_t)count, RELAXED, SYS)"),
    ("counts: one cell too few is waited for", "wave.count.west", WAVE, "if (n < end)", "if (n + 1u < end)"),
    ("counts: a border in the north is not waited for", "wave.count.north", LONE, "return band || hd_count_wait(", "return 1 || hd_count_wait("),
    ("counts: who waits for one is not stopped", "wave.count.stop", WAVE,
     "    hd_note_waits(thread, n);\n    if (n % HD_WAVE_LOOKS == HD_WAVE_LOOKS - 1u && hd_wave_is_over(thread, at))\n        return 0;\n    hd_wave_pause(n);\n    return 1;",
     "    hd_note_waits(thread, n);\n    hd_wave_pause(n);\n    return 1;"),
    ("strides: words of an earlier run are taken", "wave.outer.above", LONE, "row.tag = HD_LOAD(&rows->run, RELAXED, SYS);", "row.tag = 1u;"),
    ("strides: words are handed on under the number of an earlier run", "wave.outer.below", LONE,
     "band + 1u < l->item->n_bands ? row : hd_lone_outer(l, l->wave->below);",
     "band + 1u < l->item->n_bands ? row : (hd_lone_row){hd_lone_outer(l, l->wave->below).words, 1u, 1u};"),
    ("strides: the word to the north-east of the last column is not waited for", "wave.outer.east", LONE,
     "!hd_lone_wait(thread, &l->place, from_row->words", "!(from_row->is_outer && c == l->item->cols) && !hd_lone_wait(thread, &l->place, from_row->words"),
    ("strides: the last granule is not handed on", "wave.outer.rows", LONE, "if (to.words)\n", "if (to.words && !(to.is_outer && g + 1u == end))\n"),
    ("strides: who waits for another wave is not stopped", "wave.outer.stop", WAVE,
     "    hd_note_waits(thread, n);\n    if (n % HD_WAVE_LOOKS == HD_WAVE_LOOKS - 1u && hd_wave_is_over(thread, at))\n        return 0;\n    hd_wave_pause(n);\n    return 1;",
     "    hd_note_waits(thread, n);\n    hd_wave_pause(n);\n    return 1;"),
    ("counts: what a band has seen is told without a release", "wave.count.west", WAVE, "HD_STORE(&words->west, n, RELEASE, DEV)", "HD_STORE(&words->west, n, RELAXED, DEV)"),
    ("counts: what a band has seen is looked at without an acquire", "wave.count.west", WAVE, "HD_LOAD(&words->west, ACQUIRE, DEV)", "HD_LOAD(&words->west, RELAXED, DEV)"),
    ("counts: bands above are waited for without an acquire", "wave.count.east", WAVE, "HD_LOAD(&words->east, ACQUIRE, DEV)", "HD_LOAD(&words->east, RELAXED, DEV)"),
    ("failures: the first in time is kept", "wave.fail.two", WAVE, "if (first && !hd_failure_is_before(f, &failures[first - 1u]))", "if (first)"),
    ("failures: bands before the first stop, too", "wave.fail.items", WAVE,
     "return hd_failure_is_before(&at->failures[first - 1u], &begin);", "return begin.code == 0;"),
    ("failures: one is told without a release", "wave.fail.items", WAVE, "band + 1u, RELEASE, DEV)", "band + 1u, RELAXED, DEV)"),
    ("failures: who waits for a band does not look for them", "wave.fail.wait", WAVE,
     "hd_wave_is_over(thread, at))\n        return 0;\n    hd_wave_pause(n);", "hd_wave_is_over(thread, &(hd_wave_place){0}))\n        return 0;\n    hd_wave_pause(n);"),
    ("failures: a band that stops is not counted", "wave.fail.wait", LONE,
     "!hd_lone_band(l, thread, p, b) && HD_LOAD(&thread->fail->stop, RELAXED, DEV) != HD_STOP_NOT)", "!hd_lone_band(l, thread, p, b))"),
    ("failures: they are left for the next run", "wave.fail.two", WAVE, "    words->failed = 0;\n", ""),
    ("failures: they are left behind a run that was stopped", "wave.fail.stop", ENGINE, "words.done = words.failed =", "words.done ="),
    ("failures: columns outside of the field count", "wave.fail.none", LONE, "i < l->item->rows && j < l->item->cols)", "i < l->item->rows)"),
    ("failures: those of a sweep stand where its cells are made", "wave.fail.pass", WAVE, "f.row = item->row_at + i - t;", "f.row = item->row_at + i;"),
    ("failures: they are told when others have been counted", "wave.fail.late", LONE,
     "    if (type->fails)\n        (void)hd_wave_conclude(thread, wave->words, wave->failures);\n", ""),
    ("failures: flags stay where bands have left them", "wave.fail.tile", FLAG, "        hd_tile_raise_all(wave);\n", "        ;\n"),
    ("failures: who waits for a tile does not look for them", "wave.fail.tiles", FLAG, "hd_wave_is_over(thread, at))",
     "hd_wave_is_over(thread, &(hd_wave_place){0}))"),
    ("failures: a tile does not tell", "wave.fail.heaps", TILE, " && hd_tile_has_failed(thread, t))", " && 0)"),
    ("tiles: handed on before it is written", "wave.tile.two", TILE, "    t->hands_ = 1;\n",
     "    t->hands_ = 1;\n    if (t->flag_) hd_tile_raise(t->flag_, t->base_ + t->at_ + 1u);\n"),
    ("tiles: no fence between data and flag, as PeerWave's listing has it", "wave.tile.two", FLAG,
     "HD_STORE(flag, count, RELEASE, DEV)", "HD_STORE(flag, count, RELAXED, DEV)",
     "HD_LOAD(flag, FENCED_ACQUIRE, DEV) - base) < n", "HD_LOAD(flag, RELAXED, DEV) - base) < n",
     "    HD_FENCE_ACQUIRE();\n    hd_note_waited(thread, k);\n", "    hd_note_waited(thread, k);\n"),
    ("tiles: one row instead of two", "wave.tile.two", FLAG, "(band & 1u) * item->south_bytes", "0u"),
    ("tiles: written before it is waited for", "wave.tile.three", TILE,
     "    (void)heddle_wave_north(thread, tile);\n    return tile->south_;", "    return tile->south_;"),
    ("tiles: handed on before it is waited for", "wave.tile.own", TILE,
     "    (void)heddle_wave_north(thread, t);\n    if (thread->index == 0)", "    if (thread->index == 0)",
     "    (void)heddle_wave_north(thread, tile);\n    if (!tile->hands_)", "    if (!tile->hands_)"),
    ("tiles: one too few is waited for", "wave.tile.two", TILE, "tile->base_, tile->at_ + 1u)", "tile->base_, tile->at_)"),
    ("tiles: one more is taken for seen", "wave.tile.three", TILE, "return tile->seen_ > tile->at_;", "return tile->seen_ && tile->seen_ >= tile->at_;"),
    ("tiles: counts are the same in each run", "wave.tile.two", FLAG, "    wave->words->base++;\n", ""),
    ("tiles: parts are counted on", "wave.tile.again", FLAG, "    wave->words->done = 0;\n", ""),
    ("tiles: counts are compared, not their distances", "wave.tile.wrap", FLAG, "(seen = HD_LOAD(flag, FENCED_ACQUIRE, DEV) - base) < n",
     "(seen = HD_LOAD(flag, FENCED_ACQUIRE, DEV)) < base + n"),
    ("tiles: fields have the same rows", "wave.tile.items", TILE_ENGINE, "to->south_at = m->south_bytes;", "to->south_at = 0;"),
    ("tiles: fields have the same flags", "wave.tile.items", TILE_ENGINE, "to->flag_at = m->wave.n_flags;", "to->flag_at = 0;"),
    ("tiles: counts of a run that was stopped are left", "wave.tile.stop", TILE_ENGINE,
     "    HD_TRY(clear(g->ctx, wave.flags, (uint64_t)wave.n_flags * HD_LINE));\n", ""),
    ("tiles: a stopped run reads what is being written", "wave.tile.stop", TILE, "    if (!hd_tile_is_seen(tile)) {\n", "    if (0) {\n"),
    ("tiles: a stopped run hands on what it has not waited for", "wave.tile.stops", TILE, " && !tile->is_over_)\n        hd_tile_raise",
     ")\n        hd_tile_raise"),
]
# Waves on blocks, run by the emulator (tests/emulate_gpu/wave.cpp): name, text, replacement in one of CELLS.
EMULATED_BUGS = [
    ("one credit too many", "(int)HD_WAVE_RING -", "(int)(HD_WAVE_RING + HD_WAVE_GRANULE) -"),
    ("no credit is waited for", "!a.credit || (int)(looks->credit", "1 || (int)(looks->credit"),
    ("a credit is told before it is read", "hd_mark(&a.near->credit, g + 1u)", "hd_mark(&a.near->credit, g + 2u)"),
    ("credits of the part before are left", "near[i].credit = 0;", ";"),
    ("parts of an item are counted on", "        wave->of_items[p->item] = hd_item_words();\n", "        ;\n"),
    ("all items have what the first has found", "wave->found_each)[item] = found", "wave->found_each)[0] = found"),
    ("tags of blocks are the same in each run", "wave->words->base + p->tag", "p->tag"),
    ("tags of blocks are the same in each band", "p->tag + warp * n_granules + 1u", "p->tag - p->band * n_granules + 1u",
     "a.from_tag = base - n_granules", "a.from_tag = base"),
    ("counts on blocks: a border in the north is not waited for", "const int is_there = hd_north_is_there(a, g);", "const int is_there = 1;"),
    ("counts on blocks: a border in the west is not waited for", "    if (!a.wave->west_count)\n", "    if (1)\n"),
    ("counts on blocks: a last column is not counted", "    if (!p->wave->last_col_count)\n", "    if (1)\n"),
    ("strides on blocks: words of another wave are not waited for", "has_words = is_handed && g", "has_words = a.from && g"),
    ("strides on blocks: words are handed on under tags of bands", "a.near->below_tag ? a.near->below_tag : a.to.tag + g", "a.to.tag + g"),
    ("strides on blocks: rows are told as those of the stride", "in.i = a.row_at + a.row", "in.i = a.row"),
    ("kept skewed: lanes stand where those of another band do", "a.index * a.item->band_cells", "(a.index & ~1u) * a.item->band_cells"),
    ("kept skewed: steps behind the last are kept", "STEP == HD_STEP_EDGE && position >= a.cols + hd_strip<K, R, C>::lag", "0"),
    ("kept by rows: what has begun of lines stays near", "if (g >= end && leaves.by_rows)", "if (0)"),
    ("kept by rows: a line begins before its row", "least > 0 ? least : 0", "least"),
    ("kept by rows: a line ends behind its row", "most < all ? most : all", "most"),
    ("kept by rows: rows below the field's", "else if (i < n_rows) {", "else {"),
    ("kept skewed: a lane's cells change places", "cells[(k + n) / R][(k + n) % R]", "cells[(k + n) % C][(k + n) / C]"),
]
# The same of tiles on blocks (tests/emulate_gpu/tiles.cpp), in heddle/tile.h.
EMULATED_TILE_BUGS = [
    ("tiles of blocks: handed on while lanes still write", "    tile->hands_ = 0;\n    heddle_team_barrier(thread);\n", "    tile->hands_ = 0;\n"),
    ("tiles of blocks: lanes go on to the next tile alone", "    else\n        heddle_team_barrier(thread);\n    if (*is_over", "    if (*is_over"),
    ("tiles of blocks: lanes read before lane 0 has waited", "    heddle_team_barrier(thread);\n    tile->seen_", "    tile->seen_"),
    ("tiles of blocks: a carry is not yet cleared", "[i] = 0;\n    heddle_team_barrier(thread);\n", "[i] = 0;\n"),
    ("tiles of blocks: a carry is not cleared", "((uint32_t *)tile->carry)[i] = 0;", ";"),
    ("tiles of blocks: the end is told in one place", "is_over[t->at_ & 1u]", "is_over[0]"),
]
# The same of cells that fail (tests/emulate_gpu/frail.cpp), in one of CELLS.
EMULATED_FRAIL_BUGS = [
    ("failures on blocks: who waits for a border does not look for them", "const hd_wave_place at = hd_strip_place(a);\n    uint32_t is_there",
     "const hd_wave_place at = {};\n    uint32_t is_there"),
    ("failures on blocks: a lane keeps its first in time", "hd_failure_join(&s->failure.first, &f);", "if (!s->failure.first.code) s->failure.first = f;"),
    ("failures on blocks: lanes do not say them to one another", "hd_failure_join(&first, &other);", ";"),
    ("failures on blocks: columns outside of the field count", "failed[0] && is_cell && r < a.n_rows", "failed[0] && r < a.n_rows"),
    ("failures on blocks: rows outside of the field count", "failed[0] && is_cell && r < a.n_rows", "failed[0] && is_cell"),
    ("failures on blocks: the run goes on", "(void)hd_wave_conclude(thread, wave->words, wave->failures);", ";"),
]
EMULATED = [(EMULATED_BUGS, CELLS, "wave/cases.c", "emulate_gpu/wave.cpp"),
            (EMULATED_FRAIL_BUGS, CELLS, "wave/frail_cases.c", "emulate_gpu/frail.cpp"),
            (EMULATED_TILE_BUGS, (TILE,), "wave/tile_cases.c", "emulate_gpu/tiles.cpp")]
# What core requires of the host: a wake-up publishes what the waker knew.
HOST_BUGS = [("parking hands nothing on", "explore.c", "learn(&now->known, &p->known);",
              "if (which >= 8u) learn(&now->known, &p->known);")]

def code_of(line, in_comment):
    """Returns the line with its comments blanked (columns stay), and whether a comment goes on behind it."""
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
    """Yields (where, what, file, line number, column, old, new) for every order in core, and of RESIDENT for every fence.
    Left out: atom.h, which defines them; those that only nvcc compiles, which BLOCK_BUGS covers; and those that concern the
    host (scope SYS), unless the test has one."""
    names = os.listdir(core) + ["baselines/" + name for name in os.listdir(os.path.join(core, "baselines"))]
    for name in sorted(names):
        if not name.endswith(".h") or name == "atom.h" or name in CUDA_ONLY + CELLS:
            continue
        in_comment = False
        with open(os.path.join(core, name)) as f:
            for number, line in enumerate(f, 1):
                code, in_comment = code_of(line, in_comment)
                unseen = [order for file, text, order in UNSEEN if file == name and text in line]
                for m in re.finditer(r"HD_FENCE_\w+\(\)", code) if name in RESIDENT else ():
                    if m.group(0) in unseen:
                        continue
                    yield ("%s:%d" % (name, number), m.group(0), "core/" + name, number, m.start(), m.group(0), "((void)0)")
                for m in re.finditer(r"\b()(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)\b" if name in RESIDENT else r"\b(FENCED_)?(ACQUIRE|RELEASE|ACQ_REL)\b(?!, SYS)", code):
                    if m.group(2) in unseen:
                        continue
                    call = re.findall(r"HD_\w+\([^,]*", code[:m.start()])
                    for new in WEAKER[m.group(2)]:
                        new = new if new == "RELAXED" else (m.group(1) or "") + new
                        yield ("%s:%d" % (name, number), "%s) %s -> %s" % (call[-1], m.group(0), new),
                               "core/" + name, number, m.start(), m.group(0), new)


class Bench:
    def __init__(self, source, out):
        self.model = os.path.join(source, "tests", "model")
        self.include = os.path.join(source, "include")
        self.src = os.path.join(source, "src")
        self.out = out
        self.cc = os.environ.get("CC", "cc").split()
        self.cxx = os.environ.get("CXX", "").split()
        self.archive = os.environ.get("LIBRARY", "").split()
        self.tests = os.path.join(source, "tests")
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        self.compile(self.model, self.include, "graphs.c")
        self.compile(self.model, self.include, "explore.c")
        self.compile(self.model, self.include, "watch.c")
        self.compile(self.model, self.include, "model.c")
        self.compile_spawn(self.include, "")
        self.compile_wave(self.include, self.src, "")

    FLAGS = ("-D_GNU_SOURCE", "-DHEDDLE_MODEL", "-DHEDDLE_BASELINES", "-DHD_DEQUE=2u", "-O2", "-w")

    def compile(self, folder, include, name, obj=None, flags=()):
        obj = obj or os.path.join(self.out, os.path.basename(name) + ".o")
        subprocess.run(self.cc + ["-std=c11", *self.FLAGS, "-I" + folder,
                                  "-I" + include, "-I" + self.src, "-I" + self.model, *flags, "-c", os.path.join(folder, name), "-o", obj], check=True)
        return obj

    SPAWN_FLAGS = ("-DMODEL_NAPS", "-DHD_BATCH=2u", "-fsanitize=thread")

    def compile_spawn(self, include, mark=".changed"):
        return [self.compile(folder, include, name, os.path.join(self.out, os.path.basename(name) + mark + ".o"),
                             self.SPAWN_FLAGS)
                for folder, name in ((self.model, "spawn.c"), (self.model, "pool.c"), (self.src, "backend/cpu/work.c"))]

    ENGINES = {"engine.c": "wave.c", "engine_checks.c": "wave_checks.c", "engine_shape.c": "wave_shape.c", "engine_place.c": "wave_place.c",
               "engine_tile.c": "tile.c", "engine_said.c": "wave_said.c"}

    def compile_wave(self, include, src, mark=".changed", names=("wave.c", *ENGINES)):
        return [self.compile(os.path.join(src, "engine") if name in self.ENGINES else self.model, include,
                             self.ENGINES.get(name, name), os.path.join(self.out, name + mark + ".o"), ("-fsanitize=thread",))
                for name in names]

    def copy(self):
        root = os.path.join(self.out, "copy")
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(os.path.join(self.include, "heddle"), os.path.join(root, "heddle"))
        shutil.copy(os.path.join(self.include, "heddle.h"), root)
        os.makedirs(os.path.join(root, "engine"))
        for name in self.ENGINES.values():
            shutil.copy(os.path.join(self.src, "engine", name), os.path.join(root, "engine"))
        return root

    def run(self, include, explore=None, cases=None, graphs=True, spawning=False):
        """Builds against `include`, runs `cases`, all of graphs, or all that spawn. Returns how it was caught, or None."""
        changed = self.compile_spawn(include) if spawning else []
        if graphs:
            changed.append(self.compile(self.model, include, "model.c", os.path.join(self.out, "model.c.changed.o")))
        program = self.link(changed, explore)
        if not cases:
            listed = subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
            cases = [name for name in listed if not name.startswith(("wave.", "pool.")) and name.startswith("spawn") != graphs]
        return self.try_out(program, cases, ("0", "1", "2") if spawning else ("0", "1", "2", "9"))

    def run_wave(self, root, paths, case="wave."):
        """Does so for waves, against core and the engine in `root`, where `paths` were changed."""
        changed = []
        for name in self.ENGINES:
            if "engine/" + self.ENGINES[name] in paths:
                changed += self.compile_wave(root, root, names=(name,))
        if {LONE, WAVE, FLAG, TILE}.intersection(paths):
            changed += self.compile_wave(root, root)
        if WORKER_H in paths:
            changed.append(self.compile_spawn(root)[2])
        return self.try_out(self.link(changed), [case], ("0", "1", "2"))

    def link(self, changed, explore=None):
        """Links these objects and the unchanged ones; returns the program's name."""
        names = ("watch.c", "graphs.c", "model.c", "spawn.c", "pool.c", "work.c", "wave.c", *self.ENGINES, "explore.c")
        paths = {name: os.path.join(self.out, name + ".o") for name in names}
        paths.update((os.path.basename(obj).replace(".changed.o", ""), obj) for obj in changed)
        if explore:
            paths["explore.c"] = explore
        program = os.path.join(self.out, "model")
        subprocess.run(self.cc + list(paths.values()) + ["-o", program], check=True)
        return program

    def try_out(self, program, cases, bounds):
        for most in bounds:
            done = subprocess.run([program, "--most", most] + cases, stdout=subprocess.PIPE, text=True, timeout=600)
            if done.returncode:
                return self.how(done)
        return None

    BLOCK = ("block", "block_plan", "block_dynamic", "block_pool")

    def compile_block(self, name, include, out):
        subprocess.run(self.cxx + ["-std=c++17", *self.FLAGS, "-fno-strict-aliasing",
                                   "-fno-exceptions", "-fno-rtti", "-fsanitize=thread", "-I" + self.model,
                                   "-I" + include, "-c", os.path.join(self.model, name + ".cpp"), "-o", out], check=True)

    def run_block(self, include, half, cases=("",)):
        """Does so for one part of the block's test; the others are unchanged."""
        objects = [os.path.join(self.out, name + ".cpp.o") for name in self.BLOCK]
        if not os.path.exists(objects[0]):
            self.compile(self.model, self.include, "warp.c")
            for name, obj in zip(self.BLOCK, objects):
                self.compile_block(name, self.include, obj)
        changed = os.path.join(self.out, "changed.o")
        self.compile_block("block_" + half, include, changed)
        objects = [changed if half in os.path.basename(obj) else obj for obj in objects]
        program = os.path.join(self.out, "model_block")
        subprocess.run(self.cc + objects + [os.path.join(self.out, name) for name in ("warp.c.o", "explore.c.o")] +
                       ["-o", program], check=True)
        for case in cases:
            for most in ("0", "1", "2"):
                done = subprocess.run([program, "--most", most, half] + [case] * bool(case), stdout=subprocess.PIPE, text=True, timeout=600)
                if done.returncode:
                    return self.how(done)
        return None

    EMULATED = ("-D_GNU_SOURCE", "-DHEDDLE_MODEL", "-DHEDDLE_EMULATE", "-DHEDDLE_BASELINES", "-DSTEPS=4000000ull", "-w",
                "-DHEDDLE_WAVE_SHAPES(X, name)=X(name, 0, 4, 2)", "-U_FORTIFY_SOURCE")

    def run_emulated(self, include, cases, program_of):
        """Does so for waves on emulated blocks."""
        folder, objects = os.path.join(self.tests, "emulate_gpu"), []
        for path in ("emulate_gpu/emu.c", "emulate_gpu/words.c", "wave/stride_cases.c", cases, program_of):
            objects.append(os.path.join(self.out, "emulated_" + os.path.basename(path) + ".o"))
            how = ([*self.cxx, "-std=c++17", "-O0", "-fno-strict-aliasing", "-fno-exceptions", "-fno-rtti"] if path.endswith("pp")
                   else [*self.cc, "-std=c11", "-O2"])
            if path.endswith("pp") or not os.path.exists(objects[-1]):
                subprocess.run([*how, *self.EMULATED, "-I" + folder, "-I" + self.tests, "-I" + include, "-I" + self.src,
                                "-c", os.path.join(self.tests, path), "-o", objects[-1]], check=True)
        program = os.path.join(self.out, "emulated")
        subprocess.run([*self.cxx, *objects, *self.archive, "-pthread", "-lm", "-o", program], check=True)
        done = subprocess.run([program, "24"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        lines = [line for line in done.stdout.splitlines() if "FAILED" in line] or done.stdout.splitlines()
        return "emulated, " + (lines + ["status %d" % done.returncode])[0] if done.returncode else None

    @staticmethod
    def how(done):
        lines = done.stdout.splitlines()
        last = lines[-1].split() if lines else []
        if not last or last[-1] != "FAILED":
            return "the test ends with status %d" % done.returncode
        name, mode, schedules = last[0], last[1], last[last.index("schedules") - 1]
        why = next((line for line in lines if ": " in line), ": ").split(": ", 1)[1]
        return "%s, %s, schedule %s: %s" % (name, mode, schedules, why)


def replace_once(path, old, new):
    with open(path) as f:
        text = f.read()
    if old not in text:
        sys.exit("%s: no longer has the text of a planted bug: %s" % (path, old))
    with open(path, "w") as f:
        f.write(text.replace(old, new, 1))


BLOCK = CUDA_ONLY + ("worker.h", "dispatch.h")


def headers(root, names):
    """Paths of headers: names without a folder are core's."""
    return [os.path.join(root, name if "/" in name else "heddle/core/" + name) for name in names]


def files_of(path, texts):
    """Of a bug of waves: the file of each text and what is to stand there instead."""
    return path if isinstance(path, tuple) else (path,) * (len(texts) // 2)


def texts(source):
    """Yields for each planted bug its name, the files (one of them must have its text), and that text."""
    include, model = os.path.join(source, "include"), os.path.join(source, "tests", "model")
    for name, path, old, _ in BUGS + SPAWN_BUGS + POOL_BUGS:
        yield name, [os.path.join(include, "heddle", path)], old
    for name, _, path, *olds in WAVE_BUGS:
        for file, old in zip(files_of(path, olds), olds[::2]):
            yield name, [os.path.join(source, "src" if file in (ENGINE, PLACE, TILE_ENGINE) else "include", file)], old
    for name, path, old, _ in HOST_BUGS:
        yield name, [os.path.join(model, path)], old
    for name, _, old, _ in BLOCK_BUGS:
        yield name, headers(include, BLOCK), old
    for file, text, order in UNSEEN:
        yield "unseen " + order, headers(include, (file,)), text
    for name, _, *olds in RESIDENT_BUGS:
        for old in olds[::2]:
            yield name, headers(include, RESIDENT), old
    for bugs, names, *_ in EMULATED:
        for name, *olds in bugs:
            for old in olds[::2]:
                yield name, headers(include, names), old


def check_texts(source):
    lost = ["%s: no longer has the text of a planted bug (%s): %s" % (paths[0], name, old)
            for name, paths, old in texts(source) if not any(old in open(path).read() for path in paths)]
    sys.exit("\n".join(lost) or 0)


def plant(root, names, old, new):
    """Plants a bug in the one of these headers that has the text; returns its name."""
    paths = headers(root, names)
    having = [path for path in paths if old in open(path).read()] or paths[:1]
    replace_once(having[0], old, new)
    return os.path.basename(having[0])


def weaken(path, number, column, old, new):
    with open(path) as f:
        lines = f.readlines()
    line = lines[number - 1]
    lines[number - 1] = line[:column] + new + line[column + len(old):]
    with open(path, "w") as f:
        f.writelines(lines)


def main():
    if len(sys.argv) == 2:
        check_texts(sys.argv[1])
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bench, names = Bench(sys.argv[1], sys.argv[2]), sys.argv[3:]
    missed, n = [], 0
    began = time.time()

    def report(where, what, how):
        nonlocal n
        n += 1
        if how is None:
            missed.append("%s, %s" % (where, what))
        print("%-14s | %-62s | %s" % (where, what, how or "NOT CAUGHT"), flush=True)

    part, parts = (int(x) for x in os.environ.get("HEDDLE_MUTATIONS", "0/1").split("/"))
    seen = 0

    def wanted(*groups):
        nonlocal seen
        if names and not any(group.startswith(x) for group in groups for x in names):
            return False
        seen += 1
        return seen % parts == part

    for where, what, path, number, column, old, new in weakenings(os.path.join(bench.include, "heddle", "core")):
        if wanted(where) and (bench.cxx or os.path.basename(path) not in RESIDENT):
            root = bench.copy()
            weaken(os.path.join(root, "heddle", path), number, column, old, new)
            name = os.path.basename(path)
            if name in RESIDENT:
                report(where, what, bench.run_block(root, "pool", RESIDENT_CASES[name]))
                continue
            report(where, what, bench.run_wave(root, ("heddle/" + path,)) if name in WAVING else
                   bench.run(root, cases=CASES.get(name), graphs=name not in SPAWNING + POOLING, spawning=name in SPAWNING + BOTH + POOLING))
    for name, path, old, new in BUGS + SPAWN_BUGS:
        if wanted(name, "bugs " + os.path.basename(path)):
            root = bench.copy()
            replace_once(os.path.join(root, "heddle", path), old, new)
            spawns = (name, path, old, new) in SPAWN_BUGS
            cases = None if spawns else CASES.get(os.path.basename(path))
            report(os.path.basename(path), name, bench.run(root, cases=cases, graphs=not spawns,
                                                           spawning=spawns or (cases is not None and "spawn" in cases)))
    for name, path, old, new in POOL_BUGS:
        if wanted(name, "pool"):
            root = bench.copy()
            replace_once(os.path.join(root, "heddle", path), old, new)
            report(os.path.basename(path), name, bench.run(root, cases=["pool"], graphs=False, spawning=True))
    for name, case, path, *texts in WAVE_BUGS:
        files = files_of(path, texts)
        if wanted(name, "wave", *("bugs " + os.path.basename(file) for file in files)):
            root = bench.copy()
            for file, old, new in zip(files, texts[::2], texts[1::2]):
                replace_once(os.path.join(root, file), old, new)
            report(os.path.basename(files[0]), name, bench.run_wave(root, files, case))
    for name, path, old, new in HOST_BUGS:
        if wanted(name):
            folder = os.path.join(bench.out, "test")
            shutil.copytree(bench.model, folder, dirs_exist_ok=True)
            replace_once(os.path.join(folder, path), old, new)
            report(path, name, bench.run(bench.include, bench.compile(folder, bench.include, path, folder + ".o")))
    for name, half, old, new in BLOCK_BUGS if bench.cxx else []:
        if wanted(name, "block"):
            root = bench.copy()
            report(plant(root, BLOCK, old, new), name, bench.run_block(root, half))
    for name, case, *texts in RESIDENT_BUGS if bench.cxx else []:
        if wanted(name, "resident"):
            root = bench.copy()
            where = [plant(root, RESIDENT, old, new) for old, new in zip(texts[::2], texts[1::2])]
            report(where[0], name, bench.run_block(root, "pool", (case,)))
    for bugs, files, *programs in EMULATED if bench.cxx and bench.archive else []:
        for name, *texts in bugs:
            if wanted(name, "emulated"):
                root = bench.copy()
                where = [plant(root, files, old, new) for old, new in zip(texts[::2], texts[1::2])]
                report(where[0], name, bench.run_emulated(root, *programs))
    for what in missed:
        print("NOT CAUGHT: " + what)
    print("%d changes, %d not caught, %.0f s" % (n, len(missed), time.time() - began))
    sys.exit(1 if missed or not n else 0)


if __name__ == "__main__":
    main()
