/* SPDX-License-Identifier: MIT */
/* Each kind of statement, with and without blocks, and what the tree says where its parts are absent. */
// clang-format off
int next(void);

int statements(int n, int *p)
{
    int i = 0, j;
    ;
    {}
    if (n) i = 1;
    if (n) { i = 2; } else if (p) i = 3; else { i = 4; }
    if (n) ; else ;
    for (;;) break;
    for (i = 0;;) { if (i++ > 3) break; else continue; }
    for (; i < n;) i++;
    for (;; i++) if (i > n) goto out;
    for (int k = 0, *q = p; k < n; k++, q++) *q = k;
    for (i = 0, j = n; i < j; i++, --j);
    while (i--) ;
    while (next()) { p[i] = i; }
    do i++; while (i < 3);
    do { --i; } while (i);
    switch (n) {
    case 0: i = 5;
    case 1:
    case 2 ... 4: { i = 6; break; }
    case (7): default: i = 7; __attribute__((fallthrough));
    case 9: ;
    }
    switch (n) case 3: i = 8;
out:
    i = 9;
again: __attribute__((unused));
    {
        void *where = n ? &&again : &&out;
        if (i > 100) goto *where;
    }
    __asm__ volatile("# %0" : "+r"(i) : "r"(n), "m"(*p) : "memory");
    asm("");
    i = ({ int t = next(); t > 0 ? t : -t; });
    (void)({ ; });
    {
        int shadow = i, i = shadow;
        typedef int local_type;
        _Static_assert(sizeof(local_type) == 4, "int");
        local_type x = (local_type)i;
        struct local { int v; } s = {x};
        i = s.v;
    }
    if (i)
#pragma omp critical(one)
        i++;
    else
#pragma omp atomic update
        i -= 1;
#pragma omp barrier
    return i;
}

void nothing(void) { return; }
__attribute__((noinline)) static void
split(int a,
      int b) { a = b; }
extern int old(); int old() { split(1, 2); return 0; }
