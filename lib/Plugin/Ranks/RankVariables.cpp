//===- RankVariables.cpp - Variables that each rank copies ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankVariables.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace comm;

/// The displacement is a multiple of the page size.
static constexpr uint64_t pageSize = 4096;

/// Returns whether the symbol belongs to the compiler, the C++ ABI or a tool: programs do not assign to it, or it
/// serves the tool for all ranks.
static bool isReserved(const GlobalValue &value) {
  StringRef name = value.getName();
  for (StringRef prefix :
       {"llvm.", "_ZTV", "_ZTI", "_ZTS", "_ZTT", "_ZTC", "__llvm_", "__prof", "__sanc", "__asan", "__tsan", "__ubsan",
        "__start_", "__stop_", "comm_ranks.", "comm_ranks_displacement", "comm_ranks_call_site", "comm_overlap."})
    if (name.starts_with(prefix))
      return true;
  return name == "__dso_handle" || name == "_ZStL8__ioinit"; // has no state
}

/// Returns whether this is a thread-local variable of the C++ library, which must be accessed as the library does.
static bool isLibraryThreadLocal(const GlobalVariable &variable) {
  StringRef name = variable.getName();
  return variable.isDeclaration() &&
         (name.starts_with("_ZSt") || name.starts_with("_ZNSt") || name.starts_with("__") || name == "errno");
}

RankVariables::RankVariables(Module &module) : module(module) {
  for (GlobalVariable &variable : module.globals()) {
    if (isReserved(variable) || variable.hasAppendingLinkage() || isLibraryThreadLocal(variable))
      continue;
    if (variable.isDeclarationForLinker())
      (variable.isThreadLocal() ? foreign : declarations).insert(&variable);
    else if (variable.hasSection()) {
      // The program finds such variables by their section, so they must stay in it.
      if (!variable.isConstant())
        trouble.emplace_back(&variable, "it is in section '" + variable.getSection().str() + "'");
    } else if (!variable.isConstant() || variable.isThreadLocal())
      definitions.insert(&variable);
  }
  // A constant that holds the address of a per-rank variable differs between ranks, and so do constants that point to
  // it.
  for (bool changed = true; changed;) {
    changed = false;
    for (GlobalVariable &variable : module.globals())
      if (variable.isConstant() && !variable.isDeclarationForLinker() && !isReserved(variable) &&
          !variable.hasAppendingLinkage() && !variable.hasSection() && !definitions.contains(&variable) &&
          hasRankPointers(variable))
        changed |= definitions.insert(&variable);
  }
  for (GlobalVariable &variable : module.globals())
    if (variable.isConstant() && variable.hasSection() && variable.hasInitializer() && !isReserved(variable) &&
        hasRankPointers(variable))
      trouble.emplace_back(&variable, "it is in section '" + variable.getSection().str() +
                                          "', so it points to what no rank uses: initialize it at run time");
  for (GlobalVariable *variable : definitions) {
    collectPointers(*variable);
    if (variable->getAlign().valueOrOne().value() > pageSize)
      trouble.emplace_back(variable, "its alignment is more than that of a page, which a rank's copy does not have");
  }
}

/// Returns whether the linker may choose another definition, which may have been built without ranks: one of several
/// equal ones, or one from a library that comes first.
static bool mayBeReplaced(const GlobalValue &value) {
  if (value.hasLocalLinkage())
    return false;
  return value.isWeakForLinker() || (value.hasDefaultVisibility() && !value.isDSOLocal());
}

Sharing RankVariables::of(const GlobalValue &value) const {
  const GlobalObject *object = isa<GlobalVariable>(value) ? cast<GlobalObject>(&value) : nullptr;
  if (const auto *alias = dyn_cast<GlobalAlias>(&value))
    object = alias->getAliaseeObject();
  const auto *variable = dyn_cast_or_null<GlobalVariable>(object);
  if (!variable)
    return Sharing::Shared;
  auto isIn = [&](const SetVector<GlobalVariable *> &set) {
    return set.contains(const_cast<GlobalVariable *>(variable));
  };
  if (isIn(definitions))
    return mayBeReplaced(value) ? Sharing::Unknown : Sharing::PerRank;
  return isIn(declarations) || isIn(foreign) ? Sharing::Unknown : Sharing::Shared;
}

