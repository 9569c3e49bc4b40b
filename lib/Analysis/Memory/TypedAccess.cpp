//===- TypedAccess.cpp - Types in messages and accesses -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/TypedAccess.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace comm;

/// Returns the name of a type in clang's metadata (a scalar, or a structure), or "".
static StringRef getTypeName(const MDNode *type) {
  auto *name = type && type->getNumOperands() >= 1 ? dyn_cast<MDString>(type->getOperand(0)) : nullptr;
  return name ? name->getString() : StringRef();
}

/// "p2 int" is a pointer to a pointer to an int. Returns its depth and sets `end` to the pointee type.
static unsigned getPointerDepth(StringRef name, StringRef &end) {
  unsigned depth = 0;
  if (!name.consume_front("p") || name.consumeInteger(10, depth) || !name.consume_front(" "))
    return 0;
  end = name;
  return depth;
}

static bool isPointer(StringRef name) {
  StringRef end;
  return name == "any pointer" || name == "vtable pointer" || getPointerDepth(name, end) > 0;
}

static bool isFloatingPoint(StringRef name) { return name == "float" || name == "double" || name == "long double"; }

static bool isInteger(StringRef name) { return is_contained({"bool", "short", "int", "long", "long long"}, name); }

/// Whether flang marks the access as part of an array descriptor: address, bounds and strides. No program variable is
/// one.
static bool isDescriptorMember(StringRef name) { return name == "descriptor member"; }

/// Whether clang's type contains a pointer, also in nested members.
static bool hasPointer(const MDNode *type) {
  SmallVector<const MDNode *> work{type};
  SmallPtrSet<const MDNode *, 8> seen;
  while (!work.empty()) {
    const MDNode *next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (isPointer(getTypeName(next)))
      return true;
    for (const MDOperand &member : drop_begin(next->operands()))
      if (auto *node = dyn_cast_or_null<MDNode>(member.get()))
        work.push_back(node);
  }
  return false;
}

/// Whether the pointer is not a request handle. Those point to a structure (ompi_request_t, MPI_ABI_Request).
static bool isOtherPointer(StringRef name) {
  StringRef end;
  unsigned depth = getPointerDepth(name, end);
  bool isStructure = end.starts_with("_ZTS") && !end.contains_insensitive("request");
  return name == "vtable pointer" || depth > 1 ||
         (depth == 1 && (isStructure || isInteger(end) || isFloatingPoint(end) || end == "omnipotent char"));
}

static bool isSimple(const Instruction &access) {
  if (auto *load = dyn_cast<LoadInst>(&access))
    return load->isSimple();
  auto *store = dyn_cast<StoreInst>(&access);
  return store && store->isSimple();
}

bool comm::storesNumber(const Instruction &instruction) {
  const MDNode *tag =
      isa<StoreInst>(instruction) && isSimple(instruction) ? instruction.getMetadata(LLVMContext::MD_tbaa) : nullptr;
  return tag && tag->getNumOperands() >= 3 &&
         isFloatingPoint(getTypeName(dyn_cast_or_null<MDNode>(tag->getOperand(1))));
}

/// Whether the type is flang's descriptor of an allocatable or pointer: an address, the element size, a version, and
/// four small numbers, followed by bounds.
static bool isDescriptor(const Type *type) {
  const auto *structure = dyn_cast<StructType>(type);
  if (!structure || structure->getNumElements() < 7 || !structure->getElementType(0)->isPointerTy())
    return false;
  constexpr unsigned widths[] = {64, 32, 8, 8, 8, 8};
  return all_of(enumerate(widths),
                [&](auto width) { return structure->getElementType(width.index() + 1)->isIntegerTy(width.value()); });
}

static bool loadsFromDescriptor(const Instruction &instruction) {
  auto *load = dyn_cast<LoadInst>(&instruction);
  const auto *variable = load && load->isSimple()
                             ? dyn_cast<GlobalVariable>(load->getPointerOperand()->stripInBoundsConstantOffsets())
                             : nullptr;
  return variable && isDescriptor(variable->getValueType());
}

