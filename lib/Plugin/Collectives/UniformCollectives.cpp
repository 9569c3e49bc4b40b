//===- UniformCollectives.cpp - Collectives that match each other ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Collectives/UniformCollectives.h"

#include "Comm/MPI/Standard.h"
#include "Comm/MPI/Sums.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace comm;

#include "OverlapBitcode.inc"

// The names that runtime/lib/overlap/generate_collectives.py gives, besides kStartPrefix.
static constexpr StringLiteral kCallPrefix = "comm_call_";
static constexpr StringLiteral kPromisedPrefix = "promised_";
static constexpr StringLiteral kCannotAskPrefix = "comm_blocks_";
static constexpr StringLiteral kWait = "comm_wait";
static constexpr StringLiteral kMeetsOthers = "comm_meets_others";
static constexpr StringLiteral kWorldMeetsOthers = "comm_world_meets_others";
static constexpr StringLiteral kUsesSessions = "comm_uses_sessions";
static constexpr StringLiteral kIgnoresCosts = "comm_ignores_costs";

namespace {
/// The code of runtime/lib/overlap on its way into a module.
class DecisionLinker {
public:
  explicit DecisionLinker(Module &module) : module(module) {}

  /// Blocking calls ask.
  void redirectCalls();
  /// The starts that Comm made ask less.
  void promise();
  /// Waits look first whether the request is null, as it is after a start that was the blocking call.
  void redirectWaits();
  void noteSessions();
  void note(StringRef name);
  bool hasStarts() const {
    return any_of(module, [](const Function &function) { return isStart(function); });
  }
  /// Whether guards of waits ask which programs there are.
  bool hasQuestions() const {
    return any_of(module, [](const Function &function) { return isQuestion(function); });
  }
  /// Links what was asked for.
  bool link();

  static bool isQuestion(const Function &function) {
    StringRef name = function.getName();
    return function.isDeclaration() && (name == kMeetsOthers || name == kWorldMeetsOthers) && !function.use_empty();
  }

private:
  static bool isStart(const Function &function) {
    return function.isDeclaration() && function.getName().starts_with(mpi::kStartPrefix) && !function.use_empty();
  }
  bool isOurs(const Use &use) const;
  Module &getLibrary();

  Module &module;
  std::unique_ptr<Module> library;
  SmallVector<GlobalValue *> notes;
  bool changed = false;
};
} // namespace

/// The base name of a collective by any of the names that compilers give it: MPI_Bcast_c, PMPI_Bcast, mpi_bcast_,
/// pmpi_bcast_f08_. "" if it is none.
static StringRef findCollective(StringRef name) {
  static const StringMap<StringRef> known = [] { // MPI's case is no key to what Fortran calls
    StringMap<StringRef> names;
    for (const mpi::Function &function : mpi::allFunctions())
      if (function.hasNonblocking() && function.findRole(mpi::Role::Comm, mpi::Direction::In) >= 0)
        names[StringRef(function.name).lower()] = function.name;
    return names;
  }();
  std::string lower = name.lower();
  StringRef rest = lower;
  if (rest.starts_with("pmpi_"))
    rest = rest.drop_front();
  rest = rest.rtrim('_');
  for (StringRef suffix : {"_f08ts", "_f08", "_fts", "_f"})
    if (rest.consume_back(suffix))
      break;
  auto found = known.find(rest);
  return found == known.end() ? "" : found->second;
}

/// Whether the use is part of the code that decides.
bool DecisionLinker::isOurs(const Use &use) const {
  auto *instruction = dyn_cast<Instruction>(use.getUser());
  StringRef name = instruction ? instruction->getFunction()->getName() : "";
  return name == kWait || name.starts_with(kCallPrefix) || name.starts_with(mpi::kStartPrefix);
}

/// How the module passes communicators: pointers, if nothing tells.
static bool passesPointers(const Module &module) {
  for (const Function &function : module) {
    const mpi::Function *known = mpi::lookupFunction(function.getName());
    int comm = known ? known->findRole(mpi::Role::Comm, mpi::Direction::In) : -1;
    if (comm >= 0 && function.arg_size() == known->numParams && !function.use_empty())
      return function.getArg(comm)->getType()->isPointerTy();
    StringRef name = function.getName();
    if (!name.consume_front(mpi::kStartPrefix))
      continue;
    known = mpi::lookupFunction(name.substr(name.find("MPI_")));
    comm = known ? known->findRole(mpi::Role::Comm, mpi::Direction::In) : -1;
    if (comm >= 0 && comm < static_cast<int>(function.arg_size()))
      return function.getArg(comm)->getType()->isPointerTy();
  }
  return true;
}

/// Any module may bring its own copy of a definition; the linker keeps one. Notes are in no group, where linkers that
/// collect garbage would drop them.
static void makeMergeable(Module &library) {
  auto merge = [&](GlobalObject &object) {
    if (object.isDeclaration() || object.hasPrivateLinkage())
      return;
    if (object.hasInternalLinkage())
      object.setName("comm_overlap." + object.getName());
    object.setLinkage(GlobalValue::LinkOnceODRLinkage);
    object.setVisibility(GlobalValue::HiddenVisibility);
    object.setDSOLocal(true);
    if (!object.hasSection())
      object.setComdat(library.getOrInsertComdat(object.getName()));
  };
  for (Function &function : library)
    merge(function);
  for (GlobalVariable &variable : library.globals())
    merge(variable);
}

