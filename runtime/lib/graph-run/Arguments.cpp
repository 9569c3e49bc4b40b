// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's options, and the named arguments of its function.
#include "Program.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_set>

namespace comm::graphrun {

const char *const usage =
    "--graph NAME [--arg NAME=VALUE]... [--output PROPERTY=FILE]... [--print[=PROPERTY,...]] [--stats FILE]\n"
    "  [--undirected] [--vertices N] [--weights MIN:MAX | --unit-weights] [--seed N] [--trials N] [--quiet]";

Signature parseSignature(const char *text) {
  Signature signature;
  std::string rest = text;
  auto number = [](const std::string &name) {
    for (int type = COMM_GRAPH_BOOL; type <= COMM_GRAPH_EDGE; ++type)
      if (name == nameOf(type))
        return type;
    return -1;
  };
  for (size_t begin = 0; begin < rest.size();) {
    size_t end = rest.find('\n', begin);
    std::string line = rest.substr(begin, end - begin), words[3];
    begin = end + 1;
    for (size_t i = 0, at = 0; i < 3 && at < line.size(); ++i) {
      size_t space = i == 2 ? std::string::npos : line.find(' ', at);
      words[i] = line.substr(at, space - at);
      at = space == std::string::npos ? line.size() : space + 1;
    }
    if (words[0] == "function") {
      signature.result = number(words[1]);
      signature.name = words[2];
    } else if (words[0] == "needs") {
      (words[1] == "in"        ? signature.needsIn
       : words[1] == "weights" ? signature.needsWeights
                               : signature.needsRealWeights) = true;
    } else if (words[0] == "balances") {
      signature.balancesEdges = true;
    } else {
      // "list+" or "list++" and so on.
      auto depth = static_cast<int>(std::count(words[0].begin(), words[0].end(), '+'));
      Parameter::Kind kind = depth                   ? Parameter::List
                             : words[0] == "graph"   ? Parameter::Graph
                             : words[0] == "scalar"  ? Parameter::Scalar
                             : words[0] == "set"     ? Parameter::Set
                             : words[0] == "vertex"  ? Parameter::VertexProperty
                             : words[0] == "weights" ? Parameter::Weights
                                                     : Parameter::EdgeProperty;
      signature.parameters.push_back({kind, number(words[1]), depth, words[2]});
    }
  }
  return signature;
}

static bool parseInteger(const std::string &text, int64_t &value) {
  char *end = nullptr;
  errno = 0;
  value = strtoll(text.c_str(), &end, 10);
  return !text.empty() && !*end && !errno;
}

std::string parseOptions(int argc, char **argv, const Signature &signature, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i], value;
    size_t equals = name.find('=');
    bool isFlag = name == "--undirected" || name == "--quiet" || name == "--print" || name == "--unit-weights";
    if (name.rfind("--", 0) == 0 && equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    } else if (!isFlag) {
      if (i + 1 == argc)
        return "'" + name + "' is no option, or has no value";
      value = argv[++i];
    }
    auto pair = [&] {
      size_t at = value.find('=');
      return std::make_pair(value.substr(0, at), at == std::string::npos ? std::string() : value.substr(at + 1));
    };
    int64_t number = 0;
    bool isNumber = parseInteger(value, number);
    if (name == "--graph") {
      options.graph = value;
    } else if (name == "--arg") {
      auto given = pair();
      for (const auto &[before, text] : options.arguments)
        if (before == given.first)
          return "the argument '" + before + "' is given twice";
      options.arguments.push_back(given);
    } else if (name == "--output") {
      options.outputs.push_back(pair());
      if (options.outputs.back().second.empty())
        return "--output with '" + value + "' names no file: write --output PROPERTY=FILE";
    } else if (name == "--stats") {
      options.stats = value;
    } else if (name == "--undirected") {
      options.undirected = true;
    } else if (name == "--quiet") {
      options.quiet = true;
    } else if (name == "--unit-weights") {
      options.unitWeights = true;
    } else if (name == "--print") {
      options.prints = true;
      for (size_t at = 0; at < value.size();) {
        size_t comma = value.find(',', at);
        options.printed.push_back(value.substr(at, comma - at));
        at = comma == std::string::npos ? value.size() : comma + 1;
      }
    } else if (name == "--vertices" && isNumber) {
      options.vertices = number;
    } else if (name == "--seed" && isNumber) {
      options.seed = number;
    } else if (name == "--trials" && isNumber && number > 0) {
      options.trials = static_cast<int>(number);
    } else if (name == "--weights" && value.find(':') != std::string::npos) {
      options.weightMin = atoi(value.c_str());
      options.weightMax = atoi(value.c_str() + value.find(':') + 1);
      if (options.weightMax <= 0 || options.weightMin > options.weightMax)
        return "'" + value + "' is no range of weights: write MIN:MAX with MIN <= MAX and 0 < MAX";
    } else {
      return "'" + name + "' with '" + value + "' is no option";
    }
  }
  if (options.graph.empty())
    return "no graph: name it with --graph";
  auto findParameter = [&](const std::string &name) {
    for (const Parameter &parameter : signature.parameters)
      if (parameter.name == name && parameter.kind != Parameter::Graph)
        return true;
    return false;
  };
  for (const auto &[name, value] : options.arguments)
    if (!findParameter(name))
      return "the function has no parameter '" + name + "'";
  return "";
}

