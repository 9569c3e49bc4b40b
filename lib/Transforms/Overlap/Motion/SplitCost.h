//===- SplitCost.h - Whether a start and a wait pay ----------------*- C++ -*-===//
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

/// Compares what an interval can hide with what the nonblocking form costs, for the implementations that the module may
/// be for. Where something is not known it speaks for the split. What was measured takes the place of estimates.
class SplitCost {
public:
  /// `abi`: the implementation's name; if empty, what the module says. `profile`: files of measurements, or "".
  SplitCost(mlir::ModuleOp module, llvm::StringRef abi, llvm::StringRef profile);

  /// Why a start and a wait of the operation cannot pay, in numbers: "hides at most about 40 ns, and its nonblocking
  /// form costs 150 ns more". None if they can, or did where it was measured. `work` is what is done between the two,
  /// `others` are the communications that are under way at the same time.
  std::optional<std::string> whyNot(MPIOpInterface start, WorkEstimate work,
                                    llvm::ArrayRef<MPIOpInterface> others) const;

  /// Whether a completion may gain by that work, which it is to come after: the start is nonblocking anyway.
  static bool isWorthHiding(const WorkEstimate &work);

  /// Whether a computation of this process right after the start of that send may keep its receiver waiting: the
  /// message is not known to be so short that it arrives by itself.
  bool delaysReceiver(MPIOpInterface send) const;

private:
  /// The bytes of a block, as ABI::getFormCost counts them; the most that were measured if the program does not tell.
  std::optional<uint64_t> getBytes(MPIOpInterface op, const mpi::ABI &abi) const;
  SiteFacts::Judgment judge(const SiteFacts &facts) const;
  uint64_t getBlockingCost(MPIOpInterface other, const mpi::MeasuredCost &setting, const mpi::ABI &abi) const;

  SiteProfile profile;
  llvm::SmallVector<const mpi::ABI *, 4> abis;
  /// Starts that were asked about, and whether they are in a stream (Streams.h).
  mutable llvm::DenseMap<mlir::Operation *, bool> streams;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_SPLITCOST_H
