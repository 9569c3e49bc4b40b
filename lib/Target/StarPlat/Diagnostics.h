//===- Diagnostics.h - Errors in StarPlat programs ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TARGET_STARPLAT_DIAGNOSTICS_H
#define COMM_TARGET_STARPLAT_DIAGNOSTICS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/SourceMgr.h"

namespace comm::starplat {

/// Prints errors, warnings and notes in clang's format: file, line, column, text, the source line and a caret.
class Diagnostics {
public:
  explicit Diagnostics(llvm::SourceMgr &sources) : sources(sources) {}

  void error(llvm::SMLoc place, const llvm::Twine &text) {
    if (!isMuted && numErrors++ < maxErrors)
      sources.PrintMessage(place, llvm::SourceMgr::DK_Error, text);
  }
  void warning(llvm::SMLoc place, const llvm::Twine &text) {
    if (!isMuted)
      sources.PrintMessage(place, llvm::SourceMgr::DK_Warning, text);
  }
  void note(llvm::SMLoc place, const llvm::Twine &text) {
    if (!isMuted && numErrors <= maxErrors)
      sources.PrintMessage(place, llvm::SourceMgr::DK_Note, text);
  }

  bool hasErrors() const { return numErrors != 0; }
  /// For a preliminary pass whose findings will be reported again.
  void mute(bool muted) { isMuted = muted; }

private:
  llvm::SourceMgr &sources;
  unsigned numErrors = 0;
  bool isMuted = false;
  /// An early mistake may cause many errors; stop after this many.
  static constexpr unsigned maxErrors = 20;
};

} // namespace comm::starplat

#endif // COMM_TARGET_STARPLAT_DIAGNOSTICS_H
