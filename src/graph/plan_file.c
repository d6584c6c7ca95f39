/* SPDX-License-Identifier: MIT */
/* plan_file.c - plans as JSON: {"workers":n,"tasks":n,"lists":[[task,...],...]}.
 *
 * The format is so small that it is parsed here as a stream: no memory beyond the plan's, and no library. Keys may come in
 * any order. The reader refuses, with the line: text that is no such object, unknown or repeated keys, numbers other than
 * plain integers, and counts of lists or tasks that differ from the file's figures. hd_plan_check then checks the tasks. */
#include "graph/plan.h"
#include "base/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

heddle_status hd_plan_write(const hd_plan *p, const char *path, hd_error *e)
{
    hd_file *f;
    uint32_t w, i;
    HD_TRY(hd_file_create(&f, path, e));
    hd_file_print(f, "{\"workers\":%u,\"tasks\":%llu,\"lists\":[", p->n_workers, (unsigned long long)p->n_tasks);
    for (w = 0; w < p->n_workers; w++) {
        hd_file_print(f, w ? ",\n[" : "\n[");
        for (i = p->lists[w]; i < p->lists[w + 1]; i++)
            hd_file_print(f, i > p->lists[w] ? ",%u" : "%u", p->order[i]);
        hd_file_print(f, "]");
    }
    hd_file_print(f, "\n]}\n");
    return hd_file_commit(f, e);
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

typedef struct reader {
    FILE *in;
    const char *path;
    hd_error *e;
    uint64_t line;
    hd_list ends;  /* uint32_t: end of each list in `order` */
    hd_list order; /* uint32_t: the lists, one after another */
    uint64_t n_workers, n_tasks;
    uint32_t seen; /* one bit per key */
} reader;

static heddle_status bad(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static heddle_status bad(const reader *r, const char *format, ...)
{
    char what[160];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return hd_say(r->e, HEDDLE_EPARSE, "%s:%llu: %s", r->path, (unsigned long long)r->line, what);
}

/* The next byte that is not a space, not consumed; EOF at the end. */
static int peek(reader *r)
{
    int c;
    while ((c = getc(r->in)) == ' ' || c == '\n' || c == '\t' || c == '\r')
        r->line += c == '\n';
    if (c != EOF)
        ungetc(c, r->in);
    return c;
}

/* Consumes c if it is the next byte. */
static int comes(reader *r, char c) { return peek(r) == (unsigned char)c ? getc(r->in) != EOF : 0; }

static heddle_status expect(reader *r, char c)
{
    int is = peek(r);
    if (comes(r, c))
        return HEDDLE_OK;
    if (is > ' ' && is < 0x7f)
        return bad(r, "'%c' is expected, not '%c'", c, is);
    return bad(r, "'%c' is expected", c);
}

static heddle_status take_number(reader *r, uint64_t most, uint64_t *out)
{
    int c = peek(r), n_digits = 0;
    *out = 0;
    for (; (c = getc(r->in)) >= '0' && c <= '9'; n_digits++) {
        *out = *out * 10 + (uint64_t)(c - '0');
        if (*out > most)
            return bad(r, "a number beyond %llu", (unsigned long long)most);
    }
    if (c != EOF)
        ungetc(c, r->in);
    return n_digits ? HEDDLE_OK : bad(r, "a whole number is expected");
}

static heddle_status append(reader *r, hd_list *l, uint32_t x)
{
    if (hd_list_room(l, 1, sizeof x))
        return hd_say(r->e, HEDDLE_ENOMEM, "%s: out of memory", r->path);
    ((uint32_t *)l->at)[l->n++] = x;
    return HEDDLE_OK;
}

/* Begins an array. *more: it is not empty. */
static heddle_status begin_array(reader *r, int *more)
{
    HD_TRY(expect(r, '['));
    *more = !comes(r, ']');
    return HEDDLE_OK;
}

static heddle_status next_item(reader *r, int *more)
{
    *more = comes(r, ',');
    return *more ? HEDDLE_OK : expect(r, ']');
}

static heddle_status take_list(reader *r)
{
    uint64_t task;
    int more;
    HD_TRY(begin_array(r, &more));
    while (more) {
        HD_TRY(take_number(r, HEDDLE_MAX_TASKS - 1, &task));
        if (r->order.n == HEDDLE_MAX_TASKS)
            return bad(r, "more than %u tasks", HEDDLE_MAX_TASKS);
        HD_TRY(append(r, &r->order, (uint32_t)task));
        HD_TRY(next_item(r, &more));
    }
    return append(r, &r->ends, (uint32_t)r->order.n);
}

static heddle_status take_lists(reader *r)
{
    int more;
    HD_TRY(begin_array(r, &more));
    while (more) {
        if (r->ends.n == HD_PLAN_MAX_WORKERS)
            return bad(r, "more than %u lists", HD_PLAN_MAX_WORKERS);
        HD_TRY(take_list(r));
        HD_TRY(next_item(r, &more));
    }
    return HEDDLE_OK;
}

static heddle_status take_member(reader *r)
{
    static const char *const keys[] = {"workers", "tasks", "lists"};
    char key[16];
    uint32_t n = 0, i;
    int c;
    HD_TRY(expect(r, '"'));
    while ((c = getc(r->in)) >= ' ' && c != '"' && n + 1 < sizeof key)
        key[n++] = (char)c;
    key[n] = 0;
    for (i = 0; i < 3 && strcmp(key, keys[i]) != 0; i++)
        ;
    if (c != '"' || i == 3)
        return bad(r, "a plan has the keys \"workers\", \"tasks\" and \"lists\" only");
    if (r->seen & 1u << i)
        return bad(r, "\"%s\" comes twice", keys[i]);
    r->seen |= 1u << i;
    HD_TRY(expect(r, ':'));
    if (i == 2)
        return take_lists(r);
    return take_number(r, i ? HEDDLE_MAX_TASKS : HD_PLAN_MAX_WORKERS, i ? &r->n_tasks : &r->n_workers);
}

static heddle_status take_all(reader *r)
{
    HD_TRY(expect(r, '{'));
    do
        HD_TRY(take_member(r));
    while (comes(r, ','));
    HD_TRY(expect(r, '}'));
    if (peek(r) != EOF)
        return bad(r, "something follows the plan");
    if (r->seen != 7)
        return bad(r, "\"workers\", \"tasks\" and \"lists\" are not all there");
    if (r->n_workers != r->ends.n || r->n_tasks != r->order.n || !r->n_workers)
        return bad(r, "%llu lists of %llu tasks for %llu workers and %llu tasks", (unsigned long long)r->ends.n,
                   (unsigned long long)r->order.n, (unsigned long long)r->n_workers, (unsigned long long)r->n_tasks);
    return HEDDLE_OK;
}

static heddle_status finish(const reader *r, hd_plan *out)
{
    HD_TRY(hd_plan_room(out, (uint32_t)r->n_workers, r->n_tasks, r->e));
    memcpy(out->lists + 1, r->ends.at, r->ends.n * sizeof *out->lists);
    if (r->n_tasks)
        memcpy(out->order, r->order.at, r->n_tasks * sizeof *out->order);
    return HEDDLE_OK;
}

heddle_status hd_plan_read(hd_plan *out, const char *path, hd_error *e)
{
    reader r;
    heddle_status s;
    memset(&r, 0, sizeof r);
    memset(out, 0, sizeof *out);
    r.path = path;
    r.e = e;
    r.line = 1;
    r.in = fopen(path, "rb");
    if (!r.in)
        return hd_say(e, HEDDLE_EIO, "%s: cannot be read: %s", path, strerror(errno));
    errno = 0;
    s = take_all(&r);
    if (ferror(r.in)) /* the apparent end was a read error */
        s = hd_say(e, HEDDLE_EIO, "%s: cannot be read: %s", path, strerror(errno));
    fclose(r.in);
    if (s == HEDDLE_OK)
        s = finish(&r, out);
    hd_list_clear(&r.ends);
    hd_list_clear(&r.order);
    return s;
}
