//===- RoundTrip.h - An extract through MLIR and back -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates LLVM IR to the llvm dialect, runs the overlap pipeline, and translates back. Results are plain data, which
// lets another process do the work.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ROUNDTRIP_ROUNDTRIP_H
#define COMM_PLUGIN_ROUNDTRIP_ROUNDTRIP_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <utility>
#include <vector>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace comm {
struct Extract;

/// One remark of a pass (mlir::remark), without its MLIR context.
struct PassRemark {
  enum class Kind : unsigned char { Passed, Missed, Analysis };
  Kind kind = Kind::Analysis;
  std::string pass;     ///< category, e.g. "comm-move-slices"
  std::string name;     ///< e.g. "Overlapped"
  std::string function; ///< symbol name, or empty
  /// Number of the instruction that the remark is about (Extract::instructions, counted from 1), or 0.
  unsigned origin = 0;
  /// Key and value of each part of the text; plain text has the key "String".
  std::vector<std::pair<std::string, std::string>> parts;
};

/// The result of a round trip.
struct RoundTripResult {
  bool ok = false;
  /// If not ok, the cause, in lower case and on one line.
  std::string error;
  /// Names of the functions that the pipeline changed.
  std::vector<std::string> changed;
  std::vector<PassRemark> remarks;
  /// Number of parallel regions that were created from worksharing loops.
  unsigned numRegions = 0;
  /// Bitcode of the changed functions and everything they refer to; empty if nothing changed. Debug locations are
  /// numbers, as in the extract.
  std::string bitcode;
  /// Error output of the pipeline.
  std::string log;
};

/// A pipeline of passes on a module of the llvm dialect. It marks the functions that it changed with the unit attribute
/// `comm.changed`.
struct Pipeline {
  llvm::function_ref<void(mlir::DialectRegistry &)> registerDialects;
  llvm::function_ref<void(mlir::OpPassManager &)> build;
};

/// Runs `pipeline` on `extract.module` in this process. Consumes the module. In the library CommPluginPipeline, which
/// needs MLIR; the rest of this folder does not.
RoundTripResult roundTrip(Extract &extract, const Pipeline &pipeline);

/// A round trip through a pipeline that somebody else has chosen.
using RoundTrip = llvm::function_ref<RoundTripResult(Extract &extract)>;

/// Makes the round trip in a child process, which turns a crash, an endless loop or a fatal error of the pipeline into
/// a failed round trip. Falls back on this process if it cannot fork. `seconds` limits the processor time.
RoundTripResult roundTripIsolated(Extract &extract, RoundTrip roundTrip, unsigned seconds = 600);

} // namespace comm

#endif // COMM_PLUGIN_ROUNDTRIP_ROUNDTRIP_H
