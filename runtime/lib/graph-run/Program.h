// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program around a compiled function: parameters, options, and outputs.
#ifndef COMM_RUNTIME_GRAPH_RUN_PROGRAM_H
#define COMM_RUNTIME_GRAPH_RUN_PROGRAM_H

#include "Lists.h"

#include <string>
#include <utility>
#include <vector>

namespace comm::graphrun {

struct Parameter {
  enum Kind { Graph, Scalar, Set, List, VertexProperty, EdgeProperty, Weights } kind = Scalar;
  int type = 0, depth = 0;
  std::string name;

  /* Whether it begins with the graph's weights unless it is given. */
  bool areWeights() const {
    return kind == Weights || (kind == EdgeProperty && (name == "weight" || name == "weights"));
  }
};

/* The contents of comm_graph_program_signature. */
struct Signature {
  std::string name;
  int result = -1; // none
  bool needsWeights = false, needsRealWeights = false, needsIn = false, balancesEdges = false;
  std::vector<Parameter> parameters;
  std::vector<std::string> locals; // properties that the program makes
};
Signature parseSignature(const char *text);

struct Options {
  std::string graph, stats;
  std::vector<std::pair<std::string, std::string>> arguments, outputs;
  std::vector<std::string> printed;
  bool prints = false, undirected = false, quiet = false, unitWeights = false, help = false;
  int64_t vertices = 0, seed = 1;
  int32_t weightMin = 0, weightMax = 0;
  int trials = 1;
};
/* Returns an error message, or "". */
std::string parseOptions(int argc, char **argv, const Signature &signature, Options &options);
/* Returns the text of --help. */
std::string describeOptions(const std::string &program, const Signature &signature);

/* Returns what --arg takes for the parameter. */
std::string describeParameter(const Parameter &parameter);
/* Returns the name of the type in the language. */
const char *writtenTypeOf(int type);
bool parseInteger(const std::string &text, int64_t &value);
/* A number as the language writes it; false if it is none of that type. */
bool parseValue(const std::string &text, int type, int64_t &slot);
std::string formatValue(int type, const void *value);

/* Arguments of the function. Stops if one is missing or wrong. `sets` has the arguments that are sets. */
struct Arguments {
  std::vector<int64_t> slots;
  std::vector<comm_graph_set> sets;
  std::vector<std::vector<int64_t>> members;
  std::vector<std::unique_ptr<comm_graph_list>> lists;
};
std::string makeArguments(comm_graph_run *run, const Signature &signature, const Options &options,
                          Arguments &arguments);

/* Writes a property to a file, or to standard output ("-"), on process 0. Collective. */
std::string writeProperty(comm_graph_run *run, const Values &values, const std::string &name, const std::string &file);

} // namespace comm::graphrun

#endif
