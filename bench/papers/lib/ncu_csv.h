/* SPDX-License-Identifier: MIT */
/* ncu_csv.h - reads the output of `ncu --csv` line by line: `"a","b",...`, numbers with commas. Other lines come from
 * the program that ncu started, or from the shell. */
#ifndef NCU_CSV_H
#define NCU_CSV_H

#include <stddef.h>

#define NCU_READ_MISSES "lts__t_sectors_op_read_lookup_miss.sum" /* sectors of 32 bytes that the L2 cache lacked */
#define NCU_WRITE_MISSES "lts__t_sectors_op_write_lookup_miss.sum"
#define NCU_SAID_NOTHING "ncu said nothing of L2, or took too long"

/* Does the line have several fields? */
int ncu_csv_has_fields(const char *line);
/* Field i without its quotes and without commas in numbers, cut to n_most - 1 characters; "" if there is none. */
void ncu_csv_field(const char *line, size_t i, char *to, size_t n_most);
/* The number in the last field; 0 if there is none. */
double ncu_csv_last(const char *line);
/* The reason why ncu or the shell does not count; NULL: the line is something else. */
const char *ncu_csv_reason(const char *line);

#endif
