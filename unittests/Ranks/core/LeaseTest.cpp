// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Lease.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace comm::ranks;

namespace {
TEST(Lease, BelongsToTheOwnerUntilItIsLent) {
  Lease lease;
  EXPECT_FALSE(lease.take());
  EXPECT_FALSE(lease.takeBack()) << "nobody had it";
  lease.lend();
  EXPECT_FALSE(lease.takeBack()) << "the helper did not come";
  EXPECT_FALSE(lease.take()) << "it is the owner's again";
}

TEST(Lease, TellsTheOwnerThatTheHelperHadIt) {
  Lease lease;
  lease.lend();
  EXPECT_TRUE(lease.take());
  EXPECT_FALSE(lease.take()) << "it is taken";
  lease.giveBack();
  EXPECT_FALSE(lease.take()) << "the owner has not lent it again";
  EXPECT_TRUE(lease.takeBack());
  EXPECT_FALSE(lease.takeBack());
  lease.lend();
  EXPECT_TRUE(lease.take());
}

// The leased data has no lock: simultaneous access by two threads would lose counts.
TEST(Lease, IsNeverInTwoHands) {
  Lease lease;
  long lent = 0, helped = 0;
  std::atomic<bool> ended{false};
  std::thread helper([&] {
    while (!ended.load())
      if (lease.take()) {
        ++lent;
        ++helped;
        lease.giveBack();
      }
  });
  long own = 0, told = 0;
  for (; own < 100000; ++own) {
    ++lent;
    lease.lend();
    if (own % 64 == 0)
      std::this_thread::yield();
    told += lease.takeBack();
  }
  ended.store(true);
  helper.join();
  EXPECT_EQ(lent, own + helped);
  EXPECT_EQ(told, helped);
}
} // namespace
