; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The variables that become private to ranks, their layout, and the code to access them.
;
; RUN: opt -load-pass-plugin=%plugin -passes='comm-privatize-globals,verify' -S %s -o %t.ll 2>%t.log
; RUN: FileCheck --input-file=%t.ll %s
; RUN: FileCheck --check-prefix=LOG --input-file=%t.log %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

$inline = comdat any

; CHECK: @data = dso_local global i32 5, section "comm_rank_data"
@data = dso_local global i32 5
; CHECK: @zero = internal global [1000 x i32] zeroinitializer, align 16 [[ZERO:#[0-9]+]]
@zero = internal global [1000 x i32] zeroinitializer, align 16
; CHECK: @common = weak global i32 0, align 4 [[ZERO]]
@common = common global i32 0, align 4
; A definition in several files stays one of a COMDAT, and the entry of its table with it.
; CHECK: @inline = linkonce_odr global ptr @data, section "comm_rank_data", comdat
@inline = linkonce_odr global ptr @data, comdat
; Read-only: shared.
; CHECK: @constant = constant i32 4
; CHECK-NOT: comm_rank
@constant = constant i32 4
@string = private unnamed_addr constant [3 x i8] c"ab\00"
; CHECK: @strings = constant
@strings = constant [1 x ptr] [ptr @string]
; CHECK: @_ZTV4Base = constant
@_ZTVN10__cxxabiv117__class_type_infoE = external global [0 x ptr]
@_ZTI4Base = constant { ptr, ptr } { ptr getelementptr (i8, ptr @_ZTVN10__cxxabiv117__class_type_infoE, i64 16), ptr null }
@_ZTV4Base = constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @_ZTI4Base, ptr @use_data] }
; Constants that hold addresses of the above, and so on along the chain.
; CHECK: @chain1 = internal global { i32, ptr } { i32 1, ptr getelementptr (i8, ptr @zero, i64 8) }, section "comm_rank_data"
@chain1 = internal constant { i32, ptr } { i32 1, ptr getelementptr (i8, ptr @zero, i64 8) }
; CHECK: @chain2 = dso_local global [2 x ptr] [ptr null, ptr @chain1], section "comm_rank_data"
@chain2 = dso_local constant [2 x ptr] [ptr null, ptr @chain1]
; CHECK: @difference = constant i64
@difference = constant i64 sub (i64 ptrtoint (ptr @chain1 to i64), i64 ptrtoint (ptr @chain1 to i64))
; CHECK: @maybe = dso_local global ptr @elsewhere, section "comm_rank_data"
@maybe = dso_local global ptr @elsewhere
@elsewhere = external global i32
; thread_local: private to each rank.
; CHECK: @tls = dso_local global i32 3, section "comm_rank_data"
@tls = dso_local thread_local global i32 3
; CHECK: @tls_elsewhere = external global i32
@tls_elsewhere = external thread_local global i32
; CHECK: @_ZSt11__once_call = external thread_local global ptr
@_ZSt11__once_call = external thread_local global ptr
; The program looks for such variables in their section.
; CHECK: @linker_set = internal global i32 1, section "set"
@linker_set = internal global i32 1, section "set"
; CHECK: @set_entry = internal constant ptr @data, section "set2"
@set_entry = internal constant ptr @data, section "set2"
@llvm.used = appending global [2 x ptr] [ptr @linker_set, ptr @set_entry], section "llvm.metadata"
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 200, ptr @construct, ptr null }, { i32, ptr, ptr } { i32 65535, ptr @construct_inline, ptr @inline }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @destroy, ptr null }]

