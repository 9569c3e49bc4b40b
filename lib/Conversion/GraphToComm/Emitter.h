//===- Emitter.h - Graph programs become code for each process ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All processes execute the code outside of loops over vertices. The process that owns a vertex executes its iteration
// of the outermost forall; anything inside is a loop of that process. Communication goes through comm/graph_run.h and
// comm operations.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_GRAPHTOCOMM_EMITTER_H
#define COMM_LIB_CONVERSION_GRAPHTOCOMM_EMITTER_H

#include "Code.h"

#include "Comm/Conversion/GraphExchange.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Graph/IR/Graph.h"
#include "Comm/MPI/ABI.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <array>

namespace comm::graph {
struct Relaxation;
} // namespace comm::graph

namespace comm::graphlowering {

/// enum comm_graph_stop_reason of comm/graph_run.h.
enum StopReason { StopZero, StopResult, StopRange, StopReduction };

/// COMM_GRAPH_GATHER_PARTS of comm/graph_run.h.
constexpr int64_t kGatherParts = 32;

/// COMM_GRAPH_SEND_COUNTS and the constants after it in comm/graph_run.h.
enum Counts { SendCounts, SendPlaces, ReceiveCounts, ReceivePlaces };

/// The passes that let loops overlap, whose remarks the conversion completes.
constexpr llvm::StringLiteral kGathersPass = "graph-overlap-gathers", kGhostsPass = "graph-overlap-ghosts",
                              kUpdatesPass = "graph-overlap-updates";

/// Properties, with the type of their values.
using GhostMap = llvm::MapVector<mlir::Value, mlir::Type>;

/// The lowered form of a value of the program. Vertices and edges are represented by their global numbers.
struct Lowered {
  mlir::Value value;
  /// The index of a vertex or edge in the arrays of this process, if it is known to have one.
  mlir::Value local;
  /// Whether this process is known to own the vertex. Other vertices with an index may be ghosts.
  bool isOwned = false;
  /// Whether this is an edge from a search. Its number is -1 if there is none, and its index is then meaningless.
  bool mayBeNone = false;
};

/// Updates of one property in a loop.
struct UpdateGroup {
  mlir::Value handle, marks, old;
  llvm::SmallVector<mlir::Value> companions;
  graph::ReductionKind kind;
  /// The size of a value with its companions.
  int64_t bytes = 0;
  /// Different companions may come with the same value, so that the smallest ones must be found.
  bool hasTies = false;
  /// The loop reads the values from its beginning.
  bool keepsOld = false;
  /// Some are of vertices or edges that this process may not have.
  bool isAny = false;
  /// They are not combined in copies of other processes' vertices.
  bool leavesCopies = false;
  /// Each update is sent separately.
  bool sendsEach = false;
  /// Updates of this process's own vertices wait until the loop ends.
  bool waits = false;
};

/// Changes of a variable by iterations of a loop that it is declared outside of.
struct Partial {
  mlir::Value memory;
  mlir::Type type;
  graph::ReductionKind kind;
  mlir::Value flag;
  /// The constant that the variable is set to, if it is assigned.
  mlir::TypedAttr constant;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> companions; // the cell, the memory
  llvm::SmallVector<mlir::Type> companionTypes;
  mlir::Location loc;
};

/// The vertices with neighbors in other processes, or those without.
enum class LoopPart { Whole, Border, Interior };

/// The outermost forall that is being emitted.
struct Loop {
  graph::ForallOp op;
  /// Code that the loop needs goes before `anchor`, and code that must come first before `begin`.
  mlir::Operation *begin = nullptr, *anchor = nullptr;
  /// Iterations may query other processes, and are undone if data is missing.
  bool isSweep = false, needsSweep = false;
  /// Whether ghosts or updates travel while iterations run (EmitOverlap.cpp).
  bool hidesGhosts = false, hidesUpdates = false;
  /// For a loop in parts: a byte for each owned vertex that tells whether it has neighbors in other processes; whether
  /// the border has all vertices, since nothing travels; and the part that is being emitted.
  mlir::Value border, hasAll;
  LoopPart part = LoopPart::Whole;
  /// Properties whose ghosts travel, their array, and whether they do in this run of the loop.
  GhostMap traveling;
  mlir::Value handles, ghostsTravel;
  llvm::DenseMap<mlir::Value, mlir::Value> data;
  /// Properties whose ghosts must be up to date before the loop, with the type of their values.
  GhostMap refreshed;
  llvm::SetVector<mlir::Value> changed;
  /// Lists with elements that change.
  llvm::SetVector<mlir::Value> lists;
  /// Properties that are read as of the beginning of the loop.
  llvm::SmallVector<mlir::Value> snapshots;
  llvm::MapVector<std::pair<mlir::Value, unsigned>, UpdateGroup> updates; // 1: plain writes
  llvm::MapVector<mlir::Value, Partial> partials;
  /// The results of gathers by loops over neighbors, computed before this loop.
  llvm::DenseMap<mlir::Operation *, mlir::Value> gathered;
  mlir::Value degrees[2];
};

struct Relaxing;

/// The window of the program, for one-sided exchanges (EmitWindow.cpp).
struct Window {
  /// The first and last operation that make it; null if the program has none.
  mlir::Operation *begin = nullptr, *end = nullptr;
  /// Whether it could be made, and the address of its handle, which has this type in memory.
  mlir::Value isOpen, slot;
  mlir::Type handleType;
  /// Its dimensions, arguments of comm_graph_run_window, and what loops have needed so far.
  std::array<mlir::Value, 3> sizes;
  std::array<int64_t, 3> needed = {0, 0, 0};
};

class Emitter {
public:
  /// `abi` may be null unless loops exchange by a window.
  Emitter(mlir::ModuleOp module, GraphExchange exchange, const mpi::ABI *abi)
      : code(module), builder(code.builder), exchange(exchange), abi(abi) {}

