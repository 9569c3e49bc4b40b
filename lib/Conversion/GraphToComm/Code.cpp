//===- Code.cpp - Memory, calls and numbers for the graph lowering -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Code.h"

#include "Comm/Dialect/Comm/Utils/Callee.h"
#include "Comm/Dialect/Comm/Utils/FunctionFacts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace comm::graphlowering;

Type Code::pointer() { return LLVM::LLVMPointerType::get(builder.getContext()); }

Value Code::constant(TypedAttr value) { return arith::ConstantOp::create(builder, value); }

Value Code::integer(int64_t value, unsigned bits) {
  return constant(builder.getIntegerAttr(builder.getIntegerType(bits), value));
}

Value Code::null() { return LLVM::ZeroOp::create(builder, pointer()); }

Value Code::isNull(Value pointer) { return LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::eq, pointer, null()); }

Value Code::add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(a, b); }
Value Code::sub(Value a, Value b) { return builder.createOrFold<arith::SubIOp>(a, b); }
std::pair<Value, Value> Code::addWithOverflow(Value a, Value b, bool subtracts) {
  Type type = LLVM::LLVMStructType::getLiteral(builder.getContext(), {a.getType(), i1()});
  Value both = subtracts ? Value(LLVM::SSubWithOverflowOp::create(builder, type, a, b))
                         : Value(LLVM::SAddWithOverflowOp::create(builder, type, a, b));
  return {LLVM::ExtractValueOp::create(builder, both, 0), LLVM::ExtractValueOp::create(builder, both, 1)};
}
Value Code::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(builder, predicate, a, b);
}
Value Code::least(Value a, Value b) { return arith::MinSIOp::create(builder, a, b); }
Value Code::both(Value a, Value b) { return arith::AndIOp::create(builder, a, b); }
Value Code::either(Value a, Value b) { return arith::OrIOp::create(builder, a, b); }

Value Code::widen(Value value) {
  Type type = value.getType();
  if (type.isInteger(64))
    return value;
  return type.isInteger(1) ? Value(arith::ExtUIOp::create(builder, i64(), value))
                           : Value(arith::ExtSIOp::create(builder, i64(), value));
}

Value Code::isTrue(Value number) {
  return compare(arith::CmpIPredicate::ne, number, integer(0, number.getType().getIntOrFloatBitWidth()));
}

Value Code::load(Type type, Value address) {
  if (!type.isInteger(1))
    return LLVM::LoadOp::create(builder, type, address);
  return isTrue(LLVM::LoadOp::create(builder, i8(), address));
}

void Code::store(Value value, Value address) {
  if (value.getType().isInteger(1))
    value = arith::ExtUIOp::create(builder, i8(), value);
  LLVM::StoreOp::create(builder, value, address);
}

void Code::prefetch(Value address) { LLVM::Prefetch::create(builder, address, /*rw=*/0, /*hint=*/3, /*cache=*/1); }

Value Code::element(Value base, Type type, Value index) {
  Type stored = type.isInteger(1) ? i8() : type;
  return LLVM::GEPOp::create(builder, pointer(), stored, base, ArrayRef<LLVM::GEPArg>{index});
}

