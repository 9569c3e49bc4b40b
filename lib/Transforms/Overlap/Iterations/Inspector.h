//===- Inspector.h - Which iterations need not wait, found at run time -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where indices come from arrays (sparse rows, neighbor lists), no expression says which iterations touch what is in
// flight. An inspector is a copy of what the loop's addresses are computed from: it runs in front of the loop, finds
// the iterations between which nothing is touched, and keeps the result while what it read cannot have changed.
// docs/iterations.md has the rules.
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

/// More pairs of operations are not compared.
inline constexpr size_t kMostInspectedPairs = 40000;

/// Bytes that the inspector compares addresses with: those of a buffer, which are noted where it is started, or a piece
/// of a footprint, computed in front of the loop.
struct InspectedRange {
  mlir::Operation *start = nullptr;
  /// Where the unit begins that the start is in; null if what it started before may still be in flight.
  mlir::Operation *home = nullptr;
  mlir::Value buffer, count;
  unsigned extent = 0;
  bool writes = false;
  Piece piece;
};

/// What is asked of the address of a load or store, whenever the inspector comes to it.
struct InspectedAccess {
  mlir::Value getPointer() const {
    auto load = mlir::dyn_cast<mlir::LLVM::LoadOp>(op);
    return load ? load.getAddr() : mlir::cast<mlir::LLVM::StoreOp>(op).getAddr();
  }

  mlir::Operation *op;
  /// An iteration that touches one of these is not of the interior.
  llvm::SmallVector<unsigned, 4> avoided;
  /// There is no interior if one of these is touched.
  llvm::SmallVector<unsigned, 4> forbidden;
};

struct Inspection {
  Unit unit;
  FootprintAnalysis::Loop loop;
  std::shared_ptr<UnitSlice> slice;
  std::vector<InspectedRange> ranges;
  llvm::SmallVector<InspectedAccess, 0> accesses;
  /// What the addresses are computed from and may change in the loop that keeps the result.
  llvm::SmallVector<mlir::Value> keys;
  llvm::SmallVector<Reload, 1> reloads;
  /// The header of a loop around the unit: the result is kept from one iteration to the next.
  mlir::Block *around = nullptr;
  /// Operations in that loop after which the result is forgotten.
  llvm::SmallVector<mlir::Operation *> forgetting;
  /// Where that is false there is no interior.
  Predicate holds = Predicate::always();
};

/// Looks for inspectors in one chain.
class InspectorSearch {
public:
  InspectorSearch(const Chain &chain, MemoryOracle &oracle, FootprintAnalysis &analysis)
      : chain(chain), oracle(oracle), analysis(analysis) {}

  /// An inspector of the unit that tells which iterations touch something of the other units. None, and `why`, if there
  /// is none that is right.
  std::optional<Inspection> find(unsigned unit, llvm::ArrayRef<unsigned> avoided, std::string &why);

private:
  /// An operation that the loop keeps off.
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
  bool askLoads();
  bool takesLonger();
  bool findLoopAround();
  bool findReloads();

  const Chain &chain;
  MemoryOracle &oracle;
  FootprintAnalysis &analysis;
  // Of the unit that is looked at.
  Inspection result;
  FootprintAnalysis::Nest nest;
  llvm::SmallVector<Access, 0> accesses;
  llvm::SmallVector<Other> others;
  std::map<mlir::Operation *, std::optional<llvm::SmallVector<unsigned, 4>>> written;
  std::string why;
};

/// Makes the code of inspectors in one module.
class InspectorCode {
public:
  /// In front of the unit. Hands the first iteration of the interior out, and the one after its last. Returns the
  /// operation that enters the code. With `asks` there is none where all processes are on one node.
  mlir::Operation *emit(const Inspection &inspection, bool asks, mlir::Value &low, mlir::Value &high);

private:
  /// Addresses of a buffer, in variables.
  struct Note {
    mlir::Value low, high;
  };
  Note getNote(const InspectedRange &range);

  /// By buffer, start, and where it begins again.
  std::map<std::tuple<void *, mlir::Operation *, mlir::Operation *>, Note> notes;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTOR_H
