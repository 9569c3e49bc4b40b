// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distribution of a packed file. Process 0 decompresses the stream and deals out lines to all others.
#ifndef COMM_RUNTIME_GRAPH_PARCELS_H
#define COMM_RUNTIME_GRAPH_PARCELS_H

#include "Unpack.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

namespace comm::graph {

/// Whole lines, and the number of lines before them.
struct Parcel {
  std::vector<char> text;
  int64_t lines = 0, vertices = 0; ///< in the file; vertices after the header, without comments
};

/// Process 0 decompresses the next parcels while the others read the current ones. Its buffer has a parcel for each of
/// them, at most 16 MiB in all, or more for a line that is longer than a parcel.
class Parcels {
public:
  Parcels(int rank, int size) : rank_(rank), size_(size) {}
  ~Parcels();
  Parcels(const Parcels &) = delete;
  Parcels &operator=(const Parcels &) = delete;

  /// Opens the file on process 0. Returns false and sets `error` if it cannot be opened.
  bool open(const std::string &name);
  /// Starts again after the first `headerLines` lines.
  void rewind(int64_t headerLines);
  /// Distributes the prepared parcels. Collective.
  void share(MPI_Comm comm);
  /// Takes the next parcel of this process. Returns false if there is none.
  bool take(Parcel &parcel);

  /// Prepares the next parcels on process 0. Returns false and sets `error` if the file is damaged.
  bool prepare(size_t longest);
  /// Returns true on process 0 if nothing of the file is left.
  bool isDone() const { return isAtEnd_ && cuts_.empty() && begin_ == filled_; }
  int64_t lines() const { return lines_; }
  int64_t vertices() const { return vertices_; }
  int64_t position() const { return unpack_ ? unpack_->position() : 0; }

  std::string error;

private:
  struct Cut {
    size_t begin, end;
    int64_t lines, vertices;
  };
  bool fill(size_t bytes);
  void skipHeader();
  bool cut();
  void count(const char *from, const char *to);

  int rank_, size_;
  int file_ = -1;
  std::unique_ptr<Unpack> unpack_;
  std::vector<char> buffer_; // `cuts_` are parts of it; [begin_, filled_) is not cut yet
  size_t begin_ = 0, filled_ = 0;
  std::vector<Cut> cuts_;
  bool isAtEnd_ = false;
  int64_t headerLines_ = 0, lines_ = 0, vertices_ = 0;
  int next_ = 0; // the receiver of the next parcel, counted from process 1 on
  std::deque<Parcel> got_;
};

} // namespace comm::graph

#endif
