/* SPDX-License-Identifier: MIT */
/* segment.c - the directory of pieces of arrays (src/engine/multi/segment.h) where the answer is known: what is refused, what waits for
 * what, which bytes travel, what stays in a pool, what is lost with a device, how much the books take; every allocation fails once.
 * Prints what a call takes. Random sequences are in sequences.c. */
#include "check.h"
#include "engine/multi/segment.h"

#include <string.h>
#include <time.h>

#define MIB (1ull << 20)

typedef struct rig {
    hd_segments *s;
    hd_seg_plan plan;
    uint64_t n_given[HD_N_ROLES * 8];
} rig;

static rig open_rig(uint32_t n_devices, uint64_t pool_bytes, hd_next_use_fn next_use, void *user)
{
    uint64_t pools[8];
    const hd_segments_config c = {n_devices, pools, NULL, next_use, user};
    rig r = {0};
    for (uint32_t i = 0; i < n_devices; i++)
        pools[i] = pool_bytes;
    CHECK(hd_segments_new(&r.s, &c) == HEDDLE_OK);
    return r;
}

static void close_rig(rig *r)
{
    hd_segments_delete(r->s);
    hd_seg_plan_clear(&r->plan);
}

static uint32_t add(rig *r, uint64_t n_rows, uint64_t row_bytes)
{
    uint32_t array;
    CHECK(hd_segments_add(r->s, n_rows, row_bytes, row_bytes, &array) == HEDDLE_OK);
    return array;
}

static hd_seg_use use(uint32_t array, heddle_mode mode, uint64_t row, uint64_t end_row, uint64_t byte,
                      uint64_t end_byte)
{
    const hd_seg_rect rect = {row, end_row, byte, end_byte};
    return (hd_seg_use){array, mode, rect, rect, 0};
}

static heddle_status give(rig *r, uint32_t device, const hd_seg_use *uses, uint32_t n)
{
    const heddle_status status = hd_segments_give(r->s, device, HD_QUEUE_BODIES, uses, n, &r->plan);
    for (uint64_t i = 0; i < r->plan.ops.n; i++) {
        const hd_seg_point p = ((const hd_seg_op *)r->plan.ops.at)[i].point;
        CHECK(p.number == ++r->n_given[p.queue]);
    }
    return status;
}

static const hd_seg_op *op(const rig *r, uint64_t i)
{
    CHECK(i < r->plan.ops.n);
    return (const hd_seg_op *)r->plan.ops.at + i;
}

static int waits_for(const rig *r, const hd_seg_op *o, uint32_t queue, uint64_t number)
{
    for (uint32_t i = 0; i < o->n_waits; i++) {
        const hd_seg_point p = ((const hd_seg_point *)r->plan.waits.at)[o->first_wait + i];
        if (p.queue == queue && p.number == number)
            return 1;
    }
    return 0;
}

