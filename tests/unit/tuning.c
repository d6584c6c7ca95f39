/* SPDX-License-Identifier: MIT */
/* tuning.c - the file that remembers how graphs ran best. An entry is found by structure, device and settings, and by
 * nothing else. Damaged files are reported and not touched; simultaneous writers leave a whole file; a context uses the
 * config's path. */
#include "backend/tuning.h"
#include "fault/bodies.h"
#include "run/run.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/heddle_tuning_XXXXXX", path[64];

static heddle_graph *new_graph(heddle_ctx *ctx, uint32_t n_chains, uint32_t n)
{
    heddle_graph *g;
    uint32_t i;
    CHECK_OK(ctx, heddle_graph_new(ctx, &fault, &g));
    for (i = 0; i < n_chains; i++)
        CHECK_OK(ctx, fault_add_chain(g, i, n));
    CHECK_OK(ctx, heddle_graph_freeze(g));
    return g;
}

static hd_tuning_key key_of(const heddle_graph *g, const char *device, const char *settings)
{
    hd_tuning_key k;
    hd_tuning_key_of(&k, &g->g, device, settings);
    return k;
}

/* The choice found; NULL: nothing, and no message. */
static const char *find(const hd_tuning_key *k)
{
    static char choice[HD_TUNING_WORD];
    hd_error note;
    int found = hd_tuning_find(path, k, choice, &note);
    CHECK_MSG(!note.text[0], "%s", note.text);
    return found ? choice : NULL;
}

static void keep(const hd_tuning_key *k, const char *choice)
{
    hd_error e;
    CHECK_MSG(hd_tuning_keep(path, k, choice, 1234, &e) == HEDDLE_OK, "%s", e.text);
}

static uint32_t n_lines(void)
{
    FILE *f = fopen(path, "r");
    uint32_t n = 0;
    int c;
    CHECK(f);
    while ((c = getc(f)) != EOF)
        n += c == '\n';
    fclose(f);
    return n;
}

/* Two graphs, devices, settings each; the same graph made again matches; arguments and numbers do not matter. */
static void test_keys(heddle_ctx *ctx)
{
    heddle_graph *g = new_graph(ctx, 3, 5), *again = new_graph(ctx, 3, 5), *other = new_graph(ctx, 5, 3);
    hd_tuning_key k = key_of(g, "card", "auto"), same = key_of(again, "card", "auto");
    hd_tuning_key shape = key_of(other, "card", "auto"), device = key_of(g, "card 2", "auto");
    hd_tuning_key settings = key_of(g, "card", "auto 2");
    fault_step_args a = {1, 77};
    unlink(path);
    CHECK(!find(&k));
    keep(&k, "persistent plan depth");
    CHECK(!strcmp(find(&k), "persistent plan depth") && !strcmp(find(&same), "persistent plan depth"));
    CHECK(!find(&shape) && !find(&device) && !find(&settings));
    keep(&shape, "cudagraph");
    keep(&device, "levels");
    keep(&settings, "persistent distributed");
    CHECK(!strcmp(find(&k), "persistent plan depth") && !strcmp(find(&shape), "cudagraph"));
    CHECK(!strcmp(find(&device), "levels") && !strcmp(find(&settings), "persistent distributed") && n_lines() == 5);
    keep(&same, "cudagraph+pdl"); /* replaces the first */
    CHECK(!strcmp(find(&k), "cudagraph+pdl") && !strcmp(find(&shape), "cudagraph") && n_lines() == 5);
    CHECK_OK(ctx, heddle_graph_set_args(g, 0, &a, sizeof a));
    k = key_of(g, "ca\trd\n", "auto");
    CHECK(!strcmp(k.device, "ca rd ") && k.graph == same.graph);
    heddle_graph_free(g);
    heddle_graph_free(again);
    heddle_graph_free(other);
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

static char *read_all(size_t *n)
{
    static char text[4096];
    FILE *f = fopen(path, "r");
    CHECK(f);
    *n = fread(text, 1, sizeof text - 1, f);
    text[*n] = 0;
    fclose(f);
    return text;
}

static void write_all(const char *text, size_t n)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fwrite(text, 1, n, f) == n && fclose(f) == 0);
}

