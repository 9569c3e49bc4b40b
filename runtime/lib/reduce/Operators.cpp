// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The predefined operators and types of comm_copies_reduce.
#include "Copies.h"

#include <algorithm>
#include <type_traits>

namespace {

struct Sum {
  template <typename T> static T apply(T a, T b) {
    // Integers wrap around, as in the usual implementations of MPI_SUM.
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
};
struct Product {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return a * b;
    }
  }
};
struct Min {
  template <typename T> static T apply(T a, T b) { return b < a ? b : a; }
};
struct Max {
  template <typename T> static T apply(T a, T b) { return a < b ? b : a; }
};
struct And {
  template <typename T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <typename T> static T apply(T a, T b) { return a | b; }
};

template <typename T, typename Op>
void combine(void *, void *values, const uint32_t *places, const void *incoming, size_t count, uint64_t *changed) {
  T *to = static_cast<T *>(values);
  const T *from = static_cast<const T *>(incoming);
  for (size_t i = 0; i < count; ++i) {
    uint32_t place = places[i];
    T old = to[place], value = Op::template apply<T>(old, from[i]);
    to[place] = value;
    if (changed && !(value == old))
      changed[place / 64] |= uint64_t(1) << (place % 64);
  }
}

template <typename T> comm_reduce_combiner *withOp(int op) {
  switch (op) {
  case COMM_REDUCE_SUM:
    return combine<T, Sum>;
  case COMM_REDUCE_PRODUCT:
    return combine<T, Product>;
  case COMM_REDUCE_MIN:
    return combine<T, Min>;
  case COMM_REDUCE_MAX:
    return combine<T, Max>;
  case COMM_REDUCE_AND:
    if constexpr (std::is_integral_v<T>)
      return combine<T, And>;
    return nullptr;
  case COMM_REDUCE_OR:
    if constexpr (std::is_integral_v<T>)
      return combine<T, Or>;
    return nullptr;
  default:
    return nullptr;
  }
}

comm_reduce_combiner *combinerOf(int type, int op, size_t &bytes) {
  switch (type) {
  case COMM_REDUCE_INT32:
    bytes = 4;
    return withOp<int32_t>(op);
  case COMM_REDUCE_UINT32:
    bytes = 4;
    return withOp<uint32_t>(op);
  case COMM_REDUCE_INT64:
    bytes = 8;
    return withOp<int64_t>(op);
  case COMM_REDUCE_UINT64:
    bytes = 8;
    return withOp<uint64_t>(op);
  case COMM_REDUCE_FLOAT:
    bytes = 4;
    return withOp<float>(op);
  case COMM_REDUCE_DOUBLE:
    bytes = 8;
    return withOp<double>(op);
  default:
    return nullptr;
  }
}

} // namespace

int comm_copies_reduce(comm_copies *copies, void *values, int type, int op, uint64_t *touched, uint64_t *changed,
                       comm_reduce_votes *votes) {
  size_t bytes = 0;
  comm_reduce_combiner *combiner = combinerOf(type, op, bytes);
  if (!combiner)
    return COMM_REDUCE_ERR_ARG;
  return comm_copies_combine(copies, values, bytes, combiner, nullptr, touched, changed, votes);
}
