//===- LLVMMemoryOracle.cpp - LLVM's alias analysis, asked for MLIR --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's own alias analysis does not know malloc, offsets, sizes, TBAA or noalias on the llvm dialect. LLVM's does: the
// module is translated to LLVM IR once, and questions about operations become questions about their instructions.
//
//===----------------------------------------------------------------------===//

#include "CallBehavior.h"
#include "LLVMWork.h"
#include "MemoryOracles.h"
#include "ModelRegions.h"
#include "TypedAccess.h"

#include "Comm/Analysis/Memory/LLVMModel.h"
#include "Comm/Analysis/Memory/RotatedPointers.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/IR/RecordedABI.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Sums.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace mlir;
using namespace comm;

/// A local function of MPI looks a number up.
static constexpr uint64_t kLocalCallCycles = 50;

namespace {
/// Memory that a comm op touches, as LLVM sees it.
struct CommLocation {
  llvm::MemoryLocation memory;
  bool writes;
  /// Its address stands for those of other iterations, too.
  bool acrossIterations = false;
  Written written = Written::Anything;
  /// Bytes that are written together, at least: of an element of a predefined datatype.
  uint64_t elementSize = 1;
  /// Where the operation is that touches it; null if another one has started it.
  const llvm::BasicBlock *block = nullptr;
};

/// Where an access is, if that is told without asking: in a variable, and at which bytes of it.
struct Place {
  const llvm::Value *variable;
  /// No bytes are known if they are as many as that.
  static constexpr uint64_t kAnywhere = UINT64_MAX;
  int64_t offset = 0;
  uint64_t size = kAnywhere;
  bool writes;

  bool isApartFrom(const Place &other) const;
};

struct Footprint {
  /// Instructions that read or write memory.
  SmallVector<llvm::Instruction *, 2> instructions;
  SmallVector<CommLocation, 4> locations;
  bool isUnknown = false;
  llvm::Function *function = nullptr;
  /// Of all instructions and locations, in the same order; empty unless all have one.
  SmallVector<Place, 2> places;

  bool isEmpty() const { return instructions.empty() && locations.empty() && !isUnknown; }
};

/// What is known of when two operations that are compared are executed.
enum class Sequence {
  /// Nothing.
  Any,
  /// The second after the first.
  InOrder,
  /// The second after the first, in one pass through the innermost loop around both.
  OnePass
};

class LLVMMemoryOracle : public MemoryOracle {
public:
  LLVMMemoryOracle(std::unique_ptr<LLVMModel> model, Written request);
  Behavior getBehavior(Operation *op) final;
  bool mayConflict(Operation *a, Operation *b, bool acrossIterations) final;
  bool mayConflictInOrder(Operation *first, Operation *later, bool acrossIterations) final;
  bool mayConflictInPass(Operation *first, Operation *later, bool acrossIterations) final;
  bool mayConflictAtArguments(MPIOpInterface mpiOp, Operation *op, bool acrossIterations) final;
  WorkEstimate estimateWork(Operation *op, Operation *around) final;
  LLVMModel *getModel() final { return model.get(); }

private:
  struct FunctionAliases {
    FunctionAliases(llvm::AAResults &results, llvm::DominatorTree &dominance, const llvm::LoopInfo &loops)
        : escapes(dominance, &loops), here(results, &escapes), acrossIterations(results, &escapes) {
      acrossIterations.enableCrossIterationMode();
    }
    /// Where a pointer may first become known to others. The end of a container's life counts as such a place (sized
    /// operator delete computes with pointers), so that one answer for the whole function would be worth little.
    llvm::EarliestEscapeAnalysis escapes;
    llvm::BatchAAResults here, acrossIterations;
    /// Whether control enters a cycle of the function at several places; none before that is asked.
    std::optional<bool> isIrreducible;
  };