  /// Emits the function as the program. Returns false after an error.
  bool emitProgram(mlir::func::FuncOp function);
  /// Emits a function that the program calls. All such functions must be declared first.
  bool emitCalled(mlir::func::FuncOp function);
  void declareCalled(mlir::func::FuncOp function);
  int64_t getNumLoops() const { return numLoops; }
  int64_t getNumSweeps() const { return numSweeps; }

private:
  // Functions, values (EmitFunction.cpp).
  mlir::Type lower(mlir::Type type);
  int64_t typeNumber(mlir::Type type);
  std::string makeSignature(mlir::func::FuncOp function);
  bool beginFunction(mlir::func::FuncOp function, mlir::Block *block);
  bool endFunction(mlir::func::FuncOp function, mlir::Value result);
  void emitCall(mlir::func::CallOp op);
  void emitBlock(mlir::Block &block);
  void emitOp(mlir::Operation *op);
  void emitGeneric(mlir::Operation *op);
  void emitIf(mlir::scf::IfOp op);
  void emitWhile(mlir::scf::WhileOp op);
  bool fail(mlir::Operation *op, const llvm::Twine &message);
  Lowered get(mlir::Value value);
  mlir::Value getValue(mlir::Value value) { return get(value).value; }
  void set(mlir::Value value, Lowered lowered) { values[value] = lowered; }
  void set(mlir::Value value, mlir::Value lowered) { values[value] = {lowered, mlir::Value(), false}; }
  /// Returns the value in the function that is being emitted. Loop bodies in separate functions get outside values from
  /// memory.
  mlir::Value here(mlir::Value value);
  mlir::Value place(mlir::Operation *op) { return code.string(describePlace(op->getLoc())); }
  /// Returns a field of the structure comm_graph_topology.
  mlir::Value topology(unsigned field);
  mlir::Value run() { return here(runValue); }

