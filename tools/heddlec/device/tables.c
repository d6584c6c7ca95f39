/* SPDX-License-Identifier: MIT */
/* tables.c - the end of PROG.heddle.bodies.c: tables for heddle_openmp with the kinds of tasks and the pointers in
 * their argument records, variables with static storage, and options. Like the bodies they are C and C++, and use the
 * bodies' names of types and fields. */
#include "device/bodies.h"
#include "device/device.h"
#include "emit/names.h"

#include <string.h>

/* ---- pointers in argument records -------------------------------------------------------------------------------- */

typedef struct pointers {
    const char *record; /* type */
    hc_buf out;
    uint32_t n;
} pointers;

static void put_pointer(pointers *p, const char *field, const char *name)
{
    if (field[0])
        hc_putf(&p->out, "    {(uint32_t)offsetof(%s, %s), %s},\n", p->record, field, hc_quoted(name));
    else
        hc_putf(&p->out, "    {0, %s},\n", hc_quoted(name));
    p->n++;
}

/* The pointers in a value of that type; field: its place in the record ("": the whole), name: the user's name for it. */
static void put_pointers(pointers *p, const hc_type *t, const char *field, const char *name)
{
    if (t->kind == HC_T_POINTER && t->of->kind != HC_T_FUNCTION)
        put_pointer(p, field, name);
    for (uint64_t i = 0; t->kind == HC_T_ARRAY && i < t->n; i++)
        put_pointers(p, t->of, hc_format("%s[%u]", field, (unsigned)i), hc_format("%s[%u]", name, (unsigned)i));
    if (t->kind != HC_T_STRUCT || !t->decl->node)
        return;
    for (hc_node *f = t->decl->node->first; f; f = f->next)
        if (f->kind == HC_N_FIELD && !f->decl->name[0])
            put_pointers(p, f->decl->type, field, name);
        else if (f->kind == HC_N_FIELD)
            put_pointers(p, f->decl->type, hc_format("%s%s%s", field, field[0] ? "." : "", hc_dev_name(f->decl->name)),
                         hc_format("%s.%s", name, f->decl->name));
}

static void put_capture(pointers *p, const hc_capture *c)
{
    const char *field = hc_dev_name(c->field);
    if (c->how == HC_PRIVATE)
        return;
    if (c->how == HC_BY_REFERENCE || c->n_bounds > 0 || c->decl->type->kind == HC_T_VLA)
        put_pointer(p, field, c->decl->name);
    else
        put_pointers(p, c->decl->type, field, c->decl->name);
}

static uint32_t put_pointers_of(const hc_task *t, hc_buf *out)
{
    pointers p = {hc_format("struct hd_%s_args", t->name), {0}, 0};
    for (uint32_t i = 0; i < t->captures.n; i++)
        put_capture(&p, &t->captures.at[i]);
    if (p.n)
        hc_putf(out, "static const heddle_omp_pointer hd_%s_pointers[] = {\n%s};\n", t->name, p.out.at);
    return p.n;
}

/* ---- the lists --------------------------------------------------------------------------------------------------- */

static void put_kinds(hc_program *p, hc_buf *out)
{
    hc_buf kinds = {0};
    for (uint32_t i = 0; i < p->tasks.n; i++) {
        const hc_task *t = &p->tasks.at[i];
        hc_place place = hc_place_of(&t->unit->text, t->node->begin);
        uint32_t n = put_pointers_of(t, out);
        hc_putf(&kinds, "    {%s, {%s, %u}, (uint32_t)sizeof(struct hd_%s_args), %u, %s, %d},\n", hc_quoted(t->label),
                hc_quoted(place.file), place.line, t->name, n, n ? hc_format("hd_%s_pointers", t->name) : "NULL",
                t->follows_pointers);
    }
    hc_putf(out, "static const heddle_omp_kind hd_kinds_[] = {\n%s};\n", kinds.at);
}

