/* SPDX-License-Identifier: MIT */
/* add.h - a kernel for programs that check bytes: cuModuleGetFunction of the fake driver finds it by its name. Included by one file of a program. */
#ifndef ADD_H
#define ADD_H

#include <stdint.h>

/* Adds to each byte: address, number of bytes, what to add, each 64 bits. */
__attribute__((visibility("default"))) void add_to_bytes(void **params);
void add_to_bytes(void **params)
{
    unsigned char *p = (unsigned char *)(uintptr_t) * (uint64_t *)params[0];
    uint64_t n = *(uint64_t *)params[1], by = *(uint64_t *)params[2];
    for (uint64_t i = 0; i < n; i++)
        p[i] = (unsigned char)(p[i] + by);
}

#endif
