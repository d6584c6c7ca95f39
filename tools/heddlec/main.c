/* SPDX-License-Identifier: MIT */
/* main.c - the command heddlec. Exit status: 0, 1 (refused or failed), 2 (wrong command line). */
#include "driver/command.h"

int main(int n, char **words)
{
    hc_command c = {0};
    if (hc_read_command(&c, n, words) != 0)
        return 2;
    if (c.ends)
        return 0;
    return c.only ? hc_compile(&c) : hc_drive(&c);
}
