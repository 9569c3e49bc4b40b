//===- LLVMMemoryOracle.cpp - LLVM's alias analysis for MLIR --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's own alias analysis does not understand malloc, offsets, sizes, TBAA or noalias in the llvm dialect. LLVM's
// does: the module is translated to LLVM IR once, and queries about operations become queries about their instructions.
//
//===----------------------------------------------------------------------===//

#include "CallBehavior.h"
#include "LLVMFootprint.h"
#include "LLVMWork.h"
#include "MemoryOracles.h"
#include "ModelCalls.h"
#include "ModelRegions.h"
#include "PointedObjects.h"

#include "Comm/Analysis/Memory/DatatypeMaker.h"
#include "Comm/Analysis/Memory/LLVMModel.h"
#include "Comm/Analysis/Memory/TypedAccess.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/IR/RecordedABI.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Sums.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace mlir;
using namespace comm;

/// A local MPI function is a lookup.
static constexpr uint64_t kLocalCallCycles = 50;

namespace {
/// What is known about the order in which two operations run.
enum class Sequence {
  /// Nothing.
  Any,
  /// The second runs after the first.
  InOrder,
  /// The second runs after the first, in the same iteration of the innermost loop around both.
  OnePass
};

class LLVMMemoryOracle : public MemoryOracle {
public:
  LLVMMemoryOracle(std::unique_ptr<LLVMModel> model, Written request);
  Behavior getBehavior(Operation *op) final;
  bool mayConflict(Operation *a, Operation *b, bool acrossIterations) final;
  bool mayConflictInOrder(Operation *first, Operation *later, bool acrossIterations) final;
  bool mayConflictInPass(Operation *first, Operation *later, bool acrossIterations) final;
  bool mayConflictAtArguments(MPIOpInterface mpiOp, Operation *op, bool acrossIterations, Arguments arguments) final;
  WorkEstimate estimateWork(Operation *op, Operation *around) final;
  LLVMModel *getModel() final { return model.get(); }

private:
  const LLVMFootprint &getFootprint(Operation *op);
  LLVMFootprint computeFootprint(Operation *op);
  LLVMFootprint computeCommFootprint(MPIOpInterface op, const CommAccesses &all);
  bool mayConflict(const LLVMFootprint &first, const LLVMFootprint &second, bool acrossIterations,
                   Sequence sequence = Sequence::Any);
  Written getWritten(const BufferAccess &access) const;
  CommLocation makeLocation(llvm::Value *pointer, const BufferAccess &access, llvm::LocationSize size) const;
  bool isInSmallerObject(llvm::Instruction &instruction, const CommLocation &location);
  bool conflict(llvm::BatchAAResults &aliases, llvm::Instruction *instruction, const CommLocation &location,
                Sequence sequence);
  bool conflict(llvm::BatchAAResults &aliases, llvm::Instruction *a, llvm::Instruction *b, Sequence sequence);
  const AccessTypes &getTypes(llvm::Function &function);

  std::unique_ptr<LLVMModel> model;
  /// What request handles are in this MPI implementation.
  Written request;
  llvm::FunctionAnalysisManager &functionAnalyses;
  FunctionSummaries summaries;
  LLVMWork work{functionAnalyses};
  PointedObjects objects{*model};
  /// Pointers, so that entries do not move.
  DenseMap<Operation *, std::unique_ptr<LLVMFootprint>> footprints;
  /// Of operations with instructions.
  DenseMap<Operation *, Behavior> behaviors;
  DenseMap<llvm::Function *, std::unique_ptr<AccessTypes>> types;
};
} // namespace

LLVMMemoryOracle::LLVMMemoryOracle(std::unique_ptr<LLVMModel> built, Written request)
    : model(std::move(built)), request(request), functionAnalyses(model->getAnalyses()) {
  for (llvm::Function &function : *model->module)
    describeClock(function, functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(function));
  describeCommCalls(*model, [&](Operation *op) { return requests.get(op).isFollowed(op); });
  describeKeptPointers(*model);
  describeDeallocations(*model);
  describeLentPointers(*model);
  summaries =
      computeFunctionSummaries(*model->module, [&](const llvm::Function &function) -> const llvm::TargetLibraryInfo & {
        return functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(const_cast<llvm::Function &>(function));
      });
  describeRegions(*model, summaries);
}

