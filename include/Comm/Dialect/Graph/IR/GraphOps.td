//===- GraphOps.td - Operations of the graph dialect -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_GRAPH_IR_GRAPHOPS_TD
#define COMM_DIALECT_GRAPH_IR_GRAPHOPS_TD

include "Comm/Dialect/Graph/IR/GraphBase.td"
include "Comm/Dialect/Graph/IR/GraphInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Graph_Op<string mnemonic, list<Trait> traits = []> : Op<Graph_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Graph queries
//===----------------------------------------------------------------------===//

def Graph_NumVerticesOp : Graph_Op<"num_vertices", [Pure]> {
  let summary = "the number of vertices of a graph";
  let description = [{
    The number of vertices of the whole graph.

    ```mlir
    %n = graph.num_vertices %g : i64
    ```
  }];
  let arguments = (ins Graph_Graph:$graph);
  let results = (outs I64:$result);
  let assemblyFormat = "$graph attr-dict `:` type($result)";
}

def Graph_NumEdgesOp : Graph_Op<"num_edges", [Pure]> {
  let summary = "the number of edges of a graph";
  let description = [{
    The number of edges of the whole graph. An undirected edge counts twice.

    ```mlir
    %n = graph.num_edges %g : i64
    ```
  }];
  let arguments = (ins Graph_Graph:$graph);
  let results = (outs I64:$result);
  let assemblyFormat = "$graph attr-dict `:` type($result)";
}

def Graph_DegreeOp : Graph_Op<"degree", [NoMemoryEffect]> {
  let summary = "the number of edges that leave or reach a vertex";
  let description = [{
    The number of edges from the vertex (`out`) or to it (`in`). Stops the program if the graph does not have the
    vertex.

    ```mlir
    %n = graph.degree out %g, %v : i64
    ```
  }];
  let arguments = (ins Graph_Direction:$direction, Graph_Graph:$graph, Graph_Vertex:$vertex);
  let results = (outs I64:$result);
  let assemblyFormat = "`` $direction $graph `,` $vertex attr-dict `:` type($result)";
}

def Graph_HasEdgeOp : Graph_Op<"has_edge", [NoMemoryEffect]> {
  let summary = "whether there is an edge from one vertex to another";
  let description = [{
    Stops the program if the graph does not have both vertices.

    ```mlir
    %there = graph.has_edge %g, %u, %v
    ```
  }];
  let arguments = (ins Graph_Graph:$graph, Graph_Vertex:$source, Graph_Vertex:$target);
  let results = (outs I1:$result);
  let assemblyFormat = "$graph `,` $source `,` $target attr-dict";
}

def Graph_FindEdgeOp : Graph_Op<"find_edge", [NoMemoryEffect]> {
  let summary = "the edge from one vertex to another";
  let description = [{
    The edge, or none. In a loop over the source's out-neighbors, the edge to the neighbor is the one that the loop
    provides: the analysis of neighborhoods finds such searches.

    ```mlir
    %e = graph.find_edge %g, %u, %v
    ```
  }];
  let arguments = (ins Graph_Graph:$graph, Graph_Vertex:$source, Graph_Vertex:$target);
  let results = (outs Graph_Edge:$result);
  let assemblyFormat = "$graph `,` $source `,` $target attr-dict";
}

def Graph_EndpointOp : Graph_Op<"endpoint", [NoMemoryEffect]> {
  let summary = "the source or target of an edge";
  let description = [{
    The vertex that the edge leaves (`out`) or reaches (`in`). Stops the program if the graph does not have the edge.

    ```mlir
    %v = graph.endpoint in %g, %e
    ```
  }];
  let arguments = (ins Graph_Direction:$direction, Graph_Graph:$graph, Graph_Edge:$edge);
  let results = (outs Graph_Vertex:$result);
  let assemblyFormat = "`` $direction $graph `,` $edge attr-dict";
  let hasFolder = 1;
}

