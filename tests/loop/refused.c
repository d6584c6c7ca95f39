/* SPDX-License-Identifier: MIT */
/* refused.c - what heddle/fleet.h and heddle/loop.h refuse: each bad argument with its status and a word of its sentence. */
#include "loop/cases.h"

#define REFUSED(call, status, word)                                                                              \
    do {                                                                                                         \
        const heddle_status refused_ = (call);                                                                   \
        CHECK_MSG(refused_ == HEDDLE_##status, "%s instead of " #status ": %s", heddle_status_text(refused_),    \
                  heddle_error_text(NULL));                                                                      \
        CHECK_MSG(strstr(heddle_error_text(NULL), word), "\"%s\" has no \"%s\"", heddle_error_text(NULL), word); \
    } while (0)

static void check_devices(void)
{
    static const struct {
        const char *words, *word;
    } bad[] = {{"gpu:0", "kind"},
               {"cpu", "kind"},
               {"cpu:0", "no cores"},
               {"cpu:x", "number"},
               {"cuda:0/0", "parts"},
               {"cpu:2/2", "parts"},
               {"cuda:0/2x", "more"},
               {"0*cpu:1", "*"},
               {"3cpu:1", "*"},
               {"virtual:speed", "has"},
               {"virtual:speed=2", "range"},
               {"virtual:speed=x", "number"},
               {"virtual:least=0", "range"},
               {"virtual:size=3", "has"},
               {"virtual:speed=1;link=3", "kind"},
               {"virtual:speed=1 link=3", "kind"},
               {"virtual:speed=1.link=3", "comma"},
               {"serial cpu:1", "its own"},
               {"cpu:99999999999", "number"}};
    heddle_fleet *f = NULL, *other = NULL;
    heddle_fleet_config c = HEDDLE_FLEET_INIT;
    size_t i;
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        heddle_fleet *none = (heddle_fleet *)&f;
        REFUSED(heddle_fleet_open(&none, bad[i].words, NULL), EINVAL, bad[i].word);
        CHECK(none == NULL);
    }
    REFUSED(heddle_fleet_open(&f, "", NULL), ENODEV, "none");
    REFUSED(heddle_fleet_open(&f, "cuda:4000", NULL), ENODEV, "cuda:4000");
    REFUSED(heddle_fleet_open(NULL, "cpu:1", NULL), EINVAL, "NULL");
    REFUSED(heddle_fleet_open(&f, "virtual:memory=1000", NULL), ENOMEM, "memory");
    c.size = 3;
    REFUSED(heddle_fleet_open(&f, "cpu:1", &c), EINVAL, "INIT");
    CHECK_OK(NULL, heddle_fleet_open(&f, "cpu:1", NULL));
    REFUSED(heddle_fleet_open(&other, "cpu:1", NULL), EBUSY, "cores");
    CHECK_OK(NULL, heddle_fleet_open(&other, "virtual:", NULL)); /* it needs no cores */
    heddle_fleet_close(other);
    heddle_fleet_close(f);
    CHECK_OK(NULL, heddle_fleet_open(&f, "cpu:1", NULL));
    heddle_fleet_close(f);
    heddle_fleet_close(NULL);
    setenv("HEDDLE_DEVICES", "cpu:nothing", 1);
    REFUSED(heddle_fleet_open(&f, NULL, NULL), EINVAL, "cpu:nothing");
    unsetenv("HEDDLE_DEVICES");
}

