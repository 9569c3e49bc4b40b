// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decompression of gzip files (RFC 1952).
#include "Unpack.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <unistd.h>

namespace comm::graph {

constexpr size_t InputBytes = size_t(1) << 17;
/// Any window size, with gzip's header and checksum.
constexpr int GzipOnly = 15 + 16;

Unpack::Unpack(int file) : file_(file), input_(InputBytes) { isOpen_ = inflateInit2(&stream_, GzipOnly) == Z_OK; }

Unpack::~Unpack() {
  if (isOpen_)
    inflateEnd(&stream_);
}

void Unpack::rewind() {
  at_ = 0;
  isPlain_ = isInPart_ = false;
  stream_.avail_in = 0;
  error.clear();
}

ssize_t Unpack::fail(const std::string &what) {
  error = what;
  return -1;
}

/// Reads more of the file, after the unread rest. Returns false after an error; adds nothing at the end.
bool Unpack::fill() {
  std::copy_n(stream_.next_in, stream_.avail_in, input_.data());
  stream_.next_in = input_.data();
  ssize_t got = pread(file_, input_.data() + stream_.avail_in, input_.size() - stream_.avail_in, at_);
  if (got < 0) {
    error = strerror(errno);
    return false;
  }
  at_ += got;
  stream_.avail_in += static_cast<unsigned>(got);
  return true;
}

/// Determines the kind of the next part: packed, plain (only the first one), or none.
bool Unpack::begin() {
  bool isFirst = at_ == 0;
  if (stream_.avail_in < 2 && !fill())
    return false;
  if (!stream_.avail_in)
    return true;
  const unsigned char *start = stream_.next_in;
  bool isPacked = stream_.avail_in >= 2 && start[0] == 0x1f && start[1] == 0x8b;
  if (!isPacked && !isFirst) {
    error = "the compressed data is followed by data that is not compressed";
    return false;
  }
  isPlain_ = !isPacked;
  isInPart_ = isPacked;
  return !isPacked || inflateReset(&stream_) == Z_OK;
}

ssize_t Unpack::read(char *to, size_t size) {
  size = std::min<size_t>(size, INT_MAX);
  if (!isOpen_)
    return fail("no memory to decompress it");
  stream_.next_out = reinterpret_cast<unsigned char *>(to);
  stream_.avail_out = static_cast<unsigned>(size);
  while (stream_.avail_out) {
    if (!isInPart_ && !isPlain_) {
      if (!begin())
        return -1;
      if (!isInPart_ && !isPlain_)
        break;
    }
    if (!stream_.avail_in && !fill())
      return -1;
    if (isPlain_) {
      unsigned count = std::min(stream_.avail_in, stream_.avail_out);
      if (!count)
        break;
      std::copy_n(stream_.next_in, count, stream_.next_out);
      stream_.next_in += count, stream_.avail_in -= count;
      stream_.next_out += count, stream_.avail_out -= count;
      continue;
    }
    if (!stream_.avail_in)
      return fail("the packed file is truncated");
    int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END)
      isInPart_ = false;
    else if (code != Z_OK)
      return fail(std::string("cannot be unpacked: ") + (stream_.msg ? stream_.msg : "damaged"));
  }
  return static_cast<ssize_t>(size - stream_.avail_out);
}

} // namespace comm::graph
