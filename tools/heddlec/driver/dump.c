/* SPDX-License-Identifier: MIT */
/* dump.c - --dump: the analysis of a program, on stdout. */
#include "driver/command.h"

#include <stdio.h>
#include <string.h>

static int line_of(const hc_unit *u, uint32_t at) { return (int)hc_place_of(&u->text, at).line; }

static void print_tree(const hc_unit *u)
{
    hc_buf b = {0};
    hc_tree_dump(u->root, &b);
    fputs(b.n ? b.at : "", stdout);
}

static void print_span(const hc_unit *u, hc_span s) { printf("%.*s", (int)(s.end - s.begin), u->text.bytes + s.begin); }

static void print_pragmas(const hc_unit *u)
{
    for (uint32_t i = 0; i < u->pragmas.n; i++) {
        const hc_pragma *p = &u->pragmas.at[i];
        printf("%s:%d: %s\n", u->text.path, line_of(u, p->at.begin), hc_directive_words(p->directive));
        for (uint32_t k = 0; k < p->n_clauses; k++) {
            printf("    ");
            print_span(u, p->clauses[k].at);
            printf("\n");
        }
    }
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static void print_regions(const hc_program *p)
{
    for (uint32_t i = 0; i < p->regions.n; i++) {
        const hc_region *r = &p->regions.at[i];
        printf("region %s:%d%s%s%s\n", r->unit->text.path, line_of(r->unit, r->node->begin),
               r->is_target ? " target" : "", r->has_barriers ? " barriers" : "", r->host_writes ? " host-writes" : "");
        for (uint32_t k = 0; k < r->maps.n; k++)
            printf("    map %u %s%s\n", r->maps.at[k].how, r->maps.at[k].name,
                   r->maps.at[k].clause ? "" : " (implicit)");
    }
}

static void print_task(const hc_task *t)
{
    static const char *const hows[] = {"value", "reference", "private"}, *const modes[] = {"", "in", "out", "inout"};
    printf("task %u %s%s%s\n", t->number, t->label, t->is_loop ? " loop" : "", t->has_inner ? " inner" : "");
    for (uint32_t i = 0; i < t->captures.n; i++) {
        const hc_capture *c = &t->captures.at[i];
        printf("    capture %s by %s%s\n", c->decl->name, hows[c->how], c->is_lastprivate ? " lastprivate" : "");
    }
    for (uint32_t i = 0; i < t->depends.n; i++) {
        printf("    depend %s ", modes[t->depends.at[i].mode]);
        print_span(t->unit, t->depends.at[i].item->whole);
        printf("\n");
    }
}

static void print_rest(const hc_program *p)
{
    for (uint32_t i = 0; i < p->waits.n; i++) {
        const hc_node *n = p->waits.at[i].node;
        printf("wait %s:%d %s\n", n->unit->text.path, line_of(n->unit, n->begin),
               p->waits.at[i].is_sync ? "sync" : "barrier");
    }
    for (uint32_t i = 0; i < p->slots.n; i++)
        printf("slot %s\n", p->slots.at[i].decl->name);
    for (uint32_t i = 0; i < p->functions.n; i++) {
        const hc_function *f = &p->functions.at[i];
        printf("function %s%s%s%s\n", f->name, f->is_in_team ? " team" : "", f->is_in_thread ? " thread" : "",
               f->is_recursive ? " recursive" : "");
    }
    for (uint32_t i = 0; i < p->globals.n; i++)
        printf("variable %s%s\n", p->globals.at[i].name, p->globals.at[i].is_constant ? " constant" : "");
}

void hc_dump(hc_program *p, const char *what)
{
    for (uint32_t i = 0; i < p->units.n; i++)
        if (strcmp(what, "tree") == 0)
            print_tree(p->units.at[i]);
        else if (strcmp(what, "pragmas") == 0)
            print_pragmas(p->units.at[i]);
    if (strcmp(what, "program") != 0)
        return;
    print_regions(p);
    for (uint32_t i = 0; i < p->tasks.n; i++)
        print_task(&p->tasks.at[i]);
    print_rest(p);
}
