// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rank sees variables initialized according to C++, in all files, whatever the previous rank wrote.
//
// RUN: %clang -O1 -c %fake_runtime -o %t.runtime.o
// RUN: %clangxx -std=c++17 -O0 %ranks_flags -c %s -I%S/Inputs -o %t.0.o
// RUN: %clangxx -std=c++17 -O0 %ranks_flags -c %S/Inputs/program-other.cpp -o %t.other.0.o
// RUN: %clangxx %t.0.o %t.other.0.o %t.runtime.o %ranks_start -o %t.0
// RUN: %t.0 | FileCheck %s
// RUN: %clangxx -std=c++17 -O2 -g %ranks_flags -ffunction-sections -fdata-sections -c %s -I%S/Inputs -o %t.2.o
// RUN: %clangxx -std=c++17 -O2 -fno-zero-initialized-in-bss %ranks_flags -c %S/Inputs/program-other.cpp -o %t.other.2.o
// RUN: %clangxx -fuse-ld=lld -Wl,--gc-sections %t.2.o %t.other.2.o %t.runtime.o %ranks_start -o %t.2
// RUN: %t.2 | FileCheck %s
// RUN: %clangxx -no-pie %t.2.o %t.other.0.o %t.runtime.o %ranks_start -o %t.3
// RUN: %t.3 | FileCheck %s
// Zeros take no room in the file.
// RUN: llvm-readelf -S %t.2 | FileCheck --check-prefix=SECTIONS %s
// SECTIONS: comm_rank_zero NOBITS

#include "program.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <thread>

extern "C" int MPI_Barrier(void *);
extern "C" int MPI_Comm_rank(void *, int *);

struct Noisy {
  std::string name;
  explicit Noisy(const char *name) : name(name) { printf("construct %s\n", name); }
  ~Noisy() { printf("destroy %s\n", name.c_str()); }
};
static Noisy first("first");
Noisy second("second, too long to be held inside");
thread_local std::vector<int> tls{1, 2, 3};
static std::map<std::string, int> table = {{"a", 1}, {"b", 2}};
static char big[1 << 20];
struct Base {
  virtual ~Base() {}
  virtual int get() { return 1; }
};
struct Derived : Base {
  int get() override { return ++Counted<int>::count; }
};
static std::unique_ptr<Base> object(new Derived);
__attribute__((destructor)) static void down() { printf("down\n"); }
__attribute__((constructor(200))) static void up() { printf("up\n"); }

int main() {
  int rank;
  MPI_Comm_rank(nullptr, &rank);
  try {
    throw 3;
  } catch (int &error) {
    Counted<int>::local() += error;
  }
  tls.push_back(4);
  // A thread that a rank starts is the rank's.
  std::thread([] { ++inlined; }).join();
  ++elsewhere;
  table["c"]++;
  big[1000] += 1;
  MPI_Barrier(nullptr);
  std::cout << Counted<int>::local() << ' ' << object->get() << ' ' << tls.size() << ' ' << inlined << ' '
            << table.size() << ' ' << int(big[1000]) << ' ' << text.size() << ' ' << otherFile() << ' ' << elsewhere
            << std::endl;
  if (rank == 1)
    exit(0);
  return 0;
}
// CHECK: up
// CHECK-NEXT: construct first
// CHECK-NEXT: construct second, too
// CHECK-NEXT: rank 0 calls MPI_Barrier at line [[#@LINE-11]]
// CHECK-NEXT: 13 6 4 8 3 1 52 106084 42
// CHECK-NEXT: destroy second, too
// CHECK-NEXT: destroy first
// CHECK-NEXT: down
// CHECK-NEXT: up
// CHECK-NEXT: construct first
// CHECK-NEXT: construct second, too
// CHECK-NEXT: rank 1 calls MPI_Barrier
// CHECK-NEXT: 13 6 4 8 3 1 52 106084 42
// CHECK-NEXT: destroy second, too
// CHECK-NEXT: destroy first
// CHECK-NEXT: down
