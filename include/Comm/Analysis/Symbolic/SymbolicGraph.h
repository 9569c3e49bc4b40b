//===- SymbolicGraph.h - A graph for any number of processes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comm.cdag is control flow of one process. Executed with the rank and the number of processes as symbols it says
// what every process sends and receives, whatever their number: loops become ranges, branches on the rank become
// classes of processes. GraphEvaluator does the same for one number of processes.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_SYMBOLIC_SYMBOLICGRAPH_H
#define COMM_ANALYSIS_SYMBOLIC_SYMBOLICGRAPH_H

#include "Comm/Analysis/Symbolic/Symbols.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/MPI/ABI.h"

#include <memory>

namespace comm {

/// A place in memory: a value from before the graph, and bytes from there.
struct SymbolicAddress {
  mlir::Value base;
  Poly offset;
  bool operator==(const SymbolicAddress &other) const { return base == other.base && offset == other.offset; }
};

/// The difference is zero, or it is not.
struct SymbolicCondition {
  Poly difference;
  bool isZero = true;
};

/// A loop that is executed `trips` times, at least once.
struct SymbolicLoop {
  Atom iteration;
  Poly trips;
};

/// A message, or a copy in memory, of one iteration of a loop.
struct SymbolicEvent {
  enum class Kind { Send, Receive, Copy };
  Kind kind;
  mlir::Operation *op;
  /// The index of the loop around it in its class, or -1.
  int loop = -1;
  /// The conditions on an iteration under which it happens, in addition to those of the class.
  llvm::SmallVector<SymbolicCondition, 1> conditions;
  /// The data sent or received; for a copy, the destination.
  SymbolicAddress buffer;
  Poly peer, tag;
  /// Elements of that predefined datatype, each of `extent` bytes without gaps. A copy's are bytes.
  Poly count;
  llvm::StringRef datatype;
  int64_t extent = 1;
  /// For a copy, the source.
  SymbolicAddress source;
};

/// What the processes do that are one process (`isEqual`) or are not.
struct ProcessClass {
  struct Member {
    Poly process;
    bool isEqual;
  };
  llvm::SmallVector<Member, 1> members;
  std::vector<SymbolicLoop> loops;
  std::vector<SymbolicEvent> events;
};

/// A copy in memory outside the graph, which is executed if the graph is.
struct CopyBeside {
  SymbolicEvent copy;
  /// The operations that run between the copy and the graph.
  llvm::SmallVector<mlir::Operation *> between;
};

struct SymbolicGraph {
  Symbols symbols;
  /// For two processes or more; together they are all processes.
  std::vector<ProcessClass> classes;
  /// For one process alone; no loops.
  ProcessClass alone;
  /// In terms of Symbols::rank, for all processes.
  std::vector<CopyBeside> copies;

  /// From here on, what is known holds for the processes of the class (null: for the one process alone).
  void assume(const ProcessClass *which);
};

/// Why something cannot be said, and of which operation.
struct Obstacle {
  mlir::Operation *op = nullptr;
  std::string reason;
};

/// Null, with the obstacle filled in, where control flow, peers, counts or addresses are beyond what Symbols can say.
std::unique_ptr<SymbolicGraph> buildSymbolicGraph(CDagOp op, const mpi::ABI &abi, Obstacle &obstacle);

} // namespace comm

#endif // COMM_ANALYSIS_SYMBOLIC_SYMBOLICGRAPH_H
