//===- Report.cpp - C API: interval reports -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm-c/Report.h"

#include "mlir/CAPI/Support.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace mlir;
namespace json = llvm::json;

namespace {
constexpr StringRef kSchema = "comm-report";
constexpr int64_t kVersion = 1;
/// A million years in microseconds, as in comm_mlir.report: sums of durations stay finite.
constexpr double kLongest = 3.2e19;

/// A report and the JSON that its texts are in.
struct Report {
  json::Value document = nullptr;
  CommReportRun run{};
  std::vector<CommReportSite> sites;
};

/// Reads members of objects; keeps the first error.
class Reader {
public:
  bool read(Report &report);
  const std::string &getError() const { return error; }

private:
  void fail(const Twine &text) {
    if (error.empty())
      error = text.str();
  }
  const json::Value *get(const json::Object *object, StringRef name, const Twine &where);
  const json::Object *getObject(const json::Object *object, StringRef name, const Twine &where);
  MlirStringRef getText(const json::Object *object, StringRef name, const Twine &where, bool maybeNull = false);
  int64_t getCount(const json::Object *object, StringRef name, const Twine &where, bool maybeNull = false);
  double getDuration(const json::Object *object, StringRef name, const Twine &where);
  CommReportSite readSite(const json::Value &value, const Twine &where);

  std::string error;
};
} // namespace

static const Report &reportOf(CommReport report) { return *static_cast<const Report *>(report.ptr); }

/// An object of null has no members, and no error of its own: whoever asked for it has told.
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

MlirStringRef Reader::getText(const json::Object *object, StringRef name, const Twine &where, bool maybeNull) {
  const json::Value *value = get(object, name, where);
  if (!value || (maybeNull && value->kind() == json::Value::Null))
    return wrap(StringRef());
  if (std::optional<StringRef> text = value->getAsString())
    return wrap(*text);
  fail("'" + name + "' of " + where + " is not a text" + (maybeNull ? " or null" : ""));
  return wrap(StringRef());
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

CommReportSite Reader::readSite(const json::Value &value, const Twine &where) {
  CommReportSite site{};
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
  const json::Object *interval = getObject(object, "interval_us", where);
  site.meanInterval = getDuration(interval, "mean", where);
  site.leastMeanInterval = getDuration(interval, "rank_min", where);
  site.mostMeanInterval = getDuration(interval, "rank_max", where);
  bool knowsShortest = interval && interval->get("shortest");
  site.shortestInterval = knowsShortest ? getDuration(interval, "shortest", where) : -1;
  return site;
}

bool Reader::read(Report &report) {
  const json::Object *top = report.document.getAsObject();
  if (!top || top->getString("schema") != kSchema) {
    fail("the file is no interval report ('schema' is not '" + kSchema + "')");
    return false;
  }
  if (top->getInteger("version") != kVersion) {
    fail("the report is not of version " + Twine(kVersion) + ", which is the one that is known here");
    return false;
  }
  const json::Object *run = getObject(top, "run", "the report");
  report.run.program = getText(run, "program", "'run'");
  report.run.mode = getText(run, "mode", "'run'", /*maybeNull=*/true);
  report.run.startTime = getText(run, "start_time", "'run'");
  report.run.wallSeconds = getDuration(run, "wall_seconds", "'run'");
  report.run.ranks = getCount(run, "ranks", "'run'");
  report.run.onlyRank = getCount(run, "only_rank", "'run'", /*maybeNull=*/true);
  const json::Value *sites = get(top, "sites", "the report");
  if (sites && !sites->getAsArray())
    fail("'sites' of the report is not a list");
  if (!sites || !sites->getAsArray())
    return false;
  std::set<std::tuple<StringRef, int64_t, int64_t, StringRef, StringRef>> seen;
  for (auto [number, value] : llvm::enumerate(*sites->getAsArray())) {
    CommReportSite site = readSite(value, "site " + Twine(number));
    if (!error.empty())
      return false;
    if (!seen.insert({unwrap(site.file), site.line, site.column, unwrap(site.call), unwrap(site.function)}).second)
      fail("site " + Twine(number) + " is there twice");
    report.sites.push_back(site);
  }
  return error.empty();
}

/// Whether LLVM's parser, which recurses, would take too much of the stack.
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

CommReport commReportParse(MlirStringRef text, MlirStringCallback error, void *userData) {
  auto fail = [&](const std::string &what) {
    error(wrap(StringRef(what)), userData);
    return CommReport{nullptr};
  };
  if (unwrap(text).trim().empty())
    return fail("the file is empty (did the program reach MPI_Finalize?)");
  if (isDeep(unwrap(text)))
    return fail("the file is nested too deeply");
  llvm::Expected<json::Value> document = json::parse(unwrap(text));
  if (!document)
    return fail("the file is not JSON, or is truncated: " + llvm::toString(document.takeError()));
  auto report = std::make_unique<Report>();
  report->document = std::move(*document);
  Reader reader;
  if (!reader.read(*report))
    return fail(reader.getError());
  return {report.release()};
}

CommReport commReportLoad(MlirStringRef path, MlirStringCallback error, void *userData) {
  auto file = llvm::MemoryBuffer::getFile(unwrap(path), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) {
    std::string what = (unwrap(path) + ": " + file.getError().message()).str();
    error(wrap(StringRef(what)), userData);
    return {nullptr};
  }
  std::string what;
  CommReport report = commReportParse(
      wrap((*file)->getBuffer()),
      [](MlirStringRef text, void *into) { *static_cast<std::string *>(into) = unwrap(text).str(); }, &what);
  if (!report.ptr) {
    what = (unwrap(path) + ": " + what).str();
    error(wrap(StringRef(what)), userData);
  }
  return report;
}

void commReportDestroy(CommReport report) { delete static_cast<Report *>(report.ptr); }

CommReportRun commReportGetRun(CommReport report) { return reportOf(report).run; }

intptr_t commReportGetNumSites(CommReport report) { return reportOf(report).sites.size(); }

void commReportForEachSite(CommReport report, CommReportSiteCallback callback, void *userData) {
  for (const CommReportSite &site : reportOf(report).sites)
    callback(&site, userData);
}