def Graph_ToIdOp : Graph_Op<"to_id", [Pure]> {
  let summary = "the number of a vertex or edge";
  let description = [{
    Numbers begin at 0; -1 means none. A number that is outside the range of the result's type stops the program.

    ```mlir
    %n = graph.to_id %v : !graph.vertex to i32
    ```
  }];
  let arguments = (ins AnyTypeOf<[Graph_Vertex, Graph_Edge]>:$element);
  let results = (outs Graph_Integer:$result);
  let assemblyFormat = "$element attr-dict `:` type($element) `to` type($result)";
  let hasFolder = 1;
}

def Graph_FromIdOp : Graph_Op<"from_id", [Pure]> {
  let summary = "the vertex or edge with a number";
  let description = [{
    Any number is allowed: a vertex or edge that the graph does not have can be stored and compared, and stops the
    program when a property of it, or its neighbors, are used.

    ```mlir
    %v = graph.from_id %n : i32 to !graph.vertex
    ```
  }];
  let arguments = (ins Graph_Integer:$id);
  let results = (outs AnyTypeOf<[Graph_Vertex, Graph_Edge]>:$result);
  let assemblyFormat = "$id attr-dict `:` type($id) `to` type($result)";
  let hasFolder = 1;
}

def Graph_WeightsOp : Graph_Op<"weights", [Pure]> {
  let summary = "the edge weights that were loaded with the graph";
  let description = [{
    A property that is part of the graph and that programs do not write. In a graph without weights, all of them are 1.

    ```mlir
    %weight = graph.weights %g : <edge, i32>
    ```
  }];
  let arguments = (ins Graph_Graph:$graph);
  let results = (outs Graph_Property:$result);
  let assemblyFormat = "$graph attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_CheckedOp : Graph_Op<"checked", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                           SameOperandsAndResultType]> {
  let summary = "integer arithmetic that detects errors";
  let description = [{
    `add`, `sub`, `mul`, `div` (rounds toward zero) and `rem` of signed integers. A result outside the range of the
    type, and a division by zero, stop the program. The largest number of a type represents infinity: if the first
    operand of `sub`, or any operand of `add`, is infinite, so is the result. If finite operands result in that number,
    the program stops as well.

    A division whose divisor may be zero stays even if its result is unused. Other unused arithmetic is removed.

    ```mlir
    %sum = graph.checked add %n, %n : i32
    ```
  }];
  let arguments = (ins Graph_ArithKind:$kind, Graph_Integer:$lhs, Graph_Integer:$rhs);
  let results = (outs Graph_Integer:$result);
  let assemblyFormat = "`` $kind $lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Graph_ConvertOp : Graph_Op<"convert", [NoMemoryEffect]> {
  let summary = "convert a number to another type";
  let description = [{
    Converts integers to other integers or floating-point numbers, and truncates floating-point numbers to integers. NaN
    and numbers outside the range of the integer type stop the program. The largest number of an integer type represents
    infinity and becomes infinity in the other type, and vice versa.

    ```mlir
    %x = graph.convert %n : i32 to f32
    ```
  }];
  let arguments = (ins AnyTypeOf<[I32, I64, F32, F64]>:$value);
  let results = (outs AnyTypeOf<[I32, I64, F32, F64]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

def Graph_PropertyOp : Graph_Op<"property"> {
  let summary = "create a property";
  let description = [{
    A value for each vertex or edge of the graph, initially zero, false or none.

    ```mlir
    %dist = graph.property %g : <vertex, i32>
    ```
  }];
  let arguments = (ins Graph_Graph:$graph, OptionalAttr<StrAttr>:$name);
  let results = (outs Res<Graph_Property, "", [MemAlloc, MemWrite]>:$result);
  let assemblyFormat = "$graph (`named` $name^)? attr-dict `:` type($result)";
}

def Graph_FillOp : Graph_Op<"fill", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>,
    TypesMatchWith<"the value has the type of the property", "property", "value",
                   "::llvm::cast<::comm::graph::PropertyType>($_self).getValueType()">]> {
  let summary = "set all vertices or edges to one value";
  let description = [{
    Each vertex or edge gets the value.

    ```mlir
    graph.fill %p, %n : <vertex, i32>
    ```
  }];
  let arguments = (ins Arg<Graph_Property, "", [MemWrite]>:$property, Graph_Scalar:$value);
  let assemblyFormat = "$property `,` $value attr-dict `:` type($property)";
}

def Graph_CopyOp : Graph_Op<"copy", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>,
                                     SameTypeOperands]> {
  let summary = "copy the values of one property to another";
  let description = [{
    Sets the value of each vertex or edge in `to` to its value in `from`. Later changes of one do not affect the other.

    ```mlir
    graph.copy %q to %p : <vertex, i32>
    ```
  }];
  let arguments = (ins Arg<Graph_Property, "", [MemRead]>:$from, Arg<Graph_Property, "", [MemWrite]>:$to);
  let assemblyFormat = "$from `to` $to attr-dict `:` type($to)";
  let hasCanonicalizeMethod = 1;
}

