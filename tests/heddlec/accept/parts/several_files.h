/* SPDX-License-Identifier: MIT */
/* several_files.h - what the two sources of several_files.c share. */
struct work {
    int n, v[20];
};
extern int shared_table[4];
int kernel(int x, int y);
void create(struct work *w, int step);
