// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies agree with their owners, and owners with the combination of all copies, whatever share of values changed:
// compared with a sequential computation.
//
// clang-format off
// RUN: %mpicxx -std=c++17 -O1 -Wall -I%comm_runtime_include %s -o %t %comm_lib_dir/libCommReduce.a
// RUN: %mpirun -n 1 %t | FileCheck %s
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: env COMM_REDUCE_TRANSPORT=messages %mpirun -n 4 %t | FileCheck %s
// RUN: env COMM_REDUCE_TRANSPORT=sparse %mpirun -n 3 %t | FileCheck %s
// clang-format on
// CHECK-NOT: wrong
// CHECK: copies right
#include "comm/reduce.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <vector>

static int rank, size, wrong;
#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition) && wrong++ < 10)                                          \
      printf("wrong: line %d on process %d: %s\n", __LINE__, rank,             \
             #condition);                                                      \
  } while (0)

static uint32_t draw(uint64_t &state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<uint32_t>(state >> 33);
}

static uint32_t ownedBy(int p) { return static_cast<uint32_t>(1000 + 37 * p); }

/* The copies of each process, known to all: a share of the values of each other process, in ascending order or not. */
struct Layout {
  std::vector<std::vector<int64_t>> count;  /* [holder][owner] */
  std::vector<std::vector<uint32_t>> index; /* [holder] */
  Layout(unsigned share, bool isSorted) {
    for (int holder = 0; holder < size; ++holder) {
      uint64_t state = static_cast<uint64_t>(holder) + share;
      count.emplace_back(size);
      index.emplace_back();
      for (int owner = 0; owner < size; ++owner) {
        std::vector<uint32_t> of;
        for (uint32_t i = 0; i < ownedBy(owner) && owner != holder; ++i)
          if (draw(state) % 1000 < share)
            of.push_back(i);
        if (!isSorted)
          std::reverse(of.begin(), of.end());
        count.back()[static_cast<size_t>(owner)] =
            static_cast<int64_t>(of.size());
        index.back().insert(index.back().end(), of.begin(), of.end());
      }
    }
  }
  /* Calls use(copy, owner, place) for each copy of a holder. */
  template <typename Use> void forEach(int holder, Use use) const {
    size_t copy = 0;
    for (int owner = 0; owner < size; ++owner)
      for (int64_t i = 0;
           i < count[static_cast<size_t>(holder)][static_cast<size_t>(owner)];
           ++i, ++copy)
        use(copy, owner, index[static_cast<size_t>(holder)][copy]);
  }
};

static bool bit(const std::vector<uint64_t> &bits, size_t i) {
  return bits[i / 64] >> (i % 64) & 1;
}
static void set(std::vector<uint64_t> &bits, size_t i) {
  bits[i / 64] |= uint64_t(1) << (i % 64);
}

/* The value of process p at a place, in a round, known to all. */
static uint64_t valueOf(int p, uint64_t place, uint64_t round) {
  uint64_t state = static_cast<uint64_t>(p) * 7919 + place * 104729 + round;
  draw(state);
  return (static_cast<uint64_t>(draw(state)) << 32) | draw(state);
}
static bool isChanged(int p, uint64_t place, uint64_t round,
                      unsigned perThousand) {
  return valueOf(p, place, round + 1000) % 1000 < perThousand;
}

template <size_t Bytes>
static void testValues(comm_copies *copies, const Layout &layout,
                       unsigned perThousand) {
  struct Value {
    unsigned char bytes[Bytes];
    bool operator==(const Value &other) const {
      return !memcmp(bytes, other.bytes, Bytes);
    }
  };
  auto make = [](int p, uint64_t place, uint64_t round) {
    Value value;
    uint64_t word = valueOf(p, place, round);
    for (size_t i = 0; i < Bytes; ++i)
      value.bytes[i] = static_cast<unsigned char>(word >> (8 * (i % 8)));
    return value;
  };
  size_t owned = ownedBy(rank),
         all = owned + layout.index[static_cast<size_t>(rank)].size();
  std::vector<Value> values(all);
  for (size_t i = 0; i < all; ++i)
    values[i] = make(rank, i, 1);
  EXPECT(!comm_copies_refresh(copies, values.data(), Bytes, nullptr));
  layout.forEach(rank, [&](size_t copy, int owner, uint32_t place) {
    EXPECT(values[owned + copy] == make(owner, place, 1));
  });
  std::vector<uint64_t> changed(all / 64 + 1);
  for (size_t i = 0; i < all; ++i)
    if (isChanged(rank, i, 2, perThousand)) {
      set(changed, i); /* also copies, whose bits are ignored */
      if (i < owned)
        values[i] = make(rank, i, 2);
    }
  EXPECT(!comm_copies_refresh_changed(copies, values.data(), Bytes,
                                      changed.data(), nullptr));
  layout.forEach(rank, [&](size_t copy, int owner, uint32_t place) {
    bool is = isChanged(owner, place, 2, perThousand);
    EXPECT(values[owned + copy] == make(owner, place, is ? 2 : 1));
    EXPECT(!is || bit(changed, owned + copy));
  });
  for (size_t i = 0; i < owned; ++i)
    EXPECT(bit(changed, i) == isChanged(rank, i, 2, perThousand));
}

