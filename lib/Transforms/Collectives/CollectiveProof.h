//===- CollectiveProof.h - What a graph is proved to be ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_COLLECTIVES_COLLECTIVEPROOF_H
#define COMM_LIB_TRANSFORMS_COLLECTIVES_COLLECTIVEPROOF_H

#include "GraphRegions.h"

#include "Comm/Analysis/Symbolic/CollectivePatterns.h"

namespace comm {

/// The collectives that a graph is, for any number of processes.
struct CollectiveProof {
  std::unique_ptr<SymbolicGraph> symbolic;
  std::vector<CollectivePlan> plans;
  /// The executions that were compared with it; see findDisagreement.
  unsigned numChecked = 0;
};

/// None, with the obstacle filled in, if the graph is not proved to be collectives that can be built.
/// `disagrees`: it was proved, and executions say otherwise.
std::optional<CollectiveProof> proveCollectives(CDagOp graph, const mpi::ABI &abi, GraphMemory &memory,
                                                Obstacle &obstacle, bool &disagrees);

/// "MPI_Send at solver.c:12 is no part of a collective that is known ahead of time: its tag ...".
std::string describeObstacle(CDagOp graph, const Obstacle &obstacle);
/// Where the remark about it belongs.
mlir::Location getObstacleLoc(CDagOp graph, const Obstacle &obstacle);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_COLLECTIVES_COLLECTIVEPROOF_H
