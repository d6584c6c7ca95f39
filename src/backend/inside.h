/* SPDX-License-Identifier: MIT */
/* inside.h - the devices that this thread is running bodies or callbacks for. Such a device waits for the thread, so the
 * thread must not wait for the device. Entries are left in reverse order. */
#ifndef HD_INSIDE_H
#define HD_INSIDE_H

struct hd_device;

/* One entry, on the stack of the entering function. */
typedef struct hd_inside {
    const struct hd_device *device;
    const struct hd_inside *outer;
} hd_inside;

extern _Thread_local const hd_inside *hd_inside_top; /* this thread's last entry */

void hd_inside_enter(hd_inside *here, const struct hd_device *d);
void hd_inside_leave(const hd_inside *here);
static inline int hd_is_inside(const struct hd_device *d)
{
    const hd_inside *i;
    for (i = hd_inside_top; i; i = i->outer)
        if (i->device == d)
            return 1;
    return 0;
}

/* hd_inside_now: all entries of this thread. hd_inside_as: a helper thread adopts the entries of the thread it works for. */
const hd_inside *hd_inside_now(void);
void hd_inside_as(const hd_inside *all);

#endif
