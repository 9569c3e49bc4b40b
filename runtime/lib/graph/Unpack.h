// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of a file that is packed by gzip, in one or several parts.
#ifndef COMM_RUNTIME_GRAPH_UNPACK_H
#define COMM_RUNTIME_GRAPH_UNPACK_H

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>
#include <zlib.h>

namespace comm::graph {

/// zlib's own gzread ends without an error where something that is no gzip follows: edges would be missing.
class Unpack {
public:
  explicit Unpack(int file);
  ~Unpack();
  Unpack(const Unpack &) = delete;
  Unpack &operator=(const Unpack &) = delete;

  /// Up to `size` bytes of the contents; 0 at the end, and -1 with `error` set.
  ssize_t read(char *to, size_t size);
  /// From the start again.
  void rewind();
  /// How far in the file.
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
  /// A file that is not packed in spite of its name is read as it is.
  bool isPlain_ = false;
  bool isInPart_ = false;
  std::vector<unsigned char> input_;
};

} // namespace comm::graph

#endif
