//===- PersistentRequests.h - Memory with persistent requests ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI-4, 3.9: MPI_Send_init and its like make a request once, MPI_Start and MPI_Startall start it as often as the
// program likes, a wait makes it inactive again, and MPI_Request_free frees it.
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

/// A call of an MPI function for which comm has no op.
struct MPIFunctionCall {
  mlir::CallOpInterface call;
  const mpi::Function *function = nullptr;

  mlir::Value getArgument(llvm::StringRef param) const;
  /// Of a function that takes requests, the pointer to the first.
  mlir::Value getRequests() const;
};

/// None for operations that are no such call.
std::optional<MPIFunctionCall> matchMPIFunctionCall(mlir::Operation *op);

/// Requests at consecutive places.
struct RequestRange {
  mlir::Value pointer;
  /// How many; null for one.
  mlir::Value count;
  /// From the beginning of the memory, in bytes.
  std::optional<int64_t> offset;

  /// None if it is not a constant.
  std::optional<int64_t> getNumber() const;
};

/// A call that makes a persistent request.
struct PersistentInit {
  MPIFunctionCall call;
  const mpi::Function *started = nullptr;
  RequestRange place;
};

/// A start or wait, and the calls of which it starts or completes requests, as indices.
struct PersistentUse {
  mlir::Operation *op = nullptr;
  RequestRange range;
  llvm::SmallVector<unsigned> inits;
};

/// All that one function does with the requests in one piece of memory.
class PersistentRequests {
public:
  /// Looks at all uses of the memory, an allocation of the function.
  PersistentRequests(mlir::Value memory, const mpi::ABI &abi);

  /// Why the requests cannot be made again by each start, for people; "" if they can.
  std::string whyNot;
  llvm::SmallVector<PersistentInit> inits;
  llvm::SmallVector<PersistentUse> starts, waits;
  /// Calls of MPI_Request_free.
  llvm::SmallVector<mlir::Operation *> frees;
  /// Each start and wait names its requests by constants. If not, all of them name the same range, and whether a
  /// request is in it is known at run time.
  bool isConstant = true;

  /// Whether both may make a request in the same place.
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

/// Whether the value is the same wherever it is computed: a constant, or an address that the linker knows.
bool isPredefined(mlir::Value value);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_PERSISTENTREQUESTS_H
