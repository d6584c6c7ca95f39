/* SPDX-License-Identifier: MIT */
/* host_section.c - a task's depend on a variable, element or section, as calls of the host. */
#include "host/host.h"

/* The dimensions from the first with more than one element on form a box; those before lead to its array. */
static void put_box(hc_host *h, uint32_t in, const char *mode, const hc_section *s)
{
    uint32_t n = s->n_dims - s->n_fixed;
    hc_host_start(h, in, "heddle_omp_depend_section(%s, %s, %s, %u,", mode, hc_section_element(&h->w, s, s->n_fixed),
                  hc_section_size(&h->w, s, s->n_dims), n);
    hc_host_start(h, in + 4, "(const heddle_omp_dim[]){");
    for (uint32_t i = s->n_fixed; i < s->n_dims; i++)
        hc_putf(&h->w.out, "%s{%s, %s, %s}", i > s->n_fixed ? ", " : "", hc_section_lower(&h->w, s, i),
                hc_section_length(&h->w, s, i), i > s->n_fixed ? hc_section_extent(&h->w, s, i) : "0");
    hc_puts(&h->w.out, "});");
}

/* Nested loops, one per range. */
static uint32_t put_iterators(hc_host *h, uint32_t in, const hc_depend *d)
{
    const char *s = h->unit->text.bytes;
    for (uint32_t k = 0; k < d->clause->n_iterators; k++, in += 4) {
        const hc_iterator *it = &d->clause->iterators[k];
        const hc_depend_range *r = &d->ranges[k];
        int n = (int)(it->name.end - it->name.begin), n_type = (int)(it->type.end - it->type.begin);
        const char *name = hc_copy(s + it->name.begin, (size_t)n), *end = hc_host_operand(h, r->end);
        const char *step = r->step ? hc_host_operand(h, r->step) : "1";
        hc_host_start(h, in, "for (%.*s %s = %s; ", n_type ? n_type : 3, n_type ? s + it->type.begin : "int", name,
                      hc_host_text(h, r->begin));
        if (!r->step || r->step->is_constant)
            hc_putf(&h->w.out, "%s %c %s; ", name, r->step && r->step->value < 0 ? '>' : '<', end);
        else
            hc_putf(&h->w.out, "%s > 0 ? %s < %s : %s > %s; ", step, name, end, name, end);
        hc_putf(&h->w.out, "%s += %s)", name, step);
    }
    return in;
}

void hc_host_depend(hc_host *h, uint32_t in, const hc_depend *d)
{
    static const char *const modes[] = {"", "HEDDLE_MODE_IN", "HEDDLE_MODE_OUT", "HEDDLE_MODE_INOUT"};
    hc_section s = hc_section_of(d->base, d->dims, d->n_dims, d->n_lead);
    in = put_iterators(h, in, d);
    if (s.n_dims > s.n_fixed + 1)
        put_box(h, in, modes[d->mode], &s);
    else
        hc_host_start(h, in, "heddle_omp_depend(%s, %s, %s);", modes[d->mode], hc_section_address(&h->w, &s),
                      hc_section_bytes(&h->w, &s));
}
