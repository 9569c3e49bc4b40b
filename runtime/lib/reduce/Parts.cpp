// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some of many values, in the smallest of three forms. A part is its head, the positions in that form, and the values;
// each begins at a multiple of 8 bytes.
#include "Reduce.h"

#include <algorithm>
#include <cstring>

using namespace comm::reduce;

namespace {

enum Form : uint32_t { All, Bitset, Positions };
struct Head {
  uint32_t form;
  uint32_t first, span; // the range of the positions
  uint32_t count;       // of values
};

size_t bitsetBytes(size_t span) { return (span + 63) / 64 * 8; }

/// Returns the bytes between the head and the values.
size_t prefixBytes(const Head &head) {
  if (head.form == All)
    return 0;
  return head.form == Bitset ? bitsetBytes(head.span) : padded(head.count * sizeof(uint32_t));
}

size_t bytesOf(const Head &head, size_t valueBytes) {
  return sizeof head + prefixBytes(head) + padded(head.count * valueBytes);
}

/// Returns how many of the ascending positions fit, and how many values from the first to the last of these there are.
Head fit(Form form, const uint32_t *positions, size_t count, size_t valueBytes, size_t space) {
  size_t last = std::min(count, (space - std::min(space, sizeof(Head))) / valueBytes);
  auto headOf = [&](size_t taken) {
    uint32_t span = taken ? positions[taken - 1] - positions[0] + 1 : 0;
    return Head{form, taken ? positions[0] : 0, span, static_cast<uint32_t>(taken)};
  };
  if (bytesOf(headOf(last), valueBytes) <= space)
    return headOf(last);
  // A longer part takes more bytes.
  size_t fits = 0;
  while (last - fits > 1) {
    size_t middle = fits + (last - fits) / 2;
    (bytesOf(headOf(middle), valueBytes) <= space ? fits : last) = middle;
  }
  return headOf(fits);
}

} // namespace

int comm_part_is_all(size_t count, size_t of, size_t value_bytes) {
  return of * value_bytes <= count * value_bytes + std::min(of / 8, count * sizeof(uint32_t));
}

size_t comm_part_most(size_t of, size_t value_bytes) { return sizeof(Head) + padded(of * value_bytes + 8) + 8; }

size_t comm_part_whole(size_t of, size_t value_bytes) { return sizeof(Head) + padded(of * value_bytes); }

void comm_part_write(void *to, size_t space, uint32_t first, const uint32_t *positions, size_t count,
                     size_t value_bytes, comm_part *part) {
  Head head{All, first, 0, 0};
  if (positions) {
    size_t span = count ? positions[count - 1] - positions[0] + 1 : 0;
    Form form = bitsetBytes(span) < padded(count * sizeof(uint32_t)) ? Bitset : Positions;
    head = fit(form, positions, count, value_bytes, space);
  } else {
    size_t most = (space - std::min(space, sizeof head)) / 8 * 8 / value_bytes;
    head.span = head.count = static_cast<uint32_t>(std::min(count, most));
  }
  *part = {positions, head.first, head.count, nullptr, 0};
  if (!head.count)
    return;
  auto *at = static_cast<char *>(to);
  memcpy(at, &head, sizeof head);
  at += sizeof head;
  if (head.form == Bitset) {
    auto *words = reinterpret_cast<uint64_t *>(at);
    memset(words, 0, bitsetBytes(head.span));
    for (size_t i = 0; i < head.count; ++i)
      words[(positions[i] - head.first) / 64] |= uint64_t(1) << ((positions[i] - head.first) % 64);
  } else if (head.form == Positions) {
    memcpy(at, positions, head.count * sizeof(uint32_t));
  }
  part->values = at + prefixBytes(head);
  part->bytes = bytesOf(head, value_bytes);
}

size_t comm_part_read(const void *from, size_t value_bytes, uint32_t *scratch, comm_part *part) {
  Head head;
  memcpy(&head, from, sizeof head);
  const char *at = static_cast<const char *>(from) + sizeof head;
  *part = {nullptr, head.first, head.count, const_cast<char *>(at) + prefixBytes(head), bytesOf(head, value_bytes)};
  if (head.form == Positions) {
    part->positions = reinterpret_cast<const uint32_t *>(at);
  } else if (head.form == Bitset) {
    part->positions = scratch;
    const auto *words = reinterpret_cast<const uint64_t *>(at);
    for (uint32_t word = 0; word < (head.span + 63) / 64; ++word)
      for (uint64_t left = words[word]; left; left &= left - 1)
        *scratch++ = head.first + word * 64 + static_cast<uint32_t>(__builtin_ctzll(left));
  }
  return head.count;
}
