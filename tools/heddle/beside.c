/* SPDX-License-Identifier: MIT */
/* beside.c - finds the project's other programs: in the folder of the running one, built or installed. */
#include "cli.h"

#include <string.h>
#include <unistd.h>

int cli_beside(const char *name, char *path, size_t n_bytes)
{
    const ssize_t n = readlink("/proc/self/exe", path, n_bytes - 1);
    char *slash;
    path[n > 0 ? n : 0] = '\0';
    slash = strrchr(path, '/');
    if (!slash || (size_t)(slash + 1 - path) + strlen(name) >= n_bytes)
        return -1;
    strcpy(slash + 1, name);
    return access(path, X_OK);
}
