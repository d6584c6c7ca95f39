/* SPDX-License-Identifier: MIT */
/* slu_tuned.h - the operations of slu for thread blocks of 128 lanes and blocks of 32 x 32 doubles. In the common part
 * of C, C++ and CUDA, so that an emulated block runs the same lines.
 *
 * The critical path is lu0, a solver, a product, and again; latency counts, not throughput. In lu0 a warp goes from
 * pivot to pivot through its eight columns and only signals the others. In the solvers four lanes have a system, each
 * every fourth unknown; they gather four at a time by shuffles, and each solves all four, so there is no barrier.
 *
 * Divisions are the compiler's sequence for x / p on a GPU, with the reciprocal ready where many numbers have one
 * divisor. They leave out its branches for odd exponents, which would serialize independent divisions. On odd exponents
 * the lanes set a flag, nothing is stored, and the plain loops do the block; so the bits are those of lu_plain.h. In
 * lu0 each pivot waits for a quotient: a faster approximate one goes on, and counts as odd if the division differs. */
#ifndef SLU_TUNED_H
#define SLU_TUNED_H

#include "quad.h"
#include "slu_bodies.h"
#include "warp.h"

#define SLU_PARTS 4 /* lanes of a system */
#define SLU_MINE (SLU_EDGE / SLU_PARTS)

TILE_FN int slu_is_tuned(const heddle_thread *thread, const slu_record *params)
{
    return params->tuned && thread->team_size == SLU_THREADS && warp_fits(thread, SLU_THREADS / TILE_WARP);
}

/* heddle_team_barrier with the number of lanes constant: saves a load per call. */
TILE_FN void slu_barrier(const heddle_thread *thread)
{
#if defined(__CUDA_ARCH__)
    (void)thread;
    asm volatile("bar.sync 1, %0;" ::"n"(SLU_THREADS) : "memory");
#else
    heddle_team_barrier(thread);
#endif
}

/* ---- shared memory ---- */

typedef struct slu_desk {
    double *a, *b;           /* blocks */
    double *pivot, *inverse; /* of a triangle that divides */
    uint32_t *odd;           /* set: the plain loops must do the block */
} slu_desk;

TILE_FN slu_desk slu_desk_of(const heddle_thread *thread)
{
    slu_desk d;
    d.a = (double *)(void *)quad_shared(thread);
    d.b = d.a + SLU_EDGE * SLU_LD;
    d.pivot = d.b + SLU_EDGE * SLU_LD;
    d.inverse = d.pivot + SLU_EDGE;
    d.odd = (uint32_t *)(void *)(d.inverse + SLU_EDGE);
    return d;
}

/* Two neighbouring numbers, aligned to 16 bytes: one access of a GPU. */
typedef struct slu_pair {
    double v[2];
} slu_pair;

TILE_FN slu_pair slu_load(const double *p)
{
    slu_pair q;
#if defined(__CUDA_ARCH__)
    const double2 two = *(const double2 *)p;
    q.v[0] = two.x;
    q.v[1] = two.y;
#else
    q.v[0] = p[0];
    q.v[1] = p[1];
#endif
    return q;
}

TILE_FN void slu_store(double *p, slu_pair q)
{
#if defined(__CUDA_ARCH__)
    *(double2 *)p = make_double2(q.v[0], q.v[1]);
#else
    p[0] = q.v[0];
    p[1] = q.v[1];
#endif
}

/* Between a pair and two numbers in registers. */
TILE_FN void slu_two_of(double to[2], slu_pair q)
{
    to[0] = q.v[0];
    to[1] = q.v[1];
}
TILE_FN slu_pair slu_pair_of(const double from[2])
{
    slu_pair q;
    q.v[0] = from[0];
    q.v[1] = from[1];
    return q;
}

TILE_FN void slu_send(double *to, const double *from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    slu_store(to, slu_load(from));
#endif
}

