//===- Markers.cpp - Queries about a program's other files ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"
#include "Comm/Dialect/Comm/Utils/FunctionFacts.h"
#include "Comm/MPI/Markers.h"
#include "Comm/MPI/Standard.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace comm;

/// Declares the function with its effects: the result does not depend on anything that the program does. For a handle
/// argument, it depends only on how the object was created, and the object must not have been freed.
static LLVM::LLVMFuncOp getQuestion(OpBuilder &builder, ModuleOp module, StringRef name, Type result,
                                    TypeRange arguments, ArrayRef<LLVM::ModRefInfo> effects) {
  return getOrDeclareFunction(builder, module, name, result, arguments, [&](LLVM::LLVMFuncOp question) {
    question.setPassthroughAttr(builder.getStrArrayAttr(kUnnoticedFacts));
    question.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(builder.getContext(), effects));
  });
}

static Value isNotZero(OpBuilder &builder, Location loc, Value answer) {
  Value no = LLVM::ZeroOp::create(builder, loc, answer.getType());
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, answer, no);
}

static Value ask(OpBuilder &builder, Location loc, StringRef name, ValueRange arguments, LLVM::ModRefInfo effect) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  SmallVector<LLVM::ModRefInfo> effects(6, effect);
  LLVM::LLVMFuncOp question = getQuestion(builder, module, name, builder.getI32Type(), arguments.getTypes(), effects);
  return LLVM::CallOp::create(builder, loc, question, arguments).getResult();
}

Value comm::askRuntime(OpBuilder &builder, Location loc, StringRef name, ValueRange arguments) {
  LLVM::ModRefInfo effect = arguments.empty() ? LLVM::ModRefInfo::NoModRef : LLVM::ModRefInfo::Ref;
  return isNotZero(builder, loc, ask(builder, loc, name, arguments, effect));
}

Value comm::askRuntimeForNumber(OpBuilder &builder, Location loc, StringRef name, ValueRange arguments) {
  return ask(builder, loc, name, arguments, LLVM::ModRefInfo::NoModRef);
}

Value comm::askRuntimeAlone(OpBuilder &builder, Location loc, StringRef name, ValueRange arguments) {
  return isNotZero(builder, loc, askRuntimeForNumber(builder, loc, name, arguments));
}

/// Whether the call looks up an MPI object other than a request by its number in Fortran. A wait leaves these alone.
static bool looksUpHandle(LLVM::CallOp call, StringRef callee) {
  LLVM::MemoryEffectsAttr effects = call.getMemoryEffectsAttr();
  if (!effects || effects.getOther() != LLVM::ModRefInfo::NoModRef ||
      effects.getArgMem() != LLVM::ModRefInfo::NoModRef || effects.getInaccessibleMem() != LLVM::ModRefInfo::Ref)
    return false;
  const mpi::Function *function = mpi::lookupFunction(callee);
  return function && function->onlyConverts() && function->findRole(mpi::Role::Request, mpi::Direction::In) < 0 &&
         StringRef(function->resultType) != "MPI_Request";
}

bool comm::isQuestion(Operation *op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  std::optional<StringRef> callee = call ? call.getCallee() : std::nullopt;
  return callee && (callee->starts_with(mpi::kAskPrefix) || looksUpHandle(call, *callee));
}

//===----------------------------------------------------------------------===//
// Layouts of datatypes
//===----------------------------------------------------------------------===//

/// Each number of a layout, and the function that returns it.
static constexpr std::pair<llvm::StringLiteral, Value AskedLayout::*> numbersOfLayouts[] = {
    {mpi::kAskTypeBegin, &AskedLayout::begin},   {mpi::kAskTypeSize, &AskedLayout::size},
    {mpi::kAskTypeStride, &AskedLayout::stride}, {mpi::kAskTypeCount, &AskedLayout::count},
    {mpi::kAskTypeExtent, &AskedLayout::extent}, {mpi::kAskTypeColumn, &AskedLayout::column}};

/// Calls a function about datatypes. The program cannot write what MPI knows about them.
static Value askAboutLayouts(OpBuilder &builder, Location loc, StringRef name, Type result, ValueRange arguments) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  const auto none = LLVM::ModRefInfo::NoModRef;
  const LLVM::ModRefInfo effects[] = {none, none, LLVM::ModRefInfo::Ref, none, none, none};
  LLVM::LLVMFuncOp question = getQuestion(builder, module, name, result, arguments.getTypes(), effects);
  question.setNoUnwind(true);
  question.setWillReturn(true);
  return LLVM::CallOp::create(builder, loc, question, arguments).getResult();
}

AskedLayout comm::askLayout(OpBuilder &builder, Location loc, Value handle) {
  AskedLayout result;
  result.layout =
      askAboutLayouts(builder, loc, mpi::kAskTypeLayout, LLVM::LLVMPointerType::get(builder.getContext()), handle);
  for (auto [name, number] : numbersOfLayouts)
    result.*number = askAboutLayouts(builder, loc, name, builder.getI64Type(), result.layout);
  return result;
}

Value comm::areLayoutsApart(OpBuilder &builder, Location loc, Value layout, Value other, Value distance) {
  Value answer = askAboutLayouts(builder, loc, mpi::kAskLayoutsApart, builder.getI32Type(), {layout, other, distance});
  return isNotZero(builder, loc, answer);
}

/// Returns the layout if all its numbers are queried in the block of the call that returned it, and none otherwise.
static std::optional<AskedLayout> readLayout(Operation *asks) {
  AskedLayout result;
  result.layout = asks->getResult(0);
  unsigned numFound = 0;
  for (Operation *user : asks->getUsers())
    for (auto [name, number] : numbersOfLayouts)
      if (getCalleeName(user) == name && user->getBlock() == asks->getBlock() && !(result.*number)) {
        result.*number = user->getResult(0);
        ++numFound;
      }
  return numFound == std::size(numbersOfLayouts) ? std::optional(result) : std::nullopt;
}

std::optional<AskedLayout> comm::findAskedLayout(Value handle, Operation *op) {
  SmallVector<Operation *> elsewhere;
  for (Operation *user : handle.getUsers()) {
    if (getCalleeName(user) != mpi::kAskTypeLayout)
      continue;
    if (user->getBlock() != op->getBlock())
      elsewhere.push_back(user);
    else if (std::optional<AskedLayout> layout = user->isBeforeInBlock(op) ? readLayout(user) : std::nullopt)
      return layout;
  }
  // Most questions are in the block of the operation: dominance is rarely needed.
  std::optional<DominanceInfo> dominance;
  for (Operation *user : elsewhere) {
    if (!dominance)
      dominance.emplace();
    if (std::optional<AskedLayout> layout = dominance->dominates(user, op) ? readLayout(user) : std::nullopt)
      return layout;
  }
  return std::nullopt;
}

std::optional<AskedLayout> comm::getLayoutOfStride(Value number) {
  Operation *op = number.getDefiningOp();
  if (getCalleeName(op) != mpi::kAskTypeStride)
    return std::nullopt;
  Operation *asks = op->getOperand(0).getDefiningOp();
  return getCalleeName(asks) == mpi::kAskTypeLayout ? readLayout(asks) : std::nullopt;
}

bool comm::isAskedLength(Value number) {
  StringRef name = getCalleeName(number.getDefiningOp());
  return name == mpi::kAskTypeSize || name == mpi::kAskTypeStride || name == mpi::kAskTypeCount ||
         name == mpi::kAskTypeColumn;
}

Value comm::isMarked(OpBuilder &builder, Location loc, StringRef marker) {
  return askRuntime(builder, loc, mpi::getQuestion(marker));
}
