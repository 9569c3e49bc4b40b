//===- AddressConstants.cpp - MPI_BOTTOM and the like in Fortran ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressConstants.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

/// The constants that are converted in calls to the Fortran binding.
static constexpr StringLiteral constants[] = {"MPI_BOTTOM", "MPI_IN_PLACE", "MPI_STATUS_IGNORE", "MPI_STATUSES_IGNORE"};

std::string comm::getBlockSymbol(const mpi::ABI &abi, StringRef name) {
  StringRef block = abi.getFortranBlock(name);
  return block.empty() ? "" : (block + "_").str();
}

/// Returns whether flang's type information marks the access as one to a Fortran descriptor. The memory that it
/// describes was allocated or is a target, which no MPI constant is.
static bool isDescriptorMember(const Instruction &access) {
  const MDNode *tag = access.getMetadata(LLVMContext::MD_tbaa);
  const auto *type = tag && tag->getNumOperands() > 1 ? dyn_cast<MDNode>(tag->getOperand(1)) : nullptr;
  const auto *name = type && type->getNumOperands() ? dyn_cast<MDString>(type->getOperand(0)) : nullptr;
  return name && name->getString() == "descriptor member";
}

/// Returns whether the address may be that of one of MPI's common blocks, given that it does not name one. Programs
/// only pass these on whole; therefore an argument may be one, and so may an unknown address.
static bool mayBeBlock(const Value *address) {
  for (;;) {
    if (const auto *element = dyn_cast<GEPOperator>(address)) {
      if (!element->hasAllZeroIndices())
        return false;
      address = element->getPointerOperand();
    } else if (isa<AddrSpaceCastOperator, BitCastOperator>(address)) {
      address = cast<Operator>(address)->getOperand(0);
    } else {
      break;
    }
  }
  if (isa<AllocaInst, GlobalVariable>(address) || isNoAliasCall(address))
    return false;
  const auto *load = dyn_cast<LoadInst>(address);
  return !load || !isDescriptorMember(*load);
}

Value *AddressConstants::convert(IRBuilder<> &builder, Value *address, StringRef name) {
  std::string symbol = getBlockSymbol(abi, name);
  std::optional<mpi::HandleRepresentation> representation = abi.getAddress(name);
  if (symbol.empty() || !representation || representation->kind != mpi::HandleRepresentation::Pointer ||
      isa<ConstantPointerNull>(address))
    return address;
  Constant *inC = ConstantExpr::getIntToPtr(builder.getInt64(representation->value), builder.getPtrTy());
  if (representation->value == 0)
    inC = ConstantPointerNull::get(builder.getPtrTy());
  const Value *base = address->stripPointerCasts();
  if (isa<Constant>(base)) {
    const auto *global = dyn_cast<GlobalValue>(base);
    return global && global->getName() == symbol ? inC : address;
  }
  if (!mayBeBlock(address))
    return address;
  Constant *block = module.getOrInsertGlobal(symbol, builder.getInt32Ty());
  return builder.CreateSelect(builder.CreateICmpEQ(address, block), inC, address);
}

Value *AddressConstants::fold(const Instruction &inst) {
  const auto *comparison = dyn_cast<ICmpInst>(&inst);
  if (!comparison || !comparison->isEquality())
    return nullptr;
  const Value *address = comparison->getOperand(0);
  const auto *block = dyn_cast<GlobalVariable>(comparison->getOperand(1));
  if (!block) {
    block = dyn_cast<GlobalVariable>(address);
    address = comparison->getOperand(1);
  }
  auto isOf = [&](StringRef name) { return block->getName() == getBlockSymbol(abi, name); };
  if (!block || address->stripPointerCasts() == block || none_of(constants, isOf) || mayBeBlock(address))
    return nullptr;
  return ConstantInt::getBool(inst.getType(), comparison->getPredicate() == CmpInst::ICMP_NE);
}