static void check_arrays(heddle_fleet *f)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    heddle_array *a = NULL;
    REFUSED(heddle_array_new(f, &d, &a), ERANGE, "0 rows");
    d.n_rows = 10;
    d.row_bytes = 8;
    d.stride_bytes = 7;
    REFUSED(heddle_array_new(f, &d, &a), ERANGE, "7 apart");
    d.stride_bytes = 8;
    d.n_rows = UINT64_MAX / 8;
    REFUSED(heddle_array_new(f, &d, &a), ERANGE, "memory");
    d.n_rows = 1ull << 53;
    REFUSED(heddle_array_new(f, &d, &a), ENOMEM, "no memory");
    d.host = &d;
    d.n_rows++;
    REFUSED(heddle_array_new(f, &d, &a), ERANGE, "memory");
    d.host = NULL;
    d.n_rows = 10;
    REFUSED(heddle_array_new(NULL, &d, &a), EINVAL, "fleet");
    REFUSED(heddle_array_new(f, &d, NULL), EINVAL, "out");
    CHECK_OK(NULL, heddle_array_new(f, &d, &a));
    REFUSED(heddle_array_fetch(a, 5, 6), ERANGE, "10");
    REFUSED(heddle_array_fetch(a, UINT64_MAX, 2), ERANGE, "10");
    REFUSED(heddle_array_wrote(NULL, 0, 1), EINVAL, "NULL");
    CHECK_OK(NULL, heddle_array_fetch(a, 4, 6));
    heddle_array_free(a);
    heddle_array_free(NULL);
}

static heddle_status try_loop(heddle_fleet *f, heddle_access a, uint64_t n)
{
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_loop *l = NULL;
    heddle_status s;
    d.body = looped_price;
    d.n = n;
    d.accesses = &a;
    d.n_accesses = 1;
    s = heddle_loop_new(f, &looped, &d, &l);
    heddle_loop_free(l);
    return s;
}

static void check_accesses(heddle_fleet *f, heddle_fleet *other, heddle_array *a)
{
    const size_t at = offsetof(looped_params, c);
    const heddle_access good = HEDDLE_ROWS(a, HEDDLE_MODE_OUT, at, 0, 0);
    heddle_access bad = good;
    CHECK_OK(NULL, try_loop(f, good, 100));
    REFUSED(try_loop(f, good, 101), EINVAL, "100 rows");
    REFUSED(try_loop(other, good, 100), EINVAL, "another fleet");
    bad.array = NULL;
    REFUSED(try_loop(f, bad, 100), EINVAL, "NULL");
    bad = good;
    bad.after = 1;
    REFUSED(try_loop(f, bad, 100), EINVAL, "same rows");
    bad = good;
    bad.kind = HEDDLE_ACCESS_ALL;
    REFUSED(try_loop(f, bad, 100), EINVAL, "same rows");
    bad = good;
    bad.field = sizeof(looped_params) - 4u;
    REFUSED(try_loop(f, bad, 100), EINVAL, "access 0: the pointer at offset");
    bad.field = SIZE_MAX;
    REFUSED(try_loop(f, bad, 100), EINVAL, "outside");
    bad = good;
    bad.stride = SIZE_MAX;
    REFUSED(try_loop(f, bad, 100), EINVAL, "access 0: the stride at offset");
    bad = good;
    bad.mode = (heddle_mode)0;
    REFUSED(try_loop(f, bad, 100), EINVAL, "mode");
    bad = good;
    bad.n_each = 2;
    REFUSED(try_loop(f, bad, 51), EINVAL, "need more");
    bad.n_each = UINT64_MAX;
    REFUSED(try_loop(f, bad, 51), EINVAL, "need more");
}

/* Of two accesses, one writes what the other reads for other indices. */
static void check_pairs(heddle_fleet *f, heddle_array *a)
{
    heddle_access pair[2] = {HEDDLE_ROWS(a, HEDDLE_MODE_OUT, offsetof(looped_params, c), 0, 0),
                             HEDDLE_ROWS(a, HEDDLE_MODE_IN, offsetof(looped_params, a), 1, 0)};
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_loop *l = NULL;
    d.body = looped_price;
    d.n = 100;
    d.accesses = pair;
    d.n_accesses = 2;
    REFUSED(heddle_loop_new(f, &looped, &d, &l), EINVAL, "access 0: the array is written, and read with");
    pair[1] = (heddle_access)HEDDLE_ALL(a, offsetof(looped_params, a));
    REFUSED(heddle_loop_new(f, &looped, &d, &l), EINVAL, "access 0: the array is written, and access 1 touches");
    CHECK(l == NULL);
}

