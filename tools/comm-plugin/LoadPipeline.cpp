//===- LoadPipeline.cpp - The library with MLIR ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadPipeline.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace llvm;

Expected<comm::RunPipeline *> comm::loadPipeline() {
  Dl_info plugin;
  if (!::dladdr(reinterpret_cast<void *>(&loadPipeline), &plugin) || !plugin.dli_fname)
    return createStringError("the folder of Comm's plugin is not known");
  SmallString<256> path(plugin.dli_fname);
  sys::path::remove_filename(path);
  sys::path::append(path, "libCommPipeline.so");
  // The name of the plugin may be a symbolic link to it, which somebody has made in another folder.
  SmallString<256> real;
  if (!sys::fs::exists(path) && !sys::fs::real_path(plugin.dli_fname, real)) {
    sys::path::remove_filename(real);
    sys::path::append(real, "libCommPipeline.so");
    if (sys::fs::exists(real))
      path = real;
  }
  std::string error;
  sys::DynamicLibrary library = sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &error);
  if (!library.isValid())
    return createStringError("Comm's passes cannot be loaded (install libCommPipeline.so next to the plugin): " +
                             error);
  void *symbol = library.getAddressOfSymbol(COMM_RUN_PIPELINE);
  if (!symbol)
    return createStringError(path + " is not of the plugin's version, " COMM_VERSION);
  return reinterpret_cast<RunPipeline *>(symbol);
}