  // Numbers (EmitNumbers.cpp).
  void emitChecked(graph::CheckedOp op);
  void emitConvert(graph::ConvertOp op);
  void emitIds(mlir::Operation *op);
  void checkThere(const Lowered &edge, mlir::Operation *op);
  /// Computes the result, or stops the program: `stop` emits the code for a result out of range.
  mlir::Value checked(graph::ArithKind kind, mlir::Value a, mlir::Value b, llvm::function_ref<void()> stop);
  mlir::Value toRange(mlir::Value value, mlir::Type type, llvm::function_ref<void()> stop);
  mlir::Value toFinite(mlir::Value value, mlir::Type type, llvm::function_ref<void()> stop);
  mlir::Value infinity(mlir::Type type);
  mlir::Value becomesInfinite(mlir::Value result, mlir::ValueRange from);
  /// Combines two numbers as a reduction does.
  mlir::Value combine(graph::ReductionKind kind, mlir::Value a, mlir::Value b, mlir::Operation *op);
  mlir::Value less(mlir::Value a, mlir::Value b, bool isTruth);
  mlir::Value same(mlir::Value a, mlir::Value b);
  mlir::TypedAttr identity(graph::ReductionKind kind, mlir::Type type);
  void stopNumber(mlir::Value number, mlir::Type type, mlir::Operation *op);
  void stopIf(mlir::Value condition, llvm::function_ref<void()> stop);
  void stop(StopReason reason, mlir::Value a, mlir::Value b, llvm::StringRef what, mlir::Type type,
            mlir::Operation *op);

  // Queries, properties and variables (EmitAccess.cpp, EmitUpdate.cpp).
  void emitQuestion(mlir::Operation *op);
  mlir::Value getWeights(graph::WeightsOp op);
  mlir::Value askOwner(mlir::Operation *op, bool isEdge, mlir::Value index, mlir::Value own, mlir::Type type);
  void emitWhole(mlir::Operation *op);
  void emitLoad(graph::LoadOp op);
  mlir::Value loadValue(graph::LoadOp op, Lowered index);
  mlir::Value fetch(mlir::Value property, mlir::Value index, mlir::Type type, mlir::Operation *op);
  void emitStore(graph::StoreOp op);
  void emitReduce(graph::ReduceOp op);
  void reduceInPlace(graph::ReduceOp op, Lowered index, UpdateGroup *group);
  void update(mlir::Operation *op, UpdateGroup *group, Lowered index, llvm::ArrayRef<mlir::Value> slots);
  void reduceReplicated(graph::ReduceOp op);
  bool allHave(mlir::Value property, llvm::StringRef attribute);
  bool isReadInLoop(graph::ReduceOp op);
  bool waitsForEnd(graph::ReduceOp op);
  UpdateGroup *getUpdates(mlir::Operation *op, mlir::Value property, graph::ReductionKind kind, bool isWrite,
                          mlir::ValueRange companions);
  bool haveTies(graph::ReduceOp op);
  UpdateGroup *getSnapshotOf(mlir::Value property);
  mlir::Value readAt(mlir::Value property, mlir::Type type, mlir::Value local);
  void log(mlir::Value address, mlir::Type type);
  mlir::Value makeSlots(mlir::ValueRange values);
  mlir::Value getData(mlir::Value property);
  void addToFrontier(mlir::Value property, mlir::Value value, mlir::Value old, Lowered index);
  std::pair<mlir::Value, mlir::Value> getFrontier(graph::ForallOp op);
  mlir::Value getDegrees(bool isIn);
  void emitCell(graph::CellOp op);
  void emitGet(graph::GetOp op);
  void emitSet(graph::SetOp op);
  void emitAccumulate(graph::AccumulateOp op);
  bool isOutside(mlir::Value cell);
  Partial *getPartial(mlir::Operation *op, mlir::Value cell, graph::ReductionKind kind, mlir::TypedAttr constant,
                      mlir::ValueRange companions);
  mlir::Value cellFlag(mlir::Value cell);
  void accumulate(graph::AccumulateOp op, mlir::Value memory, mlir::Value flag, llvm::ArrayRef<mlir::Value> companions);

  // Lists (EmitLists.cpp).
  void emitList(mlir::Operation *op);
  void emitListElement(mlir::Operation *op);
  void updateList(mlir::Operation *op, mlir::Value list, mlir::Value index, mlir::Value value, int64_t kind);
  void freeLists(mlir::Block &block);
  bool refuseInLoop(mlir::Operation *op);

