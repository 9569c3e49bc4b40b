// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distributes the lines of a packed file.
#include "Parcels.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace comm::graph {

constexpr size_t ParcelBytes = size_t(1) << 20;
constexpr size_t MostParcels = 16;

Parcels::~Parcels() {
  if (file_ >= 0)
    close(file_);
}

bool Parcels::open(const std::string &name) {
  file_ = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) {
    error = strerror(errno);
    return false;
  }
  unpack_ = std::make_unique<Unpack>(file_);
  return true;
}

void Parcels::rewind(int64_t headerLines) {
  if (unpack_)
    unpack_->rewind();
  begin_ = filled_ = 0;
  cuts_.clear();
  got_.clear();
  isAtEnd_ = false;
  headerLines_ = headerLines;
  lines_ = vertices_ = 0;
  next_ = 0;
}

/// Moves the rest to the front and reads more, up to `bytes` in all.
bool Parcels::fill(size_t bytes) {
  if (begin_) {
    memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
    filled_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < bytes)
    buffer_.resize(bytes);
  while (!isAtEnd_ && filled_ < bytes) {
    ssize_t got = unpack_->read(buffer_.data() + filled_, bytes - filled_);
    if (got < 0) {
      error = unpack_->error;
      return false;
    }
    isAtEnd_ = got == 0;
    filled_ += static_cast<size_t>(got);
  }
  return true;
}

void Parcels::skipHeader() {
  while (lines_ < headerLines_ && begin_ < filled_) {
    const void *found = memchr(buffer_.data() + begin_, '\n', filled_ - begin_);
    if (!found && !isAtEnd_)
      return;
    begin_ = found ? static_cast<size_t>(static_cast<const char *>(found) - buffer_.data()) + 1 : filled_;
    ++lines_;
  }
}

void Parcels::count(const char *from, const char *to) {
  while (from < to) {
    const void *found = memchr(from, '\n', static_cast<size_t>(to - from));
    ++lines_;
    vertices_ += *from != '%'; // comments do not count as vertices, empty lines do
    from = found ? static_cast<const char *>(found) + 1 : to;
  }
}

/// Cuts off another parcel. Returns false if there is no whole line.
bool Parcels::cut() {
  const char *data = buffer_.data();
  size_t most = std::min(begin_ + ParcelBytes, filled_), end = most;
  if (begin_ == filled_ || most > INT_MAX)
    return false;
  if (most < filled_ || !isAtEnd_) {
    const void *last = memrchr(data + begin_, '\n', most - begin_);
    const void *found = last ? last : memchr(data + most, '\n', filled_ - most);
    if (!found && !isAtEnd_)
      return false;
    end = found ? static_cast<size_t>(static_cast<const char *>(found) - data) + 1 : filled_;
  }
  if (end > INT_MAX)
    return false;
  cuts_.push_back({begin_, end, lines_, vertices_});
  count(data + begin_, data + end);
  begin_ = end;
  return true;
}

bool Parcels::prepare(size_t longest) {
  if (!cuts_.empty())
    return true;
  const size_t parcels = std::min<size_t>(static_cast<size_t>(size_) - 1, MostParcels);
  size_t bytes = parcels * ParcelBytes;
  for (;;) {
    if (!fill(bytes))
      return false;
    skipHeader();
    if (lines_ < headerLines_ && begin_ < filled_) {
      bytes = std::max(bytes, 2 * (filled_ - begin_));
    } else if (lines_ >= headerLines_) {
      while (cuts_.size() < parcels && cut()) {
      }
      if (!cuts_.empty() || begin_ == filled_)
        break;
      bytes = 2 * (filled_ - begin_);
    }
    if (isAtEnd_ && begin_ == filled_)
      break;
    if (filled_ - begin_ > std::min<size_t>(longest, INT_MAX / 2)) {
      error = "a line is longer than any of this format";
      return false;
    }
  }
  return true;
}

void Parcels::share(MPI_Comm comm) {
  // The bytes, lines and vertices of each parcel.
  std::vector<int64_t> heads;
  std::vector<int> counts, places;
  if (!rank_) {
    heads.assign(3 * static_cast<size_t>(size_), 0);
    counts.assign(static_cast<size_t>(size_), 0);
    places.assign(static_cast<size_t>(size_), 0);
    for (const Cut &cut : cuts_) {
      auto to = static_cast<size_t>(1 + next_);
      next_ = (next_ + 1) % (size_ - 1);
      counts[to] = static_cast<int>(cut.end - cut.begin);
      places[to] = static_cast<int>(cut.begin);
      heads[3 * to] = counts[to];
      heads[3 * to + 1] = cut.lines;
      heads[3 * to + 2] = cut.vertices;
    }
    cuts_.clear();
  }
  int64_t head[3];
  MPI_Scatter(heads.data(), 3, MPI_INT64_T, head, 3, MPI_INT64_T, 0, comm);
  Parcel parcel;
  parcel.text.resize(static_cast<size_t>(head[0]));
  parcel.lines = head[1];
  parcel.vertices = head[2];
  MPI_Scatterv(buffer_.data(), counts.data(), places.data(), MPI_CHAR, parcel.text.data(), static_cast<int>(head[0]),
               MPI_CHAR, 0, comm);
  if (head[0])
    got_.push_back(std::move(parcel));
}

bool Parcels::take(Parcel &parcel) {
  if (got_.empty())
    return false;
  parcel = std::move(got_.front());
  got_.pop_front();
  return true;
}

} // namespace comm::graph
