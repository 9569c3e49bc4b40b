// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of the interval report: sites merged by what names them, and what each
// rank contributed to them. Knows nothing of MPI.

#ifndef COMM_RUNTIME_REPORT_TABLE_H
#define COMM_RUNTIME_REPORT_TABLE_H

#include "support/Support.h"

namespace comm::runtime {

/// The name of a call site in the program's source.
struct SiteName {
  const char *mpiCall;
  const char *function;
  const char *file;
  uint32_t line;
  uint32_t column;
};

/// One call site of the report. Durations are in seconds.
struct Row {
  SiteName name;
  uint64_t hash;
  /// The figures of the rank whose contributions are being added.
  uint64_t rankExecutions;
  double rankSeconds, rankShortest;
  /// Over the ranks that executed the site.
  uint32_t ranks;
  uint64_t executions, minExecutions, maxExecutions;
  double seconds, minMean, maxMean;
  /// The figures of all executions of these ranks.
  double shortest;
};

/// The report's rows, filled rank by rank: `add` for each site, then
/// `closeRank`. Functions that return bool return false when memory runs out.
class Table {
public:
  Table() = default;
  ~Table();

  /// Adds executions of the current rank, which took `seconds` together and
  /// `shortest` the shortest of them, to the site of this name; the text is
  /// copied.
  bool add(const SiteName &name, uint64_t executions, double seconds, double shortest);

  /// Ends the current rank's contributions.
  void closeRank();

  /// Appends the current rank's contributions as bytes for `decode`.
  bool encode(Array<char> &bytes) const;

  /// Adds what `encode` wrote to the current rank. False also for bytes that
  /// `encode` did not write.
  bool decode(const char *bytes, size_t size);

  /// Orders the rows by file, line and column. Nothing may be added after it.
  void sort();

  const Array<Row> &rows() const { return items; }

private:
  bool growIndex();
  Array<Row> items;
  /// Open addressing: row number + 1, or 0 for free.
  Array<uint32_t> index;
};

} // namespace comm::runtime

#endif // COMM_RUNTIME_REPORT_TABLE_H