  // Collective operations (EmitCollectives.cpp).
  mlir::Value allreduce(mlir::Value value, llvm::StringRef operation);
  llvm::SmallVector<mlir::Value> allreduce(mlir::ValueRange values, llvm::StringRef operation,
                                           llvm::StringRef datatype = {});
  void broadcast(mlir::Value memory, mlir::Type type, mlir::Value root);
  mlir::Value named(llvm::StringRef name, mlir::Type type);
  void emitExchange(mlir::Value sent, mlir::Value received, llvm::ArrayRef<mlir::Value> counts, mlir::Type type);
  void exchangeCounts(mlir::Value sent, mlir::Value received);
  void finishPartial(mlir::Value cell, Partial &partial);
  mlir::Value total(Partial &partial, mlir::Value mine, mlir::Operation *op);
  mlir::Value totalProduct(mlir::Value mine, mlir::Operation *op);
  void finishCompanions(mlir::Value cell, Partial &partial, mlir::Value mine, mlir::Value best);

  // Loops in parts (EmitOverlap.cpp, EmitGhosts.cpp).
  bool emitInParts(mlir::Value size, bool areVertices, llvm::function_ref<void(mlir::Value)> item);
  void emitBorder(mlir::Value border, mlir::Value travels, mlir::Value size, bool areVertices,
                  llvm::function_ref<void(mlir::Value)> item);
  bool canSplit();
  llvm::StringLiteral whyGhostsFirst();
  mlir::Value middle(mlir::Value from, mlir::Value to);
  void tellOverlap();
  bool updatesInPlace();
  void emitUpdates(mlir::Value travels, mlir::Value from, mlir::Value size, llvm::function_ref<void(mlir::Value)> item);
  void sendUpdates(mlir::Value from, mlir::Value size, llvm::function_ref<void(mlir::Value)> item);
  void refresh(mlir::Value property);
  void refreshGhosts();
  mlir::Value makeHandles(const GhostMap &ghosts);
  mlir::Value askGhosts(const GhostMap &ghosts, mlir::Value handles);
  void beginGhosts();
  void emitGhosts(mlir::Value end, llvm::function_ref<void(mlir::Value)> item);
  void sendGhosts(mlir::Value half, mlir::Value end, llvm::function_ref<void(mlir::Value)> item);
  void putGhosts(const GhostMap &ghosts);

  // One-sided exchanges (EmitWindow.cpp).
  void openWindow();
  void closeWindow();
  bool hasWindow() { return window.begin; }
  mlir::Value getWindow();
  void synchronize(llvm::StringRef function, llvm::ArrayRef<NamedParam> params);
  mlir::Value emitPuts(mlir::Value puts);
  mlir::Value emitAgreement(mlir::Value puts, llvm::function_ref<void()> meanwhile);
  mlir::Value putValues(const GhostMap &ghosts, mlir::Value handles, bool onlyChanges, llvm::function_ref<void()> first,
                        llvm::function_ref<void()> second);
  mlir::Value emitPutGather(llvm::ArrayRef<mlir::Value> arguments, mlir::Type type, bool isReduced);
  void putUpdates(mlir::Value from, mlir::Value size, llvm::function_ref<void(mlir::Value)> item);
  /// Emits the iteration of an owned vertex, if it is in the part of the loop that is being emitted.
  void visit(mlir::Value local, llvm::function_ref<void()> body);

  // Loops (EmitLoops.cpp).
  void emitForall(graph::ForallOp op);
  void emitOutermost(graph::ForallOp op);
  void emitLevels(graph::ForallOp op);
  void emitEdgesFrom(graph::ForallOp op, Lowered source);
  void emitReplicated(graph::ForallOp op);

  // Neighbors that all processes know (EmitRows.cpp).
  struct SharedRow {
    mlir::Value center, size, firstEdge, neighbors;
    /// For children, their level; null otherwise.
    mlir::Value level;
  };
  SharedRow emitSharedRow(graph::ForallOp op);
  mlir::Value keepRow(mlir::Value row);
  void dropRow();
  mlir::Value askLevel(graph::ForallOp op, mlir::Value vertex);
  bool sharesNeighbors(graph::ForallOp op);
  void emitReplicatedNeighbors(graph::ForallOp op);
  void emitSharedNeighbors(graph::ForallOp op);