Module &DecisionLinker::getLibrary() {
  if (library)
    return *library;
  auto asText = [](const unsigned char *bytes, size_t size) {
    return StringRef(reinterpret_cast<const char *>(bytes), size);
  };
  StringRef bytes = passesPointers(module) ? asText(kPointerHandles, sizeof kPointerHandles)
                                           : asText(kIntegerHandles, sizeof kIntegerHandles);
  Expected<std::unique_ptr<Module>> parsed =
      getLazyBitcodeModule(MemoryBufferRef(bytes, "comm-overlap"), module.getContext());
  if (!parsed) // made with this LLVM
    reportFatalInternalError(parsed.takeError());
  library = std::move(*parsed);
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  // How the library was compiled is nothing to the module.
  for (StringRef name : {"llvm.module.flags", "llvm.ident"})
    if (NamedMDNode *metadata = library->getNamedMetadata(name))
      metadata->eraseFromParent();
  makeMergeable(*library);
  return *library;
}

void DecisionLinker::note(StringRef name) {
  if (!getLibrary().getNamedGlobal(name))
    return;
  GlobalVariable *known = module.getNamedGlobal(name);
  if (!known)
    known = new GlobalVariable(module, library->getNamedGlobal(name)->getValueType(), /*isConstant=*/true,
                               GlobalValue::ExternalLinkage, nullptr, name);
  notes.push_back(known);
}

void DecisionLinker::redirectCalls() {
  SmallVector<Function *> collectives;
  for (Function &function : module)
    if (function.isDeclaration() && !function.use_empty() && !findCollective(function.getName()).empty())
      collectives.push_back(&function);
  for (Function *function : collectives) {
    std::string name = (kCallPrefix + function->getName()).str();
    Function *known = getLibrary().getFunction(name);
    // A declaration that is not the standard's: Fortran's, or K&R's.
    if (!known || known->getFunctionType() != function->getFunctionType()) {
      note((kCannotAskPrefix + findCollective(function->getName())).str());
      continue;
    }
    Function *asking = module.getFunction(name);
    if (!asking)
      asking = Function::Create(function->getFunctionType(), GlobalValue::ExternalLinkage, name, module);
    function->replaceUsesWithIf(asking, [&](const Use &use) { return !isOurs(use); });
    changed = true;
  }
}

void DecisionLinker::promise() {
  for (Function &function : module) {
    StringRef name = function.getName();
    if (isStart(function) && name.consume_front(mpi::kStartPrefix) && !name.starts_with(kPromisedPrefix))
      function.setName(mpi::kStartPrefix + kPromisedPrefix + name);
  }
}

void DecisionLinker::redirectWaits() {
  Function *wait = hasStarts() ? module.getFunction("MPI_Wait") : nullptr;
  Function *known = wait ? getLibrary().getFunction(kWait) : nullptr;
  if (!known || !wait->isDeclaration() || known->getFunctionType() != wait->getFunctionType())
    return;
  FunctionCallee quick = module.getOrInsertFunction(kWait, wait->getFunctionType());
  wait->replaceUsesWithIf(quick.getCallee(), [&](const Use &use) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    return call && call->isCallee(&use) && !isOurs(use);
  });
}

void DecisionLinker::noteSessions() {
  if (const Function *init = module.getFunction("MPI_Session_init"); init && !init->use_empty())
    note(kUsesSessions);
}

bool DecisionLinker::link() {
  if (!notes.empty())
    appendToCompilerUsed(module, notes);
  changed |= !notes.empty() || hasStarts() || hasQuestions();
  if (!changed)
    return false;
  getLibrary();
  if (Linker::linkModules(module, std::move(library), Linker::Flags::LinkOnlyNeeded))
    reportFatalInternalError("comm: cannot link what decides about collectives");
  return true;
}

bool comm::makeCollectivesUniform(Module &module, const UniformOptions &options) {
  DecisionLinker linker(module);
  if (options.isPromised)
    linker.promise();
  else
    linker.redirectCalls();
  linker.redirectWaits();
  linker.noteSessions();
  if (options.ignoresCosts)
    linker.note(kIgnoresCosts);
  return linker.link();
}

bool comm::startAllCollectives(Module &module) {
  bool changed = false;
  for (Function &function : make_early_inc_range(module)) {
    StringRef name = function.getName();
    // What the ranks of other processes run is not known here.
    if (DecisionLinker::isQuestion(function)) {
      for (User *user : make_early_inc_range(function.users())) {
        user->replaceAllUsesWith(ConstantInt::get(user->getType(), 1));
        cast<CallInst>(user)->eraseFromParent();
      }
      function.eraseFromParent();
      changed = true;
      continue;
    }
    if (!function.isDeclaration() || !name.consume_front(mpi::kStartPrefix))
      continue;
    const mpi::Function *blocking = mpi::lookupFunction(name.substr(name.find("MPI_")));
    FunctionCallee start = module.getOrInsertFunction(blocking->nonblocking, function.getFunctionType());
    function.replaceAllUsesWith(start.getCallee());
    function.eraseFromParent();
    changed = true;
  }
  return changed;
}
