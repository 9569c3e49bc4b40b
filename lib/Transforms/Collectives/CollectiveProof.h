//===- CollectiveProof.h - Prove that a graph is a collective ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_COLLECTIVES_COLLECTIVEPROOF_H
#define COMM_LIB_TRANSFORMS_COLLECTIVES_COLLECTIVEPROOF_H

#include "GraphRegions.h"

#include "Comm/Analysis/Symbolic/CollectivePatterns.h"

namespace comm {

/// The collectives to which a graph is equivalent, for any number of processes.
struct CollectiveProof {
  std::unique_ptr<SymbolicGraph> symbolic;
  std::vector<CollectivePlan> plans;
  /// The number of executions that were compared with it; see findDisagreement.
  unsigned numChecked = 0;
};

/// Returns none and sets the obstacle if the graph is not proved to be collectives that can be built. `disagrees`: it
/// was proved, but executions contradict the proof.
std::optional<CollectiveProof> proveCollectives(CDagOp graph, const mpi::ABI &abi, GraphMemory &memory,
                                                Obstacle &obstacle, bool &disagrees);

/// Returns text such as "MPI_Send at solver.c:12 is not part of a collective that is known at compile time: its tag
/// ...".
std::string describeObstacle(CDagOp graph, const Obstacle &obstacle);
/// Returns the location for the remark about the obstacle.
mlir::Location getObstacleLoc(CDagOp graph, const Obstacle &obstacle);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_COLLECTIVES_COLLECTIVEPROOF_H
