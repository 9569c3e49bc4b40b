// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// COMM_CDAG_RANDOM=100000 compares that many graphs; comm-cdag-random does the same.
#include "TestUtil.h"

#include <cstdlib>

using namespace comm::cdag;

TEST(Random, SchedulesDeliverWhatGraphsDo) {
  const char *wanted = std::getenv("COMM_CDAG_RANDOM");
  unsigned long count = wanted ? std::strtoul(wanted, nullptr, 10) : 4000;
  RandomTotals totals;
  for (unsigned long seed = 1; seed <= count; ++seed) {
    Error error = compareRandomGraph(seed, totals);
    ASSERT_FALSE(error) << "seed " << seed << ": " << error.text;
  }
  // The comparison is meaningful only if enough was replaced.
  EXPECT_GT(totals.changed, count / 2);
  EXPECT_GT(totals.staged, count / 50);
  for (unsigned k = 0; k <= unsigned(CollectiveKind::Barrier); ++k)
    EXPECT_GT(totals.kinds[k], 0u) << name(CollectiveKind(k));
}