def Graph_LoadOp : Graph_Op<"load", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>,
    TypesMatchWith<"the result has the type of the property", "property", "result",
                   "::llvm::cast<::comm::graph::PropertyType>($_self).getValueType()">,
    TypesMatchWith<"the index is what the property belongs to", "property", "index",
                   "::comm::graph::getIndexType(::llvm::cast<::comm::graph::PropertyType>($_self))">]> {
  let summary = "the value of a vertex or edge in a property";
  let description = [{
    Stops the program if the graph does not have the vertex or edge.

    ```mlir
    %d = graph.load %p[%v] : <vertex, i32>
    ```
  }];
  let arguments = (ins Arg<Graph_Property, "", [MemRead]>:$property, AnyTypeOf<[Graph_Vertex, Graph_Edge]>:$index);
  let results = (outs Graph_Scalar:$result);
  let assemblyFormat = "$property `[` $index `]` attr-dict `:` type($property)";
}

def Graph_StoreOp : Graph_Op<"store", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>,
    TypesMatchWith<"the value has the type of the property", "property", "value",
                   "::llvm::cast<::comm::graph::PropertyType>($_self).getValueType()">,
    TypesMatchWith<"the index is what the property belongs to", "property", "index",
                   "::comm::graph::getIndexType(::llvm::cast<::comm::graph::PropertyType>($_self))">]> {
  let summary = "set the value of a vertex or edge in a property";
  let description = [{
    Stops the program if the graph does not have the vertex or edge.

    ```mlir
    graph.store %n, %p[%v] : <vertex, i32>
    ```
  }];
  let arguments = (ins Graph_Scalar:$value, Arg<Graph_Property, "", [MemWrite]>:$property,
                       AnyTypeOf<[Graph_Vertex, Graph_Edge]>:$index);
  let assemblyFormat = "$value `,` $property `[` $index `]` attr-dict `:` type($property)";
}

