// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signature of the program, and its options.
#include "Program.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <unordered_set>

namespace comm::graphrun {

static const char *const usage =
    "--graph NAME [--arg NAME=VALUE]... [--output PROPERTY=FILE]... [--print[=PROPERTY,...]] [--stats FILE]\n"
    "  [--undirected] [--vertices N] [--weights MIN:MAX | --unit-weights] [--seed N] [--trials N] [--quiet] [--help]";
static const char *const help =
    "  --graph NAME            a file (.el .wel .txt .csv .tsv .mtx .metis .graph .sg .wsg .gr, also .gz), or\n"
    "                          rmat:SCALE:DEGREE, uniform:SCALE:DEGREE, grid:WIDTH:HEIGHT\n"
    "  --arg NAME=VALUE        an argument of the function; @FILE for the values of a property\n"
    "  --output PROPERTY=FILE  write a property: .csv, .npy, or text\n"
    "  --print[=PROPERTY,...]  print these properties, or all parameters that are properties\n"
    "  --stats FILE            write statistics of the run, as JSON\n"
    "  --undirected            add the reverse of each edge\n"
    "  --vertices N            the minimum number of vertices\n"
    "  --weights MIN:MAX       draw the weights of edges from this range of integers\n"
    "  --unit-weights          set all weights to 1\n"
    "  --seed N                the seed of generated graphs and drawn weights\n"
    "  --trials N              the number of times to run the program\n"
    "  --quiet                 print no progress while loading\n"
    "  --help                  print this\n";

const char *writtenTypeOf(int type) {
  static const char *const names[] = {"bool", "int", "long", "float", "double", "node", "edge"};
  return names[type];
}

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
    } else if (words[0] == "local") {
      signature.locals.push_back(words[1]);
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

bool parseInteger(const std::string &text, int64_t &value) {
  char *end = nullptr;
  errno = 0;
  value = strtoll(text.c_str(), &end, 10);
  return !text.empty() && !*end && !errno;
}

/* Checks that the program may have a property of this name. Returns an error message, or "". */
static std::string checkProperty(const Signature &signature, const std::string &name) {
  std::vector<std::string> known;
  for (const Parameter &each : signature.parameters)
    if (each.kind >= Parameter::VertexProperty)
      known.push_back(each.name);
  known.insert(known.end(), signature.locals.begin(), signature.locals.end());
  if (std::find(known.begin(), known.end(), name) != known.end())
    return "";
  std::string error = "the program has no property '" + name + "'";
  for (const std::string &each : known)
    error += (&each == &known.front() ? ": it has '" : ", '") + each + "'";
  return error;
}

/* Parses MIN:MAX, 32-bit integers. Returns an error message, or "". */
static std::string parseRange(const std::string &text, int32_t &low, int32_t &high) {
  size_t colon = text.find(':');
  int64_t least = 0, most = 0;
  if (colon == std::string::npos || !parseInteger(text.substr(0, colon), least) ||
      !parseInteger(text.substr(colon + 1), most))
    return "it is not two integers";
  if (least < INT32_MIN || most > INT32_MAX)
    return "weights have 32 bits";
  if (least > most)
    return "MIN is greater than MAX";
  if (most <= 0)
    return "MAX is not greater than 0";
  low = static_cast<int32_t>(least);
  high = static_cast<int32_t>(most);
  return "";
}

/* Parses a number from `least` to `most`. Returns an error message, or "". */
static std::string parseNumber(const std::string &name, const std::string &text, int64_t least, int64_t most,
                               int64_t &number) {
  if (parseInteger(text, number) && number >= least && number <= most)
    return "";
  return name + " with '" + text + "': expected an integer" +
         (least == INT64_MIN ? "" : " from " + std::to_string(least) + " to " + std::to_string(most));
}

/* Returns an error message if one file would get two outputs, or "". */
static std::string checkOutputs(const Options &options) {
  std::unordered_set<std::string> files = {options.stats};
  for (const auto &[name, file] : options.outputs)
    if (file != "-" && !files.insert(file).second)
      return "two outputs would be written to '" + file + "': name another file";
  return "";
}

std::string parseOptions(int argc, char **argv, const Signature &signature, Options &options) {
  std::unordered_set<std::string> given;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i], value;
    size_t equals = name.find('=');
    const bool hasValue = name.rfind("--", 0) == 0 && equals != std::string::npos;
    if (hasValue) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    const bool isFlag = name == "--undirected" || name == "--quiet" || name == "--unit-weights" || name == "--help";
    if (isFlag && hasValue)
      return "'" + name + "' has no value";
    if (!isFlag && !hasValue && name != "--print") {
      if (i + 1 == argc)
        return "'" + name + "' is not an option, or has no value";
      value = argv[++i];
    }
    if (!isFlag && name != "--arg" && name != "--output" && name != "--print" && !given.insert(name).second)
      return "'" + name + "' is given twice";
    auto pair = [&] {
      size_t at = value.find('=');
      return std::make_pair(value.substr(0, at), at == std::string::npos ? std::string() : value.substr(at + 1));
    };
    std::string wrong;
    int64_t number = 0;
    if (name == "--graph") {
      options.graph = value;
    } else if (name == "--arg") {
      auto argument = pair();
      for (const auto &[before, text] : options.arguments)
        if (before == argument.first)
          return "the argument '" + before + "' is given twice";
      options.arguments.push_back(argument);
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
    } else if (name == "--help") {
      options.help = true;
    } else if (name == "--vertices") {
      wrong = parseNumber(name, value, 0, UINT32_MAX, options.vertices);
    } else if (name == "--seed") {
      wrong = parseNumber(name, value, INT64_MIN, INT64_MAX, options.seed);
    } else if (name == "--trials") {
      wrong = parseNumber(name, value, 1, INT32_MAX, number);
      options.trials = static_cast<int>(number);
    } else if (name == "--weights") {
      wrong = parseRange(value, options.weightMin, options.weightMax);
      if (!wrong.empty())
        wrong = "--weights with '" + value + "': " + wrong + ": write MIN:MAX with MIN <= MAX and 0 < MAX";
    } else {
      wrong = "'" + name + "' is not an option";
    }
    if (!wrong.empty())
      return wrong;
  }
  if (options.help)
    return "";
  if (options.graph.empty())
    return "no graph: name it with --graph";
  if (std::string wrong = checkOutputs(options); !wrong.empty())
    return wrong;
  for (const auto &[name, value] : options.arguments) {
    auto isNamed = [&wanted = name](const Parameter &each) {
      return each.name == wanted && each.kind != Parameter::Graph;
    };
    if (std::none_of(signature.parameters.begin(), signature.parameters.end(), isNamed))
      return "the function has no parameter '" + name + "'";
  }
  std::vector<std::string> wanted = options.printed;
  for (const auto &[name, file] : options.outputs)
    wanted.push_back(name);
  for (const std::string &name : wanted)
    if (std::string wrong = checkProperty(signature, name); !wrong.empty())
      return wrong;
  return "";
}

