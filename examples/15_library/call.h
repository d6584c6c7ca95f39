/* SPDX-License-Identifier: MIT */
/* call.h - the same rows by a library: cuBLAS on GPUs, if it was there when this was built, and plain C where the host works. */
#ifndef PRODUCT_CALL_H
#define PRODUCT_CALL_H

#include "bodies.h"

heddle_status product_call(void *user, void *stream, const heddle_span_work *w);

#endif
