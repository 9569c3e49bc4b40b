// RUN: comm-opt %s -graph-choose-direction --remarks-filter='graph-choose-direction' --remark-format=emitRemark \
// RUN:   --remark-policy=all 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=TELLS < %t.remarks
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4})" | FileCheck %s --check-prefix=PULLS
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 direction=false})" | FileCheck %s --check-prefix=PUSHES

// The search for levels may look from the other side; the loop over them stays as it is.
// CHECK: graph.levels %{{.*}} from %{{.*}} {graph.pulls}
// TELLS: [Passed] graph-choose-direction {{.*}}the search for levels pushes from few vertices; if many were found, the others pull from them

// PULLS: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// PULLS: call @comm_graph_run_levels(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[ONE]],
// PUSHES: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// PUSHES: call @comm_graph_run_levels(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[ZERO]],

func.func @search(%g: !graph.graph, %root: !graph.vertex, %seen: !graph.property<vertex, i1>) {
  %true = arith.constant true
  %l = graph.levels %g from %root
  graph.forall levels(%l) do (%v) {
    graph.store %true, %seen[%v] : <vertex, i1>
  }
  return
}
