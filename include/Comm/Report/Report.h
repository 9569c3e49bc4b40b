//===- Report.h - What a program measured -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files that programs write that were built with -fcomm-report or -fcomm-profile-generate (docs/report.md), of
// version 1 and 2.
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
  /// Of all executions; -1 if the report does not have it.
  double shortest = -1, longest = -1;
  /// The averages of the ranks with the smallest and the largest, of those that executed the site.
  double leastMean = 0, mostMean = 0;

  explicit operator bool() const { return executions != 0; }
  /// Adds those of another run or site, weighted by executions.
  void add(const Durations &other);
};

/// Bytes of messages, of which `messages` were measured.
struct Bytes {
  int64_t messages = 0, sum = 0, least = 0, most = 0;

  explicit operator bool() const { return messages != 0; }
  void add(const Bytes &other);
};

/// A call site.
struct Site {
  std::string call, function, file;
  /// Where it was inlined (comm_report_site::inlined_at); "" if it was not, or nobody knows.
  std::string inlinedAt;
  int64_t line = 0, column = 0;
  /// That executed it.
  int64_t ranks = 0;
  /// Of all ranks, and of the ranks with the fewest and the most.
  int64_t executions = 0, leastExecutions = 0, mostExecutions = 0;
  Durations start, interval, wait, blocking;
  Bytes bytes;
};

/// The run that a report is of, or several of one program.
struct Run {
  std::string program, mode, startTime;
  double wallSeconds = 0;
  /// Of MPI_COMM_WORLD; the most of several runs. Nodes: 0 if not known.
  int64_t ranks = 0, nodes = 0;
  int64_t runs = 1;
  /// The rank that the report covers, or -1: all.
  int64_t onlyRank = -1;
};

struct Report {
  Run run;
  /// In the order of the file; no two of one name.
  std::vector<Site> sites;
};

/// The report in a file's text. An error is a sentence in lower case that says what is wrong; any bytes may be given.
llvm::Expected<Report> parse(llvm::StringRef text);

} // namespace comm::report

#endif // COMM_REPORT_REPORT_H
