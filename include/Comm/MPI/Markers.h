//===- Markers.h - Markers shared by a program's files ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file with a property that concerns all files of the program has an ELF note that states it. Notes reach the
// executable or library with any linker, version script or visibility, and are found in memory without symbols
// (runtime/lib/overlap/Program.c). Other files call a function, which looks for the notes only once.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_MARKERS_H
#define COMM_MPI_MARKERS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace comm::mpi {

// kAnySourceMarker and so on: the names of the notes.
#define COMM_MARKER(IDENTIFIER, NAME) inline constexpr llvm::StringLiteral k##IDENTIFIER##Marker = #NAME;
#include "Comm/MPI/Markers.def"

/// The prefix of the symbols of notes, which no program declares.
inline constexpr llvm::StringLiteral kNotePrefix = "comm.note.";

/// The constructor of files with markers, which informs callers that asked before the file was loaded.
inline constexpr llvm::StringLiteral kTellMarkers = "comm.tell_markers";

// The functions of the runtime that compiled code calls begin with `comm.`, as no function of a C program does.

/// Prefix of the function that returns (as an i32, without parameters) whether some file has the marker.
inline constexpr llvm::StringLiteral kAskPrefix = "comm.ask_";
inline std::string getQuestion(llvm::StringRef marker) {
  marker.consume_front("comm_");
  return kAskPrefix.str() + marker.str();
}

// Queries of guards besides markers, with and without a communicator: whether a participating process may run another
// program (runtime/lib/overlap/Overlap.h).
inline constexpr llvm::StringLiteral kAskMeetsOthers = "comm.ask_meets_others";
inline constexpr llvm::StringLiteral kAskWorldMeetsOthers = "comm.ask_world_meets_others";
/// Whether several threads of a process may call MPI: this process has such a thread level, or a file has the marker.
inline constexpr llvm::StringLiteral kAskTalkingThreads = "comm.ask_talking_threads";

/// Whether messages and completions may return error codes, or a file has the marker for error handlers of its own.
inline constexpr llvm::StringLiteral kAskErrorCodes = "comm.ask_error_codes";
/// The suffix of both queries about error handlers: whether they hold, or there is one process, which has nothing to
/// overlap.
inline constexpr llvm::StringLiteral kOrOneProcess = "_or_one_process";
/// The query of split loops: whether messages may cross nodes, so that there is something to hide.
inline constexpr llvm::StringLiteral kAskSpansNodes = "comm.ask_spans_nodes";
/// The queries of inspectors whose result is not kept: how many of so many iterations to inspect, that they are
/// inspected, and that the loop need no longer wait (runtime/lib/overlap/Inspections.c). Those that tell something are
/// always true.
inline constexpr llvm::StringLiteral kAskInspects = "comm.ask_inspects";
inline constexpr llvm::StringLiteral kAskInspected = "comm.ask_inspected";
inline constexpr llvm::StringLiteral kAskWaited = "comm.ask_waited";
/// Likewise, where iterations are inspected and executed in tiles: whether to begin, and whether there is time for
/// another tile after so many iterations.
inline constexpr llvm::StringLiteral kAskInspectsTiles = "comm.ask_inspects_tiles";
inline constexpr llvm::StringLiteral kAskGoesOn = "comm.ask_goes_on";
/// How many 64-bit numbers they keep for each loop.
inline constexpr unsigned kNumbersOfInspections = 10;
/// The query for a message whose datatype is known only at run time: where its bytes are
/// (runtime/lib/overlap/Datatypes.c). The others return the numbers of the result.
inline constexpr llvm::StringLiteral kAskTypeLayout = "comm.ask_type_layout";
inline constexpr llvm::StringLiteral kAskTypeBegin = "comm.ask_type_begin";
inline constexpr llvm::StringLiteral kAskTypeSize = "comm.ask_type_size";
inline constexpr llvm::StringLiteral kAskTypeStride = "comm.ask_type_stride";
inline constexpr llvm::StringLiteral kAskTypeCount = "comm.ask_type_count";
inline constexpr llvm::StringLiteral kAskTypeExtent = "comm.ask_type_extent";
inline constexpr llvm::StringLiteral kAskTypeColumn = "comm.ask_type_column";
/// Whether two layouts have no byte in common.
inline constexpr llvm::StringLiteral kAskLayoutsApart = "comm.ask_layouts_apart";
/// The results if nothing is known about a datatype: all bytes around.
struct AnywhereNumber {
  llvm::StringLiteral question;
  int64_t number;
};
inline constexpr AnywhereNumber kAnywhere[] = {{kAskTypeLayout, 0},
                                               {kAskTypeBegin, -(int64_t(1) << 60)},
                                               {kAskTypeSize, int64_t(1) << 61},
                                               {kAskTypeStride, 0},
                                               {kAskTypeCount, 1},
                                               {kAskTypeExtent, 0},
                                               {kAskTypeColumn, 0}};
/// The query of starts whose messages may not arrive unless MPI is called, and the functions that loops then call
/// (Progress.c).
inline constexpr llvm::StringLiteral kAskProgress = "comm.ask_progress";
inline constexpr llvm::StringLiteral kBeginProgress = "comm.call_begin_progress";
inline constexpr llvm::StringLiteral kLetProgress = "comm.call_progress";

// Requests that a function has started, recorded at run time (Requests.c).
inline constexpr llvm::StringLiteral kBeginRecord = "comm.call_begin_record";
inline constexpr llvm::StringLiteral kForgetRequests = "comm.call_forget_requests";
inline constexpr llvm::StringLiteral kRecordRequest = "comm.call_record_request";
inline constexpr llvm::StringLiteral kKnowsRequests = "comm.call_knows_requests";
inline constexpr llvm::StringLiteral kHasOperands = "comm.call_has_operands";
inline constexpr llvm::StringLiteral kTakeRequests = "comm.call_take_requests";
inline constexpr llvm::StringLiteral kGetRequest = "comm.call_get_request";

} // namespace comm::mpi

#endif // COMM_MPI_MARKERS_H
