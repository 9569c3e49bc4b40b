//===- Profile.cpp - Measurements of calls --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Report/Profile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace llvm;
using namespace comm::report;

/// Larger than any report.
static constexpr uint64_t kLargestFile = 1 << 28;

static std::string makeKey(StringRef file, int64_t line, int64_t column, StringRef call) {
  return (file + "\n" + Twine(line) + ":" + Twine(column) + "\n" + call).str();
}

static void add(Measurement &to, const Measurement &other) {
  to.executions = to.executions > INT64_MAX - other.executions ? INT64_MAX : to.executions + other.executions;
  to.start.add(other.start);
  to.interval.add(other.interval);
  to.wait.add(other.wait);
  to.blocking.add(other.blocking);
  to.bytes.add(other.bytes);
  to.ranks = std::max(to.ranks, other.ranks);
  to.nodes = std::max(to.nodes, other.nodes);
}

void Profile::add(const Report &report) {
  for (const Site &site : report.sites) {
    Measurement measured{site.executions, site.start, site.interval,    site.wait,
                         site.blocking,   site.bytes, report.run.ranks, report.run.nodes};
    SmallVector<Copy, 1> &copies = sites[makeKey(site.file, site.line, site.column, site.call)];
    auto *known = find_if(copies, [&](const Copy &copy) { return copy.inlinedAt == site.inlinedAt; });
    if (known == copies.end())
      copies.push_back({site.inlinedAt, measured});
    else
      ::add(known->measured, measured);
    auto &sameName = files[sys::path::filename(site.file)];
    if (!is_contained(sameName, site.file))
      sameName.push_back(site.file);
  }
}

StringRef Profile::findFile(StringRef file) const {
  auto sameName = files.find(sys::path::filename(file));
  if (sameName == files.end())
    return "";
  if (is_contained(sameName->second, file))
    return file;
  return sameName->second.size() == 1 ? StringRef(sameName->second.front()) : "";
}

std::optional<Measurement> Profile::lookup(const SiteName &name) const {
  StringRef file = findFile(name.file);
  auto found = name.line ? sites.find(makeKey(file, name.line, name.column, name.call)) : sites.end();
  if (file.empty() || found == sites.end())
    return std::nullopt;
  Measurement all;
  for (const Copy &copy : found->second) {
    if (copy.inlinedAt == name.inlinedAt)
      return copy.measured;
    ::add(all, copy.measured);
  }
  return all;
}

static Expected<Report> load(StringRef path) {
  sys::fs::file_status status;
  std::error_code error = sys::fs::status(path, status);
  if (error)
    return createStringError(error, error.message());
  // Devices and pipes may be endless.
  if (status.type() != sys::fs::file_type::regular_file)
    return createStringError(inconvertibleErrorCode(), "it is not a regular file");
  if (status.getSize() > kLargestFile)
    return createStringError(inconvertibleErrorCode(), "the file is too large for an interval report");
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError(file.getError(), file.getError().message());
  return parse((*file)->getBuffer());
}

/// Returns the files that a path names, sorted.
static SmallVector<std::string> listFiles(StringRef path) {
  if (!sys::fs::is_directory(path))
    return {path.str()};
  SmallVector<std::string> files;
  std::error_code error;
  for (sys::fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    if (sys::path::extension(it->path()) == ".json")
      files.push_back(it->path());
  sort(files);
  return files;
}

std::shared_ptr<const Profile> Profile::load(StringRef paths, function_ref<void(const std::string &)> warn) {
  auto profile = std::make_shared<Profile>();
  SmallVector<StringRef> parts;
  paths.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef path : parts) {
    SmallVector<std::string> files = listFiles(path);
    if (files.empty())
      warn((path + ": the folder has no file that ends in .json").str());
    for (const std::string &file : files) {
      Expected<Report> report = ::load(file);
      if (report)
        profile->add(*report);
      else
        warn(file + ": " + toString(report.takeError()));
    }
  }
  return profile;
}
