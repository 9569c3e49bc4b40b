//===- CrossCheck.cpp - Proved collectives against executed graphs ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Symbolic/CrossCheck.h"

#include "Comm/Analysis/Symbolic/GraphEvaluator.h"

#include "Comm/CDag/AccessMap.h"
#include "Comm/CDag/Compile.h"
#include "Comm/CDag/Dataflow.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <tuple>

using namespace mlir;
using namespace comm;

namespace {
/// A piece of a process's final memory: (process, address, length, source process, source address).
using Piece = std::tuple<cdag::Rank, cdag::Addr, uint64_t, cdag::Rank, cdag::Addr>;

/// Expands the collectives into messages, for a given number of processes.
class PlanGraph {
public:
  PlanGraph(SymbolicGraph &symbolic, EvaluatedGraph &evaluated, unsigned ranks,
            llvm::function_ref<std::optional<int64_t>(Atom)> known)
      : symbolic(symbolic), evaluated(evaluated), ranks(ranks), known(known), graph(ranks), accesses(ranks) {}

  /// Returns false if part of the plan is unknown.
  bool add(const CollectivePlan &plan);
  cdag::Graph &getGraph() { return graph; }

private:
  std::optional<int64_t> evaluate(const Poly &value, unsigned rank);
  bool addMessage(const SymbolicAddress &from, int64_t fromOffset, unsigned sender, const SymbolicAddress &to,
                  int64_t toOffset, unsigned receiver, const CollectivePlan &plan);
  std::optional<cdag::Addr> locate(const SymbolicAddress &address, int64_t offset, unsigned rank);

  SymbolicGraph &symbolic;
  EvaluatedGraph &evaluated;
  unsigned ranks;
  llvm::function_ref<std::optional<int64_t>(Atom)> known;
  cdag::Graph graph;
  cdag::AccessMap accesses;
  int32_t tag = 0;
};
} // namespace

std::optional<int64_t> PlanGraph::evaluate(const Poly &value, unsigned rank) {
  return symbolic.symbols.evaluate(value, [&](Atom atom) -> std::optional<int64_t> {
    if (atom == Symbols::size)
      return ranks;
    return atom == Symbols::rank ? std::optional<int64_t>(rank) : known(atom);
  });
}

std::optional<cdag::Addr> PlanGraph::locate(const SymbolicAddress &address, int64_t offset, unsigned rank) {
  auto *it = llvm::find(evaluated.buffers, address.base);
  if (it == evaluated.buffers.end()) {
    evaluated.buffers.push_back(address.base);
    it = std::prev(evaluated.buffers.end());
  }
  std::optional<int64_t> first = evaluate(address.offset, rank);
  if (!first || *first + offset < 0)
    return std::nullopt;
  return (it - evaluated.buffers.begin() + 1) * EvaluatedGraph::bufferDistance + *first + offset;
}

bool PlanGraph::addMessage(const SymbolicAddress &from, int64_t fromOffset, unsigned sender, const SymbolicAddress &to,
                           int64_t toOffset, unsigned receiver, const CollectivePlan &plan) {
  std::optional<int64_t> count = evaluate(plan.count, sender);
  std::optional<cdag::Addr> source = locate(from, fromOffset, sender), target = locate(to, toOffset, receiver);
  if (!count || !source || !target)
    return false;
  uint64_t bytes = *count * plan.extent;
  cdag::Vec<cdag::OpId> readConflicts, writeConflicts;
  cdag::OpId send = graph.addSend(sender, *source, bytes, receiver, tag);
  accesses.read(sender, *source, bytes, send, readConflicts);
  cdag::OpId receive = graph.addRecv(receiver, *target, bytes, sender, tag);
  accesses.write(receiver, *target, bytes, receive, writeConflicts);
  for (cdag::OpId earlier : readConflicts)
    graph.addDependency(send, earlier);
  // The two halves of a message to itself do not depend on each other.
  for (cdag::OpId earlier : writeConflicts)
    if (earlier != send)
      graph.addDependency(receive, earlier);
  return true;
}

