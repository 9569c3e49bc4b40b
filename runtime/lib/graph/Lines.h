// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a text file, or of this process's part of it.
#ifndef COMM_RUNTIME_GRAPH_LINES_H
#define COMM_RUNTIME_GRAPH_LINES_H

#include "Unpack.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace comm::graph {

class Lines {
public:
  ~Lines();
  /// Returns false and sets `error` if the file cannot be opened.
  bool open(const std::string &name, bool isPacked);
  /// Continues with the lines whose first byte is in [begin, end). A packed file is read from the start, and `end` only
  /// says whether there is anything to read.
  void setRange(int64_t begin, int64_t end);
  /// Continues with the lines of this text, which follow `linesBefore` others of the file. Takes the text.
  void setText(std::vector<char> &text, int64_t linesBefore);

  /// Reads the next line, without its end. Returns false at the end of the range or after an error. The text is valid
  /// until the next call.
  bool next(const char *&text, size_t &length);

  int64_t size() const { return size_; }        ///< size of the file in bytes, packed or not
  int64_t lineStart() const { return lineAt_; } ///< start of the last line, in bytes of the text
  int64_t position() const;                     ///< position in the file, for progress
  /// Returns the number of the last line, from 1. Counts from the start of the file, so use it for errors only.
  int64_t lineNumber() const;
  bool isPacked() const { return packed_ != nullptr; }

  std::string error;
  size_t longest = size_t(1) << 20; ///< longer lines are an error

private:
  bool fill();

  int file_ = -1;
  std::unique_ptr<Unpack> packed_;
  int64_t size_ = 0, end_ = 0;
  int64_t bufferAt_ = 0; // position of the buffer in the text
  int64_t lineAt_ = 0, linesSeen_ = 0;
  size_t at_ = 0, filled_ = 0;
  bool isAtEnd_ = false, isText_ = false;
  std::vector<char> buffer_;
};

} // namespace comm::graph

#endif
