//===- RequestObject.h - Memory that holds requests --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_REQUESTS_REQUESTOBJECT_H
#define COMM_LIB_ANALYSIS_REQUESTS_REQUESTOBJECT_H

#include "SlotBounds.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace comm {

/// All memory that the requests of an operation may be in: allocations of one function, and all pointers into them.
class RequestObject {
public:
  /// `handleSize` is 0 if it is not known.
  RequestObject(mlir::Value pointer, uint64_t handleSize);

  /// Why requests that this function did not start may be in it; "" if none may.
  std::string whyOpen;
  /// Whether somebody else may learn of its requests.
  bool isShown = false;
  /// Requests are copied from one place in it to another.
  bool moves = false;
  /// The same through values: what is active is not known by what is executed.
  bool copies = false;
  llvm::SmallSetVector<mlir::Value, 8> pointers;
  llvm::SmallSetVector<mlir::Value, 2> allocations;
  /// Starts and completions of requests in it.
  llvm::SmallSetVector<mlir::Operation *, 8> starts, completions;

  /// It is one allocation, and each pointer into it is computed from that.
  bool isSimple() const { return isOne; }
  /// Of an operation that uses it, its first slot.
  std::optional<LinearIndex> getSlotOf(mlir::Operation *op) const;

private:
  /// Bytes from the beginning of the one allocation that may hold requests.
  struct Range {
    int64_t begin = 0;
    std::optional<int64_t> end;
  };
  void addPointer(mlir::Value pointer);
  void addOrigins(mlir::Value pointer);
  void addUses(mlir::Value pointer);
  void findRange();
  bool mayHoldRequests(mlir::Value pointer, mlir::Type accessed) const;
  bool mayBeHandle(mlir::Type type) const;
  void judge(mlir::OpOperand &use);
  void judgeCall(mlir::OpOperand &use);
  void judgeLoad(mlir::Operation *load);
  void judgeArgument(mlir::OpOperand &use, const mpi::Function &function, unsigned index);
  void open(const llvm::Twine &why);

  mlir::DataLayout layout;
  uint64_t handleSize;
  bool isOne = true;
  Range range;
  llvm::SmallVector<mlir::OpOperand *> uses;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_REQUESTS_REQUESTOBJECT_H
