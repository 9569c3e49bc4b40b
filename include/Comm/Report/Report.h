//===- Report.h - Interval reports ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the files (versions 1 and 2) that programs built with -fcomm-report or -fcomm-profile-generate write
// (docs/report.md).
//
//===----------------------------------------------------------------------===//

#ifndef COMM_REPORT_REPORT_H
#define COMM_REPORT_REPORT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace comm::report {

/// Durations of several executions on several ranks, in microseconds.
struct Durations {
  int64_t executions = 0;
  double mean = 0;
  /// Over all executions; -1 if the report does not have it.
  double shortest = -1, longest = -1;
  /// The smallest and the largest average of a rank that executed the site.
  double leastMean = 0, mostMean = 0;

  explicit operator bool() const { return executions != 0; }
  /// Adds durations of another run or site, weighted by executions.
  void add(const Durations &other);
};

/// Sizes of the messages that were measured, in bytes.
struct Bytes {
  int64_t messages = 0, sum = 0, least = 0, most = 0;

  explicit operator bool() const { return messages != 0; }
  void add(const Bytes &other);
};

/// A call site.
struct Site {
  std::string call, function, file;
  /// Where it was inlined (comm_report_site::inlined_at); "" if it was not or that is not known.
  std::string inlinedAt;
  int64_t line = 0, column = 0;
  /// Number of ranks that executed it.
  int64_t ranks = 0;
  /// Over all ranks, and on the ranks with the fewest and the most.
  int64_t executions = 0, leastExecutions = 0, mostExecutions = 0;
  Durations start, interval, wait, blocking;
  Bytes bytes;
};

/// The run that a report describes, or several runs of one program.
struct Run {
  std::string program, mode, startTime;
  double wallSeconds = 0;
  /// Size of MPI_COMM_WORLD, the maximum of several runs. Nodes: 0 if not known.
  int64_t ranks = 0, nodes = 0;
  int64_t runs = 1;
  /// The rank that the report covers, or -1 for all.
  int64_t onlyRank = -1;
};

struct Report {
  Run run;
  /// In the order of the file, without duplicates.
  std::vector<Site> sites;
};

/// Parses a report. On failure, returns an error that is a sentence in lower case; accepts arbitrary bytes.
llvm::Expected<Report> parse(llvm::StringRef text);

} // namespace comm::report

#endif // COMM_REPORT_REPORT_H
