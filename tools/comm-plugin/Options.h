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
  /// The mode was set explicitly, so unoptimized code is transformed as well.
  bool modeIsExplicit = false;
#define GEN_PLUGIN_MEMBERS
#include "Comm/Pipelines/Options.h.inc"
  /// The runtime library of ranks, which tells what it defines; "" if not known.
  std::string ranksLibrary;
  /// Work in this process (for debuggers).
  bool inProcess = false;
};

/// Reads the options of lib/Pipelines/options.json from -mllvm -comm-NAME=VALUE, then from the environment variable
/// COMM_NAME (in capitals, with underscores), then uses the default; also COMM_RANKS_LIBRARY and COMM_IN_PROCESS. For
/// an unknown value, returns an error that lists the valid ones.
llvm::Expected<PluginOptions> readPluginOptions();

} // namespace comm

#endif // COMM_TOOLS_PLUGIN_OPTIONS_H
