// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the report's file. Numbers are formatted by hand because printf depends on the program's locale.

#include "report/Sites.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

using namespace comm::runtime;

/// Defined by instrumented code, if the build passed a mode.
extern "C" const char *comm_report_mode __attribute__((weak));

namespace {
/// JSON text in memory. An allocation failure is remembered until the end.
class Text {
public:
  void raw(const char *text) { append(text, strlen(text)); }

  /// Appends a JSON string. Bytes that are not UTF-8 (paths may contain any) become U+FFFD.
  void string(const char *text) {
    raw("\"");
    const unsigned char *at = reinterpret_cast<const unsigned char *>(text);
    while (*at) {
      if (*at == '"' || *at == '\\') {
        char escaped[3] = {'\\', static_cast<char>(*at), 0};
        raw(escaped);
        ++at;
      } else if (*at < 0x20 || *at == 0x7f) {
        char escaped[8];
        snprintf(escaped, sizeof(escaped), "\\u%04x", *at);
        raw(escaped);
        ++at;
      } else if (size_t length = utf8Length(at)) {
        append(reinterpret_cast<const char *>(at), length);
        at += length;
      } else {
        raw("\\ufffd");
        ++at;
      }
    }
    raw("\"");
  }

  void integer(uint64_t value) {
    char digits[24];
    snprintf(digits, sizeof(digits), "%llu", static_cast<unsigned long long>(value));
    raw(digits);
  }

  /// Appends a number with six decimals.
  void decimal(double value) {
    if (!(value > 0))
      value = 0;
    if (value > 1e12)
      value = 1e12;
    uint64_t millionths = static_cast<uint64_t>(value * 1e6 + 0.5);
    char digits[40];
    snprintf(digits, sizeof(digits), "%llu.%06llu", static_cast<unsigned long long>(millionths / 1000000),
             static_cast<unsigned long long>(millionths % 1000000));
    raw(digits);
  }

  bool failed() const { return outOfMemory; }
  const char *data() const { return bytes.data(); }
  size_t size() const { return bytes.size(); }

private:
  void append(const char *text, size_t size) {
    if (!bytes.append(text, size))
      outOfMemory = true;
  }

  /// Returns the length of the well-formed UTF-8 sequence at `at` (Unicode 15, table 3-7), or 0.
  static size_t utf8Length(const unsigned char *at) {
    auto isTail = [](unsigned char byte) { return (byte & 0xc0) == 0x80; };
    if (at[0] < 0x80)
      return 1;
    if (at[0] >= 0xc2 && at[0] <= 0xdf)
      return isTail(at[1]) ? 2 : 0;
    if (at[0] >= 0xe0 && at[0] <= 0xef) {
      unsigned char low = at[0] == 0xe0 ? 0xa0 : 0x80;
      unsigned char high = at[0] == 0xed ? 0x9f : 0xbf;
      return at[1] >= low && at[1] <= high && isTail(at[2]) ? 3 : 0;
    }
    if (at[0] >= 0xf0 && at[0] <= 0xf4) {
      unsigned char low = at[0] == 0xf0 ? 0x90 : 0x80;
      unsigned char high = at[0] == 0xf4 ? 0x8f : 0xbf;
      return at[1] >= low && at[1] <= high && isTail(at[2]) && isTail(at[3]) ? 4 : 0;
    }
    return 0;
  }

  Array<char> bytes;
  bool outOfMemory = false;
};
} // namespace

static void formatRun(Text &text, const RunInfo &run) {
  text.raw("  \"run\": {\n    \"program\": ");
  text.string(orEmpty(program_invocation_name));
  text.raw(",\n    \"ranks\": ");
  text.integer(run.ranks);
  text.raw(",\n    \"nodes\": ");
  if (run.nodes > 0)
    text.integer(run.nodes);
  else
    text.raw("null");
  text.raw(",\n    \"runs\": 1,\n    \"only_rank\": ");
  if (run.onlyRank < 0)
    text.raw("null");
  else
    text.integer(run.onlyRank);
  text.raw(",\n    \"mode\": ");
  if (&comm_report_mode && comm_report_mode)
    text.string(comm_report_mode);
  else
    text.raw("null");
  time_t start = run.startTime;
  struct tm utc;
  char when[40] = "1970-01-01T00:00:00Z";
  if (gmtime_r(&start, &utc))
    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc);
  text.raw(",\n    \"start_time\": ");
  text.string(when);
  text.raw(",\n    \"wall_seconds\": ");
  text.decimal(run.wallSeconds);
  text.raw("\n  },\n");
}

