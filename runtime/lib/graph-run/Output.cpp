// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes properties as text, CSV, or NumPy arrays. Each process formats its own values, and process 0 writes them to
// the file one after another.
#include "Program.h"

#include <cerrno>
#include <cstdio>

namespace comm::graphrun {

std::string formatValue(int type, const void *value) {
  char text[40];
  double number = 0;
  float narrow;
  int64_t integer = 0;
  switch (type) {
  case COMM_GRAPH_BOOL:
    return *static_cast<const uint8_t *>(value) ? "True" : "False";
  case COMM_GRAPH_FLOAT:
    memcpy(&narrow, value, 4);
    snprintf(text, sizeof text, "%.9g", static_cast<double>(narrow));
    return text;
  case COMM_GRAPH_DOUBLE:
    memcpy(&number, value, 8);
    snprintf(text, sizeof text, "%.17g", number);
    return text;
  case COMM_GRAPH_INT32: {
    int32_t small;
    memcpy(&small, value, 4);
    return std::to_string(small);
  }
  default:
    memcpy(&integer, value, 8);
    return std::to_string(integer);
  }
}

namespace {

enum class Form { Text, Csv, Npy };

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string header(Form form, const Values &values, const std::string &name, int64_t total) {
  if (form == Form::Csv)
    return (values.isEdges ? "source,target," : "vertex,") + name + "\n";
  if (form == Form::Text)
    return "";
  static const char *const types[] = {"|b1", "<i4", "<i8", "<f4", "<f8", "<i8", "<i8"};
  std::string text = std::string("{'descr': '") + types[values.type] + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(total) + ",), }";
  // The size of the whole header is a multiple of 64 bytes, and it ends with a newline.
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() % 256);
  head += static_cast<char>(text.size() / 256);
  return head + text;
}

/* Returns the owned values from `begin` on, up to about a megabyte. */
std::string piece(const comm_graph_run *run, const Values &values, Form form, int64_t &begin, int64_t &vertex) {
  const comm_graph_topology &graph = run->topology;
  std::string text;
  if (form == Form::Npy) {
    int64_t end = std::min<int64_t>(values.owned, begin + (1 << 17));
    text.assign(values.at(begin), static_cast<size_t>(end - begin) * sizeOf(values.type));
    begin = end;
    return text;
  }
  char separator = form == Form::Csv ? ',' : ' ';
  for (; begin < values.owned && text.size() < (1 << 20); ++begin) {
    if (values.isEdges) {
      while (graph.out_offsets[vertex + 1] <= begin)
        ++vertex;
      text +=
          std::to_string(graph.first + vertex) + separator + std::to_string(graph.globals[graph.out_neighbors[begin]]);
    } else {
      text += std::to_string(graph.first + begin);
    }
    text += separator + formatValue(values.type, values.at(begin)) + '\n';
  }
  return text;
}

} // namespace

std::string writeProperty(comm_graph_run *run, const Values &values, const std::string &name, const std::string &file) {
  Form form = endsWith(file, ".npy") ? Form::Npy : endsWith(file, ".csv") ? Form::Csv : Form::Text;
  int64_t total = values.isEdges ? run->topology.edges : run->topology.vertices;
  FILE *out = nullptr;
  int isOpen = 1, reason = 0; // in process 0, which tells it
  auto failed = [&] { return "cannot write '" + file + "': " + strerror(reason); };
  if (!run->view.rank) {
    out = file == "-" ? stdout : fopen(file.c_str(), "wb");
    isOpen = out != nullptr;
    reason = errno;
  }
  MPI_Bcast(&isOpen, 1, MPI_INT, 0, run->comm);
  if (!isOpen)
    return failed();
  bool isGood = true;
  auto check = [&](bool isDone) {
    if (isGood && !isDone)
      reason = errno;
    isGood &= isDone;
  };
  auto put = [&](const std::string &text) { check(fwrite(text.data(), 1, text.size(), out) == text.size()); };
  int64_t begin = 0, vertex = 0;
  if (!run->view.rank) {
    put(header(form, values, name, total));
    while (begin < values.owned)
      put(piece(run, values, form, begin, vertex));
    for (int from = 1; from < run->view.processes; ++from) {
      // Request the data of each process in turn, so that unexpected messages do not pile up.
      int size = 0;
      MPI_Send(&from, 1, MPI_INT, from, 1, run->comm);
      while (true) {
        MPI_Recv(&size, 1, MPI_INT, from, 2, run->comm, MPI_STATUS_IGNORE);
        if (!size)
          break;
        std::string text(static_cast<size_t>(size), 0);
        MPI_Recv(text.data(), size, MPI_BYTE, from, 3, run->comm, MPI_STATUS_IGNORE);
        put(text);
      }
    }
    check((out == stdout ? fflush(out) : fclose(out)) == 0);
  } else {
    int asked;
    MPI_Recv(&asked, 1, MPI_INT, 0, 1, run->comm, MPI_STATUS_IGNORE);
    while (begin < values.owned) {
      std::string text = piece(run, values, form, begin, vertex);
      int size = static_cast<int>(text.size());
      MPI_Send(&size, 1, MPI_INT, 0, 2, run->comm);
      MPI_Send(text.data(), size, MPI_BYTE, 0, 3, run->comm);
    }
    int none = 0;
    MPI_Send(&none, 1, MPI_INT, 0, 2, run->comm);
  }
  int isWritten = isGood;
  MPI_Bcast(&isWritten, 1, MPI_INT, 0, run->comm);
  return isWritten ? "" : failed();
}

} // namespace comm::graphrun