static bool loadsPointerVariable(const Instruction &instruction) {
  auto *load = dyn_cast<LoadInst>(&instruction);
  auto *variable = load && load->isSimple() ? dyn_cast<GlobalVariable>(load->getPointerOperand()) : nullptr;
  return variable && variable->getValueType()->isPointerTy() && load->getType()->isPointerTy();
}

bool comm::areNumberAndPointerVariable(const Instruction &a, const Instruction &b) {
  return (storesNumber(a) && loadsPointerVariable(b)) || (storesNumber(b) && loadsPointerVariable(a));
}

//===----------------------------------------------------------------------===//
// Structures
//===----------------------------------------------------------------------===//

/// Extracts the enclosing type and the accessed type.
static bool splitTag(const MDNode *tag, const MDNode *&around, const MDNode *&accessed) {
  if (!tag || tag->getNumOperands() < 3)
    return false;
  around = dyn_cast_or_null<MDNode>(tag->getOperand(0).get());
  accessed = dyn_cast_or_null<MDNode>(tag->getOperand(1).get());
  return around && accessed;
}

static int64_t getOffset(const MDNode *node, unsigned operand) {
  auto *number = mdconst::dyn_extract_or_null<ConstantInt>(node->getOperand(operand));
  return number ? number->getSExtValue() : 0;
}

/// Returns the offset of a structure's last member. The metadata does not have the size.
static int64_t getLastOffset(const MDNode *type) { return getOffset(type, type->getNumOperands() - 1); }

/// Whether the structure has no type information at this offset: clang describes arrays this way, whatever their
/// elements are.
static bool isInUntypedMember(const MDNode *type, int64_t offset) {
  bool isUntyped = false;
  for (unsigned member = 1; member + 1 < type->getNumOperands() && getOffset(type, member + 1) <= offset; member += 2)
    isUntyped = getTypeName(dyn_cast_or_null<MDNode>(type->getOperand(member).get())) == "omnipotent char";
  return isUntyped && offset < getLastOffset(type);
}

/// Returns the base pointer of the address, and the constant `offset` that is added to it.
static const Value *getBase(const Instruction &access, int64_t &offset) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  const DataLayout &layout = access.getDataLayout();
  APInt bytes(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value *base = pointer->stripAndAccumulateConstantOffsets(layout, bytes, /*AllowNonInbounds=*/true);
  offset = bytes.getSExtValue();
  return base;
}

/// The same if a variable number of elements is added as well.
static const Value *getBaseOfArray(const Instruction &access, int64_t &offset) {
  const Value *base = getBase(access, offset);
  auto *element = dyn_cast<GEPOperator>(base);
  const DataLayout &layout = access.getDataLayout();
  unsigned width = layout.getIndexTypeSizeInBits(base->getType());
  SmallMapVector<Value *, APInt, 4> variable;
  APInt constant(width, 0);
  if (!element || !element->collectOffset(layout, width, variable, constant) || variable.size() != 1 ||
      variable.front().second != layout.getTypeStoreSize(getLoadStoreType(&access)).getKnownMinValue())
    return base;
  offset += constant.getSExtValue();
  APInt before(width, 0);
  base = element->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, before, /*AllowNonInbounds=*/true);
  offset += before.getSExtValue();
  return base;
}

AccessTypes::AccessTypes(Function &function) : function(function) {
  for (const Instruction &instruction : instructions(function))
    if (isSimple(instruction) && instruction.getMetadata(LLVMContext::MD_tbaa)) {
      areKnown = true;
      noteStructure(instruction);
      notePointer(instruction);
    }
}

void AccessTypes::notePointer(const Instruction &access) {
  const MDNode *around = nullptr, *accessed = nullptr;
  if (!splitTag(access.getMetadata(LLVMContext::MD_tbaa), around, accessed) || !isPointer(getTypeName(accessed)))
    return;
  int64_t offset = 0;
  const Value *base = getBaseOfArray(access, offset);
  pointers[base].push_back({&access, offset});
}

void AccessTypes::noteStructure(const Instruction &access) {
  const MDNode *tag = access.getMetadata(LLVMContext::MD_tbaa), *around = nullptr, *accessed = nullptr;
  if (!splitTag(tag, around, accessed) || around == accessed)
    return;
  int64_t offset = 0;
  const Value *base = getBase(access, offset);
  structures[base].push_back({&access, around, offset - getOffset(tag, 2)});
}

