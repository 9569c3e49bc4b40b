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

/// All memory that may hold the requests of an operation: allocations of one function, and all pointers into them.
class RequestObject {
public:
  /// `handleSize` is 0 if unknown.
  RequestObject(mlir::Value pointer, uint64_t handleSize);

  /// Why it may hold requests that this function did not start; "" if it cannot.
  std::string whyOpen;
  /// Whether others may learn of its requests.
  bool isShown = false;
  /// Whether requests are copied within it.
  bool moves = false;
  /// Whether requests are copied through values, or between allocations (CopyFlow.h).
  bool copies = false;
  llvm::SmallSetVector<mlir::Value, 8> pointers;
  /// Values that may be requests in transit between places: loaded, selected, converted.
  llvm::SmallSetVector<mlir::Value, 4> handles;
  llvm::SmallSetVector<mlir::Value, 2> allocations;
  /// Starts and completions of requests in it.
  llvm::SmallSetVector<mlir::Operation *, 8> starts, completions;

  /// Whether it is one allocation, and each pointer into it is computed from that.
  bool isSimple() const { return isOne; }
  /// Returns the first slot that an operation uses.
  std::optional<LinearIndex> getSlotOf(mlir::Operation *op) const;
  const mlir::DataLayout &getLayout() const { return layout; }
  uint64_t getHandleSize() const { return handleSize; }

private:
  /// The bytes that may hold requests, from the beginning of the single allocation.
  struct Range {
    int64_t begin = 0;
    std::optional<int64_t> end;
    bool isAll() const { return begin == 0 && !end; }
  };
  void addPointer(mlir::Value pointer);
  void addOrigins(mlir::Value pointer);
  void addUses(mlir::Value pointer);
  void findUses();
  void addSource(mlir::Operation *copy, mlir::Value from, const llvm::Twine &why);
  void findRange();
  bool mayHoldRequests(mlir::Value pointer, mlir::Type accessed) const;
  bool mayBeHandle(mlir::Type type) const;
  void judge(mlir::OpOperand &use);
  void judgeStore(mlir::Operation *store, mlir::Value value);
  void judgeCall(mlir::OpOperand &use);
  void judgeLoad(mlir::Operation *load);
  void judgeArgument(mlir::OpOperand &use, const mpi::Function &function, unsigned index);
  void open(const llvm::Twine &why);

  mlir::DataLayout layout;
  uint64_t handleSize;
  bool isOne = true;
  Range range;
  /// The number of pointers whose origins and uses have been found.
  size_t numExpanded = 0;
  /// Describes a copy of requests from other memory, until that memory is known, too.
  std::string whyCopied;
  llvm::SmallVector<mlir::OpOperand *> uses;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_REQUESTS_REQUESTOBJECT_H
