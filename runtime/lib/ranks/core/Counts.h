// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Counts larger than an int: the runtime counts with 64 bits, and splits calls to the underlying MPI into pieces
/// that fit into an int.
#ifndef COMM_RANKS_COUNTS_H
#define COMM_RANKS_COUNTS_H

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace comm::ranks {

/// Returns how many elements a call processes at once: about \p mostBytes of data, and at most INT_MAX; at least one,
/// however large it is.
inline int64_t elementsAtOnce(int64_t mostBytes, size_t elementBytes) {
  if (!elementBytes)
    return INT_MAX;
  int64_t most = mostBytes / static_cast<int64_t>(std::min<size_t>(elementBytes, INT64_MAX));
  return std::max<int64_t>(1, std::min<int64_t>(most, INT_MAX));
}

/// Returns how many elements of \p elementBytes the data of a message fill, counting a partial last one; at most \p
/// room.
inline int64_t elementsFilled(uint64_t bytes, size_t elementBytes, int64_t room) {
  if (!elementBytes)
    return 0;
  uint64_t filled = bytes / elementBytes + (bytes % elementBytes != 0);
  return filled < static_cast<uint64_t>(room) ? static_cast<int64_t>(filled) : room;
}

/// The begins of contiguous blocks, and their total length. Without \p counts, each has \p count elements.
struct Places {
  std::vector<int64_t> begins;
  int64_t total = 0;

  Places(int blocks, const int *counts, int64_t count) : begins(blocks) {
    for (int i = 0; i < blocks; ++i) {
      begins[i] = total;
      total += counts ? counts[i] : count;
    }
  }
};

} // namespace comm::ranks

#endif
