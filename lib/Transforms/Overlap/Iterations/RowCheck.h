//===- RowCheck.h - Whether rows are evenly spaced -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `u[i][j]` of a `double **u` may be anywhere, since the pointer to each row is loaded. Most programs lay the rows out
// one after the other, as if the array were in one piece. Code before the loop checks that, with the pointers of
// all rows that the loop uses. A pointer that is the same in all iterations (`grid->data`) is a row by itself.
// docs/iterations.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_ROWCHECK_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_ROWCHECK_H

#include "Iterations/LoopLegality.h"

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// The tables of one unit and the code that checks them. Until that code exists, constants stand for its results.
class RowCheck : public RowTables {
public:
  explicit RowCheck(const Unit &unit);
  ~RowCheck() override;
  RowCheck(const RowCheck &) = delete;

  std::optional<Row> getRow(mlir::Operation *load, const Base &base, const Expr &begin, int64_t step,
                            const Predicate &holds) final;
  mlir::Value getNumber(mlir::Operation *load, const Base &base, const Expr &begin, const Predicate &holds) final;
  mlir::Value getAnswer() final { return answer; }

  /// Returns the row of a loop before or after the unit that looks up as many rows, one per iteration. None if the unit
  /// does not look them up in the same table.
  std::optional<Row> findRow(const Base &base, const Expr &begin, int64_t step, const Expr &count) const;
  /// Sets the nest's outermost loop; call this before the functions below.
  void setLoop(const FootprintAnalysis::Loop &outermost) { loop = outermost; }
  /// Returns true if the load is executed before the loop.
  bool looksUp(mlir::Operation *load) const;
  /// Ensures, as far as numbers tell at run time, that no entry is read that the others may write. Returns false if
  /// they cannot tell.
  bool keepOff(llvm::ArrayRef<Avoided> others, bool areBefore, MemoryOracle &oracle);
  /// Adds the messages that are most likely in arrays of these rows: those addressed by a pointer from the same table,
  /// or loaded from the same place.
  void addArrays(llvm::ArrayRef<Avoided> others, TypicalStrides &strides) const;
  /// Adds the rows of another loop that are most likely the same: those that it looks up in the same table.
  void addRowsOf(const RowCheck &other, TypicalStrides &strides) const;
  /// Returns the condition under which the loop itself, whose accesses these are, writes no entry: then a row is the
  /// same whenever it is looked up.
  Predicate areEntriesKept(LoopAccesses &accesses) const;
  /// Returns true if the code can be generated: the loads are executed in all iterations or in none, which is known
  /// before the unit.
  bool isComputable();

  /// Returns true if the check may fail. It cannot for pointers that are the same in all iterations.
  bool mayBeUneven() const {
    return llvm::any_of(tables, [](const Table &table) { return table.step != 0; });
  }

  /// Generates the code and returns the branch that begins it. `asks`: check only if there is more than one node.
  mlir::Operation *emit(bool asks);
  /// Replaces the placeholders by the results; call this when all code that refers to them exists.
  void replaceResults();

private:
  struct Table {
    Base base;
    /// The type of the entries: a pointer or an integer.
    mlir::Type type;
    /// The offset of the entry of row 0, and the distance between entries in bytes; 0: there is only one entry.
    Expr begin;
    int64_t step = 0;
    /// The first and last row that the first iteration uses.
    int64_t least = 0, most = 0;
    Predicate holds = Predicate::always();
    llvm::SmallVector<mlir::Operation *, 4> loads;
    /// Placeholders for the results: the first row or the number, and the stride.
    mlir::Operation *first = nullptr, *stride = nullptr;

    /// The value of `first` in the code of the check.
    mlir::Value found;
  };
  mlir::Operation *makeNumber(int64_t number, mlir::Type type = {});
  Table &getTable(mlir::Operation *load, const Base &base, const Expr &begin, int64_t step, const Predicate &holds);
  bool isPlaceholder(mlir::Value value) const;
  const Table *findTable(mlir::Value first) const;
  bool isSameBase(const Base &base, const RowCheck &other, const Base &ofOther) const;
  Piece getEntries(const Table &table) const;
  bool findGuards(mlir::Block *block);
  mlir::Value emitTable(Table &table, mlir::OpBuilder &builder, mlir::Block *after, mlir::Value count,
                        llvm::SmallVectorImpl<mlir::Value> &results);

  Unit unit;
  FootprintAnalysis::Loop loop;
  /// Tables in rows of other tables come after these.
  std::vector<Table> tables;
  mlir::Value answer;
  /// The values that replace all first rows, strides, and the answer.
  llvm::SmallVector<mlir::Value> results;
  /// A condition under which the loads are executed.
  struct Guard {
    mlir::Value condition;
    bool isTrue;
    /// A last bit on which the condition depends and which differs between iterations, or null.
    mlir::Value bit;
  };
  llvm::SmallVector<Guard> guards;
};

/// The rows that another loop, of `count` iterations, looks up in tables of a unit that is checked. The check says
/// where they are as well: what changes an entry between the two keeps off the entries, or stays after the check.
class RowsElsewhere final : public RowTables {
public:
  RowsElsewhere(RowCheck &check, Expr count) : check(check), count(std::move(count)) {}
  std::optional<Row> getRow(mlir::Operation *, const Base &base, const Expr &begin, int64_t step,
                            const Predicate &) final {
    return check.findRow(base, begin, step, count);
  }
  mlir::Value getNumber(mlir::Operation *, const Base &, const Expr &, const Predicate &) final { return {}; }
  mlir::Value getAnswer() final { return check.getAnswer(); }

private:
  RowCheck &check;
  Expr count;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_ROWCHECK_H
