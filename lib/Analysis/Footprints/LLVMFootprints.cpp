//===- LLVMFootprints.cpp - Footprints from scalar evolution --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DatatypeLayout.h"
#include "LLVMValueMap.h"
#include "ScalarTranslation.h"
#include "ScratchMemory.h"

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"
#include "Comm/Analysis/Memory/LLVMModel.h"
#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/MPI/Standard.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace mlir;
using namespace comm;

FootprintAnalysis::~FootprintAnalysis() = default;
RowTables::~RowTables() = default;

/// Larger than any distance between two addresses. A smaller number that equals a distance modulo 2^64 is the distance.
static constexpr int64_t kFar = int64_t(1) << 62;

/// Loops whose iterations are kept separate, outermost first.
using KeptLoops = llvm::ArrayRef<const llvm::Loop *>;

namespace {
class LLVMFootprints : public FootprintAnalysis {
public:
  explicit LLVMFootprints(LLVMModel &model) : model(&model), values(model), functionAnalyses(model.getAnalyses()) {}
  explicit LLVMFootprints(std::unique_ptr<LLVMModel> built) : LLVMFootprints(*built) { owned = std::move(built); }
  Footprint getFootprint(const Unit &unit, RowTables *rows) final { return compute(unit, /*kept=*/{}, rows); }
  Iterations getIterations(const Unit &unit) final;
  Nest getNest(const Unit &unit, RowTables *rows) final;
  Scratch findScratch(const Unit &unit, const Base &base, RowTables *rows) final;
  Predicate findStaying(const Unit &unit) final;

private:
  friend class UnitReader;
  Footprint compute(const Unit &unit, KeptLoops kept, RowTables *rows = nullptr);
  bool withScope(const Unit &unit, llvm::function_ref<void(const Scope &)> fn);
  llvm::SmallVector<const llvm::Loop *> findLoops(const Unit &unit);
  Loop describe(const llvm::Loop &loop, const Scope &scope);
  llvm::Function *getFunction(const Unit &unit);

  std::unique_ptr<LLVMModel> owned;
  LLVMModel *model;
  LLVMValueMap values;
  llvm::FunctionAnalysisManager &functionAnalyses;
};

/// Reads the memory accesses of one unit.
class UnitReader {
public:
  UnitReader(LLVMFootprints &analysis, const Unit &unit, const Scope &scope, KeptLoops kept, RowTables *rows)
      : analysis(analysis), unit(unit), scope(scope), kept(kept), rows(rows) {}
  Footprint read();

private:
  void read(Operation *op);
  void read(MPIOpInterface op);
  void read(llvm::Instruction &instruction);
  void readIntrinsic(llvm::MemIntrinsic &intrinsic);
  void add(llvm::Instruction &context, llvm::Value *pointer, const TypeLayout &layout, bool reads, bool writes);
  std::optional<Piece> findPiece(llvm::Instruction &context, llvm::Value *pointer, const TypeLayout &layout,
                                 bool mayBeIndexed, Choices *choices = nullptr);
  bool setOffset(Piece &piece, ScalarTranslator &scalars, llvm::Value *pointer, bool mayBeIndexed, Choices *choices);
  bool setIndices(Piece &piece, llvm::Value *index, int64_t scale);
  Operation *findEntry(llvm::LoadInst &load, Piece &entry);
  std::optional<Expr> setRow(Piece &piece, llvm::Value *pointer);
  std::optional<Expr> findNumber(llvm::LoadInst &load);
  bool isCounted(const llvm::Loop &loop) const;
  std::optional<Expr> spreadTile(Piece &piece, ScalarTranslator &scalars, const Counter &counter, const Expr &last);
  bool spread(Piece &piece, ScalarTranslator &scalars);
  void addConditions(Piece &piece, ScalarTranslator &scalars, llvm::Instruction &context, const Choices *choices);
  void setUnknown() {
    result.isUnknown = true;
    result.unknownOps.insert(current);
  }

