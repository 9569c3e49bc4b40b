//===- GraphBase.td - The graph dialect and its types ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_GRAPH_IR_GRAPHBASE_TD
#define COMM_DIALECT_GRAPH_IR_GRAPHBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::comm::graph";
  let summary = "programs on graphs";
  let description = [{
    The `graph` dialect represents programs on graphs as their authors think of them: properties of vertices and edges,
    loops over vertices and neighbors whose iterations are independent of each other, reductions, fixed points and
    level-by-level traversals. It does not mention processes, messages or memory: a graph may be in one memory or
    distributed.

    A graph is directed and does not change. It has at most one edge from one vertex to another. Vertices are numbered
    from 0; edges are numbered by their source and then by their target.

    Programs may rely on these rules (see docs/graph.md for the reasons):

    * The iterations of a `graph.forall` that is not `ordered` run in any order or in parallel. Except for reductions,
      no iteration reads or writes a value that another one writes.
    * A reduction is one step. Its operator is commutative and associative; sums and products of floating-point numbers
      are rounded in the order in which they are combined. A read of a property in the forall that reduces it sees the
      value from the beginning of the forall, unless iterations only read and reduce the value of their own vertex.
    * Integers that leave the range of their type, a division by zero, and the use of a vertex or edge that does not
      exist stop the program and report the place in the source.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  // Decisions of passes (see docs/graph.md), and names.
  let discardableAttrs = (ins
    // For a fixed point: processes proceed on their own, and send many changes at once.
    "::mlir::UnitAttr":$aggregated,
    // For a function: the edges are distributed evenly over processes.
    "::mlir::UnitAttr":$balanced,
    // For a loop over the triangles of a graph: it visits vertices in the order of their degrees.
    "::mlir::UnitAttr":$by_degree,
    // For a loop: values that it fetches are kept until it ends.
    "::mlir::UnitAttr":$cached,
    // For a loop: only values that changed since the last time are sent to the copies that it reads.
    "::mlir::UnitAttr":$changes,
    // For a reduction or store: values of one process for the same vertex are combined before they are sent.
    "::mlir::UnitAttr":$combined,
    // For a load, degree or reduction: processes have copies of the vertices at their border.
    "::mlir::UnitAttr":$copied,
    // For a loop: it gathers tile by tile.
    "::mlir::UnitAttr":$gathered,
    // For a reduction: elements of this process are updated immediately.
    "::mlir::UnitAttr":$immediate,
    // For a loop: iterations that read no copies run while the copies are refreshed.
    "::mlir::UnitAttr":$interior_first,
    // For a fixed point: vertices that take the minimum of their neighbors' numbers are joined.
    "::mlir::UnitAttr":$joins,
    // For a load: if the process has the value, it reads it locally.
    "::mlir::UnitAttr":$local,
    // For an argument of a function: its name in the program.
    "::mlir::StringAttr":$name,
    // For a loop: parts of it run while values travel.
    "::mlir::UnitAttr":$overlapped,
    // For a fixed point: the best values come first.
    "::mlir::UnitAttr":$prioritized,
    // For a fixed point: if many vertices changed, their neighbors look for them.
    "::mlir::UnitAttr":$pulls,
    // For a boolean property: there is a list of the vertices for which it is true.
    "::mlir::UnitAttr":$tracked
  );
}

class Graph_Type<string name, string typeMnemonic> : TypeDef<Graph_Dialect, name> { let mnemonic = typeMnemonic; }

def Graph_Graph : Graph_Type<"Graph", "graph"> { let summary = "a directed graph that does not change"; }
def Graph_Vertex : Graph_Type<"Vertex", "vertex"> {
  let summary = "a vertex, or none";
  let description = [{ Any number can become a vertex (`graph.from_id`); its use checks whether the graph has it. }];
}
def Graph_Edge : Graph_Type<"Edge", "edge"> { let summary = "an edge, or none"; }
def Graph_Set : Graph_Type<"Set", "set"> { let summary = "an ordered set of vertices"; }
def Graph_Levels : Graph_Type<"Levels", "levels"> {
  let summary = "the vertices of a graph by their distance in edges from a root";
}

def Graph_ElementEnum : I32EnumAttr<"Element", "what a property belongs to", [
    I32EnumAttrCase<"vertex", 0>, I32EnumAttrCase<"edge", 1>]> {
  let cppNamespace = "::comm::graph";
  let genSpecializedAttr = 0;
}

/// A number, a boolean, a vertex or an edge: the values of properties and cells.
def Graph_Scalar : AnyTypeOf<[I1, I32, I64, F32, F64, Graph_Vertex, Graph_Edge],
                             "i1, i32, i64, f32, f64, !graph.vertex or !graph.edge">;
def Graph_Integer : AnyTypeOf<[I32, I64], "i32 or i64">;

def Graph_Property : Graph_Type<"Property", "property"> {
  let summary = "a value for each vertex or each edge of a graph";
  let parameters = (ins EnumParameter<Graph_ElementEnum>:$of, "::mlir::Type":$valueType);
  let assemblyFormat = "`<` $of `,` $valueType `>`";
  let genVerifyDecl = 1;
}
def Graph_Cell : Graph_Type<"Cell", "cell"> {
  let summary = "a variable of the program";
  let parameters = (ins "::mlir::Type":$valueType);
  let assemblyFormat = "`<` $valueType `>`";
  let genVerifyDecl = 1;
}

def Graph_List : Graph_Type<"List", "list"> {
  let summary = "a sequence of values, or of lists, that the whole program sees alike";
  let description = [{ An element is a scalar or a list. A list that is an element of another one is part of it. }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the innermost element type and the number of nested lists around it.
    std::pair<::mlir::Type, unsigned> getScalar() const;
  }];
}

