/* SPDX-License-Identifier: MIT */
/* shows: stages in order by depend on a stage's variable; printing by the last stage
 * manner: blog post */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int id, width;
    char *text;
} frame;

static frame *decode(int id)
{
    frame *f = malloc(sizeof *f);
    f->id = id;
    f->width = id % 4 + 1;
    f->text = NULL;
    return f;
}

static void render(frame *f)
{
    f->text = malloc(f->width + 1);
    for (int i = 0; i < f->width; i++)
        f->text[i] = '#';
    f->text[f->width] = '\0';
}

static void show(frame *f)
{
    printf("frame %d: %s\n", f->id, f->text);
    free(f->text);
    free(f);
}

int main(void)
{
    frame *frames[8];
    int screen = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 8; i++) {
#pragma omp task shared(frames) depend(out : frames[i])
            frames[i] = decode(i);
#pragma omp task shared(frames) depend(inout : frames[i])
            render(frames[i]);
#pragma omp task shared(frames) depend(in : frames[i]) depend(inout : screen)
            show(frames[i]);
        }
    }
    return screen;
}
