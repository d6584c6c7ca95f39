/* SPDX-License-Identifier: MIT */
/* map.c - the table of mapped objects, with copies in the test's own memory: random maps against a linear list,
 * lookups, copies, and failures of memory. */
#include "check.h"
#include "openmp/map.h"

#include <string.h>

#define SPACE 400u /* bytes of "host" memory */
#define N_MODEL 64

typedef struct fake {
    uint64_t n_made, n_dropped, n_left; /* n_left: makes until one fails, UINT64_MAX = none does */
} fake;

static unsigned char host[SPACE];
#define AT(i) ((uint64_t)(uintptr_t)host + (uint64_t)(i))

static heddle_status make(void *self, uint64_t n_bytes, void **out)
{
    fake *f = self;
    if (f->n_left == 0)
        return HEDDLE_ENOMEM;
    f->n_left -= f->n_left != UINT64_MAX;
    f->n_made++;
    *out = malloc(n_bytes);
    return *out ? HEDDLE_OK : HEDDLE_ENOMEM;
}

static void drop(void *self, void *copy)
{
    ((fake *)self)->n_dropped++;
    free(copy);
}

static heddle_status move(void *self, void *to, const void *from, uint64_t n_bytes)
{
    (void)self;
    memcpy(to, from, n_bytes);
    return HEDDLE_OK;
}

static hd_omp_map new_map(fake *f)
{
    *f = (fake){0, 0, UINT64_MAX};
    return (hd_omp_map){.by = {f, make, drop, move, move}};
}

static hd_omp_object *up(hd_omp_map *m, uint64_t begin, uint64_t end, heddle_status want)
{
    hd_omp_object *o = NULL;
    heddle_status s = hd_omp_map_up(m, AT(begin), AT(end), "x", NULL, &o);
    CHECK_MSG(s == want, "%d", (int)s);
    return o;
}

/* ---- against a list ---------------------------------------------------------------------------------------------- */

typedef struct model {
    uint64_t begin, end, count;
} model;

static model *model_meets(model *list, uint64_t begin, uint64_t end)
{
    model *first = NULL;
    int i;
    for (i = 0; i < N_MODEL; i++)
        if (list[i].count && list[i].begin < end && begin < list[i].end && (!first || list[i].begin < first->begin))
            first = &list[i];
    return first;
}

/* The owner of p: the object that contains it, else the one that ends there. */
static model *model_find(model *list, uint64_t p)
{
    model *in = model_meets(list, p, p + 1);
    int i;
    for (i = 0; i < N_MODEL && !in; i++)
        if (list[i].count && list[i].end == p)
            in = &list[i];
    return in;
}

static int same(const hd_omp_object *o, const model *x)
{
    return o ? x && o->begin == AT(x->begin) && o->end == AT(x->end) && o->count == x->count : !x;
}

static void random_up(hd_omp_map *m, model *list, uint64_t *state)
{
    uint64_t begin = check_below(state, SPACE - 1), end = begin + 1 + check_below(state, 12), i = 0;
    model *x;
    end = end < SPACE ? end : SPACE;
    x = model_meets(list, begin, end);
    if (x) {
        int part = begin < x->begin || end > x->end;
        x->count += !part;
        CHECK(same(up(m, begin, end, part ? HEDDLE_EINVAL : HEDDLE_OK), x));
        return;
    }
    while (list[i].count)
        if (++i == N_MODEL)
            return;
    list[i] = (model){begin, end, 1};
    CHECK(same(up(m, begin, end, HEDDLE_OK), &list[i]));
}

