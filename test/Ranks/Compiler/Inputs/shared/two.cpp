// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second library uses the first, also before main.
#include "one.h"

EXPORT int twoValue = 20;
int *const toTwo[2] = {&oneValue, &twoValue};
EXPORT int replaced = 8; // a library that was built without -fcomm-ranks comes first
int hiddenName = 2;
static Destroyed destroyed{"two "};

struct SetUp {
  SetUp() {
    twoValue += oneValue;
    Registry<int>::order.push_back(twoValue);
    ++Registry<int>::entries;
    guarded().push_back(100);
  }
};
static SetUp setUpTwo;

EXPORT int nextTwo(int rank) {
  vectorOfThread.push_back(-rank);
  *toTwo[0] += rank;
  return ++twoValue + countShared() + ++ofThread;
}
EXPORT int readReplaced() { return replaced; }
EXPORT int hiddenTwo() { return hiddenName += 2; }
EXPORT int apartTwo() { return countApart(); }
EXPORT int archiveTwo() { return archive_next(); }
EXPORT int countTwo() { return Registry<int>::entries; }
