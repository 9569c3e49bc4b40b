//===- Isolation.cpp - The round trip in a child process ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's importer and the passes may meet IR that nobody thought of. In a forked child, the worst outcome is a failed
// round trip. The child inherits the extract by copy-on-write and answers through an unnamed file.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/RoundTrip/Extract.h"
#include "Comm/Plugin/RoundTrip/RoundTrip.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
/// Writes length-prefixed strings and numbers.
class Writer {
public:
  void number(uint64_t value) { data.append(reinterpret_cast<const char *>(&value), sizeof(value)); }
  void text(llvm::StringRef value) {
    number(value.size());
    data.append(value.begin(), value.end());
  }
  std::string data;
};

class Reader {
public:
  explicit Reader(llvm::StringRef data) : data(data) {}
  uint64_t number() {
    uint64_t value = 0;
    if (data.size() < sizeof(value)) {
      good = false;
      return 0;
    }
    std::memcpy(&value, data.data(), sizeof(value));
    data = data.drop_front(sizeof(value));
    return value;
  }
  std::string text() {
    uint64_t size = number();
    if (size > data.size()) {
      good = false;
      return {};
    }
    std::string value = data.take_front(size).str();
    data = data.drop_front(size);
    return value;
  }
  bool good = true;

private:
  llvm::StringRef data;
};
} // namespace

static std::string serialize(const comm::RoundTripResult &result) {
  Writer out;
  out.number(result.ok);
  out.text(result.error);
  out.number(result.changed.size());
  for (const std::string &name : result.changed)
    out.text(name);
  out.number(result.remarks.size());
  for (const comm::PassRemark &remark : result.remarks) {
    out.number(static_cast<unsigned>(remark.kind));
    out.text(remark.pass);
    out.text(remark.name);
    out.text(remark.function);
    out.number(remark.origin);
    out.number(remark.parts.size());
    for (auto &[key, value] : remark.parts) {
      out.text(key);
      out.text(value);
    }
  }
  out.number(result.numRegions);
  out.text(result.bitcode);
  return std::move(out.data);
}

static bool deserialize(llvm::StringRef data, comm::RoundTripResult &result) {
  Reader in(data);
  result.ok = in.number();
  result.error = in.text();
  for (uint64_t n = in.number(); n && in.good; --n)
    result.changed.push_back(in.text());
  for (uint64_t n = in.number(); n && in.good; --n) {
    comm::PassRemark remark;
    remark.kind = static_cast<comm::PassRemark::Kind>(in.number());
    remark.pass = in.text();
    remark.name = in.text();
    remark.function = in.text();
    remark.origin = in.number();
    for (uint64_t parts = in.number(); parts && in.good; --parts) {
      std::string key = in.text();
      remark.parts.emplace_back(std::move(key), in.text());
    }
    result.remarks.push_back(std::move(remark));
  }
  result.numRegions = in.number();
  result.bitcode = in.text();
  return in.good;
}

static bool writeAll(int fd, llvm::StringRef data) {
  while (!data.empty()) {
    ssize_t written = ::write(fd, data.data(), data.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    data = data.drop_front(written);
  }
  return true;
}

static std::string readAll(int fd) {
  std::string data;
  char buffer[65536];
  ssize_t count;
  ::lseek(fd, 0, SEEK_SET);
  while ((count = ::read(fd, buffer, sizeof(buffer))) != 0) {
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      break;
    data.append(buffer, count);
  }
  return data;
}

/// Ends the child on fatal errors of LLVM. The default handler would first remove the files that the compiler has open.
static void endOnFatalError(void *, const char *reason, bool) {
  llvm::errs() << "LLVM ERROR: " << reason << "\n";
  llvm::errs().flush();
  ::_exit(1);
}

/// Runs the child; never returns.
[[noreturn]] static void runChild(comm::Extract &extract, comm::RoundTrip roundTrip, int answer, int log,
                                  unsigned seconds) {
  // The compiler's handlers would remove its output files and write a bug report, which a crash of the child must not
  // trigger.
  for (int sig :
       {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU})
    std::signal(sig, SIG_DFL);
  struct rlimit noCore = {0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
  struct rlimit time = {seconds, seconds};
  ::setrlimit(RLIMIT_CPU, &time);
  ::dup2(log, STDERR_FILENO);
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(endOnFatalError);
  std::atexit([] { ::_exit(1); });
  comm::RoundTripResult result = roundTrip(extract);
  llvm::errs().flush();
  bool written = writeAll(answer, serialize(result));
  ::_exit(written ? 0 : 1);
}

/// Returns the most informative line of what a dying child printed.
static std::string causeIn(llvm::StringRef log) {
  while (!log.empty()) {
    llvm::StringRef line;
    std::tie(line, log) = log.split('\n');
    if (line.consume_front("LLVM ERROR: ") || line.contains("Assertion") || line.contains("terminate called") ||
        line.contains("what():") || line.contains("ERROR: AddressSanitizer") || line.contains("runtime error:"))
      return ": " + line.trim().str();
  }
  return "";
}

comm::RoundTripResult comm::roundTripIsolated(Extract &extract, RoundTrip roundTrip, unsigned seconds) {
  RoundTripResult result;
  int answer = ::memfd_create("comm-answer", MFD_CLOEXEC);
  int log = ::memfd_create("comm-log", MFD_CLOEXEC);
  // Flush, or the child would print buffered output again.
  llvm::outs().flush();
  llvm::errs().flush();
  pid_t child = answer < 0 || log < 0 ? -1 : ::fork();
  if (child == 0)
    runChild(extract, roundTrip, answer, log, seconds);
  if (child < 0) {
    if (answer >= 0)
      ::close(answer);
    if (log >= 0)
      ::close(log);
    return roundTrip(extract);
  }
  int status = 0;
  pid_t waited;
  while ((waited = ::waitpid(child, &status, 0)) < 0 && errno == EINTR)
    ;
  result.log = readAll(log);
  // If SIGCHLD is ignored, there is no exit status and only the answer tells.
  if (waited < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
    if (!deserialize(readAll(answer), result)) {
      result.ok = false;
      result.error = "the result of the child process cannot be read";
    }
  } else {
    result.ok = false;
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
      result.error = "the pipeline took longer than " + std::to_string(seconds) + " s, or ran out of memory";
    else if (WIFSIGNALED(status))
      result.error = std::string("the pipeline crashed (") + ::strsignal(WTERMSIG(status)) + ")" + causeIn(result.log);
    else
      result.error = "the pipeline ended the process" + causeIn(result.log);
    result.log.clear();
  }
  ::close(answer);
  ::close(log);
  return result;
}
