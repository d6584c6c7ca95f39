/* SPDX-License-Identifier: MIT */
/* mosaic.c - photographs laid out over larger pictures: pixel for pixel what mosaic.h says, and no two copies are the same bytes. Histogram and
 * boxfilter of each photograph, at sizes that are no multiple of it, are the same on several devices as on one thread; the histogram of
 * whole copies follows from that of one. The photographs are the project's, and those of the folder HEDDLE_DATA. */
#include "apps/looped.h"
#include "mosaic.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char *const fleets[] = {"cpu:2", "virtual:speed=0.5 cpu:1", "2*virtual:memory=9e6",
                                     "virtual:fail=5 cpu:1"};

static void random_photograph(uint8_t *at, uint64_t n, uint64_t seed)
{
    for (uint64_t i = 0; i < n; i++)
        at[i] = (uint8_t)check_below(&seed, 256);
}

/* ---- pixels ------------------------------------------------------------------------------------------------------------ */

static uint8_t plain(const uint8_t *photograph, const uint64_t size[2], const uint64_t n[2], uint64_t r, uint64_t c)
{
    const uint64_t n_across = n[1] / size[1] + (n[1] % size[1] != 0);
    const mosaic_offset o = mosaic_offset_of(size, r / size[0] * n_across + c / size[1]);
    return (uint8_t)(photograph[(r % size[0] + o.down) % size[0] * size[1] + (c % size[1] + o.right) % size[1]] + o.by);
}

static void check_pixels(uint64_t h, uint64_t w, uint64_t rows, uint64_t cols)
{
    const uint64_t size[2] = {h, w}, n[2] = {rows, cols};
    uint8_t *photograph = malloc(h * w), *picture = malloc(rows * cols);
    CHECK(photograph && picture);
    random_photograph(photograph, h * w, 7);
    mosaic_lay(photograph, size, picture, n);
    for (uint64_t i = 0; i < rows * cols; i++)
        CHECK_MSG(picture[i] == plain(photograph, size, n, i / cols, i % cols),
                  "%llu x %llu over %llu x %llu: pixel %llu", (unsigned long long)h, (unsigned long long)w,
                  (unsigned long long)rows, (unsigned long long)cols, (unsigned long long)i);
    for (uint64_t r = 0; r < h; r++)
        CHECK(!memcmp(picture + r * cols, photograph + r * w, w));
    free(photograph);
    free(picture);
}

static void test_pixels(void)
{
    check_pixels(1, 1, 1, 1);
    check_pixels(5, 7, 5, 7);
    check_pixels(5, 7, 33, 100);
    check_pixels(1, 35, 1, 1000003);
    check_pixels(303, 384, 3001, 2999); /* by several threads */
}

enum { H = 5, W = 7, COPIES = H * W * 256 };

static int compare(const void *a, const void *b) { return memcmp(a, b, H * W); }

/* As many copies as can differ do: below one another, or of a photograph that is one row, beside one another. */
static void check_distinct(const uint64_t size[2], const uint64_t n[2])
{
    static uint8_t photograph[H * W], copies[COPIES][H * W];
    random_photograph(photograph, H * W, 8);
    mosaic_lay(photograph, size, copies[0], n);
    qsort(copies, COPIES, H * W, compare);
    for (uint32_t k = 1; k < COPIES; k++)
        CHECK_MSG(compare(copies[k - 1], copies[k]) != 0, "copies are the same, %u in order", k);
}

static void test_distinct(void)
{
    check_distinct((const uint64_t[2]){H, W}, (const uint64_t[2]){(uint64_t)H * COPIES, W});
    check_distinct((const uint64_t[2]){1, H * W}, (const uint64_t[2]){1, (uint64_t)H * W * COPIES});
}

static void test_side(void)
{
    char error[APP_ERROR] = "";
    uint64_t n;
    CHECK(!mosaic_side(303, 0, "rows", &n, error) && n == 303);
    CHECK(!mosaic_side(303, 304, "rows", &n, error) && n == 304);
    CHECK(mosaic_side(303, 302, "rows", &n, error) && !strcmp(error, "-n asks for 302 rows, but the input has 303"));
}