/* The pointers in one element of a variable; returns their number. */
static uint32_t put_pointers_in(const hc_global *g, const hc_type *element, hc_buf *out)
{
    pointers p = {hc_format("hd_%s_element", g->name), {0}, 0};
    char *at = hc_format("*((struct hd_params *)0)->%s", g->name);
    for (const hc_type *t = g->decl->type; t != element; t = t->of)
        at = hc_format("%s[0]", t == g->decl->type ? hc_format("(%s)", at) : at);
    put_pointers(&p, element, "", g->decl->name);
    if (p.n)
        hc_putf(out,
                "typedef __typeof__(%s) hd_%s_element;\n"
                "static const heddle_omp_pointer hd_%s_pointers[] = {\n%s};\n",
                at, g->name, g->name, p.out.at);
    return p.n;
}

/* The initialisers of a global after its size. */
static char *pointers_text(const hc_global *g, hc_buf *out)
{
    const hc_type *element = g->decl->type;
    uint32_t n;
    while (element->kind == HC_T_ARRAY)
        element = element->of;
    n = g->is_shown ? put_pointers_in(g, element, out) : 0;
    return n ? hc_format("%llu, hd_%s_pointers, %u", (unsigned long long)element->size, g->name, n)
             : hc_format("0, NULL, 0");
}

/* In the order of hc_global.index. */
static uint32_t put_globals(hc_program *p, const char *prog, hc_buf *out)
{
    hc_buf list = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->globals.n; i++) {
        const hc_global *g = &p->globals.at[i];
        const char *file = hc_globals_name(p, prog, hc_home_of(p, g));
        if (g->is_constant)
            continue;
        if (hc_global_place(p, g) == 0)
            hc_putf(out, "extern void *%s[];\n", file);
        hc_putf(&list, "    {%s, &%s[%d], %llu, %s},\n", hc_quoted(g->decl->name), file, hc_global_place(p, g),
                (unsigned long long)(g->decl->kind == HC_N_FUNCTION ? 1 : g->decl->type->size), pointers_text(g, out));
        n++;
    }
    if (n)
        hc_putf(out, "static const heddle_omp_global hd_globals_[] = {\n%s};\n", list.at);
    return n;
}

/* For the cpu, bodies are compiled as C; HEDDLE_BACKEND chooses among the backends that run them. */
static const char *backend_of(const char *s) { return strcmp(s, "cuda") == 0 ? "HEDDLE_CUDA" : "HEDDLE_AUTO"; }

static const char *match_of(const char *s)
{
    return strcmp(s, "start") == 0   ? "HEDDLE_OMP_START"
           : strcmp(s, "exact") == 0 ? "HEDDLE_OMP_EXACT"
                                     : "HEDDLE_OMP_OVERLAP";
}

static int is_recursive(const hc_program *p)
{
    int any = 0;
    for (uint32_t i = 0; i < p->functions.n; i++)
        any |= p->functions.at[i].is_recursive;
    return any;
}

void hc_emit_tables(hc_program *p, const char *prog, hc_buf *out)
{
    uint32_t n_globals;
    hc_puts(out, "\n/* What the run-time library knows of the program. */\n#include \"heddle/openmp.h\"\n");
    hc_puts(out, "#if defined(__cplusplus)\nextern \"C\" {\n#endif\n");
    put_kinds(p, out);
    n_globals = put_globals(p, prog, out);
    hc_putf(out, "extern const heddle_omp_program hd_%s_omp;\nconst heddle_omp_program hd_%s_omp = {\n", prog, prog);
    hc_putf(out, "    (uint32_t)sizeof(heddle_omp_program), HEDDLE_OMP_VERSION, &hd_%s_table,\n", prog);
    hc_putf(out, "    hd_kinds_, %u, %s, %u,\n", p->tasks.n, n_globals ? "hd_globals_" : "NULL", n_globals);
    hc_putf(out, "    %llu /* bytes of stack */, %u /* locks */,\n", (unsigned long long)hc_stack_bytes(p),
            hc_n_locks(p));
    hc_putf(out, "    %s, %s, %s, %d /* recursive */};\n", backend_of(p->options.backend), match_of(p->options.depend),
            p->options.memory_system ? "HEDDLE_OMP_MEMORY_SYSTEM" : "HEDDLE_OMP_MEMORY_MAP", is_recursive(p));
    hc_puts(out, "#if defined(__cplusplus)\n}\n#endif\n");
}
