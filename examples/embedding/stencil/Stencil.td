// The dialect: a program over fields, which are two-dimensional arrays whose rows are distributed over the processes.
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Stencil_Dialect : Dialect {
  let name = "stencil";
  let cppNamespace = "stencil";
}

class Stencil_Op<string name, list<Trait> traits = []> : Op<Stencil_Dialect, name, traits>;

def Stencil_ProgramOp : Stencil_Op<"program", [NoTerminator, SingleBlock, SymbolTable]> {
  let summary = "fields, one step in time, and what is printed after the last one";
  let arguments = (ins I64Attr:$rows, I64Attr:$columns, I64Attr:$steps);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$rows `by` $columns `for` $steps attr-dict-with-keyword $body";
}

def Stencil_FieldOp : Stencil_Op<"field", [Symbol, HasParent<"ProgramOp">, SingleBlock]> {
  let summary = "a field, whose body computes an element from its row and column";
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Stencil_ExchangeOp : Stencil_Op<"exchange", [HasParent<"ProgramOp">]> {
  let summary = "get the rows of a field next to one's own from the processes that have them";
  let arguments = (ins FlatSymbolRefAttr:$field);
  let assemblyFormat = "$field attr-dict";
}

def Stencil_UpdateOp : Stencil_Op<"update", [HasParent<"ProgramOp">, SingleBlock]> {
  let summary = "the next value of each element inside of the grid, from values before the step";
  let arguments = (ins FlatSymbolRefAttr:$field);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$field attr-dict-with-keyword $body";
}

def Stencil_PrintOp : Stencil_Op<"print", [HasParent<"ProgramOp">]> {
  let summary = "print the sum of the squares of a field";
  let arguments = (ins FlatSymbolRefAttr:$field);
  let assemblyFormat = "$field attr-dict";
}

def Stencil_ReadOp : Stencil_Op<"read", [Pure, HasParent<"UpdateOp">]> {
  let summary = "the value of an element near the one that is computed";
  let arguments = (ins FlatSymbolRefAttr:$field, I64Attr:$row, I64Attr:$column);
  let results = (outs F64:$value);
  let assemblyFormat = "$field `[` $row `,` $column `]` attr-dict";
  let hasVerifier = 1;
}

def Stencil_YieldOp : Stencil_Op<"yield", [Pure, Terminator, ParentOneOf<["FieldOp", "UpdateOp"]>]> {
  let summary = "what the body computes";
  let arguments = (ins F64:$value);
  let assemblyFormat = "$value attr-dict";
}