  LLVMFootprints &analysis;
  const Unit &unit;
  const Scope &scope;
  KeptLoops kept;
  RowTables *rows;
  /// Whether the current piece uses them, and the condition for this.
  bool usesRows = false;
  Predicate numbersHold = Predicate::always();
  std::function<std::optional<Expr>(llvm::LoadInst &)> numbers = [this](auto &load) { return findNumber(load); };
  /// The operation that is being read.
  Operation *current = nullptr;
  Footprint result;
};
} // namespace

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Describes elements with a loaded index: base + scale * (each value that the load may read).
bool UnitReader::setIndices(Piece &piece, llvm::Value *index, int64_t scale) {
  while (llvm::isa<llvm::SExtInst>(index) ||
         (llvm::isa<llvm::ZExtInst>(index) && llvm::cast<llvm::Instruction>(index)->hasNonNeg()))
    index = llvm::cast<llvm::CastInst>(index)->getOperand(0);
  auto *load = llvm::dyn_cast<llvm::LoadInst>(index);
  if (piece.indices || !load || !load->isSimple())
    return false;
  TypeLayout element{Expr(), Expr(load->getType()->getIntegerBitWidth() / 8), {}, Expr()};
  std::optional<Piece> source = findPiece(*load, load->getPointerOperand(), element, /*mayBeIndexed=*/false);
  if (!source || source->isWhole || !source->base.isKnown() || !source->holds.isTrue())
    return false;
  piece.indices = IndexArray{
      source->base, source->begin, source->size, source->levels, load->getType()->getIntegerBitWidth(), scale};
  return true;
}

/// Finds the address that the load reads, in terms of the unit's iterations. Returns the load's operation, or null if
/// unknown.
Operation *UnitReader::findEntry(llvm::LoadInst &load, Piece &entry) {
  Value original = rows && load.isSimple() ? analysis.values.get(&load) : Value();
  if (!original || !original.getDefiningOp())
    return nullptr;
  ScalarTranslator scalars(scope, &load);
  scalars.askForLoads(numbers);
  bool isKnown = setOffset(entry, scalars, load.getPointerOperand(), /*mayBeIndexed=*/false, /*choices=*/nullptr);
  return isKnown ? original.getDefiningOp() : nullptr;
}

/// Handles a pointer loaded from the same place in all iterations, or from one place per iteration of the outermost
/// loop. The first such pointer becomes the base of the piece. Returns the distance from it.
std::optional<Expr> UnitReader::setRow(Piece &piece, llvm::Value *pointer) {
  constexpr unsigned outermost = 0;
  auto *load = llvm::dyn_cast<llvm::LoadInst>(pointer);
  Piece entry;
  Operation *original = load ? findEntry(*load, entry) : nullptr;
  Expr step, begin;
  if (!original || !entry.begin.splitLinear(outermost, step, begin) || begin.containsIterations() ||
      !step.getConstant() || *step.getConstant() < 0)
    return std::nullopt;
  std::optional<RowTables::Row> row = rows->getRow(original, entry.base, begin, *step.getConstant(), entry.holds);
  if (!row)
    return std::nullopt;
  usesRows = true;
  piece.base.pointer = row->first;
  piece.holds = piece.holds && entry.holds && row->holds;
  return step.isZero() ? Expr() : Expr::symbol(row->stride) * (Expr::iteration(outermost) + Expr(row->number));
}

/// Returns a number that the unit loads from the same place in all iterations.
std::optional<Expr> UnitReader::findNumber(llvm::LoadInst &load) {
  Piece entry;
  auto *type = llvm::dyn_cast<llvm::IntegerType>(load.getType());
  Operation *original = type && type->getBitWidth() >= 16 ? findEntry(load, entry) : nullptr;
  if (!original || entry.begin.containsIterations())
    return std::nullopt;
  Value number = rows->getNumber(original, entry.base, entry.begin, entry.holds);
  if (!number)
    return std::nullopt;
  usesRows = true;
  numbersHold = numbersHold && entry.holds;
  return Expr::symbol(number);
}

