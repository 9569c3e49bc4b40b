// RUN: %clang -std=c11 -Wall -Wextra -Werror -I%comm_include -isystem %llvm_include %s -L%comm_lib_dir -lCommC \
// RUN:   -Wl,-rpath,%comm_lib_dir -o %t
// RUN: %t | FileCheck %s
//
// The C API, from C: build, query, overlap and lower a program.

#include "comm-c/CDag.h"
#include "comm-c/Dialect.h"
#include "comm-c/Execution.h"
#include "comm-c/Interfaces.h"
#include "comm-c/Passes.h"
#include "comm-c/Registration.h"
#include "comm-c/Remarks.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Diagnostics.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MlirStringRef str(const char *text) { return mlirStringRefCreateFromCString(text); }

static void print(MlirStringRef text, void *userData) {
  (void)userData;
  fwrite(text.data, 1, text.length, stdout);
}

static void printLine(MlirStringRef text, void *userData) {
  print(text, userData);
  printf("\n");
}

static void check(bool condition, const char *what) {
  if (condition)
    return;
  printf("failed: %s\n", what);
  exit(1);
}

static MlirLogicalResult onDiagnostic(MlirDiagnostic diagnostic, void *userData) {
  (void)userData;
  printf("diagnostic: ");
  mlirDiagnosticPrint(diagnostic, print, NULL);
  printf("\n");
  return mlirLogicalResultSuccess();
}

static void onAccess(CommAccess const *access, void *userData) {
  (void)userData;
  printf("access: %.*s extent %d%s%s%s\n", (int)access->param.length, access->param.data, access->extent,
         access->reads ? " reads" : "", access->writes ? " writes" : "", access->inFlight ? " in flight" : "");
}

static void onRemark(CommRemark const *remark, void *userData) {
  ++*(int *)userData;
  printf("remark: %d %.*s %.*s in %.*s:", remark->kind, (int)remark->pass.length, remark->pass.data,
         (int)remark->name.length, remark->name.data, (int)remark->function.length, remark->function.data);
  for (intptr_t i = 0; i < remark->numArguments; ++i)
    printf(" %.*s", (int)remark->arguments[i].value.length, remark->arguments[i].value.data);
  printf("\n");
}

static void onStatistic(MlirStringRef name, MlirStringRef description, uint64_t value, void *userData) {
  (void)userData;
  if (value)
    printf("statistic: %.*s %llu (%.*s)\n", (int)name.length, name.data, (unsigned long long)value,
           (int)description.length, description.data);
}

static void onPass(CommPassEvent event, CommPass pass, MlirOperation op, void *userData) {
  (void)op;
  (void)userData;
  if (event == CommPassAfter) {
    printf("ran: ");
    printLine(commPassGetName(pass), NULL);
    commPassForEachStatistic(pass, onStatistic, NULL);
  }
}

static int numReleased = 0;
static void onRelease(void *userData) {
  (void)userData;
  ++numReleased;
}

static MlirLogicalResult runMyPass(MlirOperation op, void *userData) {
  printf("my pass, %s, on ", (const char *)userData);
  printLine(mlirIdentifierStr(mlirOperationGetName(op)), NULL);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult runFailingPass(MlirOperation op, void *userData) {
  (void)userData;
  mlirEmitError(mlirOperationGetLocation(op), "not today");
  return mlirLogicalResultFailure();
}

static const char *program = "func.func @step(%a: memref<8xi64>, %n: index) -> i64 {\n"
                             "  %in = memref.alloc() : memref<8xi64>\n"
                             "  %out = memref.alloc() : memref<8xi64>\n"
                             "  %c0 = arith.constant 0 : index\n"
                             "  %c1 = arith.constant 1 : index\n"
                             "  %sum = comm.constant \"MPI_SUM\" : !comm.op\n"
                             "  %world = comm.constant \"MPI_COMM_WORLD\" : !comm.comm\n"
                             "  comm.allreduce sendbuf(%in : memref<8xi64>) recvbuf(%out : memref<8xi64>) op(%sum) "
                             "comm(%world)\n"
                             "  scf.for %i = %c0 to %n step %c1 {\n"
                             "    %v = memref.load %a[%i] : memref<8xi64>\n"
                             "    %w = arith.addi %v, %v : i64\n"
                             "    memref.store %w, %a[%i] : memref<8xi64>\n"
                             "  }\n"
                             "  %r = memref.load %out[%c0] : memref<8xi64>\n"
                             "  return %r : i64\n"
                             "}\n";

static MlirOperation findOp(MlirBlock block, const char *name) {
  MlirOperation op = mlirBlockGetFirstOperation(block);
  while (!mlirOperationIsNull(op) && !mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), str(name)))
    op = mlirOperationGetNextInBlock(op);
  check(!mlirOperationIsNull(op), name);
  return op;
}

