/* SPDX-License-Identifier: MIT */
/* strides.c - the bodies of matmul and hotspot on a part of their indices, with rows of each array a distance of its own apart. matmul also
 * takes a part of the columns of A at a time. The bytes are those of one call for all, with rows side by side, and bytes beyond the part
 * stay. By a lone thread, and on emulated blocks of 8 threads and of as many as matmul is tuned for. Parts are aligned to quads, or not. */
#include "backend/serial/team.h"
#include "check.h"
#include "hotspot_bodies.h"
#include "matmul_bodies.h"
#include "noise.h"

#include <string.h>

enum { ROWS = 150, COLS = 144, K = 44, MOST_BYTES = ROWS * (COLS * 4 + 64), PATTERN = 0x77 };

/* Numbers; from row to row there are `stride` bytes. */
typedef struct array {
    uint64_t n_rows, n_cols, stride;
    uint8_t at[MOST_BYTES] __attribute__((aligned(64)));
} array;

static void make(array *a, uint64_t n_rows, uint64_t n_cols, uint64_t stride, uint64_t seed)
{
    CHECK(n_rows * stride <= MOST_BYTES && stride >= n_cols * 4);
    a->n_rows = n_rows;
    a->n_cols = n_cols;
    a->stride = stride;
    memset(a->at, PATTERN, sizeof a->at);
    for (uint64_t i = 0; seed && i < n_rows * n_cols; i++) {
        const float f = (float)(2 * noise_unit(seed, i) - 1);
        memcpy(a->at + i / n_cols * stride + i % n_cols * 4, &f, 4);
    }
}

static void call(const heddle_body_info *body, const void *record, const heddle_span *s, uint32_t team_size)
{
    static _Alignas(128) unsigned char shared[HEDDLE_REDUCE_BYTES + 16384];
    heddle_failure failure = {0};
    const heddle_thread thread = heddle_thread_alone(&failure, shared);
    hd_team_of_threads *team;
    uint32_t left, waited;
    if (team_size == 1) {
        body->run(&thread, record, s);
        return;
    }
    team = hd_team_of_threads_new(team_size);
    CHECK(team && !hd_team_of_threads_run(team, body, &thread, record, s, &left, &waited));
    hd_team_of_threads_free(team);
}

/* got has what want has within the span, and the pattern elsewhere. */
static void compare(const array *got, const array *want, const heddle_span *s, const char *what)
{
    for (uint64_t at = 0; at < sizeof got->at; at++) {
        const uint64_t row = at / got->stride, col = at % got->stride / 4;
        const int is_in = row >= s->begin && row < s->end && col >= s->begin_2 && col < s->end_2;
        const uint8_t right = is_in ? want->at[row * want->stride + at % got->stride] : PATTERN;
        CHECK_MSG(got->at[at] == right, "%s: another byte in row %d, column %d", what, (int)row, (int)col);
    }
}

/* ---- matmul ---- */

static void set_strides(matmul_record *r, const array *a, const array *b, array *c)
{
    r->a = a->at;
    r->b = b->at;
    r->c = c->at;
    r->a_stride = a->stride;
    r->b_stride = b->stride;
    r->c_stride = c->stride;
    r->tuned = 1;
}

static void check_matmul(uint32_t body, const heddle_span *s, uint64_t more, uint64_t cut, uint32_t team_size)
{
    static array a[2], b[2], c[2];
    const heddle_span all = {0, ROWS, 0, COLS, 0};
    matmul_record r = {.to = K};
    for (uint64_t i = 0; i < 2; i++) {
        make(&a[i], ROWS, K, (K + i * more) * 4, 1);
        make(&b[i], K, COLS, (COLS + i * 2 * more) * 4, 2);
        make(&c[i], ROWS, COLS, (COLS + i * 3 * more) * 4, 0);
    }
    set_strides(&r, &a[0], &b[0], &c[0]);
    call(&matmul.bodies[body], &r, &all, 1);
    set_strides(&r, &a[1], &b[1], &c[1]);
    r.to = cut;
    call(&matmul.bodies[body], &r, s, team_size);
    r.from = cut;
    r.to = K;
    r.adds = 1;
    call(&matmul.bodies[body], &r, s, team_size);
    compare(&c[1], &c[0], s, matmul.bodies[body].name);
}

/* ---- hotspot ---- */

static void check_hotspot(const heddle_span *s, uint64_t more, uint32_t team_size)
{
    static array from[2], power[2], to[2];
    const heddle_span all = {0, ROWS, 0, COLS, 0};
    for (uint64_t i = 0; i < 2; i++) {
        make(&from[i], ROWS, COLS, (COLS + i * more) * 4, 1);
        make(&power[i], ROWS, COLS, (COLS + i * 2 * more) * 4, 2);
        make(&to[i], ROWS, COLS, (COLS + i * 3 * more) * 4, 0);
        const hotspot_record r = {.from = (const float *)(const void *)from[i].at,
                                  .power = (const float *)(const void *)power[i].at,
                                  .to = (float *)(void *)to[i].at,
                                  .from_stride = from[i].stride,
                                  .power_stride = power[i].stride,
                                  .to_stride = to[i].stride,
                                  .rows = ROWS,
                                  .cols = COLS,
                                  .warms = 0.1f,
                                  .flow_x = 0.3f,
                                  .flow_y = 0.4f,
                                  .flow_z = 0.01f,
                                  .ambient = -5,
                                  .tuned = 1};
        call(&hotspot.bodies[hotspot_step], &r, i ? s : &all, i ? team_size : 1);
    }
    compare(&to[1], &to[0], s, "hotspot_step");
}

int main(void)
{
    static const heddle_span spans[] = {{0, ROWS, 0, COLS, 0}, {5, 141, 4, 136, 0}, {8, 137, 3, 144, 0}};
    static const uint32_t teams[] = {1, 8, MATMUL_TEAM};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        for (size_t t = 0; t < sizeof teams / sizeof *teams; t++)
            for (uint64_t more = 1; more <= 4; more += 3) {
                check_matmul(matmul_f32, &spans[i], more, 17, teams[t]);
                check_matmul(matmul_f32, &spans[i], more, 16, teams[t]);
                check_matmul(matmul_i32, &spans[i], more, 24, teams[t]);
                check_hotspot(&spans[i], more, teams[t]);
            }
    return 0;
}
