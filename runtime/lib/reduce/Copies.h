// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data structures of comm_copies.
#ifndef COMM_RUNTIME_REDUCE_COPIES_H
#define COMM_RUNTIME_REDUCE_COPIES_H

#include "Reduce.h"

namespace comm::reduce {

/// Sets `count` bits from `first` on to those of `from`, or to zero if `from` is null.
void setRange(uint64_t *bits, size_t first, const uint64_t *from, size_t count);

/// The owned values that one process has copies of.
struct Lent {
  std::vector<uint32_t> places;
  // A bitset of owned values and the number of ones before each word. Empty if few values are lent.
  std::vector<uint64_t> mask;
  std::vector<uint32_t> before;

  void index(size_t owned);
  /// Appends the positions in `places` of values whose bit is set, in ascending order.
  void collect(const uint64_t *bits, std::vector<uint32_t> &into) const;
};

/// A process that owns values copied here, or has copies of values owned here.
struct Partner {
  int rank;
  size_t start = 0, count = 0; ///< its values' copies, counted from the first copy of all
  Lent lent;
};

} // namespace comm::reduce

struct comm_copies {
  explicit comm_copies(comm_reduce *reduce) : reduce(reduce), lists(reduce, 8) {}
  ~comm_copies() { reduce->account.give(counted); }

  comm_reduce *reduce;
  comm::reduce::Lists lists;
  size_t owned = 0, total = 0, counted = 0;     ///< owned values, copies, bytes in the account
  std::vector<comm::reduce::Partner> partners;  ///< ascending; other processes take no memory
  std::vector<uint32_t> some, scratch, targets; ///< kept between calls

  /// Returns the partner of that rank, or null.
  const comm::reduce::Partner *find(int rank) const;
  /// Returns where the block for `dest` continues, and the number of bytes there: enough for a value of 64 bytes with
  /// its position. Null without memory; the delivery then reports the error.
  char *space(size_t dest, size_t &bytes);
  /// Sends one part: of the values at ascending positions, or of all from `first` on. Returns the number of values.
  template <typename AddressOf>
  size_t send(size_t dest, uint32_t first, const uint32_t *positions, size_t count, size_t valueBytes,
              AddressOf addressOf);
  template <typename AddressOf> void sendAll(size_t dest, size_t count, size_t valueBytes, AddressOf addressOf);
  template <typename AddressOf>
  void sendSome(size_t dest, const std::vector<uint32_t> &some, size_t count, size_t valueBytes, AddressOf addressOf);
};

#endif
