// RUN: comm-opt %s --comm-outline-bounds=least-operations=3 | FileCheck %s
// RUN: comm-opt %s --comm-outline-bounds=least-operations=3 | comm-opt --verify-diagnostics -o /dev/null
// RUN: comm-opt %s --comm-outline-bounds | FileCheck %s --check-prefix=SMALL

// What a block computes becomes a function: values from outside are its arguments, and values that are used outside its
// results. Others of the same name stay (@main.comm.bounds is taken).

llvm.func @comm.ask_layouts_apart(!llvm.ptr, !llvm.ptr, i64) -> i32
llvm.func @main.comm.bounds()

// CHECK-LABEL: llvm.func @main(
// SMALL-LABEL: llvm.func @main(
// SMALL: llvm.br ^[[AFTER:.*]](%{{.*}}, %{{.*}} : i64, i64){{$}}
// SMALL-NOT: llvm.func internal
llvm.func @main(%n: i64, %m: i64, %type: !llvm.ptr, %asked: i1) -> i64 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  llvm.cond_br %asked, ^bounds, ^after(%zero, %zero : i64, i64)
// CHECK:      %[[ALL:.*]] = llvm.call @main.comm.bounds.1(%{{.*}}, %{{.*}}, %{{.*}}) : (i64, i64, !llvm.ptr) -> !llvm.struct<(i64)>
// CHECK-NEXT: %[[HIGH:.*]] = llvm.extractvalue %[[ALL]][0]
// CHECK-NEXT: llvm.br ^[[AFTER:.*]](%{{.*}}, %[[HIGH]] : i64, i64){{$}}
^bounds:
  %sum = llvm.add %n, %m : i64
  %apart = llvm.call @comm.ask_layouts_apart(%type, %type, %sum) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  %wide = llvm.zext %apart : i32 to i64
  %high = llvm.mul %wide, %sum : i64
  llvm.br ^after(%zero, %high : i64, i64) {comm.bounds}
^after(%low: i64, %end: i64):
  %length = llvm.sub %end, %low : i64
  llvm.return %length : i64
}

// CHECK-LABEL: llvm.func internal @main.comm.bounds.1(
// CHECK-SAME:    attributes {dso_local, no_inline, no_unwind, optimize_none}
// CHECK:         llvm.call @comm.ask_layouts_apart
// CHECK:         llvm.insertvalue
// CHECK:         llvm.return

// A block that stores is not outlined.
// CHECK-LABEL: llvm.func @stores(
// CHECK:         llvm.store
// CHECK-NOT:     comm.bounds
llvm.func @stores(%n: i64, %to: !llvm.ptr) -> i64 {
  llvm.br ^bounds
^bounds:
  %a = llvm.add %n, %n : i64
  %b = llvm.mul %a, %n : i64
  llvm.store %b, %to : i64, !llvm.ptr
  llvm.br ^after(%b : i64) {comm.bounds}
^after(%end: i64):
  llvm.return %end : i64
}