/* ---- apps -------------------------------------------------------------------------------------------------------------- */

static void check_fleets(const subject *s)
{
    bytes want = looped_serial(s, "loop");
    for (size_t i = 0; i < sizeof fleets / sizeof *fleets; i++) {
        app_case *c = looped_prepare(s, "loop", fleets[i], 0);
        bytes got = looped_run(c, fleets[i]);
        CHECK_MSG(got.n == want.n && !memcmp(got.at, want.at, got.n), "%s of %s on %s: other bytes than serial", s->app,
                  s->input, fleets[i]);
        free(got.at);
        c->app->free(c);
    }
    free(want.at);
}

/* Counts of so many bytes; 0: the photograph's own number, which is returned. */
static uint64_t count(const char *path, uint64_t n, int64_t bins[256])
{
    const subject s = {"histogram", {n, 0}, {0, 0}, {{NULL, NULL}}, 0, path};
    app_case *c = looped_prepare(&s, "loop", fleets[0], 0);
    bytes got = looped_run(c, fleets[0]);
    CHECK(got.n == 256 * sizeof *bins);
    memcpy(bins, got.at, got.n);
    n = c->n[0];
    free(got.at);
    c->app->free(c);
    return n;
}

static void check_counts(const char *path)
{
    enum { N = 3 };
    int64_t one[256], all[256];
    const uint64_t n = count(path, 0, one);
    CHECK(count(path, N * n, all) == N * n);
    for (uint32_t v = 0; v < 256; v++) {
        int64_t want = 0;
        for (uint64_t k = 0; k < N; k++)
            want += one[(uint8_t)(v - mosaic_offset_of((const uint64_t[2]){1, n}, k).by)];
        CHECK_MSG(all[v] == want, "%s: %lld pixels are %u, not %lld", path, (long long)all[v], v, (long long)want);
    }
}

static void check_photograph(const char *path, uint64_t rows, uint64_t cols)
{
    const subject box = {"boxfilter", {rows + rows / 3 + 1, 2 * cols + 5}, {0, 0}, {{NULL, NULL}}, 0, path};
    const subject bins = {"histogram", {2 * rows * cols + rows, 0}, {0, 0}, {{NULL, NULL}}, 0, path};
    check_fleets(&box);
    check_fleets(&bins);
    check_counts(path);
}

/* Names end in COLSxROWS.pgm. */
static int size_of(const char *name, uint64_t *rows, uint64_t *cols)
{
    const char *size = strrchr(name, '_');
    unsigned long long w, h;
    int n = 0;
    if (!size || sscanf(size, "_%llux%llu.pgm%n", &w, &h, &n) != 2 || !n || size[n])
        return 0;
    *rows = h;
    *cols = w;
    return 1;
}

static uint32_t check_folder(const char *root)
{
    char path[512];
    uint32_t n = 0;
    const struct dirent *e;
    DIR *images;
    snprintf(path, sizeof path, "%.200s/images", root);
    images = opendir(path);
    CHECK_MSG(images, "there is no %s", path);
    while ((e = readdir(images))) {
        uint64_t rows, cols;
        if (!size_of(e->d_name, &rows, &cols))
            continue;
        snprintf(path, sizeof path, "%.200s/images/%.200s", root, e->d_name);
        check_photograph(path, rows, cols);
        n++;
    }
    closedir(images);
    return n;
}

int main(void)
{
    const char *more = getenv("HEDDLE_DATA");
    test_pixels();
    test_distinct();
    test_side();
    CHECK(check_folder(TEST_SOURCE_DIR "/data") == 1);
    if (more && *more && !CHECK_IS_SLOW)
        printf("%u photographs of %s\n", check_folder(more), more);
    else
        printf("without the photographs of HEDDLE_DATA: it is not set, or this is a sanitizer's build\n");
    return 0;
}
