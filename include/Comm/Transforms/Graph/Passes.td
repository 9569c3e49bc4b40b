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

def GraphReorderNeighborhoods : Pass<"graph-reorder-neighborhoods", "::mlir::ModuleOp"> {
  let summary = "Take edges from the loop over neighbors that has them";
  let description = [{
    A search for the edge from a vertex to its neighbor, in a loop over the vertex' out-neighbors, becomes the edge that
    the loop gives (StarDist, section IV and figure 4).

    ```mlir
    graph.forall out_neighbors(%g, %v) do (%neighbor, %edge) {
      %e = graph.find_edge %g, %v, %neighbor   // is %edge
    }
    ```
  }];
  let statistics = [Statistic<"numSearches", "num-searches", "Number of searches replaced">];
}

def GraphTrackFrontiers : Pass<"graph-track-frontiers", "::mlir::ModuleOp"> {
  let summary = "Let filters visit what is true, and not ask everyone";
  let description = [{
    A property of truth values that a loop over all vertices is filtered by, and what is copied to it, get the attribute
    `graph.tracked`: the lowering then keeps a list of the vertices that are true, as long as it is short. Parameters of
    the function have no list.

    ```mlir
    %active = graph.property %g {graph.tracked} : <vertex, i1>
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
    }
    ```
  }];
  let statistics = [Statistic<"numTracked", "num-tracked", "Number of properties that have a list">];
}

#endif // COMM_TRANSFORMS_GRAPH_PASSES_TD
