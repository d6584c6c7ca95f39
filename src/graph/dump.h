/* SPDX-License-Identifier: MIT */
/* dump.h - shared by all written files about graphs and runs: valid text, numbers independent of the locale's decimal point,
 * one colour per body. */
#ifndef HD_DUMP_H
#define HD_DUMP_H

#include "base/file.h"

/* Bytes of the first UTF-8 character of text; 0 at the end or if it is not UTF-8. */
uint32_t hd_utf8_bytes(const char *text);
/* Prints text as a JSON string with quotes; bytes that are not UTF-8 become '?'. */
void hd_print_json(hd_file *f, const char *text);
/* Prints n / 1000 without trailing zeros: 1500 as 1.5. */
void hd_print_milli(hd_file *f, uint64_t n);

/* "#rrggbb" of a body. Eight hues distinct under any colour vision, then the same darker; then it repeats. */
#define HD_N_COLOURS 16u
const char *hd_colour(uint32_t body);
/* The name in the table, or "join" for HD_BODY_JOIN. */
const char *hd_body_name(const heddle_table *table, uint32_t body);

#endif