bool PlanGraph::add(const CollectivePlan &plan) {
  using Kind = CollectivePlan::Kind;
  ++tag;
  std::optional<int64_t> root = plan.isRooted() ? evaluate(plan.root, 0) : 0;
  if (!root)
    return false;
  bool hasOwn = plan.own == CollectivePlan::Own::Delivered && !plan.ownIsCopied;
  auto blockOf = [&](unsigned process) { return *evaluate(plan.count, process) * plan.extent * process; };
  if (!evaluate(plan.count, 0))
    return false;
  for (unsigned sender = 0; sender < ranks; ++sender)
    for (unsigned receiver = 0; receiver < ranks; ++receiver) {
      if (sender == receiver && !hasOwn)
        continue;
      bool added = true;
      bool isOwn = sender == receiver && plan.rootOwn.base;
      switch (plan.kind) {
      case Kind::Bcast:
      case Kind::Scatter:
        if (sender == *root)
          added = addMessage(plan.send, plan.kind == Kind::Scatter ? blockOf(receiver) : 0, sender,
                             isOwn ? plan.rootOwn : plan.receive, 0, receiver, plan);
        break;
      case Kind::Gather:
        if (receiver == *root)
          added =
              addMessage(isOwn ? plan.rootOwn : plan.send, 0, sender, plan.receive, blockOf(sender), receiver, plan);
        break;
      case Kind::Allgather:
        added = addMessage(plan.send, 0, sender, plan.receive, blockOf(sender), receiver, plan);
        break;
      case Kind::Alltoall:
        added = addMessage(plan.send, blockOf(receiver), sender, plan.receive, blockOf(sender), receiver, plan);
        break;
      default:
        llvm_unreachable("no pattern proves that");
      }
      if (!added)
        return false;
    }
  return true;
}

/// Returns what arrives where, in a normal form. Returns none and the reason if the graph cannot be analyzed.
static std::optional<std::vector<Piece>> getPieces(cdag::Graph &graph, std::string &error) {
  cdag::Matching matching;
  if (cdag::Error failed = cdag::matchMessages(graph, matching)) {
    error = failed.text;
    return std::nullopt;
  }
  cdag::SingleTransfers form;
  cdag::propagate(graph, matching, 1 << 16, form);
  std::vector<Piece> pieces;
  for (const cdag::Transfer &transfer : form.transfers)
    pieces.emplace_back(transfer.dst, transfer.dstAddr, transfer.size, transfer.src, transfer.srcAddr);
  llvm::sort(pieces);
  std::vector<Piece> merged;
  for (const Piece &piece : pieces) {
    if (!merged.empty()) {
      auto &[rank, address, size, source, from] = merged.back();
      if (rank == std::get<0>(piece) && source == std::get<3>(piece) && address + size == std::get<1>(piece) &&
          from + size == std::get<4>(piece)) {
        size += std::get<2>(piece);
        continue;
      }
    }
    merged.push_back(piece);
  }
  return merged;
}

/// Returns "allgather alltoall", or an error.
static std::string getDetected(cdag::Graph &graph) {
  cdag::Schedule schedule;
  if (cdag::Error failed = cdag::compile(graph, cdag::CompileOptions(), schedule))
    return failed.text;
  std::vector<std::string> names;
  for (const cdag::Collective &collective : schedule.collectives)
    names.push_back(cdag::name(collective.kind));
  llvm::sort(names);
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : " ") + name;
  return text.empty() ? "nothing" : text;
}

std::string comm::findDisagreement(CDagOp op, SymbolicGraph &symbolic, ArrayRef<CollectivePlan> plans,
                                   const mpi::ABI &abi, unsigned &numChecked) {
  // Invent small numbers, different for different values.
  auto makeUp = [&](Atom atom) -> std::optional<int64_t> {
    if (symbolic.symbols.getKind(atom) != Symbols::Kind::Opaque)
      return std::nullopt;
    return 2 + atom % 11;
  };
  auto assume = [&](Value value) -> std::optional<int64_t> {
    Poly known = symbolic.symbols.findOpaque(value);
    return known ? makeUp(known.getTerms().begin()->first.front()) : std::nullopt;
  };
  for (unsigned ranks = minCheckedRanks; ranks <= maxCheckedRanks; ++ranks) {
    FailureOr<std::unique_ptr<EvaluatedGraph>> evaluated = failure();
    {
      ScopedDiagnosticHandler quiet(op.getContext(), [](Diagnostic &) { return success(); });
      evaluated = evaluateGraph(op, ranks, abi, assume);
    }
    if (failed(evaluated))
      continue;
    PlanGraph planned(symbolic, **evaluated, ranks, makeUp);
    if (!llvm::all_of(plans, [&](const CollectivePlan &plan) { return planned.add(plan); }))
      continue;
    std::string where = "for " + std::to_string(ranks) + " processes ", error;
    std::optional<std::vector<Piece>> program = getPieces((*evaluated)->graph, error);
    if (!program)
      return where + "it has an error: " + error;
    std::optional<std::vector<Piece>> collective = getPieces(planned.getGraph(), error);
    if (!collective || *program != *collective)
      return where + "it moves other data than the collectives would";
    std::string found = getDetected((*evaluated)->graph), expected = getDetected(planned.getGraph());
    if (found != expected)
      return where + "it is " + found + " and not " + expected;
    ++numChecked;
  }
  return "";
}