/* Starts copying a block to shared memory; complete after quad_arrived and a barrier. */
TILE_FN void slu_bring(const heddle_thread *thread, double *to, const double *from)
{
    QUAD_UNROLL
    for (int i = 0; i < SLU_EDGE * SLU_EDGE / 2 / SLU_THREADS; i++) {
        const int at = 2 * (quad_anew(thread->index) + i * SLU_THREADS);
        slu_send(to + at / SLU_EDGE * SLU_LD + at % SLU_EDGE, from + at);
    }
}

TILE_FN void slu_take_back(const heddle_thread *thread, double *to, const double *from)
{
    QUAD_UNROLL
    for (int i = 0; i < SLU_EDGE * SLU_EDGE / 2 / SLU_THREADS; i++) {
        const int at = 2 * (quad_anew(thread->index) + i * SLU_THREADS);
        slu_store(to + at, slu_load(from + at / SLU_EDGE * SLU_LD + at % SLU_EDGE));
    }
}

/* ---- division ---- */

/* Whether a divisor, or a quotient, is near either end of the exponents; a quotient may be 0. Branch-free. */
TILE_FN int slu_is_odd(double x, int may_be_0)
{
    uint64_t bits;
    uint32_t high;
    memcpy(&bits, &x, sizeof bits);
    high = (uint32_t)(bits >> 32) & 0x7fffffffu;
    return (high - 0x30000000u >= 0x20000000u) & !((may_be_0 != 0) & (bits << 1 == 0));
}

/* First steps of divisions by p: an inverse of some 20 bits, its correction, one of almost all bits, and the best. */
typedef struct slu_divisor {
    double p, rough, lacks, good, inverse;
} slu_divisor;

TILE_FN slu_divisor slu_divisor_of(double p)
{
    slu_divisor d = {p, 0, 0, 0, 0};
#if defined(__CUDA_ARCH__)
    double e;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(d.rough) : "d"(p));
    d.rough = __hiloint2double(__double2hiint(d.rough), 1); /* as the compiler does */
    e = __fma_rn(-p, d.rough, 1.0);
    d.lacks = __fma_rn(e, e, e);
    d.good = __fma_rn(d.rough, d.lacks, d.rough);
    e = __fma_rn(-p, d.good, 1.0);
    d.inverse = __fma_rn(d.good, e, d.good);
#else
    d.inverse = 1.0 / p;
#endif
    return d;
}

/* x / p from p's inverse, where neither p nor the quotient is odd (a quotient below 2^-1074 is 0). */
TILE_FN double slu_quotient(double x, double p, double inverse)
{
#if defined(__CUDA_ARCH__)
    const double q = __dmul_rn(x, inverse);
    return __fma_rn(inverse, __fma_rn(-p, q, x), q);
#else
    (void)inverse;
    return x / p;
#endif
}

/* x / p three operations earlier, except for a rare last bit, or the sign of 0: the caller must compare. */
TILE_FN double slu_early_quotient(double x, const slu_divisor *d)
{
#if defined(__CUDA_ARCH__)
    const double rough = __dmul_rn(x, d->rough), q = __fma_rn(rough, d->lacks, rough);
    return __fma_rn(d->good, __fma_rn(-d->p, q, x), q);
#else
    return x / d->p;
#endif
}

/* ---- lu0 ---- */

TILE_FN double slu_from(warp *w, double mine, uint32_t from)
{
#if defined(__CUDA_ARCH__)
    (void)w;
    return __shfl_sync(WARP_ALL, mine, (int)from);
#else
    uint64_t bits;
    uint32_t low, high;
    memcpy(&bits, &mine, sizeof bits);
    low = warp_from(w, (uint32_t)bits, from);
    high = warp_from(w, (uint32_t)(bits >> 32), from);
    bits = low | (uint64_t)high << 32;
    memcpy(&mine, &bits, sizeof bits);
    return mine;
#endif
}