/* One array of 100 numbers at memory + first is written, another one at memory + second has that mode; rows are `stride` numbers apart. */
static heddle_status try_shared(heddle_fleet *f, float *memory, uint64_t first, uint64_t second, uint64_t stride,
                                heddle_mode mode)
{
    heddle_access pair[2] = {HEDDLE_ROWS(NULL, HEDDLE_MODE_OUT, offsetof(looped_params, c), 0, 0),
                             HEDDLE_ROWS(NULL, mode, offsetof(looped_params, a), 0, 0)};
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_array_desc of = HEDDLE_ARRAY_INIT;
    heddle_loop *l = NULL;
    heddle_status s;
    of.n_rows = 100;
    of.row_bytes = sizeof *memory;
    of.stride_bytes = stride * sizeof *memory;
    of.host = memory + first;
    CHECK_OK(NULL, heddle_array_new(f, &of, &pair[0].array));
    of.host = memory + second;
    CHECK_OK(NULL, heddle_array_new(f, &of, &pair[1].array));
    d.body = looped_price;
    d.n = 100;
    d.accesses = pair;
    d.n_accesses = 2;
    s = heddle_loop_new(f, &looped, &d, &l);
    heddle_loop_free(l);
    heddle_array_free(pair[0].array);
    heddle_array_free(pair[1].array);
    return s;
}

/* Two arrays with memory in common: what one of them writes would not be in the other. */
static void check_shared(heddle_fleet *f)
{
    static float memory[400];
    REFUSED(try_shared(f, memory, 0, 0, 1, HEDDLE_MODE_OUT), EINVAL, "access 0: the array is written, and access 1");
    REFUSED(try_shared(f, memory, 0, 0, 1, HEDDLE_MODE_IN), EINVAL, "some of its memory");
    REFUSED(try_shared(f, memory, 0, 99, 1, HEDDLE_MODE_IN), EINVAL, "some of its memory");
    REFUSED(try_shared(f, memory, 99, 0, 1, HEDDLE_MODE_IN), EINVAL, "some of its memory");
    REFUSED(try_shared(f, memory, 0, 100, 2, HEDDLE_MODE_IN), EINVAL, "some of its memory");
    CHECK_OK(NULL, try_shared(f, memory, 0, 100, 1, HEDDLE_MODE_OUT));
    CHECK_OK(NULL, try_shared(f, memory, 0, 1, 2, HEDDLE_MODE_OUT)); /* every other number each */
}

/* Of columns, and of both. */
static heddle_status try_wide(heddle_fleet *f, heddle_access a, uint64_t n, uint64_t n_2)
{
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_loop *l = NULL;
    heddle_status s;
    d.body = looped_price;
    d.n = n;
    d.n_2 = n_2;
    d.accesses = &a;
    d.n_accesses = 1;
    s = heddle_loop_new(f, &looped, &d, &l);
    heddle_loop_free(l);
    return s;
}