  const Footprint &getFootprint(Operation *op);
  Footprint computeFootprint(Operation *op);
  Footprint computeCommFootprint(MPIOpInterface op, const CommAccesses &all);
  bool mayConflict(const Footprint &first, const Footprint &second, bool acrossIterations,
                   Sequence sequence = Sequence::Any);
  Written getWritten(const BufferAccess &access) const;
  CommLocation makeLocation(llvm::Value *pointer, const BufferAccess &access, llvm::LocationSize size) const;
  bool isInSmallerObject(llvm::Instruction &instruction, const CommLocation &location);
  bool areRotated(const llvm::Value *a, const llvm::BasicBlock *useOfA, const llvm::Value *b,
                  const llvm::BasicBlock *useOfB);
  bool areApart(const llvm::Value *a, const llvm::Value *b) const;
  bool haveOtherObjects(llvm::Function &function, const llvm::Value *a, const llvm::Value *b);
  bool touchesOtherObjects(llvm::Instruction &instruction, const llvm::Value *pointer);
  bool conflict(llvm::BatchAAResults &aliases, llvm::Instruction *instruction, const CommLocation &location,
                Sequence sequence);
  bool conflict(llvm::BatchAAResults &aliases, llvm::Instruction *a, llvm::Instruction *b, Sequence sequence);
  bool areAllocatorCalls(llvm::Instruction &a, llvm::Instruction &b);
  bool isApartFromFreed(llvm::BatchAAResults &aliases, llvm::Instruction &deallocation, llvm::Instruction &other,
                        bool isLater);
  void describeCommCalls();
  void describeKeptPointers();
  void describeDeallocations();
  FunctionAliases &getFunctionAliases(llvm::Function &function);
  llvm::BatchAAResults &getAliases(llvm::Function &function, bool acrossIterations);
  const AccessTypes &getTypes(llvm::Function &function);

  std::unique_ptr<LLVMModel> model;
  /// What handles of requests are in this implementation of MPI.
  Written request;
  llvm::FunctionAnalysisManager &functionAnalyses;
  FunctionSummaries summaries;
  LLVMWork work{functionAnalyses};
  /// Where they are stays the same when others are added.
  DenseMap<Operation *, std::unique_ptr<Footprint>> footprints;
  DenseMap<llvm::Function *, std::unique_ptr<FunctionAliases>> aliases;
  DenseMap<llvm::Function *, std::unique_ptr<AccessTypes>> types;
};
} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Most pairs of a large function are statements about other variables, or other elements of an array: alias analysis
/// would say the same of them.
bool Place::isApartFrom(const Place &other) const {
  if (!writes && !other.writes)
    return true;
  if (variable != other.variable)
    return true;
  if (size == kAnywhere || other.size == kAnywhere)
    return false;
  auto isBefore = [](const Place &a, const Place &b) {
    return b.offset > a.offset && static_cast<uint64_t>(b.offset - a.offset) >= a.size;
  };
  return isBefore(*this, other) || isBefore(other, *this);
}

/// The variable that a pointer points into, a global one or one of the function's own, the same in all iterations.
static std::optional<Place> findPlace(const llvm::Value *pointer, llvm::LocationSize size, bool writes,
                                      const llvm::DataLayout &layout) {
  constexpr uint64_t far = uint64_t(1) << 60;
  const llvm::Value *variable = llvm::getUnderlyingObject(pointer);
  const auto *local = dyn_cast<llvm::AllocaInst>(variable);
  if (!isa<llvm::GlobalVariable>(variable) && !(local && local->isStaticAlloca()))
    return std::nullopt;
  Place place{variable, 0, Place::kAnywhere, writes};
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  bool isExact = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true) == variable;
  if (isExact && size.hasValue() && !size.isScalable() && offset.isSignedIntN(61) &&
      size.getValue().getFixedValue() < far) {
    place.offset = offset.getSExtValue();
    place.size = size.getValue().getFixedValue();
  }
  return place;
}

/// The places of all that a footprint has, or none.
static SmallVector<Place, 2> findPlaces(const Footprint &footprint) {
  SmallVector<Place, 2> places;
  if (footprint.isUnknown || !footprint.function)
    return places;
  const llvm::DataLayout &layout = footprint.function->getParent()->getDataLayout();
  auto add = [&](const llvm::Value *pointer, llvm::LocationSize size, bool writes) {
    std::optional<Place> place = findPlace(pointer, size, writes, layout);
    if (place)
      places.push_back(*place);
    return place.has_value();
  };
  for (llvm::Instruction *instruction : footprint.instructions) {
    auto *load = dyn_cast<llvm::LoadInst>(instruction);
    auto *store = dyn_cast<llvm::StoreInst>(instruction);
    bool isSimple = (load && load->isSimple()) || (store && store->isSimple());
    if (!isSimple || !add(llvm::getLoadStorePointerOperand(instruction), llvm::MemoryLocation::get(instruction).Size,
                          store != nullptr))
      return {};
  }
  for (const CommLocation &location : footprint.locations)
    if (!add(location.memory.Ptr, location.memory.Size, location.writes))
      return {};
  return places;
}

