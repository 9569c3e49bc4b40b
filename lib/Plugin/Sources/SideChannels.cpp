//===- SideChannels.cpp - Communication without MPI -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If processes communicate only by messages and collectives, and each message has one sender and only one receive that
// can match it, the behavior of a process depends on what it receives and not on when. Starting an operation earlier
// then changes nothing (docs/soundness.md, "Causes").
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Sources/SideChannels.h"

#include "Comm/Plugin/Sources/TalkingThreads.h"

#include "VariableValues.h"

#include "Comm/Plugin/Utils/CalledFunction.h"
#include "Comm/Plugin/Utils/Handles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace comm;

/// Returns whether the value is that predefined communicator in any implementation.
static bool isCommunicator(const Value &value, StringRef name) {
  return isHandle(value, mpi::HandleClass::Comm, [&](StringRef found, const mpi::ABI &) { return found == name; });
}

/// Returns whether the module creates no communicators for parts of another one and does not use MPI_COMM_SELF.
static bool hasNoParts(const Module &module) {
  for (const Function &function : module) {
    const mpi::Function *known = mpi::lookupLinkerName(function.getName());
    StringRef name = known ? known->name : "";
    bool makesParts = false;
    for (StringRef prefix : {"MPI_Comm_split", "MPI_Comm_create", "MPI_Cart_sub", "MPI_Intercomm_"})
      makesParts |= name.starts_with(prefix);
    if (makesParts && !function.use_empty())
      return false;
    for (const Instruction &instruction : instructions(function)) {
      bool mayPass = isa<CallBase, StoreInst, PHINode, SelectInst, ReturnInst>(instruction);
      if (mayPass && any_of(instruction.operands(),
                            [](const Use &use) { return isa<Constant>(use) && isCommunicator(*use, "MPI_COMM_SELF"); }))
        return false;
    }
  }
  return all_of(module.globals(), [](const GlobalVariable &variable) {
    return !variable.hasInitializer() || !isCommunicator(*variable.getInitializer(), "MPI_COMM_SELF");
  });
}

namespace {
/// The observable effects of a call.
enum class Reach { Unseen, Output, Outside };

/// Library functions with that name, with names that begin with it, or with C++ names that contain it.
struct LibraryFunctions {
  enum Match { Name, Prefix, Part };
  StringRef text;
  Match match;
  Reach reach;

  bool has(StringRef name) const {
    switch (match) {
    case Name:
      return name == text;
    case Prefix:
      return name.starts_with(text);
    case Part:
      return name.starts_with("_Z") && name.contains(text);
    }
    llvm_unreachable("a match");
  }
};

/// The only process that executes something, as a rank in a communicator.
struct OnlyProcess {
  /// MPI_COMM_WORLD, or the call that returned the rank.
  const Value *where = nullptr;
  int64_t rank = 0;
  bool operator==(const OnlyProcess &other) const { return where == other.where && rank == other.rank; }
};

class SideChannelFinder {
public:
  explicit SideChannelFinder(Module &module) : module(module), objects(module) {}
  const User *find();

private:
  const User *findInFunction(Function &function);
  bool isSafeOutput(const CallBase &call);
  bool isBeforeEnd(const Instruction &instruction, unsigned depth);
  bool isLast(const CallBase &call, unsigned depth);
  bool isLast(const Function &function, unsigned depth);
  bool talksWhenItEnds();
  bool isAlone(const Instruction &at, unsigned depth);
  std::optional<OnlyProcess> getOnlyProcess(const Value &condition, bool isTrue);

  Module &module;
  Objects objects;
  /// The only process that writes output, as far as known.
  std::optional<OnlyProcess> writer;
  /// Whether no communicator is one of several parts of another one, in which processes have the same ranks; computed
  /// on demand.
  std::optional<bool> areWhole;
  /// Whether processes may communicate during program exit; computed on demand.
  std::optional<bool> talks;
  /// Limits the depth of searches through callers and callees.
  static constexpr unsigned mostCalls = 4;
};
} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static Reach getReachOfMPI(const mpi::Function &function) {
  StringRef name = function.name;
  for (StringRef prefix : {"MPI_Comm_get_parent", "MPI_Comm_spawn", "MPI_Comm_connect", "MPI_Comm_accept",
                           "MPI_Comm_join", "MPI_Open_port", "MPI_Publish_name", "MPI_Lookup_name", "MPI_Session_"})
    if (name.starts_with(prefix))
      return Reach::Outside;
  return function.isOneSided() || function.isOfFiles || function.isTool ? Reach::Outside : Reach::Unseen;
}

