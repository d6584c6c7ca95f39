/* SPDX-License-Identifier: MIT */
/* same_names.h - types that mean something else in each of the two sources of same_names.c: NUMBER is another type. */
typedef NUMBER number;
struct vector {
    number v[3];
};
static struct {
    number sum;
    int n;
} total = {1, 2};
struct hidden;
