//===- TypeTags.cpp - What clang says about the types of accesses ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/TypeTags.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace comm;

LLVM::TBAATagAttr comm::getTypeTag(Operation *access) {
  auto typed = dyn_cast<LLVM::AliasAnalysisOpInterface>(access);
  ArrayAttr tags = typed ? typed.getTBAATagsOrNull() : ArrayAttr();
  return tags && tags.size() == 1 ? dyn_cast<LLVM::TBAATagAttr>(tags[0]) : LLVM::TBAATagAttr();
}

bool comm::isCharacter(Attribute type) {
  auto descriptor = dyn_cast<LLVM::TBAATypeDescriptorAttr>(type);
  return !descriptor || descriptor.getId() == "omnipotent char";
}

bool comm::hasPointer(LLVM::TBAATypeDescriptorAttr structure) {
  SmallVector<LLVM::TBAATypeDescriptorAttr> work{structure};
  llvm::SmallPtrSet<const void *, 8> seen;
  while (!work.empty()) {
    LLVM::TBAATypeDescriptorAttr type = work.pop_back_val();
    if (!seen.insert(type.getAsOpaquePointer()).second)
      continue;
    if (type.getId() == "any pointer")
      return true;
    for (LLVM::TBAAMemberAttr member : type.getMembers())
      if (auto descriptor = dyn_cast<LLVM::TBAATypeDescriptorAttr>(member.getTypeDesc()))
        work.push_back(descriptor);
  }
  return false;
}
