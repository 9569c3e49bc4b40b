// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ exceptions, destructors, thread-local and guarded objects around MPI calls.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %commcxx -fcomm-mode=off -O2 %s -o %t/plain
// RUN: %mpirun -n 2 %t/plain | sort > %t/plain.txt
// RUN: %commcxx -O2 -g -Werror %s -o %t/o2 2>&1 | count 0
// RUN: %mpirun -n 2 %t/o2 | sort > %t/o2.txt && diff %t/plain.txt %t/o2.txt
// RUN: %commcxx -O3 -fopenmp %s -o %t/o3
// RUN: %mpirun -n 2 %t/o3 | sort > %t/o3.txt && diff %t/plain.txt %t/o3.txt
// RUN: %commcxx -O1 -fcomm-mode=basic %s -o %t/o1
// RUN: %mpirun -n 2 %t/o1 | sort > %t/o1.txt && diff %t/plain.txt %t/o1.txt

#define OMPI_SKIP_MPICXX
#include <mpi.h>
#include <cstdio>
#include <stdexcept>
#include <vector>
#include <string>
#include <memory>
struct Guard { int id; Guard(int i) : id(i) {} ~Guard() { std::printf("~%d\n", id); } };
struct Base { virtual ~Base() {} virtual double f(double x) { return x; } };
struct Der : Base { double f(double x) override { double y = x; MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); return y; } };
template <class T> inline T reduce(T x, MPI_Datatype t) { Guard g(1); T y; MPI_Allreduce(&x, &y, 1, t, MPI_SUM, MPI_COMM_WORLD); if (y > T(1000)) throw std::runtime_error("large"); return y; }
thread_local std::string name = "n";
static int init_at_start = [] { return 4; }();
int g(int x) { if (x == 2) throw x; if (x == 3) throw std::string("s"); if (x == 4) throw 1.5; return x; }
int catcher(int x) {
  Guard a(2);
  try { MPI_Barrier(MPI_COMM_WORLD); x = g(x); MPI_Barrier(MPI_COMM_WORLD); }
  catch (int i) { MPI_Barrier(MPI_COMM_WORLD); return i + 10; }
  catch (const std::string &s) { MPI_Barrier(MPI_COMM_WORLD); return (int)s.size() + 20; }
  catch (...) { MPI_Barrier(MPI_COMM_WORLD); try { throw; } catch (double d) { return (int)(d * 100); } }
  return x;
}
void filter() noexcept { std::vector<int> v(10, 1); MPI_Allreduce(MPI_IN_PLACE, v.data(), 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD); std::printf("f %d\n", v[9]); }
int main(int c, char **v) {
  MPI_Init(&c, &v); int r; MPI_Comm_rank(MPI_COMM_WORLD, &r);
  std::unique_ptr<Base> b(new Der); std::printf("%g\n", b->f(1.5));
  try { std::printf("%d\n", reduce(3, MPI_INT)); std::printf("%g\n", reduce(3000.0, MPI_DOUBLE)); } catch (std::exception &e) { std::printf("caught %s\n", e.what()); }
  for (int i = 1; i < 5; i++) std::printf("%d\n", catcher(i));
  filter(); name += "x"; static std::string s = [] { MPI_Barrier(MPI_COMM_WORLD); return std::string("static"); }();
  std::printf("%s %s %d\n", name.c_str(), s.c_str(), init_at_start);
  auto lam = [&](int k) { int t = k; MPI_Bcast(&t, 1, MPI_INT, 0, MPI_COMM_WORLD); return t; }; std::printf("%d\n", lam(5 + 0 * r));
  MPI_Finalize();
}
