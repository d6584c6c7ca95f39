/* SPDX-License-Identifier: MIT */
/* construct: arrays of variable length with dimensions of constant length below or above, of structs, pointers to them, their
 * typedefs and sizes; as locals, parameters and firstprivate, in inner regions and shared by tasks of tasks
 * generated: pointers to elements, which are arrays where only dimensions above them are variable; a typedef's lengths are
 * evaluated where it stands */
#include <stdio.h>
#include <string.h>

struct body {
    double x[3];
    int kind;
};

static double length(const double *v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

static double total(int n, int m, double a[n][3], double (*b)[m][2])
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += length(a[i]) + b[i][m - 1][1];
    return s + sizeof(a[0]) + sizeof(*b);
}

/* Constant dimensions below. */
static double below(int n, int m)
{
    double w[n][3], copy[n][3], b[n][m][2], s = 0;
    double(*at)[3] = w, *last = &w[n - 1][2];
    memset(w, 0, sizeof w);
    for (int i = 0; i < n; i++, at++)
        for (int j = 0; j < 3; j++)
            (*at)[j] = i * 3 + j;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i][j][0] = b[i][j][1] = i - j;
    *last = 5;
    last[-3] = 7;
    memcpy(copy[0], w[n - 1], sizeof w[0]);
    memcpy(copy + 1, w, sizeof(double[n - 1][3]));
    for (int i = 0; i < n; i++)
        s += copy[i][2] * (i + 1) + **w;
    return s + total(n, m, w, b) + total(1, m, &copy[1], b + 1) + (double)(at - w) + sizeof w + sizeof w[0];
}

/* Constant dimensions above, and between. */
static double above(int n, int m)
{
    double w[3][n], u[n][2][m], (*row)[n] = w + 1, s = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < n; j++)
            w[i][j] = i * n + j;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            u[i][0][j] = u[i][1][m - 1 - j] = i + 10 * j;
    for (int j = 0; j < n; j++)
        s += w[2][j] * (j + 1) + (*row)[j] + u[j][1][0];
    return s + sizeof w + sizeof *row + sizeof u[0] + (double)(row - w);
}

static double structs(int n)
{
    struct body all[n], pairs[n][2], turned[2][n];
    double s = 0;
    for (int i = 0; i < n; i++) {
        all[i].x[1] = i;
        all[i].kind = 2 * i;
        pairs[i][1] = all[i];
        turned[1][n - 1 - i] = pairs[i][1];
    }
    for (struct body *b = all; b < all + n; b++)
        s += b->x[1] * b->kind + turned[1][0].kind;
    return s + pairs[n - 1][1].x[1] + sizeof all + sizeof pairs + sizeof turned[0];
}

static double typedefs(int n, int m)
{
    typedef double row[m];
    typedef struct body some[n];
    double point = 4, *lines[n][2];
    m = 1;
    row grid[n], *at = grid;
    some bodies;
    for (int i = 0; i < n; i++) {
        lines[i][0] = lines[i][1] = &point;
        bodies[i].kind = i;
        for (size_t j = 0; j < sizeof(row) / sizeof(double); j++)
            at[i][j] = i * 2.0 + j;
    }
    return grid[n - 1][2] + bodies[n - 1].kind + *lines[1][1] + sizeof grid + sizeof(row) + sizeof bodies + m;
}

/* In an inner region. */
static void shared(int n, double *to)
{
    double w[n][3];
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        unsigned char own[i + 1][4];
        for (int j = 0; j <= i; j++)
            own[j][3] = (unsigned char)(j + i);
        for (int j = 0; j < 3; j++)
            w[i][j] = own[i][3] * (j + 1);
    }
    for (int i = 0; i < n; i++)
        *to += w[i][2] - w[i][0];
}

/* Tasks of a task write it. */
static double halves(int n)
{
    double w[n][2], s = 0;
    for (int i = 0; i < n; i++) {
#pragma omp task shared(w) firstprivate(i)
        {
            w[i][0] = i;
            w[i][1] = -2 * i;
        }
    }
#pragma omp taskwait
    for (int i = 0; i < n; i++)
        s += w[i][0] * 3 + w[i][1];
    return s;
}

static void run(int n, int m, double *to)
{
    double seed[n][3], more[n][m][2];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 3; j++)
            seed[i][j] = i - j;
        for (int j = 0; j < m; j++)
            more[i][j][0] = more[i][j][1] = i * j;
    }
#pragma omp target parallel map(tofrom : to [0:8])
#pragma omp single
    {
#pragma omp task depend(out : to[0])
        to[0] = below(n, m);
#pragma omp task depend(out : to[1])
        to[1] = above(n, m) + structs(n);
#pragma omp task depend(out : to[2])
        to[2] = typedefs(n, m);
#pragma omp task depend(out : to[3])
        shared(n, &to[3]);
#pragma omp task depend(out : to[4]) firstprivate(seed, more)
        {
            double own[n][3];
            seed[1][1] += 10;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < 3; j++)
                    own[i][j] = seed[i][j] * 2 + more[i][j % m][1];
            to[4] = length(own[1]) + sizeof own;
        }
#pragma omp task depend(out : to[5])
        to[5] = halves(n);
    }
    to[6] = seed[1][1];
}

int main(void)
{
    double to[8] = {0};
    run(6, 4, to);
    for (int i = 0; i < 7; i++)
        printf("%g\n", to[i]);
    return 0;
}