def Graph_ReduceOp : Graph_Op<"reduce", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>, AttrSizedOperandSegments,
    TypesMatchWith<"the index is what the property belongs to", "property", "index",
                   "::comm::graph::getIndexType(::llvm::cast<::comm::graph::PropertyType>($_self))">]> {
  let summary = "combine a value with that of a vertex or edge";
  let description = [{
    Combines the value of the vertex or edge in the property with the given one, in one step. `min` and `max` may have
    companions, properties of the same kind of element: if the value in the property changes, they are set to their
    values at the same index in the same step. If several reductions of a forall attain the same minimum or maximum, the
    companions all come from one of them: the one whose companions are lexicographically smallest.

    ```mlir
    graph.reduce min %p[%v], %n with(%q = %m : !graph.property<vertex, i32> = i32) : <vertex, i32>, i32
    graph.reduce sum %p[%v], %n : <vertex, i32>, i32
    ```
  }];
  let arguments = (ins Graph_ReductionKind:$kind, Arg<Graph_Property, "", [MemRead, MemWrite]>:$property,
                       AnyTypeOf<[Graph_Vertex, Graph_Edge]>:$index, Graph_Scalar:$value,
                       Arg<Variadic<Graph_Property>, "", [MemWrite]>:$companions, Variadic<Graph_Scalar>:$companionValues);
  let assemblyFormat = [{ `` $kind $property `[` $index `]` `,` $value
                          (`with` `(` $companions^ `=` $companionValues `:` type($companions) `=` type($companionValues) `)`)?
                          attr-dict `:` type($property) `,` type($value) }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

def Graph_CellOp : Graph_Op<"cell", [
    TypesMatchWith<"the value has the type of the cell", "result", "init",
                   "::llvm::cast<::comm::graph::CellType>($_self).getValueType()">]> {
  let summary = "create a variable with an initial value";
  let description = [{
    A variable of the program. If it is created in the body of a loop, it belongs to the iteration.

    ```mlir
    %c = graph.cell %n : <i32>
    ```
  }];
  let arguments = (ins Graph_Scalar:$init, OptionalAttr<StrAttr>:$name);
  let results = (outs Res<Graph_Cell, "", [MemAlloc, MemWrite]>:$result);
  let assemblyFormat = "$init (`named` $name^)? attr-dict `:` type($result)";
  let hasCanonicalizeMethod = 1;
}

def Graph_GetOp : Graph_Op<"get", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>,
    TypesMatchWith<"the result has the type of the cell", "cell", "result",
                   "::llvm::cast<::comm::graph::CellType>($_self).getValueType()">]> {
  let summary = "the value of a variable";
  let description = [{
    The value that was set last, combined with the values accumulated since.

    ```mlir
    %x = graph.get %c : <i32>
    ```
  }];
  let arguments = (ins Arg<Graph_Cell, "", [MemRead]>:$cell);
  let results = (outs Graph_Scalar:$result);
  let assemblyFormat = "$cell attr-dict `:` type($cell)";
}

def Graph_SetOp : Graph_Op<"set", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>,
    TypesMatchWith<"the value has the type of the cell", "cell", "value",
                   "::llvm::cast<::comm::graph::CellType>($_self).getValueType()">]> {
  let summary = "set a variable";
  let description = [{
    The operations that follow see the value.

    ```mlir
    graph.set %n, %c : <i32>
    ```
  }];
  let arguments = (ins Graph_Scalar:$value, Arg<Graph_Cell, "", [MemWrite]>:$cell);
  let assemblyFormat = "$value `,` $cell attr-dict `:` type($cell)";
}

def Graph_AccumulateOp : Graph_Op<"accumulate", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>,
                                                 AttrSizedOperandSegments]> {
  let summary = "combine a value with that of a variable";
  let description = [{
    Like `graph.reduce`, for a variable. In a forall, variables from outside can only be changed this way.

    ```mlir
    graph.accumulate sum %c, %n : <i32>, i32
    graph.accumulate max %c, %n with(%d = %v : !graph.cell<!graph.vertex> = !graph.vertex) : <i32>, i32
    ```
  }];
  let arguments = (ins Graph_ReductionKind:$kind, Arg<Graph_Cell, "", [MemRead, MemWrite]>:$cell, Graph_Scalar:$value,
                       Arg<Variadic<Graph_Cell>, "", [MemWrite]>:$companions, Variadic<Graph_Scalar>:$companionValues);
  let assemblyFormat = [{ `` $kind $cell `,` $value
                          (`with` `(` $companions^ `=` $companionValues `:` type($companions) `=` type($companionValues) `)`)?
                          attr-dict `:` type($cell) `,` type($value) }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

def Graph_ForallOp : Graph_Op<"forall", [RecursiveMemoryEffects,
                                         DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "run an iteration for each vertex, neighbor or edge";
  let description = [{
    Runs `do` for each element of the domain for which `where` yields true (for each one, without `where`):

    | domain | elements |
    | --- | --- |
    | `vertices(%g)`, `edges(%g)` | all of the graph |
    | `out_neighbors(%g, %v)`, `in_neighbors(%g, %v)` | the targets of edges from `%v` or the sources of edges to it, with the edges |
    | `children(%l, %v)` | the out-neighbors whose level is one greater than that of `%v`, with the edges |
    | `set(%s)` | the vertices of a set |
    | `levels(%l)`, `reverse_levels(%l)` | the vertices that have a level, one level after another, from the root or towards it |

    The iterations (those of one level if the domain has levels) run in any order or in parallel; if the loop is
    `ordered`, they run one after another by number (in the order of a set, or level by level). `where` is evaluated
    when its iteration is about to run, and has no side effects.

    ```mlir
    graph.forall vertices(%g) where (%x) {
      %there = graph.has_edge %g, %x, %x
      graph.yield %there
    } do (%x) {
      graph.forall ordered out_neighbors(%g, %x) do (%y, %z) {
        graph.store %n, %p[%y] : <vertex, i32>
      }
    }
    ```
  }];
  let arguments = (ins Graph_Domain:$domain, UnitAttr:$ordered, Variadic<AnyType>:$over);
  let regions = (region MaxSizedRegion<1>:$filter, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "Domain":$domain, "bool":$ordered, "::mlir::ValueRange":$over, "bool":$hasFilter)>];
  let extraClassDeclaration = [{
    /// Returns the element of this iteration; in loops over neighbors, the neighbor.
    ::mlir::Value getElement() { return getBody().getArgument(0); }
    /// Returns the edge between the vertex and the neighbor in loops over neighbors, or null.
    ::mlir::Value getEdge() { return getBody().getNumArguments() > 1 ? getBody().getArgument(1) : ::mlir::Value(); }
    /// Returns the vertex whose neighbors are visited in loops over neighbors, or null.
    ::mlir::Value getCenter() { return getOver().size() > 1 ? getOver()[1] : ::mlir::Value(); }
    bool hasFilter() { return !getFilter().empty(); }
    bool overLevels() { return getDomain() == Domain::levels || getDomain() == Domain::reverse_levels; }
  }];
}

def Graph_YieldOp : Graph_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ForallOp", "FixedPointOp"]>]> {
  let summary = "the end of a region";
  let description = [{
    Ends an iteration; in `where`, determines whether the iteration runs.

    ```mlir
    graph.forall vertices(%g) where (%x) {
      graph.yield %b
    } do (%x) {
    }
    ```
  }];
  let arguments = (ins Optional<I1>:$condition);
  let assemblyFormat = "($condition^)? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::Value()); }]>];
}

