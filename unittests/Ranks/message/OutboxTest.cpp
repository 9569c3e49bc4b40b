// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "message/Outbox.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace comm::ranks;

namespace {
/// An outbox for three processes in which messages wait for 100 ticks.
struct OutboxTest : testing::Test {
  Outbox outbox;
  Departure why = Departure::AtOnce;
  void SetUp() override { outbox.start(3, 100, 100); }

  bool add(int to, int tag, uint64_t now, size_t bytes = 8, bool isUrgent = false) {
    WireHeader header;
    header.tag = tag;
    header.dataBytes = bytes;
    std::vector<char> data(bytes, static_cast<char>(tag));
    return outbox.add(to, header, data.data(), isUrgent, now, why);
  }
  /// Takes the waiting records for a process and returns their tags, in order.
  std::vector<int> take(int to, uint64_t now, Departure reason = Departure::Idle) {
    Batch batch = outbox.take(to, reason);
    outbox.departed(to, now, now);
    std::vector<int> tags;
    WireHeader header;
    for (size_t at = 0; at < batch.size; at += recordBytes(header.dataBytes)) {
      memcpy(&header, batch.bytes + at, sizeof(header));
      for (size_t i = 0; i < header.dataBytes; ++i)
        EXPECT_EQ(batch.bytes[at + sizeof(header) + i], static_cast<char>(header.tag));
      tags.push_back(header.tag);
    }
    EXPECT_EQ(tags.size(), static_cast<size_t>(batch.messages));
    free(batch.bytes);
    return tags;
  }
};
using Tags = std::vector<int>;

TEST_F(OutboxTest, OneAloneGoesAtOnce) {
  EXPECT_TRUE(add(1, 1, 1000));
  EXPECT_EQ(why, Departure::AtOnce);
  EXPECT_EQ(take(1, 1000, why), Tags({1}));
  EXPECT_TRUE(outbox.empty());
  EXPECT_TRUE(add(1, 2, 1100)) << "the last one is long gone";
  EXPECT_EQ(take(1, 1100, why), Tags({2}));
}

TEST_F(OutboxTest, ThoseThatFollowWaitAndLeaveInOrder) {
  EXPECT_TRUE(add(1, 1, 1000));
  take(1, 1000, why);
  // Data of odd sizes: each record starts where the previous one ends.
  for (int tag = 2; tag < 20; ++tag)
    EXPECT_FALSE(add(1, tag, 1000 + tag, tag * 3 % 7));
  EXPECT_EQ(outbox.any(), 1);
  Tags tags = take(1, 1050);
  ASSERT_EQ(tags.size(), size_t(18));
  for (int i = 0; i < 18; ++i)
    EXPECT_EQ(tags[i], i + 2);
  EXPECT_EQ(outbox.any(), -1);
  EXPECT_EQ(outbox.counts.messages, uint64_t(19));
  EXPECT_EQ(outbox.counts.networkMessages, uint64_t(2));
  EXPECT_EQ(outbox.counts.combined, uint64_t(18));
}

TEST_F(OutboxTest, NoneWaitsLongerThanItMay) {
  add(1, 1, 1000);
  take(1, 1000, why);
  EXPECT_FALSE(add(1, 2, 1010));
  EXPECT_FALSE(add(1, 3, 1060)) << "the wait is that of the oldest one";
  EXPECT_EQ(outbox.due(1109), -1);
  EXPECT_EQ(outbox.due(1110), 1);
  EXPECT_TRUE(add(1, 4, 1110));
  EXPECT_EQ(why, Departure::Due);
  EXPECT_EQ(take(1, 1110, why), Tags({2, 3, 4}));
}

TEST_F(OutboxTest, AnUrgentOneTakesThoseBeforeItAlong) {
  add(1, 1, 1000);
  take(1, 1000, why);
  add(1, 2, 1001);
  add(1, 3, 1002);
  EXPECT_TRUE(add(1, 4, 1003, 0, true));
  EXPECT_EQ(take(1, 1003, why), Tags({2, 3, 4}));
}

TEST_F(OutboxTest, ManyBytesGo) {
  add(1, 1, 1000);
  take(1, 1000, why);
  EXPECT_FALSE(add(1, 2, 1001, Outbox::fullBytes / 2));
  EXPECT_TRUE(add(1, 3, 1002, Outbox::fullBytes / 2));
  EXPECT_EQ(why, Departure::Full);
  EXPECT_EQ(take(1, 1002, why), Tags({2, 3}));
}

TEST_F(OutboxTest, ProcessesDoNotWaitForEachOther) {
  add(1, 1, 1000);
  take(1, 1000, why);
  EXPECT_FALSE(add(1, 2, 1001));
  EXPECT_TRUE(add(2, 3, 1002)) << "alone for its process";
  EXPECT_EQ(take(2, 1002, why), Tags({3}));
  EXPECT_FALSE(add(2, 4, 1003));
  EXPECT_EQ(outbox.due(1102), 1) << "the oldest first";
  EXPECT_EQ(take(1, 1102, Departure::Due), Tags({2}));
  EXPECT_EQ(outbox.due(1102), -1);
  EXPECT_EQ(outbox.due(1103), 2);
  EXPECT_EQ(take(2, 1103, Departure::Due), Tags({4}));
}

TEST(Wire, RecordsAreFilledUpWithZeros) {
  WireHeader header;
  header.tag = 5;
  header.dataBytes = 3;
  std::vector<char> record(recordBytes(3), 'x');
  writeRecord(record.data(), header, "abc");
  memcpy(&header, record.data(), sizeof(header));
  EXPECT_EQ(header.tag, 5);
  EXPECT_EQ(header.dataBytes, uint32_t(3));
  EXPECT_EQ(std::string(record.begin() + sizeof(header), record.end()), std::string("abc\0\0\0\0\0", 8));
}

// If ranks compute after their sends, waiting only adds delay.
TEST_F(OutboxTest, LearnsFromTheHelper) {
  uint64_t now = 1000;
  auto direct = [&] {
    int count = 0;
    while (add(1, 1, ++now)) {
      take(1, now, why);
      ++count;
    }
    return count;
  };
  EXPECT_EQ(direct(), 1);
  take(1, now, Departure::Helper);
  int first = direct();
  EXPECT_GE(first, 10);
  take(1, now, Departure::Helper);
  int second = direct();
  EXPECT_GE(second, 2 * first);
  // That lesson turned out to be wrong: messages join again.
  for (int i = 0; i < 10; ++i) {
    add(1, 2, ++now);
    take(1, now, Departure::Idle);
    EXPECT_FALSE(add(1, 1, ++now));
  }
  take(1, now, Departure::Helper);
  EXPECT_EQ(direct(), first);
}

TEST(Outbox, WaitsAsLongAsAMessageCosts) {
  Outbox outbox;
  outbox.start(2, 10, 1000);
  auto cost = [&](uint64_t ticks) {
    for (int i = 0; i < 200; ++i) {
      Departure why;
      outbox.add(1, WireHeader(), nullptr, true, 0, why);
      free(outbox.take(1, why).bytes);
      outbox.departed(1, 5000, 5000 + ticks);
    }
    return outbox.hold();
  };
  EXPECT_NEAR(static_cast<double>(cost(100)), 200, 20) << "of both processes";
  EXPECT_EQ(cost(1), uint64_t(10));
  EXPECT_EQ(cost(100000), uint64_t(1000));
  uint64_t before = cost(100);
  Departure why;
  outbox.add(1, WireHeader(), nullptr, true, 0, why);
  free(outbox.take(1, why).bytes);
  outbox.departed(1, 0, 1000000);
  EXPECT_LT(outbox.hold(), 2 * before) << "one that was interrupted says little";
}
} // namespace
