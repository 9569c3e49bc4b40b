// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bad values are errors that list the valid ones; unsupported requests are reported once and have no effect.
//
// RUN: not %clang -O2 -fpass-plugin=%plugin -mllvm -comm-mode=fast -c %s -o %t.o 2>&1 | FileCheck --check-prefix=MODE %s
// RUN: not env COMM_MODE=fast %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ENV %s
// RUN: not env COMM_ABI=lam %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ABI %s
// RUN: not env COMM_REPORT=maybe %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck --check-prefix=FLAG %s
//
// MODE: error: comm: invalid value 'fast' for -mllvm -comm-mode; valid values are off, basic and extended
// ENV: error: comm: invalid value 'fast' for environment variable COMM_MODE; valid values are off, basic and extended
// ABI: error: comm: invalid value 'lam' for environment variable COMM_ABI; valid values are auto, mpi-abi, mpich, {{.*}}
// FLAG: error: comm: invalid value 'maybe' for environment variable COMM_REPORT; valid values are 0 and 1
//
// Thin link-time optimization: left alone, with a warning that -Werror does not turn into an error.
// RUN: %clang -O2 -flto=thin -Werror -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck --check-prefix=LTO %s
// LTO: options.c: warning: Comm leaves this file as it is: with -flto=thin no linker shows the plugin the program: use -flto (full) [-Rcomm]
//
// Without optimization nothing moves unless requested. Collectives are still nonblocking if those of other files are,
// unless all ranks call each at the same place.
// RUN: %clang -O0 -S -emit-llvm %s -o %t.plain.ll
// RUN: env COMM_UNIFORM_COLLECTIVES=1 %clang -O0 -fpass-plugin=%plugin -S -emit-llvm %s -o %t.o0.ll
// RUN: diff %t.plain.ll %t.o0.ll
// RUN: %clang -O0 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck --check-prefix=COLLECTIVE %s
// COLLECTIVE: module asm "comm.call_MPI_Bcast:"
// COLLECTIVE: call i32 @comm.call_MPI_Bcast(
//
// The runtime code is assembly, and LLVM IR if the linker's plugin looks at it, for other code models or syntaxes of
// assembly, and where the processor checks where branches end.
// RUN: %clang -O0 -flto -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck --check-prefix=IR %s
// RUN: %clang -O0 -mcmodel=large -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck --check-prefix=IR %s
// RUN: %clang -O0 -masm=intel -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck --check-prefix=IR %s
// RUN: %clang -O0 -fcf-protection -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck --check-prefix=IR %s
// IR-NOT: module asm
// IR: call i32 @comm.call_MPI_Bcast(
// IR: define linkonce_odr hidden i32 @comm.call_MPI_Bcast(
// IR: call i32 @comm_overlap.comm_is_nonblocking(
// IR-DAG: call i32 @MPI_Bcast(
// IR-DAG: call i32 @MPI_Ibcast(
// IR-DAG: call i32 @MPI_Wait(
//
// Other targets: left alone.
// RUN: %clang -O2 -m32 -fpass-plugin=%plugin -S -emit-llvm %s -o - 2>&1 | FileCheck --check-prefix=TARGET %s
// RUN: %clang -O2 --target=aarch64-linux-gnu -fpass-plugin=%plugin -S -emit-llvm %s -o - 2>&1 \
// RUN:   | FileCheck --check-prefix=TARGET %s
// TARGET: options.c: warning: Comm leaves this file as it is: its target is {{.*}}linux-gnu, for which Comm has no runtime code [-Rcomm]
// TARGET-NOT: comm.call
//
// A function that returns twice is left alone, and the file compiles.
// RUN: %clang -O2 -DSETJMP -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck --check-prefix=SETJMP %s
// SETJMP: options.c: warning: Comm leaves this file as it is: in 'f', it calls setjmp or another function that returns twice [-Rcomm]

#ifdef SETJMP
#include <setjmp.h>

jmp_buf place;
#endif

// Enough of an mpi.h to be called; no implementation is needed here.
int MPI_Bcast(void *, int, void *, int, void *);

int f(int *x) {
#ifdef SETJMP
  if (setjmp(place))
    return 1;
#endif
  return MPI_Bcast(x, 1, 0, 0, 0);
}
