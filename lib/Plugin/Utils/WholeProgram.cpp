//===- WholeProgram.cpp - A file that is the whole program -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/WholeProgram.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

/// Whether a library may use what the program defines under that name: a function of the library's own that the program
/// replaces, as malloc or sched_yield, or one that the library's header tells the program to define. The libraries of C
/// and C++ are those that this process has loaded.
static bool isOfLibraries(StringRef name, sys::DynamicLibrary &process) {
  if (name == "main" || process.getAddressOfSymbol(name.str().c_str()))
    return true;
  // What is of MPI, OpenMP and the implementation.
  for (StringRef prefix : {"MPI", "PMPI", "mpi_", "pmpi_", "ompi_", "opal_", "comm_", "omp_", "GOMP_", "kmp"})
    if (name.starts_with(prefix))
      return true;
  // Of C++, operators new and delete, and what is in std or the implementation's own namespaces.
  if (name.consume_front("_Z")) {
    for (StringRef prefix : {"n", "d", "S", "NS", "NKS", "T", "N9__gnu", "N10__cxxabi"})
      if (name.starts_with(prefix))
        return true;
    return false;
  }
  // flang's names of what modules and the main program have are the program's own.
  return name.starts_with("_") && !name.starts_with("_Q");
}

bool comm::makeLocal(Module &module) {
  const Function *main = module.getFunction("main");
  if (!main || main->isDeclaration() || !module.getModuleInlineAsm().empty())
    return false;
  sys::DynamicLibrary process = sys::DynamicLibrary::getPermanentLibrary(nullptr);
  return internalizeModule(module, [&](const GlobalValue &value) {
    // Templates, and functions that are inline or in a class: other files would have copies of their own.
    bool isInline = value.hasLinkOnceODRLinkage() && isa<Function>(value);
    bool isPlain = (value.hasExternalLinkage() || value.hasCommonLinkage()) && !value.hasComdat();
    return !(isInline || isPlain) || value.hasDLLExportStorageClass() || isOfLibraries(value.getName(), process);
  });
}