LLVMMemoryOracle::LLVMMemoryOracle(std::unique_ptr<LLVMModel> built, Written request)
    : model(std::move(built)), request(request), functionAnalyses(model->getAnalyses()) {
  for (llvm::Function &function : *model->module)
    describeClock(function, functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(function));
  describeCommCalls();
  describeKeptPointers();
  describeDeallocations();
  summaries =
      computeFunctionSummaries(*model->module, [&](const llvm::Function &function) -> const llvm::TargetLibraryInfo & {
        return functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(const_cast<llvm::Function &>(function));
      });
  describeRegions(*model, summaries);
}

/// Tells LLVM what MPI says: a blocking operation touches its arguments and memory that the program cannot see, keeps
/// no pointer and returns. The same holds for an operation whose request the IR follows, because whoever moves it keeps
/// conflicting accesses out of its interval. Of any other nonblocking operation LLVM knows nothing, so that its buffers
/// count as captured.
void LLVMMemoryOracle::describeCommCalls() {
  for (auto &[op, instructions] : model->instructions) {
    auto mpiOp = dyn_cast<MPIOpInterface>(op);
    if (!mpiOp)
      continue;
    for (llvm::Instruction *instruction : instructions) {
      auto *call = dyn_cast<llvm::CallBase>(instruction);
      if (!call || !call->getCalledFunction() || call->getCalledFunction()->getName() != "comm.model.op")
        continue;
      call->setDoesNotThrow();
      call->addFnAttr(llvm::Attribute::WillReturn);
      // Of a request in memory, only the waits of this function may know.
      bool requestInMemory =
          mpiOp.isAsync() && mpiOp.getParam("request") && !(isStartInMemory(op) && requests.get(op).isFollowed(op));
      if (requestInMemory || getCommAccesses(mpiOp).isUnknown)
        continue;
      call->setMemoryEffects(llvm::MemoryEffects::inaccessibleOrArgMemOnly());
      for (unsigned i = 0; i < call->arg_size(); ++i)
        if (call->getArgOperand(i)->getType()->isPointerTy())
          call->addParamAttr(i, llvm::Attribute::getWithCaptureInfo(model->context, llvm::CaptureInfo::none()));
    }
  }
}

/// Functions of MPI that have no operation, and operations that may do anything (MPI_Comm_free runs callbacks), still
/// keep no pointer to the variables that they write handles to: a structure with a communicator in it remains the
/// function's own.
void LLVMMemoryOracle::describeKeptPointers() {
  llvm::Attribute forgotten = llvm::Attribute::getWithCaptureInfo(model->context, llvm::CaptureInfo::none());
  for (auto &[op, instructions] : model->instructions) {
    auto mpiOp = dyn_cast<MPIOpInterface>(op);
    for (llvm::Instruction *instruction : instructions) {
      auto *call = dyn_cast<llvm::CallBase>(instruction);
      const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !callee->isDeclaration())
        continue;
      bool isModel = mpiOp && callee->getName() == "comm.model.op";
      const mpi::Function *function = isModel ? &mpiOp.getCalledFunction() : mpi::lookupFunction(callee->getName());
      if (!function)
        continue;
      for (auto [index, param] : llvm::enumerate(function->params())) {
        if (!param.isAddress() || function->keepsAddress(index))
          continue;
        int position = index;
        if (isModel) {
          OperandRange values = ::comm::detail::getParamOperands(mpiOp, param.name);
          auto positions = model->arguments.find(op);
          position = values.size() == 1 && positions != model->arguments.end()
                         ? positions->second[values.getBeginOperandIndex()]
                         : -1;
        }
        if (position >= 0 && position < static_cast<int>(call->arg_size()) &&
            call->getArgOperand(position)->getType()->isPointerTy())
          call->addParamAttr(position, forgotten);
      }
    }
  }
}

/// Whether nothing comes of the number: arithmetic that nobody uses.
static bool isUseless(const llvm::Instruction &instruction) {
  return llvm::all_of(instruction.users(), [](const llvm::User *user) {
    auto *inner = dyn_cast<llvm::BinaryOperator>(user);
    return inner && isUseless(*inner);
  });
}

