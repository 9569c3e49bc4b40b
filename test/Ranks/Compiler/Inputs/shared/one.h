// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by two libraries and a program: each rank has one copy.
#ifndef SHARED_ONE_H
#define SHARED_ONE_H

#include <string>
#include <vector>

#define EXPORT __attribute__((visibility("default")))

// Static variables of inline functions, with and without a guard; the version script of the first library makes one
// local, so each library has its own.
EXPORT inline int countShared() {
  static int count = 10;
  return ++count;
}
EXPORT inline std::vector<int> &guarded() {
  static std::vector<int> numbers{1};
  return numbers;
}
EXPORT inline int countApart() {
  static int count = 50;
  return ++count;
}

template <typename T> struct EXPORT Registry {
  static int entries;
  static std::vector<int> order;
};
template <typename T> int Registry<T>::entries = 3;
template <typename T> std::vector<int> Registry<T>::order;

// Prints at the end of the rank in which order everything was destroyed.
struct EXPORT Log {
  std::string text;
  int rank = -1;
  ~Log();
};

struct Destroyed {
  const char *name;
  ~Destroyed();
};

EXPORT extern Log ends;
EXPORT extern thread_local int ofThread;
EXPORT extern thread_local std::vector<int> vectorOfThread;
EXPORT extern int oneValue, twoValue, ofProgram, inBoth, replaced;
EXPORT extern int *const toTwo[2];
EXPORT int nextOne(int rank), nextTwo(int rank), readBoth(), readReplaced(), hiddenOne(), hiddenTwo();
EXPORT int apartOne(), apartTwo(), archiveOne(), archiveTwo(), randomOne(), countTwo();
extern "C" int archive_next(void);

#endif
