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
  /// The program promises that all ranks call each collective at the same place, so that a call that overlaps nothing
  /// may stay blocking.
  bool uniformCollectives = false;
  /// The program promises that an error in MPI ends it, as the default error handler does: error codes are MPI_SUCCESS.
  bool errorsAreFatal = false;
  /// Tell the optimizer what the standard says of MPI's functions.
  bool annotate = false;
  /// The program promises that a source that is no constant is a process or MPI_PROC_NULL.
  bool knownSources = false;
  /// Ranks are user-level threads: privatize globals, and call the runtime of ranks instead of MPI.
  bool ranks = false;
  /// That runtime's library, which says what it defines; "" if not known.
  std::string ranksLibrary;
  /// Do the work in this process (for debuggers).
  bool inProcess = false;
};

/// Reads the options: -mllvm -comm-... first, then the environment
/// (COMM_MODE, COMM_REPORT, COMM_CHECK, COMM_RELAX_TIMERS, COMM_DETECT, COMM_SUMS, COMM_COST, COMM_ABI,
/// COMM_UNIFORM_COLLECTIVES, COMM_ERRORS_ARE_FATAL, COMM_KNOWN_SOURCES, COMM_ANNOTATE, COMM_RANKS, COMM_RANKS_LIBRARY,
/// COMM_IN_PROCESS), then the defaults. An unknown value is an error that lists those that there are.
llvm::Expected<PluginOptions> readPluginOptions();

} // namespace comm

#endif // COMM_TOOLS_PLUGIN_OPTIONS_H
