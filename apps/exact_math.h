/* SPDX-License-Identifier: MIT */
/* exact_math.h - exponential and logarithm for bodies, by series: the same bits on cores and GPUs, where the libraries' functions
 * differ. In the common part of C, C++ and CUDA, compiled without contraction. No branches, so that loops over them are vectorised.
 *
 * Zero, negative numbers, infinities, NaN and numbers too small to be normal are not for these functions. */
#ifndef EXACT_MATH_H
#define EXACT_MATH_H

#include "heddle/body.h"

#include <string.h>

/* Errors are at most these, in units in the last place; found by comparison with the C library (tests/apps). */
#define EXACT_EXPF_ULP 1.1
#define EXACT_LOGF_ULP 1.0
#define EXACT_LOG_ULP 1.0

HEDDLE_FN uint32_t exact_bits(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
HEDDLE_FN float exact_float(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
HEDDLE_FN uint64_t exact_bits64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
HEDDLE_FN double exact_double(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* A whole number below 2^52 as double: vector units lack the instruction, and its bits are those below 2^52's. */
HEDDLE_FN double exact_from_u52(uint64_t u) { return exact_double(u | 0x4330000000000000u) - 0x1p52; }

/* e^x for x from -87 to 88; below -87 e^-87, above 88 e^88. By e^x = 2^k e^r, |r| <= ln 2 / 2, and the series of e^r. */
HEDDLE_FN float exact_expf(float x)
{
    const float inside = x > -87.0f ? (x < 88.0f ? x : 88.0f) : -87.0f;
    const float shifted = inside * 1.44269504f + 12582912.0f; /* 1.5 * 2^23: the sum is rounded to a whole number */
    const uint32_t k = exact_bits(shifted) - 0x4b400000u;
    const float whole = shifted - 12582912.0f;
    const float r = (inside - whole * 0.693359375f) - whole * -2.12194440e-4f; /* ln 2 in two parts */
    const float tail =
        0.5f +
        r * (1.66666667e-1f + r * (4.16666667e-2f + r * (8.33333333e-3f + r * (1.38888889e-3f + r * 1.98412698e-4f))));
    return (1.0f + (r + r * r * tail)) * exact_float((k + 127u) << 23);
}

/* Logarithms by log(2^k m) = k ln 2 + log(m), m from sqrt(1/2) to sqrt(2), and log(m) = 2 artanh(s), s = f / (2 + f), f = m - 1.
 * 2 s + s R = f - s (f - R), which loses less. R is 2 (s^2 / 3 + s^4 / 5 + ...). */
HEDDLE_FN float exact_logf(float x)
{
    const uint32_t u = exact_bits(x) + (0x3f800000u - 0x3f3504f3u);
    const float k = exact_float((u >> 23) | 0x4b000000u) - (8388608.0f + 127.0f);
    const float f = exact_float((u & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    const float s = f / (2.0f + f), z = s * s;
    const float R = 2.0f * z * (3.33333333e-1f + z * (2.00000000e-1f + z * (1.42857143e-1f + z * 1.11111111e-1f)));
    return k * 0.693359375f - ((s * (f - R) - k * -2.12194440e-4f) - f);
}

HEDDLE_FN double exact_log(double x)
{
    const uint64_t u = exact_bits64(x) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    const double k = exact_double((u >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
    const double f = exact_double((u & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    const double s = f / (2.0 + f), z = s * s;
    const double high = 1.0 / 13 + z * (1.0 / 15 + z * (1.0 / 17 + z * (1.0 / 19 + z * (1.0 / 21 + z * (1.0 / 23)))));
    const double R = 2.0 * z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11 + z * high)))));
    return k * 0x1.62e42feep-1 - ((s * (f - R) - k * 0x1.a39ef35793c76p-33) - f); /* ln 2 in two parts */
}

#endif
