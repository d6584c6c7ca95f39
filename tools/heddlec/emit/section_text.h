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
    uint32_t n_fixed; /* dimensions before the first with more than one element */
} hc_section;
hc_section hc_section_of(hc_node *base, const struct hc_depend_dim *dims, uint32_t n_dims, uint32_t n_lead);
char *hc_section_address(hc_writer *w, const hc_section *s);
char *hc_section_bytes(hc_writer *w, const hc_section *s); /* of a contiguous one */
/* base[lower][lower] with the first n dimensions; bytes of an element behind n dimensions. */
char *hc_section_element(hc_writer *w, const hc_section *s, uint32_t n);
char *hc_section_size(hc_writer *w, const hc_section *s, uint32_t n);
/* Of a dimension: how long the array is, where the section begins, how many elements it has. */
char *hc_section_extent(hc_writer *w, const hc_section *s, uint32_t dim);
char *hc_section_lower(hc_writer *w, const hc_section *s, uint32_t dim);
char *hc_section_length(hc_writer *w, const hc_section *s, uint32_t dim);
/* With parentheses where it is no name, constant or operand of the highest rank. */
char *hc_operand(hc_writer *w, hc_node *expression);

#endif
