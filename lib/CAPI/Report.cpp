//===- Report.cpp - C API: interval reports -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm-c/Report.h"

#include "Comm/Report/Report.h"

#include "mlir/CAPI/Support.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

using namespace mlir;
using comm::report::Report;

static const Report &reportOf(CommReport report) { return *static_cast<const Report *>(report.ptr); }

static MlirStringRef wrapText(const std::string &text) { return wrap(StringRef(text)); }

static CommReportDurations wrapDurations(const comm::report::Durations &durations) {
  return {durations.executions, durations.mean,      durations.shortest,
          durations.longest,    durations.leastMean, durations.mostMean};
}

static CommReportSite wrapSite(const comm::report::Site &site) {
  return {wrapText(site.call),
          wrapText(site.function),
          wrapText(site.file),
          wrapText(site.inlinedAt),
          site.line,
          site.column,
          site.ranks,
          site.executions,
          site.leastExecutions,
          site.mostExecutions,
          wrapDurations(site.start),
          wrapDurations(site.interval),
          wrapDurations(site.wait),
          wrapDurations(site.blocking),
          {site.bytes.messages, site.bytes.sum, site.bytes.least, site.bytes.most}};
}

CommReport commReportParse(MlirStringRef text, MlirStringCallback error, void *userData) {
  llvm::Expected<Report> report = comm::report::parse(unwrap(text));
  if (report)
    return {std::make_unique<Report>(std::move(*report)).release()};
  std::string what = llvm::toString(report.takeError());
  error(wrapText(what), userData);
  return {nullptr};
}

CommReport commReportLoad(MlirStringRef path, MlirStringCallback error, void *userData) {
  auto file = llvm::MemoryBuffer::getFile(unwrap(path), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) {
    std::string what = (unwrap(path) + ": " + file.getError().message()).str();
    error(wrapText(what), userData);
    return {nullptr};
  }
  std::string what;
  CommReport report = commReportParse(
      wrap((*file)->getBuffer()),
      [](MlirStringRef text, void *into) { *static_cast<std::string *>(into) = unwrap(text).str(); }, &what);
  if (!report.ptr) {
    what = (unwrap(path) + ": " + what).str();
    error(wrapText(what), userData);
  }
  return report;
}

void commReportDestroy(CommReport report) { delete static_cast<Report *>(report.ptr); }

CommReportRun commReportGetRun(CommReport report) {
  const comm::report::Run &run = reportOf(report).run;
  return {wrapText(run.program),
          wrapText(run.mode),
          wrapText(run.startTime),
          run.wallSeconds,
          run.ranks,
          run.onlyRank,
          run.nodes,
          run.runs};
}

intptr_t commReportGetNumSites(CommReport report) { return reportOf(report).sites.size(); }

void commReportForEachSite(CommReport report, CommReportSiteCallback callback, void *userData) {
  for (const comm::report::Site &site : reportOf(report).sites) {
    CommReportSite wrapped = wrapSite(site);
    callback(&wrapped, userData);
  }
}
