/* SPDX-License-Identifier: MIT */
/* app.c - what the prepare functions of apps share: requests, options, sizes, memory, digests. Refuses options and
 * inputs that an app does not have, malformed numbers or numbers out of range, sizes that overflow. */
#include "app.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE (1ull << 26)
#define HUGE_PAGE (1ull << 21)
#define SMALL_PAGE 4096u

#if HEDDLE_HAVE_LIBCRYPTO
#include <openssl/evp.h>
#endif

/* ---- options --------------------------------------------------------------------------------- */

static const app_option *find_option(const app *a, const char *key)
{
    const app_option *o;
    for (o = a->options; o->key; o++)
        if (strcmp(o->key, key) == 0)
            return o;
    return NULL;
}

static int refuse_option(const app *a, const char *key, char *error)
{
    char known[APP_ERROR / 2] = "none";
    size_t at = 0;
    const app_option *o;
    for (o = a->options; o->key && at < sizeof known; o++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", o->key);
    snprintf(error, APP_ERROR, "%s has no option '%.64s'; it has: %s", a->name, key, known);
    return -1;
}

static int check_blocks(const app *a, const app_request *q, char *error)
{
    if (a->b[0] || !(q->b[0] || q->b[1]))
        return 0;
    snprintf(error, APP_ERROR, "-b: %s has no blocks; its options say what a task takes (heddle info %s)", a->name,
             a->name);
    return -1;
}

int app_check_request(const app *a, const app_request *q, size_t n_inputs_max, char *error)
{
    size_t i;
    for (i = 0; i < q->n_opts; i++)
        if (!find_option(a, q->opts[i].key))
            return refuse_option(a, q->opts[i].key, error);
    if (q->n_inputs <= n_inputs_max)
        return check_blocks(a, q, error);
    if (n_inputs_max)
        snprintf(error, APP_ERROR, "%s takes %zu input file%s at most, %zu were given", a->name, n_inputs_max,
                 n_inputs_max == 1 ? "" : "s", q->n_inputs);
    else
        snprintf(error, APP_ERROR, "%s takes no input file", a->name);
    return -1;
}

/* A repeated option takes its last value, as on any command line. */
const char *app_opt_text(const app *a, const app_request *q, const char *key)
{
    size_t i;
    for (i = q->n_opts; i-- > 0;)
        if (strcmp(q->opts[i].key, key) == 0)
            return q->opts[i].value;
    return find_option(a, key)->value;
}

void app_begin(app_case *c, const app *a)
{
    c->app = a;
    c->scenario = a->scenarios;
}

app_case *app_prepare(const app *a, size_t n_bytes, app_load_fn load, const app_request *q, char *error)
{
    app_case *c = app_alloc(1, n_bytes, "the case", error);
    if (!c)
        return NULL;
    memset(c, 0, n_bytes);
    app_begin(c, a);
    c->spawning = q->spawning;
    if (!load(c, q, error))
        return c;
    a->free(c);
    return NULL;
}

int app_opt_i64(const app *a, const app_request *q, const char *key, int64_t min, int64_t max, int64_t *out,
                char *error)
{
    const char *text = app_opt_text(a, q, key);
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    if (end == text || *end) {
        snprintf(error, APP_ERROR, "option %s: '%.64s' is not a whole number", key, text);
        return -1;
    }
    if (errno == ERANGE || *out < min || *out > max) {
        snprintf(error, APP_ERROR, "option %s: %.64s is not in %" PRId64 " ... %" PRId64, key, text, min, max);
        return -1;
    }
    return 0;
}

int app_opt_f64(const app *a, const app_request *q, const char *key, double min, double max, double *out, char *error)
{
    const char *text = app_opt_text(a, q, key);
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end || isnan(*out)) {
        snprintf(error, APP_ERROR, "option %s: '%.64s' is not a number", key, text);
        return -1;
    }
    if (*out < min || *out > max) {
        snprintf(error, APP_ERROR, "option %s: %.64s is not in %g ... %g", key, text, min, max);
        return -1;
    }
    return 0;
}

int app_opt_body(const app *a, const app_request *q, app_body *out, char *error)
{
    static const char *const names[] = {"auto", "portable", "tuned"};
    const char *text;
    int i;
    *out = APP_BODY_AUTO;
    if (!find_option(a, "body"))
        return 0;
    text = app_opt_text(a, q, "body");
    for (i = 0; i < 3; i++)
        if (!strcmp(text, names[i])) {
            *out = (app_body)i;
            return 0;
        }
    snprintf(error, APP_ERROR, "option body: '%.64s' is not auto, portable or tuned", text);
    return -1;
}

uint32_t app_is_tuned(const heddle_ctx *ctx, app_body body)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    if (body != APP_BODY_AUTO)
        return body == APP_BODY_TUNED;
    return heddle_ctx_get_config(ctx, &c) == HEDDLE_OK && c.backend == HEDDLE_CUDA;
}

/* ---- sizes ------------------------------------------------------------------------------------ */

static const char *const side[2] = {"rows", "columns"};

