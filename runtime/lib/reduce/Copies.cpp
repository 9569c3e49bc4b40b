// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of values that other processes own. Each block holds all values of a range of places, a bitset with the values
// that changed, or places with values. The sender picks the smallest form for each destination and pulse.
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

struct PartHead {
  uint32_t form, first, span, count;
};
enum Form : uint32_t { All, Bitset, Places, Bits };

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

char *comm_copies::part(size_t dest, const void *head, size_t bytes) {
  comm_reduce_cursor &cursor = lists.cursors[dest];
  size_t length = padded(sizeof(PartHead) + bytes);
  if (static_cast<size_t>(cursor.end - cursor.next) < length && !lists.open(dest))
    return nullptr;
  memcpy(cursor.next, head, sizeof(PartHead));
  char *space = cursor.next + sizeof(PartHead);
  cursor.next += length;
  return space;
}

size_t comm_copies::room(size_t dest) {
  comm_reduce_cursor &cursor = lists.cursors[dest];
  if (static_cast<size_t>(cursor.end - cursor.next) < sizeof(PartHead) + 256 && !lists.open(dest))
    return 0;
  return static_cast<size_t>(cursor.end - cursor.next) - sizeof(PartHead);
}

template <typename AddressOf>
void comm_copies::sendAll(size_t dest, size_t count, size_t valueBytes, AddressOf addressOf) {
  for (size_t first = 0; first < count;) {
    size_t span = std::min(count - first, room(dest) / valueBytes);
    if (!span)
      return;
    PartHead head{All, static_cast<uint32_t>(first), static_cast<uint32_t>(span), static_cast<uint32_t>(span)};
    char *to = part(dest, &head, span * valueBytes);
    if (!to)
      return;
    withSize(valueBytes, [&](auto size) {
      for (size_t i = 0; i < span; ++i)
        memcpy(to + i * size, addressOf(first + i), size);
    });
    first += span;
  }
}

