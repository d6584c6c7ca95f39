/* SPDX-License-Identifier: MIT */
/* parent.c - prints getppid(): next.c says what for. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    printf("%d\n", (int)getppid());
    return 0;
}
