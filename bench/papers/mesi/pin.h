/* SPDX-License-Identifier: MIT */
/* pin.h - memory of the host pinned for copies, for programs by hand. What cannot be pinned is copied all the same, more slowly. nvcc
 * includes the runtime's declarations itself. */
#ifndef MESI_PIN_H
#define MESI_PIN_H

static inline void pin(const void *p, size_t n_bytes)
{
    (void)cudaHostRegister(const_cast<void *>(p), n_bytes, cudaHostRegisterPortable);
    (void)cudaGetLastError();
}

static inline void unpin(const void *p)
{
    (void)cudaHostUnregister(const_cast<void *>(p));
    (void)cudaGetLastError();
}

#endif
