// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Options.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace comm::ranks;

namespace {
struct OptionsTest : testing::Test {
  void SetUp() override {
    unsetenv("COMM_RANKS_PER_THREAD");
    unsetenv("COMM_RANKS_THREADS");
    unsetenv("COMM_RANKS_STACK");
    unsetenv("COMM_RANKS_COMBINE");
    unsetenv("COMM_RANKS_STATISTICS");
  }
};

TEST_F(OptionsTest, OneRankUnlessSaidOtherwise) {
  Options options = readOptions();
  EXPECT_EQ(options.perThread, 1);
  EXPECT_EQ(options.threads, 1);
  EXPECT_EQ(options.stackBytes, size_t(8) << 20);
}

TEST_F(OptionsTest, ManyRanksHaveSmallerStacksInWholePages) {
  setenv("COMM_RANKS_PER_THREAD", "50000", 1);
  setenv("COMM_RANKS_THREADS", "2", 1);
  EXPECT_EQ(readOptions().stackBytes, size_t(1) << 20);
  setenv("COMM_RANKS_STACK", "20001", 1);
  EXPECT_EQ(readOptions().stackBytes, size_t(20480));
}

TEST_F(OptionsTest, MessagesWaitAsLongAsIsMeasuredOrSaid) {
  EXPECT_EQ(readOptions().combineMicroseconds, -1);
  EXPECT_FALSE(readOptions().statistics);
  setenv("COMM_RANKS_COMBINE", "0", 1);
  setenv("COMM_RANKS_STATISTICS", "1", 1);
  EXPECT_EQ(readOptions().combineMicroseconds, 0);
  EXPECT_TRUE(readOptions().statistics);
  setenv("COMM_RANKS_COMBINE", "-1", 1);
  EXPECT_EXIT(readOptions(), testing::ExitedWithCode(2), "COMM_RANKS_COMBINE is '-1': expected a whole number from 0");
}

TEST_F(OptionsTest, NonsenseIsNamed) {
  for (const char *value : {"0", "-3", "many", "4 ranks", "99999999999999"}) {
    setenv("COMM_RANKS_THREADS", value, 1);
    EXPECT_EXIT(readOptions(), testing::ExitedWithCode(2), "COMM_RANKS_THREADS is '");
  }
  setenv("COMM_RANKS_THREADS", "4096", 1);
  setenv("COMM_RANKS_PER_THREAD", "16777216", 1);
  EXPECT_EXIT(readOptions(), testing::ExitedWithCode(2), "at most");
}
} // namespace