/* A warp has eight columns, a lane a row of them. Warp o does steps 8 o to 8 o + 7. It puts each column of L into
 * shared memory and goes on; later warps load it from there, a step behind. Rows of U go through shared memory, too. */
#define SLU_COLS (SLU_EDGE / (SLU_THREADS / TILE_WARP))

typedef struct slu_panel {
    double x[SLU_COLS], pivot; /* pivot: of the next step, on all lanes */
    double *rows, *l;          /* in shared memory: this warp's part of the block; a column of L per step */
    slu_divisor last;          /* of the step before; early: this lane's quotient used there */
    double early;
    int me, odd;
} slu_panel;

/* Stores this lane's row for other lanes; loads row k of another: columns from .. to - 1, both even. */
TILE_FN void slu_show(const slu_panel *s, int from, int to)
{
    QUAD_UNROLL
    for (int j = from; j < to; j += 2)
        slu_store(s->rows + s->me * SLU_LD + j, slu_pair_of(s->x + j));
}
TILE_FN void slu_see(const slu_panel *s, double u[SLU_COLS], int k, int from, int to)
{
    QUAD_UNROLL
    for (int j = from; j < to; j += 2)
        slu_two_of(u + j, slu_load(s->rows + k * SLU_LD + j));
}

/* Subtracts l times row u, from column `first` on. Finished rows take part with l = 0, which changes nothing. */
TILE_FN void slu_update(slu_panel *s, double l, const double u[SLU_COLS], int first)
{
    QUAD_UNROLL
    for (int j = first; j < SLU_COLS; j++)
        s->x[j] -= l * u[j];
}

/* The owner of step i of a panel signals the warps behind it, `team_size` lanes with its own, that its column of L is
 * stored, and goes on; they wait for that. Each step has its own barrier, since an owner may be several steps ahead. */
TILE_FN void slu_meet(const heddle_thread *thread, int i, int team_size, int is_owner)
{
#if defined(__CUDA_ARCH__)
    (void)thread;
    if (is_owner)
        asm volatile("bar.arrive %0, %1;" ::"r"((int)HEDDLE_BARRIER_FREE + i), "r"(team_size) : "memory");
    else
        asm volatile("bar.sync %0, %1;" ::"r"((int)HEDDLE_BARRIER_FREE + i), "r"(team_size) : "memory");
#else
    (void)i, (void)team_size, (void)is_owner;
    heddle_team_barrier(thread);
#endif
}

/* Computes the next pivot on all lanes, from the rows of this one and the next: the way from pivot to pivot has no
 * exchange. Then loads the rest of row k. */
TILE_FN void slu_look_ahead(warp *w, slu_panel *s, const slu_divisor *d, double u[SLU_COLS], int k, int i)
{
    const int is_shown = s->me == k || s->me == k + 1, from = i / 2 * 2, to = (i + 3) / 2 * 2;
    double below[SLU_COLS];
    if (is_shown)
        slu_show(s, from, to);
    warp_meet(w);
    slu_see(s, u, k, from, to);
    slu_see(s, below, k + 1, from, to);
    if (is_shown)
        slu_show(s, to, SLU_COLS);
    warp_meet(w);
    slu_see(s, u, k, to, SLU_COLS);
    s->pivot = below[i + 1] - slu_early_quotient(below[i], d) * u[i + 1];
}
#define SLU_MEETINGS(i) ((i) + 1 < SLU_COLS ? 2 : 0) /* of an owner's step */

/* Computes the exact quotient of step k, number i, late, off the critical path. */
TILE_FN void slu_settle(slu_panel *s, int k, int i)
{
    const double sure = slu_quotient(s->x[i], s->last.p, s->last.inverse);
    s->odd |= !(s->early == sure);
    s->x[i] = s->me > k ? sure : s->x[i];
}