/// Returns the farthest reach of all matching entries.
static Reach getReachOfLibrary(StringRef name) {
  static const LibraryFunctions lists[] = {
#define COMM_UNSEEN(NAME) {#NAME, LibraryFunctions::Name, Reach::Unseen},
#define COMM_UNSEEN_PREFIX(PREFIX) {#PREFIX, LibraryFunctions::Prefix, Reach::Unseen},
#define COMM_OUTPUT(NAME) {#NAME, LibraryFunctions::Name, Reach::Output},
#define COMM_OUTPUT_PREFIX(PREFIX) {#PREFIX, LibraryFunctions::Prefix, Reach::Output},
#define COMM_OUTSIDE_PART(PART) {#PART, LibraryFunctions::Part, Reach::Outside},
#define COMM_OUTSIDE_PREFIX(PREFIX) {#PREFIX, LibraryFunctions::Prefix, Reach::Outside},
#include "LibraryFunctions.def"
  };
  std::optional<Reach> reach;
  for (const LibraryFunctions &functions : lists)
    if (functions.has(name))
      reach = std::max(reach.value_or(Reach::Unseen), functions.reach);
  return reach.value_or(Reach::Outside);
}

/// Returns the reach of a function that the module does not define.
static Reach getReach(const Function &function) {
  if (function.isIntrinsic())
    return Reach::Unseen;
  if (const mpi::Function *known = mpi::lookupLinkerName(function.getName()))
    return getReachOfMPI(*known);
  if (mpi::isReservedName(function.getName()))
    return Reach::Outside;
  // For sin and the program's annotated functions: they write only to their arguments and errno.
  MemoryEffects rest =
      function.getMemoryEffects().getWithoutLoc(IRMemLocation::ArgMem).getWithoutLoc(IRMemLocation::ErrnoMem);
  return rest.doesNotAccessMemory() ? Reach::Unseen : getReachOfLibrary(function.getName());
}

/// Matches `open(unit, file=name, action="read")` in Fortran, for which flang emits one call per specifier.
static bool opensUnitForReading(const CallBase &call) {
  return call.getCalledFunction()->getName().starts_with("_FortranAioBeginOpen") &&
         any_of(call.users(), [](const User *user) {
           const auto *setting = dyn_cast<CallBase>(user);
           const Function *callee = setting ? setting->getCalledFunction() : nullptr;
           StringRef action;
           return callee && callee->getName() == "_FortranAioSetAction" && setting->arg_size() == 3 &&
                  getConstantStringInfo(setting->getArgOperand(1), action, /*TrimAtNul=*/false) &&
                  action.rtrim().equals_insensitive("read");
         });
}

/// Returns whether Fortran output is to a unit that is open from the beginning. Other units are files, which it may
/// create.
static bool isToStandardUnit(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->getName().starts_with("_FortranAioBegin"))
    return true;
  // The last three arguments are the unit and the source location.
  const auto *unit = call.arg_size() < 3 ? nullptr : dyn_cast<ConstantInt>(call.getArgOperand(call.arg_size() - 3));
  return unit && (unit->getSExtValue() == 6 || unit->getSExtValue() == 0);
}

/// Matches `fopen(name, "r")`.
static bool opensForReading(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  StringRef mode;
  if (callee && opensUnitForReading(call))
    return true;
  return callee && (callee->getName() == "fopen" || callee->getName() == "fopen64") && call.arg_size() == 2 &&
         getConstantStringInfo(call.getArgOperand(1), mode) && (mode == "r" || mode == "rb");
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// Returns whether the call ends the program.
static bool endsProgram(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && is_contained({"exit", "abort", "_exit", "MPI_Abort"}, callee->getName());
}

/// Returns whether the call does not communicate, or is MPI_Finalize, after which no process learns anything more.
bool SideChannelFinder::isLast(const CallBase &call, unsigned depth) {
  const Function *callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic())
    return callee || isa<InlineAsm>(call.getCalledOperand());
  if (const mpi::Function *known = mpi::lookupLinkerName(callee->getName()))
    return (known->isLocal && !known->mayCallBack) || StringRef(known->name) == "MPI_Finalize";
  if (callee->isDeclarationForLinker())
    return !mpi::isReservedName(callee->getName());
  return depth > 0 && isLast(*callee, depth - 1);
}

