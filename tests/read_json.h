/* SPDX-License-Identifier: MIT */
/* read_json.h - fields of JSON files that a test has written; a missing one, or one of another kind, ends the test. */
#ifndef READ_JSON_H
#define READ_JSON_H

#include "check.h"

#include <jansson.h>
#include <math.h>

static inline json_t *json_of_file(const char *path)
{
    json_error_t why;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    CHECK_MSG(root, "line %d: %s", why.line, why.text);
    return root;
}
static inline const json_t *get(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    CHECK_MSG(v, "no %s", key);
    return v;
}
static inline uint64_t integer(const json_t *o, const char *key)
{
    CHECK_MSG(json_is_integer(get(o, key)), "%s", key);
    return (uint64_t)json_integer_value(get(o, key));
}
/* Microseconds of the file as nanoseconds. */
static inline uint64_t ns(const json_t *o, const char *key)
{
    return (uint64_t)llround(json_number_value(get(o, key)) * 1000);
}
static inline const char *text(const json_t *o, const char *key)
{
    CHECK_MSG(json_is_string(get(o, key)), "%s", key);
    return json_string_value(get(o, key));
}

#endif