static void testBits(comm_copies *copies, const Layout &layout,
                     unsigned perThousand) {
  size_t owned = ownedBy(rank),
         all = owned + layout.index[static_cast<size_t>(rank)].size();
  std::vector<uint64_t> bits(all / 64 + 1);
  for (size_t i = 0; i < all; ++i)
    if (isChanged(rank, i, 3, perThousand))
      set(bits, i);
  EXPECT(!comm_copies_refresh_bits(copies, bits.data(), nullptr));
  for (size_t i = 0; i < owned; ++i)
    EXPECT(bit(bits, i) == isChanged(rank, i, 3, perThousand));
  layout.forEach(rank, [&](size_t copy, int owner, uint32_t place) {
    EXPECT(bit(bits, owned + copy) == isChanged(owner, place, 3, perThousand));
  });
}

template <typename T>
static void testReduce(comm_copies *copies, const Layout &layout, int type,
                       int op, unsigned perThousand) {
  auto apply = [op](T a, T b) -> T {
    switch (op) {
    case COMM_REDUCE_SUM:
      return a + b;
    case COMM_REDUCE_PRODUCT:
      return a * b;
    case COMM_REDUCE_MIN:
      return std::min(a, b);
    case COMM_REDUCE_MAX:
      return std::max(a, b);
    case COMM_REDUCE_AND:
      return static_cast<T>(static_cast<uint64_t>(a) &
                            static_cast<uint64_t>(b));
    default:
      return static_cast<T>(static_cast<uint64_t>(a) |
                            static_cast<uint64_t>(b));
    }
  };
  auto value = [](int p, size_t i) {
    return static_cast<T>(valueOf(p, i, 5) % 100);
  };
  size_t owned = ownedBy(rank),
         all = owned + layout.index[static_cast<size_t>(rank)].size();
  std::vector<T> values(all), expected(owned);
  std::vector<uint64_t> touched(all / 64 + 1), changed(all / 64 + 1);
  for (size_t i = 0; i < all; ++i) {
    values[i] = value(rank, i);
    if (i < owned)
      expected[i] = values[i];
    else if (isChanged(rank, i, 6, perThousand))
      set(touched, i);
  }
  for (int holder = 0; holder < size; ++holder)
    layout.forEach(holder, [&](size_t copy, int owner, uint32_t place) {
      size_t at = ownedBy(holder) + copy;
      if (owner == rank &&
          (perThousand > 1000 || isChanged(holder, at, 6, perThousand)))
        expected[place] = apply(expected[place], value(holder, at));
    });
  EXPECT(!comm_copies_reduce(copies, values.data(), type, op,
                             perThousand > 1000 ? nullptr : touched.data(),
                             changed.data(), nullptr));
  for (size_t i = 0; i < owned; ++i) {
    EXPECT(values[i] == expected[i]);
    EXPECT(bit(changed, i) || values[i] == value(rank, i));
  }
  for (size_t i = owned; i < all; ++i)
    EXPECT(perThousand > 1000 || !bit(touched, i));
}

