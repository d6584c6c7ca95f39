/* SPDX-License-Identifier: MIT */
/* exact_math.c - the series of apps/exact_math.h beside the C library in higher precision: errors in units in the last place, over
 * all exponents, around the places where cases meet, and at random. */
#include "check.h"
#include "exact_math.h"

#include <float.h>
#include <math.h>

static double worst_exp, worst_logf, worst_log;

static double larger(double a, double b) { return a > b ? a : b; }

static void test_exp(float x)
{
    const double want = exp((double)x);
    const double unit = nextafterf((float)want, INFINITY) - (float)want;
    worst_exp = larger(worst_exp, fabs((double)exact_expf(x) - want) / unit);
}

static void test_logf(float x)
{
    const double want = log((double)x);
    const double unit = nextafterf(fabsf((float)want), INFINITY) - fabsf((float)want);
    worst_logf = larger(worst_logf, fabs((double)exact_logf(x) - want) / unit);
}

static void test_log(double x)
{
    const long double want = logl((long double)x);
    const double size = fabs((double)want);
    worst_log =
        larger(worst_log, (double)(fabsl((long double)exact_log(x) - want) / (nextafter(size, INFINITY) - size)));
}

static void test_random(uint64_t *seed)
{
    const uint64_t bits = check_random(seed);
    test_exp((float)((double)(bits >> 40) / (1 << 24) * 175 - 87));
    test_logf(exact_float((uint32_t)(bits >> 32) % 0x7f000000u + 0x00800000u));
    test_log(exact_double(bits % 0x7fe0000000000000u + 0x0010000000000000u));
    test_logf(0.5f + (float)(bits >> 40) / (1 << 24) * 1.5f); /* where the result is small */
    test_log(0.5 + (double)(bits >> 11) * 0x1p-53 * 1.5);
}

/* Powers of two, and the square roots between them, with their neighbours. */
static void test_seams(void)
{
    for (int e = -120; e <= 120; e++)
        for (int k = 0; k < 2; k++) {
            const double x = ldexp(k ? sqrt(2) : 1, e);
            test_logf(nextafterf((float)x, 0));
            test_logf((float)x);
            test_logf(nextafterf((float)x, INFINITY));
            test_log(nextafter(x, 0));
            test_log(x);
            test_log(nextafter(x, INFINITY));
            test_exp((float)((e + 0.5 * k) * log(2) * 0.7));
        }
}

int main(void)
{
    uint64_t seed = check_seed(41);
    test_seams();
    for (int i = 0; i < (CHECK_IS_SLOW ? 100000 : 3000000); i++)
        test_random(&seed);
    CHECK(exact_logf(1) == 0 && exact_log(1) == 0 && exact_expf(0) == 1);
    CHECK(exact_expf(-1000) > 0 && exact_expf(-1000) < 1e-37f && exact_expf(1000) <= FLT_MAX);
    printf("units in the last place: expf %.2f, logf %.2f, log %.2f\n", worst_exp, worst_logf, worst_log);
    CHECK(worst_exp <= EXACT_EXPF_ULP && worst_logf <= EXACT_LOGF_ULP && worst_log <= EXACT_LOG_ULP);
    return 0;
}
