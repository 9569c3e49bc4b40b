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
  let summary = "create a list";
  let description = [{
    A list without elements. It belongs to the block that creates it, and its lifetime ends with the block unless the
    function returns it.

    ```mlir
    %list = graph.list named "count" : <i32>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name);
  let results = (outs Res<Graph_List, "", [MemAlloc, MemWrite]>:$result);
  let assemblyFormat = "(`named` $name^)? attr-dict `:` type($result)";
}

def Graph_ListSizeOp : Graph_Op<"list_size", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>]> {
  let summary = "the number of elements of a list";
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
    The element with that index, counted from 0. Stops the program if there is none. A list within a list is not copied:
    it must be used before the enclosing list changes.

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
  let summary = "set an element of a list";
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
    Like `graph.reduce`, for an element of a list. In a forall, elements can only be changed this way.

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
  let summary = "append an element to a list";
  let description = [{
    The element becomes the last one. If it is a list, it is copied.

    ```mlir
    graph.list_push %n, %list : <i32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Graph_Scalar, Graph_List]>:$value, Arg<Graph_List, "", [MemWrite]>:$list);
  let assemblyFormat = "$value `,` $list attr-dict `:` type($list)";
}

def Graph_ListPopOp : Graph_Op<"list_pop", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>]> {
  let summary = "remove the last element of a list";
  let description = [{
    Stops the program if the list is empty.

    ```mlir
    graph.list_pop %list : <i32>
    ```
  }];
  let arguments = (ins Arg<Graph_List, "", [MemRead, MemWrite]>:$list);
  let assemblyFormat = "$list attr-dict `:` type($list)";
}

def Graph_ListAssignOp : Graph_ElementOp<"list_assign", "value"> {
  let summary = "fill a list with copies of a value";
  let description = [{
    Replaces the previous elements. Stops the program if the number is negative.

    ```mlir
    graph.list_assign %list, %n64 of %n : <i32>
    ```
  }];
  let arguments = (ins Arg<Graph_List, "", [MemWrite]>:$list, I64:$count, Graph_Scalar:$value);
  let assemblyFormat = "$list `,` $count `of` $value attr-dict `:` type($list)";
}

def Graph_ListCopyOp : Graph_Op<"list_copy", [DeclareOpInterfaceMethods<Graph_AccessOpInterface>, SameTypeOperands]> {
  let summary = "copy a list to another";
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
  let summary = "find a value in a list";
  let description = [{
    The index of the first element that equals the value, or -1.

    ```mlir
    %where = graph.list_find %n, %list : <i32>
    ```
  }];
  let arguments = (ins Graph_Scalar:$value, Arg<Graph_List, "", [MemRead]>:$list);
  let results = (outs I64:$result);
  let assemblyFormat = "$value `,` $list attr-dict `:` type($list)";
}

#endif // COMM_DIALECT_GRAPH_IR_GRAPHLISTS_TD
