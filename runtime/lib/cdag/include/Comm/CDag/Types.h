// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small types of communication DAGs (Hoefler and Schneider, "Runtime
// Detection and Optimization of Collective Communication Patterns", PACT 2012).
#ifndef COMM_CDAG_TYPES_H
#define COMM_CDAG_TYPES_H

#include <cstddef>
#include <cstdint>

namespace comm::cdag {

using Rank = uint32_t;
/// An operation's number in its graph, in the order of insertion.
using OpId = uint32_t;
/// A byte address in one process's memory; below 2^63.
using Addr = uint64_t;

constexpr uint32_t kNone = 0xffffffffu;
/// Largest number of processes, operations or dependencies of a graph.
constexpr uint32_t kMaxIndex = 0xfffffff0u;
/// Source of a receive that takes a message from any process.
constexpr uint32_t kAnySource = 0xffffffffu;
/// Tag of a receive that takes any tag (as MPI_ANY_TAG, but always -1 here).
constexpr int32_t kAnyTag = -1;
/// Addresses with this bit are offsets into a schedule's scratch memory.
constexpr Addr kScratchBit = Addr(1) << 63;

enum class OpKind : uint8_t { Send, Recv, Copy, Reduce, Nop };

/// Operators of local reductions. Values from kUserOperator on are defined by the caller; Graph::addOperator states
/// their laws.
enum class Operator : uint8_t {
  Sum,
  Prod,
  Max,
  Min,
  LAnd,
  LOr,
  LXor,
  BAnd,
  BOr,
  BXor,
};
constexpr uint8_t kUserOperator = 16;

/// Element types of local reductions.
enum class ElementType : uint8_t {
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float,
  Double,
  /// For user operators, which specify the size of their elements.
  Opaque,
};

/// Size of an element in bytes; 0 for Opaque.
inline uint32_t elementSize(ElementType type) {
  constexpr uint8_t sizes[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 0};
  return sizes[static_cast<uint8_t>(type)];
}
inline bool isFloatingPoint(ElementType type) { return type == ElementType::Float || type == ElementType::Double; }

/// The operation that a local reduction applies to each element.
struct Reduction {
  uint8_t op = 0; ///< an Operator, or kUserOperator + index
  ElementType type = ElementType::Int8;
  bool sourceFirst = false; ///< dst = src op dst instead of dst = dst op src
  bool operator==(const Reduction &other) const {
    return op == other.op && type == other.type && sourceFirst == other.sourceFirst;
  }
};

/// An operation of one process. It has no padding because records of operations are compared bytewise and sent to other
/// processes.
template <typename Kind> struct BasicOperation {
  Kind kind{};
  Reduction reduction;
  uint32_t peer = 0; ///< messages only
  int32_t tag = 0;   ///< messages only
  uint32_t unused = 0;
  Addr addr = 0; ///< the message's buffer, or a local operation's destination
  uint64_t size = 0;
  Addr source = 0; ///< copies and reductions only
};
/// An operation of a graph.
using Operation = BasicOperation<OpKind>;

/// Laws of an operator. Reductions are detected only if their operator is associative.
struct OperatorLaws {
  bool associative = true;
  bool commutative = true;
  /// a op a = a: contributions may be counted twice (max, min, and, or).
  bool idempotent = false;
};

/// The collectives that patterns and proofs distinguish.
enum class CollectiveKind : uint8_t {
  Allgather,
  Allgatherv,
  Alltoall,
  Alltoallv,
  Bcast,
  Gather,
  Gatherv,
  Scatter,
  Scatterv,
  Allreduce,
  ReduceScatter,
  Scan,
  Exscan,
  Reduce,
  Barrier,
};

/// Returns true if one process is the root.
bool isRooted(CollectiveKind kind);

/// Returns the lower-case name, e.g. "reduce_scatter".
const char *name(CollectiveKind kind);
/// Returns the name of the MPI function, e.g. "MPI_Reduce_scatter".
const char *mpiName(CollectiveKind kind);
const char *name(OpKind kind);
const char *name(Operator op);
const char *name(ElementType type);

} // namespace comm::cdag

#endif
