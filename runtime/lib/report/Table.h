// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of the interval report: sites merged by name, and each rank's contribution to them. Independent of MPI.

#ifndef COMM_RUNTIME_REPORT_TABLE_H
#define COMM_RUNTIME_REPORT_TABLE_H

#include "support/Support.h"

namespace comm::runtime {

/// The name of a call site in the program's source.
struct SiteName {
  static constexpr int numTexts = 4;
  /// The call, its function and file, and where it was inlined.
  const char *texts[numTexts];
  uint32_t line;
  uint32_t column;
};
/// Indexes of SiteName::texts.
enum SiteText { MpiCall, FunctionName, FileName, InlinedAt };

/// The kinds of durations measured for a site.
enum Measure { Start, Interval, Wait, Blocking };
constexpr int numMeasures = 4;

/// Durations of several executions, in seconds. All-zero bytes mean none.
struct Durations {
  uint64_t executions;
  double seconds, shortest, longest;

  void add(const Durations &other);
  double mean() const { return executions ? seconds / static_cast<double>(executions) : 0; }
};

/// Message sizes in bytes. All-zero bytes mean none.
struct Bytes {
  uint64_t messages, sum, least, most;

  void add(const Bytes &other);
};

/// All measurements of a site on one rank.
struct Figures {
  Durations durations[numMeasures];
  Bytes bytes;

  /// Returns the executions of both forms together.
  uint64_t executions() const;
};

/// The durations of all ranks, and the smallest and largest average among ranks that have any.
struct RankedDurations {
  Durations all;
  double minMean, maxMean;
};

/// One call site of the report.
struct Row {
  SiteName name;
  uint64_t hash;
  /// Contributions of the current rank.
  Figures rank;
  /// Over the ranks that executed the site.
  uint32_t ranks;
  uint64_t executions, minExecutions, maxExecutions;
  RankedDurations durations[numMeasures];
  Bytes bytes;
};

/// The report's rows, filled rank by rank: `add` for each site, then
/// `closeRank`. Functions that return bool return false when memory runs out.
class Table {
public:
  Table() = default;
  ~Table();

  /// Adds to the site of this name on the current rank; copies the texts.
  bool add(const SiteName &name, const Figures &figures);

  /// Ends the current rank's contributions.
  void closeRank();

  /// Appends the current rank's contributions as bytes for `decode`.
  bool encode(Array<char> &bytes) const;

  /// Adds what `encode` wrote to the current rank. Also returns false for bytes that `encode` did not write.
  bool decode(const char *bytes, size_t size);

  /// Sorts the rows by file, line and column. Nothing may be added afterwards.
  void sort();

  const Array<Row> &rows() const { return items; }

private:
  bool growIndex();
  Array<Row> items;
  /// Open addressing: row number + 1, or 0 if free.
  Array<uint32_t> index;
};

} // namespace comm::runtime

#endif // COMM_RUNTIME_REPORT_TABLE_H