bool parseValue(const std::string &given, int type, int64_t &slot) {
  size_t begin = given.find_first_not_of(" \t\r"), end = given.find_last_not_of(" \t\r");
  std::string text = begin == std::string::npos ? "" : given.substr(begin, end - begin + 1);
  slot = 0;
  if (type == COMM_GRAPH_BOOL) {
    slot = text == "True" || text == "true" || text == "1";
    return slot || text == "False" || text == "false" || text == "0";
  }
  if (type == COMM_GRAPH_FLOAT || type == COMM_GRAPH_DOUBLE) {
    char *stop = nullptr;
    double number = strtod(text.c_str(), &stop);
    if (text.empty() || *stop)
      return false;
    auto narrow = static_cast<float>(number);
    if (type == COMM_GRAPH_FLOAT)
      memcpy(&slot, &narrow, 4);
    else
      memcpy(&slot, &number, 8);
    return true;
  }
  return parseInteger(text, slot) && (type != COMM_GRAPH_INT32 || (slot >= INT32_MIN && slot <= INT32_MAX));
}

/* Returns the type's name in programs. */
static const char *writtenTypeOf(int type) {
  static const char *const names[] = {"bool", "int", "long", "float", "double", "node", "edge"};
  return names[type];
}

/* Reads @FILE, which has one value per line for all vertices or edges. Returns an error message, equal on all
 * processes. */
static std::string readProperty(comm_graph_run *run, const std::string &text, Values &values) {
  if (text[0] != '@')
    return "values of a property come from a file: write @FILE, with a line for each value";
  const std::string name = text.substr(1);
  FILE *file = fopen(name.c_str(), "r");
  if (!file)
    return "cannot read '" + name + "': " + strerror(errno);
  int64_t first = values.isEdges ? run->topology.first_edge : run->topology.first, index = 0, lines = 0;
  char *line = nullptr;
  size_t capacity = 0;
  std::string wrong;
  for (ssize_t length; wrong.empty() && (length = getline(&line, &capacity, file)) >= 0;) {
    ++lines;
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
      line[--length] = 0;
    if (!length)
      continue;
    int64_t slot;
    if (!parseValue(line, values.type, slot))
      wrong = name + ":" + std::to_string(lines) + ": '" + std::string(line).substr(0, 40) + "' is no value of type " +
              writtenTypeOf(values.type);
    int64_t local = index++ - first;
    if (wrong.empty() && local >= 0 && local < values.owned)
      memcpy(values.at(local), &slot, sizeOf(values.type));
  }
  free(line);
  fclose(file);
  values.ghosts = Ghosts::Stale;
  int64_t wanted = values.isEdges ? run->topology.edges : run->topology.vertices;
  if (wrong.empty() && index != wanted)
    wrong = "'" + name + "' has " + std::to_string(index) + " values, and the graph has " + std::to_string(wanted) +
            (values.isEdges ? " edges" : " vertices");
  return wrong;
}