const AccessTypes &LLVMMemoryOracle::getTypes(llvm::Function &function) {
  std::unique_ptr<AccessTypes> &entry = types[&function];
  if (!entry)
    entry = std::make_unique<AccessTypes>(function);
  return *entry;
}

//===----------------------------------------------------------------------===//
// Footprints
//===----------------------------------------------------------------------===//

/// Returns the bytes of `count` elements, or an open-ended size. Predefined datatypes have no bytes before the buffer's
/// address.
static llvm::LocationSize getSize(const BufferAccess &access) {
  if (access.extent == BufferAccess::Extent::Scalar)
    return access.param->role == mpi::Role::Status ? llvm::LocationSize::afterPointer()
                                                   : llvm::LocationSize::upperBound(8);
  if (access.param->role == mpi::Role::Request || access.param->role == mpi::Role::Status) {
    // An array of them begins at its address. A request has at most 8 bytes; the size of a status is unknown here.
    std::optional<int64_t> count = getConstantInteger(access.count);
    bool isKnown = access.param->role == mpi::Role::Request && count && *count >= 0;
    return isKnown ? llvm::LocationSize::upperBound(8 * *count) : llvm::LocationSize::afterPointer();
  }
  StringRef datatype = access.datatype ? getConstantName(access.datatype) : "";
  // Displacements of v-collectives may be negative (MPI-4, 6.5: an integer array, nothing more).
  if (datatype.empty() || access.extent == BufferAccess::Extent::Unknown)
    return llvm::LocationSize::beforeOrAfterPointer();
  std::optional<unsigned> extent = getDatatypeExtent(datatype, access.datatype);
  std::optional<int64_t> count = getConstantInteger(access.count);
  if (access.extent != BufferAccess::Extent::Elements || !extent || !count || *count < 0)
    return llvm::LocationSize::afterPointer();
  return llvm::LocationSize::upperBound(*count * *extent);
}

/// Returns the kind of data written, by the types that MPI and the program give it (MPI-4, 3.3.1).
Written LLVMMemoryOracle::getWritten(const BufferAccess &access) const {
  switch (access.param->role) {
  case mpi::Role::Request:
    return request;
  case mpi::Role::Status:
    return Written::Statuses;
  case mpi::Role::Buffer: {
    StringRef datatype = access.datatype ? getElementName(access.datatype) : "";
    if (llvm::is_contained(mpi::getFloatingDatatypes(), datatype))
      return Written::FloatingMessage;
    if (llvm::is_contained({"MPI_INT", "MPI_UNSIGNED", "MPI_SHORT", "MPI_UNSIGNED_SHORT"}, datatype))
      return Written::IntegerMessage;
    return Written::Anything;
  }
  default:
    return Written::Anything;
  }
}

CommLocation LLVMMemoryOracle::makeLocation(llvm::Value *pointer, const BufferAccess &access,
                                            llvm::LocationSize size) const {
  CommLocation location{llvm::MemoryLocation(pointer, size), access.writes};
  location.written = getWritten(access);
  if (location.written == Written::FloatingMessage)
    location.elementSize = getDatatypeExtent(getElementName(access.datatype), access.datatype).value_or(1);
  return location;
}

LLVMFootprint LLVMMemoryOracle::computeCommFootprint(MPIOpInterface op, const CommAccesses &all) {
  LLVMFootprint footprint;
  footprint.isUnknown = all.isUnknown;
  const llvm::BasicBlock *block = nullptr;
  if (auto it = model->instructions.find(op); it != model->instructions.end() && !it->second.empty()) {
    footprint.function = it->second.front()->getFunction();
    block = it->second.front()->getParent();
  } else {
    footprint.isUnknown = true;
  }
  for (const BufferAccess &access : all.accesses) {
    if (!getConstantName(access.buffer).empty())
      continue; // MPI_IN_PLACE; MPI_BOTTOM makes the footprint unknown
    llvm::Value *pointer = model->getArgument(op, access.buffer);
    // The buffers of a request are operands of the op that started it.
    if (auto completion = dyn_cast<CompletionOpInterface>(op.getOperation()); !pointer && completion)
      for (Value request : completion.getRequests())
        if (auto start = request.getDefiningOp<MPIOpInterface>(); start && !pointer)
          pointer = model->getArgument(start, access.buffer);
    if (!pointer) {
      footprint.isUnknown = true;
      continue;
    }
    footprint.locations.push_back(makeLocation(pointer, access, getSize(access)));
    footprint.locations.back().block = block;
  }
  for (const InFlightAccess &part : all.inFlight) {
    if (!getConstantName(part.access.buffer).empty())
      continue;
    llvm::Value *pointer = model->getArgument(part.start, part.access.buffer);
    bool isSame = part.isSame;
    for (unsigned step = 0; step < part.steps && pointer; ++step) {
      auto *gep = dyn_cast<llvm::GEPOperator>(pointer);
      isSame &= gep != nullptr;
      pointer = gep ? gep->getPointerOperand() : pointer;
    }
    if (!pointer) {
      footprint.isUnknown = true;
      continue;
    }
    llvm::LocationSize size =
        isSame && part.steps == 0 ? getSize(part.access) : llvm::LocationSize::beforeOrAfterPointer();
    CommLocation location = makeLocation(pointer, part.access, size);
    location.acrossIterations = !isSame;
    footprint.locations.push_back(location);
  }
  return footprint;
}

