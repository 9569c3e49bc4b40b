// clang unrolls the loop that starts six receives. The user sees one line, so one remark says what happens to them.
// RUN: %commcc -O2 -gline-tables-only -Rpass=comm-insert-progress -c %comm_src_root/benchmarks/halo/faces.c -o %t.o \
// RUN:   2>&1 | grep remark: | sort > %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: sort -u %t.remarks | cmp - %t.remarks
// CHECK: MPI_Irecv at faces.c:{{[0-9]+}} progresses in the loop at faces.c:{{[0-9]+}}