/* A damaged file is neither used nor overwritten, but reported. */
static void check_damaged(const hd_tuning_key *k, const char *text, size_t n)
{
    char choice[HD_TUNING_WORD];
    hd_error note, e;
    size_t after;
    write_all(text, n);
    CHECK_MSG(!hd_tuning_find(path, k, choice, &note) && strstr(note.text, "damaged") && strstr(note.text, path),
              "%.60s: %s", text, note.text);
    CHECK(hd_tuning_keep(path, k, "levels", 1, &e) == HEDDLE_EPARSE && strstr(e.text, "line"));
    CHECK(!memcmp(read_all(&after), text, n < 4095 ? n : 4095) && after == (n < 4095 ? n : 4095));
}

static void test_damaged(heddle_ctx *ctx)
{
    static const char *const bad[] = {
        "not a tuning_file\n",
        "# heddle tuning_file 2\n",
        "# heddle tuning_file 1",
        "# heddle tuning_file 1\n\n",
        "# heddle tuning_file 1\n0123456789abcdef\tcard\tauto\tlevels\t12",
        "# heddle tuning_file 1\n0123456789abcdef\tcard\tauto\tlevels\t12 \n",
        "# heddle tuning_file 1\n0123456789abcdef\tcard\tauto\tlevels\t-1\n",
        "# heddle tuning_file 1\n0123456789abcdef\tcard\tauto\t\t12\n",
        "# heddle tuning_file 1\n0123456789abcdef\tcard\tauto\tlevels\n",
        "# heddle tuning_file 1\n0123456789abcde\tcard\tauto\tlevels\t12\n",
        "# heddle tuning_file 1\n0x23456789abcdef\tcard\tauto\tlevels\t12\n",
    };
    heddle_graph *g = new_graph(ctx, 2, 4);
    hd_tuning_key k = key_of(g, "card", "auto");
    char whole[4096], most[4096];
    size_t i, n;
    unlink(path);
    keep(&k, "levels");
    memcpy(whole, read_all(&n), sizeof whole);
    for (i = 1; i < n; i++) /* cut anywhere but after the first line */
        if (whole[i - 1] != '\n')
            check_damaged(&k, whole, i);
    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        check_damaged(&k, bad[i], strlen(bad[i]));
    memset(most, 'x', sizeof most);
    check_damaged(&k, most, sizeof most);
    memset(most, 0, sizeof most);
    check_damaged(&k, most, sizeof most);
    write_all("", 0); /* an empty file counts as none */
    CHECK(!find(&k));
    keep(&k, "levels");
    CHECK(!strcmp(find(&k), "levels"));
    heddle_graph_free(g);
}

static void test_unreachable(heddle_ctx *ctx)
{
    heddle_graph *g = new_graph(ctx, 1, 1);
    hd_tuning_key k = key_of(g, "card", "auto");
    char choice[HD_TUNING_WORD];
    hd_error e;
    CHECK(!hd_tuning_find(dir, &k, choice, &e) && strstr(e.text, dir)); /* a folder */
    CHECK(!hd_tuning_find("/nowhere/at/all", &k, choice, &e) && !e.text[0]);
    CHECK(hd_tuning_keep("/nowhere/at/all", &k, "levels", 1, &e) == HEDDLE_EIO && strstr(e.text, "/nowhere/at/all"));
    unlink(path);
    keep(&k, "levels");
    hd_fail_alloc_at(1);
    CHECK(hd_tuning_keep(path, &k, "cudagraph", 1, &e) == HEDDLE_ENOMEM);
    hd_fail_alloc_at(0);
    CHECK(!strcmp(find(&k), "levels"));
    heddle_graph_free(g);
}