LLVMFootprint LLVMMemoryOracle::computeFootprint(Operation *op) {
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    return computeCommFootprint(mpiOp, getAccesses(mpiOp));
  LLVMFootprint footprint;
  auto it = model->instructions.find(op);
  if (it == model->instructions.end())
    return footprint;
  for (llvm::Instruction *instruction : it->second) {
    footprint.function = instruction->getFunction();
    if (instruction->mayReadOrWriteMemory())
      footprint.instructions.push_back(instruction);
  }
  return footprint;
}

const LLVMFootprint &LLVMMemoryOracle::getFootprint(Operation *op) {
  std::unique_ptr<LLVMFootprint> &footprint = footprints[op];
  if (!footprint) {
    footprint = std::make_unique<LLVMFootprint>(computeFootprint(op));
    footprint->places = findPlaces(*footprint);
  }
  return *footprint;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

WorkEstimate LLVMMemoryOracle::estimateWork(Operation *op, Operation *around) {
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    return mpiOp.isLocal() ? WorkEstimate{kLocalCallCycles, false} : WorkEstimate::unknown();
  auto place = model->instructions.find(around), found = model->instructions.find(op);
  if (found == model->instructions.end())
    return op->getNumRegions() == 0 ? WorkEstimate() : WorkEstimate::unknown();
  if (place == model->instructions.end())
    return WorkEstimate::unknown();
  WorkEstimate sum;
  for (llvm::Instruction *instruction : found->second)
    sum.add(work.estimate(*instruction, *place->second.front()));
  return sum;
}

Behavior LLVMMemoryOracle::getBehavior(Operation *op) {
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
    CommAccesses all = getAccesses(mpiOp);
    Behavior behavior = getCommBehavior(mpiOp, all);
    behavior.reads |= llvm::any_of(all.accesses, [](const BufferAccess &a) { return a.reads; });
    behavior.writes |= llvm::any_of(all.accesses, [](const BufferAccess &a) { return a.writes; });
    behavior.reads |= llvm::any_of(all.inFlight, [](const InFlightAccess &a) { return a.access.reads; });
    behavior.writes |= llvm::any_of(all.inFlight, [](const InFlightAccess &a) { return a.access.writes; });
    return behavior;
  }
  auto it = model->instructions.find(op);
  if (it == model->instructions.end()) {
    // Without an instruction, it is a constant, a folded operation or a plain branch. Anything else with effects would
    // have one.
    return isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>() ? Behavior() : Behavior::unknown();
  }
  // Each chain around an operation asks about it.
  auto [known, isFirst] = behaviors.try_emplace(op);
  if (isFirst)
    for (llvm::Instruction *instruction : it->second)
      known->second.join(
          getInstructionBehavior(*instruction, summaries,
                                 functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(*instruction->getFunction())));
  return known->second;
}

/// Whether the instruction accesses a variable that is smaller than a single element of the message: `int rows`, and
/// doubles.
bool LLVMMemoryOracle::isInSmallerObject(llvm::Instruction &instruction, const CommLocation &location) {
  const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction);
  if (!pointer || location.elementSize == 1)
    return false;
  const llvm::Value *object = llvm::getUnderlyingObject(pointer);
  const auto &library = functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(*instruction.getFunction());
  uint64_t size = 0;
  return isa<llvm::GlobalVariable, llvm::AllocaInst>(object) &&
         llvm::getObjectSize(object, size, instruction.getDataLayout(), &library) && size < location.elementSize;
}

