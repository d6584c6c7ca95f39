/* SPDX-License-Identifier: MIT */
/* construct: structs by value (nested, with arrays), unions, bit-fields, enums, typedefs, as arguments and firstprivate
 * generated: fields of the record; the same types in the device's text, sizes and offsets asserted */
#include <stdint.h>
#include <stdio.h>

typedef enum colour { RED = 2, GREEN, BLUE = 10 } colour;
typedef struct vec {
    double x, y;
    int8_t tag[3];
} vec;
struct flags {
    unsigned a : 3, b : 5;
    signed c : 4;
};
typedef union word {
    uint32_t u;
    float f;
    uint8_t bytes[4];
} word;
struct outer {
    struct inner {
        int k;
        vec v[2];
    } in;
    colour col;
    struct flags fl;
    word w;
};
struct inner stray = {4, {{1, 2, {3, 4, 5}}, {6, 7, {8, 9, 10}}}};

static double use(struct outer o, vec v, colour c)
{
    c = (colour)(c + 1);
    o.in.k += o.fl.a + o.fl.b + o.fl.c + (int)c;
    o.w.bytes[0] ^= 1;
    switch (o.col) {
    case RED: return o.in.k + v.x;
    case GREEN: return v.y * o.in.v[1].x + o.w.u % 1000;
    default: return o.in.v[0].tag[2] + v.tag[1] + sizeof(struct outer);
    }
}

int main(void)
{
    double out[6];
    struct outer o = {stray, GREEN, {5, 17, -3}, {0x40490fdb}};
    vec v = {1.5, 2.5, {1, 2, 3}};
#pragma omp target parallel map(from : out)
#pragma omp single
    for (int i = 0; i < 6; i++) {
        colour c = i % 2 ? RED : BLUE;
        o.col = i % 3 == 0 ? RED : i % 3 == 1 ? GREEN : BLUE;
        v.x += i;
#pragma omp task firstprivate(o, v, c)
        out[i] = use(o, v, c);
    }
    for (int i = 0; i < 6; i++)
        printf("%.6f ", out[i]);
    printf("\n");
    return 0;
}