static void formatDurations(Text &text, const char *name, const RankedDurations &durations) {
  if (durations.all.executions == 0)
    return;
  const struct {
    const char *name;
    double seconds;
  } members[] = {{"mean", durations.all.mean()},
                 {"shortest", durations.all.shortest},
                 {"longest", durations.all.longest},
                 {"rank_min", durations.minMean},
                 {"rank_max", durations.maxMean}};
  text.raw(",\n      \"");
  text.raw(name);
  text.raw("\": {\"executions\": ");
  text.integer(durations.all.executions);
  for (const auto &member : members) {
    text.raw(", \"");
    text.raw(member.name);
    text.raw("\": ");
    text.decimal(member.seconds * 1e6);
  }
  text.raw("}");
}

static void formatBytes(Text &text, const Bytes &bytes) {
  if (bytes.messages == 0)
    return;
  text.raw(",\n      \"bytes\": {\"messages\": ");
  text.integer(bytes.messages);
  text.raw(", \"sum\": ");
  text.integer(bytes.sum);
  text.raw(", \"min\": ");
  text.integer(bytes.least);
  text.raw(", \"max\": ");
  text.integer(bytes.most);
  text.raw("}");
}

static void formatRow(Text &text, const Row &row, const RunInfo &run) {
  static const char *const texts[SiteName::numTexts] = {"mpi_call", "function", "file", "inlined_at"};
  static const char *const measures[numMeasures] = {"start_us", "interval_us", "wait_us", "blocking_us"};
  text.raw("    {\n");
  for (int i = 0; i < SiteName::numTexts; ++i) {
    text.raw("      \"");
    text.raw(texts[i]);
    text.raw("\": ");
    text.string(row.name.texts[i]);
    text.raw(",\n");
  }
  text.raw("      \"line\": ");
  text.integer(row.name.line);
  text.raw(",\n      \"column\": ");
  text.integer(row.name.column);
  text.raw(",\n      \"ranks\": ");
  text.integer(row.ranks);
  // A rank without the site executed it zero times.
  bool everyRank = run.onlyRank >= 0 || row.ranks == uint32_t(run.ranks);
  text.raw(",\n      \"executions\": {\"total\": ");
  text.integer(row.executions);
  text.raw(", \"rank_min\": ");
  text.integer(everyRank ? row.minExecutions : 0);
  text.raw(", \"rank_max\": ");
  text.integer(row.maxExecutions);
  text.raw("}");
  for (int i = 0; i < numMeasures; ++i)
    formatDurations(text, measures[i], row.durations[i]);
  formatBytes(text, row.bytes);
  text.raw("\n    }");
}

bool comm::runtime::writeReport(const char *path, const Table &table, const RunInfo &run) {
  Text text;
  text.raw("{\n  \"schema\": \"comm-report\",\n  \"version\": 2,\n");
  formatRun(text, run);
  text.raw("  \"sites\": [");
  const char *separator = "\n";
  for (const Row &row : table.rows()) {
    text.raw(separator);
    formatRow(text, row, run);
    separator = ",\n";
  }
  text.raw(separator[0] == ',' ? "\n  ]\n}\n" : "]\n}\n");
  if (text.failed()) {
    errno = ENOMEM;
    return false;
  }
  // Written in place, not renamed from a temporary: the path may be a device or a pipe.
  FILE *file = fopen(path, "w");
  if (!file)
    return false;
  bool written = fwrite(text.data(), 1, text.size(), file) == text.size();
  int reason = errno;
  if (fclose(file) != 0) {
    reason = written ? errno : reason;
    written = false;
  }
  errno = reason;
  return written;
}
