/* SPDX-License-Identifier: MIT */
/* host.c - SOURCE.heddle.c: walks a source's tree and dispatches constructs to their writers. */
#include "device/bodies.h"
#include "host/host.h"

#include <string.h>

/* ---- requirements of a file -------------------------------------------------------------------------------------- */

/* Looks at tokens, because comments are kept. */
int hc_needs_openmp(const char *s)
{
    uint32_t n = (uint32_t)strlen(s), at = 0;
    while ((at = hc_blank_end(s, at, n)) < n) {
        uint32_t end = hc_token_end(s, at, n);
        if ((end - at > 4 && strncmp(s + at, "omp_", 4) == 0) || strncmp(s + at, "#pragma omp ", 12) == 0)
            return 1;
        at = end;
    }
    return 0;
}

static int has_global(const hc_program *p, const hc_unit *u)
{
    for (uint32_t i = 0; i < p->globals.n; i++)
        if (!p->globals.at[i].is_constant && hc_home_of(p, &p->globals.at[i]) == u)
            return 1;
    return 0;
}

static int has_construct(const hc_program *p, const hc_unit *u)
{
    for (uint32_t i = 0; i < p->regions.n; i++)
        if (p->regions.at[i].unit == u)
            return 1;
    for (uint32_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.at[i].unit == u)
            return 1;
    for (uint32_t i = 0; i < p->waits.n; i++)
        if (p->waits.at[i].node->unit == u)
            return 1;
    for (uint32_t i = 0; i < p->data.n; i++)
        if (p->data.at[i].node->unit == u)
            return 1;
    return 0;
}

int hc_is_plain(const hc_program *p, const hc_unit *u)
{
    return !has_construct(p, u) && !has_global(p, u) &&
           (u->pragmas.n + u->pragmas.n_left > 0 || !strstr(u->text.bytes, "omp_"));
}

/* ---- addresses of variables that task bodies use: a list per file ------------------------------------------------ */

/* Declares the list for static variables of functions, which store their addresses themselves. */
static void declare_globals(hc_host *h)
{
    for (uint32_t i = 0; i < h->p->globals.n; i++) {
        const hc_global *g = &h->p->globals.at[i];
        if (!g->is_constant && !g->decl->is_global && hc_home_of(h->p, g) == h->unit) {
            hc_host_line(h, 0, "extern void *%s[];", hc_globals_name(h->p, h->prog, h->unit));
            return;
        }
    }
}

static void put_globals(hc_host *h)
{
    int n = 0;
    for (uint32_t i = 0; i < h->p->globals.n; i++) {
        const hc_global *g = &h->p->globals.at[i];
        if (g->is_constant || hc_home_of(h->p, g) != h->unit)
            continue;
        if (n++ == 0)
            hc_host_line(h, 0, "\n/* where the variables are that tasks use */\nvoid *%s[] = {",
                         hc_globals_name(h->p, h->prog, h->unit));
        if (g->decl->is_global)
            hc_host_line(h, 4, "(void *)&%s,", g->decl->name);
        else
            hc_host_line(h, 4, "0, /* %s of %s: set there */", g->decl->name, g->decl->owner->name);
    }
    if (n)
        hc_host_line(h, 0, "};");
}

/* ---- the head: before the first declaration that needs it -------------------------------------------------------- */

static int is_needy(void *found, hc_node *n)
{
    if (n->kind == HC_N_DIRECTIVE || (n->kind == HC_N_NAME && n->decl && strncmp(n->decl->name, "omp_", 4) == 0))
        *(int *)found = 1;
    return !*(int *)found;
}

static void put_kinds(hc_host *h)
{
    const char *before = "enum { /* the tasks of this file */\n    ";
    for (uint32_t i = 0; i < h->p->tasks.n; i++) {
        const hc_task *t = &h->p->tasks.at[i];
        if (t->unit != h->unit)
            continue;
        hc_putf(&h->w.out, "%shd_%s = %u", before, t->name, t->number);
        before = ",\n    ";
    }
    if (before[0] == ',')
        hc_puts(&h->w.out, "\n};\n");
}