/// Sets base and begin of the piece, in terms of the unit's iterations. Returns false if the offset from the base is
/// unknown.
bool UnitReader::setOffset(Piece &piece, ScalarTranslator &scalars, llvm::Value *pointer, bool mayBeIndexed,
                           Choices *choices) {
  const llvm::DataLayout &layout = analysis.model->module->getDataLayout();
  Expr offset;
  bool isExact = true, isKnown = true;
  while (true) {
    auto *step = llvm::dyn_cast<llvm::GEPOperator>(pointer);
    if (!step) {
      llvm::Value *chosen = choices && !scope.getAvailable(pointer) ? choices->choose(pointer, scope.loops) : nullptr;
      if (!chosen)
        break;
      pointer = chosen;
      continue;
    }
    llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> variables;
    llvm::APInt constant(64, 0);
    if (!step->getType()->isPointerTy() || !step->collectOffset(layout, 64, variables, constant))
      isKnown = false;
    // With `inbounds`, neither the products nor the sum wrap as signed numbers.
    isExact &= step->hasNoUnsignedSignedWrap();
    offset = offset + Expr(constant.getSExtValue());
    for (auto &[variable, scale] : variables) {
      Expr value = scalars.translate(variable, !step->hasNoUnsignedSignedWrap());
      if (value.isUnknown() && mayBeIndexed && setIndices(piece, variable, scale.getSExtValue()))
        continue;
      offset = offset + value * Expr(scale.getSExtValue());
    }
    pointer = step->getPointerOperand();
  }
  // A pointer that a loop advances.
  const llvm::SCEV *scev = scope.scalars.getSCEV(pointer);
  while (const auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(scev)) {
    auto it = scope.inUnit.find(recurrence->getLoop());
    if (it == scope.inUnit.end() || !recurrence->isAffine())
      break;
    offset =
        offset + scalars.translate(recurrence->getStepRecurrence(scope.scalars), true) * Expr::iteration(it->second);
    isExact = false;
    scev = recurrence->getStart();
  }
  if (const auto *sum = llvm::dyn_cast<llvm::SCEVAddExpr>(scev)) {
    isExact = false;
    for (const llvm::SCEV *operand : sum->operands())
      if (operand->getType()->isPointerTy())
        scev = operand;
      else
        offset = offset + scalars.translate(operand, true);
  }
  Expr row;
  if (const auto *leaf = llvm::dyn_cast<llvm::SCEVUnknown>(scev)) {
    piece.base = analysis.values.getBase(scalars.getFunction(), leaf->getValue(), scope.getAvailable);
    if (!piece.base.isKnown())
      row = setRow(piece, leaf->getValue()).value_or(Expr());
  }
  isKnown &= piece.base.isKnown() && !offset.isUnknown();
  if (!isKnown)
    return false;
  // For rows, a condition checks that they are where they are assumed to be.
  Expr within = scalars.dropWraps(offset, piece.holds);
  piece.begin = within + row;
  isExact &= !scalars.isCut();
  Expr::Range range = offset.getRange();
  if (isExact || (range.least > -kFar && range.most < kFar))
    return !piece.begin.isUnknown();
  std::optional<Bounds> bounds = scalars.getBounds(within, piece.holds);
  if (!bounds)
    return false;
  piece.holds = piece.holds && Predicate::lessOrEqual(Expr(-kFar), bounds->least) &&
                Predicate::lessOrEqual(bounds->most, Expr(kFar));
  return true;
}

/// Whether the loop ends only at its latch, after a number of iterations that is known exactly.
bool UnitReader::isCounted(const llvm::Loop &loop) const {
  return loop.getLoopLatch() && loop.getExitingBlock() == loop.getLoopLatch() &&
         !llvm::isa<llvm::SCEVCouldNotCompute>(scope.scalars.getBackedgeTakenCount(&loop));
}

/// Handles a counter whose last value changes with the iterations of outer loops: `min(first + 16, n)` in a loop over
/// tiles. With the loop over the tiles, which ends where the array does, the counter covers one range. Otherwise
/// returns the most that it may be in any tile.
std::optional<Expr> UnitReader::spreadTile(Piece &piece, ScalarTranslator &scalars, const Counter &counter,
                                           const Expr &last) {
  piece.isExact = false;
  llvm::SmallVector<Counter, 2> tiles{counter};
  for (const Counter &outer : scalars.getCounters())
    if (last.contains(outer.number) && !(outer.loop && llvm::is_contained(kept, outer.loop)))
      tiles.push_back(outer);
  if (tiles.size() == 1)
    return scalars.getBound(last, /*isMost=*/true, {}, piece.holds);
  std::optional<Expr> begin = scalars.getBound(piece.begin, /*isMost=*/false, tiles, piece.holds);
  std::optional<Expr> size =
      begin ? scalars.getBound(piece.begin + piece.size - *begin, /*isMost=*/true, tiles, piece.holds) : std::nullopt;
  if (!size || !piece.levels.empty())
    return std::nullopt;
  piece.begin = *begin;
  piece.size = *size;
  return last;
}

