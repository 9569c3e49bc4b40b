//===- JIT.cpp - C API: run object files in this process ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm-c/Execution.h"

#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

using namespace mlir;
using namespace llvm::orc;

namespace {
struct Engine {
  /// Errors that ORC reported during linking: the causes of a failed lookup.
  std::string causes;
  std::unique_ptr<LLJIT> jit;
};
} // namespace

DEFINE_C_API_PTR_METHODS(CommJIT, Engine)

static void tell(llvm::Error error, MlirStringCallback callback, void *userData) {
  std::string text = llvm::toString(std::move(error));
  callback(mlirStringRefCreate(text.data(), text.size()), userData);
}

static MlirLogicalResult conclude(llvm::Error error, MlirStringCallback callback, void *userData) {
  if (!error)
    return mlirLogicalResultSuccess();
  tell(std::move(error), callback, userData);
  return mlirLogicalResultFailure();
}

/// Makes the compiler runtime available for operations that the processor lacks, such as 128-bit division (__divti3).
/// The process exports it only if the C++ runtime, which depends on it, was loaded globally.
static void addCompilerRuntime(LLJIT &jit) {
  auto library =
      DynamicLibrarySearchGenerator::Load("libgcc_s.so.1", jit.getDataLayout().getGlobalPrefix(),
                                          [](const SymbolStringPtr &name) { return (*name).starts_with("__"); });
  if (library)
    jit.getMainJITDylib().addGenerator(std::move(*library));
  else
    llvm::consumeError(library.takeError()); // code that calls one of these will fail to link
}

CommJIT commJITCreate(MlirStringCallback error, void *userData) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  // Link objects on the thread that looks up symbols, and run nothing at startup or exit.
  auto jit = LLJITBuilder().setPlatformSetUp(setUpInactivePlatform).create();
  if (!jit) {
    tell(jit.takeError(), error, userData);
    return {nullptr};
  }
  auto *engine = new Engine{"", std::move(*jit)};
  engine->jit->getExecutionSession().setErrorReporter(
      [engine](llvm::Error error) { engine->causes += llvm::toString(std::move(error)) + "; "; });
  addCompilerRuntime(*engine->jit);
  return wrap(engine);
}

void commJITDestroy(CommJIT jit) { delete unwrap(jit); }

MlirLogicalResult commJITAddObject(CommJIT jit, MlirStringRef bytes, MlirStringCallback error, void *userData) {
  return conclude(unwrap(jit)->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(unwrap(bytes), "comm-object")),
                  error, userData);
}

MlirLogicalResult commJITAddLibrary(CommJIT jit, MlirStringRef path, MlirStringCallback error, void *userData) {
  LLJIT &engine = *unwrap(jit)->jit;
  std::string name = unwrap(path).str();
  if (StringRef(name).ends_with(".a")) {
    auto archive = StaticLibraryDefinitionGenerator::Load(engine.getObjLinkingLayer(), name.c_str());
    if (!archive)
      return conclude(archive.takeError(), error, userData);
    engine.getMainJITDylib().addGenerator(std::move(*archive));
    return mlirLogicalResultSuccess();
  }
  auto library = DynamicLibrarySearchGenerator::Load(name.c_str(), engine.getDataLayout().getGlobalPrefix());
  if (!library)
    return conclude(library.takeError(), error, userData);
  engine.getMainJITDylib().addGenerator(std::move(*library));
  return mlirLogicalResultSuccess();
}

MlirLogicalResult commJITDefine(CommJIT jit, MlirStringRef name, void *address, MlirStringCallback error,
                                void *userData) {
  LLJIT &engine = *unwrap(jit)->jit;
  SymbolMap symbols;
  symbols[engine.mangleAndIntern(unwrap(name))] = {ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  return conclude(engine.getMainJITDylib().define(absoluteSymbols(std::move(symbols))), error, userData);
}

void *commJITLookup(CommJIT jit, MlirStringRef name, MlirStringCallback error, void *userData) {
  Engine &engine = *unwrap(jit);
  engine.causes.clear();
  auto address = engine.jit->lookup(unwrap(name));
  if (!address) {
    std::string text = engine.causes + llvm::toString(address.takeError());
    error(mlirStringRefCreate(text.data(), text.size()), userData);
    return nullptr;
  }
  return address->toPtr<void *>();
}
