/* SPDX-License-Identifier: MIT */
/* construct: functions of bodies that call themselves or one another, without tasks
 * generated: device functions with prototypes */
#include <stdio.h>

static int is_odd(int n);
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static long sum_tree(const int *x, int n)
{
    long s = 0;
    if (n <= 8) {
#pragma omp parallel for reduction(+ : s)
        for (int i = 0; i < n; i++)
            s += x[i];
        return s;
    }
    return sum_tree(x, n / 2) + sum_tree(x + n / 2, n - n / 2);
}

int main(void)
{
    long out[10];
    int x[100];
    for (int i = 0; i < 100; i++)
        x[i] = i * i;
#pragma omp target parallel map(to : x) map(from : out)
#pragma omp single
    {
        for (int i = 0; i < 9; i++) {
#pragma omp task
            out[i] = fib(i + 5) * 2 + is_even(i);
        }
#pragma omp task
        out[9] = sum_tree(x, 100);
    }
    for (int i = 0; i < 10; i++)
        printf("%ld ", out[i]);
    printf("\n");
    return 0;
}
