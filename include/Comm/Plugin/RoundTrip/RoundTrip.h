//===- RoundTrip.h - An extract through MLIR and back -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM IR to the llvm dialect, through the overlap pipeline, and back. Results
// are plain data, so that the work can be done in another process.
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
  /// Number of the instruction it is about (Extract::instructions, from 1),
  /// or 0.
  unsigned origin = 0;
  /// Key and value of each part of the text; plain text has the key "String".
  std::vector<std::pair<std::string, std::string>> parts;
};

/// What came out of a round trip.
struct RoundTripResult {
  bool ok = false;
  /// Why it failed, in lower case and one line; if not ok.
  std::string error;
  /// Names of the functions that the pipeline changed.
  std::vector<std::string> changed;
  std::vector<PassRemark> remarks;
  /// How many parallel regions were made of worksharing loops.
  unsigned numRegions = 0;
  /// Bitcode of the changed functions and what they refer to; empty if nothing
  /// changed. Debug locations are numbers, as in the extract.
  std::string bitcode;
  /// What the pipeline printed on the error stream.
  std::string log;
};

/// The pipeline to run, from a module of the llvm dialect to another. It marks
/// the functions that it changed with the unit attribute `comm.changed`.
struct Pipeline {
  llvm::function_ref<void(mlir::DialectRegistry &)> registerDialects;
  llvm::function_ref<void(mlir::OpPassManager &)> build;
};

/// Takes `extract.module` through `pipeline` in this process. Consumes the
/// module.
RoundTripResult roundTrip(Extract &extract, const Pipeline &pipeline);

/// The same in a child process, so that a crash, an endless loop or a fatal
/// error of the pipeline is a failed round trip and no more. Falls back on
/// this process where there is no fork. `seconds` limits the processor time.
RoundTripResult roundTripIsolated(Extract &extract, const Pipeline &pipeline, unsigned seconds = 600);

} // namespace comm

#endif // COMM_PLUGIN_ROUNDTRIP_ROUNDTRIP_H
