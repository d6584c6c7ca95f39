/* SPDX-License-Identifier: MIT */
/* blackscholes.cu - prices of European options by the formula of Black and Scholes, on 256 days with another rate of interest
 * each: a launch a day, and those of the last day are the results. */
#include "program.h"

#include "noise.h"

#include <math.h>

#define N_DAYS 256u
#define VOLATILITY 0.3f

static uint64_t n;
static float *price, *strike, *years, *call_price,
    *put_price; /* price and strike: from 5 to 30, 1 to 100; years: 0.25 to 10 */
static float *device_price, *device_strike, *device_years, *device_call, *device_put;

static float rate_of(uint32_t day) { return 0.02f + 0.0001f * (float)day; }

/* The normal distribution's function by the polynomial of Abramowitz and Stegun (26.2.17), to 1e-7. */
static __device__ float normal(float d)
{
    const float k = __fdividef(1, 1 + 0.2316419f * fabsf(d));
    const float sum =
        k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228f * __expf(-0.5f * d * d) * sum;
    return d > 0 ? 1 - tail : tail;
}

static __global__ void value(const float *price_of, const float *strike_of, const float *years_of, float *call_of,
                             float *put_of, float rate, uint64_t n_all, uint32_t steps)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    program_lengthen(steps);
    if (i < n_all) {
        const float s = price_of[i], t = years_of[i], deviation = VOLATILITY * sqrtf(t);
        const float x = strike_of[i] * __expf(-rate * t); /* the strike's value today */
        const float d = __fdividef(__logf(__fdividef(s, x)), deviation) + 0.5f * deviation;
        const float call = s * normal(d) - x * normal(d - deviation);
        call_of[i] = call;
        put_of[i] = call - s + x;
    }
}

static void shape(double bytes)
{
    n = (uint64_t)(bytes / 12);
    price = PROGRAM_NEW(host, float, n), strike = PROGRAM_NEW(host, float, n), years = PROGRAM_NEW(host, float, n);
    call_price = PROGRAM_NEW(result, float, n), put_price = PROGRAM_NEW(result, float, n);
    device_price = PROGRAM_NEW(device, float, n), device_strike = PROGRAM_NEW(device, float, n);
    device_years = PROGRAM_NEW(device, float, n);
    device_call = PROGRAM_NEW(device, float, n), device_put = PROGRAM_NEW(device, float, n);
}

static void make(uint64_t i)
{
    price[i] = 5 + 25 * (float)noise_unit(20, i);
    strike[i] = 1 + 99 * (float)noise_unit(21, i);
    years[i] = 0.25f + 9.75f * (float)noise_unit(22, i);
}
static void fill(void) { program_fill(n, make); }

static void compute(void)
{
    const uint64_t bytes = n * sizeof(float);
    program_copy_in(device_price, price, bytes);
    program_copy_in(device_strike, strike, bytes);
    program_copy_in(device_years, years, bytes);
    for (uint32_t day = 0; day < N_DAYS; day++)
        PROGRAM_LAUNCH(value, program_blocks(n, 256), 256, device_price, device_strike, device_years, device_call,
                       device_put, rate_of(day), n);
    program_copy_out(call_price, device_call, bytes);
    program_copy_out(put_price, device_put, bytes);
}

/* As the formula is printed, in double precision; both by themselves. */
static int is_wrong(uint64_t i)
{
    const double r = rate_of(N_DAYS - 1), v = VOLATILITY, s = price[i], x = strike[i], t = years[i];
    const double d1 = (log(s / x) + (r + v * v / 2) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
    const double now = x * exp(-r * t), half = sqrt(0.5);
    const double call = s * erfc(-d1 * half) / 2 - now * erfc(-d2 * half) / 2;
    const double put = now * erfc(d2 * half) / 2 - s * erfc(d1 * half) / 2;
    return !program_is_near(call_price[i], call, 1e-4) || !program_is_near(put_price[i], put, 1e-4);
}
static uint64_t check(void) { return program_wrong("prices", n, 100, is_wrong); }

const program program_this = {"BlackScholes", "Prices of European options on 256 days", 1200, shape, fill, compute,
                              check};