def Graph_LevelsOp : Graph_Op<"levels", [NoMemoryEffect]> {
  let summary = "the vertices by their distance from a root";
  let description = [{
    The level of a vertex is the minimum number of edges on a path to it from the root (breadth-first search).
    Stops the program if the graph does not have the root.

    ```mlir
    %levels = graph.levels %g from %v
    ```
  }];
  let arguments = (ins Graph_Graph:$graph, Graph_Vertex:$root);
  let results = (outs Graph_Levels:$result);
  let assemblyFormat = "$graph `from` $root attr-dict";
}

def Graph_LevelOp : Graph_Op<"level", [NoMemoryEffect]> {
  let summary = "the level of a vertex";
  let description = [{
    -1 if no path leads from the root to the vertex. Stops the program if the graph does not have the vertex.

    ```mlir
    %n64 = graph.level %l[%v] : i64
    ```
  }];
  let arguments = (ins Graph_Levels:$levels, Graph_Vertex:$vertex);
  let results = (outs I64:$result);
  let assemblyFormat = "$levels `[` $vertex `]` attr-dict `:` type($result)";
}

def Graph_FixedPointOp : Graph_Op<"fixed_point", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>,
                                                  RecursiveMemoryEffects,
                                                  DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                                  SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "repeat until nothing changes";
  let description = [{
    While the variable is false, sets it to true and runs the body. Then, with `none`, the variable becomes false if the
    property of any vertex or edge is nonzero; with `all`, if that of any is zero. The body may also set it to false.

    ```mlir
    graph.fixed_point %f until none %p : !graph.property<vertex, i32> {
      graph.fill %p, %n : <vertex, i32>
    }
    graph.fixed_point %f {
    }
    ```
  }];
  let arguments = (ins Arg<TypeConstraint<CPred<"::llvm::isa<::comm::graph::CellType>($_self) && "
                             "::llvm::cast<::comm::graph::CellType>($_self).getValueType().isInteger(1)">,
                             "!graph.cell<i1>">, "">:$finished,
                       UnitAttr:$all, Optional<Graph_Property>:$property);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

include "Comm/Dialect/Graph/IR/GraphLists.td"

#endif // COMM_DIALECT_GRAPH_IR_GRAPHOPS_TD