/// Covers all iterations of the loops around the access, innermost first: one level per loop, or one range if the loops
/// depend on each other. Returns false if the range is unknown.
bool UnitReader::spread(Piece &piece, ScalarTranslator &scalars) {
  llvm::SmallVector<Counter, 4> counters = scalars.getCounters();
  auto isFree = [&](const Expr &expr) {
    auto isOfRange = [&](const Counter &counter) { return !counter.loop && expr.contains(counter.number); };
    return llvm::none_of(counters, isOfRange) && llvm::none_of(scope.inUnit, [&](const auto &entry) {
             return !llvm::is_contained(kept, entry.first) && expr.contains(entry.second);
           });
  };
  for (const Counter &counter : counters) {
    unsigned number = counter.number;
    if ((counter.loop && llvm::is_contained(kept, counter.loop)) ||
        (!piece.begin.contains(number) && !piece.size.contains(number)))
      continue;
    Expr last = scalars.dropWraps(scalars.getLast(counter), piece.holds);
    piece.isExact &= counter.loop && isCounted(*counter.loop);
    if (ScalarTranslator::hasExtreme(last)) {
      std::optional<Expr> most = spreadTile(piece, scalars, counter, last);
      if (!most)
        return false;
      if (!piece.begin.contains(number) && !piece.size.contains(number))
        continue;
      last = *most;
    }
    Expr end = piece.begin + piece.size;
    Expr byBegin, atBegin, byEnd, atEnd;
    if (last.isUnknown() || last.contains(number) || !piece.begin.splitLinear(number, byBegin, atBegin) ||
        !end.splitLinear(number, byEnd, atEnd))
      return false;
    if (byBegin == byEnd && isFree(byBegin) && isFree(last)) {
      piece.begin = atBegin;
      // The length of a row is a variable of the program, most likely not negative.
      if (!byBegin.isNonNegative() && !(Expr() - byBegin).isNonNegative() && byBegin != piece.size) {
        bool isDown = goesDown(byBegin);
        Expr stride = isDown ? Expr() - byBegin : byBegin;
        piece.begin = isDown ? atBegin + byBegin * last : atBegin;
        piece.holds = piece.holds && Predicate::lessOrEqual(Expr(), stride);
        piece.levels.push_back({stride, last + Expr(1)});
        continue;
      }
      piece.isExact &= piece.repeat(byBegin, last + Expr(1));
      if (piece.begin.isUnknown() || piece.size.isUnknown())
        return false;
      continue;
    }
    piece.isExact = false;
    bool up = byBegin.isNonNegative() && byEnd.isNonNegative();
    bool down = (Expr() - byBegin).isNonNegative() && (Expr() - byEnd).isNonNegative();
    bool apart = (Expr() - byBegin).isNonNegative() && byEnd.isNonNegative();
    if (!up && !down && !apart)
      return false;
    piece.begin = up ? atBegin : atBegin + byBegin * last;
    piece.size = (down ? atEnd : atEnd + byEnd * last) - piece.begin;
  }
  return isFree(piece.begin) && isFree(piece.size) && !piece.begin.isUnknown() && !piece.size.isUnknown();
}

