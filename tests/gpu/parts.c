/* SPDX-License-Identifier: MIT */
/* parts.c - functions of the host called for quarters of a GPU: what they launch stays within the part's multiprocessors, which are no other
 * part's, and lies in the part's queue between what was put before and after. Parts for which the GPU has too few multiprocessors take no
 * calls.
 *
 *     parts */
#include "backend/backend.h"
#include "check.h"
#include "rig.h"
#include "spin.h"

#define PARTS 4u
#define MOST_SMS 1024u
#define BLOCKS_OF_SM 8u
#define SPIN_NS 200000u
#define WAIT_MS 10000.0

typedef struct part {
    hd_device *device;
    heddle_accelerator a;
    uint32_t *sms, *seen, *before; /* the GPU's; after the call; before it */
    uint8_t has[MOST_SMS];
} part;

static const hd_backend *backend;
static uint32_t n_sms, n_blocks;

static void open_part(part *p, uint32_t which, uint32_t n_parts)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    CHECK_OK(NULL, backend->open(&p->device, &config, NULL));
    CHECK_OK(NULL, backend->accelerator(p->device, which, n_parts, &p->a, NULL));
}

static void close_part(part *p)
{
    p->a.close(p->a.self, 0);
    backend->close(p->device);
}

static heddle_status spin(void *user, void *stream, const heddle_span_work *w)
{
    const part *p = user;
    CHECK(w->device == 0);
    return spin_launch_seen(stream, n_blocks, 1024, SPIN_NS, p->sms) == cudaSuccess ? HEDDLE_OK : HEDDLE_EDEVICE;
}

/* Words of the host go in, the call overwrites them, and they come home before and after it. */
static void put(part *p)
{
    const uint64_t n = n_blocks * sizeof *p->sms;
    const heddle_copy in = {p->sms, p->seen, 1, n, n, n, 1}, before = {p->before, p->sms, 1, n, n, n, 0},
                      after = {p->seen, p->sms, 1, n, n, n, 0};
    const heddle_span_work w = {0};
    CHECK_OK(NULL, p->a.copy(p->a.self, 0, &in));
    CHECK_OK(NULL, p->a.copy(p->a.self, 0, &before));
    CHECK_OK(NULL, p->a.call(p->a.self, 0, spin, p, &w));
    CHECK_OK(NULL, p->a.copy(p->a.self, 0, &after));
}

static void await(part *p)
{
    const double until = rig_ms() + WAIT_MS;
    uint32_t code = 0;
    uint64_t index = 0;
    heddle_status s;
    while ((s = p->a.poll(p->a.self, 0, &code, &index)) == HEDDLE_EBUSY)
        CHECK_MSG(rig_ms() < until, "%s does not end", p->a.name);
    CHECK_OK(NULL, s);
}

static uint32_t count(part *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_blocks; i++) {
        CHECK_MSG(p->before[i] == i, "word %u was %u before the call", i, p->before[i]);
        CHECK_MSG(p->seen[i] < n_sms && n_sms <= MOST_SMS, "block %u in SM %u of %u", i, p->seen[i], n_sms);
        n += !p->has[p->seen[i]];
        p->has[p->seen[i]] = 1;
    }
    return n;
}

static void check_quarters(void)
{
    static part parts[PARTS];
    for (uint32_t k = 0; k < PARTS; k++) {
        part *p = &parts[k];
        open_part(p, k, PARTS);
        if (!p->a.call)
            SKIP("no green context for a quarter of this GPU");
        p->sms = p->a.mem_new(p->a.self, n_blocks * sizeof *p->sms);
        p->seen = hd_new(n_blocks * sizeof *p->seen);
        p->before = hd_new(n_blocks * sizeof *p->before);
        CHECK(p->sms && p->seen && p->before);
        for (uint32_t i = 0; i < n_blocks; i++)
            p->seen[i] = i;
    }
    for (uint32_t k = 0; k < PARTS; k++)
        put(&parts[k]);
    for (uint32_t k = 0; k < PARTS; k++) {
        uint32_t n;
        await(&parts[k]);
        n = count(&parts[k]);
        CHECK_MSG(n <= n_sms / PARTS, "%u SMs of %u for a quarter", n, n_sms);
        printf("part %u: %u of %u SMs\n", k, n, n_sms);
        for (uint32_t i = 0; i < k * n_sms; i++)
            CHECK_MSG(!parts[k].has[i % n_sms] || !parts[i / n_sms].has[i % n_sms], "SM %u is in parts %u and %u",
                      i % n_sms, i / n_sms, k);
    }
    for (uint32_t k = 0; k < PARTS; k++) {
        part *p = &parts[k];
        p->a.mem_free(p->a.self, p->sms, n_blocks * sizeof *p->sms);
        hd_delete(p->seen, n_blocks * sizeof *p->seen);
        hd_delete(p->before, n_blocks * sizeof *p->before);
        close_part(p);
    }
}

/* A group has two multiprocessors at least, on every GPU. */
static void check_small(void)
{
    part p = {0};
    open_part(&p, 0, n_sms);
    CHECK(!p.a.call);
    close_part(&p);
}

int main(void)
{
    heddle_device d = HEDDLE_DEVICE_INIT;
    backend = hd_backend_of(HEDDLE_CUDA);
    if (!backend || !backend->count())
        SKIP("no GPU here");
    CHECK_OK(NULL, heddle_device_get(HEDDLE_CUDA, 0, &d));
    n_sms = d.n_units;
    n_blocks = BLOCKS_OF_SM * n_sms;
    check_quarters();
    check_small();
    printf("ok\n");
    return 0;
}
