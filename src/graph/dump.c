/* SPDX-License-Identifier: MIT */
/* dump.c - writes a frozen graph as DOT or JSON, and reads JSON into plain arrays.
 *
 * The JSON is {"tasks":[{"id","body","after":[...],"us","args","urgent"}]}. A join is a task with body "join" that takes no
 * time. The writer uses task numbers as ids, sorts "after", and omits defaults (us 0, no args, urgent 0). A graph that is
 * written, read and written again therefore gives the same bytes.
 *
 * The reader accepts integer ids from 0 to 2^63-1 in any order; "after" may name later tasks. It refuses text that is not
 * JSON (naming the line), unknown keys and graphs without tasks. It also refuses missing, repeated and (in "after") unknown
 * ids, a task after itself, negative or endless times, and arguments that are not hexadecimal. Freeze finds longer cycles. A
 * build without jansson reads nothing and says so. */
#include "graph/dump.h"
#include "graph/graph.h"

#include <errno.h>
#if HEDDLE_HAVE_JANSSON
#include <jansson.h>
#endif
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_US 3600e6 /* one task: an hour */

/* ---- shared by all written files ---------------------------------------------------------------------------------- */

uint32_t hd_utf8_bytes(const char *text)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000}; /* below this a shorter form exists */
    const unsigned char *p = (const unsigned char *)text;
    uint32_t n = *p < 0x80 ? 1 : (*p & 0xe0) == 0xc0 ? 2 : (*p & 0xf0) == 0xe0 ? 3 : (*p & 0xf8) == 0xf0 ? 4 : 0;
    uint32_t i, code = n < 2 ? *p : *p & (0x7fu >> n);
    for (i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    if (!*p || (n > 1 && code < least[n]) || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    return n;
}

/* Leading bytes of text that a JSON string may hold unescaped. */
static uint32_t plain_bytes(const char *text)
{
    uint32_t at = 0, n;
    while ((n = hd_utf8_bytes(text + at)) > 0 && (unsigned char)text[at] >= 0x20 && text[at] != '"' && text[at] != '\\')
        at += n;
    return at;
}

void hd_print_json(hd_file *f, const char *text)
{
    uint32_t n = plain_bytes(text);
    hd_file_print(f, "\"%.*s", (int)n, text);
    for (text += n; *text; text += n + 1) {
        if (*text == '"' || *text == '\\')
            hd_file_print(f, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            hd_file_print(f, "\\u%04x", (unsigned)*text);
        else
            hd_file_print(f, "?");
        n = plain_bytes(text + 1);
        hd_file_print(f, "%.*s", (int)n, text + 1);
    }
    hd_file_print(f, "\"");
}

void hd_print_milli(hd_file *f, uint64_t n)
{
    static const struct {
        uint64_t unit;
        int digits;
    } part[4] = {{1000, 0}, {100, 1}, {10, 2}, {1, 3}};
    uint32_t i = 0;
    while (n % part[i].unit)
        i++;
    hd_file_print(f, "%llu", (unsigned long long)(n / 1000));
    if (i)
        hd_file_print(f, ".%0*llu", part[i].digits, (unsigned long long)(n % 1000 / part[i].unit));
}

const char *hd_colour(uint32_t body)
{
    static const char *const colour[HD_N_COLOURS] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00",
                                                     "#f0e442", "#999999", "#004c77", "#9a6a00", "#006a4d", "#88516f",
                                                     "#3a789c", "#8f3f00", "#a1982c", "#666666"};
    return colour[body % HD_N_COLOURS];
}

const char *hd_body_name(const heddle_table *table, uint32_t body)
{
    return body == HD_BODY_JOIN ? "join" : table->bodies[body].name;
}

/* ---- DOT ---------------------------------------------------------------------------------------------------------- */

/* A quoted DOT string takes any UTF-8; only quotes and backslashes need escapes. */
static void print_label(hd_file *f, const char *text)
{
    for (; *text; text++)
        hd_file_print(f, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
}

static void print_node(hd_file *f, const hd_graph *g, uint32_t t)
{
    const hd_task *task = hd_graph_task(g, t);
    if (task->body == HD_BODY_JOIN) {
        hd_file_print(f, "t%u [label=\"\", shape=point];\n", t);
        return;
    }
    hd_file_print(f, "t%u [label=\"", t);
    print_label(f, hd_body_name(g->table, task->body));
    hd_file_print(f, " %u\", color=\"%s\"%s];\n", t, hd_colour(task->body),
                  task->flags & HD_TASK_URGENT ? ", penwidth=3" : "");
}

heddle_status hd_graph_write_dot(const hd_graph *g, const char *path, hd_error *e)
{
    hd_file *f;
    uint32_t t, i;
    HD_TRY(hd_file_create(&f, path, e));
    hd_file_print(f, "digraph heddle {\nnode [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11];\n"
                     "edge [color=\"#777777\", arrowsize=0.7];\n");
    for (t = 0; t < g->n_tasks; t++)
        print_node(f, g, t);
    for (t = 0; t < g->n_tasks; t++)
        for (i = 0; i < hd_graph_task(g, t)->n_succ; i++)
            hd_file_print(f, "t%u -> t%u;\n", t, hd_graph_edge(g, hd_graph_task(g, t), i).task);
    hd_file_print(f, "}\n");
    return hd_file_commit(f, e);
}

/* ---- JSON, written ------------------------------------------------------------------------------------------------ */

static void print_args(hd_file *f, const hd_graph *g, const hd_task *task)
{
    const uint8_t *args = hd_graph_args(g, task);
    uint32_t i;
    hd_file_print(f, ",\"args\":\"");
    for (i = 0; i < task->arg_bytes; i++)
        hd_file_print(f, "%02x", args[i]);
    hd_file_print(f, "\"");
}

static void print_task(hd_file *f, const hd_graph *g, const hd_preds *p, uint32_t t)
{
    const hd_task *task = hd_graph_task(g, t);
    uint64_t i;
    hd_file_print(f, "%s\n{\"id\":%u,\"body\":", t ? "," : "", t);
    hd_print_json(f, hd_body_name(g->table, task->body));
    hd_file_print(f, ",\"after\":[");
    for (i = p->at[t]; i < p->at[t + 1]; i++)
        hd_file_print(f, i == p->at[t] ? "%u" : ",%u", p->from[i]);
    hd_file_print(f, "]");
    if (task->cost_ns) {
        hd_file_print(f, ",\"us\":");
        hd_print_milli(f, task->cost_ns);
    }
    if (task->arg_bytes)
        print_args(f, g, task);
    hd_file_print(f, task->flags & HD_TASK_URGENT ? ",\"urgent\":1}" : "}");
}

heddle_status hd_graph_write_json(const hd_graph *g, const char *path, hd_error *e)
{
    hd_file *f;
    hd_preds p;
    heddle_status s;
    uint32_t t;
    if (hd_preds_of(&p, g))
        return hd_say(e, HEDDLE_ENOMEM, "%s: out of memory", path);
    s = hd_file_create(&f, path, e);
    if (s == HEDDLE_OK) {
        hd_file_print(f, "{\"tasks\":[");
        for (t = 0; t < g->n_tasks; t++)
            print_task(f, g, &p, t);
        hd_file_print(f, "\n]}\n");
        s = hd_file_commit(f, e);
    }
    hd_preds_clear(&p);
    return s;
}

/* ---- JSON, read --------------------------------------------------------------------------------------------------- */

#if HEDDLE_HAVE_JANSSON
typedef struct reader {
    const char *path;
    hd_error *e;
    const json_t *list; /* the tasks, as parsed */
    json_t *names;      /* name -> its index */
    hd_file_graph *out;
    uint64_t n_after, n_arg_bytes; /* of all tasks read so far */
    uint64_t *ids;                 /* by task */
    uint32_t *slots;               /* hash table of ids: task + 1, 0 = free */
    uint64_t n_slots;              /* a power of two, at least twice the tasks */
} reader;

/* Refuses the file because of task i. */
#define BAD(r, i, ...) bad(r, i, HEDDLE_EPARSE, __VA_ARGS__)
static heddle_status bad(const reader *r, uint64_t i, heddle_status s, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static heddle_status bad(const reader *r, uint64_t i, heddle_status s, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return hd_say(r->e, s, "%s: task %llu: %s", r->path, (unsigned long long)i, what);
}

static heddle_status no_memory(const reader *r) { return hd_say(r->e, HEDDLE_ENOMEM, "%s: out of memory", r->path); }

static heddle_status load(json_t **root, const char *path, hd_error *e)
{
    json_error_t why;
    FILE *f = fopen(path, "rb");
    int unread;
    *root = NULL;
    if (!f)
        return hd_say(e, HEDDLE_EIO, "%s: cannot be read: %s", path, strerror(errno));
    errno = 0;
    *root = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
    unread = ferror(f) ? errno : 0;
    fclose(f);
    if (*root)
        return HEDDLE_OK;
    if (unread)
        return hd_say(e, HEDDLE_EIO, "%s: cannot be read: %s", path, strerror(unread));
    if (json_error_code(&why) == json_error_out_of_memory || !why.text[0]) /* out of memory often leaves no text */
        return hd_say(e, HEDDLE_ENOMEM, "%s: out of memory", path);
    return hd_say(e, HEDDLE_EPARSE, "%s:%d: %s", path, why.line > 0 ? why.line : 1, why.text);
}

static heddle_status check_keys(const reader *r, const json_t *entry, uint64_t i)
{
    static const char *const known[] = {"id", "us", "after", "body", "args", "urgent", "priority"};
    const char *key;
    json_t *value;
    uint32_t k;
    if (!json_is_object(entry))
        return BAD(r, i, "is not an object");
    json_object_foreach((json_t *)(uintptr_t)entry, key, value)
    {
        for (k = 0; k < sizeof known / sizeof *known && strcmp(key, known[k]); k++)
            ;
        if (k == sizeof known / sizeof *known)
            return BAD(r, i, "unknown key \"%.64s\"", key);
    }
    return HEDDLE_OK;
}

/* The slot that holds an id, or the free slot for it. */
static uint32_t *slot_of(const reader *r, uint64_t id)
{
    uint64_t at = id * 0x9e3779b97f4a7c15u;
    for (at ^= at >> 32;; at++) {
        uint32_t *slot = &r->slots[at & (r->n_slots - 1)];
        if (!*slot || r->ids[*slot - 1] == id)
            return slot;
    }
}

static heddle_status take_id(reader *r, const json_t *entry, uint64_t i)
{
    const json_t *id = json_object_get(entry, "id");
    uint32_t *slot;
    if (!id)
        return BAD(r, i, "has no id");
    if (!json_is_integer(id) || json_integer_value(id) < 0)
        return BAD(r, i, "id is not an integer from 0 on");
    r->ids[i] = (uint64_t)json_integer_value(id);
    slot = slot_of(r, r->ids[i]);
    if (*slot)
        return BAD(r, i, "id %llu is that of task %u too", (unsigned long long)r->ids[i], *slot - 1);
    *slot = (uint32_t)i + 1;
    return HEDDLE_OK;
}

static heddle_status take_time(reader *r, const json_t *entry, uint64_t i)
{
    const json_t *us = json_object_get(entry, "us");
    hd_file_task *t = &r->out->tasks[i];
    double v = json_number_value(us);
    if (us && (!json_is_number(us) || !(v >= 0)))
        return BAD(r, i, "us is not a number from 0 on");
    if (v > LONGEST_US)
        return BAD(r, i, "us is longer than an hour");
    t->spin_ns = (uint64_t)llround(v * 1000);
    t->cost_ns = t->spin_ns < UINT32_MAX ? (uint32_t)t->spin_ns : UINT32_MAX;
    return HEDDLE_OK;
}

/* Older files have "priority", of which only the sign counts. */
static heddle_status take_urgency(reader *r, const json_t *entry, uint64_t i)
{
    const json_t *urgent = json_object_get(entry, "urgent"), *priority = json_object_get(entry, "priority");
    hd_file_task *t = &r->out->tasks[i];
    if (urgent && (!json_is_integer(urgent) || json_integer_value(urgent) < 0 || json_integer_value(urgent) > 1))
        return BAD(r, i, "urgent is neither 0 nor 1");
    if (priority &&
        (!json_is_integer(priority) || json_integer_value(priority) != (int32_t)json_integer_value(priority)))
        return BAD(r, i, "priority is not an integer of 32 bits");
    t->urgent = (urgent && json_integer_value(urgent) != 0) || (priority && json_integer_value(priority) > 0);
    return HEDDLE_OK;
}

static heddle_status take_body(reader *r, const json_t *entry, uint64_t i)
{
    const json_t *body = json_object_get(entry, "body");
    const char *name = body ? json_string_value(body) : "task";
    json_t *index;
    if (!name || !*name)
        return BAD(r, i, "body is not a name");
    index = json_object_get(r->names, name);
    r->out->tasks[i].body = index ? (uint32_t)json_integer_value(index) : (uint32_t)json_object_size(r->names);
    if (index)
        return HEDDLE_OK;
    if (json_object_size(r->names) == HD_BODY_JOIN - 1)
        return BAD(r, i, "more than %u different bodies", HD_BODY_JOIN - 1);
    return json_object_set_new(r->names, name, json_integer(r->out->tasks[i].body)) ? no_memory(r) : HEDDLE_OK;
}

/* Checks "after" and "args" and adds up their lengths. */
static heddle_status measure_lists(reader *r, const json_t *entry, uint64_t i)
{
    const json_t *after = json_object_get(entry, "after"), *args = json_object_get(entry, "args");
    hd_file_task *t = &r->out->tasks[i];
    if (after && !json_is_array(after))
        return BAD(r, i, "after is not an array");
    if (args && (!json_is_string(args) || json_string_length(args) % 2))
        return BAD(r, i, "args is not a string of pairs of hexadecimal digits");
    if (json_string_length(args) / 2 > HEDDLE_MAX_ARG_BYTES)
        return BAD(r, i, "args is longer than %u bytes", HEDDLE_MAX_ARG_BYTES);
    t->after_at = r->n_after;
    t->args_at = r->n_arg_bytes;
    r->n_after += t->n_after = json_array_size(after);
    r->n_arg_bytes += t->arg_bytes = json_string_length(args) / 2;
    return HEDDLE_OK;
}

static heddle_status take_after(reader *r, const json_t *entry, uint64_t i)
{
    const json_t *after = json_object_get(entry, "after");
    const hd_file_task *t = &r->out->tasks[i];
    uint64_t k;
    for (k = 0; k < t->n_after; k++) {
        const json_t *id = json_array_get(after, k);
        uint32_t *slot;
        if (!json_is_integer(id) || json_integer_value(id) < 0)
            return BAD(r, i, "after has an entry that is no id");
        slot = slot_of(r, (uint64_t)json_integer_value(id));
        if (!*slot)
            return BAD(r, i, "after has id %lld, which no task has", (long long)json_integer_value(id));
        if (*slot == i + 1)
            return bad(r, i, HEDDLE_ECYCLE, "comes after itself");
        r->out->after[t->after_at + k] = *slot - 1;
    }
    return HEDDLE_OK;
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits < 16 ? at - digits : at - digits - 6) : -1;
}

static heddle_status take_args(reader *r, const json_t *entry, uint64_t i)
{
    const char *text = json_string_value(json_object_get(entry, "args"));
    const hd_file_task *t = &r->out->tasks[i];
    uint64_t k;
    for (k = 0; k < t->arg_bytes; k++) {
        int high = digit(text[2 * k]), low = digit(text[2 * k + 1]);
        if (high < 0 || low < 0)
            return BAD(r, i, "args has a character that is no hexadecimal digit");
        r->out->args[t->args_at + k] = (uint8_t)(high << 4 | low);
    }
    return HEDDLE_OK;
}

static heddle_status take_names(reader *r)
{
    const char *name;
    json_t *index;
    r->out->names = hd_new(json_object_size(r->names) * sizeof(char *));
    if (!r->out->names)
        return no_memory(r);
    r->out->n_names = (uint32_t)json_object_size(r->names);
    json_object_foreach(r->names, name, index)
    {
        uint64_t n_bytes = strlen(name) + 1;
        char *copy = hd_new(n_bytes);
        if (!copy)
            return no_memory(r);
        memcpy(copy, name, n_bytes);
        r->out->names[json_integer_value(index)] = copy;
    }
    return HEDDLE_OK;
}

static heddle_status make_room(reader *r)
{
    hd_file_graph *out = r->out;
    out->n_tasks = json_array_size(r->list);
    for (r->n_slots = 2; r->n_slots < 2 * out->n_tasks;)
        r->n_slots *= 2;
    out->tasks = hd_new(out->n_tasks * sizeof *out->tasks);
    r->ids = hd_new(out->n_tasks * sizeof *r->ids);
    r->slots = hd_new(r->n_slots * sizeof *r->slots);
    r->names = json_object();
    return out->tasks && r->ids && r->slots && r->names ? HEDDLE_OK : no_memory(r);
}

/* Reads everything but "after" and "args"; their total lengths are known only after this pass. */
static heddle_status take_tasks(reader *r)
{
    uint64_t i;
    for (i = 0; i < r->out->n_tasks; i++) {
        const json_t *entry = json_array_get(r->list, i);
        HD_TRY(check_keys(r, entry, i));
        HD_TRY(take_id(r, entry, i));
        HD_TRY(take_time(r, entry, i));
        HD_TRY(take_urgency(r, entry, i));
        HD_TRY(take_body(r, entry, i));
        HD_TRY(measure_lists(r, entry, i));
    }
    return HEDDLE_OK;
}

static heddle_status take_lists(reader *r)
{
    uint64_t i;
    r->out->after = hd_new(r->n_after * sizeof *r->out->after);
    r->out->args = hd_new(r->n_arg_bytes);
    if (!r->out->after || !r->out->args)
        return no_memory(r);
    for (i = 0; i < r->out->n_tasks; i++) {
        HD_TRY(take_after(r, json_array_get(r->list, i), i));
        HD_TRY(take_args(r, json_array_get(r->list, i), i));
    }
    return HEDDLE_OK;
}

static heddle_status take_all(reader *r, const json_t *root)
{
    r->list = json_object_get(root, "tasks");
    if (!json_is_array(r->list))
        return hd_say(r->e, HEDDLE_EPARSE, "%s: is not an object with an array \"tasks\"", r->path);
    if (json_array_size(r->list) == 0)
        return hd_say(r->e, HEDDLE_EPARSE, "%s: has no tasks", r->path);
    if (json_array_size(r->list) > HEDDLE_MAX_TASKS)
        return hd_say(r->e, HEDDLE_EPARSE, "%s: has more than %u tasks", r->path, HEDDLE_MAX_TASKS);
    HD_TRY(make_room(r));
    HD_TRY(take_tasks(r));
    HD_TRY(take_lists(r));
    return take_names(r);
}

heddle_status hd_file_graph_read(hd_file_graph *out, const char *path, hd_error *e)
{
    reader r;
    json_t *root;
    heddle_status s;
    memset(out, 0, sizeof *out);
    memset(&r, 0, sizeof r);
    r.path = path;
    r.e = e;
    r.out = out;
    HD_TRY(load(&root, path, e));
    s = take_all(&r, root);
    hd_delete(r.ids, out->n_tasks * sizeof *r.ids);
    hd_delete(r.slots, r.n_slots * sizeof *r.slots);
    json_decref(r.names);
    json_decref(root);
    if (s != HEDDLE_OK)
        hd_file_graph_clear(out);
    return s;
}
#else
heddle_status hd_file_graph_read(hd_file_graph *out, const char *path, hd_error *e)
{
    memset(out, 0, sizeof *out);
    return hd_say(e, HEDDLE_EIO, "%s: cannot be read: this build of heddle reads no JSON (it was made without jansson)",
                  path);
}
#endif

/* The lists are in task order, so the last task gives their ends. When reading failed earlier, there are no lists. */
void hd_file_graph_clear(hd_file_graph *f)
{
    const hd_file_task *last = f->tasks ? &f->tasks[f->n_tasks - 1] : NULL;
    uint32_t i;
    if (f->after)
        hd_delete(f->after, (last->after_at + last->n_after) * sizeof *f->after);
    if (f->args)
        hd_delete(f->args, last->args_at + last->arg_bytes);
    for (i = 0; i < f->n_names; i++)
        if (f->names[i])
            hd_delete(f->names[i], strlen(f->names[i]) + 1);
    hd_delete(f->names, f->n_names * sizeof *f->names);
    hd_delete(f->tasks, f->n_tasks * sizeof *f->tasks);
    memset(f, 0, sizeof *f);
}