/* The array has 10 rows of 30 columns. */
static void check_columns(heddle_fleet *f, heddle_array *a)
{
    const size_t at = offsetof(looped_params, c);
    const heddle_access good = HEDDLE_COLUMNS(a, HEDDLE_MODE_OUT, at, 4, 0, 0),
                        both = HEDDLE_BOTH(a, HEDDLE_MODE_OUT, at, 0, 0, 4, 0, 0);
    heddle_access bad = good;
    CHECK_OK(NULL, try_wide(f, good, 30, 0));
    CHECK_OK(NULL, try_wide(f, good, 30, 7)); /* the second index is free */
    CHECK_OK(NULL, try_wide(f, both, 10, 30));
    REFUSED(try_wide(f, good, 31, 0), EINVAL, "30 columns");
    bad.first = 1;
    REFUSED(try_wide(f, bad, 30, 0), EINVAL, "from number 1 on");
    bad.first = UINT64_MAX;
    REFUSED(try_wide(f, bad, 1, 0), EINVAL, "30 columns");
    bad = good;
    bad.column_bytes = 7;
    REFUSED(try_wide(f, bad, 1, 0), EINVAL, "columns of 7 bytes");
    bad.column_bytes = 0;
    REFUSED(try_wide(f, bad, 1, 0), EINVAL, "columns of 0 bytes");
    bad = good;
    bad.before = 1;
    REFUSED(try_wide(f, bad, 30, 0), EINVAL, "columns");
    bad.mode = HEDDLE_MODE_IN;
    bad.before = bad.after = UINT64_MAX; /* as many as there are */
    CHECK_OK(NULL, try_wide(f, bad, 30, 0));
    REFUSED(try_wide(f, both, 10, 0), EINVAL, "second index");
    REFUSED(try_wide(f, both, 11, 30), EINVAL, "10 rows");
    REFUSED(try_wide(f, both, 10, 31), EINVAL, "30 columns");
    bad = both;
    bad.after_2 = 1;
    REFUSED(try_wide(f, bad, 10, 20), EINVAL, "columns");
    bad.mode = HEDDLE_MODE_IN;
    bad.before = bad.after = bad.before_2 = bad.after_2 = UINT64_MAX;
    CHECK_OK(NULL, try_wide(f, bad, 10, 30));
}

/* ---- parts: functions that answer badly ---- */

typedef struct named {
    heddle_array *array;
    heddle_range range;
    uint64_t n, n_more; /* ranges, and how many more when it is asked again */
    uint64_t shift;     /* from tile to tile; 0: all have the same */
} named;

static uint64_t name_parts(void *user, uint64_t begin, uint64_t end, heddle_range *out, uint64_t most)
{
    named *k = user;
    uint64_t i;
    (void)end;
    for (i = 0; i < k->n && i < most; i++) {
        out[i] = k->range;
        out[i].base = (const uint8_t *)heddle_array_host(k->array) + (uintptr_t)k->range.base + begin * k->shift;
    }
    k->n += k->n_more;
    return k->n - k->n_more;
}

static heddle_status try_parts(heddle_fleet *f, named k, heddle_mode mode)
{
    const heddle_access a = HEDDLE_PARTS(k.array, mode, offsetof(looped_params, c), name_parts, &k);
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_loop *l = NULL;
    heddle_status s;
    d.body = looped_price;
    d.n = 10;
    d.tile = 2;
    d.accesses = &a;
    d.n_accesses = 1;
    s = heddle_loop_new(f, &looped, &d, &l);
    heddle_loop_free(l);
    return s;
}

