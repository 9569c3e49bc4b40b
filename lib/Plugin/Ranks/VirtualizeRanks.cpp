//===- VirtualizeRanks.cpp - Calls of MPI by user-level ranks -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Ranks/VirtualizeRanks.h"

#include "Comm/MPI/Standard.h"
#include "RankDiagnostics.h"
#include "RankTables.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;
using namespace comm;

/// Returns the functions that the runtime library defines; reading them from the library keeps the list up to date.
static Expected<StringSet<>> readDefinedFunctions(StringRef library) {
  StringSet<> names;
  Expected<object::OwningBinary<object::ObjectFile>> file = object::ObjectFile::createObjectFile(library);
  if (!file)
    return file.takeError();
  auto *elf = dyn_cast<object::ELFObjectFileBase>(file->getBinary());
  if (!elf)
    return createStringError(inconvertibleErrorCode(), "not an ELF shared library");
  for (const object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      consumeError(flags.takeError());
      consumeError(name.takeError());
      continue;
    }
    if (!(*flags & object::SymbolRef::SF_Undefined))
      names.insert(*name);
  }
  return names;
}

/// Returns MPI_X for a function named MPI_X or PMPI_X, or "".
static StringRef getMPIName(const Function &function) {
  StringRef name = function.getName();
  if (!mpi::isReservedName(name))
    return "";
  name.consume_front("P");
  return name;
}

namespace {
/// Creates the static description of each call, one per source line and function.
class Sites {
public:
  explicit Sites(Module &module) : module(module) {}
  void storeBefore(CallBase &call, StringRef mpiName);

private:
  Constant *getString(StringRef text);

  Module &module;
  StringMap<Constant *> strings;
};
} // namespace

Constant *Sites::getString(StringRef text) {
  Constant *&string = strings[text];
  if (string)
    return string;
  Constant *value = ConstantDataArray::getString(module.getContext(), text);
  auto *variable = new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, value,
                                      "comm.text");
  variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return string = variable;
}

void Sites::storeBefore(CallBase &call, StringRef mpiName) {
  IRBuilder<> builder(&call);
  const DILocation *place = call.getDebugLoc();
  StringRef file = place ? place->getFilename() : StringRef(module.getSourceFileName());
  Constant *fields[] = {getString(mpiName), getString(file), builder.getInt32(place ? place->getLine() : 0),
                        builder.getInt32(place ? place->getColumn() : 0)};
  Constant *value = ConstantStruct::getAnon(module.getContext(), fields);
  auto *site = new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, value,
                                  "comm.site");
  site->setAlignment(Align(8));
  builder.CreateAlignedStore(site, getRankThreadLocal(builder, "comm_ranks_call_site", builder.getPtrTy()), Align(8));
}

/// Returns the first instruction that uses a function, or null.
static const Instruction *findInstruction(const Function &function) {
  for (const User *user : function.users())
    if (const auto *instruction = dyn_cast<Instruction>(user))
      return instruction;
  return nullptr;
}

/// Creates a stub for a function that the runtime lacks: a rank that calls it ends the program, and the runtime reports
/// the location. Unlike an error at build time, this does not affect code that never runs.
static Function *makeUncovered(Function &function, StringRef mpiName) {
  Module &module = *function.getParent();
  LLVMContext &context = module.getContext();
  auto *stub = Function::Create(function.getFunctionType(), GlobalValue::InternalLinkage,
                                "comm_ranks_uncovered." + mpiName, module);
  stub->addFnAttr(Attribute::Cold);
  stub->addFnAttr(Attribute::NoInline);
  stub->addFnAttr(Attribute::NoReturn);
  IRBuilder<> builder(BasicBlock::Create(context, "", stub));
  FunctionCallee report =
      module.getOrInsertFunction("comm_ranks_uncovered", Type::getVoidTy(context), PointerType::getUnqual(context));
  builder.CreateCall(report, builder.CreateGlobalString(mpiName));
  builder.CreateUnreachable();
  return stub;
}

static void reportError(const Function &function, StringRef message) {
  const Instruction *user = findInstruction(function);
  std::string place = user ? describeLocation(*user) : function.getParent()->getSourceFileName() + ": ";
  function.getContext().emitError(place + message.str());
}

static void storeSites(Function &function, StringRef mpiName, Sites &sites) {
  for (User *user : make_early_inc_range(function.users()))
    if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledOperand() == &function)
      // Without a line, the site that the wrapper's caller stored is better.
      if (call->getDebugLoc() || !call->getFunction()->getName().starts_with("comm."))
        sites.storeBefore(*call, mpiName);
}

PreservedAnalyses VirtualizeRanksPass::run(Module &module, ModuleAnalysisManager &) {
  StringSet<> defined;
  if (!library.empty()) {
    Expected<StringSet<>> names = readDefinedFunctions(library);
    if (!names) {
      module.getContext().emitError("comm: cannot read the runtime's library " + library + ": " +
                                    toString(names.takeError()));
      return PreservedAnalyses::all();
    }
    defined = std::move(*names);
  }
  bool changed = false;
  Sites sites(module);
  SmallVector<Function *> functions(map_range(module, [](Function &function) { return &function; }));
  for (Function *function : functions) {
    StringRef name = getMPIName(*function);
    StringRef fortran = function->getName();
    if (name.empty()) {
      if (function->isDeclaration() && !function->use_empty() && fortran.consume_front("mpi_") &&
          fortran.ends_with("_"))
        reportError(*function,
                    (function->getName() + ": programs in Fortran cannot run as ranks of -fcomm-ranks yet").str());
      continue;
    }
    if (!function->isDeclaration()) {
      module.getContext().emitError(module.getSourceFileName() + ": the program defines " + function->getName().str() +
                                    " itself: profiling wrappers cannot be combined with -fcomm-ranks");
      continue;
    }
    if (function->use_empty())
      continue;
    std::string mpiName = name.str(), target = "comm_ranks_" + mpiName;
    if (!library.empty() && !defined.contains(target)) {
      for (const User *user : function->users())
        if (const auto *instruction = dyn_cast<Instruction>(user))
          warnAt("comm-virtualize-ranks", *instruction,
                 mpiName + " is not covered by -fcomm-ranks: a rank that calls it ends the program");
      storeSites(*function, mpiName, sites);
      function->replaceAllUsesWith(makeUncovered(*function, mpiName));
      changed = true;
      continue;
    }
    storeSites(*function, mpiName, sites);
    if (Function *other = module.getFunction(target)) {
      function->replaceAllUsesWith(other);
      function->eraseFromParent();
    } else {
      function->setName(target);
    }
    changed = true;
  }
  if (Function *main = module.getFunction("main"); main && !main->isDeclaration()) {
    main->setName("comm_ranks_main");
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
