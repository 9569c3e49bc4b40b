//===- WholeProgram.cpp - Files that are the whole program ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/WholeProgram.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

/// Returns whether a library may use the program's definition of that name: a library function that the program
/// replaces, such as malloc or sched_yield, or one that a header requires the program to define. The C and C++
/// libraries are those that this process has loaded.
static bool isOfLibraries(StringRef name, sys::DynamicLibrary &process) {
  if (name == "main" || process.getAddressOfSymbol(name.str().c_str()))
    return true;
  // Names of MPI, OpenMP and the implementation.
  for (StringRef prefix : {"MPI", "PMPI", "mpi_", "pmpi_", "ompi_", "opal_", "comm_", "omp_", "GOMP_", "kmp"})
    if (name.starts_with(prefix))
      return true;
  // In C++, operators new and delete, and names in std or the implementation's own namespaces.
  if (name.consume_front("_Z")) {
    for (StringRef prefix : {"n", "d", "S", "NS", "NKS", "T", "N9__gnu", "N10__cxxabi"})
      if (name.starts_with(prefix))
        return true;
    return false;
  }
  // flang's names for entities of modules and the main program belong to the program.
  return name.starts_with("_") && !name.starts_with("_Q");
}

bool comm::makeLocal(Module &module) {
  const Function *main = module.getFunction("main");
  if (!main || main->isDeclaration() || !module.getModuleInlineAsm().empty())
    return false;
  sys::DynamicLibrary process = sys::DynamicLibrary::getPermanentLibrary(nullptr);
  return internalizeModule(module, [&](const GlobalValue &value) {
    // Templates and inline functions: other files and libraries have their own copies, also of those in std.
    bool isInline = value.hasLinkOnceODRLinkage() && isa<Function>(value);
    bool isPlain = (value.hasExternalLinkage() || value.hasCommonLinkage()) && !value.hasComdat();
    return !isInline && (!isPlain || value.hasDLLExportStorageClass() || isOfLibraries(value.getName(), process));
  });
}