/* Any operator: the smallest weight with its name, 12 bytes. */
struct Named {
  float weight;
  uint32_t name[2];
};
static void testAnyOperator(comm_copies *copies, const Layout &layout) {
  size_t owned = ownedBy(rank),
         all = owned + layout.index[static_cast<size_t>(rank)].size();
  auto make = [](int p, size_t i) {
    return Named{static_cast<float>(valueOf(p, i, 8) % 50),
                 {static_cast<uint32_t>(p), static_cast<uint32_t>(i)}};
  };
  auto isLess = [](const Named &a, const Named &b) {
    return a.weight != b.weight     ? a.weight < b.weight
           : a.name[0] != b.name[0] ? a.name[0] < b.name[0]
                                    : a.name[1] < b.name[1];
  };
  std::vector<Named> values, expected;
  for (size_t i = 0; i < all; ++i)
    values.push_back(make(rank, i));
  expected.assign(values.begin(),
                  values.begin() + static_cast<ptrdiff_t>(owned));
  for (int holder = 0; holder < size; ++holder)
    layout.forEach(holder, [&](size_t copy, int owner, uint32_t place) {
      Named other = make(holder, ownedBy(holder) + copy);
      if (owner == rank && isLess(other, expected[place]))
        expected[place] = other;
    });
  auto combine = [](void *context, void *values, const uint32_t *places,
                    const void *incoming, size_t count, uint64_t *) {
    auto &isLess =
        *static_cast<bool (**)(const Named &, const Named &)>(context);
    for (size_t i = 0; i < count; ++i) {
      Named other;
      memcpy(&other, static_cast<const char *>(incoming) + i * sizeof other,
             sizeof other);
      Named &mine = static_cast<Named *>(values)[places[i]];
      if (isLess(other, mine))
        mine = other;
    }
  };
  bool (*less)(const Named &, const Named &) = isLess;
  EXPECT(!comm_copies_combine(copies, values.data(), sizeof(Named), combine,
                              &less, nullptr, nullptr, nullptr));
  for (size_t i = 0; i < owned; ++i)
    EXPECT(!memcmp(&values[i], &expected[i], sizeof(Named)));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  comm_reduce_options options = {};
  options.block_bytes = 2048;
  comm_reduce *reduce = nullptr;
  EXPECT(!comm_reduce_create(MPI_COMM_WORLD, &options, &reduce));
  for (unsigned share : {0, 10, 400, 1000})
    for (bool isSorted : {true, false}) {
      Layout layout(share, isSorted);
      comm_copies *copies = nullptr;
      auto self = static_cast<size_t>(rank);
      /* Owners of nothing may be left out. */
      std::vector<int> owners;
      std::vector<int64_t> counts;
      for (int owner = 0; owner < size; ++owner) {
        int64_t count = layout.count[self][static_cast<size_t>(owner)];
        if (owner == rank || (!count && share == 10))
          continue;
        owners.push_back(owner);
        counts.push_back(count);
      }
      EXPECT(!comm_copies_create(
          reduce, ownedBy(rank), static_cast<int>(owners.size()), owners.data(),
          counts.data(), layout.index[self].data(), &copies));
      if (!copies)
        continue;
      for (unsigned perThousand : {0, 3, 60, 500, 1000}) {
        testValues<1>(copies, layout, perThousand);
        testValues<4>(copies, layout, perThousand);
        testValues<8>(copies, layout, perThousand);
        testValues<13>(copies, layout, perThousand);
        testBits(copies, layout, perThousand);
      }
      for (unsigned perThousand : {5, 500, 1001}) {
        for (int op = COMM_REDUCE_SUM; op <= COMM_REDUCE_OR; ++op) {
          testReduce<int32_t>(copies, layout, COMM_REDUCE_INT32, op,
                              perThousand);
          testReduce<uint32_t>(copies, layout, COMM_REDUCE_UINT32, op,
                               perThousand);
          testReduce<int64_t>(copies, layout, COMM_REDUCE_INT64, op,
                              perThousand);
          testReduce<uint64_t>(copies, layout, COMM_REDUCE_UINT64, op,
                               perThousand);
          if (op < COMM_REDUCE_AND) {
            testReduce<float>(copies, layout, COMM_REDUCE_FLOAT, op,
                              perThousand);
            testReduce<double>(copies, layout, COMM_REDUCE_DOUBLE, op,
                               perThousand);
          }
        }
      }
      testAnyOperator(copies, layout);
      comm_copies_free(&copies);
    }
  /* Errors of one process are those of all. */
  comm_copies *copies = nullptr;
  const bool isLast = rank == size - 1;
  auto refuses = [&](int owners, std::vector<int> ranks,
                     std::vector<int64_t> counts, uint32_t place) {
    std::vector<uint32_t> index(4, place);
    int code = comm_copies_create(reduce, 5, isLast ? owners : 0, ranks.data(),
                                  counts.data(), index.data(), &copies);
    EXPECT(code == COMM_REDUCE_ERR_ARG && !copies);
  };
  std::vector<int64_t> none(static_cast<size_t>(size));
  refuses(-1, {0}, {1}, 0);
  refuses(1, {size}, {1}, 0);     /* no such process */
  refuses(1, {size - 1}, {1}, 0); /* itself */
  if (size > 1) {
    refuses(1, {0}, {-1}, 0);
    refuses(2, {0, 0}, {1, 1}, 0); /* not ascending */
    refuses(1, {0}, {1}, 5);       /* the owner has five values */
  }
  EXPECT(comm_copies_reduce(copies, &none, COMM_REDUCE_FLOAT, COMM_REDUCE_AND,
                            nullptr, nullptr, nullptr) == COMM_REDUCE_ERR_ARG);
  comm_reduce_free(&reduce);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (!rank && !wrong)
    printf("copies right\n");
  MPI_Finalize();
  return wrong;
}
