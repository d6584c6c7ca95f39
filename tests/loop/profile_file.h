/* SPDX-License-Identifier: MIT */
/* profile_file.h - changes what a fleet's profile file says of a device, as another process might have written it. */
#ifndef LOOP_PROFILE_FILE_H
#define LOOP_PROFILE_FILE_H

#include "check.h"

#include <string.h>

/* The one line with `device`, and behind it `settings`, says `text` from then on. */
static inline void profile_say(const char *path, const char *device, const char *settings, const char *text)
{
    char line[512];
    FILE *from = fopen(path, "r"), *to = fopen("profile.new", "w");
    uint32_t n_said = 0;
    CHECK(from && to);
    while (fgets(line, sizeof line, from)) {
        char *at = strstr(line, device), *end = at ? strstr(at, settings) : NULL;
        if (end) {
            n_said++;
            end[strlen(settings)] = 0;
        }
        (void)fputs(line, to);
        if (end)
            (void)fprintf(to, "\t%s\t1\n", text);
    }
    CHECK(!fclose(from) && !fclose(to) && !rename("profile.new", path));
    CHECK_MSG(n_said == 1, "%u lines of %s", n_said, device);
}

#endif