/// Adds the conditions under which the piece is touched, as far as parities and comparisons tell: those of the choices
/// made for it, and of the branches that lead to it.
void UnitReader::addConditions(Piece &piece, ScalarTranslator &scalars, llvm::Instruction &context,
                               const Choices *choices) {
  choices->forEachEven([&](const Expr &even) { piece.evens.push_back(even); });
  // A separate translator, so that comparisons add no further choices.
  ScalarTranslator comparisons(scope, &context);
  choices->forEachCondition([&](llvm::SelectInst &select, bool isTrue) {
    const llvm::Loop *loop = scope.loops.getLoopFor(select.getParent());
    if (loop && loop->contains(&context))
      comparisons.findBounds(select.getCondition(), isTrue, piece.bounds);
  });
  const auto &dominance = analysis.functionAnalyses.getResult<llvm::DominatorTreeAnalysis>(*context.getFunction());
  const auto *node = dominance.getNode(context.getParent());
  for (node = node ? node->getIDom() : nullptr; node; node = node->getIDom()) {
    llvm::BasicBlock *block = node->getBlock();
    const llvm::Loop *loop = scope.loops.getLoopFor(block);
    if (!loop || !scope.inUnit.contains(loop))
      break;
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    // In a loop before the access, the condition has the value of the loop's last iteration.
    if (!loop->contains(&context) || !branch || !branch->isConditional() ||
        branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    for (unsigned i : {0, 1})
      if (dominance.dominates(llvm::BasicBlockEdge(block, branch->getSuccessor(i)), context.getParent())) {
        scalars.findEvens(branch->getCondition(), /*isTrue=*/i == 0, piece.evens);
        comparisons.findBounds(branch->getCondition(), /*isTrue=*/i == 0, piece.bounds);
      }
  }
  auto isOfOtherLoop = [&](const Expr &number) {
    return llvm::any_of(scope.inUnit, [&](const auto &entry) {
      return !llvm::is_contained(kept, entry.first) && number.contains(entry.second);
    });
  };
  llvm::erase_if(piece.evens, isOfOtherLoop);
  llvm::erase_if(piece.bounds, isOfOtherLoop);
}

std::optional<Piece> UnitReader::findPiece(llvm::Instruction &context, llvm::Value *pointer, const TypeLayout &layout,
                                           bool mayBeIndexed, Choices *choices) {
  Piece piece;
  ScalarTranslator scalars(scope, &context, choices);
  // The inspector reads the index array only where the loop does, so ranges are not allowed there.
  if (mayBeIndexed)
    scalars.allowRanges();
  if (rows)
    scalars.askForLoads(numbers);
  usesRows = false;
  numbersHold = Predicate::always();
  if (!setOffset(piece, scalars, pointer, mayBeIndexed, choices)) {
    // Falls back to any byte of the object that the pointer points into.
    piece.base =
        analysis.values.getBase(*context.getFunction(), llvm::getUnderlyingObject(pointer, 0), scope.getAvailable);
    piece.isWhole = true;
    return piece.base.isKnown() ? std::optional<Piece>(piece) : std::nullopt;
  }
  if (usesRows)
    piece.holds = piece.holds && numbersHold && Predicate::lessOrEqual(Expr(1), Expr::symbol(rows->getAnswer()));
  piece.begin = piece.begin + layout.begin;
  piece.size = layout.size;
  for (const Level &level : layout.levels) {
    if (level.stride.isNonNegative() || (Expr() - level.stride).isNonNegative()) {
      piece.repeat(level.stride, level.count);
      continue;
    }
    // Most likely the levels of a column, which go from row to row.
    piece.holds = piece.holds && Predicate::lessOrEqual(Expr(), level.stride);
    piece.levels.push_back(level);
  }
  if (choices) {
    // Make the same choices no matter which loops are kept separate.
    for (const Counter &counter : scalars.getCounters())
      scalars.getLast(counter);
    addConditions(piece, scalars, context, choices);
  }
  piece.isExact = choices && choices->isEmpty() && !piece.indices;
  piece.isWhole = piece.size.isUnknown() || !spread(piece, scalars);
  // The trip counts need the conditions of the ranges, too.
  piece.holds = piece.holds && scalars.getRangesHold();
  return piece;
}

void UnitReader::add(llvm::Instruction &context, llvm::Value *pointer, const TypeLayout &layout, bool reads,
                     bool writes) {
  auto note = [&](std::optional<Piece> piece) {
    if (!piece)
      return setUnknown();
    piece->reads = reads;
    piece->writes = writes;
    piece->op = current;
    result.pieces.push_back(*piece);
  };
  // An address that branches select is one of several. Add a piece for each.
  Choices choices;
  llvm::SmallVector<std::optional<Piece>, 2> pieces;
  do
    pieces.push_back(findPiece(context, pointer, layout, /*mayBeIndexed=*/true, &choices));
  while (choices.advance());
  if (choices.areTooMany())
    note(findPiece(context, pointer, layout, /*mayBeIndexed=*/true));
  else
    llvm::for_each(pieces, note);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void UnitReader::readIntrinsic(llvm::MemIntrinsic &intrinsic) {
  ScalarTranslator scalars(scope, &intrinsic);
  // A length is less than half of the address space, so its sign bit is clear.
  Predicate holds = Predicate::always();
  TypeLayout layout{Expr(), scalars.dropWraps(scalars.translate(intrinsic.getLength(), false), holds), {}, Expr()};
  if (!holds.isTrue() || intrinsic.isVolatile())
    layout.size = Expr::unknown();
  add(intrinsic, intrinsic.getDest(), layout, /*reads=*/false, /*writes=*/true);
  if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&intrinsic))
    add(intrinsic, transfer->getSource(), layout, /*reads=*/true, /*writes=*/false);
}

