/* SPDX-License-Identifier: MIT */
/* construct: C that C++ does not take: void* conversions, C++ keywords as names, enum arithmetic, designated initialisers out
 * of order, compound literals, 'a' as int, restrict, _Bool, _Static_assert, _Generic, tags of nested types
 * generated: casts, other names, reordered initialisers in the text of the bodies; the host's part stays C */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum step { ONE = 1, TWO, THREE };
struct point {
    int x, y, z;
    struct deep {
        int d;
    } in;
};
typedef struct {
    int class, new, this;
} words;

#define KIND(v) _Generic((v), int : 1, double : 2, float : 3, default : 4)

static int sum_of(const int *restrict a, int *restrict out, size_t n)
{
    int template = 0;
    _Static_assert(sizeof(int) == 4, "int");
    for (size_t i = 0; i < n; i++)
        template += a[i];
    *out = template;
    return template;
}

static void idioms(void *raw, int *out, int n)
{
    int *a = raw;
    void *p = a;
    int *delete = n ? p : NULL;
    enum step s = ONE;
    struct point q = {.z = 3, .x = n, .in = {.d = 4}};
    struct deep other = {n};
    words w = {.this = 1, .class = 2};
    _Bool flag = n > 3;
    bool again = !flag;
    int private = sizeof('a'), parts[] = {[2] = 5, [0] = 1};
    char text[] = "abc", *c = n > 1 ? text + 1 : NULL;
    s++;
    s |= ONE;
    s = s + 0;
    w.new = KIND(n) + KIND(2.0) * 10 + KIND(1.0f) * 100 + KIND('c') * 1000 + KIND(p) * 10000;
    out[0] = sum_of(delete, &out[1], (size_t)n) + s + q.x + q.y + q.z + q.in.d + other.d;
    out[2] = w.class + w.new + w.this + flag + again + private + parts[0] + parts[1] + parts[2] + (int)(sizeof parts) +
             (c ? *c : 0);
    out[3] = ((struct point){.y = 9, .x = 8}).x + (&(int[]){4, 5, 6}[1])[0] + (n > 2 ?: 7) + abs(-2.5 < 0 ? -3 : 2);
    out[4] = ({
                 int t = n;
                 t *t;
             }) +
             __builtin_popcount(255u) + (int)offsetof(struct point, z) + (int)(ptrdiff_t)(delete - a);
}

int main(void)
{
    int a[10], out[2][5];
    for (int i = 0; i < 10; i++)
        a[i] = i * 3;
#pragma omp target parallel map(to : a) map(from : out)
#pragma omp single
    for (int k = 0; k < 2; k++) {
#pragma omp task
        idioms(a, out[k], 2 + 5 * k);
    }
    for (int k = 0; k < 2; k++)
        printf("%d %d %d %d %d\n", out[k][0], out[k][1], out[k][2], out[k][3], out[k][4]);
    return 0;
}
