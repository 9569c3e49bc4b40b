// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by two files of one program.
#include <string>
#include <vector>
template <class T> struct Counted {
  static T count;
  static int &local() {
    static int value = make();
    return value;
  }
  static int make() { return 10; }
};
template <class T> T Counted<T>::count = 5;
inline int inlined = 7;
extern thread_local std::vector<int> tls;
extern int elsewhere;
extern const std::string text;
int otherFile();
