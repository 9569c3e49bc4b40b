// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of the program's function, by name.
#include "Program.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unordered_set>

namespace comm::graphrun {

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

/* @FILE has a value in each line, of all vertices or edges. Returns what is wrong, which all processes find alike. */
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
      wrong = name + ":" + std::to_string(lines) + ": '" + std::string(line).substr(0, 40) +
              "' is not a value of type " + writtenTypeOf(values.type);
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

/* Reads a set, with duplicates removed and in the order of first occurrence. Returns false if it is none. `missing` is
 * a vertex that the graph does not have, if there is one. */
static bool readSet(comm_graph_run *run, const std::string &text, std::vector<int64_t> &members,
                    std::optional<int64_t> &missing) {
  std::unordered_set<int64_t> seen;
  for (size_t at = 0; at < text.size();) {
    size_t comma = text.find(',', at);
    int64_t member;
    if (!parseValue(text.substr(at, comma - at), COMM_GRAPH_VERTEX, member))
      return false;
    if (member < 0 || member >= run->topology.vertices)
      missing = member;
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
    case Parameter::Set: {
      std::optional<int64_t> missing;
      isGood = readSet(run, *text, arguments.members[i], missing);
      if (isGood && missing)
        return "the set '" + parameter.name + "': there is no vertex " + std::to_string(*missing) + ": the graph has " +
               std::to_string(run->topology.vertices) + " vertices";
      arguments.sets[i] = {static_cast<int64_t>(arguments.members[i].size()), arguments.members[i].data()};
      slot = static_cast<int64_t>(reinterpret_cast<intptr_t>(&arguments.sets[i]));
      break;
    }
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
      if (text) {
        if (std::string wrong = readProperty(run, *text, *values); !wrong.empty())
          return "the values of '" + parameter.name + "': " + wrong;
      } else if (parameter.areWeights())
        comm_graph_run_copy(comm_graph_run_weights(run, parameter.type, signature.name.c_str()), values);
      slot = static_cast<int64_t>(reinterpret_cast<intptr_t>(static_cast<comm_graph_values *>(values)));
      break;
    }
    }
    if (!isGood)
      return "'" + *text + "' is not a value for '" + parameter.name + "' (" + describeParameter(parameter) + ")";
    arguments.slots.push_back(slot);
  }
  return "";
}

} // namespace comm::graphrun
