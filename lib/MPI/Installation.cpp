//===- Installation.cpp - The installed MPI -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/MPI/Installation.h"

#include "Comm/MPI/ABI.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace comm;
using llvm::StringRef;

/// Returns the text after `#define NAME`; empty if there is none.
static StringRef findDefinition(StringRef text, StringRef name) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.consume_front("#define ") && line.consume_front(name) && (line.empty() || line.front() == ' '))
      return line.trim();
  }
  return {};
}

StringRef mpi::identifyHeader(StringRef text) {
  struct Header {
    StringRef macro;
    unsigned least;
    StringRef abi;
  };
  static constexpr Header headers[] = {
#define COMM_MPI_HEADER(MACRO, LEAST, ABI, LIBRARY) {#MACRO, LEAST, ABI},
#include "Comm/MPI/Headers.def"
  };
  for (const Header &header : headers) {
    StringRef value = findDefinition(text, header.macro);
    unsigned number = 0;
    if (!value.empty() && (header.least == 0 || (!value.getAsInteger(10, number) && number >= header.least)))
      return header.abi;
  }
  return "";
}

/// Returns what the wrapper would run to compile. Open MPI's and MPICH's wrappers, and derived ones, share the option.
static std::string ask(StringRef wrapper) {
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("comm-mpicc", "txt", path))
    return "";
  llvm::FileRemover remover(path);
  StringRef output(path);
  std::optional<StringRef> redirects[] = {StringRef(""), output, StringRef("")};
  constexpr unsigned mostSeconds = 20;
  if (llvm::sys::ExecuteAndWait(wrapper, {wrapper, "-show"}, std::nullopt, redirects, mostSeconds) != 0)
    return "";
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

std::string mpi::findInstalledABI() {
  auto chosen = llvm::sys::Process::GetEnv("COMM_ABI");
  if (chosen && !chosen->empty() && *chosen != "auto")
    return ABI::lookup(*chosen) ? *chosen : "";
  auto wrapper = llvm::sys::findProgramByName(llvm::sys::Process::GetEnv("COMM_MPICC").value_or("mpicc"));
  if (!wrapper)
    return "";
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> words;
  llvm::cl::TokenizeGNUCommandLine(ask(*wrapper), saver, words);
  llvm::SmallVector<StringRef> folders;
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if ((word == "-I" || word == "-isystem") && i + 1 < words.size())
      folders.push_back(words[++i]);
    else if (word.consume_front("-I"))
      folders.push_back(word);
  }
  // Wrappers omit the compiler's default folders.
  folders.append({"/usr/local/include", "/usr/include"});
  for (StringRef folder : folders) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, "mpi.h");
    if (auto header = llvm::MemoryBuffer::getFile(path))
      return identifyHeader((*header)->getBuffer()).str();
  }
  return "";
}
