/* SPDX-License-Identifier: MIT */
/* host_section.c - a variable, element or section of a list as expressions of the host: where it begins, how many bytes it
 * has, and what a task's depend says of it. A clause's expressions are evaluated once; in sizeof stand zeros for them. */
#include "host.h"

#include <string.h>

static int is_one(const struct hc_depend_dim *d)
{
    return !d->is_section || (d->length && d->length->is_constant && d->length->value == 1);
}

hc_section hc_section_of(hc_node *base, const struct hc_depend_dim *dims, uint32_t n_dims, uint32_t n_lead)
{
    hc_section s = {base, dims, n_dims, n_lead};
    while (s.n_fixed < n_dims && is_one(&dims[s.n_fixed]))
        s.n_fixed++;
    return s;
}

/* base[lower][lower] with the first n dimensions. */
static char *element(hc_host *h, const hc_section *s, uint32_t n)
{
    hc_buf b = {0};
    hc_puts(&b, hc_host_operand(h, s->base));
    for (uint32_t i = 0; i < n; i++)
        hc_putf(&b, "[%s]", s->dims[i].lower ? hc_host_text(h, s->dims[i].lower) : "0");
    return b.at;
}

/* base[0][0], for sizeof. */
static char *zeroth(hc_host *h, const hc_section *s, uint32_t n)
{
    hc_buf b = {0};
    hc_puts(&b, hc_host_operand(h, s->base));
    for (uint32_t i = 0; i < n; i++)
        hc_puts(&b, "[0]");
    return b.at;
}

static char *size_of(hc_host *h, const hc_section *s, uint32_t n)
{
    char *x = zeroth(h, s, n);
    return hc_format(x[0] == '(' && n == 0 ? "sizeof%s" : "sizeof %s", x);
}

static char *extent(hc_host *h, const hc_section *s, uint32_t dim)
{
    return hc_format("%s / %s", size_of(h, s, dim), size_of(h, s, dim + 1));
}

static char *lower(hc_host *h, const hc_section *s, uint32_t dim)
{
    return s->dims[dim].lower ? hc_host_text(h, s->dims[dim].lower) : "0";
}

/* Elements of dimension dim; of a[l:] those from l to the end. */
static char *length(hc_host *h, const hc_section *s, uint32_t dim)
{
    const struct hc_depend_dim *d = &s->dims[dim];
    if (!d->is_section)
        return "1";
    if (d->length)
        return hc_host_operand(h, d->length);
    if (!d->lower)
        return extent(h, s, dim);
    return hc_format("(%s - %s)", extent(h, s, dim), hc_host_operand(h, d->lower));
}

char *hc_section_address(hc_host *h, const hc_section *s)
{
    const hc_type *t = s->base->type;
    const hc_decl *d = s->base->kind == HC_N_NAME ? s->base->decl : NULL;
    uint32_t n = s->n_fixed < s->n_dims ? s->n_fixed + 1 : s->n_dims;
    if (n == 0 && d && hc_host_is_slot(h, d))
        return hc_format("hd_slot_%s", d->name);
    if (n == 0 && t && (t->kind == HC_T_ARRAY || t->kind == HC_T_VLA))
        return hc_host_text(h, s->base);
    return hc_format("&%s", element(h, s, n));
}

char *hc_section_bytes(hc_host *h, const hc_section *s)
{
    char *each = size_of(h, s, s->n_fixed < s->n_dims ? s->n_fixed + 1 : s->n_dims);
    if (s->n_fixed == s->n_dims)
        return each;
    return hc_format("%s * %s", each, length(h, s, s->n_fixed));
}

/* The dimensions from the first with more than one element on; those before lead to the array of which it is a box. */
static void put_box(hc_host *h, uint32_t in, const char *mode, const hc_section *s)
{
    uint32_t n = s->n_dims - s->n_fixed;
    hc_host_start(h, in, "heddle_omp_depend_section(%s, %s, %s, %u,", mode, element(h, s, s->n_fixed),
                  size_of(h, s, s->n_dims), n);
    hc_host_start(h, in + 4, "(const heddle_omp_dim[]){");
    for (uint32_t i = s->n_fixed; i < s->n_dims; i++)
        hc_putf(&h->w.out, "%s{%s, %s, %s}", i > s->n_fixed ? ", " : "", lower(h, s, i), length(h, s, i),
                i > s->n_fixed ? extent(h, s, i) : "0");
    hc_puts(&h->w.out, "});");
}

/* A loop a range, each in the one before. */
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
        hc_host_start(h, in, "heddle_omp_depend(%s, %s, %s);", modes[d->mode], hc_section_address(h, &s),
                      hc_section_bytes(h, &s));
}
