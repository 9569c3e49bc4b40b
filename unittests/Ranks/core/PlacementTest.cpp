//===- PlacementTest.cpp - Addresses of the ranks' copies of variables ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Placement.h"

#include "gtest/gtest.h"

#include <cstring>
#include <set>
#include <sys/mman.h>

using namespace comm::ranks;

namespace {
constexpr size_t page = 4096;

/// Pages that represent the variables of a program or library.
struct Mapping {
  explicit Mapping(size_t pages, void *wanted = nullptr) : bytes(pages * page) {
    memory = static_cast<char *>(mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  Mapping(const Mapping &) = delete;
  ~Mapping() { munmap(memory, bytes); }
  operator Pages() const {
    auto begin = reinterpret_cast<uintptr_t>(memory);
    return {begin, begin + bytes};
  }
  char *memory;
  size_t bytes;
};

/// Writes to each page of each copy. All must be distinct, and not be pages of an image.
void expectApart(const Placement &placement, const std::vector<Pages> &images, int count) {
  std::set<uintptr_t> seen;
  for (Pages image : images) {
    EXPECT_EQ(strnlen(reinterpret_cast<char *>(image.begin), 1), 0u);
    for (uintptr_t at = image.begin; at < image.end; at += page)
      for (int i = 0; i < count; ++i) {
        uintptr_t copy = at + placement.displacement(i);
        EXPECT_TRUE(seen.insert(copy).second);
        EXPECT_EQ(*reinterpret_cast<char *>(copy), 0);
        *reinterpret_cast<char *>(copy) = 1;
      }
  }
  for (Pages image : images)
    EXPECT_EQ(*reinterpret_cast<char *>(image.begin), 0);
}

TEST(Placement, OneImageTakesNoMoreThanItsCopies) {
  Mapping program(3);
  Placement placement;
  ASSERT_TRUE(placement.choose({program}, 64, 0));
  expectApart(placement, {program}, 64);
  EXPECT_EQ(placement.displacement(1) - placement.displacement(0), static_cast<ptrdiff_t>(3 * page));
}

TEST(Placement, NeighborsDoNotMeet) {
  // Libraries close to each other, whose sizes do not divide their distances, and a program far away.
  Mapping area(200);
  Mapping program(5, reinterpret_cast<void *>(0x5555'5000'0000));
  auto at = static_cast<Pages>(area).begin;
  std::vector<Pages> images = {{at, at + page},
                               {at + 7 * page, at + 20 * page},
                               {at + 21 * page, at + 24 * page},
                               {at + 90 * page, at + 91 * page},
                               program};
  for (int count : {1, 2, 64, 1000}) {
    Placement placement;
    ASSERT_TRUE(placement.choose(images, count, 0));
    expectApart(placement, images, count);
  }
}

TEST(Placement, LibrariesThatComeLater) {
  Mapping program(2), later(50), huge(20000);
  Placement placement;
  ASSERT_TRUE(placement.choose({program}, 8, static_cast<Pages>(later).begin));
  ASSERT_TRUE(placement.add(later));
  expectApart(placement, {program, later}, 8);
  EXPECT_FALSE(placement.add(huge)); // larger than the space between two ranks
  EXPECT_FALSE(placement.add(later));
}

TEST(Placement, NoRoomForLaterLibraries) {
  Mapping program(2), later(50);
  Placement placement;
  EXPECT_FALSE(placement.add(later));
  ASSERT_TRUE(placement.choose({program}, 8, 0));
  EXPECT_FALSE(placement.add(later));
}

TEST(Placement, NotAtOneDistance) {
  // At the two ends of the address space: no distance suits the copies of both.
  Pages lowest = {1 << 20, 2 << 20}, highest = {(1ull << 47) - (3 << 20), (1ull << 47) - (2 << 20)};
  Placement placement;
  EXPECT_FALSE(placement.choose({lowest, highest}, 4, 0));
}

TEST(Placement, WhatIsTakenStays) {
  Mapping one(4), other(4, reinterpret_cast<void *>(0x5555'5000'0000));
  // Occupies the first choice.
  Mapping taken(4, reinterpret_cast<void *>(static_cast<Pages>(other).begin - (1ull << 44)));
  taken.memory[0] = 7;
  Placement placement;
  ASSERT_TRUE(placement.choose({one, other}, 16, 0));
  expectApart(placement, {one, other}, 16);
  EXPECT_EQ(taken.memory[0], 7);
}
} // namespace
