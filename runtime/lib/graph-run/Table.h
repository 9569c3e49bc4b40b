// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table from numbers to numbers: open addressing, no removal.
#ifndef COMM_RUNTIME_GRAPH_RUN_TABLE_H
#define COMM_RUNTIME_GRAPH_RUN_TABLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace comm::graphrun {

class Table {
public:
  struct Entry {
    int64_t key;
    int64_t value;
    bool isThere; // false: requested
  };

  /* Returns null if there is no entry. */
  Entry *find(int64_t key) {
    if (entries.empty())
      return nullptr;
    Entry &entry = slot(key);
    return entry.key == key ? &entry : nullptr;
  }
  /* Returns the entry of the key, and whether it is new. */
  Entry &insert(int64_t key, bool &isNew) {
    if (entries.size() < 2 * (used + 1))
      grow();
    Entry &entry = slot(key);
    isNew = entry.key != key;
    if (isNew) {
      entry = {key, 0, false};
      ++used;
    }
    return entry;
  }
  void clear() {
    if (used)
      std::vector<Entry>().swap(entries);
    used = 0;
  }
  size_t size() const { return used; }
  size_t bytes() const { return entries.size() * sizeof(Entry); }

private:
  static constexpr int64_t Free = INT64_MIN;

  Entry &slot(int64_t key) {
    size_t at = static_cast<size_t>((static_cast<uint64_t>(key) * 0x9e3779b97f4a7c15u) >> shift);
    while (entries[at].key != Free && entries[at].key != key)
      at = (at + 1) & (entries.size() - 1);
    return entries[at];
  }
  void grow() {
    std::vector<Entry> old(entries.empty() ? 64 : 2 * entries.size(), Entry{Free, 0, false});
    old.swap(entries);
    shift = 64;
    for (size_t size = entries.size(); size > 1; size /= 2)
      --shift;
    for (const Entry &entry : old)
      if (entry.key != Free)
        slot(entry.key) = entry;
  }

  std::vector<Entry> entries;
  size_t used = 0;
  unsigned shift = 0;
};

} // namespace comm::graphrun

#endif