; CHECK-NOT: @llvm.global_ctors
; In whose place the linker may take another definition: a fixup concerns the file's own.
; CHECK-DAG: @comm.own.inline = private alias ptr, ptr @inline
; CHECK-DAG: private global { ptr } { ptr @comm.own.inline }, section "comm_rank_fixups", comdat($inline), align 8
; CHECK-DAG: private global { ptr } { ptr getelementptr (i8, ptr @chain1, i64 8) }, section "comm_rank_fixups", align 8
; CHECK-DAG: private global { ptr } { ptr getelementptr (i8, ptr @comm.own.chain2, i64 8) }, section "comm_rank_fixups", align 8
; CHECK-DAG: private global { ptr, ptr } { ptr @comm.own.maybe, ptr @elsewhere }, section "comm_rank_optional_fixups", align 8
; CHECK-DAG: private global { ptr, i32 } { ptr @construct, i32 200 }, section "comm_rank_constructors", align 8
; CHECK-DAG: private global { ptr, i32 } { ptr @construct_inline, i32 65535 }, section "comm_rank_constructors", comdat($inline), align 8
; CHECK-DAG: private global { ptr, i32 } { ptr @comm.register, i32 99 }, section "comm_rank_constructors", align 8
; CHECK-DAG: @[[BUILT:.*]] = private constant i32 trunc (i64 sub (i64 ptrtoint (ptr @comm_ranks_linked_image to i64), i64 ptrtoint (ptr @[[BUILT]] to i64)) to i32), section ".comm_ranks.built"
; CHECK-DAG: @comm_ranks_linked_image = external hidden global i8
; CHECK-DAG: @comm_ranks_displacement = external thread_local(initialexec) global i64

; Variables that another file or library may define: the runtime knows whether they are private.
; CHECK-DAG: @comm.mask.elsewhere = linkonce hidden global { ptr, i64, ptr } { ptr @elsewhere, i64 0, ptr null }, section "comm_rank_foreign", comdat, align 8
; CHECK-DAG: @comm.mask.inline = linkonce hidden global { ptr, i64, ptr } { ptr @inline, i64 0, ptr null }, section "comm_rank_foreign", comdat, align 8
; A thread_local one has to be.
; CHECK-DAG: @[[NAME:comm.text.*]] = private constant [14 x i8] c"tls_elsewhere\00"
; CHECK-DAG: @comm.mask.tls_elsewhere = linkonce hidden global { ptr, i64, ptr } { ptr @tls_elsewhere, i64 0, ptr @[[NAME]] }, section "comm_rank_foreign"
; CHECK-NOT: @comm.mask.data
; CHECK-NOT: @comm.mask.hidden_data
@hidden_data = hidden global i32 5
@replaceable = global i32 6
@difficult = global i64 add (i64 ptrtoint (ptr @data to i64), i64 ptrtoint (ptr @data to i64))
@aligned = global i32 0, align 8192
@other_name = dso_local alias i32, ptr @data

; LOG-DAG: warning: <unknown>:0:0: ranks may not have their own 'linker_set': it is in section 'set'
; LOG-DAG: warning: <unknown>:0:0: ranks may not have their own 'set_entry': it is in section 'set2', so it points to what no rank uses: initialize it at run time
; LOG-DAG: warning: <unknown>:0:0: ranks may not have their own 'difficult': its initial value computes with the address of another variable
; LOG-DAG: warning: <unknown>:0:0: ranks may not have their own 'aligned': its alignment is more than that of a page
; LOG-DAG: warning: <unknown>:0:0: assembly uses 'data' by its address, where no rank has its copy: pass it as a memory or register operand