/* The array has 10 rows of 120 bytes. */
static void check_parts(heddle_fleet *f, heddle_array *a)
{
    const named good = {a, {NULL, 8, 1, 0, HEDDLE_MODE_OUT}, 1, 0, 4};
    heddle_access none = HEDDLE_PARTS(a, HEDDLE_MODE_IN, offsetof(looped_params, a), NULL, NULL);
    named bad = good;
    REFUSED(try_wide(f, none, 10, 0), EINVAL, "NULL");
    CHECK_OK(NULL, try_parts(f, good, HEDDLE_MODE_OUT));
    CHECK_OK(NULL, try_parts(f, good, HEDDLE_MODE_INOUT));
    REFUSED(try_parts(f, good, HEDDLE_MODE_IN), EINVAL, "mode");
    bad.range.row_bytes = 9; /* tiles are 8 bytes apart */
    REFUSED(try_parts(f, bad, HEDDLE_MODE_OUT), EINVAL, "index 0 and index 2");
    bad.range.mode = HEDDLE_MODE_IN;
    CHECK_OK(NULL, try_parts(f, bad, HEDDLE_MODE_IN));
    CHECK_OK(NULL, try_parts(f, bad, HEDDLE_MODE_INOUT)); /* nothing is written after all */
    bad = good;
    bad.range.n_rows = 10; /* columns of every row */
    bad.range.stride_bytes = 120;
    CHECK_OK(NULL, try_parts(f, bad, HEDDLE_MODE_OUT));
    bad.shift = 3;
    REFUSED(try_parts(f, bad, HEDDLE_MODE_OUT), EINVAL, "index 0 and index 2");
    bad.shift = 4;
    bad.range.n_rows = 11;
    REFUSED(try_parts(f, bad, HEDDLE_MODE_OUT), EINVAL, "home");
    bad = good;
    bad.range.base = (const void *)(uintptr_t)(1200 - 4 * 8 - 8 + 1); /* the last tile is a byte too far */
    REFUSED(try_parts(f, bad, HEDDLE_MODE_OUT), EINVAL, "indices 8 to 9");
    bad.range.base = (const void *)(uintptr_t)-1;
    REFUSED(try_parts(f, bad, HEDDLE_MODE_OUT), EINVAL, "home");
    bad = good;
    bad.range.row_bytes = 0;
    REFUSED(try_parts(f, bad, HEDDLE_MODE_OUT), ERANGE, "0 bytes");
    bad = good;
    bad.n = HEDDLE_ACCESS_MOST_RANGES + 1u;
    REFUSED(try_parts(f, bad, HEDDLE_MODE_OUT), ERANGE, "most");
    bad.n = 500;
    CHECK_OK(NULL, try_parts(f, bad, HEDDLE_MODE_OUT)); /* asked again */
    bad.n_more = 1;
    REFUSED(try_parts(f, bad, HEDDLE_MODE_OUT), EINVAL, "twice");
}

static void check_descs(heddle_fleet *f)
{
    static heddle_table old, none;
    uint32_t result[4];
    heddle_reduction r = {HEDDLE_SUM, HEDDLE_U32, 4, offsetof(looped_params, bins), result};
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_loop *l = NULL;
    old = none = looped;
    old.core_version--;
    none.has_loops = 0;
    REFUSED(heddle_loop_new(f, &looped, &d, &l), ERANGE, "0 indices");
    d.n = 100;
    REFUSED(heddle_loop_new(f, &old, &d, &l), EVERSION, "version");
    REFUSED(heddle_loop_new(f, &none, &d, &l), EINVAL, "HEDDLE_LOOP_TABLE");
    REFUSED(heddle_loop_new(f, NULL, &d, &l), EINVAL, "table");
    REFUSED(heddle_loop_new(NULL, &looped, &d, &l), EINVAL, "fleet");
    d.body = looped_n_bodies;
    REFUSED(heddle_loop_new(f, &looped, &d, &l), EINVAL, "no body");
    d.body = 0;
    d.split = HEDDLE_N_SPLITS;
    REFUSED(heddle_loop_new(f, &looped, &d, &l), EINVAL, "divide");
    d.split = HEDDLE_SPLIT_CUT;
    d.team_size = 33;
    REFUSED(heddle_loop_new(f, &looped, &d, &l), EINVAL, "32");
    d.team_size = 0;
    d.n = UINT64_MAX;
    REFUSED(heddle_loop_new(f, &looped, &d, &l), ERANGE, "2^63");
    d.n = INT64_MAX;
    d.tile = (uint64_t)INT64_MAX + 3u; /* more than 2^64 together */
    REFUSED(heddle_loop_new(f, &looped, &d, &l), ERANGE, "9223372036854775807 indices in tiles of 9223372036854775810");
    d.tile = 0;
    d.n = 4;
    d.n_2 = 1ull << 62;
    d.tile = d.tile_2 = 1;
    REFUSED(heddle_loop_new(f, &looped, &d, &l), ERANGE, "4 tiles of the first index");
    d.tile = 5; /* one in which all are */
    CHECK_OK(NULL, heddle_loop_new(f, &looped, &d, &l));
    heddle_loop_free(l);
    d.n = 100;
    d.n_2 = d.tile = d.tile_2 = 0;
    d.reductions = &r;
    d.n_reductions = 1;
    r.result = NULL;
    REFUSED(heddle_loop_new(f, &looped, &d, &l), EINVAL, "reduction");
    r.result = result;
    r.n = 0;
    REFUSED(heddle_loop_new(f, &looped, &d, &l), EINVAL, "reduction 0: 0 numbers");
    r.n = 4;
    r.field = SIZE_MAX;
    REFUSED(heddle_loop_new(f, &looped, &d, &l), EINVAL, "reduction 0: the pointer at offset");
    r.field = offsetof(looped_params, bins);
    CHECK_OK(NULL, heddle_loop_new(f, &looped, &d, &l));
    REFUSED(heddle_loop_run(l, NULL, sizeof(looped_params)), EINVAL, "NULL");
    REFUSED(heddle_loop_run(l, result, 3), EINVAL, "3 bytes");
    heddle_loop_free(l);
    heddle_loop_free(NULL);
    d.size = 1;
    REFUSED(heddle_loop_new(f, &looped, &d, &l), EINVAL, "INIT");
}