template <typename AddressOf>
void comm_copies::sendSome(size_t dest, const std::vector<uint32_t> &some, size_t count, size_t valueBytes,
                           AddressOf addressOf) {
  if (some.empty())
    return;
  // Bytes of each form: all, count * value; bitset, count / 8 + some * value; places, some * (4 + value).
  bool isBitset = some.size() * 32 > count;
  if (count * valueBytes <= some.size() * valueBytes + std::min(count / 8, some.size() * 4)) {
    sendAll(dest, count, valueBytes, addressOf);
    return;
  }
  for (size_t at = 0; at < some.size();) {
    size_t space = room(dest), taken = 0, span = 0;
    if (!space)
      return;
    uint32_t first = some[at];
    if (isBitset) {
      while (at + taken < some.size()) {
        size_t longer = some[at + taken] - first + 1;
        if ((longer + 63) / 64 * 8 + (taken + 1) * valueBytes > space)
          break;
        span = longer;
        ++taken;
      }
    } else {
      taken = std::min(some.size() - at, (space - BlockAlign) / (valueBytes + sizeof(uint32_t)));
    }
    size_t prefix = isBitset ? (span + 63) / 64 * 8 : padded(taken * sizeof(uint32_t));
    PartHead head{isBitset ? Bitset : Places, first, static_cast<uint32_t>(span), static_cast<uint32_t>(taken)};
    char *to = taken ? part(dest, &head, prefix + taken * valueBytes) : nullptr;
    if (!to)
      return;
    if (isBitset) {
      auto *words = reinterpret_cast<uint64_t *>(to);
      memset(words, 0, prefix);
      for (size_t i = 0; i < taken; ++i)
        words[(some[at + i] - first) / 64] |= uint64_t(1) << ((some[at + i] - first) % 64);
    } else {
      memcpy(to, &some[at], taken * sizeof(uint32_t));
    }
    withSize(valueBytes, [&](auto size) {
      for (size_t i = 0; i < taken; ++i)
        memcpy(to + prefix + i * size, addressOf(some[at + i]), size);
    });
    at += taken;
  }
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

// Returns the places in the sender's list of one part, in a buffer of the copies.
const uint32_t *placesOf(comm_copies &copies, const PartHead &head, const char *payload) {
  if (head.form == Places)
    return reinterpret_cast<const uint32_t *>(payload);
  copies.scratch.resize(std::max<size_t>(copies.scratch.size(), head.count));
  uint32_t *to = copies.scratch.data();
  if (head.form == All) {
    for (uint32_t i = 0; i < head.count; ++i)
      to[i] = head.first + i;
    return to;
  }
  const auto *words = reinterpret_cast<const uint64_t *>(payload);
  for (uint32_t word = 0; word < (head.span + 63) / 64; ++word)
    for (uint64_t left = words[word]; left; left &= left - 1)
      *to++ = head.first + word * 64 + static_cast<uint32_t>(__builtin_ctzll(left));
  return copies.scratch.data();
}

void receivePart(Arrival &arrival, int source, const PartHead &head, const char *payload) {
  comm_copies &copies = *arrival.copies;
  // Only partners send to this process.
  const Partner &partner = *copies.find(source);
  size_t valueBytes = arrival.valueBytes, base = copies.owned + partner.start;
  if (head.form == Bits) {
    setRange(arrival.bits, base + head.first, reinterpret_cast<const uint64_t *>(payload), head.span);
    return;
  }
  size_t prefix = head.form == All      ? 0
                  : head.form == Bitset ? (head.span + 63) / 64 * 8
                                        : padded(head.count * sizeof(uint32_t));
  const char *from = payload + prefix;
  if (!arrival.combine && head.form == All && !arrival.bits) {
    memcpy(arrival.values + (base + head.first) * valueBytes, from, head.count * valueBytes);
    return;
  }
  const uint32_t *places = placesOf(copies, head, payload);
  if (arrival.combine) {
    const Lent &lent = partner.lent;
    copies.targets.resize(std::max<size_t>(copies.targets.size(), head.count));
    for (uint32_t i = 0; i < head.count; ++i)
      copies.targets[i] = lent.places[places[i]];
    arrival.combine(arrival.context, arrival.values, copies.targets.data(), from, head.count, arrival.bits);
    return;
  }
  withSize(valueBytes, [&](auto size) {
    for (uint32_t i = 0; i < head.count; ++i)
      memcpy(arrival.values + (base + places[i]) * size, from + i * size, size);
  });
  for (uint32_t i = 0; arrival.bits && i < head.count; ++i)
    arrival.bits[(base + places[i]) / 64] |= uint64_t(1) << ((base + places[i]) % 64);
}

void receiveParts(void *context, int source, const char *data, size_t bytes) {
  auto &arrival = *static_cast<Arrival *>(context);
  for (size_t at = 0; at < bytes;) {
    PartHead head;
    memcpy(&head, data + at, sizeof head);
    receivePart(arrival, source, head, data + at + sizeof head);
    size_t words = (head.span + 63) / 64 * 8, values = head.count * arrival.valueBytes;
    size_t payload = head.form == All      ? values
                     : head.form == Bits   ? words
                     : head.form == Bitset ? words + values
                                           : padded(head.count * sizeof(uint32_t)) + values;
    at += padded(sizeof head + payload);
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
      size_t most = copies->room(dest) / 8;
      if (most < 2)
        break;
      // Use whole words of the owner, so the last word of a part may hold fewer bits than fit.
      PartHead head{Bits, static_cast<uint32_t>(first), 0, 0};
      char *open = copies->lists.cursors[dest].next;
      auto *to = reinterpret_cast<uint64_t *>(open + sizeof head);
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
      head.span = static_cast<uint32_t>(filled);
      copies->part(dest, &head, (filled + 63) / 64 * 8);
      first += filled;
    }
  }
  Arrival arrival{copies, nullptr, 0, bits, nullptr, nullptr};
  return copies->lists.deliver(receiveParts, &arrival, votes);
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