/// Returns what the instruction does to the memory. A copy of constant memory, which is never written, counts as a
/// store (`int d[] = {1, -1}` in a loop). LLVM only handles loads this way.
static llvm::ModRefInfo getModRefInfo(llvm::BatchAAResults &aliases, const llvm::Instruction *instruction,
                                      const llvm::MemoryLocation &memory) {
  auto *copy = dyn_cast<llvm::MemTransferInst>(instruction);
  if (!copy || copy->isVolatile() ||
      llvm::isModSet(aliases.getModRefInfoMask(llvm::MemoryLocation::getForSource(copy))))
    return aliases.getModRefInfo(instruction, memory);
  return aliases.isNoAlias(llvm::MemoryLocation::getForDest(copy), memory) ? llvm::ModRefInfo::NoModRef
                                                                           : llvm::ModRefInfo::Mod;
}

/// Whether the instruction only sets errno, as functions of the math library do.
static bool setsErrnoAlone(const llvm::Instruction &instruction) {
  auto *call = dyn_cast<llvm::CallBase>(&instruction);
  return call && call->getMemoryEffects().onlyAccessesErrnoMem();
}

bool LLVMMemoryOracle::conflict(llvm::BatchAAResults &aliases, llvm::Instruction *instruction,
                                const CommLocation &location, Sequence sequence) {
  // errno is not part of any buffer (and is ordered with communication where it matters).
  if (setsErrnoAlone(*instruction))
    return false;
  if (const llvm::Value *pointer = llvm::getLoadStorePointerOperand(instruction))
    if (objects.areApart(pointer, location.memory.Ptr) ||
        (sequence == Sequence::OnePass &&
         objects.areRotated(pointer, instruction->getParent(), location.memory.Ptr, location.block)))
      return false;
  if (sequence == Sequence::OnePass &&
      objects.touchesWhatIsAllocatedSince(*instruction, location.memory.Ptr, location.block))
    return false;
  llvm::ModRefInfo info = getModRefInfo(aliases, instruction, location.memory);
  return (location.writes ? llvm::isModOrRefSet(info) : llvm::isModSet(info)) &&
         !isInSmallerObject(*instruction, location) && !objects.touchesOtherObjects(*instruction, location.memory.Ptr);
}

/// Whether the access has more bytes than an external scalar (`extern int rows`) that the other one accesses. LLVM
/// itself only checks this for variables that the file defines.
static bool hasNoRoom(const llvm::Instruction &access, const llvm::Instruction &other) {
  const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&other);
  auto *variable = llvm::dyn_cast_or_null<llvm::GlobalVariable>(pointer ? pointer->stripPointerCasts() : nullptr);
  const llvm::DataLayout &layout = access.getDataLayout();
  return variable && variable->getValueType()->isSingleValueType() && llvm::getLoadStorePointerOperand(&access) &&
         llvm::TypeSize::isKnownGT(layout.getTypeStoreSize(llvm::getLoadStoreType(&access)),
                                   layout.getTypeAllocSize(variable->getValueType()));
}

bool LLVMMemoryOracle::conflict(llvm::BatchAAResults &aliases, llvm::Instruction *a, llvm::Instruction *b,
                                Sequence sequence) {
  if ((!a->mayWriteToMemory() && !b->mayWriteToMemory()) || areNumberAndPointerVariable(*a, *b) || hasNoRoom(*a, *b) ||
      hasNoRoom(*b, *a))
    return false;
  if (objects.isApartFromFreed(aliases, *a, *b, /*isLater=*/sequence != Sequence::Any))
    return false;
  if (sequence == Sequence::OnePass && objects.areAllocatorCalls(*a, *b))
    return false;
  // Memory without a declared type takes the type of what is stored there (C11, 6.5). Types therefore say nothing about
  // a later store: a pool may be read as integers, and then written as doubles.
  bool typesCount = sequence == Sequence::Any || !b->mayWriteToMemory();
  if (isa<llvm::CallBase>(b) && !isa<llvm::CallBase>(a)) {
    std::swap(a, b);
    if (objects.isApartFromFreed(aliases, *a, *b, /*isLater=*/false))
      return false;
  }
  // Here `b` is a call only if `a` is one, too.
  if (auto *call = dyn_cast<llvm::CallBase>(b))
    return llvm::isModOrRefSet(aliases.getModRefInfo(a, call));
  std::optional<llvm::MemoryLocation> memory = llvm::MemoryLocation::getOrNone(b);
  if (!memory)
    return true;
  // Any int may be errno.
  if (setsErrnoAlone(*a))
    return llvm::isModSet(aliases.getModRefInfo(a, *memory));
  if (!typesCount)
    memory->AATags.TBAA = memory->AATags.TBAAStruct = nullptr;
  CommLocation location{*memory, b->mayWriteToMemory()};
  location.block = b->getParent();
  return conflict(aliases, a, location, sequence);
}

