/* SPDX-License-Identifier: MIT */
/* fit.c - straight lines by least squares of relative errors. A short slice counts as much as a long one, and one rule measures times and
 * rates. */
#include "hdss.h"

#include <math.h>

int hdss_fit(size_t n, const double *x, const double *y, fit *out)
{
    double weight = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0, errors = 0;
    int differ = 0;
    for (size_t i = 0; i < n; i++) {
        const double w = 1 / (y[i] * y[i]);
        if (!(y[i] > 0))
            return -1;
        differ |= x[i] > x[0] || x[i] < x[0];
        weight += w;
        mean_x += w * x[i];
        mean_y += w * y[i];
    }
    if (!differ)
        return -1;
    mean_x /= weight;
    mean_y /= weight;
    for (size_t i = 0; i < n; i++) {
        const double w = 1 / (y[i] * y[i]);
        xx += w * (x[i] - mean_x) * (x[i] - mean_x);
        xy += w * (x[i] - mean_x) * (y[i] - mean_y);
    }
    out->a = xy / xx;
    out->b = mean_y - out->a * mean_x;
    for (size_t i = 0; i < n; i++)
        errors += pow((out->a * x[i] + out->b - y[i]) / y[i], 2);
    out->error = sqrt(errors / (double)n);
    return 0;
}