/* ---- other people's accelerators: one without memory ---- */

static int n_closed;
static void *no_memory(void *self, uint64_t n_bytes)
{
    (void)self;
    (void)n_bytes;
    return NULL;
}
static void free_nothing(void *self, void *p, uint64_t n_bytes)
{
    (void)self;
    (void)p;
    (void)n_bytes;
}
static heddle_status no_copy(void *self, uint32_t queue, const heddle_copy *c)
{
    (void)self;
    (void)queue;
    (void)c;
    return HEDDLE_EDEVICE;
}
static heddle_status no_span(void *self, uint32_t queue, const heddle_span_work *w)
{
    (void)self;
    (void)queue;
    (void)w;
    return HEDDLE_EDEVICE;
}
static heddle_status no_end(void *self, uint32_t queue, uint32_t *code, uint64_t *index)
{
    (void)self;
    (void)queue;
    (void)code;
    (void)index;
    return HEDDLE_EDEVICE;
}
static heddle_status no_mark(void *self, uint32_t queue, heddle_phase phase)
{
    (void)self;
    (void)queue;
    (void)phase;
    return HEDDLE_EDEVICE;
}
static heddle_status no_point(void *self, uint32_t queue, uint64_t number)
{
    (void)self;
    (void)queue;
    (void)number;
    return HEDDLE_EDEVICE;
}
static void count_close(void *self, int is_lost)
{
    (void)self;
    (void)is_lost;
    n_closed++;
}

static heddle_status no_call(void *self, uint32_t queue, heddle_call_fn fn, void *user, const heddle_span_work *w)
{
    (void)self;
    (void)queue;
    (void)user;
    (void)w;
    return fn ? HEDDLE_OK : HEDDLE_EDEVICE;
}

