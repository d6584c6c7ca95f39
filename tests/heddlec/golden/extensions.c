/* SPDX-License-Identifier: MIT */
/* What GNU C and newer C add: typeof, statement expressions, hints before loops, old designators, vectors, atomics. */
// clang-format off
#define max(a, b) ({ __typeof__(a) _a = (a), _c; typeof(b) _b = (b); _c = _a; _c > _b ? _c : _b; })
struct q { int a; _Static_assert(1, "x"); typeof(int[3]) t; enum { IN1 } e; };
int (*sel(int k))(int);
int alias(void) __asm__("other");
int sum(int n, ...)
{
    __builtin_va_list ap;
    __builtin_va_start(ap, n);
    int r = __builtin_va_arg(ap, int);
    __builtin_va_end(ap);
    return r;
}

int f(int n, float *x, struct q s)
{
    enum { N = 4 };
    typeof(x[0] + n) y = 1, z[N];
    int m = max(n, 3), w = ({ typeof(n) *p = &n; *p; });
#pragma unroll
    for (int i = 0; i < n; i++)
#pragma GCC ivdep
        for (int j = 0; j < n; j++) x[j] = y;
#pragma omp parallel for
#pragma unroll(4)
    for (int i = 0; i < n; i++) x[i] = z[0];
    struct q old = { a: 1, .t = { [0] 5, [1 ... 2] = 7 } };
    __auto_type au = 3; _Atomic int at = 1; _Atomic(long) al = 2; at++;
    float _Complex c = 1.0f + 2.0fi; c = __builtin_complex(1.0f, 2.0f); y = __real__ c;
    typedef float v4 __attribute__((vector_size(16))); v4 vec = {1, 2, 3, 4}; y = vec[1];
    char *u8 = u8"x" "y"; int *L = L"abc";
    int k = sizeof(struct { int a; char b; }) + (int)sizeof(typeof(n)), (*fp)(int) = sel(k);
    int local(int, struct q *p);
    switch (n) { case 'a' ... 'z':
#pragma omp task
    m++;
    default:
lab: ;
#pragma omp taskwait
    ; }
    do
#pragma omp atomic
        m++;
    while (m < 3);
    { __label__ here; here:; if (m) goto here; }
    int arr[] = { [IN1] = 1, [N] = 2, }; arr[s.e] = alias();
    return (*fp)(m) + w + au + al + k + local(1, &old) + (int)*u8 + *L + (int[]){1, 2}[1] + at;
}