namespace {
/// How the displacement affects a pointer (or number) in an initial value.
struct Dependence {
  int times = 0;                 // how often it is added: 1 for an address, 0 for a difference of two
  bool supported = true;         // false if the value must be computed at run time
  GlobalValue *target = nullptr; // the variable that decides, if that is unknown
};

class PointerWalk {
public:
  explicit PointerWalk(const RankVariables &variables, const DataLayout &layout)
      : variables(variables), layout(layout) {}

  Dependence of(const Constant *constant) const;
  /// Calls `found` for each pointer or number in `constant` that depends on the displacement.
  void visit(const Constant *constant, uint64_t offset, function_ref<void(uint64_t, Dependence, Type *)> found) const;

private:
  const RankVariables &variables;
  const DataLayout &layout;
};
} // namespace

Dependence PointerWalk::of(const Constant *constant) const {
  if (const auto *value = dyn_cast<GlobalValue>(constant)) {
    switch (variables.of(*value)) {
    case Sharing::Shared:
      return {};
    case Sharing::PerRank:
      return {1, true, nullptr};
    case Sharing::Unknown:
      return {1, true, const_cast<GlobalValue *>(value)};
    }
  }
  const auto *expression = dyn_cast<ConstantExpr>(constant);
  if (!expression)
    return {};
  Dependence first = of(expression->getOperand(0));
  switch (expression->getOpcode()) {
  case Instruction::GetElementPtr:
  case Instruction::BitCast:
  case Instruction::AddrSpaceCast:
    return first;
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
  case Instruction::IntToPtr:
    if (layout.getTypeSizeInBits(expression->getType()) <
        layout.getTypeSizeInBits(expression->getOperand(0)->getType()))
      first.supported &= first.times == 0;
    return first;
  case Instruction::Add:
  case Instruction::Sub: {
    Dependence second = of(expression->getOperand(1));
    int sign = expression->getOpcode() == Instruction::Add ? 1 : -1;
    bool bothDecided = first.target == second.target || !first.times || !second.times;
    return {first.times + sign * second.times, first.supported && second.supported && bothDecided,
            first.times ? first.target : second.target};
  }
  default:
    for (const Use &operand : expression->operands()) {
      Dependence other = of(cast<Constant>(operand));
      if (other.times || !other.supported)
        first = {1, false, nullptr};
    }
    return first;
  }
}

void PointerWalk::visit(const Constant *constant, uint64_t offset,
                        function_ref<void(uint64_t, Dependence, Type *)> found) const {
  if (isa<ConstantData>(constant) || isa<BlockAddress>(constant))
    return;
  if (const auto *aggregate = dyn_cast<ConstantAggregate>(constant)) {
    Type *type = aggregate->getType();
    for (unsigned i = 0, e = aggregate->getNumOperands(); i != e; ++i) {
      uint64_t at = 0;
      if (auto *structure = dyn_cast<StructType>(type))
        at = layout.getStructLayout(structure)->getElementOffset(i);
      else
        at = i * layout.getTypeAllocSize(aggregate->getOperand(i)->getType());
      visit(aggregate->getOperand(i), offset + at, found);
    }
    return;
  }
  Dependence dependence = of(constant);
  if (dependence.times || !dependence.supported)
    found(offset, dependence, constant->getType());
}

bool RankVariables::hasRankPointers(const GlobalVariable &variable) const {
  bool has = false;
  PointerWalk(*this, module.getDataLayout()).visit(variable.getInitializer(), 0, [&](uint64_t, Dependence, Type *) {
    has = true;
  });
  return has;
}

void RankVariables::collectPointers(GlobalVariable &variable) {
  const DataLayout &layout = module.getDataLayout();
  PointerWalk(*this, layout)
      .visit(variable.getInitializer(), 0, [&](uint64_t offset, Dependence dependence, Type *type) {
        if (dependence.supported && dependence.times == 1 && layout.getTypeStoreSize(type) == layout.getPointerSize())
          pointers.push_back({&variable, offset, dependence.target});
        else
          trouble.emplace_back(&variable, "its initial value computes with the address of another variable, which is "
                                          "right for no rank: initialize it at run time");
      });
}
