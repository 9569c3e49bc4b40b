// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Inbox.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace comm::ranks {

void Inbox::sleep(long microseconds) {
  sleeping.store(1, std::memory_order_seq_cst);
  if (!top.load(std::memory_order_seq_cst)) {
    timespec limit = {microseconds / 1000000, microseconds % 1000000 * 1000};
    syscall(SYS_futex, &sleeping, FUTEX_WAIT_PRIVATE, 1, &limit, nullptr, 0);
  }
  sleeping.store(0, std::memory_order_seq_cst);
}

void Inbox::wake() {
  if (sleeping.exchange(0, std::memory_order_seq_cst))
    syscall(SYS_futex, &sleeping, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

} // namespace comm::ranks
