/* SPDX-License-Identifier: MIT */
/* placed.c - how arrays are held in a fleet with a GPU, and what is told of that: pinned; pinned by somebody else; not to be pinned; staged because the
 * user asks for it. The GPU is a backend that only pins. */
#include "check.h"
#include "engine/loop/fleet.h"

static heddle_status pins_as = HEDDLE_OK;
static uint32_t n_pinned, n_unpinned;

static heddle_status host_pin(hd_device *d, void *p, uint64_t n_bytes, hd_error *e)
{
    (void)d;
    CHECK(p && n_bytes == 4000);
    n_pinned += pins_as == HEDDLE_OK;
    return pins_as == HEDDLE_OK ? HEDDLE_OK : hd_say(e, pins_as, "no more of it");
}

static void host_unpin(hd_device *d, void *p)
{
    (void)d;
    CHECK(p != NULL);
    n_unpinned++;
}

static void check_how(heddle_fleet *f, heddle_status pins, uint32_t is_staged, const char *how)
{
    static uint32_t memory[1000];
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    heddle_array *a = NULL;
    d.n_rows = 1000;
    d.row_bytes = sizeof *memory;
    d.is_staged = is_staged;
    pins_as = pins;
    n_pinned = n_unpinned = 0;
    for (d.host = NULL;; d.host = memory) {
        CHECK_OK(NULL, heddle_array_new(f, &d, &a));
        CHECK_MSG(!strncmp(heddle_array_how(a), how, strlen(how)) && !*heddle_array_how(a) == !*how, "%s instead of %s",
                  heddle_array_how(a), how);
        heddle_array_free(a);
        if (d.host)
            break;
    }
    CHECK(n_pinned == n_unpinned && n_pinned == (f->pins && pins == HEDDLE_OK && !is_staged ? 2u : 0u));
}

int main(void)
{
    static const hd_backend backend = {.host_pin = host_pin, .host_unpin = host_unpin};
    static heddle_ctx ctx = {.backend = &backend};
    heddle_fleet *f = NULL;
    CHECK_OK(NULL, heddle_fleet_open(&f, "virtual:", NULL));
    check_how(f, HEDDLE_OK, 0, "");
    check_how(f, HEDDLE_OK, 1, "");
    f->pins = &ctx;
    check_how(f, HEDDLE_OK, 0, "pinned in ");
    check_how(f, HEDDLE_EINVAL, 0, "was pinned before");
    check_how(f, HEDDLE_ENOMEM, 0, "not pinned, so copies go through buffers of the driver: no more of it");
    check_how(f, HEDDLE_OK, 1, "staged, as asked: not pinned");
    f->pins = NULL;
    heddle_fleet_close(f);
    CHECK(!*heddle_array_how(NULL));
    puts("arrays are placed");
    return 0;
}
