/* SPDX-License-Identifier: MIT */
/* Where a declarator begins and ends when there are several, with stars, brackets, qualifiers, attributes, initialisers. */
// clang-format off
int a, *b, **c = &b, d[2], *e[3], (*f)[4], (g), ((h)) = 1;
int const i = 1, j = 2; const int *const k = &i, *volatile l, *const *m;
int (*n)(void), (*o[2])(int, char *), *(*(*q)[3])(int), r(void), *s(int), (*t(int))(double);
static unsigned long u = sizeof(int[2]), v = (1, 2), w[] = {1, 2, 3}, x __attribute__((unused)) = 4, y __attribute__((aligned(8)));
int __attribute__((unused)) z, *__attribute__((aligned(16))) aa, __attribute__((unused)) bb;
struct pair { int x, *y; unsigned z : 2, : 0, w : 1 + 2; } cc = {1, .y = 0}, *dd, ee[2] = {{1}, {.z = 3}};
typedef struct pair pair, *ppair, apair[2], *fpair(pair *);
enum { ONE, TWO = ONE + 1, } ff, *gg; enum kind { KIND, };
__typeof__(int *) hh, ii; __extension__ typedef long long jj; _Alignas(16) char kk[16], ll;
int volatile *const *restrict_free(const int *, int named, int (*)(int), int (*fn)(int), double[3], double array[4]);
extern pair mm, *nn; fpair oo; apair pp = {{1}, {2}};
char *qq = "a,b;c", rr = ',', ss[] = ";", *tt[] = {"x", "y"};
void only(void);
void several(int uu, const pair vv, pair *restrict ww, int xx[static 2], int yy[], int (zz)(int), register int a3, ...)
{
    int b3 = uu, c3 = (uu, 3), *d3 = &b3, e3[b3], (*f3)[b3 + 1] = 0, g3 = ({ int h3 = 1, i3; i3 = h3; i3; });
    static int j3, *k3; pair l3 = vv, *m3 = ww; for (int n3 = 0, *o3 = xx; n3 < 1; n3++) *o3 = yy[0];
    const struct { int p3; } q3 = {1}, *r3 = &q3; auto int s3 = zz(a3); typedef int t3, u3[2]; t3 v3; u3 w3 = {c3, g3};
    v3 = *d3 + e3[0] + *f3[0] + *k3 + j3 + l3.x + m3->w + r3->p3 + s3 + w3[0];
}