/// Memory that is given back is no longer reached by pointers, whatever its allocator keeps of them. LLVM says so of
/// free and not of operator delete, which then counts as a function that may store the pointer for others to load. Nor
/// is the size that C++ passes along, a difference of pointers, of any use to find the memory by.
void LLVMMemoryOracle::describeDeallocations() {
  for (llvm::Function &function : *model->module) {
    if (function.isDeclaration())
      continue;
    const auto &library = functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(function);
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = dyn_cast<llvm::CallBase>(&instruction);
      llvm::Value *freed = call ? llvm::getFreedOperand(call, &library) : nullptr;
      if (!freed)
        continue;
      for (llvm::Use &argument : call->args()) {
        if (argument == freed)
          call->addParamAttr(call->getArgOperandNo(&argument),
                             llvm::Attribute::getWithCaptureInfo(model->context, llvm::CaptureInfo::none()));
        else if (argument->getType()->isIntegerTy())
          argument.set(llvm::PoisonValue::get(argument->getType()));
      }
    }
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *number = dyn_cast<llvm::PtrToIntInst>(&instruction); number && isUseless(*number))
        number->setOperand(0, llvm::PoisonValue::get(number->getPointerOperand()->getType()));
  }
}

LLVMMemoryOracle::FunctionAliases &LLVMMemoryOracle::getFunctionAliases(llvm::Function &function) {
  std::unique_ptr<FunctionAliases> &entry = aliases[&function];
  if (!entry)
    entry = std::make_unique<FunctionAliases>(functionAnalyses.getResult<llvm::AAManager>(function),
                                              functionAnalyses.getResult<llvm::DominatorTreeAnalysis>(function),
                                              functionAnalyses.getResult<llvm::LoopAnalysis>(function));
  return *entry;
}

