//===- CommInterfaces.h - Interfaces of comm ops ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COMMINTERFACES_H
#define COMM_DIALECT_COMM_IR_COMMINTERFACES_H

#include "Comm/MPI/Standard.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"

#include "Comm/Dialect/Comm/IR/CommEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "Comm/Dialect/Comm/IR/CommAttributes.h.inc"

namespace comm {

/// What MPI does with one pointer argument.
struct BufferAccess {
  /// Which bytes are accessed, relative to the pointer.
  enum class Extent {
    /// `count` elements of `datatype`.
    Elements,
    /// `count` elements of `datatype` for each process of the communicator (such as the receive buffer of a gather).
    ElementsPerRank,
    /// Any bytes of the object that it points into (derived datatypes, counts in arrays, nonzero lower bounds).
    Unknown,
    /// One object of the C type of the parameter (`int *flag`, `MPI_Status *status`).
    Scalar,
    /// The memory that a memref describes.
    MemRef
  };
  mlir::Value buffer;
  mlir::Value count;
  mlir::Value datatype;
  const mpi::Param *param = nullptr;
  Extent extent = Extent::Unknown;
  bool reads = false;
  bool writes = false;
  /// The access continues after the call returns: for an async operation until the request completes, for a one-sided
  /// one until the synchronization that completes it.
  bool inFlight = false;
};

/// How MPI matches an operation with those of other processes (MPI-4, 3.5 and 6.14).
struct Matching {
  enum class Kind { None, Send, Receive, SendReceive, Probe, Collective };
  /// What the surrounding IR shows about the source of a receive or probe.
  enum class Source {
    /// There is none, or it is a process or MPI_PROC_NULL.
    Known,
    /// It may be MPI_ANY_SOURCE, as far as the IR shows.
    MaybeAny,
    /// It is MPI_ANY_SOURCE, at least on some path.
    Any
  };
  Kind kind = Kind::None;
  mlir::Value communicator;
  /// The other process and the tag; for Kind::SendReceive, those of the send.
  mlir::Value peer;
  mlir::Value tag;
  Source source = Source::Known;
};

/// What a get or put copies, and between which locations (MPI-4, 12.3).
struct RemoteAccess {
  enum class Kind { None, Get, Put };
  Kind kind = Kind::None;
  mlir::Value window;
  /// The local and the target side.
  mlir::Value origin, count, datatype;
  mlir::Value target, displacement, targetCount, targetDatatype;

  /// Whether count and datatype are the same at both ends, as far as the IR shows.
  bool isSameAtBothEnds() const;
};

llvm::SmallVector<BufferAccess> getAccesses(mlir::Operation *op);
Matching getMatching(mlir::Operation *op);
RemoteAccess getRemoteAccess(mlir::Operation *op);
bool isLocal(mlir::Operation *op);
bool reachesBeyondArguments(mlir::Operation *op);
bool isElementwiseReduction(mlir::Operation *op);

namespace detail {
mlir::OperandRange getParamOperands(mlir::Operation *op, llvm::StringRef name);
mlir::Value getParam(mlir::Operation *op, llvm::StringRef name);
mlir::Value getOutcome(mlir::Operation *op, llvm::StringRef name);
} // namespace detail

} // namespace comm

#include "Comm/Dialect/Comm/IR/CommInterfaces.h.inc"

#endif // COMM_DIALECT_COMM_IR_COMMINTERFACES_H
