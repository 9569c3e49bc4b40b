// The runtime code in a file is assembly. It shares symbols and the state of the assembler with the file's own code and
// assembly, and with those of files that are linked before they are compiled.
//
// References to handles stay strong, which a static library needs.
// RUN: %commcc -O2 -c %s -o %t.o && nm -u %t.o | FileCheck %s --check-prefix=STRONG
// STRONG-DAG: U OMPI_C_MPI_COMM_NULL_COPY_FN
// STRONG-DAG: U ompi_mpi_op_sum
//
// The file's own assembly is in its own section and syntax, in one file and in one that is linked from several.
// RUN: %commcc -O2 -DFIRST %s -c -emit-llvm -o %t.first.bc && %commcc -O2 -DSECOND %s -c -emit-llvm -o %t.second.bc
// RUN: %commcc -O2 %s -c -emit-llvm -o %t.bc && llvm-link %t.bc %t.first.bc %t.second.bc -o %t.all.bc
// RUN: %mpicc -O2 %t.all.bc -o %t && %mpirun -n 2 %t | FileCheck %s
// RUN: llvm-link %t.first.bc %t.bc %t.second.bc -o %t.all.bc
// RUN: %commcc -O2 %t.all.bc -o %t && %mpirun -n 2 %t | FileCheck %s
// RUN: %commcc -O2 -DFIRST %s -c -o %t.first.o && %commcc -O2 -DSECOND %s -c -o %t.second.o
// RUN: %commcc -O2 %t.o %t.first.o %t.second.o -o %t && %mpirun -n 2 %t | FileCheck %s
//
// Files in LLVM IR among others that lld optimizes at link time, whose definitions come first.
// RUN: %mpicc -O2 -flto -fuse-ld=lld %t.o %t.first.bc %t.second.bc -o %t && %mpirun -n 2 %t | FileCheck %s
//
// Compiled twice, with the code in LLVM IR before, and for both at once.
// RUN: %commcc -O2 -fcf-protection %s -c -emit-llvm -o %t.twice.bc && %commcc -O2 -c %t.twice.bc -o %t.twice.o
// RUN: %commcc -O2 %t.twice.o %t.first.o %t.second.o -o %t && %mpirun -n 2 %t | FileCheck %s
// RUN: %commcc -O2 -flto -ffat-lto-objects -c %s -o %t.fat.o
// RUN: %commcc -O2 %t.fat.o %t.first.o %t.second.o -o %t && %mpirun -n 2 %t | FileCheck %s
// CHECK: numbers 42 43, keyval 1, sum 3
//
// Names of the program that look like ours are the program's.
// RUN: %commcc -O2 -flto -fuse-ld=lld -DNAMES %s -o %t && %mpirun -n 2 %t | FileCheck %s --check-prefix=NAMES
// RUN: %commcc -O2 -DNAMES %s -o %t && %mpirun -n 2 %t | FileCheck %s --check-prefix=NAMES
// NAMES: 105 7 3
#include <mpi.h>
#include <stdio.h>

#if defined(FIRST)
__asm__(".globl first\n.type first,@function\nfirst: movl $42,%eax\nret\n.size first,.-first");
int first(void);
int of_first(int x) {
  MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return first() + x;
}
#elif defined(SECOND)
__asm__(".intel_syntax noprefix\n.globl second\nsecond: mov eax, 43\nret\n.section .rodata\n.byte 0");
int second(void);
int of_second(int x) {
  MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return second() + x;
}
#elif defined(NAMES)
int number = 4;
__attribute__((noinline)) int report(int x) { return number = x; }
__attribute__((noinline)) int comm_call_report(int x) { return 101 + number + 0 * report(x) - x + 1; }
__attribute__((noinline)) int comm_start_exchange(int x) { return x + 5; }
__attribute__((noinline)) int comm_ask_rank(int *counter) { return ++*counter; }

int main(void) {
  MPI_Init(NULL, NULL);
  int rank, root = 1, asked = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&root, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i)
    comm_ask_rank(&asked);
  if (rank == 0)
    printf("%d %d %d\n", comm_call_report(root), comm_start_exchange(2), asked);
  MPI_Finalize();
  return 0;
}
#else
int of_first(int), of_second(int);

int main(void) {
  MPI_Init(NULL, NULL);
  int rank, keyval, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int one = rank + 1, error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int numbers[] = {of_first(0), of_second(0)};
  if (rank == 0)
    printf("numbers %d %d, keyval %d, sum %d\n", numbers[0], numbers[1], error == MPI_SUCCESS, sum);
  MPI_Finalize();
  return 0;
}
#endif
