/* SPDX-License-Identifier: MIT */
/* inside.h - the devices that this thread is running something for: it must not wait for them, because they wait for it.
 * What is entered is left in reverse order. */
#ifndef HD_INSIDE_H
#define HD_INSIDE_H

struct hd_device;

/* One entry, on the stack of whoever enters. */
typedef struct hd_inside {
    const struct hd_device *device;
    const struct hd_inside *outer;
} hd_inside;

void hd_inside_enter(hd_inside *here, const struct hd_device *d);
void hd_inside_leave(const hd_inside *here);
int hd_is_inside(const struct hd_device *d);

/* All entries of this thread, and a thread that takes part in what another one does: it is where that one is. */
const hd_inside *hd_inside_now(void);
void hd_inside_as(const hd_inside *all);

#endif