; CHECK-LABEL: define i32 @use_data(
; CHECK-NEXT: %[[T:.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr @comm_ranks_displacement)
; CHECK-NEXT: %[[D:.*]] = load i64, ptr %[[T]], align 8, !invariant.load
; CHECK-NEXT: %[[A:.*]] = getelementptr i8, ptr @data, i64 %[[D]]
; CHECK-NEXT: load i32, ptr %[[A]]
define i32 @use_data() {
  %v = load i32, ptr @data
  ret i32 %v
}

; CHECK-LABEL: define i32 @use_elsewhere(
; CHECK: %[[D:.*]] = load i64, {{.*}} !invariant.load
; CHECK: %[[M:.*]] = load i64, ptr getelementptr inbounds (i8, ptr @comm.mask.elsewhere, i64 8), align 8, !invariant.load
; CHECK: %[[S:.*]] = and i64 %[[D]], %[[M]]
; CHECK: %[[A:.*]] = getelementptr i8, ptr @elsewhere, i64 %[[S]]
; CHECK: load i32, ptr %[[A]]
define i32 @use_elsewhere() {
  %v = load i32, ptr @elsewhere
  ret i32 %v
}

; One of several equal definitions, and one in a library that another library may replace.
; CHECK-LABEL: define ptr @use_inline(
; CHECK: load i64, ptr getelementptr inbounds (i8, ptr @comm.mask.inline, i64 8)
; CHECK: %[[A:.*]] = getelementptr i8, ptr @inline, i64 %
; CHECK: load ptr, ptr %[[A]]
define ptr @use_inline() {
  %v = load ptr, ptr @inline
  ret ptr %v
}
; CHECK-LABEL: define i32 @use_replaceable(
; CHECK: load i64, ptr getelementptr inbounds (i8, ptr @comm.mask.replaceable, i64 8)
define i32 @use_replaceable() {
  %v = load i32, ptr @replaceable
  ret i32 %v
}
; CHECK-LABEL: define i32 @use_hidden(
; CHECK-NOT: comm.mask
; CHECK: ret i32
define i32 @use_hidden() {
  %v = load i32, ptr @hidden_data
  ret i32 %v
}

; Before the loop, and not before the branch.
; CHECK-LABEL: define void @loop(
; CHECK-NEXT: br i1
; CHECK: enter:
; CHECK-NEXT: threadlocal.address
; CHECK-NEXT: !invariant.load
; CHECK-NEXT: %[[A:.*]] = getelementptr i8, ptr @zero
; CHECK-NEXT: br label %body
; CHECK: body:
; CHECK-NEXT: phi
; CHECK-NEXT: getelementptr i32, ptr %[[A]], i64 %i
define void @loop(i1 %any, i64 %n) {
  br i1 %any, label %enter, label %exit
enter:
  br label %body
body:
  %i = phi i64 [ 0, %enter ], [ %next, %body ]
  %p = getelementptr i32, ptr @zero, i64 %i
  store i32 1, ptr %p
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %body, label %exit
exit:
  ret void
}

; Constant expressions, phis, thread_local, an alias, code that is never reached.
; CHECK-LABEL: define ptr @operands(
; CHECK: phi ptr [ %{{.*}}, %entry ], [ %{{.*}}, %other ]
; CHECK-NOT: store {{.*}}, ptr @tls,
; CHECK: ret ptr
define ptr @operands(i1 %c) {
entry:
  br i1 %c, label %join, label %other
other:
  %t = call ptr @llvm.threadlocal.address.p0(ptr @tls)
  store ptr getelementptr (i8, ptr @zero, i64 12), ptr %t
  store [2 x ptr] [ptr @data, ptr @constant], ptr @other_name
  br label %join
join:
  %p = phi ptr [ @data, %entry ], [ getelementptr (i8, ptr @zero, i64 4), %other ]
  ret ptr %p
never:
  store i32 0, ptr @data
  br label %never
}

; CHECK-LABEL: define ptr @use_tls_elsewhere(
; CHECK-NOT: threadlocal.address.p0(ptr @tls_elsewhere
; CHECK: %[[M:.*]] = and i64 %
; CHECK-NEXT: %[[A:.*]] = getelementptr i8, ptr @tls_elsewhere, i64 %[[M]]
; CHECK-NEXT: ret ptr %[[A]]
define ptr @use_tls_elsewhere() {
  %t = call ptr @llvm.threadlocal.address.p0(ptr @tls_elsewhere)
  ret ptr %t
}

; CHECK-LABEL: define void @assembly(
; CHECK: call void asm "", "i"(ptr @data)
; CHECK: call void asm "", "r"(ptr %
define void @assembly() {
  call void asm "", "i"(ptr @data)
  call void asm "", "r"(ptr @data)
  ret void
}

; CHECK-LABEL: define void @construct(
; CHECK: call i32 @comm_ranks_cxa_atexit(
; CHECK: call void @comm_ranks_exit(
define void @construct() {
  %r = call i32 @__cxa_atexit(ptr @destroy, ptr null, ptr @__dso_handle)
  call void @exit(i32 1)
  unreachable
}
@__dso_handle = external hidden global i8
declare i32 @__cxa_atexit(ptr, ptr, ptr)
declare void @exit(i32)
declare ptr @llvm.threadlocal.address.p0(ptr)
define internal void @construct_inline() {
  ret void
}
define internal void @destroy() {
  ret void
}

; CHECK-LABEL: define internal void @comm.register(
; CHECK: call i32 @comm_ranks_atexit(ptr @destroy)

; CHECK: attributes [[ZERO]] = { "bss-section"="comm_rank_zero" "data-section"="comm_rank_data" }
