// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads lines, plain or compressed by gzip, with a buffer of fixed size.
#include "Lines.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace comm::graph {

constexpr size_t BufferBytes = size_t(1) << 18;
/* UTF-8's byte order mark, with which spreadsheets begin files. */
constexpr char Mark[] = "\xef\xbb\xbf";

Lines::~Lines() {
  if (file_ >= 0)
    close(file_);
}

bool Lines::open(const std::string &name, bool isPacked) {
  file_ = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file_ < 0 || fstat(file_, &status)) {
    error = strerror(errno);
    return false;
  }
  if (!S_ISREG(status.st_mode)) {
    error = "not a regular file";
    return false;
  }
  size_ = end_ = status.st_size;
  if (isPacked)
    packed_ = std::make_unique<Unpack>(file_);
  buffer_.resize(BufferBytes);
  return true;
}

void Lines::setRange(int64_t begin, int64_t end) {
  end_ = end;
  at_ = filled_ = 0;
  linesSeen_ = 0;
  isAtEnd_ = isText_ = false;
  if (packed_) {
    packed_->rewind();
    bufferAt_ = 0;
    return;
  }
  bufferAt_ = begin;
  if (!begin)
    return;
  // The line that contains the previous byte belongs to the previous part.
  bufferAt_ = begin - 1;
  const char *text;
  size_t length;
  next(text, length);
}

void Lines::setText(std::vector<char> &text, int64_t linesBefore) {
  buffer_.swap(text);
  at_ = 0;
  filled_ = buffer_.size();
  bufferAt_ = 0;
  linesSeen_ = linesBefore;
  isAtEnd_ = isText_ = true;
}

bool Lines::fill() {
  // Move the rest of the line to the front.
  memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
  bufferAt_ += static_cast<int64_t>(at_);
  filled_ -= at_;
  at_ = 0;
  if (filled_ == buffer_.size()) {
    if (filled_ > longest) {
      error = "a line is longer than any of this format";
      return false;
    }
    buffer_.resize(2 * buffer_.size());
  }
  ssize_t got;
  if (packed_) {
    got = packed_->read(buffer_.data() + filled_, buffer_.size() - filled_);
    if (got < 0) {
      error = packed_->error;
      return false;
    }
  } else {
    got = pread(file_, buffer_.data() + filled_, buffer_.size() - filled_, bufferAt_ + static_cast<int64_t>(filled_));
    if (got < 0) {
      error = strerror(errno);
      return false;
    }
  }
  isAtEnd_ = got == 0;
  filled_ += static_cast<size_t>(got);
  return true;
}

bool Lines::next(const char *&text, size_t &length) {
  size_t searched = 0;
  bool isOver = !isText_ && (packed_ ? !end_ : bufferAt_ + static_cast<int64_t>(at_) >= end_);
  if (!error.empty() || isOver)
    return false;
  for (;;) {
    const char *start = buffer_.data() + at_;
    // A file that is empty has no buffer.
    const size_t more = filled_ - at_ - searched;
    const void *found = more ? memchr(start + searched, '\n', more) : nullptr;
    if (found || (isAtEnd_ && at_ < filled_)) {
      text = start;
      const char *stop = found ? static_cast<const char *>(found) : buffer_.data() + filled_;
      lineAt_ = bufferAt_ + static_cast<int64_t>(at_);
      ++linesSeen_;
      length = static_cast<size_t>(stop - start);
      at_ += length + (found ? 1 : 0);
      if (length && text[length - 1] == '\r')
        --length;
      const size_t mark = sizeof Mark - 1;
      if (linesSeen_ == 1 && !lineAt_ && length >= mark && !memcmp(text, Mark, mark)) {
        text += mark;
        length -= mark;
      }
      return true;
    }
    if (isAtEnd_)
      return false;
    searched = filled_ - at_;
    if (!fill())
      return false;
  }
}

int64_t Lines::position() const { return packed_ ? packed_->position() : bufferAt_ + static_cast<int64_t>(at_); }

int64_t Lines::lineNumber() const {
  if (packed_)
    return linesSeen_;
  int64_t number = 1;
  std::vector<char> piece(BufferBytes);
  for (int64_t at = 0; at < lineAt_;) {
    ssize_t got = pread(file_, piece.data(), static_cast<size_t>(std::min<int64_t>(lineAt_ - at, BufferBytes)), at);
    if (got <= 0)
      break;
    for (ssize_t i = 0; i < got; ++i)
      number += piece[static_cast<size_t>(i)] == '\n';
    at += got;
  }
  return number;
}

} // namespace comm::graph
