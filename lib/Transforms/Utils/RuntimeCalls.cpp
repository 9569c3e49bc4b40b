//===- RuntimeCalls.cpp - Calls of Comm's runtime --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Utils/RuntimeCalls.h"

#include "Comm/Dialect/Comm/Utils/Callee.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace comm;

RuntimeCalls::RuntimeCalls(ModuleOp module) : module(module) {}

Value RuntimeCalls::call(OpBuilder &builder, Location loc, StringRef name, Type result, ValueRange arguments) {
  LLVM::LLVMFuncOp function = getOrDeclareFunction(builder, module, name, result, arguments.getTypes());
  auto call = LLVM::CallOp::create(builder, loc, function, arguments);
  return result ? call.getResult() : Value();
}

Value RuntimeCalls::getString(OpBuilder &builder, Location loc, StringRef text) {
  LLVM::GlobalOp &global = strings[text];
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    std::string withNull = text.str() + '\0';
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), withNull.size());
    std::string name;
    do
      name = "comm.string." + std::to_string(next++);
    while (module.lookupSymbol(name));
    global = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Private, name,
                                    builder.getStringAttr(withNull));
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value RuntimeCalls::makeTable(OpBuilder &builder, Location loc, StringRef name, ArrayRef<int64_t> numbers) {
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI64Type(), numbers.size());
    std::string unique;
    do
      unique = (name + "." + llvm::Twine(next++)).str();
    while (module.lookupSymbol(unique));
    global = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Private, unique,
                                    builder.getI64TensorAttr(numbers));
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value RuntimeCalls::makeGlobal(OpBuilder &builder, Location loc, StringRef name, Type type, bool isConstant,
                               llvm::function_ref<Value(OpBuilder &)> fill) {
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    std::string unique;
    do
      unique = (name + "." + llvm::Twine(next++)).str();
    while (module.lookupSymbol(unique));
    global = LLVM::GlobalOp::create(builder, module.getLoc(), type, isConstant, LLVM::Linkage::Internal, unique,
                                    Attribute());
    builder.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(builder, module.getLoc(), fill(builder));
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value RuntimeCalls::makeSite(OpBuilder &builder, MPIOpInterface op, StringRef name, unsigned abiVersion,
                             bool isConstant, ArrayRef<std::string> texts, ArrayRef<Type> more) {
  Type i32 = builder.getI32Type(), pointer = LLVM::LLVMPointerType::get(builder.getContext());
  SmallVector<Type> fields{i32, i32, i32, i32, pointer, pointer, pointer};
  fields.append(texts.size(), pointer);
  llvm::append_range(fields, more);
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), fields);
  Location loc = op.getLoc();
  SourcePosition position = getSourcePosition(loc);
  return makeGlobal(builder, loc, name, type, isConstant, [&](OpBuilder &inner) -> Value {
    Value site = LLVM::ZeroOp::create(inner, loc, type);
    auto set = [&](int64_t field, Value value) {
      site = LLVM::InsertValueOp::create(inner, loc, site, value, ArrayRef<int64_t>{field});
    };
    auto number = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(inner, loc, i32, inner.getI32IntegerAttr(value));
    };
    set(0, number(abiVersion));
    set(1, number(position.line));
    set(2, number(position.column));
    set(4, getString(inner, loc, getDisplayName(op)));
    set(5, getString(inner, loc, getFunctionName(op)));
    set(6, getString(inner, loc, position.file));
    for (auto [index, text] : llvm::enumerate(texts))
      set(7 + index, getString(inner, loc, text));
    return site;
  });
}

void RuntimeCalls::setSection(Value address, StringRef section, uint64_t alignment) {
  auto global = module.lookupSymbol<LLVM::GlobalOp>(address.getDefiningOp<LLVM::AddressOfOp>().getGlobalName());
  global.setSection(section);
  global.setAlignment(alignment);
}