static void put_head(hc_host *h)
{
    hc_host_line(h, 0, "#include \"heddle/openmp.h\"");
    hc_host_line(h, 0, "extern const heddle_omp_program hd_%s_omp;", h->prog);
    declare_globals(h);
    put_kinds(h);
    hc_puts(&h->w.out, "\n");
    h->has_head = 1;
}

/* The records of a function's tasks stand before it, where all its types are known. */
static void put_records(hc_host *h, const hc_node *function)
{
    for (uint32_t i = 0; i < h->p->tasks.n; i++)
        if (h->p->tasks.at[i].function->node == function) {
            int is_packed = hc_pack_at(&h->unit->text, function->begin) != 0;
            hc_host_fresh(h);
            hc_puts(&h->w.out, is_packed ? "#pragma pack(push)\n#pragma pack()\n" : "");
            hc_emit_record(&h->p->tasks.at[i], &h->w.out);
            hc_puts(&h->w.out, is_packed ? "#pragma pack(pop)\n" : "");
        }
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static int directive(hc_host *h, hc_node *n)
{
    const hc_region *r = hc_region_of(h->p, n);
    const hc_task *t = hc_task_of(h->p, n);
    const hc_task *inner = hc_inner_task_of(h->p, n);
    const hc_data *d = hc_data_of(h->p, n);
    if (r)
        hc_host_region(h, n, r);
    else if (t && t->is_loop)
        hc_host_taskloop(h, n, t);
    else if (t)
        hc_host_task(h, n, t);
    else if (inner)
        hc_host_inner(h, n, inner);
    else if (d)
        hc_host_data(h, n, d);
    else
        hc_host_other(h, n);
    return 1;
}

/* A statement that may begin its own line. */
static int is_statement(const hc_node *n)
{
    return n->parent && (n->parent->kind == HC_N_BLOCK || n->parent->kind == HC_N_FILE) && n->kind != HC_N_DIRECTIVE;
}

static int write_node(hc_writer *w, hc_node *n)
{
    hc_host *h = w->arg;
    if (is_statement(n))
        hc_host_sync(h, n->begin);
    switch (n->kind) {
    case HC_N_DIRECTIVE: return directive(h, n);
    case HC_N_FUNCTION: return hc_host_function(h, n);
    case HC_N_DECLS: return hc_host_declarations(h, n);
    case HC_N_FOR: return hc_host_loop(h, n);
    case HC_N_CALL: return hc_host_call(h, n);
    case HC_N_NAME:
        if (n->decl && hc_host_is_slot(h, n->decl))
            return hc_putf(&w->out, "(*hd_slot_%s)", n->decl->name), 1;
        return 0;
    default: return 0;
    }
}

static void put_file(hc_host *h)
{
    uint32_t at = 0;
    hc_host_line(h, 0, "/* The host's part of %s, made by heddlec. C for the compiler that also compiles the rest. */",
                 h->unit->text.path);
    for (hc_node *n = h->unit->root->first; n; at = n->end, n = n->next) {
        int needs = 0;
        hc_host_between(h, at, n->begin);
        hc_host_undo(h);
        hc_visit(n, is_needy, &needs);
        if (needs && !h->has_head)
            put_head(h);
        put_records(h, n);
        hc_write(&h->w, n);
    }
    hc_host_between(h, at, h->unit->text.n);
    hc_host_fresh(h);
    put_globals(h);
}

static void put_all(hc_host *h, hc_program *p, const char *prog, hc_unit *u, int keeps)
{
    memset(h, 0, sizeof *h);
    h->p = p, h->prog = prog, h->unit = u, h->keeps = keeps;
    h->w.node = write_node, h->w.arg = h, h->w.no_line = p->options.no_line;
    put_file(h);
}

/* Writes the file as if it kept no OpenMP; if some stays, writes it again for -fopenmp. */
void hc_emit_host(hc_program *p, const char *prog, hc_unit *u, hc_buf *out)
{
    hc_host h;
    put_all(&h, p, prog, u, 0);
    if (hc_needs_openmp(h.w.out.at))
        put_all(&h, p, prog, u, 1);
    hc_put(out, h.w.out.at, h.w.out.n);
}
