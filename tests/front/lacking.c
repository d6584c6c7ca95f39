/* SPDX-License-Identifier: MIT */
/* lacking.c - what a stride reads on a virtual device is there because it was copied in: of each copy that is left out, the wave's touch of the
 * place is seen. AddressSanitizer ends the run then; elsewhere its bytes are wrong. The rim of rows before a stride's, which sweeps
 * write beside it, is open all the time. */
#include "front/cases.h"

#include "child.h"
#include "engine/front/front.h"

#include <string.h>

typedef struct lack {
    front_case c;
    uint32_t unit, copy; /* which of the unit's copies in; UINT32_MAX: none */
    uint32_t n_copies;   /* that the unit's stride has, without those of the rim */
} lack;

static lack now;
static uint32_t n_in; /* copies of the unit */
static heddle_status (*copy_all)(void *self, uint32_t queue, const heddle_copy *c);

static heddle_status copy_some(void *self, uint32_t queue, const heddle_copy *c)
{
    return c->is_in && n_in++ == now.copy ? HEDDLE_OK : copy_all(self, queue, c);
}

enum { RIGHT = 0, WRONG = 3 };

static int run(const void *arg)
{
    heddle_fleet *f = NULL;
    hd_fleet_unit *u;
    front_bytes want, got;
    front_rig r;
    now = *(const lack *)arg;
    CHECK_OK(NULL, heddle_fleet_open(&f, "2*virtual:", NULL));
    u = hd_unit_at(f, now.unit);
    copy_all = u->acc.copy;
    u->acc.copy = copy_some;
    CHECK_OK(NULL, front_open(&r, f, &now.c));
    front_fill(&r);
    CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
    CHECK(n_in >= now.n_copies);
    want = front_plain(&now.c);
    got = front_take(&r);
    return memcmp(want.at, got.at, want.n) ? WRONG : RIGHT;
}

static void check(const lack *l)
{
    char words[4096];
    const int status = child_status(run, l, words, sizeof words);
#if defined(__SANITIZE_ADDRESS__)
    const int is_seen = strstr(words, "use-after-poison") != NULL;
#else
    const int is_seen = status == WRONG;
#endif
    CHECK_MSG(l->copy == UINT32_MAX ? status == RIGHT : is_seen, "body %u, unit %u, without copy %u: status %d, %s",
              l->c.body, l->unit, l->copy, status, words);
}

static void check_copies(lack l)
{
    l.copy = UINT32_MAX;
    check(&l);
    for (l.copy = 0; l.copy < l.n_copies; l.copy++)
        check(&l);
}

int main(void)
{
    const front_case mix = {.body = front_mix,
                            .rows = 200,
                            .cols = 300,
                            .seed = 3,
                            .has_borders = 1,
                            .keeps = 1,
                            .split = HEDDLE_SPLIT_STATIC,
                            .fail_row = UINT32_MAX};
    const front_case sweep = {.body = front_sweep,
                              .rows = 200,
                              .cols = 300,
                              .sweeps = 4,
                              .seed = 3,
                              .keeps = 1,
                              .split = HEDDLE_SPLIT_STATIC};
    check_copies((lack){mix, 0, 0, 4}); /* x, y, north, west */
    check_copies((lack){mix, 1, 0, 3}); /* a stride below has no north */
    check_copies((lack){sweep, 0, 0, 1});
    check_copies((lack){sweep, 1, 0, 1});
    return 0;
}
