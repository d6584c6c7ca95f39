/* SPDX-License-Identifier: MIT */
/* construct: integers of all widths, characters, float beside double, shifts, overflow of unsigned ones
 * generated: as they stand; C's promotions hold */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t hash(const unsigned char *s, int n, float f, long long l)
{
    uint64_t h = 1469598103934665603ull;
    signed char c = -5;
    uint16_t small = 65535;
    int8_t neg = -128;
    small += 3;
    for (int i = 0; i < n; i++) {
        h ^= s[i];
        h *= 1099511628211ull;
        h = (h << 13) | (h >> 51);
    }
    h += (uint64_t)(c >> 1) + small + (uint64_t)-neg + (uint64_t)(l % 1000) + (uint64_t)(f * 3.0f) + (unsigned)INT_MAX +
         1u;
    h ^= (uint64_t)(0.1f + 0.2 > 0.3) << 7;
    h += (uint32_t)~0u >> 28;
    return h + sizeof(long) + 'x' + L'\x41' + 0x1p3 + 1e2f;
}

int main(void)
{
    unsigned char text[40];
    uint64_t out[4];
    for (int i = 0; i < 40; i++)
        text[i] = (unsigned char)(i * 37);
#pragma omp target parallel map(to : text) map(from : out)
#pragma omp single
    for (int k = 0; k < 4; k++) {
        float f = 1.5f * k;
        long long l = -1234567890123ll * k;
#pragma omp task
        out[k] = hash(text + 10 * k, 10, f, l);
    }
    for (int k = 0; k < 4; k++)
        printf("%llu ", (unsigned long long)out[k]);
    printf("\n");
    return 0;
}
