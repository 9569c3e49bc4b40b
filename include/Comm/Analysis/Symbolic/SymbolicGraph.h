//===- SymbolicGraph.h - A graph for any number of processes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comm.cdag is the control flow of one process. Executed with symbolic rank and size, it shows what every process
// sends and receives, for any number of processes: loops become ranges, and branches on the rank become classes of
// processes. GraphEvaluator does the same for one number of processes.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_SYMBOLIC_SYMBOLICGRAPH_H
#define COMM_ANALYSIS_SYMBOLIC_SYMBOLICGRAPH_H

#include "Comm/Analysis/Symbolic/Symbols.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/MPI/ABI.h"

#include <memory>

namespace comm {

/// An address: a value defined before the graph, and an offset in bytes.
struct SymbolicAddress {
  mlir::Value base;
  Poly offset;
  bool operator==(const SymbolicAddress &other) const { return base == other.base && offset == other.offset; }
};

/// States that the difference is zero, or that it is not.
struct SymbolicCondition {
  Poly difference;
  bool isZero = true;
};

/// A loop that is executed `trips` times, at least once.
struct SymbolicLoop {
  Atom iteration;
  Poly trips;
};

/// A message, or a copy in memory, possibly in an iteration of a loop.
struct SymbolicEvent {
  enum class Kind { Send, Receive, Copy };
  Kind kind;
  mlir::Operation *op;
  /// The index of the loop around it in its class, or -1.
  int loop = -1;
  /// The conditions on the iteration under which it happens, in addition to those of the class.
  llvm::SmallVector<SymbolicCondition, 1> conditions;
  /// The data sent or received; for a copy, the destination.
  SymbolicAddress buffer;
  Poly peer, tag;
  /// Elements of this predefined datatype, of `extent` bytes each, without gaps. For a copy, bytes.
  Poly count;
  llvm::StringRef datatype;
  int64_t extent = 1;
  /// For a copy, the source.
  SymbolicAddress source;
};

/// The behavior of the processes that are (`isEqual`), or are not, the members.
struct ProcessClass {
  struct Member {
    Poly process;
    bool isEqual;
  };
  llvm::SmallVector<Member, 1> members;
  std::vector<SymbolicLoop> loops;
  std::vector<SymbolicEvent> events;
};

/// A copy in memory outside of the graph, which runs whenever the graph does.
struct CopyBeside {
  SymbolicEvent copy;
  /// The operations that run between the copy and the graph.
  llvm::SmallVector<mlir::Operation *> between;
};

struct SymbolicGraph {
  Symbols symbols;
  /// Cover all processes if there are at least two.
  std::vector<ProcessClass> classes;
  /// For a single process; without loops.
  ProcessClass alone;
  /// In terms of Symbols::rank, for all processes.
  std::vector<CopyBeside> copies;

  /// From now on, the facts are those of the processes in the class (null: of a single process).
  void assume(const ProcessClass *which);
};

/// The reason why something is unknown, and the operation responsible.
struct Obstacle {
  mlir::Operation *op = nullptr;
  std::string reason;
};

/// Returns null and fills in the obstacle if control flow, peers, counts or addresses are beyond what Symbols can
/// express.
std::unique_ptr<SymbolicGraph> buildSymbolicGraph(CDagOp op, const mpi::ABI &abi, Obstacle &obstacle);

} // namespace comm

#endif // COMM_ANALYSIS_SYMBOLIC_SYMBOLICGRAPH_H