static void test_random(uint64_t *state)
{
    model list[N_MODEL] = {{0, 0, 0}};
    fake f;
    hd_omp_map m = new_map(&f);
    uint64_t step, p, q;
    for (step = 0; step < 3000; step++) {
        model *x = &list[check_below(state, N_MODEL)];
        if (x->count && check_below(state, 2)) {
            hd_omp_map_down(&m, hd_omp_map_find(&m, AT(x->begin)));
            x->count--;
        } else {
            random_up(&m, list, state);
        }
        p = check_below(state, SPACE);
        q = p + 1 + check_below(state, 30);
        CHECK(same(hd_omp_map_find(&m, AT(p)), model_find(list, p)));
        CHECK(same(hd_omp_map_meets(&m, AT(p), AT(q)), model_meets(list, p, q)));
    }
    hd_omp_map_clear(&m);
    CHECK(f.n_made >= 12 && f.n_made == f.n_dropped);
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static void test_ends(void)
{
    fake f;
    hd_omp_map m = new_map(&f);
    hd_omp_object *x = up(&m, 10, 20, HEDDLE_OK), *y = up(&m, 20, 30, HEDDLE_OK), *z = up(&m, 40, 41, HEDDLE_OK);
    CHECK(hd_omp_map_find(&m, AT(9)) == NULL && hd_omp_map_find(&m, AT(10)) == x && hd_omp_map_find(&m, AT(19)) == x);
    CHECK(hd_omp_map_find(&m, AT(20)) == y && hd_omp_map_find(&m, AT(30)) == y && hd_omp_map_find(&m, AT(31)) == NULL);
    CHECK(hd_omp_map_find(&m, AT(41)) == z && hd_omp_map_find(&m, 0) == NULL &&
          hd_omp_map_find(&m, UINT64_MAX) == NULL);
    CHECK(hd_omp_map_copy(y, AT(30)) == y->copy + 10 && hd_omp_map_copy(y, AT(15)) == y->copy - 5);
    (void)up(&m, 15, 25, HEDDLE_EINVAL);
    (void)up(&m, 5, 45, HEDDLE_EINVAL);
    (void)up(&m, 29, 31, HEDDLE_EINVAL);
    hd_omp_map_down(&m, y);
    CHECK(hd_omp_map_find(&m, AT(20)) == x && hd_omp_map_find(&m, AT(25)) == NULL);
    hd_omp_map_clear(&m);
    CHECK(f.n_made == 3 && f.n_dropped == 3);
}

static void test_copies(void)
{
    fake f;
    hd_omp_map m = new_map(&f);
    hd_omp_object *x = up(&m, 100, 120, HEDDLE_OK);
    memset(host, 1, sizeof host);
    CHECK(hd_omp_map_write(&m, x, AT(90), AT(130)) == HEDDLE_OK); /* only the bytes that x has */
    memset(host, 2, sizeof host);
    CHECK(hd_omp_map_write(&m, x, AT(105), AT(110)) == HEDDLE_OK);
    CHECK(hd_omp_map_write(&m, x, AT(10), AT(20)) == HEDDLE_OK);
    memset(host, 3, sizeof host);
    CHECK(hd_omp_map_read(&m, x, AT(104), AT(111)) == HEDDLE_OK);
    CHECK(host[103] == 3 && host[104] == 1 && host[105] == 2 && host[109] == 2 && host[110] == 1 && host[111] == 3);
    CHECK(hd_omp_map_read(&m, x, AT(0), AT(SPACE)) == HEDDLE_OK && host[99] == 3 && host[119] == 1 && host[120] == 3);
    hd_omp_map_clear(&m);
}

/* Mapping the same again makes a copy only once. */
static void test_spares(void)
{
    fake f;
    hd_omp_map m = new_map(&f);
    uint64_t i;
    for (i = 0; i < 1000; i++)
        hd_omp_map_down(&m, up(&m, i % 100, i % 100 + 7, HEDDLE_OK));
    CHECK(f.n_made == 1 && f.n_dropped == 0);
    for (i = 1; i <= 200; i++)
        hd_omp_map_down(&m, up(&m, 0, i, HEDDLE_OK));
    CHECK(f.n_made == 200 && f.n_made - f.n_dropped <= 64);
    CHECK(hd_omp_map_drop_spares(&m) == 1 && hd_omp_map_drop_spares(&m) == 0 && f.n_made == f.n_dropped);
    hd_omp_map_clear(&m);
}

static void test_no_memory(void)
{
    fake f;
    hd_omp_map m = new_map(&f);
    hd_omp_map_down(&m, up(&m, 0, 10, HEDDLE_OK));
    f.n_left = 0;
    CHECK(up(&m, 20, 25, HEDDLE_ENOMEM) == NULL && f.n_dropped == 1);
    CHECK(hd_omp_map_find(&m, AT(20)) == NULL);
    f.n_left = 1;
    CHECK(up(&m, 20, 25, HEDDLE_OK)->count == 1);
    hd_omp_map_clear(&m);
    CHECK(f.n_made == 2 && f.n_dropped == 2);
}

int main(void)
{
    uint64_t state = check_seed(21), i;
    for (i = 0; i < 20; i++)
        test_random(&state);
    test_ends();
    test_copies();
    test_spares();
    test_no_memory();
    return 0;
}
