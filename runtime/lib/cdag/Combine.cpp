// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Combine.h"

#include <cstring>
#include <type_traits>

namespace comm::cdag {

namespace {

template <typename T> T apply(Operator op, T a, T b) {
  if constexpr (std::is_integral<T>::value) {
    // Use unsigned arithmetic because its overflow wraps.
    using U = std::make_unsigned_t<T>;
    switch (op) {
    case Operator::Sum:
      return T(U(a) + U(b));
    case Operator::Prod:
      return T(U(uint64_t(U(a)) * uint64_t(U(b))));
    case Operator::Max:
      return a > b ? a : b;
    case Operator::Min:
      return a < b ? a : b;
    case Operator::LAnd:
      return T(a && b);
    case Operator::LOr:
      return T(a || b);
    case Operator::LXor:
      return T(!a != !b);
    case Operator::BAnd:
      return T(a & b);
    case Operator::BOr:
      return T(a | b);
    case Operator::BXor:
      return T(a ^ b);
    }
  } else {
    switch (op) {
    case Operator::Sum:
      return a + b;
    case Operator::Prod:
      return a * b;
    case Operator::Max:
      return a > b ? a : b;
    case Operator::Min:
      return a < b ? a : b;
    default:
      break;
    }
  }
  return a;
}

template <typename T> void each(Operator op, const uint8_t *left, const uint8_t *right, uint8_t *out, uint64_t size) {
  for (uint64_t i = 0; i + sizeof(T) <= size; i += sizeof(T)) {
    T a, b;
    std::memcpy(&a, left + i, sizeof(T));
    std::memcpy(&b, right + i, sizeof(T));
    T c = apply(op, a, b);
    std::memcpy(out + i, &c, sizeof(T));
  }
}

void compose(const uint8_t *left, const uint8_t *right, uint8_t *out, uint64_t size) {
  for (uint64_t i = 0; i + 8 <= size; i += 8) {
    uint32_t a[2], b[2];
    std::memcpy(a, left + i, 8);
    std::memcpy(b, right + i, 8);
    uint32_t c[2] = {a[0] * b[0], a[0] * b[1] + a[1]};
    std::memcpy(out + i, c, 8);
  }
}

} // namespace

void combine(uint8_t op, ElementType type, const uint8_t *left, const uint8_t *right, uint8_t *out, uint64_t size) {
  Operator o = static_cast<Operator>(op);
  if (op >= kUserOperator)
    return compose(left, right, out, size);
  switch (type) {
  case ElementType::Int8:
    return each<int8_t>(o, left, right, out, size);
  case ElementType::Int16:
    return each<int16_t>(o, left, right, out, size);
  case ElementType::Int32:
    return each<int32_t>(o, left, right, out, size);
  case ElementType::Int64:
    return each<int64_t>(o, left, right, out, size);
  case ElementType::UInt8:
    return each<uint8_t>(o, left, right, out, size);
  case ElementType::UInt16:
    return each<uint16_t>(o, left, right, out, size);
  case ElementType::UInt32:
    return each<uint32_t>(o, left, right, out, size);
  case ElementType::UInt64:
    return each<uint64_t>(o, left, right, out, size);
  case ElementType::Float:
    return each<float>(o, left, right, out, size);
  case ElementType::Double:
    return each<double>(o, left, right, out, size);
  case ElementType::Opaque:
    break;
  }
}

} // namespace comm::cdag
