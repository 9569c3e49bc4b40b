//===- Options.h - Options of the plugin ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_PLUGIN_OPTIONS_H
#define COMM_TOOLS_PLUGIN_OPTIONS_H

#include "Comm/Pipelines/Overlap.h"

#include "llvm/Support/Error.h"

#include <string>

namespace comm {

struct PluginOptions {
  OverlapOptions overlap;
  /// The mode was asked for, so unoptimized code is transformed as well.
  bool modeIsExplicit = false;
#define GEN_PLUGIN_MEMBERS
#include "Comm/Pipelines/Options.h.inc"
  /// That runtime's library, which says what it defines; "" if not known.
  std::string ranksLibrary;
  /// Do the work in this process (for debuggers).
  bool inProcess = false;
};

/// Reads the options of lib/Pipelines/options.json: -mllvm -comm-NAME=VALUE first, then the environment variable
/// COMM_NAME (in capitals, with underscores), then the default; and COMM_RANKS_LIBRARY and COMM_IN_PROCESS. An unknown
/// value is an error that lists those that there are.
llvm::Expected<PluginOptions> readPluginOptions();

} // namespace comm

#endif // COMM_TOOLS_PLUGIN_OPTIONS_H
