// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a packed file on its way: one stream, which process 0 unpacks,
// becomes lines for all others.
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

/// Whole lines, and how many came before them.
struct Parcel {
  std::vector<char> text;
  int64_t lines = 0, vertices = 0; ///< of the file; after the header, without comments
};

/// While the others read what they got, process 0 unpacks what they get next. Its buffer has a parcel for each of them,
/// at most 16 MiB, and more only for a line that is longer than a parcel.
class Parcels {
public:
  Parcels(int rank, int size) : rank_(rank), size_(size) {}
  ~Parcels();
  Parcels(const Parcels &) = delete;
  Parcels &operator=(const Parcels &) = delete;

  /// On process 0. False, with `error` set, if the file cannot be opened.
  bool open(const std::string &name);
  /// From the start again, after `headerLines` lines.
  void rewind(int64_t headerLines);
  /// Hands over what was prepared. Collective.
  void share(MPI_Comm comm);
  /// The next parcel that this process got; false if there is none.
  bool take(Parcel &parcel);

  /// On process 0: unpacks what is shared next. False, with `error` set, if the file is damaged.
  bool prepare(size_t longest);
  /// On process 0: nothing is left of the file.
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
  std::vector<char> buffer_; // `cuts_` are parts of it; from begin_ to filled_ there is more
  size_t begin_ = 0, filled_ = 0;
  std::vector<Cut> cuts_;
  bool isAtEnd_ = false;
  int64_t headerLines_ = 0, lines_ = 0, vertices_ = 0;
  int next_ = 0; // who gets the next parcel, counted from process 1 on
  std::deque<Parcel> got_;
};

} // namespace comm::graph

#endif
