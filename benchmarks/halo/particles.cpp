// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Particles with full neighbor lists, as in molecular dynamics: positions of ghosts are received after the owned ones,
// then each particle adds the forces of its neighbors.
//
//   particles [N] [ITERATIONS]     N x N x N particles in each process
#include "bench.h"

#include <vector>

namespace {
struct Particles {
  int own = 0;
  std::vector<double> position, force; // three per particle; position: ghosts after the owned ones
  std::vector<int> begin, neighbor;    // of particle i: neighbor[begin[i]] to neighbor[begin[i + 1] - 1]
};

/// A layer of particles that is sent to another process.
struct Border {
  int rank, first_ghost;
  std::vector<int> particles;
  std::vector<double> buffer;
};

void addForces(Particles &p, int first, int last) {
  for (int i = first; i < last; ++i) {
    double fx = 0, fy = 0, fz = 0;
    for (int k = p.begin[i]; k < p.begin[i + 1]; ++k) {
      const int j = p.neighbor[k];
      const double dx = p.position[3 * i] - p.position[3 * j], dy = p.position[3 * i + 1] - p.position[3 * j + 1],
                   dz = p.position[3 * i + 2] - p.position[3 * j + 2];
      const double r2 = 1.0 / (dx * dx + dy * dy + dz * dz + 0.01), r6 = r2 * r2 * r2, w = r6 * (r6 - 0.5) * r2;
      fx += w * dx;
      fy += w * dy;
      fz += w * dz;
    }
    p.force[3 * i] = fx;
    p.force[3 * i + 1] = fy;
    p.force[3 * i + 2] = fz;
  }
}

/// A lattice in slabs along the first axis. Neighbors are particles at most two cells away.
Particles makeParticles(int n, int rank, int size, std::vector<Border> &borders) {
  Particles p;
  const int reach = 2, layer = reach * n * n;
  p.own = n * n * n;
  for (int side = 0; side < 2; ++side) {
    const int other = side ? rank + 1 : rank - 1;
    if (other < 0 || other >= size)
      continue;
    Border border{other, p.own + static_cast<int>(borders.size()) * layer, {}, std::vector<double>(3 * layer)};
    for (int i = 0; i < layer; ++i)
      border.particles.push_back((side ? p.own - layer : 0) + i);
    borders.push_back(std::move(border));
  }
  p.position.resize(3 * (p.own + borders.size() * layer));
  p.force.resize(3 * p.own);
  const bool lower = rank > 0, upper = rank < size - 1;
  p.begin.push_back(0);
  for (int i = 0; i < p.own; ++i) {
    const int x = i / (n * n), y = i / n % n, z = i % n;
    p.position[3 * i] = rank * n + x + (i * 7 % 13) / 40.0;
    p.position[3 * i + 1] = y + (i * 5 % 11) / 40.0;
    p.position[3 * i + 2] = z + (i * 3 % 7) / 40.0;
    for (int a = -reach; a <= reach; ++a)
      for (int b = -reach; b <= reach; ++b)
        for (int c = -reach; c <= reach; ++c) {
          const int u = x + a, v = y + b, w = z + c;
          if ((!a && !b && !c) || v < 0 || v >= n || w < 0 || w >= n || (u < 0 && !lower) || (u >= n && !upper))
            continue;
          const int inPlane = v * n + w;
          p.neighbor.push_back(u < 0    ? p.own + (u + reach) * n * n + inPlane
                               : u >= n ? p.own + (lower ? layer : 0) + (u - n) * n * n + inPlane
                                        : u * n * n + inPlane);
        }
    p.begin.push_back(static_cast<int>(p.neighbor.size()));
  }
  return p;
}

void packBorder(Border &border, const Particles &p) {
  for (size_t i = 0; i < border.particles.size(); ++i)
    for (int d = 0; d < 3; ++d)
      border.buffer[3 * i + d] = p.position[3 * border.particles[i] + d];
}
} // namespace

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argument(argc, argv, 1, 16), iterations = argument(argc, argv, 2, 30);
  std::vector<Border> borders;
  Particles p = makeParticles(n, rank, size, borders);

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t) {
    std::vector<MPI_Request> requests;
    for (Border &border : borders) {
      requests.emplace_back();
      MPI_Irecv(&p.position[3 * border.first_ghost], static_cast<int>(border.buffer.size()), MPI_DOUBLE, border.rank, 0,
                MPI_COMM_WORLD, &requests.back());
    }
    for (Border &border : borders) {
      packBorder(border, p);
#ifdef BY_HAND
      requests.emplace_back();
      MPI_Isend(border.buffer.data(), static_cast<int>(border.buffer.size()), MPI_DOUBLE, border.rank, 0,
                MPI_COMM_WORLD, &requests.back());
    }
    // With slabs, the particles of the middle layers have no ghosts as neighbors.
    const int layer = 2 * n * n, first = rank > 0 ? layer : 0, last = rank < size - 1 ? p.own - layer : p.own;
    addForces(p, first, last);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    addForces(p, 0, first);
    addForces(p, last, p.own);
#else
      MPI_Send(border.buffer.data(), static_cast<int>(border.buffer.size()), MPI_DOUBLE, border.rank, 0,
               MPI_COMM_WORLD);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    addForces(p, 0, p.own);
#endif
    for (int i = 0; i < 3 * p.own; ++i)
      p.position[i] += 1e-4 * p.force[i];
  }
  finish(MPI_Wtime() - start, iterations, checksum(p.position.data(), 3 * p.own));
  MPI_Finalize();
  return 0;
}
