// Inputs that are not graphs for a number of processes, or that cannot run.
// RUN: comm-opt -comm-cdag-to-sst=ranks=2 --split-input-file -verify-diagnostics %s
// RUN: not comm-opt -comm-cdag-to-sst %s 2>&1 | FileCheck %s --check-prefix=RANKS
// RUN: not comm-opt -comm-cdag-to-sst=ranks=5000 %s 2>&1 | FileCheck %s --check-prefix=RANKS
// RUN: not comm-opt "-comm-cdag-to-sst=ranks=2 abi=lam" %s 2>&1 | FileCheck %s --check-prefix=ABI
// RANKS: error: comm-cdag-to-sst needs the number of processes: ranks=1 to ranks=4096, not
// ABI: error: {{.*}}lam

func.func @unknown_peer(%m: memref<4xf32>, %c: !comm.comm, %peer: i32, %tag: i32) {
  comm.cdag comm(%c) implied {
    // expected-error @+1 {{has a dest that is not known at compile time for a number of processes}}
    %s = comm.send async buf(%m : memref<4xf32>) dest(%peer) tag(%tag) comm(%c) -> request
    comm.yield
  }
  return
}

// -----

func.func @unmatched(%m: memref<4xf32>, %c: !comm.comm) {
  %zero = arith.constant 0 : i32
  // expected-error-re @+1 {{for 2 processes: {{.*}}process}}
  comm.cdag comm(%c) implied {
    %s = comm.send async buf(%m : memref<4xf32>) dest(%zero) tag(%zero) comm(%c) -> request
    comm.yield
  }
  return
}

// -----

func.func @truncated(%m: memref<4xf32>, %n: memref<2xf32>, %c: !comm.comm) {
  %rank = comm.comm_rank comm(%c) -> rank
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %other = arith.subi %one, %rank : i32
  // expected-error-re @+1 {{for 2 processes: {{.*}}16}}
  comm.cdag comm(%c) implied {
    %s = comm.send async buf(%m : memref<4xf32>) dest(%other) tag(%zero) comm(%c) -> request
    %r = comm.recv async buf(%n : memref<2xf32>) source(%other) tag(%zero) comm(%c) -> request
    comm.yield
  }
  return
}

// -----

// Both receive before they send.
func.func @deadlock(%m: memref<4xf32>, %n: memref<4xf32>, %c: !comm.comm) {
  %rank = comm.comm_rank comm(%c) -> rank
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %other = arith.subi %one, %rank : i32
  // expected-error-re @+1 {{for 2 processes: {{.*}}}}
  comm.cdag comm(%c) {
    %r = comm.recv async buf(%n : memref<4xf32>) source(%other) tag(%zero) comm(%c) -> request
    %s = comm.send async buf(%m : memref<4xf32>) dest(%other) tag(%zero) comm(%c) -> request
    comm.after %s on(%r)
    comm.yield
  }
  return
}

// -----

func.func @race(%m: memref<4xf32>, %n: memref<4xf32>, %c: !comm.comm) {
  %rank = comm.comm_rank comm(%c) -> rank
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %other = arith.subi %one, %rank : i32
  // expected-error-re @+1 {{for 2 processes: {{.*}}}}
  comm.cdag comm(%c) {
    %r = comm.recv async buf(%m : memref<4xf32>) source(%other) tag(%zero) comm(%c) -> request
    %s = comm.send async buf(%m : memref<4xf32>) dest(%other) tag(%zero) comm(%c) -> request
    comm.yield
  }
  return
}

// -----

func.func @endless(%c: !comm.comm) {
  // expected-error @+1 {{goes on for more than}}
  comm.cdag comm(%c) implied {
    %true = arith.constant true
    cf.br ^loop
  ^loop:
    cf.cond_br %true, ^loop, ^end
  ^end:
    comm.yield
  }
  return
}

// -----

func.func @loop_op(%m: memref<4xf32>, %c: !comm.comm, %a: index) {
  comm.cdag comm(%c) implied {
    // expected-error @+1 {{has regions, which are not evaluated: convert them to branches first (-convert-scf-to-cf)}}
    scf.for %i = %a to %a step %a {
    }
    comm.yield
  }
  return
}

// -----

func.func @results(%c: !comm.comm, %n: i32) -> i32 {
  // expected-error @+1 {{has results, which the single-transfer form does not compute}}
  %x = comm.cdag comm(%c) implied -> i32 {
    comm.yield %n : i32
  }
  return %x : i32
}

// -----

func.func @twice(%c: !comm.comm, %p: !llvm.ptr) {
  comm.cdag comm(%c) {
    // expected-error @+1 {{is in single-transfer form already}}
    comm.transfer from(%p : !llvm.ptr) rank 0 offset 0 to(%p : !llvm.ptr) rank 1 offset 0 bytes 8
    comm.yield
  }
  return
}

// -----

func.func @window(%w: !comm.win, %n: i32) {
  // expected-error @+1 {{is for a window: the bytes that its gets and puts access are only known at run time}}
  comm.cdag win(%w) fences(%n, %n) implied {
    comm.yield
  }
  return
}

// -----

func.func @negative_tag(%m: memref<4xf32>, %c: !comm.comm) {
  %zero = arith.constant 0 : i32
  %tag = arith.constant -7 : i32
  comm.cdag comm(%c) {
    // expected-error @+1 {{in process 0 of 2: }}
    %s = comm.send async buf(%m : memref<4xf32>) dest(%zero) tag(%tag) comm(%c) -> request
    comm.yield
  }
  return
}