def Graph_DirectionEnum : I32EnumAttr<"Direction", "which edges of a vertex", [
    I32EnumAttrCase<"out", 0>, I32EnumAttrCase<"in", 1>]> {
  let cppNamespace = "::comm::graph";
  let genSpecializedAttr = 0;
}
def Graph_Direction : EnumAttr<Graph_Dialect, Graph_DirectionEnum, "direction">;

def Graph_DomainEnum : I32EnumAttr<"Domain", "what a loop visits", [
    I32EnumAttrCase<"vertices", 0>,        // all vertices of a graph
    I32EnumAttrCase<"edges", 1>,           // all edges of a graph
    I32EnumAttrCase<"out_neighbors", 2>,   // the targets of a vertex's edges, with the edges
    I32EnumAttrCase<"in_neighbors", 3>,    // the sources of the edges to a vertex, with the edges
    I32EnumAttrCase<"children", 4>,        // the out-neighbors one level further from the root, with the edges
    I32EnumAttrCase<"set", 5>,             // the vertices of a set
    I32EnumAttrCase<"levels", 6>,          // level by level from the root
    I32EnumAttrCase<"reverse_levels", 7>,  // level by level to the root
  ]> {
  let cppNamespace = "::comm::graph";
  let genSpecializedAttr = 0;
}
def Graph_Domain : EnumAttr<Graph_Dialect, Graph_DomainEnum, "domain">;

def Graph_ReductionKindEnum : I32EnumAttr<"ReductionKind", "how values are combined", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"product", 1>, I32EnumAttrCase<"min", 2>, I32EnumAttrCase<"max", 3>,
    I32EnumAttrCase<"conjunction", 4, "and">, I32EnumAttrCase<"disjunction", 5, "or">, I32EnumAttrCase<"count", 6>]> {
  let cppNamespace = "::comm::graph";
  let genSpecializedAttr = 0;
}
def Graph_ReductionKind : EnumAttr<Graph_Dialect, Graph_ReductionKindEnum, "reduction">;

def Graph_ArithKindEnum : I32EnumAttr<"ArithKind", "a checked operation on integers", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"sub", 1>, I32EnumAttrCase<"mul", 2>, I32EnumAttrCase<"div", 3>,
    I32EnumAttrCase<"rem", 4>]> {
  let cppNamespace = "::comm::graph";
  let genSpecializedAttr = 0;
}
def Graph_ArithKind : EnumAttr<Graph_Dialect, Graph_ArithKindEnum, "arith">;

#endif // COMM_DIALECT_GRAPH_IR_GRAPHBASE_TD
