//===- Passes.td - Passes over the graph dialect -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_GRAPH_PASSES_TD
#define COMM_TRANSFORMS_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphCheckRaces : Pass<"graph-check-races", "::mlir::ModuleOp"> {
  let summary = "Refuse foralls whose iterations disturb each other";
  let description = [{
    It is an error if an iteration of a `graph.forall` reads or writes what another one may write, or reads what another
    one adds to: the outcome would depend on who comes first. The error has both places. These are no races: reductions
    of one kind; a read of what is reduced by `min`, `max`, `and` or `or`; writes of one constant; and what belongs to the
    iteration's own vertex, edge or variables.

    With `serialize`, such a loop becomes `ordered`, with a warning: its iterations run one after another.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      %n = graph.load %mark[%w] : !graph.property<vertex, i1>
      graph.store %true, %mark[%v] : !graph.property<vertex, i1>   // error: another iteration's %v may be %w
    }
    ```
  }];
  let options = [
    Option<"serialize", "serialize", "bool", /*default=*/"false", "let the iterations of such loops run in order">,
  ];
  let statistics = [Statistic<"numRaces", "num-races", "Number of loops with races">];
}

def GraphSelectFunction : Pass<"graph-select-function", "::mlir::ModuleOp"> {
  let summary = "Choose the function that is the program";
  let description = [{
    All other functions become private, so that `inline` and `symbol-dce` leave one. Without a name it is the one that
    no other function calls; it is an error if there are none or several of them.

    ```mlir
    func.func private @helper(%v: !graph.vertex)   // was public
    func.func @main(%g: !graph.graph)              // calls @helper
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"\"", "The function's name">,
  ];
}

#endif // COMM_TRANSFORMS_GRAPH_PASSES_TD
