//===- Passes.td - Passes over the graph dialect -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_GRAPH_PASSES_TD
#define COMM_TRANSFORMS_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphCheckRaces : Pass<"graph-check-races"> {
  let summary = "Refuse foralls whose iterations disturb each other";
  let description = [{
    It is an error if an iteration of a `graph.forall` reads or writes what another one may write, or reads what another
    one adds to: the outcome would depend on who comes first. The error has both places. These are no races: reductions
    of one kind; a read of what is reduced by `min`, `max`, `and` or `or`, or, outside of levels, of what such a reduction
    sets with it; writes of one constant; and what belongs to the iteration's own vertex, edge or variables.

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

def GraphKeepCompanions : Pass<"graph-keep-companions"> {
  let summary = "Let loops read companions as they were before";
  let description = [{
    What a reduction sets together with its value (a companion) is read by iterations of the same `graph.forall` as it was
    at the beginning. Such reads are of a copy, which is made before the loop. Expects that `graph-check-races` has found no
    race.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall out_neighbors(%g) of %v do (%n, %e) {
        %far = graph.load %hops[%v] : <vertex, i32>          // of a copy of %hops
        graph.reduce min %d, %dist[%n] with (%hops = %far) : ...
      }
    }
    ```
  }];
  let statistics = [Statistic<"numKept", "num-kept", "Number of properties that are copied for a loop">];
}

def GraphSelectFunction : Pass<"graph-select-function", "::mlir::ModuleOp"> {
  let summary = "Choose the function that is the program";
  let description = [{
    All other functions become private, so that `inline` and `symbol-dce` leave it and those that call themselves, which
    are marked `no_inline`. Without a name it is the one that no other function calls; it is an error if there are none
    or several of them.

    ```mlir
    func.func private @helper(%v: !graph.vertex)   // was public
    func.func @main(%g: !graph.graph)              // calls @helper
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"\"", "The function's name">,
  ];
}

def GraphReorderNeighborhoods : Pass<"graph-reorder-neighborhoods"> {
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

def GraphTrackFrontiers : Pass<"graph-track-frontiers"> {
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

def GraphReadLocally : Pass<"graph-read-locally"> {
  let summary = "Read what a process has from its arrays";
  let description = [{
    Reads in loops whose iterations are shared among processes get the attribute `graph.local`: values of the iteration's
    own vertex and its edges are loaded from this process' arrays, and of any other vertex it is asked first whether this
    process has it. Reads without the attribute ask the runtime for each value, as a get does (StarDist, section IV).

    ```mlir
    graph.forall vertices(%g) do (%v) {
      %x = graph.load %dist[%v] {graph.local} : <vertex, i32>
    }
    ```
  }];
  let statistics = [Statistic<"numLocal", "num-local", "Number of reads">];
}

def GraphCopyBorders : Pass<"graph-copy-borders"> {
  let summary = "Read and update neighbors of other processes in copies";
  let description = [{
    Reads of neighbors (values, numbers of edges) get the attribute `graph.copied`: those of other processes have copies
    (ghosts), which are refreshed before the loop if they are out of date. Reductions of vertices get it, too: they
    combine into the copy, and what would not change that is not sent. Reads without it are fetched while the loop runs,
    and reductions without it are combined in a table.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %x = graph.load %dist[%n] {graph.copied} : <vertex, i32>
      }
    }
    ```
  }];
  let statistics = [Statistic<"numCopied", "num-copied", "Number of reads and reductions">];
}

def GraphSendChanges : Pass<"graph-send-changes"> {
  let summary = "Send of copied values those that changed";
  let description = [{
    Loops that read neighbors in copies get the attribute `graph.changes`: what is sent before the loop are the values
    that changed since they were sent last, with a bitset or places, whichever is less, unless most of them did. Without
    the attribute all values of the border are sent. Expects the marks of `graph-copy-borders`.
  }];
  let statistics = [Statistic<"numLoops", "num-loops", "Number of loops">];
}

def GraphCacheReads : Pass<"graph-cache-reads"> {
  let summary = "Ask for what other processes have once a loop";
  let description = [{
    Loops whose iterations are shared among processes get the attribute `graph.cached`: what one iteration has fetched is
    there for the others, until the loop ends, and edges of other processes' vertices until later loops. StarDist
    allows that where the loop does not update the property (definition 2). Here a loop that does reads what was there at
    its beginning, so that it is always allowed. Without the attribute each iteration fetches values for itself, and the
    next loop fetches edges again.
  }];
  let statistics = [Statistic<"numCached", "num-cached", "Number of loops">];
}

def GraphCombineUpdates : Pass<"graph-combine-updates"> {
  let summary = "Combine updates before they are sent";
  let description = [{
    Reductions and writes in loops whose iterations are shared among processes get the attribute `graph.combined`: those
    of one vertex or edge are combined here, and one record is sent for all of them. Without the attribute each is a
    record, which the owner combines. Floating-point sums are rounded in another order then.
  }];
  let statistics = [Statistic<"numCombined", "num-combined", "Number of updates">];
}

def GraphApplyLocally : Pass<"graph-apply-locally"> {
  let summary = "Let monotonic updates of own vertices happen at once";
  let description = [{
    Minima, maxima, `and` and `or` of vertices and edges get the attribute `graph.immediate`: if the process has the
    vertex, its value changes at once, and is not queued as what is sent is (StarDist, *short circuiting reduction*).
    Without the attribute they wait until the loop ends, unless the loop reads what they change. Fixed points run in any
    order (`graph-aggregate-pulses`) only with it, since a process goes on with what it has updated.
  }];
  let statistics = [Statistic<"numImmediate", "num-immediate", "Number of reductions">];
}

def GraphBalanceEdges : Pass<"graph-balance-edges"> {
  let summary = "Processes get as many edges";
  let description = [{
    The program gets the attribute `graph.balanced`: its graph is loaded in ranges of vertices that have the same number
    of vertices and edges. Without it ranges have the same number of vertices, however many edges those have.
  }];
}

def GraphAggregatePulses : Pass<"graph-aggregate-pulses"> {
  let summary = "Let processes go on by themselves in monotonic fixed points";
  let description = [{
    A fixed point in which vertices that changed tell their neighbors, and a minimum or maximum combines what they tell,
    ends with the same values in whichever order that happens (StarDist, Lemma 1). It gets the attribute
    `graph.aggregated`: each process then repeats what it can do by itself before it sends anything.

    Companions that differ, as the vertex before on a shortest path, are those of the round in which the value comes
    first. They are allowed where that round can be known: for minima of 32-bit sums.

    Expects that the reduction happens at once (`graph-apply-locally`), and that neighbors which it reads are copied
    (`graph-copy-borders`).

    ```mlir
    graph.fixed_point %done until none %active : !graph.property<vertex, i1> {
      graph.forall vertices(%g) where (%v) {
        %x = graph.load %active[%v] : <vertex, i1>
        graph.yield %x
      } do (%v) {
        graph.forall out_neighbors(%g, %v) do (%n, %e) {
          %d = graph.load %dist[%v] : <vertex, i32>
          %w = graph.load %weight[%e] : <edge, i32>
          %sum = graph.checked add %d, %w : i32
          graph.reduce min %dist[%n], %sum with(%next = %true : !graph.property<vertex, i1> = i1) {graph.immediate} : <vertex, i32>, i32
        }
      }
      graph.copy %next to %active : <vertex, i1>
      graph.fill %next, %false : <vertex, i1>
    } {graph.aggregated}
    ```
  }];
  let statistics = [Statistic<"numAggregated", "num-aggregated", "Number of fixed points">];
}

def GraphOrderByPriority : Pass<"graph-order-by-priority"> {
  let summary = "The best values come first";
  let description = [{
    In an aggregated fixed point that adds to a value on its way to a neighbor, vertices with the least values (the
    greatest ones, for a maximum) come first, in buckets: what they tell is final more often (delta stepping). The fixed
    point gets the attribute `graph.prioritized`.
  }];
  let statistics = [Statistic<"numPrioritized", "num-prioritized", "Number of fixed points">];
}

def GraphChooseDirection : Pass<"graph-choose-direction"> {
  let summary = "Many vertices that changed are looked for by their neighbors";
  let description = [{
    An aggregated fixed point in which all neighbors of a vertex are told the same gets the attribute `graph.pulls`: where
    all vertices that changed have one value, and many edges, those that are worse look for one of them instead.
  }];
  let statistics = [Statistic<"numPulls", "num-pulls", "Number of fixed points">];
}

def GraphJoinCopies : Pass<"graph-join-copies"> {
  let summary = "Vertices that take the least of their neighbors' numbers are joined";
  let description = [{
    An aggregated fixed point that passes a value on as it is gets the attribute `graph.joins`. Where the graph has no
    directions and each vertex begins with its own number, its end is the least number of each component, and processes
    join vertices instead of passing numbers on.
  }];
  let statistics = [Statistic<"numJoins", "num-joins", "Number of fixed points">];
}

def GraphShareTerms : Pass<"graph-share-terms"> {
  let summary = "What is the same for all edges from a vertex is computed once";
  let description = [{
    In a loop over neighbors of all vertices, what depends on the neighbor alone, as its rank over its number of edges,
    becomes a property: a loop over vertices computes it first. The values are the same, bit for bit. Terms that could
    stop the program stay, since a vertex may be nobody's neighbor.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall in_neighbors(%g, %v) do (%n, %e) {
        %x = graph.load %rank[%n] : <vertex, f64>
        %d = graph.degree out %g, %n : i64
        %r = graph.convert %d : i64 to f64
        %q = arith.divf %x, %r : f64          // becomes graph.load %shared[%n]
        graph.accumulate sum %c, %q : <f64>, f64
      }
    }
    ```
  }];
  let statistics = [Statistic<"numShared", "num-shared", "Number of terms">];
}

def GraphTileGathers : Pass<"graph-tile-gathers"> {
  let summary = "Gather values of neighbors in the order of the cache";
  let description = [{
    A loop over neighbors that only combines a property of theirs in a variable of the vertex gets the attribute
    `graph.gathered`, if the loop around it is repeated: the runtime then gathers for all vertices at once, in tiles whose
    values stay in the cache. Floating-point sums are rounded in another order, so the loop must be an unordered one;
    sums of integers stay, as they tell when they leave their range, and so do minima of floating-point numbers, which
    leave out what is no number. What it gathers is read from copies (`graph-copy-borders`).
  }];
  let statistics = [Statistic<"numGathers", "num-gathers", "Number of loops">];
}

def GraphOverlapGathers : Pass<"graph-overlap-gathers"> {
  let summary = "Let ghosts travel while own vertices are gathered";
  let description = [{
    A gather (`graph.gathered`) gets the attribute `graph.overlapped`: where processes exchange by messages (asked at run
    time) its ghosts become an operation of the comm dialect, and what is gathered from a process' own vertices one of its
    own. That the wait for the ghosts passes it is then found by Comm's passes, as in any other program.
  }];
  let statistics = [Statistic<"numOverlapped", "num-overlapped", "Number of gathers">];
}

def GraphOverlapUpdates : Pass<"graph-overlap-updates"> {
  let summary = "Let updates travel while iterations go on";
  let description = [{
    A loop that is shared among processes and updates neighbors of its vertices, all of them in copies, gets the attribute
    `graph.overlapped`: where processes exchange by messages (asked at run time) iterations of vertices with neighbors of
    other processes come first. What these combined is exchanged by operations of the comm dialect, and all other iterations,
    which update this process' own vertices alone, come after those. That they run while the updates travel is then found by
    Comm's passes, as in any other program.

    `convert-graph-to-comm` tells where it did so: it finds whether iterations ask other processes, which no part of a loop
    can do by itself.
  }];
  let statistics = [Statistic<"numOverlapped", "num-overlapped", "Number of loops">];
}

def GraphOrderByDegree : Pass<"graph-order-by-degree"> {
  let summary = "Visit triangles in the order of numbers of edges";
  let description = [{
    A nest of loops that counts three vertices which are neighbors of each other, in one order of their numbers alone,
    gets the attribute `graph.by_degree`. Where the graph has no directions (asked at run time) the runtime counts them
    in the order of numbers of edges instead: each three is visited once in any order, and a vertex of many edges has
    few neighbors of more. So the work is less by orders of magnitude where numbers of edges differ much.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall out_neighbors(%g, %v) where (%u, %e) {     // u < v
        %lt = arith.cmpi slt, %idU, %idV : i64
        graph.yield %lt
      } do (%u, %e) {
        graph.forall out_neighbors(%g, %v) where (%w, %f) {   // w > v
          %gt = arith.cmpi sgt, %idW, %idV : i64
          graph.yield %gt
        } do (%w, %f) {
          %closed = graph.has_edge %g, %u, %w
          scf.if %closed {
            graph.accumulate sum %count, %one : <i64>, i64
          }
        }
      }
    } attributes {graph.by_degree}
    ```
  }];
  let statistics = [Statistic<"numOrdered", "num-ordered", "Number of nests">];
}

#endif // COMM_TRANSFORMS_GRAPH_PASSES_TD
