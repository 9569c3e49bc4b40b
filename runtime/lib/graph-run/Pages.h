// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in large pages.
#ifndef COMM_RUNTIME_GRAPH_RUN_PAGES_H
#define COMM_RUNTIME_GRAPH_RUN_PAGES_H

#include <cstddef>
#include <cstdlib>
#include <sys/mman.h>
#include <vector>

namespace comm::graphrun {

/* Ends all processes with a message about an allocation of this size that failed (0: unknown). */
[[noreturn]] void stopWithoutMemory(size_t bytes);

/* Values of neighbors are all over an array: with pages of 4 KiB, most reads would look for their page first. */
template <typename T> struct PageAllocator {
  using value_type = T;
  PageAllocator() = default;
  template <typename Other> PageAllocator(const PageAllocator<Other> &) {}
  T *allocate(size_t count) {
    constexpr size_t large = size_t(2) << 20;
    size_t bytes = count * sizeof(T);
    void *memory = bytes < large ? malloc(bytes) : aligned_alloc(large, (bytes + large - 1) / large * large);
    if (!memory)
      stopWithoutMemory(bytes);
    if (bytes >= large)
      madvise(memory, (bytes + large - 1) / large * large, MADV_HUGEPAGE);
    return static_cast<T *>(memory);
  }
  void deallocate(T *memory, size_t) { free(memory); }
  bool operator==(const PageAllocator &) const { return true; }
  bool operator!=(const PageAllocator &) const { return false; }
};

template <typename T> using Array = std::vector<T, PageAllocator<T>>;

} // namespace comm::graphrun

#endif