  /// Emits a loop that is distributed over processes: this process has `count` items, which may be all its vertices.
  void emitParallel(graph::ForallOp op, mlir::Value count, llvm::function_ref<void(mlir::Value)> item,
                    bool areVertices = false);
  bool emitLoop(mlir::Value size, llvm::function_ref<void(mlir::Value)> item, bool areVertices);
  void eraseFrom(mlir::Operation *first);
  void emitNested(graph::ForallOp op);
  bool emitGather(graph::ForallOp op);
  mlir::Value emitTravelingGather(llvm::ArrayRef<mlir::Value> arguments, mlir::Type type);
  bool emitTriangles(graph::ForallOp op);
  void emitCounted(graph::ForallOp op, graph::AccumulateOp accumulate);
  void emitNeighbors(graph::ForallOp op, Lowered center);
  void emitRow(graph::ForallOp op, mlir::Value row, Lowered center);
  void emitIteration(graph::ForallOp op, Lowered element, Lowered edge);
  void emitFixedPoint(graph::FixedPointOp op);
  void emitSweep(mlir::Value count, llvm::function_ref<void(mlir::Value)> item);
  void deliverUpdates();
  void finishLoop();
  void count(mlir::Value from, mlir::Value to, llvm::function_ref<void(mlir::Value)> body);
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  mlir::Value choose(mlir::Value condition, mlir::Type type, llvm::function_ref<mlir::Value()> yes,
                     llvm::function_ref<mlir::Value()> no);

  // Fixed points that run in any order (EmitRelaxation.cpp).
  bool emitRelaxation(graph::FixedPointOp op);
  void emitRelaxation(graph::FixedPointOp op, graph::Relaxation &what);
  std::pair<mlir::Value, mlir::Value> makeBody(llvm::function_ref<void(mlir::Block *)> write);
  void emitPush(mlir::Block *body);
  void emitPull(mlir::Block *body);
  void emitRelax(graph::ReduceOp op);
  void addImproved(mlir::Value local);
  void prefetchRelaxed(mlir::Value local);
  bool isRelaxed(mlir::Value property);
  mlir::Value getToldValue();
  mlir::Value makeCandidate(mlir::Value value);
  mlir::Value isBetter(mlir::Value candidate, mlir::Value old);

  Code code;
  mlir::ImplicitLocOpBuilder &builder;
  const GraphExchange exchange;
  const mpi::ABI *const abi;
  Window window;
  llvm::DenseMap<mlir::Value, Lowered> values;
  /// The ends of edges in loops over all edges.
  llvm::DenseMap<mlir::Value, std::pair<Lowered, Lowered>> ends;
  llvm::DenseMap<mlir::Value, mlir::Value> flags;
  /// Boolean properties that track their true vertices.
  llvm::DenseSet<mlir::Value> tracked;
  Loop *loop = nullptr;
  Relaxing *relaxing = nullptr;
  /// The entry of the function that is being emitted; while that is a sweep's body, of the one around it.
  mlir::Block *entry = nullptr;
  mlir::Value runValue;
  /// Whether the function that is being emitted is recursive, so that it must not rely on the state kept per site.
  bool isCalled = false;
  llvm::DenseMap<mlir::Operation *, mlir::Block *> called;
  llvm::MapVector<mlir::Value, mlir::Value> captured;
  llvm::SmallVector<mlir::Value> topologyFields;
  /// The graph's weights, as numbers of each type that the program requests.
  llvm::DenseMap<mlir::Type, mlir::Value> weights;
  mlir::Block *sweepEntry = nullptr;
  int64_t nextSite = 0, numLoops = 0, numSweeps = 0;
  bool failed = false;
};

} // namespace comm::graphlowering

#endif // COMM_LIB_CONVERSION_GRAPHTOCOMM_EMITTER_H
