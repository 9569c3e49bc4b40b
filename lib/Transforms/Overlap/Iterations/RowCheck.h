//===- RowCheck.h - Whether rows are evenly spaced -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `u[i][j]` of a `double **u` is anywhere: the pointer to each row is loaded. Most programs lay the rows out one after
// the other, and then the array is like one in one piece. That is asked in front of the loop, from the pointers of all
// rows that the loop looks at. A pointer that is the same in all iterations (`grid->data`) is a row by itself.
// docs/iterations.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_ROWCHECK_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_ROWCHECK_H

#include "Iterations/LoopLegality.h"

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// The tables of one unit, and the code that asks about them. Until that is made, constants stand for what it finds.
class RowCheck : public RowTables {
public:
  explicit RowCheck(const Unit &unit);
  ~RowCheck() override;
  RowCheck(const RowCheck &) = delete;

  Row getRow(mlir::Operation *load, const Base &base, const Expr &begin, int64_t step, const Predicate &holds) final;
  mlir::Value getNumber(mlir::Operation *load, const Base &base, const Expr &begin, const Predicate &holds) final;
  mlir::Value getAnswer() final { return answer; }

  /// Of the nest's outermost loop; before what follows.
  void setLoop(const FootprintAnalysis::Loop &outermost) { loop = outermost; }
  /// Whether what the operation finds is looked up in front of the loop.
  bool looksUp(mlir::Operation *load) const;
  /// No entry is read that the others may write, as far as numbers tell at run time. False if they do not.
  bool keepOff(llvm::ArrayRef<Avoided> others, bool areBefore, MemoryOracle &oracle);
  /// Says which messages are most likely in arrays of these rows: those by a pointer from the same table.
  void addArrays(llvm::ArrayRef<Avoided> others, TypicalStrides &strides) const;
  /// When the loop itself, whose accesses these are, writes no entry: a row is then the same whenever it is looked up.
  Predicate areEntriesKept(LoopAccesses &accesses) const;
  /// Whether the code can be made: the loads are executed in all iterations or in none, which is known before the unit.
  bool isComputable();

  /// Whether the answer may be no: pointers that are the same in all iterations are where they are.
  bool mayBeUneven() const {
    return llvm::any_of(tables, [](const Table &table) { return table.step != 0; });
  }

  /// Makes the code, and returns the branch that it begins with. `asks`: only where there is more than one node.
  mlir::Operation *emit(bool asks);
  /// Gives those who named the results what was found; after all code that names them is made.
  void replaceResults();

private:
  struct Table {
    Base base;
    /// Of the entries: a pointer, or an integer.
    mlir::Type type;
    /// Where the entry of row 0 is, and how many bytes there are from one to the next; 0: there is one entry.
    Expr begin;
    int64_t step = 0;
    /// Numbers of rows that the first iteration looks at.
    int64_t least = 0, most = 0;
    Predicate holds = Predicate::always();
    llvm::SmallVector<mlir::Operation *, 4> loads;
    /// In place of the results: the first row or the number, and the stride.
    mlir::Operation *first = nullptr, *stride = nullptr;

    /// Of `first`, in the code of the check.
    mlir::Value found;
  };
  mlir::Operation *makeNumber(int64_t number, mlir::Type type = {});
  Table &getTable(mlir::Operation *load, const Base &base, const Expr &begin, int64_t step, const Predicate &holds);
  bool isPlaceholder(mlir::Value value) const;
  const Table *findTable(mlir::Value first) const;
  Piece getEntries(const Table &table) const;
  bool findGuards(mlir::Block *block);
  mlir::Value emitTable(Table &table, mlir::OpBuilder &builder, mlir::Block *after, mlir::Value count,
                        llvm::SmallVectorImpl<mlir::Value> &results);

  Unit unit;
  FootprintAnalysis::Loop loop;
  /// Those that are found in the rows of others come after these.
  std::vector<Table> tables;
  mlir::Value answer;
  /// What takes the place of all first rows, strides, and the answer.
  llvm::SmallVector<mlir::Value> results;
  /// Conditions under which the loads are executed.
  llvm::SmallVector<std::pair<mlir::Value, bool>> guards;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_ROWCHECK_H
