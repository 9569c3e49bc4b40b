//===- GraphLists.td - Lists of values in graph programs ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of GraphOps.td, which includes it.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_GRAPH_IR_GRAPHLISTS_TD
#define COMM_DIALECT_GRAPH_IR_GRAPHLISTS_TD

/// An operation on a list with an element `value`.
class Graph_ElementOp<string mnemonic, string value> : Graph_Op<mnemonic, [
    DeclareOpInterfaceMethods<Graph_AccessOpInterface>,
    TypesMatchWith<"the value is an element of the list", "list", value,
                   "::llvm::cast<::comm::graph::ListType>($_self).getElementType()">]>;

def Graph_ListOp : Graph_Op<"list"> {
  let summary = "a new list";
  let description = [{
    A list without elements. It belongs to the block that makes it, and ends with it, unless the function returns it.

    ```mlir
    %list = graph.list named "count" : <i32>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name);
  let results = (outs Res<Graph_List, "", [MemAlloc, MemWrite]>:$result);
  let assemblyFormat = "(`named` $name^)? attr-dict `:` type($result)";
}

def Graph_ListSizeOp : Graph_Op<"list_size", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>]> {
  let summary = "how many elements a list has";
  let description = [{
    The number of elements.

    ```mlir
    %size = graph.list_size %list : <i32>
    ```
  }];
  let arguments = (ins Arg<Graph_List, "", [MemRead]>:$list);
  let results = (outs I64:$result);
  let assemblyFormat = "$list attr-dict `:` type($list)";
}

def Graph_ListGetOp : Graph_ElementOp<"list_get", "result"> {
  let summary = "an element of a list";
  let description = [{
    The element with that number, from 0 on. Stops the program if there is none. A list within a list is not copied: it
    is used before what it is in changes.

    ```mlir
    %element = graph.list_get %list[%n64] : <i32>
    ```
  }];
  let arguments = (ins Arg<Graph_List, "", [MemRead]>:$list, I64:$index);
  let results = (outs AnyTypeOf<[Graph_Scalar, Graph_List]>:$result);
  let assemblyFormat = "$list `[` $index `]` attr-dict `:` type($list)";
  let hasVerifier = 1;
}

def Graph_ListSetOp : Graph_ElementOp<"list_set", "value"> {
  let summary = "an element of a list gets a value";
  let description = [{
    Stops the program if the list does not have the element.

    ```mlir
    graph.list_set %n, %list[%n64] : <i32>
    ```
  }];
  let arguments = (ins Graph_Scalar:$value, Arg<Graph_List, "", [MemWrite]>:$list, I64:$index);
  let assemblyFormat = "$value `,` $list `[` $index `]` attr-dict `:` type($list)";
}

def Graph_ListReduceOp : Graph_ElementOp<"list_reduce", "value"> {
  let summary = "combine a value with an element of a list";
  let description = [{
    As `graph.reduce`, for an element of a list. In a forall it is the way to change one.

    ```mlir
    graph.list_reduce sum %list[%n64], %n : <i32>
    ```
  }];
  let arguments = (ins Graph_ReductionKind:$kind, Arg<Graph_List, "", [MemRead, MemWrite]>:$list, I64:$index,
                       Graph_Scalar:$value);
  let assemblyFormat = "`` $kind $list `[` $index `]` `,` $value attr-dict `:` type($list)";
  let hasVerifier = 1;
}

def Graph_ListPushOp : Graph_ElementOp<"list_push", "value"> {
  let summary = "a list gets one more element";
  let description = [{
    The element comes last. Of a list, it is a copy.

    ```mlir
    graph.list_push %n, %list : <i32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Graph_Scalar, Graph_List]>:$value, Arg<Graph_List, "", [MemWrite]>:$list);
  let assemblyFormat = "$value `,` $list attr-dict `:` type($list)";
}

def Graph_ListPopOp : Graph_Op<"list_pop", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>]> {
  let summary = "a list loses its last element";
  let description = [{
    Stops the program if the list has none.

    ```mlir
    graph.list_pop %list : <i32>
    ```
  }];
  let arguments = (ins Arg<Graph_List, "", [MemRead, MemWrite]>:$list);
  let assemblyFormat = "$list attr-dict `:` type($list)";
}

def Graph_ListAssignOp : Graph_ElementOp<"list_assign", "value"> {
  let summary = "a list becomes so many copies of a value";
  let description = [{
    What was in the list before is gone. Stops the program if the number is negative.

    ```mlir
    graph.list_assign %list, %n64 of %n : <i32>
    ```
  }];
  let arguments = (ins Arg<Graph_List, "", [MemWrite]>:$list, I64:$count, Graph_Scalar:$value);
  let assemblyFormat = "$list `,` $count `of` $value attr-dict `:` type($list)";
}

def Graph_ListCopyOp : Graph_Op<"list_copy", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>, SameTypeOperands]> {
  let summary = "a list becomes what another one is";
  let description = [{
    Later changes of one do not change the other.

    ```mlir
    graph.list_copy %other to %list : <i32>
    ```
  }];
  let arguments = (ins Arg<Graph_List, "", [MemRead]>:$from, Arg<Graph_List, "", [MemWrite]>:$to);
  let assemblyFormat = "$from `to` $to attr-dict `:` type($to)";
}

def Graph_ListFindOp : Graph_ElementOp<"list_find", "value"> {
  let summary = "where a value is in a list";
  let description = [{
    The number of the first element that is the value, or -1.

    ```mlir
    %where = graph.list_find %n, %list : <i32>
    ```
  }];
  let arguments = (ins Graph_Scalar:$value, Arg<Graph_List, "", [MemRead]>:$list);
  let results = (outs I64:$result);
  let assemblyFormat = "$value `,` $list attr-dict `:` type($list)";
}

#endif // COMM_DIALECT_GRAPH_IR_GRAPHLISTS_TD
