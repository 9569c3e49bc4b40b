// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of values that other processes own. Blocks hold parts (Parts.cpp), in the smallest form for each destination
// and pulse, or bits.
#include "Copies.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace comm::reduce;

namespace {

uint64_t rangeOfOnes(size_t count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

uint64_t compressPortably(uint64_t bits, uint64_t mask) {
  uint64_t result = 0;
  for (unsigned at = 0; mask; mask &= mask - 1, ++at)
    result |= ((bits >> __builtin_ctzll(mask)) & 1) << at;
  return result;
}
#ifdef __x86_64__
__attribute__((target("bmi2"))) uint64_t compressFast(uint64_t bits, uint64_t mask) {
  return __builtin_ia32_pext_di(bits, mask);
}
#endif
uint64_t compress(uint64_t bits, uint64_t mask) {
  if (mask == ~uint64_t(0))
    return bits;
#ifdef __x86_64__
  static const bool hasBmi2 = __builtin_cpu_supports("bmi2");
  if (hasBmi2)
    return compressFast(bits, mask);
#endif
  return compressPortably(bits, mask);
}

// Appends `count` bits to the words at `to`, which hold `filled` bits so far and are zero beyond them.
void appendBits(uint64_t *to, size_t filled, uint64_t bits, size_t count) {
  if (!count)
    return;
  size_t shift = filled % 64;
  to[filled / 64] |= bits << shift;
  if (shift + count > 64)
    to[filled / 64 + 1] |= bits >> (64 - shift);
}

/// Some of the bits of all values, in 64-bit words that follow.
struct BitsHead {
  uint32_t first, span;
};

template <typename Copy> void withSize(size_t bytes, Copy copy) {
  switch (bytes) {
  case 4:
    return copy(std::integral_constant<size_t, 4>());
  case 8:
    return copy(std::integral_constant<size_t, 8>());
  default:
    return copy(bytes);
  }
}

} // namespace

void comm::reduce::setRange(uint64_t *bits, size_t first, const uint64_t *from, size_t count) {
  for (size_t at = 0; at < count;) {
    size_t bit = (first + at) % 64, length = std::min(64 - bit, count - at);
    uint64_t chunk = 0;
    if (from) {
      chunk = from[at / 64] >> (at % 64);
      if (at % 64 + length > 64)
        chunk |= from[at / 64 + 1] << (64 - at % 64);
    }
    uint64_t mask = rangeOfOnes(length) << bit;
    uint64_t &word = bits[(first + at) / 64];
    word = (word & ~mask) | ((chunk << bit) & mask);
    at += length;
  }
}

void Lent::index(size_t owned) {
  bool isAscending =
      std::is_sorted(places.begin(), places.end()) && std::adjacent_find(places.begin(), places.end()) == places.end();
  // A mask of all owned values pays off if many of them are lent.
  if (!isAscending || places.size() < owned / 64)
    return;
  mask.assign((owned + 63) / 64, 0);
  before.assign(mask.size(), 0);
  for (uint32_t place : places)
    mask[place / 64] |= uint64_t(1) << (place % 64);
  uint32_t count = 0;
  for (size_t word = 0; word < mask.size(); ++word) {
    before[word] = count;
    count += static_cast<uint32_t>(__builtin_popcountll(mask[word]));
  }
}

void Lent::collect(const uint64_t *bits, std::vector<uint32_t> &into) const {
  if (mask.empty()) {
    for (size_t i = 0; i < places.size(); ++i)
      if (bits[places[i] / 64] >> (places[i] % 64) & 1)
        into.push_back(static_cast<uint32_t>(i));
    return;
  }
  for (size_t word = 0; word < mask.size(); ++word)
    for (uint64_t left = bits[word] & mask[word]; left; left &= left - 1) {
      uint64_t below = (left & -left) - 1;
      into.push_back(before[word] + static_cast<uint32_t>(__builtin_popcountll(mask[word] & below)));
    }
}

const Partner *comm_copies::find(int rank) const {
  auto found = std::lower_bound(partners.begin(), partners.end(), rank,
                                [](const Partner &partner, int other) { return partner.rank < other; });
  return found != partners.end() && found->rank == rank ? &*found : nullptr;
}

char *comm_copies::space(size_t dest, size_t &bytes) {
  comm_reduce_cursor &cursor = lists.cursors[dest];
  constexpr ptrdiff_t least = 272;
  if (cursor.end - cursor.next < least && !lists.open(dest))
    return nullptr;
  bytes = static_cast<size_t>(cursor.end - cursor.next);
  return cursor.next;
}

template <typename AddressOf>
size_t comm_copies::send(size_t dest, uint32_t first, const uint32_t *positions, size_t count, size_t valueBytes,
                         AddressOf addressOf) {
  size_t bytes = 0;
  char *to = space(dest, bytes);
  if (!to)
    return 0;
  comm_part part;
  comm_part_write(to, bytes, first, positions, count, valueBytes, &part);
  withSize(valueBytes, [&](auto size) {
    for (size_t i = 0; i < part.count; ++i)
      memcpy(part.values + i * size, addressOf(positions ? positions[i] : first + i), size);
  });
  lists.cursors[dest].next += part.bytes;
  return part.count;
}

template <typename AddressOf>
void comm_copies::sendAll(size_t dest, size_t count, size_t valueBytes, AddressOf addressOf) {
  for (size_t at = 0, sent; at < count; at += sent)
    if (!(sent = send(dest, static_cast<uint32_t>(at), nullptr, count - at, valueBytes, addressOf)))
      return;
}

template <typename AddressOf>
void comm_copies::sendSome(size_t dest, const std::vector<uint32_t> &some, size_t count, size_t valueBytes,
                           AddressOf addressOf) {
  if (comm_part_is_all(some.size(), count, valueBytes)) {
    if (!some.empty())
      sendAll(dest, count, valueBytes, addressOf);
    return;
  }
  for (size_t at = 0, sent; at < some.size(); at += sent)
    if (!(sent = send(dest, 0, &some[at], some.size() - at, valueBytes, addressOf)))
      return;
}

namespace {

struct Arrival {
  comm_copies *copies;
  char *values;
  size_t valueBytes;
  uint64_t *bits;
  comm_reduce_combiner *combine; // null: from owners to copies
  void *context;
};

void receivePart(Arrival &arrival, const Partner &partner, const comm_part &part) {
  comm_copies &copies = *arrival.copies;
  size_t base = copies.owned + partner.start, count = part.count;
  auto positionOf = [&](size_t i) { return part.positions ? part.positions[i] : part.first + i; };
  if (arrival.combine) {
    copies.targets.resize(std::max(copies.targets.size(), count));
    for (size_t i = 0; i < count; ++i)
      copies.targets[i] = partner.lent.places[positionOf(i)];
    arrival.combine(arrival.context, arrival.values, copies.targets.data(), part.values, count, arrival.bits);
    return;
  }
  if (!part.positions)
    memcpy(arrival.values + (base + part.first) * arrival.valueBytes, part.values, count * arrival.valueBytes);
  else
    withSize(arrival.valueBytes, [&](auto size) {
      for (size_t i = 0; i < count; ++i)
        memcpy(arrival.values + (base + part.positions[i]) * size, part.values + i * size, size);
    });
  for (size_t i = 0; arrival.bits && i < count; ++i)
    arrival.bits[(base + positionOf(i)) / 64] |= uint64_t(1) << ((base + positionOf(i)) % 64);
}

void receiveParts(void *context, int source, const char *data, size_t bytes) {
  auto &arrival = *static_cast<Arrival *>(context);
  comm_copies &copies = *arrival.copies;
  // Only partners send to this process.
  const Partner &partner = *copies.find(source);
  copies.scratch.resize(std::max(copies.scratch.size(), std::max(partner.count, partner.lent.places.size())));
  for (const char *end = data + bytes; data < end;) {
    comm_part part;
    comm_part_read(data, arrival.valueBytes, copies.scratch.data(), &part);
    receivePart(arrival, partner, part);
    data += part.bytes;
  }
}

void receiveBits(void *context, int source, const char *data, size_t bytes) {
  auto &arrival = *static_cast<Arrival *>(context);
  const comm_copies &copies = *arrival.copies;
  size_t base = copies.owned + copies.find(source)->start;
  for (const char *end = data + bytes; data < end;) {
    BitsHead head;
    memcpy(&head, data, sizeof head);
    data += sizeof head;
    setRange(arrival.bits, base + head.first, reinterpret_cast<const uint64_t *>(data), head.span);
    data += (head.span + 63) / 64 * 8;
  }
}

} // namespace

// Null is allowed for an array without values.
static bool isUsable(const comm_copies *copies, const void *values, size_t valueBytes) {
  return copies && valueBytes && valueBytes <= 64 && (values || !(copies->owned + copies->total));
}

int comm_copies_refresh(comm_copies *copies, void *values, size_t value_bytes, comm_reduce_votes *votes) {
  if (!isUsable(copies, values, value_bytes))
    return COMM_REDUCE_ERR_ARG;
  const char *base = static_cast<char *>(values);
  for (const Partner &partner : copies->partners) {
    const uint32_t *places = partner.lent.places.data();
    copies->sendAll(static_cast<size_t>(partner.rank), partner.lent.places.size(), value_bytes,
                    [=](size_t i) { return base + places[i] * value_bytes; });
  }
  Arrival arrival{copies, static_cast<char *>(values), value_bytes, nullptr, nullptr, nullptr};
  return copies->lists.deliver(receiveParts, &arrival, votes);
}

int comm_copies_refresh_changed(comm_copies *copies, void *values, size_t value_bytes, uint64_t *changed,
                                comm_reduce_votes *votes) {
  if (!isUsable(copies, values, value_bytes) || !changed)
    return COMM_REDUCE_ERR_ARG;
  const char *base = static_cast<char *>(values);
  setRange(changed, copies->owned, nullptr, copies->total);
  for (const Partner &partner : copies->partners) {
    copies->some.clear();
    partner.lent.collect(changed, copies->some);
    const uint32_t *places = partner.lent.places.data();
    copies->sendSome(static_cast<size_t>(partner.rank), copies->some, partner.lent.places.size(), value_bytes,
                     [=](size_t i) { return base + places[i] * value_bytes; });
  }
  Arrival arrival{copies, static_cast<char *>(values), value_bytes, changed, nullptr, nullptr};
  return copies->lists.deliver(receiveParts, &arrival, votes);
}

int comm_copies_refresh_bits(comm_copies *copies, uint64_t *bits, comm_reduce_votes *votes) {
  if (!copies || !bits)
    return COMM_REDUCE_ERR_ARG;
  for (const Partner &partner : copies->partners) {
    const Lent &lent = partner.lent;
    auto dest = static_cast<size_t>(partner.rank);
    size_t count = lent.places.size(), word = 0;
    for (size_t first = 0; first < count;) {
      size_t bytes = 0;
      char *open = copies->space(dest, bytes);
      if (!open)
        break;
      // Use whole words of the owner, so the last word of a part may hold fewer bits than fit.
      size_t most = (bytes - sizeof(BitsHead)) / 8;
      auto *to = reinterpret_cast<uint64_t *>(open + sizeof(BitsHead));
      size_t filled = 0, space = (most - 1) * 64;
      memset(to, 0, most * 8);
      if (lent.mask.empty()) {
        for (; first + filled < count && filled < space; ++filled) {
          uint32_t place = lent.places[first + filled];
          to[filled / 64] |= (bits[place / 64] >> (place % 64) & 1) << (filled % 64);
        }
      } else {
        for (; word < lent.mask.size() && filled + 64 <= space; ++word) {
          uint64_t mask = lent.mask[word];
          auto length = static_cast<size_t>(__builtin_popcountll(mask));
          appendBits(to, filled, compress(bits[word], mask), length);
          filled += length;
        }
      }
      BitsHead head{static_cast<uint32_t>(first), static_cast<uint32_t>(filled)};
      memcpy(open, &head, sizeof head);
      copies->lists.cursors[dest].next += sizeof head + (filled + 63) / 64 * 8;
      first += filled;
    }
  }
  Arrival arrival{copies, nullptr, 0, bits, nullptr, nullptr};
  return copies->lists.deliver(receiveBits, &arrival, votes);
}

int comm_copies_combine(comm_copies *copies, void *values, size_t value_bytes, comm_reduce_combiner *combine,
                        void *context, uint64_t *touched, uint64_t *changed, comm_reduce_votes *votes) {
  if (!isUsable(copies, values, value_bytes) || !combine)
    return COMM_REDUCE_ERR_ARG;
  const char *base = static_cast<char *>(values);
  for (const Partner &partner : copies->partners) {
    size_t first = copies->owned + partner.start, count = partner.count;
    auto dest = static_cast<size_t>(partner.rank);
    auto addressOf = [=](size_t i) { return base + (first + i) * value_bytes; };
    if (!touched) {
      copies->sendAll(dest, count, value_bytes, addressOf);
      continue;
    }
    copies->some.clear();
    for (size_t word = first / 64; word * 64 < first + count; ++word) {
      uint64_t left = touched[word];
      if (word == first / 64)
        left &= ~rangeOfOnes(first % 64);
      if (first + count - word * 64 < 64)
        left &= rangeOfOnes(first + count - word * 64);
      for (; left; left &= left - 1)
        copies->some.push_back(static_cast<uint32_t>(word * 64 + static_cast<size_t>(__builtin_ctzll(left)) - first));
    }
    copies->sendSome(dest, copies->some, count, value_bytes, addressOf);
  }
  if (touched)
    setRange(touched, copies->owned, nullptr, copies->total);
  Arrival arrival{copies, static_cast<char *>(values), value_bytes, changed, combine, context};
  return copies->lists.deliver(receiveParts, &arrival, votes);
}