static void all_done(rig *r, uint32_t n_devices)
{
    for (uint32_t q = 0; q < HD_N_ROLES * n_devices; q++)
        hd_segments_done(r->s, (hd_seg_point){q, r->n_given[q]});
    for (uint64_t body = 1; body <= r->plan.body; body++)
        hd_segments_ended(r->s, body);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------- */

static void refuse(rig *r, uint32_t device, hd_seg_use u, heddle_status expected)
{
    hd_segments_counts before, after;
    hd_segments_count(r->s, &before);
    CHECK(give(r, device, &u, 1) == expected && r->plan.ops.n == 0);
    hd_segments_count(r->s, &after);
    CHECK(after.n_windows == before.n_windows && after.n_cells == before.n_cells && after.n_left == before.n_left);
}

static void test_refused(void)
{
    rig r = open_rig(2, 4096, NULL, NULL);
    const uint64_t pool = 1;
    hd_segments_config c = {0, &pool, NULL, NULL, NULL};
    hd_segments *s;
    const uint32_t a = add(&r, 64, 256);
    hd_seg_use u = use(a, HEDDLE_MODE_IN, 0, 1, 0, 256), two[2];
    const hd_seg_rect outside = {0, 65, 0, 256};
    uint32_t array;
    CHECK(hd_segments_new(&s, &c) == HEDDLE_EINVAL && !s);
    c.n_devices = HD_SEGMENTS_MOST_DEVICES + 1;
    CHECK(hd_segments_new(&s, &c) == HEDDLE_EINVAL && !s);
    CHECK(hd_segments_add(r.s, 0, 1, 1, &array) == HEDDLE_EINVAL &&
          hd_segments_add(r.s, 1, 2, 1, &array) == HEDDLE_EINVAL);
    CHECK(hd_segments_add(r.s, 1ull << 40, 1, 1ull << 40, &array) == HEDDLE_EINVAL);
    refuse(&r, 2, u, HEDDLE_EINVAL);
    refuse(&r, 0, use(a + 1, HEDDLE_MODE_IN, 0, 1, 0, 256), HEDDLE_EINVAL);
    refuse(&r, 0, use(a, (heddle_mode)4, 0, 1, 0, 256), HEDDLE_EINVAL);
    refuse(&r, 0, use(a, HEDDLE_MODE_IN, 1, 1, 0, 256), HEDDLE_EINVAL);
    refuse(&r, 0, use(a, HEDDLE_MODE_IN, 0, 65, 0, 256), HEDDLE_EINVAL);
    u.hull.row = 1;
    refuse(&r, 0, u, HEDDLE_EINVAL);
    two[0] = use(a, HEDDLE_MODE_OUT, 0, 2, 0, 256);
    two[1] = use(a, HEDDLE_MODE_INOUT, 1, 3, 0, 256);
    CHECK(give(&r, 0, two, 2) == HEDDLE_EINVAL);
    CHECK(hd_segments_fetch(r.s, a, &outside, &r.plan) == HEDDLE_EINVAL);
    CHECK(hd_segments_wrote(r.s, a, &outside, &r.plan) == HEDDLE_EINVAL);
    refuse(&r, 0, use(a, HEDDLE_MODE_IN, 0, 17, 0, 256), HEDDLE_ERANGE); /* 17 units, and there are 16 */
    CHECK(r.plan.need_bytes == 17 * 256);
    u = use(a, HEDDLE_MODE_IN, 0, 16, 0, 256);
    CHECK(give(&r, 0, &u, 1) == HEDDLE_OK && hd_segments_used(r.s, 0) == 4096);
    two[0] = use(a, HEDDLE_MODE_IN, 20, 24, 0, 256); /* lies in the other one, and needs nothing of its own */
    two[1] = use(a, HEDDLE_MODE_IN, 20, 36, 0, 256);
    CHECK(give(&r, 0, two, 2) == HEDDLE_OK && hd_segments_used(r.s, 0) == 4096);
    close_rig(&r);
}

/* ---- what waits for what --------------------------------------------------------------------------------------------- */

static void test_waits(void)
{
    rig r = open_rig(2, MIB, NULL, NULL);
    const uint32_t a = add(&r, 64, 256), b = add(&r, 64, 256);
    hd_seg_use u[2] = {use(a, HEDDLE_MODE_IN, 0, 64, 0, 256), use(b, HEDDLE_MODE_OUT, 0, 64, 0, 256)};
    CHECK(give(&r, 0, u, 2) == HEDDLE_OK && r.plan.ops.n == 2);
    CHECK(!op(&r, 0)->is_body && op(&r, 0)->point.queue == HD_QUEUE_IN && op(&r, 0)->n_waits == 0);
    CHECK(op(&r, 1)->is_body && op(&r, 1)->n_waits == 1 && waits_for(&r, op(&r, 1), HD_QUEUE_IN, 1));
    CHECK(give(&r, 0, u, 2) == HEDDLE_OK && r.plan.ops.n == 1 && op(&r, 0)->n_waits == 0); /* all is there */
    u[0] = use(b, HEDDLE_MODE_IN, 10, 20, 0, 256);
    CHECK(give(&r, 1, u, 1) == HEDDLE_OK && r.plan.ops.n == 2); /* from the other device, when it is ready */
    CHECK(op(&r, 0)->from == 0 && op(&r, 0)->to == 1 && op(&r, 0)->n_waits == 1 &&
          waits_for(&r, op(&r, 0), HD_QUEUE_BODIES, 2));
    u[0] = use(b, HEDDLE_MODE_OUT, 0, 64, 0, 256); /* written again, when it has been read */
    CHECK(give(&r, 0, u, 1) == HEDDLE_OK && op(&r, 0)->n_waits == 1 &&
          waits_for(&r, op(&r, 0), hd_seg_queue(1, HD_QUEUE_IN), 1));
    CHECK(hd_segments_fetch(r.s, b, &u[0].rect, &r.plan) == HEDDLE_OK && r.plan.ops.n == 1 && r.plan.n_host_waits == 1);
    CHECK(op(&r, 0)->to == HD_HOME && waits_for(&r, op(&r, 0), HD_QUEUE_BODIES, 3));
    CHECK(((hd_seg_point *)r.plan.waits.at)[r.plan.first_host_wait].queue == HD_QUEUE_OUT);
    hd_segments_done(r.s, (hd_seg_point){HD_QUEUE_OUT, 1});
    CHECK(hd_segments_fetch(r.s, b, &u[0].rect, &r.plan) == HEDDLE_OK && r.plan.ops.n == 0 && r.plan.n_host_waits == 0);
    CHECK(hd_segments_wrote(r.s, a, &u[0].rect, &r.plan) == HEDDLE_OK && r.plan.n_host_waits == 1);
    hd_segments_done(r.s, (hd_seg_point){HD_QUEUE_IN, 1});
    CHECK(hd_segments_wrote(r.s, a, &u[0].rect, &r.plan) == HEDDLE_OK && r.plan.n_host_waits == 0);
    close_rig(&r);
}

/* A move joins cells of the same source, over rows and over columns. */
static void test_moves_joined(void)
{
    rig r = open_rig(2, MIB, NULL, NULL);
    const uint32_t a = add(&r, 64, 256);
    hd_seg_use u;
    for (uint32_t i = 0; i < 16; i++) {
        u = use(a, HEDDLE_MODE_IN, 16 * (i / 4), 16 * (i / 4) + 16, 64 * (i % 4), 64 * (i % 4) + 64);
        CHECK(give(&r, 0, &u, 1) == HEDDLE_OK);
    }
    hd_segments_lost(r.s, 0, NULL, NULL); /* nothing is: home has all */
    u = use(a, HEDDLE_MODE_IN, 0, 64, 0, 256);
    CHECK(give(&r, 1, &u, 1) == HEDDLE_OK && r.plan.ops.n == 2 && !memcmp(&op(&r, 0)->rect, &u.rect, sizeof u.rect));
    CHECK(give(&r, 0, &u, 1) == HEDDLE_EDEVICE);
    close_rig(&r);
}

/* ---- windows --------------------------------------------------------------------------------------------------------- */

static void test_windows(void)
{
    rig r = open_rig(1, 64 * 256, NULL, NULL);
    const uint32_t a = add(&r, 64, 1024);
    hd_seg_use u = use(a, HEDDLE_MODE_IN, 8, 12, 64, 128);
    hd_segments_counts c;
    u.is_packed = 1; /* 4 rows of 64 bytes, from where row 0 would begin a unit */
    CHECK(give(&r, 0, &u, 1) == HEDDLE_OK && r.plan.places[0].stride == 64 &&
          r.plan.places[0].at % 256 == (8 * 64 + 64) % 256);
    u.is_packed = 0; /* 3 rows of 1024 bytes, and a part of a row */
    CHECK(give(&r, 0, &u, 1) == HEDDLE_OK && r.plan.places[0].stride == 1024 && r.plan.places[0].at % 256 == 64);
    CHECK(op(&r, 0)->from == 0 && op(&r, 0)->to == 0); /* within the device */
    hd_segments_count(r.s, &c);
    CHECK(c.n_windows == 2);
    u = use(a, HEDDLE_MODE_IN, 20, 22, 0, 1024);
    u.hull.end_row = 28; /* 8 rows are free */
    CHECK(give(&r, 0, &u, 1) == HEDDLE_OK);
    u = use(a, HEDDLE_MODE_IN, 26, 28, 0, 1024);
    CHECK(give(&r, 0, &u, 1) == HEDDLE_OK);
    hd_segments_count(r.s, &c);
    CHECK(c.n_windows == 3 && c.n_left == 0);
    u = use(a, HEDDLE_MODE_IN, 40, 42, 0, 1024);
    u.hull.end_row = 64; /* is not free: so 2 rows */
    CHECK(give(&r, 0, &u, 1) == HEDDLE_OK);
    hd_segments_count(r.s, &c);
    CHECK(c.n_windows == 4 && c.n_left == 0);
    close_rig(&r);
}

/* ---- bytes ----------------------------------------------------------------------------------------------------------- */

/* A stencil over two arrays: after the first step just halo rows travel, and nothing goes home. */
static void stencil(uint32_t n_devices)
{
    const uint64_t n = 60 * n_devices, row_bytes = 1024;
    rig r = open_rig(n_devices, 2 * 64 * row_bytes, NULL, NULL);
    uint64_t from_home = 0;
    uint32_t arrays[2];
    arrays[0] = add(&r, n, row_bytes);
    arrays[1] = add(&r, n, row_bytes);
    for (uint32_t step = 0; step < 20; step++)
        for (uint32_t d = 0; d < n_devices; d++) {
            const uint64_t begin = 60 * d, end = begin + 60, low = d ? begin - 1 : 0, high = end < n ? end + 1 : n;
            hd_seg_use u[2] = {use(arrays[step % 2], HEDDLE_MODE_IN, low, high, 0, row_bytes),
                               use(arrays[1 - step % 2], HEDDLE_MODE_OUT, begin, end, 0, row_bytes)};
            u[1].hull = u[0].hull;
            CHECK(hd_segments_missing(r.s, d, u, 2) == (step ? high - low - 60 : high - low) * row_bytes);
            CHECK(give(&r, d, u, 2) == HEDDLE_OK);
            CHECK(hd_segments_tidy(r.s, d, &r.plan) == HEDDLE_OK && r.plan.ops.n == 0);
        }
    for (uint32_t d = 0; d < n_devices; d++) {
        from_home += hd_segments_moved(r.s, HD_HOME, d);
        CHECK(hd_segments_moved(r.s, d, HD_HOME) == 0 && hd_segments_moved(r.s, d, d) == 0);
        if (d == 0) /* in the first step the upper neighbour has two rows, which come from there */
            continue;
        CHECK(hd_segments_moved(r.s, d - 1, d) == (19 + 2) * row_bytes &&
              hd_segments_moved(r.s, d, d - 1) == 19 * row_bytes);
    }
    CHECK(from_home == n * row_bytes);
    close_rig(&r);
}

/* All devices read the same matrix: it crosses the host's links once. */
static void test_relay(void)
{
    rig r = open_rig(4, 4 * MIB, NULL, NULL);
    const uint32_t a = add(&r, 1024, 1024);
    const hd_seg_use u = use(a, HEDDLE_MODE_IN, 0, 1024, 0, 1024);
    uint64_t from_home = 0, most = 0;
    for (uint32_t d = 0; d < 4; d++)
        CHECK(give(&r, d, &u, 1) == HEDDLE_OK);
    for (uint32_t d = 0; d < 4; d++) {
        from_home += hd_segments_moved(r.s, HD_HOME, d);
        for (uint32_t e = 0; e < 4; e++)
            most = hd_segments_moved(r.s, d, e) > most ? hd_segments_moved(r.s, d, e) : most;
    }
    CHECK(from_home == MIB && most == MIB); /* and no device sends it twice to one */
    close_rig(&r);
}

#define TILES 16u
#define BLOCK 4u
#define TILE_BYTES (64u * 64u)

/* Bodies of a product of matrices of TILES x TILES tiles, in blocks of BLOCK x BLOCK tiles of the result. */
typedef struct product {
    uint32_t n, now;
    struct {
        uint32_t i, j, k;
    } order[TILES * TILES * TILES];
    uint32_t arrays[3];
} product;

static void lay_down(product *p)
{
    for (uint32_t block = 0; block < TILES / BLOCK * (TILES / BLOCK); block++)
        for (uint32_t k = 0; k < TILES; k++)
            for (uint32_t t = 0; t < BLOCK * BLOCK; t++) {
                const uint32_t i = block / (TILES / BLOCK) * BLOCK + t / BLOCK,
                               j = block % (TILES / BLOCK) * BLOCK + t % BLOCK;
                p->order[p->n].i = i;
                p->order[p->n].j = j;
                p->order[p->n++].k = block % 2 ? TILES - 1 - k : k;
            }
}

static void tile_uses(const product *p, uint32_t at, hd_seg_use *u)
{
    const uint32_t rows[3] = {p->order[at].i, p->order[at].k, p->order[at].i};
    const uint32_t columns[3] = {p->order[at].k, p->order[at].j, p->order[at].j};
    const int is_first =
        p->order[at].k == (p->order[at].i / BLOCK * (TILES / BLOCK) + p->order[at].j / BLOCK) % 2 * (TILES - 1);
    for (uint32_t x = 0; x < 3; x++) {
        u[x] =
            use(p->arrays[x], HEDDLE_MODE_IN, 64 * rows[x], 64 * rows[x] + 64, 64 * columns[x], 64 * columns[x] + 64);
        u[x].is_packed = 1;
    }
    u[2].mode = is_first ? HEDDLE_MODE_OUT : HEDDLE_MODE_INOUT;
}

static uint64_t next_use(void *user, uint32_t device, uint32_t array, const hd_seg_rect *rect)
{
    const product *p = user;
    const uint64_t row = rect->row / 64, column = rect->byte / 64;
    (void)device;
    for (uint32_t at = p->now; at < p->n; at++)
        if (array == p->arrays[0]   ? p->order[at].i == row && p->order[at].k == column
            : array == p->arrays[1] ? p->order[at].k == row && p->order[at].j == column
                                    : p->order[at].i == row && p->order[at].j == column)
            return at;
    return UINT64_MAX - 1;
}

/* A product in a pool of 26 tiles, of 768. A block of the result stays while its rows and columns pass by. */
static void test_product(void)
{
    static product p;
    const uint64_t model = (2ull * TILES * TILES * TILES / BLOCK + TILES * TILES) * TILE_BYTES;
    const hd_seg_rect all = {0, 64 * TILES, 0, 64 * TILES};
    rig r = open_rig(1, (BLOCK * BLOCK + 2 * BLOCK + 2) * TILE_BYTES, next_use, &p);
    uint64_t moved;
    for (uint32_t x = 0; x < 3; x++)
        p.arrays[x] = add(&r, 64 * TILES, 64 * TILES);
    lay_down(&p);
    for (p.now = 0; p.now < p.n; p.now++) {
        hd_seg_use u[3];
        tile_uses(&p, p.now, u);
        CHECK(give(&r, 0, u, 3) == HEDDLE_OK);
    }
    CHECK(hd_segments_fetch(r.s, p.arrays[2], &all, &r.plan) == HEDDLE_OK);
    moved = hd_segments_moved(r.s, HD_HOME, 0) + hd_segments_moved(r.s, 0, HD_HOME);
    printf("product out of core: %.3f of the model's bytes\n", (double)moved / (double)model);
    CHECK(moved <= model + model / 10);
    close_rig(&r);
}

/* ---- fetching ahead -------------------------------------------------------------------------------------------------- */

#define PANELS 20u

/* Bodies take panels one after another, and then all once more: that which was used last has the farthest next use. */
static uint64_t next_panel(void *user, uint32_t device, uint32_t array, const hd_seg_rect *rect)
{
    const uint64_t *now = user;
    (void)device, (void)array;
    return (rect->row + PANELS - *now % PANELS) % PANELS;
}

/* A pool of three panels, two bodies under way: what the next one needs comes while these run. */
static void test_ahead(void)
{
    uint64_t now = 0;
    rig r = open_rig(1, 3 * 1024, next_panel, &now);
    const uint32_t a = add(&r, PANELS, 1024);
    for (; now < 3 * PANELS; now++) {
        hd_seg_use u = use(a, HEDDLE_MODE_IN, now % PANELS, now % PANELS + 1, 0, 1024);
        if (now > 1) /* numbers of bodies begin at 1 */
            hd_segments_done(r.s, (hd_seg_point){HD_QUEUE_BODIES, now - 1});
        CHECK(give(&r, 0, &u, 1) == HEDDLE_OK);
        CHECK(r.plan.ops.n == 1 || op(&r, 0)->n_waits == 0);
    }
    CHECK(hd_segments_moved(r.s, HD_HOME, 0) <= 3 * PANELS * 1024);
    close_rig(&r);
}

/* ---- tidying --------------------------------------------------------------------------------------------------------- */

static void test_tidy(void)
{
    rig r = open_rig(1, 40 * 1024, NULL, NULL);
    const uint32_t a = add(&r, 1000, 1024);
    hd_segments_counts c;
    hd_seg_use u;
    for (uint32_t i = 0; i < 44; i++) {
        u = use(a, HEDDLE_MODE_OUT, i, i + 1, 0, 1024);
        CHECK(give(&r, 0, &u, 1) == HEDDLE_OK &&
              r.plan.ops.n == (i < 40 ? 1 : 2)); /* then one must leave, and goes home first */
        if (i == 39)
            CHECK(hd_segments_tidy(r.s, 0, &r.plan) == HEDDLE_OK && r.plan.ops.n == 0);
    }
    CHECK(hd_segments_tidy(r.s, 0, &r.plan) == HEDDLE_OK &&
          r.plan.ops.n == 8); /* a fifth: those that were used longest ago */
    CHECK(op(&r, 0)->rect.row == 4 && op(&r, 7)->rect.row == 11);
    CHECK(hd_segments_tidy(r.s, 0, &r.plan) == HEDDLE_OK && r.plan.ops.n == 0);
    u = use(a, HEDDLE_MODE_OUT, 44, 45, 0, 1024);
    r.n_given[HD_QUEUE_OUT] += 8;
    CHECK(give(&r, 0, &u, 1) == HEDDLE_OK && r.plan.ops.n == 1); /* what leaves is at home already */
    for (uint32_t i = 0; i < 900; i++) {
        u = use(a, HEDDLE_MODE_IN, 50 + i, 51 + i, 0, 1024);
        CHECK(give(&r, 0, &u, 1) == HEDDLE_OK);
    }
    all_done(&r, 1);
    CHECK(hd_segments_tidy(r.s, 0, &r.plan) == HEDDLE_OK);
    hd_segments_count(r.s, &c);
    CHECK_MSG(c.n_cells < 60 && c.n_windows == 40, "%llu cells", (unsigned long long)c.n_cells);
    close_rig(&r);
}

/* ---- a device is lost ------------------------------------------------------------------------------------------------ */

static void note_rows(void *user, uint32_t array, const hd_seg_rect *r)
{
    hd_seg_rect *told = user;
    CHECK(array == 0 && told->end_row == 0);
    *told = *r;
}

static void test_lost(void)
{
    rig r = open_rig(3, MIB, NULL, NULL);
    const uint32_t a = add(&r, 90, 256);
    hd_seg_use u = use(a, HEDDLE_MODE_OUT, 0, 30, 0, 256);
    hd_seg_rect told = {0}, first, all = {0, 90, 0, 256};
    for (uint32_t d = 0; d < 3; d++) {
        u = use(a, HEDDLE_MODE_OUT, 30 * d, 30 * d + 30, 0, 256);
        CHECK(give(&r, d, &u, 1) == HEDDLE_OK);
    }
    u = use(a, HEDDLE_MODE_IN, 40, 50, 0, 256);
    CHECK(give(&r, 0, &u, 1) == HEDDLE_OK); /* has rows 40 .. 49, too: they are there */
    all_done(&r, 3);
    u = use(a, HEDDLE_MODE_IN, 50, 55, 0, 256);
    CHECK(give(&r, 2, &u, 1) == HEDDLE_OK); /* would have rows 50 .. 54, if the device lived so long */
    hd_segments_lost(r.s, 1, NULL, NULL);
    CHECK(hd_segments_is_lost(r.s, a, &all, &first) && first.row == 30 && first.end_row == 40);
    CHECK(!hd_segments_is_lost(r.s, a, &(hd_seg_rect){40, 50, 0, 256}, NULL) &&
          hd_segments_is_lost(r.s, a, &(hd_seg_rect){49, 51, 0, 9}, &first));
    CHECK(first.row == 50 && first.end_row == 51 && first.end_byte == 9);
    CHECK(hd_segments_fetch(r.s, a, &all, &r.plan) == HEDDLE_EDEVICE && r.plan.ops.n == 0);
    CHECK(give(&r, 0, &(hd_seg_use){a, HEDDLE_MODE_IN, {35, 36, 0, 1}, {35, 36, 0, 1}, 0}, 1) == HEDDLE_EDEVICE);
    hd_segments_lost(r.s, 2, note_rows, &told); /* tells of what was not lost before */
    CHECK(told.row == 60 && told.end_row == 90);
    CHECK(hd_segments_wrote(r.s, a, &all, &r.plan) == HEDDLE_OK && !hd_segments_is_lost(r.s, a, &all, NULL));
    close_rig(&r);
}

/* ---- the host's memory and time -------------------------------------------------------------------------------------- */

static int play(rig *r)
{
    const hd_seg_rect all = {0, 64, 0, 256};
    for (uint32_t i = 0; i < 24; i++) {
        hd_seg_use u[2] = {use(0, i % 3 ? HEDDLE_MODE_IN : HEDDLE_MODE_INOUT, i, i + 9, 16 * (i % 8), 256),
                           use(1, HEDDLE_MODE_OUT, i, i + 3, 0, 16 * (i % 4) + 64)};
        if (hd_segments_give(r->s, i % 2, i % 4 < 2 ? HD_QUEUE_BODIES : HD_QUEUE_BODIES_2, u, 2, &r->plan) ||
            hd_segments_tidy(r->s, i % 2, &r->plan))
            return 0;
    }
    return !hd_segments_fetch(r->s, 0, &all, &r->plan) && !hd_segments_wrote(r->s, 1, &all, &r->plan);
}

static int one_run(void)
{
    const uint64_t pools[2] = {4096, 6144};
    const hd_segments_config c = {2, pools, NULL, NULL, NULL};
    rig r = {0};
    uint32_t array;
    int done = hd_segments_new(&r.s, &c) == HEDDLE_OK;
    CHECK(done == (r.s != NULL));
    for (uint32_t i = 0; i < 2 && done; i++)
        done = hd_segments_add(r.s, 64, 256, 256, &array) == HEDDLE_OK;
    done = done && play(&r);
    hd_fail_alloc_at(0);
    if (!done && r.s)
        (void)play(&r); /* whatever failed, the directory goes on */
    close_rig(&r);
    return done;
}

static void test_memory(void)
{
    const uint64_t held = hd_held_bytes();
    uint64_t n = 1;
    for (int done = 0; !done; n++) {
        hd_fail_alloc_at(n);
        done = one_run();
        CHECK(hd_held_bytes() == held);
    }
    CHECK(n > 100);
    hd_segments_delete(NULL);
}

/* Cells of 1 MiB: the books are less than a hundredth of the data. */
static void test_table(void)
{
    const uint32_t n_devices = 4, n = 64;
    rig r = open_rig(n_devices, 2ull * n * n * MIB / n_devices, NULL, NULL);
    hd_segments_counts c;
    uint32_t a;
    CHECK(hd_segments_add(r.s, 1024 * n, 1024 * n, 1024 * n, &a) == HEDDLE_OK);
    for (uint32_t i = 0; i < n * n; i++) {
        const uint64_t row = 1024 * (i / n), byte = 1024 * (i % n);
        hd_seg_use u = use(a, i % 3 ? HEDDLE_MODE_IN : HEDDLE_MODE_INOUT, row, row + 1024, byte, byte + 1024);
        u.is_packed = 1;
        CHECK(give(&r, i % n_devices, &u, 1) == HEDDLE_OK && give(&r, (i + 1) % n_devices, &u, 1) == HEDDLE_OK);
    }
    hd_segments_count(r.s, &c);
    printf("table: %.2f KiB a cell of 1 MiB, %llu windows\n", (double)c.table_bytes / 1024 / (n * n),
           (unsigned long long)c.n_windows);
    CHECK(c.table_bytes * 100 <= n * n * MIB);
    close_rig(&r);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Bodies with three uses of six cells each. Their windows are there. */
static void test_speed(void)
{
    enum { N_DEVICES = 4, N_CALLS = 200000, CELLS = 6, PIECES = 16 };
    rig r = open_rig(N_DEVICES, 64 * MIB, NULL, NULL);
    const uint32_t a = add(&r, 4096, 1024), b = add(&r, 4096, 1024), c = add(&r, 4096, 1024);
    double best = 1e30;
    for (uint32_t i = 0; i < 4096 / 8; i++) { /* cells of 8 rows */
        hd_seg_use u[3] = {use(a, HEDDLE_MODE_OUT, 8 * i, 8 * i + 8, 0, 1024),
                           use(b, HEDDLE_MODE_OUT, 8 * i, 8 * i + 8, 0, 1024),
                           use(c, HEDDLE_MODE_OUT, 8 * i, 8 * i + 8, 0, 1024)};
        for (uint32_t x = 0; x < 3; x++)
            u[x].hull = (hd_seg_rect){8 * i / 1024 * 1024, 8 * i / 1024 * 1024 + 1024, 0, 1024};
        CHECK(give(&r, 8 * i / 1024, u, 3) == HEDDLE_OK);
    }
    all_done(&r, N_DEVICES);
    for (uint32_t round = 0; round < 5; round++) {
        const double begin = now_ns();
        for (uint32_t i = 0; i < N_CALLS; i++) {
            const uint64_t row = 1024ull * (i % N_DEVICES) + 8 * CELLS * (i / N_DEVICES % PIECES),
                           end = row + 8 * CELLS;
            const hd_seg_use u[3] = {use(a, HEDDLE_MODE_IN, row, end, 0, 1024),
                                     use(b, HEDDLE_MODE_IN, row, end, 0, 1024),
                                     use(c, HEDDLE_MODE_INOUT, row, end, 0, 1024)};
            (void)hd_segments_give(r.s, i % N_DEVICES, HD_QUEUE_BODIES, u, 3, &r.plan);
            CHECK(r.plan.ops.n == 1);
            hd_segments_done(r.s, op(&r, 0)->point);
            hd_segments_ended(r.s, r.plan.body);
        }
        best = now_ns() - begin < best ? now_ns() - begin : best;
    }
    printf("give, three uses of %d cells on %d devices: %.0f ns\n", CELLS, N_DEVICES, best / N_CALLS);
    close_rig(&r);
}

int main(void)
{
    test_refused();
    test_waits();
    test_moves_joined();
    test_windows();
    for (uint32_t n = 2; n <= 4; n++)
        stencil(n);
    test_relay();
    test_product();
    test_ahead();
    test_tidy();
    test_lost();
    test_memory();
    test_table();
    test_speed();
    return 0;
}
