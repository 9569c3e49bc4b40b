// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for large arrays.
#ifndef COMM_RUNTIME_GRAPH_LARGEPAGES_H
#define COMM_RUNTIME_GRAPH_LARGEPAGES_H

#include <cstddef>
#include <cstdlib>
#include <sys/mman.h>

namespace comm::graph {

/// As malloc, in pages of 2 MiB where the system has them and they are worth it: hardware prefetching ends at the end
/// of a page, and graph loops are bound by it. To be freed by free().
inline void *takeLargePages(size_t bytes) {
  constexpr size_t large = size_t(2) << 20;
  if (bytes < 2 * large)
    return malloc(bytes);
  // The last page is not rounded up to a large one, so that memory is no more than what was asked for.
  void *memory = aligned_alloc(large, (bytes + large - 1) / large * large);
  if (memory)
    madvise(memory, bytes / large * large, MADV_HUGEPAGE);
  return memory;
}

} // namespace comm::graph

#endif