/// Recognizes MPI_Wtime and MPI_Wtick, which touch no memory of the program.
static bool isClockOfMPI(const llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  const mpi::Function *function =
      callee && callee->isDeclaration() ? mpi::lookupLinkerName(callee->getName()) : nullptr;
  return function && function->isTime;
}

void UnitReader::read(llvm::Instruction &instruction) {
  if (!instruction.mayReadOrWriteMemory() || llvm::isa<llvm::AssumeInst, llvm::NoAliasScopeDeclInst>(instruction))
    return;
  // The functions of the math library set errno. Accesses of the program to errno have the behavior of communication
  // (CallBehavior.cpp), so no other access conflicts.
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call && (call->getMemoryEffects().onlyAccessesErrnoMem() || isClockOfMPI(*call)))
    return;
  if (auto *intrinsic = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
    return readIntrinsic(*intrinsic);
  // The end of a lifetime acts like a store: the memory must not be in flight.
  if (auto *lifetime = llvm::dyn_cast<llvm::LifetimeIntrinsic>(&instruction))
    return add(instruction, lifetime->getArgOperand(0), {Expr(), Expr::unknown(), {}, Expr()}, false, true);
  llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction);
  const llvm::DataLayout &layout = analysis.model->module->getDataLayout();
  llvm::TypeSize size =
      pointer ? layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction)) : llvm::TypeSize::getFixed(0);
  if (!pointer || instruction.isAtomic() || instruction.isVolatile() || size.isScalable())
    return setUnknown();
  TypeLayout element{Expr(), Expr(static_cast<int64_t>(size.getFixedValue())), {}, Expr()};
  add(instruction, pointer, element, instruction.mayReadFromMemory(), instruction.mayWriteToMemory());
}

void UnitReader::read(MPIOpInterface op) {
  CommAccesses all = getCommAccesses(op);
  if (all.isUnknown)
    setUnknown();
  bool isRequestUnknown = false;
  for (const BufferAccess &access : all.accesses) {
    if (!getConstantName(access.buffer).empty())
      continue; // MPI_IN_PLACE; MPI_BOTTOM makes the footprint unknown
    bool isAlone = access.param->role == mpi::Role::Request && !result.unknownOps.contains(op);
    // The buffers of a request are operands of the op that started it.
    Operation *holder = op;
    if (auto completion = dyn_cast<CompletionOpInterface>(op.getOperation()))
      for (Value request : completion.getRequests())
        if (Operation *start = request.getDefiningOp();
            start && llvm::is_contained(start->getOperands(), access.buffer))
          holder = start;
    llvm::CallBase *call = analysis.model->getCall(holder);
    llvm::Value *pointer = analysis.model->getArgument(holder, access.buffer);
    if (!call || !pointer) {
      setUnknown();
      continue;
    }
    ScalarTranslator scalars(scope, call);
    auto translate = [&](Value value) -> Expr {
      if (std::optional<int64_t> constant = getConstantInteger(value))
        return Expr(*constant);
      llvm::Value *argument = analysis.values.getTranslated(value);
      Predicate holds = Predicate::always();
      Expr expr = argument ? scalars.dropWraps(scalars.translate(argument, false), holds) : Expr::unknown();
      return holds.isTrue() ? expr : Expr::unknown();
    };
    add(*call, pointer, getLayout(holder, access, translate), access.reads, access.writes);
    if (isAlone && result.unknownOps.erase(op))
      isRequestUnknown = true;
  }
  if (isRequestUnknown && result.unknownOps.insert(op).second)
    result.unknownRequests.insert(op);
}

void UnitReader::read(Operation *op) {
  current = op;
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    return read(mpiOp);
  auto it = analysis.model->instructions.find(op);
  if (it == analysis.model->instructions.end()) {
    if (!isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>())
      setUnknown();
    return;
  }
  for (llvm::Instruction *instruction : it->second)
    read(*instruction);
}