Value Code::field(Value base, int64_t bytes) {
  if (!bytes)
    return base;
  return LLVM::GEPOp::create(builder, pointer(), i8(), base, ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

int64_t Code::sizeOf(Type type) {
  if (!type.isIntOrFloat())
    return 8;
  return type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8;
}

Value Code::allocate(Block *entry, Type type, int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  Value size = LLVM::ConstantOp::create(builder, i64(), builder.getI64IntegerAttr(count));
  return LLVM::AllocaOp::create(builder, pointer(), type.isInteger(1) ? i8() : type, size, /*alignment=*/8);
}

/// What Comm's passes may assume about runtime functions that run while communication is in progress; see
/// comm/graph_run.h.
namespace {
struct Effects {
  StringLiteral name;
  /// Does not communicate or wait, and terminates.
  bool isLocal;
  /// Returns memory that nothing else accesses.
  bool isFresh;
  /// Touches only the memory of its arguments and memory private to the runtime.
  bool touchesArguments;
  /// Bit masks of arguments whose memory it does not write, and of arguments that it does not keep.
  unsigned readOnly, notKept;
};
} // namespace
static constexpr Effects runtimeEffects[] = {
    {"comm_graph_run_pack", true, true, false, 0, 0},
    {"comm_graph_run_arrivals", true, true, false, 0, 0},
    {"comm_graph_run_gather_begin", true, true, false, 0, 0},
    {"comm_graph_run_gather_own", true, false, true, 0b0101, 0b1100},
    {"comm_graph_run_arrive", true, false, false, 0, 0b0010},
    {"comm_graph_run_gather_rest", true, false, false, 0, 0b1100},
    {"comm_graph_run_ghosts_pack", true, true, false, 0b100, 0b100},
    {"comm_graph_run_ghosts_counts", true, true, false, 0, 0},
    {"comm_graph_run_ghosts_arrivals", true, true, false, 0b10, 0b10},
    {"comm_graph_run_ghosts_arrive", true, false, false, 0b1110, 0b1110},
    {"comm_graph_run_updates_pack", true, true, false, 0, 0},
    {"comm_graph_run_updates_counts", true, true, false, 0, 0},
    {"comm_graph_run_updates_arrivals", true, true, false, 0b10, 0b10},
    {"comm_graph_run_updates_arrive", false, false, false, 0b1110, 0b1110},
    {"comm_graph_run_touch", true, false, false, 0, 0},
    {"comm_graph_run_tie", true, false, false, 0b100, 0b100},
    {"comm_graph_run_waits", true, false, false, 0, 0b1},
    {"comm_graph_run_add", true, false, false, 0, 0},
};

static void declareEffects(LLVM::LLVMFuncOp function) {
  const Effects *effects =
      llvm::find_if(runtimeEffects, [&](const Effects &each) { return each.name == function.getName(); });
  if (effects == std::end(runtimeEffects))
    return;
  Builder builder(function.getContext());
  if (effects->isLocal) {
    SmallVector<StringRef> facts(std::begin(comm::kUnnoticedFacts), std::end(comm::kUnnoticedFacts));
    facts.append({"nounwind", "willreturn"});
    function.setPassthroughAttr(builder.getStrArrayAttr(facts));
  }
  if (effects->isFresh)
    function.setResultAttr(0, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  using LLVM::ModRefInfo;
  if (effects->touchesArguments)
    function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
        function.getContext(), {/*other=*/ModRefInfo::NoModRef, /*argMem=*/ModRefInfo::ModRef,
                                /*inaccessibleMem=*/ModRefInfo::ModRef, /*errnoMem=*/ModRefInfo::NoModRef,
                                /*targetMem0=*/ModRefInfo::NoModRef, /*targetMem1=*/ModRefInfo::NoModRef}));
  for (unsigned argument = 0; argument < function.getNumArguments(); ++argument) {
    if (effects->readOnly >> argument & 1)
      function.setArgAttr(argument, LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
    if (effects->notKept >> argument & 1)
      function.setArgAttr(argument, LLVM::LLVMDialect::getNoCaptureAttrName(), builder.getUnitAttr());
  }
}

Value Code::call(StringRef name, Type result, ValueRange arguments) {
  auto describe = [&](LLVM::LLVMFuncOp declaration) {
    declareEffects(declaration);
    if (!name.starts_with("comm_graph_run_stop"))
      return;
    // Loops need not preserve their registers across a call that ends the program. The call ends all processes, so
    // nobody can observe the communication in progress, and no wait needs to come before it.
    SmallVector<StringRef> facts(std::begin(comm::kUnnoticedFacts), std::end(comm::kUnnoticedFacts));
    facts.append({"noreturn", "cold"});
    declaration.setPassthroughAttr(builder.getStrArrayAttr(facts));
  };
  LLVM::LLVMFuncOp function = getOrDeclareFunction(builder, module, name, result, arguments.getTypes(), describe);
  auto call = LLVM::CallOp::create(builder, function, arguments);
  return result ? call.getResult() : Value();
}

Block *Code::makeFunction(StringRef name, ArrayRef<Type> arguments, bool isPrivate) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), arguments);
  auto function = LLVM::LLVMFuncOp::create(builder, name, type);
  if (isPrivate)
    function.setLinkage(LLVM::Linkage::Internal);
  return function.addEntryBlock(builder);
}

Value Code::addressOf(Block *entry) {
  return LLVM::AddressOfOp::create(builder, cast<LLVM::LLVMFuncOp>(entry->getParentOp()));
}

void Code::finish(Block *block) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  LLVM::ReturnOp::create(builder, ValueRange());
}

void Code::makeString(StringRef name, StringRef text) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  std::string withNull = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(i8(), withNull.size());
  bool isPublic = !name.empty() && name.front() != '.';
  LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true,
                         isPublic ? LLVM::Linkage::External : LLVM::Linkage::Private, name,
                         builder.getStringAttr(withNull));
}

Value Code::string(StringRef text) {
  std::string &name = strings[text];
  if (name.empty()) {
    name = ".graph." + std::to_string(strings.size());
    makeString(name, text);
  }
  return LLVM::AddressOfOp::create(builder, pointer(), name);
}

Value Code::fromSlot(Value slots, int64_t index, Type type) { return load(type, field(slots, 8 * index)); }

std::string comm::graphlowering::describePlace(Location loc) {
  std::string text;
  loc->walk([&](Location each) {
    auto place = dyn_cast<FileLineColLoc>(each);
    if (!place)
      return WalkResult::advance();
    text = (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ":" + Twine(place.getColumn())).str();
    return WalkResult::interrupt();
  });
  return text.empty() ? "an unknown place" : text;
}
