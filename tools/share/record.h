/* SPDX-License-Identifier: MIT */
/* record.h - writes the tasks of this process as a trace for `heddle share replay`, when HEDDLE_SHARE_RECORD names a file.
 *
 * In it are the times of large copies and of the kernels between them, as they were with whatever else ran. The program waits before and
 * behind each such copy, also an asynchronous one, so that each time is of one thing alone. A program with a kernel that waits for what the
 * host does behind the next copy would wait for ever. Not in it are copies in captures and graphs, and what is no copy between the host and
 * a device. The file is written at the end of the process; when it is there already, the process's number stands behind its name. A link is not followed.
 */
#ifndef SHARE_RECORD_H
#define SHARE_RECORD_H

#include <stdint.h>

int share_record_is_on(void);
/* Called with the lock of tasks held: a copy of the task at hand; the task has ended; the process does. */
void share_record_copy(int way, uint64_t ns);
void share_record_task(uint64_t p_ns);
void share_record_end(void);

#endif
