//===- PersistentRequests.h - Memory with persistent requests ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI-4, 3.9: MPI_Send_init and similar functions create a request once, MPI_Start and MPI_Startall start it any number
// of times, a wait makes it inactive again, and MPI_Request_free frees it.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_PERSISTENTREQUESTS_H
#define COMM_LIB_TRANSFORMS_REQUESTS_PERSISTENTREQUESTS_H

#include "Comm/Analysis/Requests/LinearIndex.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/MPI/ABI.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <string>

namespace comm {

/// A call of an MPI function that has no comm operation.
struct MPIFunctionCall {
  mlir::CallOpInterface call;
  const mpi::Function *function = nullptr;

  mlir::Value getArgument(llvm::StringRef param) const;
  /// Returns the pointer to the first request, if the function takes requests.
  mlir::Value getRequests() const;
};

/// Returns none for operations that are not such calls.
std::optional<MPIFunctionCall> matchMPIFunctionCall(mlir::Operation *op);

/// Requests at consecutive places.
struct RequestRange {
  mlir::Value pointer;
  /// The number of requests; null for one.
  mlir::Value count;
  /// The offset from the beginning of the memory, in bytes.
  std::optional<int64_t> offset;

  /// Returns the number of requests if it is constant.
  std::optional<int64_t> getNumber() const;
};

/// A call that creates a persistent request.
struct PersistentInit {
  MPIFunctionCall call;
  const mpi::Function *started = nullptr;
  RequestRange place;
};

/// A start or wait, and the indices of the calls that created its requests.
struct PersistentUse {
  mlir::Operation *op = nullptr;
  RequestRange range;
  llvm::SmallVector<unsigned> inits;
};

/// The uses of requests in one piece of memory by a single function.
class PersistentRequests {
public:
  /// Analyzes all uses of the memory, an allocation of the function.
  PersistentRequests(mlir::Value memory, const mpi::ABI &abi);

  /// Explains to users why not every start can create its request, or "" if it can.
  std::string whyNot;
  llvm::SmallVector<PersistentInit> inits;
  llvm::SmallVector<PersistentUse> starts, waits;
  /// Calls of MPI_Request_free.
  llvm::SmallVector<mlir::Operation *> frees;
  /// Each start and wait identifies its requests by constants. Otherwise all of them use the same range, and only the
  /// program knows at run time whether a request is in it.
  bool isConstant = true;

  /// Returns true if both may create a request in the same place.
  bool mayBeSamePlace(const PersistentInit &a, const PersistentInit &b) const;

private:
  void refuse(const llvm::Twine &why);
  void findUses();
  void addPointer(mlir::Value pointer, std::optional<int64_t> offset);
  void visit(mlir::OpOperand &use, std::optional<int64_t> offset);
  void visitCall(const MPIFunctionCall &call, const RequestRange &place);
  void sortInits();
  void judgeOthers();
  bool mayBeFreedActive(const PersistentUse &start, mlir::Operation *free) const;
  void judgeOrder();
  void matchConstants();
  void matchRanges();
  bool isSameRange(const RequestRange &a, const RequestRange &b) const;
  void judgeStatuses(const PersistentUse &wait);
  void judgeHandles(const PersistentInit &init);

  struct OtherUse {
    mlir::OpOperand *use;
    std::optional<int64_t> offset;
  };

  mlir::Value memory;
  mlir::DataLayout layout;
  int64_t handleSize;
  /// All pointers into the memory, with their offsets in bytes.
  llvm::MapVector<mlir::Value, std::optional<int64_t>> pointers;
  llvm::SmallVector<OtherUse> others;
};

/// Returns true if the value is the same wherever it is computed: a constant, or an address known to the linker.
bool isPredefined(mlir::Value value);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_PERSISTENTREQUESTS_H
