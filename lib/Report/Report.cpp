//===- Report.cpp - Reading interval reports ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Report/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace llvm;
using namespace comm::report;

static constexpr StringLiteral kSchema = "comm-report";
static constexpr int64_t kVersion = 2;
/// A million years in microseconds, as in comm_mlir.report: sums of durations stay finite.
static constexpr double kLongest = 3.2e19;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Saturating addition of nonnegative numbers.
static int64_t addCounts(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

void Durations::add(const Durations &other) {
  if (!other)
    return;
  if (!*this) {
    *this = other;
    return;
  }
  double weight = double(executions) / (double(executions) + double(other.executions));
  mean = mean * weight + other.mean * (1 - weight);
  shortest = shortest < 0 ? other.shortest : other.shortest < 0 ? shortest : std::min(shortest, other.shortest);
  longest = std::max(longest, other.longest);
  leastMean = std::min(leastMean, other.leastMean);
  mostMean = std::max(mostMean, other.mostMean);
  executions = addCounts(executions, other.executions);
}

void Bytes::add(const Bytes &other) {
  if (!other)
    return;
  if (!*this) {
    *this = other;
    return;
  }
  messages = addCounts(messages, other.messages);
  sum = addCounts(sum, other.sum);
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads members of objects; keeps the first error.
class Reader {
public:
  bool read(const json::Value &document, Report &report);
  const std::string &getError() const { return error; }

private:
  void fail(const Twine &text) {
    if (error.empty())
      error = text.str();
  }
  const json::Value *get(const json::Object *object, StringRef name, const Twine &where);
  const json::Object *getObject(const json::Object *object, StringRef name, const Twine &where);
  std::string getText(const json::Object *object, StringRef name, const Twine &where, bool maybeNull = false);
  int64_t getCount(const json::Object *object, StringRef name, const Twine &where, bool maybeNull = false);
  double getDuration(const json::Object *object, StringRef name, const Twine &where);
  Run readRun(const json::Object *run);
  Durations readDurations(const json::Object *site, StringRef name, const Twine &where);
  Durations readOldInterval(const json::Object *site, int64_t executions, const Twine &where);
  Bytes readBytes(const json::Object *site, const Twine &where);
  Site readSite(const json::Value &value, const Twine &where);

  int64_t version = 0;
  std::string error;
};
} // namespace

/// Returns null for a null object without an error: the caller that looked it up has reported one.
const json::Value *Reader::get(const json::Object *object, StringRef name, const Twine &where) {
  if (!object)
    return nullptr;
  const json::Value *value = object->get(name);
  if (!value)
    fail(where + " has no '" + name + "'");
  return value;
}

const json::Object *Reader::getObject(const json::Object *object, StringRef name, const Twine &where) {
  const json::Value *value = get(object, name, where);
  if (value && !value->getAsObject())
    fail("'" + name + "' of " + where + " is not an object");
  return value ? value->getAsObject() : nullptr;
}

std::string Reader::getText(const json::Object *object, StringRef name, const Twine &where, bool maybeNull) {
  const json::Value *value = get(object, name, where);
  if (!value || (maybeNull && value->kind() == json::Value::Null))
    return "";
  if (std::optional<StringRef> text = value->getAsString())
    return text->str();
  fail("'" + name + "' of " + where + " is not a text" + (maybeNull ? " or null" : ""));
  return "";
}

int64_t Reader::getCount(const json::Object *object, StringRef name, const Twine &where, bool maybeNull) {
  const json::Value *value = get(object, name, where);
  if (!value || (maybeNull && value->kind() == json::Value::Null))
    return -1;
  if (std::optional<int64_t> count = value->getAsInteger(); count && *count >= 0)
    return *count;
  fail("'" + name + "' of " + where + " is not a count" + (maybeNull ? " or null" : ""));
  return -1;
}

double Reader::getDuration(const json::Object *object, StringRef name, const Twine &where) {
  const json::Value *value = get(object, name, where);
  if (!value)
    return 0;
  if (std::optional<double> number = value->getAsNumber(); number && *number >= 0 && *number <= kLongest)
    return *number;
  fail("'" + name + "' of " + where + " is not a duration");
  return 0;
}

/// A missing member means no executions.
Durations Reader::readDurations(const json::Object *site, StringRef name, const Twine &where) {
  Durations durations;
  if (!site || !site->get(name))
    return durations;
  const json::Object *object = getObject(site, name, where);
  durations.executions = getCount(object, "executions", where);
  durations.mean = getDuration(object, "mean", where);
  durations.shortest = getDuration(object, "shortest", where);
  durations.longest = getDuration(object, "longest", where);
  durations.leastMean = getDuration(object, "rank_min", where);
  durations.mostMean = getDuration(object, "rank_max", where);
  return durations;
}

/// Reads the interval of version 1, which has no other durations.
Durations Reader::readOldInterval(const json::Object *site, int64_t executions, const Twine &where) {
  Durations durations;
  const json::Object *object = getObject(site, "interval_us", where);
  durations.executions = executions;
  durations.mean = getDuration(object, "mean", where);
  durations.leastMean = getDuration(object, "rank_min", where);
  durations.mostMean = getDuration(object, "rank_max", where);
  if (object && object->get("shortest"))
    durations.shortest = getDuration(object, "shortest", where);
  return durations;
}

Bytes Reader::readBytes(const json::Object *site, const Twine &where) {
  Bytes bytes;
  if (!site || !site->get("bytes"))
    return bytes;
  const json::Object *object = getObject(site, "bytes", where);
  bytes.messages = getCount(object, "messages", where);
  bytes.sum = getCount(object, "sum", where);
  bytes.least = getCount(object, "min", where);
  bytes.most = getCount(object, "max", where);
  return bytes;
}

Site Reader::readSite(const json::Value &value, const Twine &where) {
  Site site;
  const json::Object *object = value.getAsObject();
  if (!object)
    fail(where + " is not an object");
  site.call = getText(object, "mpi_call", where);
  site.function = getText(object, "function", where);
  site.file = getText(object, "file", where);
  site.line = getCount(object, "line", where);
  site.column = getCount(object, "column", where);
  site.ranks = getCount(object, "ranks", where);
  const json::Object *executions = getObject(object, "executions", where);
  site.executions = getCount(executions, "total", where);
  site.leastExecutions = getCount(executions, "rank_min", where);
  site.mostExecutions = getCount(executions, "rank_max", where);
  if (version == 1) {
    site.interval = readOldInterval(object, site.executions, where);
    return site;
  }
  site.inlinedAt = getText(object, "inlined_at", where);
  site.start = readDurations(object, "start_us", where);
  site.interval = readDurations(object, "interval_us", where);
  site.wait = readDurations(object, "wait_us", where);
  site.blocking = readDurations(object, "blocking_us", where);
  site.bytes = readBytes(object, where);
  return site;
}

Run Reader::readRun(const json::Object *object) {
  Run run;
  run.program = getText(object, "program", "'run'");
  run.mode = getText(object, "mode", "'run'", /*maybeNull=*/true);
  run.startTime = getText(object, "start_time", "'run'");
  run.wallSeconds = getDuration(object, "wall_seconds", "'run'");
  run.ranks = getCount(object, "ranks", "'run'");
  run.onlyRank = getCount(object, "only_rank", "'run'", /*maybeNull=*/true);
  if (version == 1)
    return run;
  run.nodes = std::max<int64_t>(getCount(object, "nodes", "'run'", /*maybeNull=*/true), 0);
  run.runs = getCount(object, "runs", "'run'");
  return run;
}

bool Reader::read(const json::Value &document, Report &report) {
  const json::Object *top = document.getAsObject();
  if (!top || top->getString("schema") != kSchema) {
    fail("the file is not an interval report ('schema' is not '" + kSchema + "')");
    return false;
  }
  version = top->getInteger("version").value_or(0);
  if (version < 1 || version > kVersion) {
    fail("the report is not of version 1 or " + Twine(kVersion) + ", the versions that this reader supports");
    return false;
  }
  report.run = readRun(getObject(top, "run", "the report"));
  const json::Value *sites = get(top, "sites", "the report");
  if (sites && !sites->getAsArray())
    fail("'sites' of the report is not a list");
  if (!sites || !sites->getAsArray())
    return false;
  std::set<std::tuple<std::string, int64_t, int64_t, std::string, std::string, std::string>> seen;
  for (auto [number, value] : enumerate(*sites->getAsArray())) {
    Site site = readSite(value, "site " + Twine(number));
    if (!error.empty())
      return false;
    if (!seen.insert({site.file, site.line, site.column, site.call, site.function, site.inlinedAt}).second)
      fail("site " + Twine(number) + " is there twice");
    report.sites.push_back(std::move(site));
  }
  return error.empty();
}

/// Whether the nesting might overflow the stack of LLVM's recursive parser.
static bool isDeep(StringRef text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool isInString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (isInString && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      isInString = !isInString;
    else if (!isInString && (text[i] == '{' || text[i] == '['))
      ++depth;
    else if (!isInString && (text[i] == '}' || text[i] == ']'))
      --depth;
    if (depth > kDeepest)
      return true;
  }
  return false;
}

Expected<Report> comm::report::parse(StringRef text) {
  auto fail = [](const Twine &what) { return createStringError(inconvertibleErrorCode(), what); };
  if (text.trim().empty())
    return fail("the file is empty (did the program reach MPI_Finalize?)");
  if (isDeep(text))
    return fail("the file is nested too deeply");
  Expected<json::Value> document = json::parse(text);
  if (!document)
    return fail("the file is not JSON, or is truncated: " + toString(document.takeError()));
  Report report;
  Reader reader;
  if (!reader.read(*document, report))
    return fail(reader.getError());
  return report;
}