llvm::BatchAAResults &LLVMMemoryOracle::getAliases(llvm::Function &function, bool acrossIterations) {
  FunctionAliases &entry = getFunctionAliases(function);
  return acrossIterations ? entry.acrossIterations : entry.here;
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

/// Bytes of `count` elements, or an open end. Predefined datatypes have no bytes before the buffer's address.
static llvm::LocationSize getSize(const BufferAccess &access) {
  if (access.extent == BufferAccess::Extent::Scalar)
    return access.param->role == mpi::Role::Status ? llvm::LocationSize::afterPointer()
                                                   : llvm::LocationSize::upperBound(8);
  if (access.param->role == mpi::Role::Request || access.param->role == mpi::Role::Status) {
    // An array of them begins at its address. A request has at most 8 bytes; the size of a status is not known here.
    std::optional<int64_t> count = getConstantInteger(access.count);
    bool isKnown = access.param->role == mpi::Role::Request && count && *count >= 0;
    return isKnown ? llvm::LocationSize::upperBound(8 * *count) : llvm::LocationSize::afterPointer();
  }
  StringRef datatype = access.datatype ? getConstantName(access.datatype) : "";
  // Displacements of v-collectives may be negative (MPI-4, 6.5: an integer array, nothing more).
  if (datatype.empty() || access.extent == BufferAccess::Extent::Unknown)
    return llvm::LocationSize::beforeOrAfterPointer();
  // The sizes of C's types are the platform's, whatever the implementation of MPI.
  std::optional<unsigned> extent = mpi::ABI::all().front().getDatatypeExtent(datatype);
  std::optional<int64_t> count = getConstantInteger(access.count);
  if (access.extent != BufferAccess::Extent::Elements || !extent || !count || *count < 0)
    return llvm::LocationSize::afterPointer();
  return llvm::LocationSize::upperBound(*count * *extent);
}

/// What it writes, by the types that MPI and the program give it (MPI-4, 3.3.1).
Written LLVMMemoryOracle::getWritten(const BufferAccess &access) const {
  switch (access.param->role) {
  case mpi::Role::Request:
    return request;
  case mpi::Role::Status:
    return Written::Statuses;
  case mpi::Role::Buffer: {
    StringRef datatype = access.datatype ? getConstantName(access.datatype) : "";
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
    location.elementSize = mpi::ABI::all().front().getDatatypeExtent(getConstantName(access.datatype)).value_or(1);
  return location;
}

Footprint LLVMMemoryOracle::computeCommFootprint(MPIOpInterface op, const CommAccesses &all) {
  Footprint footprint;
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

Footprint LLVMMemoryOracle::computeFootprint(Operation *op) {
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    return computeCommFootprint(mpiOp, getAccesses(mpiOp));
  Footprint footprint;
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

const Footprint &LLVMMemoryOracle::getFootprint(Operation *op) {
  std::unique_ptr<Footprint> &footprint = footprints[op];
  if (!footprint) {
    footprint = std::make_unique<Footprint>(computeFootprint(op));
    footprint->places = findPlaces(*footprint);
  }
  return *footprint;
}

//===----------------------------------------------------------------------===//
// Questions
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
  Behavior behavior;
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
    CommAccesses all = getAccesses(mpiOp);
    behavior = getCommBehavior(mpiOp, all);
    behavior.reads |= llvm::any_of(all.accesses, [](const BufferAccess &a) { return a.reads; });
    behavior.writes |= llvm::any_of(all.accesses, [](const BufferAccess &a) { return a.writes; });
    behavior.reads |= llvm::any_of(all.inFlight, [](const InFlightAccess &a) { return a.access.reads; });
    behavior.writes |= llvm::any_of(all.inFlight, [](const InFlightAccess &a) { return a.access.writes; });
    return behavior;
  }
  auto it = model->instructions.find(op);
  if (it == model->instructions.end()) {
    // No instruction: a constant, a folded operation, a plain branch. Anything else with effects would have one.
    return isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>() ? behavior : Behavior::unknown();
  }
  for (llvm::Instruction *instruction : it->second)
    behavior.join(getInstructionBehavior(
        *instruction, summaries, functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(*instruction->getFunction())));
  return behavior;
}

/// One of the two points to a variable that only its name reaches, the other elsewhere.
bool LLVMMemoryOracle::areApart(const llvm::Value *a, const llvm::Value *b) const {
  if (model->privateVariables.empty())
    return false;
  llvm::SmallVector<const llvm::Value *, 4> first, second;
  llvm::getUnderlyingObjects(a, first, /*LI=*/nullptr, /*MaxLookup=*/0);
  llvm::getUnderlyingObjects(b, second, /*LI=*/nullptr, /*MaxLookup=*/0);
  auto isPrivate = [&](const llvm::Value *object) { return model->privateVariables.contains(object); };
  return llvm::all_of(first, [&](const llvm::Value *x) {
    return llvm::all_of(second, [&](const llvm::Value *y) { return x != y && (isPrivate(x) || isPrivate(y)); });
  });
}

/// Whether the allocation is made after the pointer is known, which then does not point into it. One of a loop around
/// it is another one in each iteration.
static bool isMadeAfter(const llvm::Instruction *allocation, const llvm::Value *pointer,
                        const llvm::DominatorTree &dominance, const llvm::Loop *loop) {
  auto *made = dyn_cast<llvm::Instruction>(pointer);
  return made ? dominance.dominates(made, allocation) && !(loop && loop->contains(made)) : isa<llvm::Argument>(pointer);
}

/// Nothing is there: a variable that was not set, or null.
static bool isNoObject(const llvm::Value &pointer, const llvm::Function &function) {
  return isa<llvm::UndefValue>(pointer) ||
         (isa<llvm::ConstantPointerNull>(pointer) && !llvm::NullPointerIsDefined(&function));
}

/// The objects that one pointer may point into are others than those of the other pointer. LLVM's alias analysis gives
/// up on pointers that a loop swaps or rotates (`tmp = old; old = new; new = tmp`), whatever it compares them with, and
/// does not know what was there before an allocation. A value of an earlier iteration may reach either pointer, so that
/// objects are compared across iterations; two such pointers that choose among the same objects are left to LLVM.
bool LLVMMemoryOracle::haveOtherObjects(llvm::Function &function, const llvm::Value *a, const llvm::Value *b) {
  constexpr unsigned most = 8;
  SmallVector<const llvm::Value *, most> first, second;
  llvm::getUnderlyingObjects(a, first);
  llvm::getUnderlyingObjects(b, second);
  if (first.size() > most || second.size() > most)
    return false;
  bool isChosen = first.size() * second.size() > 1;
  llvm::BatchAAResults &aliases = getAliases(function, /*acrossIterations=*/true);
  const auto &dominance = functionAnalyses.getResult<llvm::DominatorTreeAnalysis>(function);
  const auto &loops = functionAnalyses.getResult<llvm::LoopAnalysis>(function);
  // An iteration may find in memory what an earlier one has allocated, if it is one of any loop around the allocation.
  auto isNewer = [&](const llvm::Value *x, const llvm::Value *y) {
    if (!llvm::isNoAliasCall(x))
      return false;
    auto *allocation = cast<llvm::Instruction>(x);
    const llvm::Loop *loop = loops.getLoopFor(allocation->getParent());
    return isMadeAfter(allocation, y, dominance, loop ? loop->getOutermostLoop() : nullptr);
  };
  return llvm::all_of(first, [&](const llvm::Value *x) {
    return llvm::all_of(second, [&](const llvm::Value *y) {
      bool isOther =
          isChosen && (llvm::isIdentifiedObject(x) || llvm::isIdentifiedObject(y)) &&
          aliases.isNoAlias(llvm::MemoryLocation::getBeforeOrAfter(x), llvm::MemoryLocation::getBeforeOrAfter(y));
      return isNoObject(*x, function) || isNoObject(*y, function) ||
             (x != y && (isOther || isNewer(x, y) || isNewer(y, x)));
    });
  });
}

/// Whether all that the instruction touches is in other objects than the one that is pointed to.
bool LLVMMemoryOracle::touchesOtherObjects(llvm::Instruction &instruction, const llvm::Value *pointer) {
  llvm::Function &function = *instruction.getFunction();
  if (auto *call = dyn_cast<llvm::CallBase>(&instruction)) {
    // What else it touches, MPI does not.
    llvm::MemoryEffects others = call->getMemoryEffects()
                                     .getWithoutLoc(llvm::IRMemLocation::ArgMem)
                                     .getWithoutLoc(llvm::IRMemLocation::InaccessibleMem)
                                     .getWithoutLoc(llvm::IRMemLocation::ErrnoMem);
    return others.doesNotAccessMemory() && llvm::all_of(call->args(), [&](const llvm::Use &argument) {
             llvm::Type *type = argument->getType();
             return type->isPointerTy() ? areApart(argument, pointer) || haveOtherObjects(function, argument, pointer)
                                        : !type->isPtrOrPtrVectorTy();
           });
  }
  bool isSimple = isa<llvm::LoadInst>(instruction)    ? cast<llvm::LoadInst>(instruction).isSimple()
                  : isa<llvm::StoreInst>(instruction) ? cast<llvm::StoreInst>(instruction).isSimple()
                                                      : false;
  return isSimple && haveOtherObjects(function, llvm::getLoadStorePointerOperand(&instruction), pointer);
}

/// Whether the pointers lead to different objects because a loop rotates them, where both are used: asked of two places
/// that control passes one after the other, and not of two iterations of a loop that both are in.
bool LLVMMemoryOracle::areRotated(const llvm::Value *a, const llvm::BasicBlock *useOfA, const llvm::Value *b,
                                  const llvm::BasicBlock *useOfB) {
  auto *first = dyn_cast<llvm::PHINode>(llvm::getUnderlyingObject(a));
  auto *second = dyn_cast<llvm::PHINode>(llvm::getUnderlyingObject(b));
  if (!first || !second || first->getParent() != second->getParent() || !useOfA || !useOfB)
    return false;
  // Both uses find what the block had at one time: it is not passed again between them.
  auto &function = const_cast<llvm::Function &>(*first->getFunction());
  const auto &loops = functionAnalyses.getResult<llvm::LoopAnalysis>(function);
  const llvm::Loop *loop = loops.getLoopFor(first->getParent());
  if (loop && !(loop->contains(useOfA) && loop->contains(useOfB)))
    return false;
  std::optional<bool> &isIrreducible = getFunctionAliases(function).isIrreducible;
  if (!isIrreducible) {
    llvm::ReversePostOrderTraversal<const llvm::Function *> order(&function);
    isIrreducible = llvm::containsIrreducibleCFG<const llvm::BasicBlock *>(order, loops);
  }
  auto areNew = [&](const llvm::Value *x, const llvm::Value *y) {
    return isNoObject(*x, function) || isNoObject(*y, function) ||
           (llvm::isIdentifiedObject(x) && llvm::isIdentifiedObject(y));
  };
  auto visitEdges = [](const llvm::Value *x, const llvm::Value *y,
                       llvm::function_ref<void(const llvm::Value *, const llvm::Value *)> visit) {
    auto *ofX = dyn_cast<llvm::PHINode>(x), *ofY = dyn_cast<llvm::PHINode>(y);
    if (!ofX || !ofY || ofX->getParent() != ofY->getParent())
      return false;
    for (const llvm::BasicBlock *from : ofX->blocks())
      visit(llvm::getUnderlyingObject(ofX->getIncomingValueForBlock(from)),
            llvm::getUnderlyingObject(ofY->getIncomingValueForBlock(from)));
    return true;
  };
  return !*isIrreducible && areAlwaysDifferent<const llvm::Value *>(first, second, areNew, visitEdges);
}

/// Whether the instruction accesses a variable in which not one element of the message has room: `int rows`, and
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

/// What the instruction does to the memory. A copy of constant memory, which nobody writes, is a store (`int d[] = {1,
/// -1}` in a loop): LLVM only knows that of loads.
static llvm::ModRefInfo getModRefInfo(llvm::BatchAAResults &aliases, const llvm::Instruction *instruction,
                                      const llvm::MemoryLocation &memory) {
  auto *copy = dyn_cast<llvm::MemTransferInst>(instruction);
  if (!copy || copy->isVolatile() ||
      llvm::isModSet(aliases.getModRefInfoMask(llvm::MemoryLocation::getForSource(copy))))
    return aliases.getModRefInfo(instruction, memory);
  return aliases.isNoAlias(llvm::MemoryLocation::getForDest(copy), memory) ? llvm::ModRefInfo::NoModRef
                                                                           : llvm::ModRefInfo::Mod;
}

bool LLVMMemoryOracle::conflict(llvm::BatchAAResults &aliases, llvm::Instruction *instruction,
                                const CommLocation &location, Sequence sequence) {
  // Functions of the math library set errno, which is nobody's buffer (and ordered with communication where it
  // matters).
  if (auto *call = dyn_cast<llvm::CallBase>(instruction); call && call->getMemoryEffects().onlyAccessesErrnoMem())
    return false;
  if (const llvm::Value *pointer = llvm::getLoadStorePointerOperand(instruction))
    if (areApart(pointer, location.memory.Ptr) ||
        (sequence == Sequence::OnePass &&
         areRotated(pointer, instruction->getParent(), location.memory.Ptr, location.block)))
      return false;
  llvm::ModRefInfo info = getModRefInfo(aliases, instruction, location.memory);
  return (location.writes ? llvm::isModOrRefSet(info) : llvm::isModSet(info)) &&
         !isInSmallerObject(*instruction, location) && !touchesOtherObjects(*instruction, location.memory.Ptr);
}

/// Whether the call gives back memory in which the other instruction loads or stores nothing; one that is `isLater`
/// than the call does not. LLVM says of free that it touches nothing else, and not of operator delete: a replaced one
/// may count in variables of the program.
bool LLVMMemoryOracle::isApartFromFreed(llvm::BatchAAResults &aliases, llvm::Instruction &deallocation,
                                        llvm::Instruction &other, bool isLater) {
  auto *call = dyn_cast<llvm::CallBase>(&deallocation);
  const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&other);
  if (!call || !pointer || other.isVolatile() || other.isAtomic())
    return false;
  const auto &library = functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(*call->getFunction());
  const llvm::Value *freed = llvm::getFreedOperand(call, &library);
  llvm::SmallVector<const llvm::Value *, 4> objects;
  if (freed)
    llvm::getUnderlyingObjects(pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  if (!freed || llvm::any_of(objects, [](const llvm::Value *object) { return isa<llvm::GlobalValue>(object); }))
    return false;
  if (isLater)
    return true;
  llvm::Function &function = *deallocation.getFunction();
  const llvm::Value *object = llvm::getUnderlyingObject(freed);
  return aliases.isNoAlias(llvm::MemoryLocation::getBeforeOrAfter(freed),
                           llvm::MemoryLocation::getBeforeOrAfter(pointer)) ||
         (llvm::isNoAliasCall(object) &&
          isMadeAfter(cast<llvm::Instruction>(object), llvm::getUnderlyingObject(pointer),
                      functionAnalyses.getResult<llvm::DominatorTreeAnalysis>(function),
                      functionAnalyses.getResult<llvm::LoopAnalysis>(function).getLoopFor(
                          cast<llvm::Instruction>(object)->getParent())));
}

/// Whether one allocates and the other gives memory back. In which order an allocator is called nobody sees; what is
/// given back is a value that was there before, or is loaded or computed from the one that is allocated. Not strdup and
/// the like, which read what is given back afterwards.
bool LLVMMemoryOracle::areAllocatorCalls(llvm::Instruction &a, llvm::Instruction &b) {
  auto *first = dyn_cast<llvm::CallBase>(&a), *second = dyn_cast<llvm::CallBase>(&b);
  if (!first || !second)
    return false;
  const auto &library = functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(*a.getFunction());
  auto allocates = [&](llvm::CallBase *call) {
    return llvm::isAllocationFn(call, &library) && llvm::isNoAliasCall(call) &&
           llvm::all_of(call->args(), [](const llvm::Use &argument) {
             return !argument->getType()->isPointerTy() ||
                    isa<llvm::GlobalVariable>(llvm::getUnderlyingObject(argument)); // std::nothrow
           });
  };
  auto frees = [&](llvm::CallBase *call) { return llvm::getFreedOperand(call, &library) != nullptr; };
  return (allocates(first) && frees(second)) || (frees(first) && allocates(second));
}

bool LLVMMemoryOracle::conflict(llvm::BatchAAResults &aliases, llvm::Instruction *a, llvm::Instruction *b,
                                Sequence sequence) {
  if ((!a->mayWriteToMemory() && !b->mayWriteToMemory()) || areNumberAndPointerVariable(*a, *b))
    return false;
  if (isApartFromFreed(aliases, *a, *b, /*isLater=*/sequence != Sequence::Any))
    return false;
  if (sequence == Sequence::OnePass && areAllocatorCalls(*a, *b))
    return false;
  // Memory without a declared type takes the type of what is stored there (C11, 6.5), so that types tell nothing of a
  // store that comes later: a pool is read as integers, and then written as doubles.
  bool typesCount = sequence == Sequence::Any || !b->mayWriteToMemory();
  if (isa<llvm::CallBase>(b) && !isa<llvm::CallBase>(a)) {
    std::swap(a, b);
    if (isApartFromFreed(aliases, *a, *b, /*isLater=*/false))
      return false;
  }
  // Of two instructions at most `a` alone is a call, or both are.
  if (auto *call = dyn_cast<llvm::CallBase>(b))
    return llvm::isModOrRefSet(aliases.getModRefInfo(a, call));
  std::optional<llvm::MemoryLocation> memory = llvm::MemoryLocation::getOrNone(b);
  if (!memory)
    return true;
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

bool LLVMMemoryOracle::mayConflictAtArguments(MPIOpInterface mpiOp, Operation *op, bool acrossIterations) {
  // Requests and statuses have their types whatever the order.
  return mayConflict(computeCommFootprint(mpiOp, getArgumentAccesses(mpiOp)), getFootprint(op), acrossIterations,
                     Sequence::InOrder);
}

bool LLVMMemoryOracle::mayConflict(const Footprint &first, const Footprint &second, bool acrossIterations,
                                   Sequence sequence) {
  if (first.isEmpty() || second.isEmpty())
    return false;
  if (first.isUnknown || second.isUnknown || first.function != second.function)
    return true;
  bool havePlaces = !first.places.empty() && !second.places.empty();
  if (havePlaces && llvm::all_of(first.places, [&](const Place &x) {
        return llvm::all_of(second.places, [&](const Place &y) { return x.isApartFrom(y); });
      }))
    return false;
  llvm::BatchAAResults &aliases = getAliases(*first.function, acrossIterations);
  auto aliasesOf = [&](const CommLocation &location) -> llvm::BatchAAResults & {
    return location.acrossIterations ? getAliases(*first.function, true) : aliases;
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
      if ((location.writes || other.writes) && !areApart(location.memory.Ptr, other.memory.Ptr) &&
          !(other.acrossIterations ? aliasesOf(other) : aliasesOf(location)).isNoAlias(location.memory, other.memory) &&
          !haveOtherObjects(*first.function, location.memory.Ptr, other.memory.Ptr) &&
          !(sequence == Sequence::OnePass &&
            areRotated(location.memory.Ptr, location.block, other.memory.Ptr, other.block)))
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
