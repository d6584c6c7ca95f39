/* SPDX-License-Identifier: MIT */
/* ncu_csv.c - lines of ncu: fields are found, numbers with commas are read, and reasons for not counting are reported. */
#include "check.h"
#include "ncu_csv.h"

#include <string.h>

#define LINE "\"7\",\"4711\",\"peer_kernel<K>(peer_job)\",\"sum\",\"sector\",\"1,234,567\"\n"

static void field_is(const char *line, size_t i, const char *want)
{
    char got[16];
    ncu_csv_field(line, i, got, sizeof got);
    CHECK_MSG(!strcmp(got, want), "field %zu is '%s', not '%s'", i, got, want);
}

int main(void)
{
    CHECK(ncu_csv_has_fields(LINE) && !ncu_csv_has_fields("==PROF== Disconnected from process 4711\n"));
    field_is(LINE, 0, "7");
    field_is(LINE, 2, "peer_kernel<K>(");
    field_is(LINE, 5, "1234567");
    field_is(LINE, 6, "");
    field_is("no field\n", 0, "");
    field_is("\"1,5", 0, "15");
    CHECK(ncu_csv_last(LINE) == 1234567 && ncu_csv_last("\"12.5\"") == 12.5 && ncu_csv_last("no field\n") == 0);
    CHECK(!ncu_csv_reason(LINE) && strstr(ncu_csv_reason("sh: 1: ncu: not found"), "is not here"));
    CHECK(strstr(ncu_csv_reason("timeout: failed to run command 'ncu': No such file or directory"), "is not here"));
    CHECK(strstr(ncu_csv_reason("==ERROR== ERR_NVGPUCTRPERM - no permission"), "counters"));
    return 0;
}
