// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Counts of more than an int: what the runtime counts has 64 bits, and the
/// calls of the MPI beneath get pieces that an int counts.
#ifndef COMM_RANKS_COUNTS_H
#define COMM_RANKS_COUNTS_H

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace comm::ranks {

/// How many elements a call takes at once: about \p mostBytes of data, and no
/// more than an int counts; one, however long it is.
inline int64_t elementsAtOnce(int64_t mostBytes, size_t elementBytes) {
  if (!elementBytes)
    return INT_MAX;
  int64_t most = mostBytes / static_cast<int64_t>(std::min<size_t>(elementBytes, INT64_MAX));
  return std::max<int64_t>(1, std::min<int64_t>(most, INT_MAX));
}

/// How many elements of \p elementBytes the data of a message fill, the last
/// one perhaps in part; at most \p room.
inline int64_t elementsFilled(uint64_t bytes, size_t elementBytes, int64_t room) {
  if (!elementBytes)
    return 0;
  uint64_t filled = bytes / elementBytes + (bytes % elementBytes != 0);
  return filled < static_cast<uint64_t>(room) ? static_cast<int64_t>(filled) : room;
}

/// Where each block begins that follows the one before, and how long all are.
/// Without \p counts each has \p count elements.
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
