/* SPDX-License-Identifier: MIT */
/* tsan.h - the functions that code compiled with -fsanitize=thread calls at each access to plain memory. The file that
 * includes it is compiled without that option, and first defines
 *
 *     static void touch_memory(const void *p, size_t n_bytes, int writes);        called before the access
 *
 * Only one file of a program may include it. */
#ifndef MODEL_TSAN_H
#define MODEL_TSAN_H

#include <string.h>

/* The compilers fix these names. */
#define WATCH_(name, n_bytes, writes) \
    void __tsan_##name(void *p);      \
    void __tsan_##name(void *p) { touch_memory(p, n_bytes, writes); }
WATCH_(read1, 1, 0)
WATCH_(read2, 2, 0)
WATCH_(read4, 4, 0)
WATCH_(read8, 8, 0)
WATCH_(read16, 16, 0)
WATCH_(write1, 1, 1)
WATCH_(write2, 2, 1)
WATCH_(write4, 4, 1)
WATCH_(write8, 8, 1)
WATCH_(write16, 16, 1)
WATCH_(unaligned_read2, 2, 0)
WATCH_(unaligned_read4, 4, 0)
WATCH_(unaligned_read8, 8, 0)
WATCH_(unaligned_read16, 16, 0)
WATCH_(unaligned_write2, 2, 1)
WATCH_(unaligned_write4, 4, 1)
WATCH_(unaligned_write8, 8, 1)
WATCH_(unaligned_write16, 16, 1)

void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void);
void __tsan_func_exit(void) {}
void __tsan_read_range(void *p, size_t n_bytes);
void __tsan_read_range(void *p, size_t n_bytes) { touch_memory(p, n_bytes, 0); }
void __tsan_write_range(void *p, size_t n_bytes);
void __tsan_write_range(void *p, size_t n_bytes) { touch_memory(p, n_bytes, 1); }
void *__tsan_memcpy(void *to, const void *from, size_t n_bytes);
void *__tsan_memcpy(void *to, const void *from, size_t n_bytes)
{
    touch_memory(from, n_bytes, 0);
    touch_memory(to, n_bytes, 1);
    return memcpy(to, from, n_bytes);
}
void *__tsan_memset(void *to, int byte, size_t n_bytes);
void *__tsan_memset(void *to, int byte, size_t n_bytes)
{
    touch_memory(to, n_bytes, 1);
    return memset(to, byte, n_bytes);
}

#endif
