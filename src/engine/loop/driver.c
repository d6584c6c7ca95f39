/* SPDX-License-Identifier: MIT */
/* driver.c - the fleet's driver: a thread that runs what one thread runs alone, wavefronts. It is there from the first start of one until
 * the fleet is closed, and sleeps while none is the present run. */
#include "engine/loop/fleet.h"

static void *driver_main(void *fleet)
{
    heddle_fleet *f = fleet;
    hd_fleet_turn *t;
    while ((t = hd_turns_enter(f, &f->driver_asked)))
        hd_turns_drive(t);
    return NULL;
}

heddle_status hd_driver_start(heddle_fleet *f)
{
    int has;
    (void)pthread_mutex_lock(&f->mutex);
    if (!f->has_driver)
        f->has_driver = !pthread_create(&f->driver, NULL, driver_main, f);
    has = f->has_driver;
    (void)pthread_mutex_unlock(&f->mutex);
    return has ? HEDDLE_OK : hd_say(NULL, HEDDLE_ENOMEM, "a fleet: no thread to drive wavefronts");
}

void hd_driver_stop(heddle_fleet *f)
{
    if (f->has_driver)
        (void)pthread_join(f->driver, NULL);
}
