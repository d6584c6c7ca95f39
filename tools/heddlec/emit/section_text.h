/* SPDX-License-Identifier: MIT */
/* section_text.h - variables, elements and sections of clauses as expressions, for both lowerings. */
#ifndef HEDDLEC_SECTION_TEXT_H
#define HEDDLEC_SECTION_TEXT_H

#include "analysis/program.h"
#include "emit/rewrite.h"

typedef struct hc_section {
    hc_node *base;
    const struct hc_depend_dim *dims;
    uint32_t n_dims;
    uint32_t n_fixed; /* leading dimensions with one element */
} hc_section;
hc_section hc_section_of(hc_node *base, const struct hc_depend_dim *dims, uint32_t n_dims, uint32_t n_lead);
char *hc_section_address(hc_writer *w, const hc_section *s);
char *hc_section_bytes(hc_writer *w, const hc_section *s); /* of a contiguous one */
/* base[lower][lower] with the first n dimensions; bytes of an element behind n dimensions. */
char *hc_section_element(hc_writer *w, const hc_section *s, uint32_t n);
char *hc_section_size(hc_writer *w, const hc_section *s, uint32_t n);
/* Of a dimension: the array's length, the section's begin, its number of elements. */
char *hc_section_extent(hc_writer *w, const hc_section *s, uint32_t dim);
char *hc_section_lower(hc_writer *w, const hc_section *s, uint32_t dim);
char *hc_section_length(hc_writer *w, const hc_section *s, uint32_t dim);
/* With parentheses unless it is a name, constant or postfix expression. */
char *hc_operand(hc_writer *w, hc_node *expression);

#endif
