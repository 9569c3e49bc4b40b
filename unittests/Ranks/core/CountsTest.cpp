// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Counts.h"

#include "gtest/gtest.h"

using namespace comm::ranks;

TEST(Counts, OneCallTakesNoMoreThanAnIntCounts) {
  int64_t gigabyte = int64_t(1) << 30;
  EXPECT_EQ(elementsAtOnce(gigabyte, 8), gigabyte / 8);
  EXPECT_EQ(elementsAtOnce(int64_t(1) << 40, 1), INT_MAX);
  EXPECT_EQ(elementsAtOnce(gigabyte, size_t(5) << 30), 1);
  EXPECT_EQ(elementsAtOnce(gigabyte, 0), INT_MAX);
}

TEST(Counts, ReceivesAskForWhatComesAndNoMore) {
  // Space for 3 * 2^31 elements, of which 5 arrive, and part of a sixth.
  int64_t room = int64_t(3) << 31;
  EXPECT_EQ(elementsFilled(40, 8, room), 5);
  EXPECT_EQ(elementsFilled(41, 8, room), 6);
  EXPECT_EQ(elementsFilled(uint64_t(1) << 40, 8, room), room);
  EXPECT_EQ(elementsFilled(40, 0, room), 0);
}

TEST(Counts, BlocksBeginBeyondAnInt) {
  const int counts[] = {INT_MAX, INT_MAX, 5, INT_MAX};
  Places places(4, counts, 0);
  EXPECT_EQ(places.begins[2], int64_t(2) * INT_MAX);
  EXPECT_EQ(places.begins[3], int64_t(2) * INT_MAX + 5);
  EXPECT_EQ(places.total, int64_t(3) * INT_MAX + 5);
  Places same(3, nullptr, int64_t(1) << 32);
  EXPECT_EQ(same.begins[2], int64_t(1) << 33);
  EXPECT_EQ(same.total, int64_t(3) << 32);
}