Footprint UnitReader::read() {
  unit.walk([&](Operation *op) { read(op); });
  return result;
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

llvm::Function *LLVMFootprints::getFunction(const Unit &unit) {
  auto function = unit.op->getParentOfType<LLVM::LLVMFuncOp>();
  return function ? model->module->getFunction(function.getName()) : nullptr;
}

/// Returns the loops whose headers are in the unit, outermost first.
llvm::SmallVector<const llvm::Loop *> LLVMFootprints::findLoops(const Unit &unit) {
  llvm::SmallVector<const llvm::Loop *> found;
  llvm::Function *function = getFunction(unit);
  if (!unit.isPiece() || !function)
    return found;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> interior;
  for (Block *block : unit.interior)
    if (const llvm::BasicBlock *translated = values.getBlock(block))
      interior.insert(translated);
  for (const llvm::Loop *loop : functionAnalyses.getResult<llvm::LoopAnalysis>(*function).getLoopsInPreorder())
    if (interior.contains(loop->getHeader()))
      found.push_back(loop);
  return found;
}

/// Calls `fn` with the scope of the unit. Returns false if the function has no translated body.
bool LLVMFootprints::withScope(const Unit &unit, llvm::function_ref<void(const Scope &)> fn) {
  llvm::Function *function = getFunction(unit);
  if (!function || function->isDeclaration())
    return false;
  llvm::SmallPtrSet<Operation *, 16> inside;
  llvm::SmallPtrSet<Block *, 8> interior(unit.interior.begin(), unit.interior.end());
  unit.walk([&](Operation *op) { inside.insert(op); });
  auto getAvailable = [&](const llvm::Value *value) -> Value {
    Value original = values.get(value);
    if (!original || original.getParentBlock() == unit.join)
      return {};
    if (Operation *op = original.getDefiningOp())
      return inside.contains(op) ? Value() : original;
    return interior.contains(original.getParentBlock()) ? Value() : original;
  };
  Scope scope{functionAnalyses.getResult<llvm::ScalarEvolutionAnalysis>(*function),
              functionAnalyses.getResult<llvm::LoopAnalysis>(*function), llvm::DenseMap<const llvm::Loop *, unsigned>(),
              getAvailable};
  for (auto [number, loop] : llvm::enumerate(findLoops(unit)))
    scope.inUnit[loop] = number;
  fn(scope);
  return true;
}

Footprint LLVMFootprints::compute(const Unit &unit, KeptLoops kept, RowTables *rows) {
  Footprint result;
  if (!withScope(unit, [&](const Scope &scope) { result = UnitReader(*this, unit, scope, kept, rows).read(); }))
    result.isUnknown = true;
  return result;
}

FootprintAnalysis::Iterations LLVMFootprints::getIterations(const Unit &unit) {
  Iterations result;
  llvm::SmallVector<const llvm::Loop *> loops = findLoops(unit);
  if (loops.empty() || llvm::count_if(loops, [&](const llvm::Loop *loop) { return !loops.front()->contains(loop); }))
    return result;
  result.isLoop = true;
  result.footprint = compute(unit, llvm::ArrayRef(loops).take_front());
  llvm::SmallPtrSet<Block *, 8> interior(unit.interior.begin(), unit.interior.end());
  auto getAvailable = [&](const llvm::Value *value) -> Value {
    Value original = values.get(value);
    return original && original.getParentBlock() != unit.join && !interior.contains(original.getParentBlock())
               ? original
               : Value();
  };
  llvm::Function &function = *getFunction(unit);
  Scope scope{functionAnalyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
              functionAnalyses.getResult<llvm::LoopAnalysis>(function),
              {{loops.front(), 0}},
              getAvailable};
  ScalarTranslator scalars(scope, &*loops.front()->getHeader()->getFirstInsertionPt());
  result.count = scalars.getLastIteration(*loops.front()) + Expr(1);
  return result;
}

FootprintAnalysis::Loop LLVMFootprints::describe(const llvm::Loop &loop, const Scope &scope) {
  Loop result;
  result.header = values.getOriginal(loop.getHeader());
  result.latch = values.getOriginal(loop.getLoopLatch());
  result.count = Expr::unknown();
  if (!result.header || !result.latch)
    return result;
  ScalarTranslator scalars(scope, &*loop.getHeader()->getFirstInsertionPt());
  llvm::ScalarEvolution &evolution = scope.scalars;
  bool endsAtLatch = loop.getExitingBlock() == loop.getLoopLatch() && loop.getExitBlock();
  if (endsAtLatch && !llvm::isa<llvm::SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(&loop))) {
    // The number of points may be the same for either color, so compare the counts of all choices.
    Choices choices;
    bool isFirst = true, isSame = true;
    do {
      Expr count =
          ScalarTranslator(scope, &*loop.getHeader()->getFirstInsertionPt(), &choices).getLastIteration(loop) + Expr(1);
      isSame &= isFirst || count == result.count;
      result.count = count;
      isFirst = false;
    } while (choices.advance());
    if (!isSame || choices.areTooMany() || ScalarTranslator::hasExtreme(result.count))
      result.count = Expr::unknown();
  } else if (endsAtLatch) {
    result.count = scalars.getLastOfNarrow(loop) + Expr(1);
    result.holds = scalars.getRangesHold();
  }
  for (BlockArgument argument : result.header->getArguments()) {
    result.steps.push_back(Expr::unknown());
    llvm::Value *phi = values.getTranslated(argument);
    if (!phi || !evolution.isSCEVable(phi->getType()))
      continue;
    const auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(phi));
    if (recurrence && recurrence->isAffine() && recurrence->getLoop() == &loop)
      result.steps.back() = scalars.translate(recurrence->getStepRecurrence(evolution), /*modulo64=*/false);
  }
  return result;
}