/* ---- writers at the same time ------------------------------------------------------------------------------------ */

enum { N_WRITERS = 4, N_TURNS = 40 };

/* Each process keeps finding a whole file. */
static void *write_often(void *self)
{
    hd_tuning_key k = *(const hd_tuning_key *)self;
    for (uint32_t i = 0; i < N_TURNS; i++) {
        char name[32];
        snprintf(name, sizeof name, "turn %u", i);
        keep(&k, name);
        k.graph++;
        (void)find(&k);
    }
    return NULL;
}

static void test_writers(heddle_ctx *ctx)
{
    heddle_graph *g = new_graph(ctx, 1, 1);
    hd_tuning_key k[N_WRITERS];
    pthread_t threads[N_WRITERS / 2];
    pid_t children[N_WRITERS / 2];
    uint32_t i;
    int status;
    unlink(path);
    for (i = 0; i < N_WRITERS; i++) {
        k[i] = key_of(g, "card", "auto");
        k[i].graph = i * 1000;
    }
    for (i = 0; i < N_WRITERS / 2; i++) {
        fflush(stdout);
        children[i] = fork();
        CHECK(children[i] >= 0);
        if (!children[i]) {
            write_often(&k[i]);
            _exit(0);
        }
    }
    for (i = 0; i < N_WRITERS / 2; i++)
        CHECK(!pthread_create(&threads[i], NULL, write_often, &k[N_WRITERS / 2 + i]));
    for (i = 0; i < N_WRITERS / 2; i++) {
        CHECK(!pthread_join(threads[i], NULL));
        CHECK(waitpid(children[i], &status, 0) == children[i] && WIFEXITED(status) && !WEXITSTATUS(status));
    }
    CHECK(n_lines() > N_TURNS / 2);
    keep(&k[0], "levels");
    CHECK(!strcmp(find(&k[0]), "levels"));
    heddle_graph_free(g);
}

/* ---- the config -------------------------------------------------------------------------------------------------- */

static const char *tuning_file_of(heddle_ctx *ctx)
{
    static heddle_config c = HEDDLE_CONFIG_INIT;
    CHECK_OK(ctx, heddle_ctx_get_config(ctx, &c));
    return c.tuning_file;
}

static void test_config(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    char given[] = "some file";
    heddle_ctx *ctx;
    c.backend = HEDDLE_SERIAL;
    c.tuning_file = given;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    memset(given, 'x', sizeof given - 1);
    CHECK(!strcmp(tuning_file_of(ctx), "some file"));
    CHECK_OK(ctx, heddle_ctx_reconfigure(ctx, NULL));
    CHECK(!tuning_file_of(ctx));
    c.tuning_file = "";
    CHECK_OK(ctx, heddle_ctx_reconfigure(ctx, &c));
    CHECK(!tuning_file_of(ctx));
    CHECK(!setenv("HEDDLE_TUNING_FILE", "another", 1));
    CHECK_OK(ctx, heddle_ctx_reconfigure(ctx, NULL));
    CHECK(!unsetenv("HEDDLE_TUNING_FILE") && !strcmp(tuning_file_of(ctx), "another"));
    heddle_ctx_close(ctx);
}

int main(void)
{
    heddle_ctx *ctx;
    unsetenv("HEDDLE_TUNING_FILE");
    CHECK(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/tuning_file", dir);
    ctx = fault_open(HEDDLE_SERIAL, 0);
    test_keys(ctx);
    test_damaged(ctx);
    test_unreachable(ctx);
    test_writers(ctx);
    test_config();
    heddle_ctx_close(ctx);
    CHECK(unlink(path) == 0 && rmdir(dir) == 0); /* and no other file is left behind */
    CHECK(hd_held_bytes() == 0);
    return 0;
}
