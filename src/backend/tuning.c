/* SPDX-License-Identifier: MIT */
/* tuning.c - see tuning.h. */
#include "backend/tuning.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "# heddle tuning_file 1\n";

/* ---- keys --------------------------------------------------------------------------------------------------------- */

/* Fowler, Noll and Vo's hash (FNV-1a), per word. */
static uint64_t mix(uint64_t h, uint64_t word) { return (h ^ word) * 0x100000001b3ull; }

static uint64_t hash_task(uint64_t h, const hd_graph *g, const hd_task *t)
{
    uint32_t i;
    h = mix(h, t->body | (uint64_t)t->flags << 16);
    h = mix(h, t->n_in | (uint64_t)t->n_succ << 32);
    for (i = 0; i < t->n_succ; i++)
        h = mix(h, hd_graph_edge(g, t, i).task);
    return h ^ h >> 29;
}

static uint64_t hash_graph(const hd_graph *g)
{
    uint64_t h = 0xcbf29ce484222325ull;
    const char *c;
    uint32_t t;
    for (c = g->table->name; *c; c++)
        h = mix(h, (unsigned char)*c);
    h = mix(mix(h, g->n_tasks), hd_graph_blob(g)->shared_bytes);
    for (t = 0; t < g->n_tasks; t++)
        h = hash_task(h, g, hd_graph_task(g, t));
    return h;
}

static void copy_word(char out[HD_TUNING_WORD], const char *text)
{
    char *c;
    snprintf(out, HD_TUNING_WORD, "%s", text);
    for (c = out; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
}

void hd_tuning_key_plain(hd_tuning_key *out, const char *device, const char *settings)
{
    out->graph = 0;
    copy_word(out->device, device);
    copy_word(out->settings, settings);
}

void hd_tuning_key_of(hd_tuning_key *out, const hd_graph *g, const char *device, const char *settings)
{
    hd_tuning_key_plain(out, device, settings);
    out->graph = hash_graph(g);
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

typedef struct line {
    hd_tuning_key key;
    char choice[HD_TUNING_WORD];
    unsigned long long run_ns;
} line;

/* Takes the word up to the next tab. NULL: it is empty, too long, or the last. */
static const char *take_word(const char *at, char out[HD_TUNING_WORD])
{
    const char *end = strchr(at, '\t');
    if (!end || end == at || end - at >= (ptrdiff_t)HD_TUNING_WORD)
        return NULL;
    memcpy(out, at, (size_t)(end - at));
    out[end - at] = 0;
    return end + 1;
}

/* 1: text is a valid line. */
static int read_line(const char *text, line *out)
{
    char hash[HD_TUNING_WORD], *end;
    const char *at = take_word(text, hash);
    if (!at || strlen(hash) != 16 || strspn(hash, "0123456789abcdef") != 16)
        return 0;
    out->key.graph = strtoull(hash, NULL, 16);
    if (!(at = take_word(at, out->key.device)) || !(at = take_word(at, out->key.settings)) ||
        !(at = take_word(at, out->choice)) || *at < '0' || *at > '9')
        return 0;
    out->run_ns = strtoull(at, &end, 10);
    return !strcmp(end, "\n");
}

static int same_key(const hd_tuning_key *a, const hd_tuning_key *b)
{
    return a->graph == b->graph && !strcmp(a->device, b->device) && !strcmp(a->settings, b->settings);
}

/* Passes every line to `each` (NULL: only checks). -1: line *n_line is invalid. */
static int read_lines(FILE *f, void (*each)(void *self, const line *l), void *self, uint32_t *n_line)
{
    char text[4 * HD_TUNING_WORD + 64];
    line l;
    rewind(f);
    for (*n_line = 1; fgets(text, sizeof text, f); ++*n_line) {
        if (*n_line == 1 ? strcmp(text, first_line) != 0 : !read_line(text, &l))
            return -1;
        if (*n_line > 1 && each)
            each(self, &l);
    }
    return ferror(f) ? -1 : 0;
}

/* Opens a tuning file after checking all of it. *out NULL and OK: there is no file. */
static heddle_status open_tuning_file(FILE **out, const char *path, hd_error *e)
{
    uint32_t n_line;
    *out = fopen(path, "r");
    if (!*out && errno == ENOENT)
        return HEDDLE_OK;
    if (!*out)
        return hd_say(e, HEDDLE_EIO, "tuning file %.200s: cannot be read: %s", path, strerror(errno));
    if (read_lines(*out, NULL, NULL, &n_line)) {
        fclose(*out);
        *out = NULL;
        return hd_say(e, HEDDLE_EPARSE, "tuning file %.200s: line %u is damaged, or of another file; it is left alone",
                      path, n_line);
    }
    return HEDDLE_OK;
}

typedef struct search {
    const hd_tuning_key *key;
    char *choice;
    int found;
} search;

static void compare(void *self, const line *l)
{
    search *s = self;
    if (!same_key(s->key, &l->key))
        return;
    memcpy(s->choice, l->choice, HD_TUNING_WORD);
    s->found = 1;
}

int hd_tuning_find(const char *path, const hd_tuning_key *k, char choice[HD_TUNING_WORD], hd_error *note)
{
    search s = {k, choice, 0};
    uint32_t n_line;
    FILE *f;
    note->text[0] = 0;
    if (open_tuning_file(&f, path, note) != HEDDLE_OK || !f)
        return 0;
    (void)read_lines(f, compare, &s, &n_line);
    fclose(f);
    return s.found;
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

typedef struct writer {
    hd_file *file;
    const hd_tuning_key *key; /* lines with this key are dropped */
} writer;

static void write_line(void *self, const line *l)
{
    const writer *w = self;
    if (!w->key || !same_key(w->key, &l->key))
        hd_file_print(w->file, "%016llx\t%s\t%s\t%s\t%llu\n", (unsigned long long)l->key.graph, l->key.device,
                      l->key.settings, l->choice, l->run_ns);
}

static heddle_status rewrite(FILE *old, const char *path, const line *added, hd_error *e)
{
    writer w = {NULL, &added->key};
    uint32_t n_line;
    HD_TRY(hd_file_create(&w.file, path, e));
    hd_file_print(w.file, "%s", first_line);
    if (old)
        (void)read_lines(old, write_line, &w, &n_line);
    w.key = NULL;
    write_line(&w, added);
    return hd_file_commit(w.file, e);
}

heddle_status hd_tuning_keep(const char *path, const hd_tuning_key *k, const char *choice, uint64_t run_ns, hd_error *e)
{
    line added = {*k, "", run_ns};
    heddle_status s;
    FILE *old;
    copy_word(added.choice, choice);
    HD_TRY(open_tuning_file(&old, path, e));
    s = rewrite(old, path, &added, e);
    if (old)
        fclose(old);
    return s;
}
