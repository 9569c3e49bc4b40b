//===- Markers.cpp - Asking the other files of a program ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/Dialect/Comm/Utils/FunctionFacts.h"
#include "Comm/MPI/Markers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

/// The question, declared as what it is: the answer depends on nothing that the program does; of an argument, on what
/// it was when it was made and on its not being freed.
static LLVM::LLVMFuncOp getQuestion(OpBuilder &builder, ModuleOp module, StringRef name, TypeRange arguments) {
  if (auto known = dyn_cast_or_null<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(module, name)))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto question =
      LLVM::LLVMFuncOp::create(builder, builder.getUnknownLoc(), name,
                               LLVM::LLVMFunctionType::get(builder.getI32Type(), SmallVector<Type>(arguments)));
  question.setPassthroughAttr(builder.getStrArrayAttr(comm::kUnnoticedFacts));
  auto effect = arguments.empty() ? LLVM::ModRefInfo::NoModRef : LLVM::ModRefInfo::Ref;
  question.setMemoryEffectsAttr(
      LLVM::MemoryEffectsAttr::get(builder.getContext(), {effect, effect, effect, effect, effect, effect}));
  return question;
}

Value comm::askRuntime(OpBuilder &builder, Location loc, StringRef name, ValueRange arguments) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  LLVM::LLVMFuncOp question = getQuestion(builder, module, name, arguments.getTypes());
  Value answer = LLVM::CallOp::create(builder, loc, question, arguments).getResult();
  Value no = LLVM::ZeroOp::create(builder, loc, answer.getType());
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, answer, no);
}

bool comm::isQuestion(Operation *op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  return call && call.getCallee() && call.getCallee()->starts_with(mpi::kAskPrefix);
}

Value comm::isMarked(OpBuilder &builder, Location loc, StringRef marker) {
  return askRuntime(builder, loc, mpi::getQuestion(marker));
}