/* Reads a set, with duplicates removed and in the order of first occurrence. */
static bool readSet(comm_graph_run *run, const std::string &text, std::vector<int64_t> &members) {
  std::unordered_set<int64_t> seen;
  for (size_t at = 0; at < text.size();) {
    size_t comma = text.find(',', at);
    int64_t member;
    if (!parseValue(text.substr(at, comma - at), COMM_GRAPH_VERTEX, member) || member < 0 ||
        member >= run->topology.vertices)
      return false;
    if (seen.insert(member).second)
      members.push_back(member);
    at = comma == std::string::npos ? text.size() : comma + 1;
  }
  return true;
}

/* Reads a list. Commas separate elements and semicolons separate the lists in a list; each further level uses one
 * more. */
static bool readList(const std::string &text, comm_graph_list &list) {
  std::string sign = list.depth > 1 ? std::string(static_cast<size_t>(list.depth - 1), ';') : ",";
  for (size_t at = 0; at <= text.size() && !text.empty();) {
    size_t end = std::min(text.find(sign, at), text.size());
    std::string word = text.substr(at, end - at);
    at = end + sign.size();
    if (list.depth > 1) {
      list.lists.push_back(std::make_unique<comm_graph_list>(list.run, list.type, list.depth - 1));
      if (!readList(word, *list.lists.back()))
        return false;
      continue;
    }
    int64_t slot;
    if (!parseValue(word, list.type, slot))
      return false;
    list.push(&slot);
  }
  return true;
}

std::string makeArguments(comm_graph_run *run, const Signature &signature, const Options &options,
                          Arguments &arguments) {
  arguments.members.resize(signature.parameters.size());
  arguments.sets.resize(signature.parameters.size());
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const Parameter &parameter = signature.parameters[i];
    const std::string *text = nullptr;
    for (const auto &[name, value] : options.arguments)
      if (name == parameter.name)
        text = &value;
    int64_t slot = 0;
    bool isGood = true, isSet = parameter.kind == Parameter::Set;
    if (!text && (isSet || parameter.kind == Parameter::Scalar))
      return "the parameter '" + parameter.name + "' has no value: give it with --arg " + parameter.name +
             (isSet ? "=VERTEX,..." : "=VALUE");
    switch (parameter.kind) {
    case Parameter::Graph:
      break;
    case Parameter::Scalar:
      isGood = parseValue(*text, parameter.type, slot);
      break;
    case Parameter::Set:
      isGood = readSet(run, *text, arguments.members[i]);
      arguments.sets[i] = {static_cast<int64_t>(arguments.members[i].size()), arguments.members[i].data()};
      slot = static_cast<int64_t>(reinterpret_cast<intptr_t>(&arguments.sets[i]));
      break;
    case Parameter::List: {
      arguments.lists.push_back(std::make_unique<comm_graph_list>(run, parameter.type, parameter.depth));
      isGood = !text || readList(*text, *arguments.lists.back());
      slot = static_cast<int64_t>(reinterpret_cast<intptr_t>(arguments.lists.back().get()));
      break;
    }
    case Parameter::VertexProperty:
    case Parameter::EdgeProperty:
    case Parameter::Weights: {
      bool isEdges = parameter.kind != Parameter::VertexProperty;
      if (parameter.kind == Parameter::Weights && !text) {
        // The weights are only read.
        auto *weights = static_cast<Values *>(comm_graph_run_weights(run, parameter.type, signature.name.c_str()));
        weights->name = parameter.name;
        slot = static_cast<int64_t>(reinterpret_cast<intptr_t>(static_cast<comm_graph_values *>(weights)));
        break;
      }
      Values *values = makeValues(run, -4, static_cast<int64_t>(i), isEdges, parameter.type, parameter.name.c_str());
      bool isWeights = isEdges && (parameter.name == "weight" || parameter.name == "weights");
      if (text) {
        if (std::string wrong = readProperty(run, *text, *values); !wrong.empty())
          return "the values of '" + parameter.name + "': " + wrong;
      } else if (isWeights)
        comm_graph_run_copy(comm_graph_run_weights(run, parameter.type, signature.name.c_str()), values);
      slot = static_cast<int64_t>(reinterpret_cast<intptr_t>(static_cast<comm_graph_values *>(values)));
      break;
    }
    }
    if (!isGood)
      return "'" + *text + "' is no value for '" + parameter.name +
             "': a number, True or False, vertices of the graph separated by commas for a set, or values separated by "
             "commas for a list (and lists by semicolons)";
    arguments.slots.push_back(slot);
  }
  return "";
}

} // namespace comm::graphrun