static int resolve_size(const app *a, const app_request *q, int d, uint64_t n_input, uint64_t max_n, uint64_t *n,
                        char *error)
{
    if (n_input && q->n[d] && q->n[d] != n_input) {
        snprintf(error, APP_ERROR, "-n asks for %" PRIu64 " %s, but the input has %" PRIu64, q->n[d], side[d], n_input);
        return -1;
    }
    *n = n_input ? n_input : q->n[d] ? q->n[d] : a->n[d];
    if (*n > max_n) {
        snprintf(error, APP_ERROR, "%" PRIu64 " %s are too many: %s takes %" PRIu64 " at most", *n, side[d], a->name,
                 max_n);
        return -1;
    }
    return 0;
}

int app_sizes(const app *a, const app_request *q, const uint64_t n_input[2], uint64_t max_n, uint64_t factor,
              uint64_t n[2], uint64_t b[2], char *error)
{
    const uint64_t max_tasks = (uint64_t)1 << 30;
    uint64_t n_tasks = factor ? factor : 1;
    int d;
    for (d = 0; d < 2; d++) {
        uint64_t n_blocks;
        if (resolve_size(a, q, d, n_input[d], max_n, &n[d], error))
            return -1;
        b[d] = q->b[d] ? q->b[d] : a->b[d];
        b[d] = b[d] < n[d] ? b[d] : n[d];
        n_blocks = n[d] / b[d] + (n[d] % b[d] != 0);
        if (n_tasks > max_tasks / n_blocks) {
            snprintf(error, APP_ERROR, "blocks of %" PRIu64 " %s make more than 2^30 tasks: use larger ones", b[d],
                     side[d]);
            return -1;
        }
        n_tasks *= n_blocks;
    }
    return 0;
}

/* ---- the rest ---------------------------------------------------------------------------------- */

int app_heddle_error(app_case *c, const char *doing)
{
    snprintf(c->error, APP_ERROR, "%s: %.400s", doing, heddle_error_text(c->ctx));
    return -1;
}

int app_failed(app_case *c)
{
    snprintf(c->error, APP_ERROR, "%s", heddle_error_text(NULL));
    return -1;
}

int app_clear(app_case *c, void *at, uint64_t n_bytes)
{
    static const uint32_t zeros[1 << 22];
    for (uint64_t done = 0; done < n_bytes; done += sizeof zeros)
        if (heddle_mem_write(c->ctx, (char *)at + done, zeros, (size_t)app_smaller(n_bytes - done, sizeof zeros)) !=
            HEDDLE_OK)
            return app_heddle_error(c, "clearing the results");
    return 0;
}

int app_new_graph(app_case *c, const heddle_table *table)
{
    return heddle_graph_new(c->ctx, table, &c->graph) == HEDDLE_OK ? 0 : app_heddle_error(c, "making the graph");
}

int app_choose_shared(app_case *c, uint32_t n_bodies, uint32_t n_bytes)
{
    for (uint32_t body = 0; body < n_bodies; body++)
        if (heddle_graph_set_shared_bytes(c->graph, body, n_bytes) != HEDDLE_OK)
            return app_heddle_error(c, "choosing the shared memory");
    return 0;
}

#if HEDDLE_HAVE_LIBCRYPTO
void app_sha256(const void *p, size_t n, char hex[65])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int n_bytes = 0, i;
    hex[0] = 0; /* libcrypto may refuse */
    if (!EVP_Digest(p, n, digest, &n_bytes, EVP_sha256(), NULL) || n_bytes != 32)
        return;
    for (i = 0; i < n_bytes; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}
#else
void app_sha256(const void *p, size_t n, char hex[65])
{
    (void)p;
    (void)n;
    hex[0] = 0;
}
#endif

static void touch(void *self, uint64_t begin, uint64_t end)
{
    volatile char *p = self;
    for (uint64_t at = begin * HUGE_PAGE; at < end * HUGE_PAGE; at += SMALL_PAGE)
        p[at] = 0;
}

/* Huge pages, touched by several threads: the first touch by one, in small pages, takes longer than the work. */
static void *large(uint64_t n_bytes)
{
    uint64_t n_pages = (n_bytes + HUGE_PAGE - 1) / HUGE_PAGE;
    void *p = aligned_alloc(HUGE_PAGE, (size_t)(n_pages * HUGE_PAGE));
    if (p) {
        (void)madvise(p, (size_t)(n_pages * HUGE_PAGE), MADV_HUGEPAGE);
        app_spread(n_pages, HUGE_PAGE / sizeof(float), touch, p);
    }
    return p;
}

void *app_alloc(uint64_t count, uint64_t size, const char *what, char *error)
{
    void *p = NULL;
    if (size == 0 || count <= PTRDIFF_MAX / size)
        p = count * size < LARGE ? malloc((size_t)(count * size) + 1) : large(count * size);
    if (!p)
        snprintf(error, APP_ERROR, "out of memory for %s: %" PRIu64 " of %" PRIu64 " bytes each", what, count, size);
    return p;
}
