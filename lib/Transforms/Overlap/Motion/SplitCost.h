//===- SplitCost.h - Whether a nonblocking form pays ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_SPLITCOST_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_SPLITCOST_H

#include "Comm/Analysis/Memory/WorkEstimate.h"
#include "Comm/Analysis/Profile/SiteProfile.h"
#include "Comm/Dialect/Comm/IR/CommInterfaces.h"
#include "Comm/MPI/ABI.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace comm {

/// Compares what an interval can hide with the extra cost of the nonblocking form, for all implementations that the
/// module may be compiled for. Unknown costs count in favor of the split. Measurements replace estimates.
class SplitCost {
public:
  /// `abi`: the implementation's name, or empty for that of the module. `profile`: files of measurements, or "".
  SplitCost(mlir::ModuleOp module, llvm::StringRef abi, llvm::StringRef profile);

  /// Returns why a start and a wait of the operation cannot pay, in numbers: "hides at most about 40 ns, and its
  /// nonblocking form costs 150 ns more". Returns none if they can pay, or did when measured. `work` is what is done
  /// between the two, `others` are the communications in flight at the same time.
  std::optional<std::string> whyNot(MPIOpInterface start, WorkEstimate work,
                                    llvm::ArrayRef<MPIOpInterface> others) const;

  /// Returns true if a completion may gain by following that work. The start is nonblocking anyway.
  static bool isWorthHiding(const WorkEstimate &work);

  /// Returns true if a computation right after the start of that send may keep its receiver waiting, because the
  /// message may be too long to arrive without further progress.
  bool delaysReceiver(MPIOpInterface send) const;

private:
  /// Returns the bytes of a block as ABI::getFormCost counts them, or the most that were measured if the program does
  /// not specify them.
  std::optional<uint64_t> getBytes(MPIOpInterface op, const mpi::ABI &abi) const;
  SiteFacts::Judgment judge(const SiteFacts &facts) const;
  uint64_t getBlockingCost(MPIOpInterface other, const mpi::MeasuredCost &setting, const mpi::ABI &abi) const;

  SiteProfile profile;
  llvm::SmallVector<const mpi::ABI *, 4> abis;
  /// Caches for each start whether it is in a stream (Streams.h).
  mutable llvm::DenseMap<mlir::Operation *, bool> streams;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_SPLITCOST_H
