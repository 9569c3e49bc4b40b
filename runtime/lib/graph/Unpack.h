// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of a gzip file with one or several parts.
#ifndef COMM_RUNTIME_GRAPH_UNPACK_H
#define COMM_RUNTIME_GRAPH_UNPACK_H

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>
#include <zlib.h>

namespace comm::graph {

/// Reports an error if something other than gzip data follows a part. zlib's gzread ends silently, so edges would be
/// missing.
class Unpack {
public:
  explicit Unpack(int file);
  ~Unpack();
  Unpack(const Unpack &) = delete;
  Unpack &operator=(const Unpack &) = delete;

  /// Reads up to `size` bytes of the contents. Returns 0 at the end, or -1 and sets `error`.
  ssize_t read(char *to, size_t size);
  /// Starts again.
  void rewind();
  /// Returns the position in the file.
  int64_t position() const { return at_; }

  std::string error;

private:
  bool fill();
  bool begin();
  ssize_t fail(const std::string &what);

  int file_;
  int64_t at_ = 0;
  z_stream stream_ = {};
  bool isOpen_ = false;
  /// The file is not compressed despite its name, and is read as it is.
  bool isPlain_ = false;
  bool isInPart_ = false;
  std::vector<unsigned char> input_;
};

} // namespace comm::graph

#endif
