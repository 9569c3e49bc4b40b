// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that call MPI and contain LLVM IR other than loads, stores and calls. The program prints the same with and
// without Comm; Comm names the constructs that it cannot import into MLIR.
//
// RUN: rm -rf %t && mkdir %t
// RUN: env COMM_MODE=off %commcc -w -O2 %s -lm -o %t/plain
// RUN: %mpirun -n 2 %t/plain | sort > %t/plain.txt
// RUN: %commcc -w -O2 -g %s -lm -o %t/o2 2> %t/o2.err
// RUN: FileCheck --check-prefix=WARN %s < %t/o2.err
// RUN: %mpirun -n 2 %t/o2 | sort > %t/o2.txt && diff %t/plain.txt %t/o2.txt
// RUN: %commcc -w -O3 -fPIC -ffunction-sections %s -lm -o %t/o3
// RUN: %mpirun -n 2 %t/o3 | sort > %t/o3.txt && diff %t/plain.txt %t/o3.txt
// RUN: %commcc -w -O0 -fcomm-mode=extended %s -lm -o %t/o0
// RUN: %mpirun -n 2 %t/o0 | sort > %t/o0.txt && diff %t/plain.txt %t/o0.txt
// RUN: %commcc -w -Os -fsanitize=undefined %s -lm -o %t/os
// RUN: %mpirun -n 2 %t/os | sort > %t/os.txt && diff %t/plain.txt %t/os.txt
//
// One warning, with the reason.
// WARN: odd.c: warning: Comm leaves 'with_setjmp' and 2 more as they are: it calls setjmp
// WARN-NOT: warning:

#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <complex.h>
static _Thread_local int tls = 3;
int counter __attribute__((weak)) = 5;
typedef float v4 __attribute__((vector_size(16)));
struct big { double x[9]; char c; };
struct pair { double a; long b; };
static int real_f(int x) { return x + 1; }
int aliased(int) __attribute__((weak, alias("impl_f")));
int impl_f(int x) { return x * 2; }
static int (*resolve(void))(int) { return real_f; }
int indirect(int) __attribute__((ifunc("resolve")));
static jmp_buf jb;
static int rank;
__attribute__((noinline)) static void jumper(int x) { if (x > 100) longjmp(jb, 1); }
__attribute__((noinline)) int with_setjmp(void) { volatile int r = 0; if (!setjmp(jb)) { r = 1; MPI_Barrier(MPI_COMM_WORLD); jumper(r); } return r; }
__attribute__((noinline)) int with_asm(int x) { int y; __asm__ volatile("leal 1(%1), %0" : "=r"(y) : "r"(x) : "cc"); MPI_Barrier(MPI_COMM_WORLD); return y; }
__attribute__((noinline)) int with_goto(int x) { static void *l[] = {&&a, &&b}; MPI_Barrier(MPI_COMM_WORLD); goto *l[x & 1]; a: return 1; b: return 2; }
__attribute__((noinline)) int with_asm_goto(int x) { MPI_Barrier(MPI_COMM_WORLD); __asm__ goto("testl %0, %0; jz %l1" :: "r"(x) : "cc" : zero); return 1; zero: return 0; }
__attribute__((noinline)) long double with_ld(long double x) { long double y = x * 3.0L; MPI_Allreduce(MPI_IN_PLACE, &y, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD); return y / 7.0L; }
__attribute__((noinline)) v4 with_vec(v4 a) { v4 b = a * a; MPI_Allreduce(MPI_IN_PLACE, &b, 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); return b; }
__attribute__((noinline)) int with_va(int n, ...) { va_list ap; va_start(ap, n); int s = 0; for (int i = 0; i < n; i++) s += va_arg(ap, int); va_end(ap); MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); return s; }
__attribute__((noinline)) struct big with_big(struct big b) { MPI_Allreduce(MPI_IN_PLACE, b.x, 9, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); b.c++; return b; }
__attribute__((noinline)) struct pair with_pair(struct pair b) { MPI_Allreduce(MPI_IN_PLACE, &b.a, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); b.b++; return b; }
__attribute__((noinline)) double _Complex with_complex(double _Complex z) { MPI_Allreduce(MPI_IN_PLACE, &z, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); return z * z; }
__attribute__((noinline)) int with_switch(unsigned x) { MPI_Barrier(MPI_COMM_WORLD); switch (x) { case 1: return 7; case 2: return 9; case 4: MPI_Barrier(MPI_COMM_WORLD); return 12; case 1000000: return 3; default: return 0; } }
__attribute__((noinline)) int with_vla(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i * rank; MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD); int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
__attribute__((noinline)) int with_tls(void) { tls += rank; MPI_Allreduce(MPI_IN_PLACE, &tls, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); return tls; }
static int (*fp)(void *, int, MPI_Datatype, int, MPI_Comm) = MPI_Bcast;
__attribute__((noinline)) int with_fp(int x) { fp(&x, 1, MPI_INT, 0, MPI_COMM_WORLD); MPI_Barrier(MPI_COMM_WORLD); return x; }
__attribute__((noinline)) double with_loop(int n) { double *a = malloc(n * 8), s = 0;
#pragma clang loop vectorize_width(4) unroll_count(2)
  for (int i = 0; i < n; i++) a[i] = i * 0.5 + rank; MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#pragma clang loop vectorize(disable)
  for (int i = 0; i < n; i++) s += a[i]; free(a); return s; }
__attribute__((noinline)) int with_atomic(int *p) { __atomic_fetch_add(p, 2, __ATOMIC_SEQ_CST); MPI_Barrier(MPI_COMM_WORLD); int e = 7; __atomic_compare_exchange_n(p, &e, 9, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED); return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
__attribute__((noinline)) int bits(unsigned x) { MPI_Barrier(MPI_COMM_WORLD); return __builtin_popcount(x) + __builtin_ctz(x | 1) + (int)__builtin_bswap32(x) % 7 + __builtin_expect(x > 3, 1); }
__attribute__((noinline)) __int128 wide(__int128 x) { MPI_Barrier(MPI_COMM_WORLD); return x * 3 + 1; }
__attribute__((noinline)) _Float16 half(_Float16 x) { MPI_Barrier(MPI_COMM_WORLD); return x * 2; }
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("%d setjmp %d asm %d goto %d ag %d ld %Lg\n", rank, with_setjmp(), with_asm(rank), with_goto(rank), with_asm_goto(rank), with_ld(rank + 1.5L));
  v4 v = with_vec((v4){1, 2, rank, 4}); printf("%d vec %g %g va %d\n", rank, v[2], v[3], with_va(3, 1, 2, rank));
  struct big b = {{1, 2, 3}, 'a'}; b = with_big(b); struct pair p = with_pair((struct pair){rank, 3}); double _Complex z = with_complex(1 + 2 * I);
  printf("%d big %g %c pair %g %ld cplx %g %g sw %d %d\n", rank, b.x[2], b.c, p.a, p.b, creal(z), cimag(z), with_switch(4), with_switch(1000000));
  int at = 5; printf("%d vla %d tls %d fp %d loop %g atomic %d bits %d wide %d half %g alias %d ifunc %d\n", rank, with_vla(10), with_tls(), with_fp(rank), with_loop(33), with_atomic(&at), bits(77), (int)wide(3), (double)half(1.5), aliased(4), indirect(4) + counter);
  MPI_Finalize(); return 0; }