bool SideChannelFinder::isLast(const Function &function, unsigned depth) {
  return !function.isInterposable() && all_of(instructions(function), [&](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    return !call || isLast(*call, depth);
  });
}

/// Returns whether functions of the program that run at exit may communicate: destructors of variables, and attribute
/// callbacks of MPI_Finalize.
bool SideChannelFinder::talksWhenItEnds() {
  return any_of(module, [&](const Function &function) {
    const mpi::Function *known = function.use_empty() ? nullptr : mpi::lookupLinkerName(function.getName());
    StringRef name = known ? known->name : "";
    if (name.contains("_create_keyval") || name == "MPI_Keyval_create")
      return true;
    return function.getName() == "__cxa_atexit" && any_of(function.uses(), [&](const Use &use) {
             const auto *call = dyn_cast<CallBase>(use.getUser());
             const auto *destructor = call && call->isCallee(&use)
                                          ? dyn_cast<Function>(call->getArgOperand(0)->stripPointerCasts())
                                          : nullptr;
             return !destructor || (!destructor->isDeclarationForLinker() && !isLast(*destructor, mostCalls));
           });
  });
}

/// Returns whether no communication follows the instruction: all paths lead to the end of the program.
bool SideChannelFinder::isBeforeEnd(const Instruction &instruction, unsigned depth) {
  SmallVector<const Instruction *> open;
  SmallPtrSet<const BasicBlock *, 16> seen;
  // Exceptions are handled by callers, which are therefore checked as for returns.
  auto mayUnwind = [](const Instruction &at) { return isa<CallInst>(at) && at.mayThrow(); };
  bool returns = mayUnwind(instruction);
  auto follow = [&](const Instruction &end) {
    returns |= isa<ReturnInst, ResumeInst>(end);
    for (const BasicBlock *next : successors(end.getParent()))
      if (seen.insert(next).second)
        open.push_back(&next->front());
  };
  if (instruction.isTerminator())
    follow(instruction);
  else
    open.push_back(instruction.getNextNode());
  while (!open.empty()) {
    const Instruction *at = open.pop_back_val();
    for (; at; at = at->getNextNode()) {
      const auto *call = dyn_cast<CallBase>(at);
      if (call && endsProgram(*call))
        break;
      if (call && !isLast(*call, depth))
        return false;
      returns |= mayUnwind(*at);
      if (at->isTerminator())
        follow(*at);
    }
  }
  const Function &function = *instruction.getFunction();
  if (!returns || (function.getName() == "main" && function.use_empty()))
    return true;
  return depth > 0 && function.hasLocalLinkage() && all_of(function.uses(), [&](const Use &use) {
           const auto *call = dyn_cast<CallBase>(use.getUser());
           return call && call->isCallee(&use) && isBeforeEnd(*call, depth - 1);
         });
}

/// Returns the call to MPI_Comm_rank that is the only writer of the loaded variable.
static const CallBase *findRankCall(Objects &objects, const LoadInst &load) {
  std::optional<VariableValues> values = getVariableValues(objects, load);
  if (!values || !values->stores.empty() || !values->numbers.empty() || values->outcomes.size() != 1)
    return nullptr;
  const ObjectUses::Outcome &outcome = values->outcomes.front();
  return StringRef(outcome.function->name) == "MPI_Comm_rank" ? outcome.call : nullptr;
}

/// Returns the process that the condition selects, if it is `rank == number`, or that and something else.
std::optional<OnlyProcess> SideChannelFinder::getOnlyProcess(const Value &condition, bool isTrue) {
  using namespace PatternMatch;
  const Value *first, *second;
  if (isTrue ? match(&condition, m_LogicalAnd(m_Value(first), m_Value(second)))
             : match(&condition, m_LogicalOr(m_Value(first), m_Value(second)))) {
    std::optional<OnlyProcess> process = getOnlyProcess(*first, isTrue);
    return process ? process : getOnlyProcess(*second, isTrue);
  }
  const auto *compare = dyn_cast<ICmpInst>(&condition);
  if (!compare || compare->getPredicate() != (isTrue ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE))
    return std::nullopt;
  const auto *load = dyn_cast<LoadInst>(compare->getOperand(0));
  const auto *number = dyn_cast<ConstantInt>(compare->getOperand(1));
  const CallBase *call = load && number ? findRankCall(objects, *load) : nullptr;
  if (!call)
    return std::nullopt;
  const Value *communicator = call->getArgOperand(0);
  if (isCommunicator(*communicator, "MPI_COMM_WORLD"))
    return OnlyProcess{communicator, number->getSExtValue()};
  if (!areWhole)
    areWhole = hasNoParts(module);
  return *areWhole ? std::optional(OnlyProcess{call, number->getSExtValue()}) : std::nullopt;
}

