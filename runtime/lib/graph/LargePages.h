// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for large arrays.
#ifndef COMM_RUNTIME_GRAPH_LARGEPAGES_H
#define COMM_RUNTIME_GRAPH_LARGEPAGES_H

#include <cstddef>
#include <cstdlib>
#include <sys/mman.h>

namespace comm::graph {

/// Like malloc, but uses pages of 2 MiB if the system has them and the size justifies them: hardware prefetching stops
/// at the end of a page, and graph loops depend on it. The caller frees the memory with free().
inline void *takeLargePages(size_t bytes) {
  constexpr size_t large = size_t(2) << 20;
  if (bytes < 2 * large)
    return malloc(bytes);
  // The last page is not a large one, so that no more memory is used than requested.
  void *memory = aligned_alloc(large, (bytes + large - 1) / large * large);
  if (memory)
    madvise(memory, bytes / large * large, MADV_HUGEPAGE);
  return memory;
}

} // namespace comm::graph

#endif
