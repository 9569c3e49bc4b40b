// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that processes share, mapped in a file of its own: the others use it without a word of that.
#include <stddef.h>
#include <sys/mman.h>

void *mapShared(int file, size_t bytes) { return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0); }