static void testTypes(MlirContext context) {
#define COMM_TYPE(Name)                                                                                                \
  {                                                                                                                    \
    MlirType type = comm##Name##TypeGet(context);                                                                      \
    check(commTypeIsA##Name(type) && !commTypeIsA##Name(mlirIndexTypeGet(context)), #Name);                            \
    check(mlirTypeIDEqual(mlirTypeGetTypeID(type), comm##Name##TypeGetTypeID()), #Name " id");                         \
    mlirTypePrint(type, print, NULL);                                                                                  \
    printf("\n");                                                                                                      \
  }
#include "comm-c/Types.def"
  MlirAttribute mode = commModeAttrGet(context, CommModeAsync);
  check(commAttributeIsAMode(mode) && commModeAttrGetValue(mode) == CommModeAsync, "mode");
  check(!commAttributeIsAMode(mlirUnitAttrGet(context)), "unit is not a mode");
}

static void testBuild(MlirContext context, MlirBlock body) {
  MlirLocation loc = mlirLocationUnknownGet(context);
  MlirValue world = mlirOperationGetResult(findOp(body, "comm.constant"), 0);
  CommParam params[] = {{str("comm"), 1, &world}, {str("comm"), 1, &world}};
  MlirStringRef outcomes[] = {str("size")};
  MlirOperation size = commOperationCreate(loc, str("MPI_Comm_size"), CommModeBlocking, 1, params, 1, outcomes);
  mlirOperationPrint(size, print, NULL);
  printf("\n");
  // The first constant is the operator, not a communicator.
  check(!commOperationVerifyItself(size), "verification");
  check(mlirOperationIsNull(commOperationCreate(loc, str("MPI_Frob"), CommModeBlocking, 0, NULL, 0, NULL)), "no op");
  check(mlirOperationIsNull(commOperationCreate(loc, str("MPI_Comm_size"), CommModeBlocking, 2, params, 0, NULL)),
        "twice");
  params[0].name = str("root");
  check(mlirOperationIsNull(commOperationCreate(loc, str("MPI_Comm_size"), CommModeBlocking, 1, params, 0, NULL)),
        "no parameter");
  outcomes[0] = str("rank");
  check(mlirOperationIsNull(commOperationCreate(loc, str("MPI_Comm_size"), CommModeBlocking, 0, NULL, 1, outcomes)),
        "no outcome");
  mlirOperationDestroy(size);
}

static void testInterfaces(MlirBlock body) {
  MlirOperation op = findOp(body, "comm.allreduce");
  check(commOperationIsMPI(op) && !commOperationIsCompletion(op) && commOperationVerifyItself(op), "is MPI");
  check(!commOperationIsMPI(findOp(body, "scf.for")), "a loop is not MPI");
  printLine(commMPIGetFunction(op), NULL);
  printLine(commMPIGetCalledFunction(op), NULL);
  for (intptr_t i = 0; i < commMPIGetNumParams(op); ++i)
    if (commMPIGetNumParamValues(op, i)) {
      printf("param: ");
      print(commMPIGetParamName(op, i), NULL);
      printf(" ");
      printLine(commValueGetConstantName(commMPIGetParamValue(op, i, 0)), NULL);
    }
  commMPIForEachAccess(op, onAccess, NULL);
  CommMatching matching = commMPIGetMatching(op);
  check(matching.kind == CommMatchingCollective && mlirValueIsNull(matching.peer), "matching");
  check(commMPIGetRemoteAccess(op).kind == CommRemoteNone, "not one-sided");
  unsigned facts = commMPIGetFacts(op);
  check((facts & CommFactHasAsyncForm) && (facts & CommFactElementwiseReduction) && !(facts & CommFactLocal), "facts");
}

static void testPipelines(MlirContext context, MlirModule module) {
  MlirOperation op = mlirModuleGetOperation(module);
  check(mlirPassManagerIsNull(commPassManagerParse(context, str("builtin.module(frob)"), print, NULL)), "parse");
  check(mlirLogicalResultIsFailure(commRegisterPass(str("cse"), str(""), str(""), runMyPass, "", NULL)), "taken");
  check(mlirLogicalResultIsFailure(commRegisterPass(str("My Pass"), str(""), str(""), runMyPass, "", NULL)), "name");
  check(mlirLogicalResultIsSuccess(
            commRegisterPass(str("my-pass"), str("mine"), str("func.func"), runMyPass, "old", onRelease)),
        "register");
  check(mlirLogicalResultIsFailure(commRegisterPass(str("my-pass"), str("mine"), str(""), runMyPass, "other", NULL)),
        "another anchor");
  check(mlirLogicalResultIsSuccess(
            commRegisterPass(str("my-pass"), str("mine"), str("func.func"), runMyPass, "new", onRelease)),
        "register again");
  check(numReleased == 1 && commIsRegisteredPass(str("my-pass")), "released");
  check(commIsRegisteredPipeline(str("comm-overlap")) && !commIsRegisteredPass(str("comm-overlap")), "pipelines");

  int numRemarks = 0;
  check(mlirLogicalResultIsFailure(commContextEnableRemarks(context, str("("), onRemark, &numRemarks)), "regex");
  check(mlirLogicalResultIsSuccess(commContextEnableRemarks(context, str("comm-.*"), onRemark, &numRemarks)),
        "remarks");
  MlirPassManager manager = commPassManagerParse(
      context, str("comm-split-blocking{abi=openmpi4},func.func(my-pass),comm-isolate-loops,comm-move-slices"), print,
      NULL);
  check(!mlirPassManagerIsNull(manager) && commPassManagerHasForeignPasses(manager), "pipeline");
  check(mlirStringRefEqual(commPassManagerGetAnchor(manager), str("builtin.module")), "anchor");
  commPassManagerAddObserver(manager, onPass, NULL);
  check(mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, op)), "run");
  mlirPassManagerDestroy(manager);
  check(numRemarks > 0, "there are remarks");
  commContextDisableRemarks(context);
  mlirOperationPrint(op, print, NULL);

  check(mlirLogicalResultIsSuccess(commRegisterPass(str("fails"), str(""), str(""), runFailingPass, NULL, NULL)), "");
  manager = commPassManagerParse(context, str("builtin.module(func.func(fails))"), print, NULL);
  check(mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(manager, op)), "fails");
  mlirPassManagerDestroy(manager);
  manager = commPassManagerParse(context, str("any(cse)"), print, NULL);
  check(mlirStringRefEqual(commPassManagerGetAnchor(manager), str("any")) && !commPassManagerHasForeignPasses(manager),
        "any");
  mlirPassManagerDestroy(manager);
}

