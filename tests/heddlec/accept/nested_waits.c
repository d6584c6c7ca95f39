/* SPDX-License-Identifier: MIT */
/* construct: `taskwait` and `taskgroup` of tasks in tasks inside loops, branches, nested functions and after returns; more inner tasks than a body may spawn; deep recursion
 * generated: the body is split into steps; what lives across a wait stands in a frame of the task
 * flags: --region=parallel */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tree {
    struct tree *left, *right;
    long value;
} tree;

typedef struct range {
    long least, most;
} range;

static tree *grow(int depth, long value)
{
    tree *t = malloc(sizeof *t);
    t->value = value;
    t->left = depth ? grow(depth - 1, 2 * value) : NULL;
    t->right = depth && value % 3 ? grow(depth - 1, 2 * value + 1) : NULL;
    return t;
}

/* A struct as result, early returns, declarations that are set from calls. */
static range span(const tree *t)
{
    range r = {t->value, t->value};
    range a, b;
    if (!t->left && !t->right)
        return r;
    a = r, b = r;
    if (t->left) {
#pragma omp task shared(a)
        a = span(t->left);
    }
    if (t->right) {
#pragma omp task shared(b)
        b = span(t->right);
    } else {
        range other = span(t->left);
        if (other.most < 0)
            return other;
    }
#pragma omp taskwait
    r.least = a.least < b.least ? a.least : b.least;
    r.most = a.most > b.most ? a.most : b.most;
    return r;
}

/* A wait in every round of a loop; break, continue; a loop inside. */
static long rounds(int n)
{
    long total = 0, part[8];
    int i;
    for (i = 0; i < n; i++) {
        int used = 0;
        if (i % 5 == 4)
            continue;
        for (int k = 0; k < 8; k++)
            part[k] = 0;
        while (used < i % 8) {
#pragma omp task shared(part) firstprivate(used, i)
            part[used] = 3 * used + i;
            used++;
        }
#pragma omp taskwait
        for (int k = 0; k < 8; k++)
            total = (total * 7 + part[k]) % 1000003;
        if (total % 11 == 5 && i > 20)
            break;
    }
    return total + i;
}

static void mark(unsigned char *seen, int at, int n)
{
    do {
        seen[at]++;
        at++;
    } while (0 && at < n);
}

/* More than one body spawns; a function that creates and one that waits. */
static void mark_all(unsigned char *seen, int n)
{
    for (int i = 0; i < n; i++) {
#pragma omp task
        mark(seen, i, n);
    }
}

static int marked(unsigned char *seen, int n)
{
    int sum = 0;
    mark_all(seen, n);
#pragma omp taskwait
    for (int i = 0; i < n; i++)
        sum += seen[i];
    return sum;
}

/* Two functions that call one another, by statements and by expressions. */
static long even(long n);
static long odd(long n)
{
    long x = 0;
    if (n == 0)
        return 0;
#pragma omp task shared(x)
    x = even(n - 1);
#pragma omp taskwait
    return x;
}
static long even(long n)
{
    if (n == 0)
        return 1;
    return odd(n - 1);
}

static long both(long n)
{
    long a = 0, b = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(a)
        {
#pragma omp taskgroup
            {
#pragma omp task shared(a)
                a = even(n);
            }
            a = 10 * a + odd(n);
        }
#pragma omp task shared(b)
        b = odd(n + 1);
    }
    return 100 * a + b;
}

static int try_place(const char *board, int row, int col)
{
    for (int i = 0; i < row; i++)
        if (board[i] == col || board[i] - col == row - i || col - board[i] == row - i)
            return 0;
    return 1;
}

static void queens(int n, int row, const char *board, int *count)
{
    int counts[16];
    if (row == n) {
        *count = 1;
        return;
    }
    memset(counts, 0, sizeof counts);
    for (int c = 0; c < n; c++) {
        if (!try_place(board, row, c))
            continue;
#pragma omp task shared(counts) firstprivate(c)
        {
            char next[16];
            memcpy(next, board, (size_t)row);
            next[row] = (char)c;
            queens(n, row + 1, next, &counts[c]);
        }
    }
#pragma omp taskwait
    *count = 0;
    for (int c = 0; c < n; c++)
        *count += counts[c];
}

int main(void)
{
    enum { N = 1000 };
    static unsigned char seen[N];
    tree *t = grow(9, 1);
    range r = {0, 0};
    long a = 0, b = 0, c = 0;
    int m = 0, q = 0;
    char board[16] = {0};
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(r)
        r = span(t);
#pragma omp task shared(a)
        a = rounds(40);
#pragma omp task shared(m, seen)
        m = marked(seen, N);
#pragma omp task shared(b)
        b = both(40);
#pragma omp task shared(c)
        c = odd(3001);
#pragma omp task shared(q, board)
        queens(7, 0, board, &q);
    }
    printf("%ld %ld %ld %d %ld %ld %d\n", r.least, r.most, a, m, b, c, q);
    return 0;
}
