/* SPDX-License-Identifier: MIT */
/* host_data.c - mapped memory: the maps of a region, target data, target enter data, exit data and update. */
#include "host/host.h"

#include <string.h>

static char *how_text(uint32_t how)
{
    static const char *const ways[] = {"HEDDLE_OMP_ALLOC", "HEDDLE_OMP_TO", "HEDDLE_OMP_FROM", "HEDDLE_OMP_TOFROM"};
    const char *way = how & 16 ? "HEDDLE_OMP_DELETE" : how & 8 ? "HEDDLE_OMP_RELEASE" : ways[how & 3];
    return hc_format("%s%s", way, how & 4 ? " | HEDDLE_OMP_ALWAYS" : "");
}

/* Address and bytes. */
typedef struct stretch {
    char *address, *bytes;
} stretch;

static stretch stretch_of(hc_host *h, const hc_map *m)
{
    hc_section s;
    if (m->decl && !m->base) {
        char *x = hc_host_variable(h, m->decl);
        return (stretch){hc_format("&%s", x), hc_format("sizeof %s", x)};
    }
    s = hc_section_of(m->base, m->dims, m->n_dims, m->n_lead);
    return (stretch){hc_section_address(&h->w, &s), hc_section_bytes(&h->w, &s)};
}

void hc_host_map(hc_host *h, uint32_t in, const hc_map *m)
{
    stretch s = stretch_of(h, m);
    hc_host_start(h, in, "heddle_omp_map(%s, %s, %s, %s);", s.address, s.bytes, how_text(m->how), hc_quoted(m->name));
}

static void put_call(hc_host *h, uint32_t in, const char *call, const stretch *s, const hc_map *m)
{
    hc_host_start(h, in, "heddle_omp_%s(&hd_%s_omp, &hd_here, %s, %s, %s", call, h->prog, s->address, s->bytes,
                  how_text(m->how));
    if (strcmp(call, "update") != 0)
        hc_putf(&h->w.out, ", %s", hc_quoted(m->name));
    hc_puts(&h->w.out, ");");
}

/* enter data, exit data, update. */
static void put_alone(hc_host *h, uint32_t in, const hc_data *d, const char *call)
{
    hc_host_start(h, in, d->if_expr ? "if (%s) {" : "{", d->if_expr ? hc_host_text(h, d->if_expr) : "");
    hc_host_place(h, in + 4, d->node);
    for (uint32_t i = 0; i < d->maps.n; i++) {
        stretch s = stretch_of(h, &d->maps.at[i]);
        put_call(h, in + 4, call, &s, &d->maps.at[i]);
    }
    hc_host_start(h, in, "}");
}

/* One call of target data, under its `if`. */
static void put_end(hc_host *h, uint32_t in, const char *call, const hc_data *d, uint32_t i)
{
    stretch kept = {hc_format("hd_at_%u", i), hc_format("hd_bytes_%u", i)};
    if (d->if_expr)
        hc_host_start(h, in, "if (hd_go)");
    put_call(h, in + (d->if_expr ? 4 : 0), call, &kept, &d->maps.at[i]);
}

/* The end of target data undoes its begin: both use the begin's values. */
static void put_around(hc_host *h, uint32_t in, const hc_data *d)
{
    hc_host_start(h, in, "{ /* target data */");
    hc_host_place(h, in + 4, d->node);
    if (d->if_expr)
        hc_host_start(h, in + 4, "const int hd_go = (%s) != 0;", hc_host_text(h, d->if_expr));
    for (uint32_t i = 0; i < d->maps.n; i++) {
        stretch s = stretch_of(h, &d->maps.at[i]);
        hc_host_start(h, in + 4, "const void *const hd_at_%u = %s;", i, s.address);
        hc_host_start(h, in + 4, "const uint64_t hd_bytes_%u = %s;", i, s.bytes);
        put_end(h, in + 4, "enter", d, i);
    }
    hc_host_statement(h, d->node->body, in + 4);
    for (uint32_t i = d->maps.n; i-- > 0;)
        put_end(h, in + 4, "exit", d, i);
    hc_host_start(h, in, "}");
}

void hc_host_data(hc_host *h, hc_node *n, const hc_data *d)
{
    uint32_t in = hc_host_indent(n);
    hc_host_sync(h, n->begin);
    switch (n->pragma->directive) {
    case HC_TARGET_DATA: put_around(h, in, d); break;
    case HC_TARGET_ENTER_DATA: put_alone(h, in, d, "enter"); break;
    case HC_TARGET_EXIT_DATA: put_alone(h, in, d, "exit"); break;
    default: put_alone(h, in, d, "update");
    }
}