FootprintAnalysis::Nest LLVMFootprints::getNest(const Unit &unit, RowTables *rows) {
  Nest nest;
  llvm::SmallVector<const llvm::Loop *> loops = findLoops(unit), chosen;
  for (const llvm::Loop *loop : loops) {
    const llvm::Loop *around = chosen.empty() ? nullptr : chosen.back();
    bool isOnly =
        llvm::count_if(loops, [&](const llvm::Loop *other) {
          return around ? other->getParentLoop() == around : !llvm::is_contained(loops, other->getParentLoop());
        }) == 1;
    if (!isOnly || (around && loop->getParentLoop() != around))
      break;
    chosen.push_back(loop);
  }
  if (chosen.empty())
    return nest;
  for (unsigned depth = 0; depth <= chosen.size(); ++depth)
    nest.footprints.push_back(compute(unit, llvm::ArrayRef(chosen).take_front(depth), rows));
  withScope(unit, [&](const Scope &scope) {
    for (const llvm::Loop *loop : chosen)
      nest.loops.push_back(describe(*loop, scope));
  });
  return nest;
}

FootprintAnalysis::Scratch LLVMFootprints::findScratch(const Unit &unit, const Base &base, RowTables *rows) {
  Scratch scratch;
  llvm::SmallVector<const llvm::Loop *> loops = findLoops(unit);
  if (loops.empty())
    return scratch;
  const auto &dominance = functionAnalyses.getResult<llvm::DominatorTreeAnalysis>(*getFunction(unit));
  withScope(unit, [&](const Scope &scope) {
    auto getFootprint = [&](KeptLoops kept) { return UnitReader(*this, unit, scope, kept, rows).read(); };
    scratch = ScratchReader(scope, values, dominance, *loops.front(), getFootprint).find(base);
  });
  return scratch;
}

/// By induction over the iterations in their order: those before the first one that would leave have run as counted, so
/// what scalar evolution concluded from their tests holds for them.
Predicate LLVMFootprints::findStaying(const Unit &unit) {
  Predicate stays = Predicate::always();
  bool isKnown = withScope(unit, [&](const Scope &scope) {
    for (BlockOperand *exit : unit.exits) {
      const llvm::BasicBlock *block = values.getBlock(exit->getOwner()->getBlock());
      const auto *branch = block ? llvm::dyn_cast<llvm::BranchInst>(block->getTerminator()) : nullptr;
      unsigned successor = exit->getOperandNumber();
      if (!branch || !branch->isConditional() || branch->getSuccessor(successor) != values.getBlock(exit->get())) {
        stays = Predicate::never();
        return;
      }
      ScalarTranslator scalars(scope, const_cast<llvm::BranchInst *>(branch));
      scalars.ignoreOtherExits();
      stays = stays && scalars.holdsAlways(branch->getCondition(), /*isTrue=*/successor == 1);
    }
  });
  return isKnown ? stays : Predicate::never();
}

std::unique_ptr<FootprintAnalysis> FootprintAnalysis::create(ModuleOp module) {
  std::unique_ptr<LLVMModel> model = LLVMModel::build(module);
  return model ? std::make_unique<LLVMFootprints>(std::move(model)) : nullptr;
}

std::unique_ptr<FootprintAnalysis> FootprintAnalysis::create(MemoryOracle &oracle) {
  LLVMModel *model = oracle.getModel();
  return model ? std::make_unique<LLVMFootprints>(*model) : nullptr;
}
