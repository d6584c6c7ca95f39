/* SPDX-License-Identifier: MIT */
/* dump.h - what all files written about graphs and runs share: text that stays valid, numbers that do not follow the
 * locale's decimal point, one colour a body. */
#ifndef HD_DUMP_H
#define HD_DUMP_H

#include "base/file.h"

/* Bytes of the UTF-8 character that text begins with; 0 at its end or where it is not UTF-8. */
uint32_t hd_utf8_bytes(const char *text);
/* text as a JSON string, quotes included; bytes that are not UTF-8 become '?'. */
void hd_print_json(hd_file *f, const char *text);
/* n / 1000 without trailing zeros: 1500 as 1.5. */
void hd_print_milli(hd_file *f, uint64_t n);

/* "#rrggbb" of a body. Eight hues that readers with any colour vision tell apart, then the same darker, then again. */
#define HD_N_COLOURS 16u
const char *hd_colour(uint32_t body);
/* "join" for HD_BODY_JOIN. */
const char *hd_body_name(const heddle_table *table, uint32_t body);

#endif
