// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// COMM_CDAG_REPORT=FILE (or stderr): process 0 of the communicator appends one JSON object per schedule, one per line.

#include "Context.h"

#include <cstdio>
#include <cstdlib>

namespace comm::cdag::run {

namespace {

/// Opens the report. Returns null if none is wanted.
FILE *openReport() {
  const char *where = std::getenv("COMM_CDAG_REPORT");
  if (!where || !*where)
    return nullptr;
  if (std::strcmp(where, "stderr") == 0)
    return stderr;
  FILE *file = std::fopen(where, "a");
  if (!file) {
    static bool said = false;
    if (!said)
      std::fprintf(stderr, "comm-cdag: cannot write the report to '%s'\n", where);
    said = true;
  }
  return file;
}

void closeReport(FILE *file) {
  if (file == stderr)
    std::fflush(file);
  else
    std::fclose(file);
}

void writeString(FILE *file, const char *key, const char *text) {
  std::fprintf(file, "\"%s\": \"", key);
  for (; *text; ++text) {
    unsigned char c = static_cast<unsigned char>(*text);
    if (c == '"' || c == '\\')
      std::fprintf(file, "\\%c", c);
    else if (c < 0x20)
      std::fprintf(file, "\\u%04x", c);
    else
      std::fputc(c, file);
  }
  std::fprintf(file, "\"");
}

} // namespace

void report(const Context &context, const CompiledSchedule &schedule, const char *decision) {
  FILE *file = context.rank == 0 ? openReport() : nullptr;
  if (!file)
    return;
  const PartHeader &header = schedule.header();
  std::fprintf(file, "{");
  writeString(file, "site", schedule.site);
  std::fprintf(file,
               ", \"ranks\": %d, \"messages\": %u, \"kept_messages\": %u, "
               "\"sync_messages\": %u, ",
               context.size, header.messages, header.keptMessages, header.syncMessages);
  writeString(file, "detected", header.describe);
  std::fprintf(file, ", ");
  writeString(file, "decision", decision);
  if (header.text[0]) {
    std::fprintf(file, ", ");
    writeString(file, "reason", header.text);
  }
  std::fprintf(file,
               ", \"compile_seconds\": %.9f, \"gather_seconds\": %.9f, "
               "\"analysis_seconds\": %.9f, \"scatter_seconds\": %.9f",
               schedule.compileSeconds, schedule.gatherSeconds, header.analysisSeconds, schedule.scatterSeconds);
  double original = schedule.measured[0], replaced = schedule.measured[1];
  if (original > 0) {
    std::fprintf(file, ", \"original_seconds\": %.9f, \"replaced_seconds\": %.9f", original, replaced);
    if (replaced < original)
      std::fprintf(file, ", \"pays_after\": %.0f",
                   double(uint64_t(schedule.compileSeconds / (original - replaced)) + 1));
  }
  std::fprintf(file, "}\n");
  closeReport(file);
}

void reportText(const Context &context, const char *site, const char *decision, const char *text) {
  FILE *file = context.rank == 0 ? openReport() : nullptr;
  if (!file)
    return;
  std::fprintf(file, "{");
  writeString(file, "site", site);
  std::fprintf(file, ", \"ranks\": %d, ", context.size);
  writeString(file, "decision", decision);
  std::fprintf(file, ", ");
  writeString(file, "reason", text);
  std::fprintf(file, "}\n");
  closeReport(file);
}

} // namespace comm::cdag::run
