/* SPDX-License-Identifier: MIT */
/* section_text.c - a variable, element or section of a list as expressions: its address and its bytes. The writer
 * substitutes variables. A clause's expressions are evaluated once; inside sizeof they are replaced by zeros. */
#include "emit/section_text.h"

#include <string.h>

char *hc_operand(hc_writer *w, hc_node *e)
{
    switch (e->kind) {
    case HC_N_NAME:
    case HC_N_LITERAL:
    case HC_N_PAREN:
    case HC_N_CALL:
    case HC_N_INDEX:
    case HC_N_MEMBER: return hc_written(w, e);
    default: return hc_format("(%s)", hc_written(w, e));
    }
}

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
char *hc_section_element(hc_writer *w, const hc_section *s, uint32_t n)
{
    hc_buf b = {0};
    hc_puts(&b, hc_operand(w, s->base));
    for (uint32_t i = 0; i < n; i++)
        hc_putf(&b, "[%s]", s->dims[i].lower ? hc_written(w, s->dims[i].lower) : "0");
    return b.at;
}

/* base[0][0], for sizeof. */
static char *zeroth(hc_writer *w, const hc_section *s, uint32_t n)
{
    hc_buf b = {0};
    hc_puts(&b, hc_operand(w, s->base));
    for (uint32_t i = 0; i < n; i++)
        hc_puts(&b, "[0]");
    return b.at;
}

char *hc_section_size(hc_writer *w, const hc_section *s, uint32_t n)
{
    char *x = zeroth(w, s, n);
    return hc_format(x[0] == '(' && n == 0 ? "sizeof%s" : "sizeof %s", x);
}

char *hc_section_extent(hc_writer *w, const hc_section *s, uint32_t dim)
{
    return hc_format("%s / %s", hc_section_size(w, s, dim), hc_section_size(w, s, dim + 1));
}

char *hc_section_lower(hc_writer *w, const hc_section *s, uint32_t dim)
{
    return s->dims[dim].lower ? hc_written(w, s->dims[dim].lower) : "0";
}

/* Elements of dimension dim; of a[l:] those from l to the end. */
char *hc_section_length(hc_writer *w, const hc_section *s, uint32_t dim)
{
    const struct hc_depend_dim *d = &s->dims[dim];
    if (!d->is_section)
        return "1";
    if (d->length)
        return hc_operand(w, d->length);
    if (!d->lower)
        return hc_section_extent(w, s, dim);
    return hc_format("(%s - %s)", hc_section_extent(w, s, dim), hc_operand(w, d->lower));
}

/* The address of (*p) is p. */
static char *address_of(const char *x)
{
    size_t n = strlen(x);
    int depth = 0;
    for (size_t i = 0; i < n && !strncmp(x, "(*", 2); i++) {
        depth += (x[i] == '(') - (x[i] == ')');
        if (depth == 0)
            return i + 1 == n ? hc_copy(x + 2, n - 3) : hc_format("&%s", x);
    }
    return hc_format("&%s", x);
}

char *hc_section_address(hc_writer *w, const hc_section *s)
{
    const hc_type *t = s->base->type;
    uint32_t n = s->n_fixed < s->n_dims ? s->n_fixed + 1 : s->n_dims;
    if (n == 0 && t && (t->kind == HC_T_ARRAY || t->kind == HC_T_VLA))
        return hc_written(w, s->base);
    return address_of(hc_section_element(w, s, n));
}

char *hc_section_bytes(hc_writer *w, const hc_section *s)
{
    char *each = hc_section_size(w, s, s->n_fixed < s->n_dims ? s->n_fixed + 1 : s->n_dims);
    if (s->n_fixed == s->n_dims)
        return each;
    return hc_format("%s * %s", each, hc_section_length(w, s, s->n_fixed));
}
