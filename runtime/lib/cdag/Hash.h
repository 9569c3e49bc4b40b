// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COMM_CDAG_HASH_H
#define COMM_CDAG_HASH_H

#include <cstdint>

namespace comm::cdag {

inline uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Returns the hash of a contribution. The sum of such hashes is the hash of a set.
inline uint64_t hashTerm(uint32_t rank, uint64_t offset) {
  return mix(mix(uint64_t(rank) + 0x9e3779b97f4a7c15u) + offset);
}

/// Returns the hash of a list, which depends on the order.
template <typename T> uint64_t hashTerms(const T *first, const T *last) {
  uint64_t h = 0;
  for (; first != last; ++first)
    h = mix(h + hashTerm(first->rank, first->offset));
  return h;
}

} // namespace comm::cdag

#endif
