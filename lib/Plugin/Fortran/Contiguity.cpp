//===- Contiguity.cpp - Sections of arrays without gaps -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Fortran/Contiguity.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace comm;

/// Where a descriptor has its members (flang's ISO_Fortran_binding.h): the size of an element, the rank, and for each
/// dimension a lower bound, an extent and the distance of elements in bytes.
static constexpr int64_t kElementSize = 8, kRank = 20, kDimensions = 24, kOfDimension = 24, kExtent = 8, kDistance = 16;

/// Looks no further back from a call than this.
static constexpr unsigned kMostInstructions = 200;

namespace {
/// Reads what a block has stored into a descriptor before a call.
class StoredDescriptor {
public:
  StoredDescriptor(CallInst &call, AAResults &aliases)
      : call(call), aliases(aliases), layout(call.getModule()->getDataLayout()), descriptor(call.getArgOperand(0)) {}

  /// Returns the value of the last store there, or null if unknown.
  Value *get(int64_t offset, unsigned width);
  std::optional<int64_t> getNumber(int64_t offset, unsigned width) {
    auto *number = dyn_cast_or_null<ConstantInt>(get(offset, width));
    return number ? std::optional(number->getSExtValue()) : std::nullopt;
  }

private:
  CallInst &call;
  AAResults &aliases;
  const DataLayout &layout;
  Value *descriptor;
};
} // namespace

Value *StoredDescriptor::get(int64_t offset, unsigned width) {
  constexpr unsigned bitsOfByte = 8;
  unsigned looked = 0;
  for (Instruction *before = call.getPrevNode(); before && looked < kMostInstructions;
       before = before->getPrevNode(), ++looked) {
    auto *store = dyn_cast<StoreInst>(before);
    APInt place(layout.getIndexTypeSizeInBits(descriptor->getType()), 0);
    bool isHere = store && store->isSimple() &&
                  store->getPointerOperand()->stripAndAccumulateConstantOffsets(
                      layout, place, /*AllowNonInbounds=*/true) == descriptor;
    if (isHere) {
      int64_t begin = place.getSExtValue(), size = layout.getTypeStoreSize(store->getValueOperand()->getType());
      if (begin == offset && store->getValueOperand()->getType()->isIntegerTy(width))
        return store->getValueOperand();
      if (begin < offset + width / bitsOfByte && offset < begin + size)
        return nullptr;
      continue;
    }
    if (before->mayWriteToMemory() &&
        isModSet(aliases.getModRefInfo(before, MemoryLocation::getBeforeOrAfter(descriptor))))
      return nullptr;
  }
  return nullptr;
}

/// Returns true if the value is `factor` times the number.
static bool isProduct(Value *value, Value *number, Value *factor) {
  using namespace PatternMatch;
  auto *constant = dyn_cast<ConstantInt>(factor);
  return match(value, m_c_Mul(m_Specific(number), m_Specific(factor))) ||
         (constant && constant->getValue().isPowerOf2() &&
          match(value, m_Shl(m_Specific(number), m_SpecificInt(constant->getValue().logBase2()))));
}

/// Elements follow each other if the distance in the first dimension is the size of an element, and in each further one
/// that of all elements of the dimension before it.
static bool isContiguous(CallInst &call, AAResults &aliases) {
  constexpr unsigned wide = 64, byte = 8;
  StoredDescriptor descriptor(call, aliases);
  std::optional<int64_t> rank = descriptor.getNumber(kRank, byte);
  Value *expected = rank && *rank > 0 ? descriptor.get(kElementSize, wide) : nullptr;
  if (!expected)
    return false;
  Value *extent = nullptr;
  for (int64_t dimension = 0; dimension < *rank; ++dimension) {
    int64_t at = kDimensions + kOfDimension * dimension;
    Value *distance = descriptor.get(at + kDistance, wide);
    bool isNext = distance && (dimension == 0 ? distance == expected : extent && isProduct(distance, extent, expected));
    if (!isNext)
      return false;
    expected = distance;
    extent = descriptor.get(at + kExtent, wide);
  }
  return true;
}

bool comm::asksForContiguity(const Module &module) { return module.getFunction(kIsContiguous); }

bool comm::foldContiguity(Function &function, AAResults &aliases) {
  Function *asks = function.getParent()->getFunction(kIsContiguous);
  if (!asks || !asks->isDeclaration())
    return false;
  SmallVector<CallInst *> folded;
  for (User *user : asks->users())
    if (auto *call = dyn_cast<CallInst>(user); call && call->getFunction() == &function &&
                                               call->getCalledFunction() == asks && call->arg_size() == 1 &&
                                               call->getType()->isIntegerTy(1) && isContiguous(*call, aliases))
      folded.push_back(call);
  for (CallInst *call : folded) {
    call->replaceAllUsesWith(ConstantInt::getTrue(call->getContext()));
    call->eraseFromParent();
  }
  return !folded.empty();
}
