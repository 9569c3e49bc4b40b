// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members of std::vector do not capture it. LLVM ignores their definitions, since other files may replace them.
//
// RUN: commc++ -O2 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll -fcomm-mode=off
// RUN: opt -load-pass-plugin=%plugin -passes=comm-annotate %t.ll -S | FileCheck %s
// RUN: env COMM_MODE=off opt -load-pass-plugin=%plugin -passes=comm-annotate %t.ll -S | FileCheck %s --check-prefix=OFF

#include <list>
#include <mpi.h>
#include <vector>

struct Own {
  Own *self;
  void resize(int);
};

void use(std::vector<double> &v, std::list<int> &l, Own &own, MPI_Comm comm) {
  v.resize(100);
  l.resize(3);
  own.resize(7);
  MPI_Barrier(comm);
}

// CHECK-DAG: define{{.*}} void @_ZNSt6vectorIdSaIdEE6resizeEm(ptr {{[^,]*}}captures(none)
// CHECK-DAG: define{{.*}} void @_ZNSt6vectorIdSaIdEE17_M_default_appendEm(ptr {{[^,]*}}captures(none)
// A pointer to the elements is not the vector.
// CHECK-DAG: define{{.*}} void @_ZNSt6vectorIdSaIdEE15_M_erase_at_endEPd(ptr {{[^,]*}}captures(none){{[^,]*}}, ptr noundef %
// The nodes of a list point to it; a class of the program may do anything.
// CHECK-DAG: define{{.*}} void @_ZNSt7__cxx114listIiSaIiEE6resizeEm(ptr noundef nonnull align 8 dereferenceable(24) %
// CHECK-DAG: declare void @_ZN3Own6resizeEi(ptr noundef nonnull align 8 dereferenceable(8), i32 noundef)
// OFF-NOT: define{{.*}}_ZNSt6vector{{.*}}captures(none)