std::string describeParameter(const Parameter &parameter) {
  if (parameter.kind == Parameter::Set)
    return "a set: VERTEX,...";
  const std::string type = writtenTypeOf(parameter.type);
  switch (parameter.kind) {
  case Parameter::List: {
    // Each level of lists has a separator of its own.
    std::string of = type, form = "VALUE,...";
    for (int level = 1; level < parameter.depth; ++level) {
      of = "lists of " + of;
      form += std::string(static_cast<size_t>(level), ';') + "...";
    }
    return "a list of " + of + ": " + form;
  }
  case Parameter::VertexProperty:
    return "propNode<" + type + ">";
  case Parameter::EdgeProperty:
  case Parameter::Weights:
    return "propEdge<" + type + ">";
  default:
    return type;
  }
}

std::string describeOptions(const std::string &program, const Signature &signature) {
  std::string text = "usage: " + program + " " + usage + "\n" + help;
  if (signature.parameters.size() > 1)
    text += "arguments of " + signature.name + ":\n";
  for (const Parameter &each : signature.parameters) {
    if (each.kind == Parameter::Graph)
      continue;
    std::string type = describeParameter(each);
    text += "  " + each.name + std::string(each.name.size() < 22 ? 22 - each.name.size() : 0, ' ') + "  " + type + "\n";
  }
  return text;
}

} // namespace comm::graphrun
