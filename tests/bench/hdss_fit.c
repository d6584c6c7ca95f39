/* SPDX-License-Identifier: MIT */
/* hdss_fit.c - straight lines through points: exact ones are found again, errors are relative, and what has no line is refused. */
#include "check.h"
#include "hdss.h"

#include <math.h>

static int is_near(double got, double want) { return fabs(got - want) <= 1e-9 * fabs(want); }

int main(void)
{
    const double x[4] = {1, 10, 100, 1000}, same[2] = {3, 3};
    double y[4];
    fit f;
    for (int i = 0; i < 4; i++)
        y[i] = 0.25 * x[i] + 7;
    CHECK(!hdss_fit(4, x, y, &f));
    CHECK_MSG(is_near(f.a, 0.25) && is_near(f.b, 7) && f.error < 1e-12, "%g x + %g, error %g", f.a, f.b, f.error);
    /* A tenth more and a tenth less at the same place weighs by its own value, not by the difference. */
    CHECK(!hdss_fit(3, (double[]){1, 1, 2}, (double[]){9, 11, 100}, &f));
    CHECK_MSG(is_near(f.a + f.b, (9 / 81.0 + 11 / 121.0) / (1 / 81.0 + 1 / 121.0)), "at 1: %g", f.a + f.b);
    CHECK_MSG(is_near(2 * f.a + f.b, 100), "at 2: %g", 2 * f.a + f.b);
    CHECK_MSG(f.error > 0.05 && f.error < 0.1, "error %g", f.error);
    CHECK(hdss_fit(2, same, y, &f));
    CHECK(hdss_fit(0, x, y, &f));
    y[1] = 0;
    CHECK(hdss_fit(4, x, y, &f));
    return 0;
}
