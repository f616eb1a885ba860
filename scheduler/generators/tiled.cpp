// SPDX-License-Identifier: Apache-2.0
#include "scheduler/generators/tiled.hpp"

#include <algorithm>

namespace mkmd::scheduler {
namespace {

struct Kernel {
  const char* name;
  double gpu_seconds, factor;  // CPU time = GPU time * factor
};

// Acceleration factors of Cholesky are Table 1 of the paper.
constexpr Kernel kPotrf{"POTRF", 0.0078, 1.72}, kTrsm{"TRSM", 0.0032, 8.72}, kSyrk{"SYRK", 0.001, 26.96},
    kGemm{"GEMM", 0.00175, 28.80};
constexpr Kernel kGetrf{"GETRF", 0.013, 1.9};
constexpr Kernel kGeqrt{"GEQRT", 0.024, 1.6}, kOrmqr{"ORMQR", 0.005, 10}, kTsqrt{"TSQRT", 0.026, 2.2},
    kTsmqr{"TSMQR", 0.006, 18};

// Adds tasks in program order; a task depends on the last writer of every tile it touches.
class Tiles {
public:
  Tiles(int tiles, int cpus, int gpus) : tiles_(tiles), writer_(static_cast<size_t>(tiles) * tiles, -1) {
    Platform& p = problem_.platform;
    for (int i = 0; i < cpus; ++i)
      p.devices.push_back({"cpu" + std::to_string(i), DeviceClass::cpu, 0});
    for (int i = 0; i < gpus; ++i)
      p.devices.push_back({"gpu" + std::to_string(i), DeviceClass::gpu, 1 + i});
    p.bw = 7.88e9;
    cpus_ = cpus;
  }

  struct Tile {
    int row, column;
  };

  void add(const Kernel& kernel, std::initializer_list<Tile> reads, std::initializer_list<Tile> writes) {
    TaskGraph& g = problem_.graph;
    const int id = static_cast<int>(g.tasks.size());
    Task task;
    task.id = id;
    task.name = kernel.name;
    for (size_t d = 0; d < problem_.platform.devices.size(); ++d)
      task.times.push_back(static_cast<int>(d) < cpus_ ? kernel.gpu_seconds * kernel.factor
                                                       : kernel.gpu_seconds);
    g.tasks.push_back(std::move(task));
    sources_.clear();
    for (const auto& list : {reads, writes})
      for (const Tile& t : list)
        if (writer(t) >= 0) sources_.push_back(writer(t));
    std::sort(sources_.begin(), sources_.end());
    sources_.erase(std::unique(sources_.begin(), sources_.end()), sources_.end());
    for (int src : sources_)
      g.edges.push_back({src, id, 0, "o" + std::to_string(src), Access::full});
    for (const Tile& t : writes)
      writer(t) = id;
  }

  Problem take() { return std::move(problem_); }

private:
  int& writer(const Tile& t) { return writer_[static_cast<size_t>(t.row) * tiles_ + t.column]; }

  int tiles_, cpus_ = 0;
  Problem problem_;
  std::vector<int> writer_, sources_;
};

void cholesky(Tiles& tiles, int n) {
  for (int k = 0; k < n; ++k) {
    tiles.add(kPotrf, {}, {{k, k}});
    for (int i = k + 1; i < n; ++i)
      tiles.add(kTrsm, {{k, k}}, {{i, k}});
    for (int i = k + 1; i < n; ++i) {
      tiles.add(kSyrk, {{i, k}}, {{i, i}});
      for (int j = k + 1; j < i; ++j)
        tiles.add(kGemm, {{i, k}, {j, k}}, {{i, j}});
    }
  }
}

void lu(Tiles& tiles, int n) {
  for (int k = 0; k < n; ++k) {
    tiles.add(kGetrf, {}, {{k, k}});
    for (int i = k + 1; i < n; ++i) {
      tiles.add(kTrsm, {{k, k}}, {{i, k}});
      tiles.add(kTrsm, {{k, k}}, {{k, i}});
    }
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j < n; ++j)
        tiles.add(kGemm, {{i, k}, {k, j}}, {{i, j}});
  }
}

void qr(Tiles& tiles, int n) {
  for (int k = 0; k < n; ++k) {
    tiles.add(kGeqrt, {}, {{k, k}});
    for (int j = k + 1; j < n; ++j)
      tiles.add(kOrmqr, {{k, k}}, {{k, j}});
    for (int i = k + 1; i < n; ++i) {
      tiles.add(kTsqrt, {}, {{k, k}, {i, k}});
      for (int j = k + 1; j < n; ++j)
        tiles.add(kTsmqr, {{i, k}}, {{k, j}, {i, j}});
    }
  }
}

}  // namespace

Problem tiled_factorisation(Factorisation kind, int n, int cpus, int gpus) {
  Tiles tiles(n, cpus, gpus);
  switch (kind) {
  case Factorisation::cholesky:
    cholesky(tiles, n);
    break;
  case Factorisation::lu:
    lu(tiles, n);
    break;
  case Factorisation::qr:
    qr(tiles, n);
    break;
  }
  return tiles.take();
}

}  // namespace mkmd::scheduler