static void onCollective(CommCDagCollective const *collective, void *userData) {
  (void)userData;
  printf("collective: %.*s of %d, root %d, %d bytes\n", (int)collective->kind.length, collective->kind.data,
         (int)collective->numMembers, (int)collective->root, (int)collective->bytes);
}

static void onTime(CommCDagTime const *time, void *userData) {
  if (time->end > *(double *)userData)
    *(double *)userData = time->end;
}

static void testGraphs(void) {
  CommCDag graph = commCDagCreate(5);
  for (uint32_t rank = 1; rank < 5; ++rank) {
    commCDagAddSend(graph, rank, 0, 8, 0, 0);
    commCDagAddRecv(graph, 0, 8 * rank, 8, rank, 0);
  }
  CommCDagResult result;
  check(mlirLogicalResultIsFailure(commCDagVerify(graph, 1, 1, printLine, NULL)), "nothing to verify");
  check(mlirLogicalResultIsSuccess(commCDagDetect(graph, commCDagGetDefaultOptions(), &result, print, NULL)), "detect");
  check(result.messages == 4 && result.keptMessages == 0 && result.analyzed, "result");
  commCDagForEachCollective(graph, onCollective, NULL);
  check(mlirLogicalResultIsSuccess(commCDagVerify(graph, 3, 1, print, NULL)), "verify");
  commCDagDraw(graph, print, NULL);
  check(commCDagAddSend(graph, 9, 0, 8, 0, 0) == COMM_CDAG_NONE, "no such process");
  commCDagGetError(graph, printLine, NULL);
  commCDagDestroy(graph);

  graph = commCDagCreatePattern(str("allgather-ring"), 8, 16, 0, print, NULL);
  check(commCDagGetNumRanks(graph) == 8 && commCDagGetNumOperations(graph) > 0, "pattern");
  check(commCDagGetNumDependencies(graph) > 0, "dependencies");
  CommCDagModel model = {1, 0, 0.125, 0};
  double seconds = 0;
  check(mlirLogicalResultIsSuccess(commCDagSimulate(graph, model, onTime, NULL, &seconds)), "simulate");
  check(seconds == 21, "seven steps of a latency and 16 bytes");
  model.latency = -1;
  check(mlirLogicalResultIsFailure(commCDagSimulate(graph, model, onTime, printLine, &seconds)), "no model");
  commCDagDestroy(graph);
  check(!commCDagCreatePattern(str("frob"), 8, 16, 0, printLine, NULL).ptr, "no pattern");
  check(!commCDagParse(str("num_ranks 2\nfrob"), 100, printLine, NULL).ptr, "no graph");
}

