//===- Inspector.h - Find the interior by inspection ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If indices come from arrays (sparse rows, neighbor lists), no expression says which iterations touch what is in
// flight. An inspector is a copy of the loop's address computation. It runs before the loop, finds a range of
// iterations that touch nothing in flight, and keeps the result until its inputs may have changed. docs/iterations.md
// has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTOR_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTOR_H

#include "Iterations/SplitNest.h"
#include "Iterations/UnitSlice.h"

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <map>
#include <memory>
#include <tuple>

namespace comm {

/// Give up beyond this many pairs of operations.
inline constexpr size_t kMostInspectedPairs = 40000;

/// Bytes with which the inspector compares addresses: those of a buffer, recorded at its start, or a piece of a
/// footprint, computed before the loop.
struct InspectedRange {
  mlir::Operation *start = nullptr;
  /// The beginning of the unit that contains the start; null if earlier messages of the start may still be in flight.
  mlir::Operation *home = nullptr;
  mlir::Value buffer, count;
  unsigned extent = 0;
  bool writes = false;
  Piece piece;
};

/// What the inspector checks for the address of a load or store.
struct InspectedAccess {
  mlir::Value getPointer() const {
    auto load = mlir::dyn_cast<mlir::LLVM::LoadOp>(op);
    return load ? load.getAddr() : mlir::cast<mlir::LLVM::StoreOp>(op).getAddr();
  }

  mlir::Operation *op;
  /// An iteration that touches one of these is not in the interior.
  llvm::SmallVector<unsigned, 4> avoided;
  /// There is no interior if any iteration touches one of these.
  llvm::SmallVector<unsigned, 4> forbidden;
};

struct Inspection {
  /// Returns true if only the loop itself accesses memory that must be compared.
  bool isAllInLoop() const;

  Unit unit;
  FootprintAnalysis::Loop loop;
  std::shared_ptr<UnitSlice> slice;
  std::vector<InspectedRange> ranges;
  llvm::SmallVector<InspectedAccess, 0> accesses;
  /// Inputs of the addresses that may change in the loop that keeps the result.
  llvm::SmallVector<mlir::Value> keys;
  llvm::SmallVector<Reload, 1> reloads;
  /// Iterations may depend on earlier ones: the interior is the first iterations, up to one that touches something.
  bool keepsOrder = false;
  /// The interior may have gaps.
  bool hasRuns = false;
  /// The program inspects a tile of iterations, executes those of the interior, and goes on with the next tile.
  bool hasTiles = false;
  /// The last iteration is not in the interior.
  bool keepsLast = false;
  /// Shorter runs are not in the interior, and a smaller interior does not count.
  int64_t leastOfRun = 1, leastIterations = 1;
  /// The header of the loop around the unit that keeps the result from one iteration to the next. Null: the inspector
  /// runs each time.
  mlir::Block *around = nullptr;
  /// It runs each time, if the program measures that it pays.
  bool isMeasured = false;
  /// Operations in that loop that invalidate the result.
  llvm::SmallVector<mlir::Operation *> forgetting;
  /// Where this is false, there is no interior.
  Predicate holds = Predicate::always();
};

/// Searches for inspectors in one chain.
class InspectorSearch {
public:
  /// `mayRunEachTime`: an inspector whose result cannot be kept is correct as well, but takes about as long as the
  /// loop.
  InspectorSearch(const Chain &chain, MemoryOracle &oracle, FootprintAnalysis &analysis, bool mayRunEachTime)
      : chain(chain), oracle(oracle), analysis(analysis), mayRunEachTime(mayRunEachTime) {}

  /// Returns an inspector of the unit that tells which iterations touch something of the other units. If no inspector
  /// is correct, returns none and sets `why`.
  std::optional<Inspection> find(unsigned unit, llvm::ArrayRef<unsigned> avoided, std::string &why);

private:
  /// An operation that the loop must avoid.
  struct Other {
    mlir::Operation *op;
    bool isByArguments = false;
    llvm::SmallVector<unsigned, 2> ranges;
  };
  struct Access {
    mlir::Operation *op;
    llvm::SmallVector<NestedPieces, 1> pieces;
    bool isPlain = false, writes = false, isKnown = true;
  };

  bool readAccesses(const Unit &unit);
  bool isWaitedFor(mlir::Operation *start, llvm::ArrayRef<unsigned> avoided) const;
  bool findOthers(unsigned avoided, llvm::ArrayRef<unsigned> all);
  bool addStart(mlir::Operation *start, unsigned before, mlir::Operation *wait, bool isOfNow);
  void addArguments(MPIOpInterface wait);
  std::optional<unsigned> addPiece(const Piece &piece);
  const std::optional<llvm::SmallVector<unsigned, 4>> &getWritten(const Access &access);
  InspectedAccess &ask(mlir::Operation *op);
  bool askOthers();
  bool compareIterations();
  bool isInPlace(const Access &writer, const Access &reader) const;
  bool keepOrder();
  bool askLoads();
  bool takesLonger();
  bool findLoopAround();
  void findReloads();

  const Chain &chain;
  MemoryOracle &oracle;
  FootprintAnalysis &analysis;
  bool mayRunEachTime;
  // State of the search in the current unit.
  Inspection result;
  FootprintAnalysis::Nest nest;
  llvm::SmallVector<Access, 0> accesses;
  llvm::SmallVector<Other> others;
  std::map<mlir::Operation *, std::optional<llvm::SmallVector<unsigned, 4>>> written;
  std::string why;
};

/// The interior that an inspector finds.
struct InspectedInterior {
  /// The first iteration and the one after the last.
  mlir::Value low, high;
  /// Its parts, if it may have gaps.
  std::optional<RunList> runs;
  /// What the program measures, if it does.
  std::optional<mlir::FlatSymbolRefAttr> measurements;
};

/// Generates the code of inspectors in one module.
class InspectorCode {
public:
  /// Generates the code before the unit, and returns the operation that enters it. `asks`: there is no interior if
  /// all processes are on one node.
  mlir::Operation *emit(const Inspection &inspection, bool asks, InspectedInterior &interior);
  /// Likewise, for an inspection in tiles. `bounds` has the numbers of the loop; its interior is what tiles may
  /// execute. The code leads into the unit, and from there to the next tile once the loops are split.
  mlir::Operation *emitTiles(const Inspection &inspection, const SplitBounds &bounds, InspectedInterior &interior);

  /// The address range of a buffer, in variables.
  struct Note {
    mlir::Value low, high;
  };

private:
  Note getNote(const InspectedRange &range);
  llvm::SmallVector<Note> getNotes(const Inspection &inspection);

  /// By buffer, start, and the place where the range is reset.
  std::map<std::tuple<void *, mlir::Operation *, mlir::Operation *>, Note> notes;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTOR_H