static void check_accelerators(heddle_fleet *f)
{
    heddle_accelerator a = HEDDLE_ACCELERATOR_INIT, bad;
    heddle_fleet_unit u = HEDDLE_UNIT_INIT;
    a.name = "empty";
    a.memory_bytes = 1 << 20;
    a.mem_new = no_memory;
    a.mem_free = free_nothing;
    a.copy = no_copy;
    a.span = no_span;
    a.poll = no_end;
    bad = a;
    REFUSED(heddle_fleet_add(f, &bad), EINVAL, "lacks");
    a.close = bad.close = count_close;
    bad.n_queues = HEDDLE_MOST_QUEUES + 1;
    REFUSED(heddle_fleet_add(f, &bad), EINVAL, "queues");
    bad = a;
    bad.weight = 0;
    REFUSED(heddle_fleet_add(f, &bad), EINVAL, "weight");
    bad = a;
    bad.mark = no_mark;
    REFUSED(heddle_fleet_add(f, &bad), EINVAL, "one of mark and marked");
    bad = a;
    bad.point = no_point;
    REFUSED(heddle_fleet_add(f, &bad), EINVAL, "some of point");
    bad = a;
    bad.call = no_call;
    REFUSED(heddle_fleet_add(f, &bad), EINVAL, "call alone");
    bad = a;
    bad.record_free = free;
    REFUSED(heddle_fleet_add(f, &bad), EINVAL, "some of record_begin");
    bad = a;
    bad.size = 8;
    REFUSED(heddle_fleet_add(f, &bad), EINVAL, "INIT");
    REFUSED(heddle_fleet_add(NULL, &a), EINVAL, "fleet");
    REFUSED(heddle_fleet_add(f, NULL), EINVAL, "accelerator");
    CHECK(n_closed == 0); /* what was refused stays the caller's */
    REFUSED(heddle_fleet_add(f, &a), ENOMEM, "empty");
    CHECK(n_closed == 1);
    REFUSED(heddle_fleet_get_unit(f, 2, &u), ENODEV, "no unit 2"); /* it is not there by half */
}

/* A device without room for the least slice. */
static void check_room(void)
{
    heddle_fleet *f = NULL;
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    heddle_array *a = NULL;
    heddle_access all;
    CHECK_OK(NULL, heddle_fleet_open(&f, "virtual:memory=1e6 cpu:1", NULL));
    d.n_rows = 2000;
    d.row_bytes = 2000;
    CHECK_OK(NULL, heddle_array_new(f, &d, &a));
    REFUSED(try_loop(f, (heddle_access)HEDDLE_ROWS(a, HEDDLE_MODE_OUT, offsetof(looped_params, c), 0, 0), 2000), ENOMEM,
            "access 0: virtual:0 has 83200 bytes for a slice; the least one, 1024 indices, takes 2048000, 2048000 of "
            "them for its "
            "rows of 2000 bytes");
    all = (heddle_access)HEDDLE_ALL(a, offsetof(looped_params, all));
    REFUSED(try_loop(f, all, 2000), ENOMEM,
            "access 0: virtual:0 has no memory for all of the array, 2000 rows of 2000 bytes that take 4000000; it has "
            "1000000");
    REFUSED(try_loop(f, (heddle_access)HEDDLE_COLUMNS(a, HEDDLE_MODE_OUT, offsetof(looped_params, c), 1, 0, 0), 2000),
            ENOMEM, "4000000");
    heddle_array_free(a);
    heddle_fleet_close(f);
}

int main(void)
{
    heddle_fleet *f = NULL, *other = NULL;
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    heddle_array *a = NULL, *wide = NULL;
    check_devices();
    CHECK_OK(NULL, heddle_fleet_open(&f, "virtual: cpu:1", NULL));
    CHECK_OK(NULL, heddle_fleet_open(&other, "virtual:", NULL));
    check_accelerators(f);
    check_arrays(f);
    d.n_rows = 100;
    d.row_bytes = 4;
    CHECK_OK(NULL, heddle_array_new(f, &d, &a));
    check_accesses(f, other, a);
    check_pairs(f, a);
    check_shared(f);
    d.n_rows = 10;
    d.row_bytes = 120;
    CHECK_OK(NULL, heddle_array_new(f, &d, &wide));
    check_columns(f, wide);
    check_parts(f, wide);
    check_descs(f);
    heddle_array_free(wide);
    heddle_array_free(a);
    heddle_fleet_close(other);
    heddle_fleet_close(f);
    check_room();
    puts("all refused");
    return 0;
}