static const char *const numbers = "llvm.func @MPI_Barrier(i32) -> i32\n"
                                   "llvm.func @scale(%p: !llvm.ptr, %f: f64, %c: i32) -> i64 {\n"
                                   "  %v = llvm.load %p : !llvm.ptr -> f64\n"
                                   "  %w = llvm.fmul %v, %f : f64\n"
                                   "  llvm.store %w, %p : f64, !llvm.ptr\n"
                                   "  %e = llvm.call @MPI_Barrier(%c) : (i32) -> i32\n"
                                   "  %r = llvm.mlir.constant(42 : i64) : i64\n"
                                   "  llvm.return %r : i64\n"
                                   "}\n"
                                   "llvm.func @look(%p: !llvm.ptr) -> f64 {\n"
                                   "  %v = llvm.load %p : !llvm.ptr -> f64\n"
                                   "  llvm.return %v : f64\n"
                                   "}\n"
                                   "llvm.func @wide(%a: i128) { llvm.return }\n";

static CommJIT jit;
static int lastError;

static void keepObject(MlirStringRef bytes, void *userData) {
  check(mlirLogicalResultIsSuccess(commJITAddObject(jit, bytes, printLine, userData)), "commJITAddObject");
}

static void onReadOnly(MlirStringRef entry, intptr_t argument, void *userData) {
  (void)userData;
  printf("read-only %.*s %d\n", (int)entry.length, entry.data, (int)argument);
}

static int myBarrier(int comm) { return comm; }
static jmp_buf back;
static void onError(int error) {
  lastError = error;
  longjmp(back, 1);
}