/// Returns whether only one process executes the instruction, and that one writes all other output.
bool SideChannelFinder::isAlone(const Instruction &at, unsigned depth) {
  const Function &function = *at.getFunction();
  const DominatorTree &dominance = objects.getDominance(function);
  for (auto *node = dominance.getNode(at.getParent()); node && node->getIDom(); node = node->getIDom()) {
    const auto *branch = dyn_cast<BranchInst>(node->getIDom()->getBlock()->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    for (bool isTrue : {true, false}) {
      BasicBlockEdge edge(branch->getParent(), branch->getSuccessor(isTrue ? 0 : 1));
      std::optional<OnlyProcess> process =
          dominance.dominates(edge, at.getParent()) ? getOnlyProcess(*branch->getCondition(), isTrue) : std::nullopt;
      if (process && (!writer || *writer == *process)) {
        writer = process;
        return true;
      }
    }
  }
  // Only that process calls the function.
  return depth > 0 && function.hasLocalLinkage() && !function.use_empty() &&
         all_of(function.uses(), [&](const Use &use) {
           const auto *call = dyn_cast<CallBase>(use.getUser());
           return call && call->isCallee(&use) && isAlone(*call, depth - 1);
         });
}

bool SideChannelFinder::isSafeOutput(const CallBase &call) {
  if (!talks)
    talks = talksWhenItEnds();
  return isToStandardUnit(call) && ((!*talks && isBeforeEnd(call, mostCalls)) || isAlone(call, mostCalls));
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

const User *SideChannelFinder::findInFunction(Function &function) {
  // (Another file may replace a weak definition.)
  if (!function.isDeclarationForLinker() && !function.isInterposable()) {
    for (const Instruction &instruction : instructions(function))
      if (const auto *call = dyn_cast<CallBase>(&instruction)) {
        const auto *code = dyn_cast<InlineAsm>(call->getCalledOperand());
        // (An indirect call may go to another file.)
        if (code ? code->hasSideEffects() : call->isIndirectCall())
          return call;
      }
    return nullptr;
  }
  if (function.use_empty())
    return nullptr;
  Reach reach = getReach(function);
  if (reach == Reach::Unseen)
    return nullptr;
  for (const Use &use : function.uses()) {
    const auto *call = dyn_cast<CallBase>(use.getUser());
    bool isCall = call && call->isCallee(&use);
    if (!isCall || (reach == Reach::Output ? !isSafeOutput(*call) : !opensForReading(*call)))
      return use.getUser();
  }
  return nullptr;
}

/// Returns whether several threads may call MPI: such a process is not a sequence of steps.
static bool hasTalkingThreads(const Module &module) {
  return mayHaveTalkingThreads(module) && any_of(module, [](const Function &function) {
           return function.getName().starts_with("__kmpc_fork_") && !function.use_empty();
         });
}

const User *SideChannelFinder::find() {
  // Without main, the module is only part of the program. With it, calls to other files are declarations, found as
  // Outside.
  const Function *main = module.getFunction("main");
  if (!main || main->isDeclaration() || !module.getModuleInlineAsm().empty() || !module.ifunc_empty() ||
      hasTalkingThreads(module))
    return &*module.begin();
  for (Function &function : module)
    if (const User *found = findInFunction(function))
      return found;
  return nullptr;
}

const User *comm::findSideChannel(Module &module) { return SideChannelFinder(module).find(); }

const User *comm::findSharedMemory(Module &module) {
  constexpr uint64_t shared = 1; // MAP_SHARED and MAP_SHARED_VALIDATE
  for (const Function &function : module) {
    StringRef name = function.getName();
    bool maps = name == "mmap" || name == "mmap64";
    if (!function.isDeclaration() || !(maps || name == "shmat" || name == "shm_open"))
      continue;
    for (const User *user : function.users()) {
      const auto *call = dyn_cast<CallBase>(user);
      const auto *flags =
          maps && call && call->arg_size() == 6 ? dyn_cast<ConstantInt>(call->getArgOperand(3)) : nullptr;
      if (!flags || (flags->getZExtValue() & shared) != 0)
        return user;
    }
  }
  return nullptr;
}