/* Whether a pivot or a quotient of the panel from step k on was odd. */
TILE_FN int slu_has_odd(const slu_panel *s, int k)
{
    int odd = 0;
    QUAD_UNROLL
    for (int i = 0; i < SLU_COLS; i++)
        odd |= (s->me >= k + i) & slu_is_odd(s->x[i], s->me > k + i);
    return odd;
}

TILE_FN void slu_eliminate(warp *w, slu_panel *s, int k, int i)
{
    const slu_divisor d = slu_divisor_of(s->pivot);
    double u[SLU_COLS], early, l;
    if (i + 1 < SLU_COLS)
        slu_look_ahead(w, s, &d, u, k, i);
    early = slu_early_quotient(s->x[i], &d);
    l = s->me > k ? early : 0;
    s->l[k * SLU_EDGE + s->me] = l;
    slu_update(s, l, u, i + 1);
    if (i > 0)
        slu_settle(s, k - 1, i - 1);
    s->last = d;
    s->early = early;
}

/* The warp's own panel, from step k on. */
TILE_FN void slu_lead(const heddle_thread *thread, warp *w, slu_panel *s, int k, int team_size)
{
    QUAD_UNROLL
    for (int i = 0; i < SLU_COLS; i++) {
        slu_eliminate(w, s, k + i, i);
        slu_meet(thread, i, team_size, 1);
    }
    slu_settle(s, k + SLU_COLS - 1, SLU_COLS - 1);
    s->odd |= slu_has_odd(s, k);
}

/* The panel of an earlier warp. */
TILE_FN void slu_follow(const heddle_thread *thread, warp *w, slu_panel *s, int k, int team_size)
{
    QUAD_UNROLL
    for (int i = 0; i < SLU_COLS; i++) {
        double u[SLU_COLS];
        if (s->me == k + i)
            slu_show(s, 0, SLU_COLS);
        warp_skip(w, SLU_MEETINGS(i));
        slu_meet(thread, i, team_size, 0);
        slu_see(s, u, k + i, 0, SLU_COLS);
        slu_update(s, s->l[(k + i) * SLU_EDGE + s->me], u, 0);
    }
}

/* The panel of a later warp: only an emulated warp has something to do. */
TILE_FN void slu_rest(const heddle_thread *thread, warp *w)
{
#if defined(__CUDA_ARCH__)
    (void)thread;
    (void)w;
#else
    for (int i = 0; i < SLU_COLS; i++) {
        warp_skip(w, SLU_MEETINGS(i));
        heddle_team_barrier(thread);
    }
#endif
}

TILE_FN void slu_take_part(const heddle_thread *thread, warp *w, slu_panel *s, int owner)
{
    const int k = owner * SLU_COLS, team_size = SLU_THREADS - owner * TILE_WARP;
    s->pivot = slu_from(w, s->x[0], (uint32_t)k);
    if ((int)w->id == owner)
        slu_lead(thread, w, s, k, team_size);
    else if ((int)w->id > owner)
        slu_follow(thread, w, s, k, team_size);
    else
        slu_rest(thread, w);
}

/* The block at d->a, in place. */
TILE_FN void slu_eliminate_all(const heddle_thread *thread, const slu_desk *d)
{
    warp w = warp_of(thread);
    slu_panel s;
    s.rows = d->a + (int)w.id * SLU_COLS;
    s.l = d->b;
    s.me = (int)w.at;
    s.odd = 0;
    slu_see(&s, s.x, s.me, 0, SLU_COLS);
    for (int owner = 0; owner < SLU_EDGE / SLU_COLS; owner++)
        slu_take_part(thread, &w, &s, owner);
    slu_show(&s, 0, SLU_COLS);
    if (s.odd)
        HEDDLE_ATOMIC_STORE(d->odd, 1u, RELAXED, BLOCK);
}

