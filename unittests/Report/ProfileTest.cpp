//===- ProfileTest.cpp - Reading and merging measurements -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Report/Profile.h"
#include "Comm/Analysis/Profile/SiteFacts.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <random>

using namespace comm::report;
using llvm::StringRef;

namespace {

std::string durations(int executions, double mean) {
  return llvm::formatv("{{\"executions\": {0}, \"mean\": {1}, \"shortest\": {2}, \"longest\": {3}, \"rank_min\": {2}, "
                       "\"rank_max\": {3}}",
                       executions, mean, mean / 2, mean * 2)
      .str();
}

std::string site(StringRef file, int line, StringRef inlinedAt, StringRef measures) {
  return llvm::formatv(
             "{{\"mpi_call\": \"MPI_Bcast\", \"function\": \"f\", \"file\": \"{0}\", \"inlined_at\": \"{1}\", "
             "\"line\": {2}, \"column\": 3, \"ranks\": 4, \"executions\": {{\"total\": 8, \"rank_min\": 2, "
             "\"rank_max\": 2}{3}}",
             file, inlinedAt, line, measures)
      .str();
}

std::string report(StringRef sites, int ranks = 4, int nodes = 2) {
  return llvm::formatv("{{\"schema\": \"comm-report\", \"version\": 2, \"run\": {{\"program\": \"p\", \"ranks\": {0}, "
                       "\"nodes\": {1}, \"runs\": 1, \"only_rank\": null, \"mode\": null, \"start_time\": \"\", "
                       "\"wall_seconds\": 1}, \"sites\": [{2}]}",
                       ranks, nodes, sites)
      .str();
}

/// A temporary folder that is deleted with the object.
class Folder {
public:
  Folder() { EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("comm-profile", path)); }
  ~Folder() { llvm::sys::fs::remove_directories(path); }
  std::string write(StringRef name, StringRef text) {
    llvm::SmallString<64> file = path;
    llvm::sys::path::append(file, name);
    std::error_code error;
    llvm::raw_fd_ostream(file, error) << text;
    EXPECT_FALSE(error);
    return file.str().str();
  }
  llvm::SmallString<64> path;
};

std::shared_ptr<const Profile> load(StringRef paths, std::vector<std::string> *warnings = nullptr) {
  return Profile::load(paths, [&](const std::string &what) {
    if (warnings)
      warnings->push_back(what);
  });
}

TEST(Profile, RunsAreWeighted) {
  Folder folder;
  std::string a = folder.write("a.json", report(site("x.c", 7, "", ", \"blocking_us\": " + durations(10, 4)), 4, 1));
  std::string b = folder.write("b.json", report(site("x.c", 7, "", ", \"blocking_us\": " + durations(30, 8)), 8, 2));
  auto measured = load(a + "," + b)->lookup({"MPI_Bcast", "x.c", 7, 3, ""});
  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->executions, 16);
  EXPECT_EQ(measured->blocking.executions, 40);
  EXPECT_DOUBLE_EQ(measured->blocking.mean, 7);
  EXPECT_DOUBLE_EQ(measured->blocking.shortest, 2);
  EXPECT_DOUBLE_EQ(measured->blocking.longest, 16);
  EXPECT_FALSE(measured->wait);
  EXPECT_EQ(measured->ranks, 8);
  EXPECT_EQ(measured->nodes, 2);
  auto ofFolder = load(folder.path)->lookup({"MPI_Bcast", "x.c", 7, 3, ""});
  ASSERT_TRUE(ofFolder.has_value());
  EXPECT_DOUBLE_EQ(ofFolder->blocking.mean, 7);
}

TEST(Profile, WhatNamesACall) {
  Folder folder;
  std::string path =
      folder.write("a.json", report(site("/src/x.c", 7, "m.c:1:1", ", \"blocking_us\": " + durations(10, 4)) + "," +
                                    site("/src/x.c", 7, "m.c:2:1", ", \"blocking_us\": " + durations(10, 8)) + "," +
                                    site("/a/y.c", 7, "", ", \"blocking_us\": " + durations(10, 4)) + "," +
                                    site("/b/y.c", 9, "", ", \"blocking_us\": " + durations(10, 4))));
  std::shared_ptr<const Profile> profile = load(path);
  auto mean = [&](const SiteName &name) {
    auto measured = profile->lookup(name);
    return measured ? measured->blocking.mean : -1;
  };
  EXPECT_DOUBLE_EQ(mean({"MPI_Bcast", "/src/x.c", 7, 3, "m.c:2:1"}), 8);
  // Another inlined copy: use all of them together.
  EXPECT_DOUBLE_EQ(mean({"MPI_Bcast", "/src/x.c", 7, 3, ""}), 6);
  // The same file in another folder, if no other file has its name.
  EXPECT_DOUBLE_EQ(mean({"MPI_Bcast", "x.c", 7, 3, "m.c:1:1"}), 4);
  EXPECT_DOUBLE_EQ(mean({"MPI_Bcast", "y.c", 7, 3, ""}), -1);
  EXPECT_DOUBLE_EQ(mean({"MPI_Bcast", "/a/y.c", 7, 3, ""}), 4);
  EXPECT_DOUBLE_EQ(mean({"MPI_Bcast", "/a/y.c", 9, 3, ""}), -1);
  EXPECT_TRUE(profile->hasFile("x.c"));
  EXPECT_FALSE(profile->hasFile("z.c"));
  // Another line, column, or call; no line.
  EXPECT_DOUBLE_EQ(mean({"MPI_Bcast", "/src/x.c", 8, 3, ""}), -1);
  EXPECT_DOUBLE_EQ(mean({"MPI_Bcast", "/src/x.c", 7, 4, ""}), -1);
  EXPECT_DOUBLE_EQ(mean({"MPI_Reduce", "/src/x.c", 7, 3, ""}), -1);
  EXPECT_DOUBLE_EQ(mean({"MPI_Bcast", "/src/x.c", 0, 0, ""}), -1);
}