bool LLVMMemoryOracle::mayConflict(Operation *a, Operation *b, bool acrossIterations) {
  return mayConflict(getFootprint(a), getFootprint(b), acrossIterations);
}

bool LLVMMemoryOracle::mayConflictInOrder(Operation *first, Operation *later, bool acrossIterations) {
  return mayConflict(getFootprint(first), getFootprint(later), acrossIterations, Sequence::InOrder);
}

bool LLVMMemoryOracle::mayConflictInPass(Operation *first, Operation *later, bool acrossIterations) {
  return mayConflict(getFootprint(first), getFootprint(later), acrossIterations, Sequence::OnePass);
}

bool LLVMMemoryOracle::mayConflictAtArguments(MPIOpInterface mpiOp, Operation *op, bool acrossIterations,
                                              Arguments arguments) {
  // Requests and statuses have their types in either order.
  return mayConflict(computeCommFootprint(mpiOp, getArgumentAccesses(mpiOp, arguments)), getFootprint(op),
                     acrossIterations, Sequence::InOrder);
}

bool LLVMMemoryOracle::mayConflict(const LLVMFootprint &first, const LLVMFootprint &second, bool acrossIterations,
                                   Sequence sequence) {
  if (first.isEmpty() || second.isEmpty())
    return false;
  if (first.isUnknown || second.isUnknown || first.function != second.function)
    return true;
  bool havePlaces = !first.places.empty() && !second.places.empty();
  if (havePlaces && llvm::all_of(first.places, [&](const VariablePlace &x) {
        return llvm::all_of(second.places, [&](const VariablePlace &y) { return x.isApartFrom(y); });
      }))
    return false;
  llvm::BatchAAResults &aliases = objects.getAliases(*first.function, acrossIterations);
  auto aliasesOf = [&](const CommLocation &location) -> llvm::BatchAAResults & {
    return location.acrossIterations ? objects.getAliases(*first.function, true) : aliases;
  };
  for (llvm::Instruction *i : first.instructions) {
    for (llvm::Instruction *j : second.instructions)
      if (conflict(aliases, i, j, sequence))
        return true;
    for (const CommLocation &location : second.locations)
      if (conflict(aliasesOf(location), i, location, sequence))
        return true;
  }
  for (const CommLocation &location : first.locations) {
    for (llvm::Instruction *j : second.instructions)
      if (!(sequence != Sequence::Any && location.writes &&
            getTypes(*first.function).isOfOther(*j, location.written)) &&
          conflict(aliasesOf(location), j, location, sequence))
        return true;
    for (const CommLocation &other : second.locations)
      if ((location.writes || other.writes) && !objects.areApart(location.memory.Ptr, other.memory.Ptr) &&
          !(other.acrossIterations ? aliasesOf(other) : aliasesOf(location)).isNoAlias(location.memory, other.memory) &&
          !objects.haveOtherObjects(*first.function, location.memory.Ptr, other.memory.Ptr) &&
          !(sequence == Sequence::OnePass &&
            objects.areRotated(location.memory.Ptr, location.block, other.memory.Ptr, other.block)))
        return true;
  }
  return false;
}

std::unique_ptr<MemoryOracle> comm::createLLVMMemoryOracle(ModuleOp module,
                                                           std::optional<ArrayRef<Operation *>> functions) {
  std::unique_ptr<LLVMModel> model = LLVMModel::build(module, functions);
  const mpi::ABI *abi = getRecordedABI(module);
  Written request = !abi                                                 ? Written::Anything
                    : abi->handlesArePointers(mpi::HandleClass::Request) ? Written::RequestPointers
                                                                         : Written::RequestIntegers;
  return model ? std::make_unique<LLVMMemoryOracle>(std::move(model), request) : nullptr;
}