bool AccessTypes::comesBefore(const Instruction &access, const Instruction &later) const {
  if (!dominance)
    dominance = std::make_unique<DominatorTree>(function);
  return dominance->dominates(&access, &later);
}

/// Returns a structure around the access that the function has accessed earlier through the same pointer. With a
/// variable index, the result is unknown.
std::optional<AccessTypes::Structure> AccessTypes::findStructure(const Instruction &access) const {
  int64_t fromBase = 0;
  auto it = structures.find(getBase(access, fromBase));
  if (it == structures.end())
    return std::nullopt;
  int64_t size = access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access)).getKnownMinValue();
  for (const Structure &structure : it->second) {
    int64_t offset = fromBase - structure.offset;
    if (offset >= 0 && offset + size <= getLastOffset(structure.type) && comesBefore(*structure.access, access))
      return structure;
  }
  return std::nullopt;
}

/// Whether the structure around the access contains pointers, according to its type or to earlier accesses through the
/// same pointer: clang's types do not show pointers in arrays (`double *field[2]`).
bool AccessTypes::isNextToPointer(const Instruction &access) const {
  const MDNode *tag = access.getMetadata(LLVMContext::MD_tbaa), *around = nullptr, *accessed = nullptr;
  splitTag(tag, around, accessed);
  int64_t fromBase = 0;
  const Value *base = getBase(access, fromBase);
  std::optional<Structure> structure = Structure{&access, around, fromBase - getOffset(tag, 2)};
  if (around == accessed)
    structure = findStructure(access);
  if (!structure)
    return false;
  auto it = pointers.find(base);
  return hasPointer(structure->type) ||
         (it != pointers.end() && any_of(it->second, [&](const Pointer &pointer) {
            return isInUntypedMember(structure->type, pointer.offset - structure->offset) &&
                   comesBefore(*pointer.access, access);
          }));
}

//===----------------------------------------------------------------------===//
// Accesses and messages
//===----------------------------------------------------------------------===//

/// Decides by clang's type. `isNextToPointer`: whether the accessed structure contains pointers.
static bool isOfOther(const MDNode *tag, Written written, bool isLoad, function_ref<bool()> isNextToPointer) {
  // The enclosing type, and the accessed type.
  const MDNode *around = nullptr, *accessed = nullptr;
  if (!splitTag(tag, around, accessed))
    return false;
  StringRef name = getTypeName(accessed);
  if (isDescriptorMember(name))
    return isLoad && written != Written::Anything;
  if (!(isPointer(name) || isFloatingPoint(name) || isInteger(name)))
    return false; // characters, and types that are not clang's
  switch (written) {
  case Written::Anything:
    return false;
  case Written::RequestPointers:
    return isFloatingPoint(name) || isInteger(name) || isOtherPointer(name);
  case Written::RequestIntegers:
    return isFloatingPoint(name) || isPointer(name);
  case Written::Statuses:
    return isFloatingPoint(name) || isPointer(name);
  case Written::FloatingMessage: {
    if (!isLoad || !isInteger(name))
      return isLoad && isPointer(name);
    // A number next to pointers, possibly an element of an array. No message has the layout of such a structure.
    return isNextToPointer();
  }
  case Written::IntegerMessage:
    return isLoad && isPointer(name);
  }
  return false;
}

bool AccessTypes::isOfOther(const Instruction &later, Written written) const {
  if (!isSimple(later))
    return false;
  bool isLoad = isa<LoadInst>(later);
  const MDNode *tag = later.getMetadata(LLVMContext::MD_tbaa);
  // An untyped access may copy characters, whatever its LLVM type. Only a variable has its declared type.
  if (!tag)
    return areKnown && (written == Written::FloatingMessage || written == Written::IntegerMessage) &&
           (loadsPointerVariable(later) || loadsFromDescriptor(later));
  return ::isOfOther(tag, written, isLoad, [&]() { return isNextToPointer(later); });
}

bool comm::isLoadOfOther(const MDNode *tag, Written written) {
  return isOfOther(tag, written, /*isLoad=*/true, [&]() {
    const MDNode *around = nullptr, *accessed = nullptr;
    return splitTag(tag, around, accessed) && around != accessed && hasPointer(around);
  });
}