TEST(Profile, WhatCannotBeReadIsLeftOut) {
  Folder folder;
  std::string good = folder.write("good.json", report(site("x.c", 7, "", "")));
  std::string empty = folder.write("empty.json", ""), deep = folder.write("deep.json", std::string(100000, '['));
  llvm::SmallString<64> nowhere = folder.path, none = folder.path;
  llvm::sys::path::append(nowhere, "nowhere.json");
  llvm::sys::path::append(none, "none");
  ASSERT_FALSE(llvm::sys::fs::create_directory(none));
  std::vector<std::string> warnings;
  std::string paths = empty + "," + good + ",,/dev/zero," + nowhere.str().str() + "," + none.str().str() + "," + deep;
  EXPECT_TRUE(load(paths, &warnings)->lookup({"MPI_Bcast", "x.c", 7, 3, ""}).has_value());
  ASSERT_EQ(warnings.size(), 5u);
  EXPECT_EQ(warnings[0], empty + ": the file is empty (did the program reach MPI_Finalize?)");
  EXPECT_EQ(warnings[1], "/dev/zero: it is not a regular file");
  EXPECT_EQ(warnings[2], nowhere.str().str() + ": No such file or directory");
  EXPECT_EQ(warnings[3], none.str().str() + ": the folder has no file that ends in .json");
  EXPECT_EQ(warnings[4], deep + ": the file is nested too deeply");
}

/// Mutates a text, as broken transfers, editors and attackers do.
std::string mutate(std::string text, std::mt19937 &random) {
  static const char *const numbers[] = {
      "-1",     "1e400", "9223372036854775807", "18446744073709551616", "0.0000001", "null", "\"\\ud800\"", "{}", "[]",
      "3.2e19", "-0.0",  "4294967295"};
  for (unsigned changes = 1 + random() % 3; changes > 0 && !text.empty(); --changes) {
    size_t at = random() % text.size(), length = random() % 40;
    switch (random() % 10) {
    case 0:
      text[at] = char(random());
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, text.substr(random() % text.size(), length));
      break;
    case 3:
      text.resize(at);
      break;
    default: {
      size_t begin = text.find_first_of("0123456789", at);
      if (begin == std::string::npos)
        break;
      size_t end = text.find_first_not_of("0123456789.", begin);
      text.replace(begin, end == std::string::npos ? end : end - begin, numbers[random() % std::size(numbers)]);
    }
    }
  }
  return text;
}

TEST(Profile, SurvivesAThousandMutations) {
  std::string measures = ", \"start_us\": " + durations(8, 3) + ", \"interval_us\": " + durations(8, 300) +
                         ", \"wait_us\": " + durations(8, 30) + ", \"blocking_us\": " + durations(9, 90) +
                         ", \"bytes\": {\"messages\": 8, \"sum\": 64, \"min\": 8, \"max\": 8}";
  std::string good = report(site("x.c", 7, "", measures) + "," + site("x.c", 7, "m.c:1:1", measures));
  std::mt19937 random(12);
  Folder folder;
  unsigned accepted = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string text = mutate(good, random);
    std::string path = folder.write("m.json", text),
                other = folder.write("n.json", i % 2 ? good : mutate(text, random));
    std::vector<std::string> warnings;
    auto measured = load(path + "," + other, &warnings)->lookup({"MPI_Bcast", "x.c", 7, 3, "other.c:1:1"});
    EXPECT_LE(warnings.size(), 2u);
    accepted += warnings.empty();
    for (const std::string &warning : warnings)
      EXPECT_EQ(warning.find('\n'), std::string::npos) << warning;
    auto facts = measured ? comm::SiteFacts::make(*measured, *comm::mpi::lookupFunction("MPI_Bcast")) : std::nullopt;
    if (facts)
      facts->judge(facts->getExtraCost(comm::mpi::ABI::lookup("openmpi4")).value_or(comm::ExtraCost{40, 40}));
  }
  // Some mutants are still reports.
  EXPECT_GT(accepted, 10u);
  EXPECT_LT(accepted, 900u);
}

} // namespace
