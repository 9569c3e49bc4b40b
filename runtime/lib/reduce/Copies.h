// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comm_copies holds.
#ifndef COMM_RUNTIME_REDUCE_COPIES_H
#define COMM_RUNTIME_REDUCE_COPIES_H

#include "Reduce.h"

namespace comm::reduce {

/// Sets `count` bits from `first` on to those of `from`, or to zero if it is null.
void setRange(uint64_t *bits, size_t first, const uint64_t *from, size_t count);

/// The own values of which one process has copies.
struct Lent {
  std::vector<uint32_t> places;
  // A bitset of owned values and, by word, the number of ones before it; empty if few are lent.
  std::vector<uint64_t> mask;
  std::vector<uint32_t> before;

  void index(size_t owned);
  /// Appends the positions in `places` of those whose bit is set, ascending.
  void collect(const uint64_t *bits, std::vector<uint32_t> &into) const;
};

/// A process of whose values there are copies here, or that has copies of values from here.
struct Partner {
  int rank;
  size_t start = 0, count = 0; ///< the copies of its values, counted from the first of all
  Lent lent;
};

} // namespace comm::reduce

struct comm_copies {
  explicit comm_copies(comm_reduce *reduce) : reduce(reduce), lists(reduce, 8) {}
  ~comm_copies() { reduce->account.give(counted); }

  comm_reduce *reduce;
  comm::reduce::Lists lists;
  size_t owned = 0, total = 0, counted = 0;     ///< values here, copies, bytes in the account
  std::vector<comm::reduce::Partner> partners;  ///< ascending; no other process takes memory
  std::vector<uint32_t> some, scratch, targets; ///< kept between calls

  /// Null if that process is no partner.
  const comm::reduce::Partner *find(int rank) const;
  /// Space for one part of a block; null if there is no memory, which the delivery reports.
  char *part(size_t dest, const void *head, size_t bytes);
  /// Bytes that a part may have; at least 256, or 0 without memory.
  size_t room(size_t dest);
  template <typename AddressOf> void sendAll(size_t dest, size_t count, size_t valueBytes, AddressOf addressOf);
  template <typename AddressOf>
  void sendSome(size_t dest, const std::vector<uint32_t> &some, size_t count, size_t valueBytes, AddressOf addressOf);
};

#endif