/* Returns 0 when the plain loops must do it. */
QUAD_APART int slu_decompose(const heddle_thread *thread, double *a)
{
    const slu_desk d = slu_desk_of(thread);
    slu_bring(thread, d.a, a);
    if (thread->index == 0)
        HEDDLE_ATOMIC_STORE(d.odd, 0u, RELAXED, BLOCK);
    quad_arrived();
    slu_barrier(thread);
    slu_eliminate_all(thread, &d);
    slu_barrier(thread);
    if (HEDDLE_ATOMIC_LOAD(d.odd, RELAXED, BLOCK))
        return 0;
    slu_take_back(thread, a, d.a);
    return 1;
}

/* ---- solvers ---- */

/* The factor of unknown k in equation i is at t[i * eq + k * un]. */
typedef struct slu_triangle {
    const double *t, *pivot, *inverse;
    int eq, un, divides;
} slu_triangle;

/* Solves four unknowns from number `at` on; earlier ones have been subtracted. */
TILE_FN int slu_solve_4(const slu_triangle *t, double v[SLU_PARTS], int at)
{
    int odd = 0;
    QUAD_UNROLL
    for (int i = 0; i < SLU_PARTS; i++) {
        QUAD_UNROLL
        for (int k = 0; k < i; k++)
            v[i] -= t->t[(at + i) * t->eq + (at + k) * t->un] * v[k];
        if (t->divides) {
            v[i] = slu_quotient(v[i], t->pivot[at + i], t->inverse[at + i]);
            odd |= slu_is_odd(v[i], 1);
        }
    }
    return odd;
}

/* Solves this lane's unknowns, part, part + 4, ..., of its system. Returns whether a number was odd. */
TILE_FN int slu_solve(const heddle_thread *thread, const slu_triangle *t, double x[SLU_MINE])
{
    warp w = warp_of(thread);
    const uint32_t part = w.at % SLU_PARTS, first = w.at - part;
    int odd = 0;
    QUAD_UNROLL
    for (int m = 0; m < SLU_MINE; m++) {
        double v[SLU_PARTS];
        QUAD_UNROLL
        for (int e = 0; e < SLU_PARTS; e++)
            v[e] = slu_from(&w, x[m], first + (uint32_t)e);
        odd |= slu_solve_4(t, v, SLU_PARTS * m);
        x[m] = part < 2 ? (part == 0 ? v[0] : v[1]) : part == 2 ? v[2] : v[3];
        QUAD_UNROLL
        for (int n = m + 1; n < SLU_MINE; n++) {
            const double *row = t->t + (SLU_PARTS * n + (int)part) * t->eq + SLU_PARTS * m * t->un;
            QUAD_UNROLL
            for (int e = 0; e < SLU_PARTS; e++)
                x[n] -= row[e * t->un] * v[e];
        }
    }
    return odd;
}

/* Unknown m of this lane is at x[at + m * step]; a system is a column of X, or a row. */
typedef struct slu_spot {
    int at, step;
} slu_spot;

TILE_FN slu_spot slu_spot_of(const heddle_thread *thread, int is_row)
{
    const int me = quad_anew(thread->index), system = me / SLU_PARTS, part = me % SLU_PARTS;
    slu_spot s;
    s.at = is_row ? system * SLU_EDGE + part : part * SLU_EDGE + system;
    s.step = is_row ? SLU_PARTS : SLU_PARTS * SLU_EDGE;
    return s;
}

/* L X = A: a column is a system. */
QUAD_APART void slu_forward(const heddle_thread *thread, const double *l, double *x)
{
    const slu_desk d = slu_desk_of(thread);
    const slu_triangle t = {d.a, NULL, NULL, SLU_LD, 1, 0};
    const slu_spot s = slu_spot_of(thread, 0);
    double mine[SLU_MINE];
    slu_bring(thread, d.a, l);
    QUAD_UNROLL
    for (int m = 0; m < SLU_MINE; m++)
        mine[m] = x[s.at + m * s.step];
    quad_arrived();
    slu_barrier(thread);
    (void)slu_solve(thread, &t, mine);
    QUAD_UNROLL
    for (int m = 0; m < SLU_MINE; m++)
        x[s.at + m * s.step] = mine[m];
}