static void testExecution(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(context, str(numbers));
  MlirOperation op = mlirModuleGetOperation(module);
  MlirStringRef entries[] = {str("scale"), str("look")}, wide = str("wide"), nobody = str("nobody");
  CommObjectSink sink = {keepObject, onReadOnly, NULL, NULL};
  CommCompileOptions options = {2, true, false, &wide, 1, str("")};
  check(mlirLogicalResultIsFailure(commCompileModule(op, options, sink)), "an entry that cannot be called");
  options.entries = &nobody;
  MlirOperation inside = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  check(mlirLogicalResultIsFailure(commCompileModule(inside, options, sink)), "no module");
  check(mlirLogicalResultIsFailure(commCompileModule(op, options, sink)), "an entry that is not there");
  options.entries = entries;
  options.numEntries = 2;
  options.pipeline = str("comm-overlap{frob=1}");
  check(mlirLogicalResultIsFailure(commCompileModule(op, options, sink)), "no pipeline");
  options.pipeline = str("comm-overlap{abi=openmpi4}");
  jit = commJITCreate(printLine, NULL);
  check(jit.ptr != NULL, "commJITCreate");
  check(mlirLogicalResultIsSuccess(commCompileModule(op, options, sink)), "commCompileModule");
  commJITDefine(jit, str("MPI_Barrier"), (void *)myBarrier, printLine, NULL);
  commJITDefine(jit, str("comm_mpi_failed"), (void *)onError, printLine, NULL);
  check(mlirLogicalResultIsFailure(commJITAddLibrary(jit, str("/nowhere.so"), printLine, NULL)), "no library");
  void (*look)(uint64_t *) = (void (*)(uint64_t *))commJITLookup(jit, str("comm_entry_look"), printLine, NULL);
  void (*scale)(uint64_t *) = (void (*)(uint64_t *))commJITLookup(jit, str("comm_entry_scale"), printLine, NULL);
  check(look && scale, "commJITLookup");
  double value = 1.5, factor = 4;
  uint64_t words[3] = {(uint64_t)&value, 0, 0};
  memcpy(&words[1], &factor, sizeof factor);
  scale(words);
  printf("called %d %g\n", (int)words[0], value);
  words[0] = (uint64_t)&value;
  words[2] = 7;
  if (setjmp(back) == 0)
    scale(words);
  printf("error %d\n", lastError);
  check(commJITLookup(jit, str("comm_entry_frob"), printLine, NULL) == NULL, "no symbol");
  commJITDestroy(jit);
  mlirModuleDestroy(module);
  commGetTarget(printLine, NULL);
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  commRegisterAllDialects(registry);
  commRegisterAllPasses();
  commRegisterAllPasses();
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  commContextLoadAllDialects(context);
  mlirContextAttachDiagnosticHandler(context, onDiagnostic, NULL, NULL);
  printf("version ");
  printLine(commGetVersion(), NULL);
  commForEachABI(printLine, NULL);

  testTypes(context);
  MlirModule module = mlirModuleCreateParse(context, str(program));
  check(!mlirModuleIsNull(module), "parse");
  MlirOperation func = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  testBuild(context, body);
  testInterfaces(body);
  testPipelines(context, module);
  mlirModuleDestroy(module);
  testExecution(context);
  mlirContextDestroy(context);
  testGraphs();
  printf("done\n");
  return 0;
}

// CHECK: version {{[0-9]+\.[0-9]+\.[0-9]+}}
// CHECK-NEXT: mpi-abi
// CHECK: openmpi4
// CHECK: !comm.comm{{$}}
// CHECK: !comm.win{{$}}
// CHECK: "comm.comm_size"(
// CHECK: diagnostic: 'comm.comm_size' op operand #0 must be
// CHECK: diagnostic: no operation represents 'MPI_Frob'
// CHECK: diagnostic: MPI_Comm_size: the parameter 'comm' is given twice
// CHECK: diagnostic: MPI_Comm_size has no parameter 'root'
// CHECK: diagnostic: MPI_Comm_size has no outcome 'rank'
// CHECK: MPI_Allreduce
// CHECK-NEXT: MPI_Allreduce
// CHECK: param: op MPI_SUM
// CHECK: param: comm MPI_COMM_WORLD
// CHECK: access: sendbuf extent 4 reads{{$}}
// CHECK: access: recvbuf extent 4 writes{{$}}
// CHECK: 'frob' does not refer to a registered pass or pass pipeline
// CHECK: diagnostic: the filter of remarks '(' is not a regular expression
// CHECK: ran: comm-split-blocking
// CHECK-NEXT: statistic: num-split 1 (Number of blocking operations split)
// CHECK: my pass, new, on func.func
// CHECK: remark: 0 comm-move-slices Overlap in step:
// CHECK: comm.allreduce async
// CHECK: scf.for
// CHECK: comm.wait
// CHECK: diagnostic: not today
// CHECK: diagnostic: @wide cannot be called from outside
// CHECK-NEXT: diagnostic: cannot be compiled: only a builtin.module can
// CHECK-NEXT: diagnostic: has no body of @nobody
// CHECK-NEXT: diagnostic: cannot be compiled with the pipeline 'comm-overlap{frob=1}'
// CHECK-NEXT: read-only look 0
// CHECK-NEXT: /nowhere.so: cannot open
// CHECK-NEXT: called 42 6
// CHECK-NEXT: error 7
// CHECK-NEXT: {{.*}}comm_entry_frob
// CHECK-NEXT: LLVM 22
// CHECK: the graph has no schedule yet
// CHECK: collective: gather of 5, root 0,
// CHECK: digraph
// CHECK: process 9
// CHECK: frob
// CHECK: 2:1:
// CHECK: done
