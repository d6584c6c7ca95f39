/* SPDX-License-Identifier: MIT */
/* nontemporal.c - stores past the caches (nontemporal.h). ThreadSanitizer does not see them, so they are memcpy there. */
#include "nontemporal.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <immintrin.h>

enum { LINE = 64, AT_ONCE = 4 * LINE };

__attribute__((target("avx512f"))) static void copy_lines(char *to, const char *from, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i += AT_ONCE) {
        const __m512i a = _mm512_loadu_si512(from + i), b = _mm512_loadu_si512(from + i + LINE),
                      c = _mm512_loadu_si512(from + i + 2 * LINE), d = _mm512_loadu_si512(from + i + 3 * LINE);
        _mm512_stream_si512((void *)(to + i), a);
        _mm512_stream_si512((void *)(to + i + LINE), b);
        _mm512_stream_si512((void *)(to + i + 2 * LINE), c);
        _mm512_stream_si512((void *)(to + i + 3 * LINE), d);
    }
    _mm_sfence(); /* such stores are not ordered with others */
}

void share_copy_nontemporal(void *to, const void *from, size_t n_bytes)
{
    const size_t before = (0 - (uintptr_t)to) % LINE;
    size_t lines;
    if (n_bytes < before + AT_ONCE || !__builtin_cpu_supports("avx512f")) {
        memcpy(to, from, n_bytes);
        return;
    }
    lines = (n_bytes - before) / AT_ONCE * AT_ONCE;
    memcpy(to, from, before);
    copy_lines((char *)to + before, (const char *)from + before, lines);
    memcpy((char *)to + before + lines, (const char *)from + before + lines, n_bytes - before - lines);
}

#else

void share_copy_nontemporal(void *to, const void *from, size_t n_bytes) { memcpy(to, from, n_bytes); }

#endif