/* X U = A: a row is a system. Returns 0 when the plain loops must do it. */
QUAD_APART int slu_backward(const heddle_thread *thread, const double *u, double *x)
{
    const slu_desk d = slu_desk_of(thread);
    const slu_triangle t = {d.a, d.pivot, d.inverse, 1, SLU_LD, 1};
    const slu_spot s = slu_spot_of(thread, 1);
    double mine[SLU_MINE];
    int odd = 0;
    slu_bring(thread, d.a, u);
    QUAD_UNROLL
    for (int m = 0; m < SLU_MINE; m++)
        mine[m] = x[s.at + m * s.step];
    if (thread->index < SLU_EDGE) {
        const double p = u[(int)thread->index * (SLU_EDGE + 1)];
        d.pivot[thread->index] = p;
        d.inverse[thread->index] = slu_divisor_of(p).inverse;
        odd = slu_is_odd(p, 0);
    }
    if (thread->index == 0)
        HEDDLE_ATOMIC_STORE(d.odd, 0u, RELAXED, BLOCK);
    quad_arrived();
    slu_barrier(thread);
    if (slu_solve(thread, &t, mine) | odd)
        HEDDLE_ATOMIC_STORE(d.odd, 1u, RELAXED, BLOCK);
    slu_barrier(thread);
    if (HEDDLE_ATOMIC_LOAD(d.odd, RELAXED, BLOCK))
        return 0;
    QUAD_UNROLL
    for (int m = 0; m < SLU_MINE; m++)
        x[s.at + m * s.step] = mine[m];
    return 1;
}

/* ---- product ---- */

/* Columns k and k + 1 of A times those rows of B: two rows of four numbers, two in each half of the block. */
TILE_FN void slu_multiply_2(double c[2][4], const double *a, const double *b)
{
    slu_pair l[2];
    QUAD_UNROLL
    for (int i = 0; i < 2; i++)
        l[i] = slu_load(a + i * SLU_LD);
    QUAD_UNROLL
    for (int k = 0; k < 2; k++)
        QUAD_UNROLL
    for (int h = 0; h < 2; h++) {
        const slu_pair u = slu_load(b + k * SLU_LD + h * (SLU_EDGE / 2));
        QUAD_UNROLL
        for (int i = 0; i < 2; i++)
            QUAD_UNROLL
        for (int j = 0; j < 2; j++)
            c[i][2 * h + j] -= l[i].v[k] * u.v[j];
    }
}

/* C -= A B. Eight lanes stand side by side. */
QUAD_APART void slu_product(const heddle_thread *thread, const double *a, const double *b, double *c)
{
    const slu_desk d = slu_desk_of(thread);
    const int me = quad_anew(thread->index), row = me / 8 * 2, col = me % 8 * 2;
    double x[2][4];
    slu_bring(thread, d.a, a);
    slu_bring(thread, d.b, b);
    QUAD_UNROLL
    for (int i = 0; i < 4; i++) {
        slu_two_of(x[i / 2] + i % 2 * 2, slu_load(c + (row + i / 2) * SLU_EDGE + col + i % 2 * (SLU_EDGE / 2)));
    }
    quad_arrived();
    slu_barrier(thread);
    QUAD_UNROLL_4
    for (int k = 0; k < SLU_EDGE; k += 2)
        slu_multiply_2(x, d.a + row * SLU_LD + k, d.b + k * SLU_LD + col);
    QUAD_UNROLL
    for (int i = 0; i < 4; i++) {
        slu_store(c + (row + i / 2) * SLU_EDGE + col + i % 2 * (SLU_EDGE / 2), slu_pair_of(x[i / 2] + i % 2 * 2));
    }
}

#endif
