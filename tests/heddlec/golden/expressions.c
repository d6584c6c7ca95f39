/* SPDX-License-Identifier: MIT */
/* Each operator, casts of both kinds, constants, and what built-in functions and macros of headers leave behind. */
// clang-format off
enum color { RED, GREEN = 3 };
struct s { int a[2]; struct { float f; } in; const char *name; };
extern double sqrt(double); int abs(int); void take(const void *, float, enum color, long long, ...);

long operators(int i, unsigned u, double d, float f, char c, struct s *p, int *restrict q, enum color e, void *v)
{
    long l = i + u - 2 * d / 3 - 5 % 3, *pl = &l;
    i = i << 2 >> 1 < 3 > 4 <= 5 >= 6 == 7 != 8; i = i & 1 ^ 2 | 3; i = i && u || !d; i = ~i; i = +i; i = -c;
    i += 1; i -= 2; i *= 3; i /= 4; i <<= 1; i >>= 1; i &= 1; i ^= 1; i |= 1; u %= 10; d += i; c *= 2.5f;
    i++; ++i; i--; --i; (*q)++; *q++ = -(-i); i = - -i; i = !!i; *&i = **&q; q = &q[1]; q = &*q; i = 1[q];
    i = i ? u : c; d = i ?: d; i = (i, u, c); i = ((i)); (void)0; e = i; e = RED; i = e + GREEN; e++; e |= 1;
    v = q; q = v; q = (int *)v; i = (int)d; c = (char)i + 'a'; l = (long)pl; d = f; f = d; i = (_Bool)d; pl = 0;
    p->a[1] = (*p).a[0] + p->in.f; p->name = "x" "y"; i = p->name[0]; *p = (struct s){{1, 2}, .name = __func__};
    take(q, i, 1, c, f, c, "s"); take(&p->in, d, e, u); (take)(p, 1, RED, 2); d = sqrt(i) + abs(-2.5) + sqrt(f);
    i = sizeof i + sizeof(int) + sizeof(struct s) + sizeof(p->a) + sizeof(long[3]) + sizeof(char *) + sizeof *p + sizeof 'a';
    i = _Alignof(double) + __alignof__(i) + __builtin_offsetof(struct s, in.f) + __builtin_offsetof(struct s, a[1]);
    i = _Generic(d, float: 1, double: 2, default: 3); i = __builtin_expect(i > 1, 0); i = __builtin_popcount(u);
    i = __builtin_types_compatible_p(int, long) + __builtin_choose_expr(1, 2, 3) + __builtin_constant_p(4);
    i = __extension__ 5; d = __real__ 1.0i; i = __atomic_fetch_add(q, 2, 5); i = __sync_fetch_and_add(q, 1);
    i = 0x1fu + 017 + 0b11; i = 'a' + '\n' + '\x41' + '\0' + L'w'; d = 1e3 + 0x1p4 + .5f; l = -9223372036854775807 - 1;
    i = 7 / -2 + 7 % -2 + (1u - 2 > 0) + (-1 < 1u) + (1 ? 2 : i) + (3 > 2) * 4 + (char)300 + (unsigned char)-1 + 1 / 0;
    return i < 0 ? (long)i : l + (p ? p->a : q)[0] + (*(&p->a + 1))[-1] + (v ? v : (void *)p == (void *)0);
}
