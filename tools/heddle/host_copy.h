/* SPDX-License-Identifier: MIT */
/* host_copy.h - how quickly all cores together copy memory of the host. */
#ifndef HOST_COPY_H
#define HOST_COPY_H

#include <stdint.h>

/* Bytes a second that n_threads threads copy, each its own part: the best of seven runs. As many bytes are read as written. 0: there
 * is no memory for n_bytes twice. */
double host_copy_rate(uint32_t n_threads, uint64_t n_bytes);

#endif
