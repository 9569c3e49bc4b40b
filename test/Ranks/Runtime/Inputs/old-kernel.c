// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces functions of the C library for the runtime: a kernel without
// MADV_GUARD_INSTALL (Linux before 6.13), and one without space for more than TEST_GUARDS
// mappings.
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) int madvise(void *address, size_t bytes, int advice) {
  if (advice == 102) {
    errno = EINVAL;
    return -1;
  }
  return (int)syscall(SYS_madvise, address, bytes, advice);
}

__attribute__((visibility("default"))) int mprotect(void *address, size_t bytes, int protection) {
  static int guards;
  const char *most = getenv("TEST_GUARDS");
  if (protection == PROT_NONE && most && guards++ >= atoi(most)) {
    errno = ENOMEM;
    return -1;
  }
  return (int)syscall(SYS_mprotect, address, bytes, protection);
}
