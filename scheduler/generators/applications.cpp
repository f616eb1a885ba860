// SPDX-License-Identifier: Apache-2.0
#include "scheduler/generators/applications.hpp"

#include <cmath>
#include <iterator>

namespace mkmd::scheduler {
namespace {

struct Speed {
  const char* name;
  DeviceClass device_class;
  double dense, scalar, bytes;  // operations/s of matrix products, of other arithmetic; bytes/s
  double launch;
};

// i7-4770, GTX 660, GT 620: a third of peak for matrix products, a tenth for other arithmetic, 70 % of
// bandwidth.
constexpr Speed kMachine[] = {{"i7-4770", DeviceClass::cpu, 80e9, 25e9, 18e9, 5e-6},
                              {"GTX660", DeviceClass::gpu, 620e9, 190e9, 100e9, 20e-6},
                              {"GT620", DeviceClass::gpu, 90e9, 27e9, 10e9, 20e-6}};

class Workload {
public:
  explicit Workload(bool second_gpu) : devices_(second_gpu ? 3 : 2) {
    for (int d = 0; d < devices_; ++d)
      problem_.platform.devices.push_back({kMachine[d].name, kMachine[d].device_class, d});
    problem_.platform.bw = 6e9;
    problem_.platform.lat = 1e-5;
  }

  // A kernel with `operations` (on matrix products if dense) and `bytes` touched, fed by earlier kernels with
  // `input_bytes` from each.
  int add(const std::string& name, double operations, bool dense, double bytes,
          const std::vector<int>& inputs, double input_bytes, bool divisible = true) {
    const int id = static_cast<int>(problem_.graph.tasks.size());
    Task t;
    t.id = id;
    t.name = name;
    t.divisible = divisible;
    for (int d = 0; d < devices_; ++d)
      t.times.push_back(kMachine[d].launch + operations / (dense ? kMachine[d].dense : kMachine[d].scalar) +
                        bytes / kMachine[d].bytes);
    problem_.graph.tasks.push_back(std::move(t));
    for (int from : inputs)
      problem_.graph.edges.push_back({from, id, input_bytes, "o" + std::to_string(from), Access::full});
    return id;
  }

  Problem take() { return std::move(problem_); }

private:
  int devices_;
  Problem problem_;
};

double pick(WorkloadSize size, double small, double medium, double large) {
  return size == WorkloadSize::small ? small : size == WorkloadSize::medium ? medium : large;
}

constexpr double kFloat = 4;

void xgemm(Workload& w, WorkloadSize size) {  // A B + C
  const double n = pick(size, 1024, 4096, 8192), matrix = kFloat * n * n;
  const int product = w.add("gemm", 2 * n * n * n, true, 3 * matrix, {}, 0);
  w.add("madd", n * n, false, 3 * matrix, {product}, matrix);
}

void cg(Workload& w, WorkloadSize size) {  // three iterations of conjugate gradients
  const double n = pick(size, 1024, 4096, 8192), matrix = kFloat * n * n, vector = kFloat * n;
  int x = -1, residual = w.add("residual", n, false, 3 * vector, {}, 0), direction = residual;
  for (int i = 0; i < 3; ++i) {
    const int product = w.add("matvec", 2 * n * n, false, matrix, {direction}, vector);
    const int alpha = w.add("dot", 2 * n, false, 2 * vector, {product, residual}, vector);
    std::vector<int> inputs{alpha, direction};
    if (x >= 0) inputs.push_back(x);
    x = w.add("axpy_x", 2 * n, false, 3 * vector, inputs, vector);
    const int next = w.add("axpy_r", 2 * n, false, 3 * vector, {alpha, product, residual}, vector);
    direction = w.add("axpy_p", 2 * n, false, 3 * vector, {next, direction}, vector);
    residual = next;
  }
}

void cholesky(Workload& w, WorkloadSize size) {  // 8 x 8 tiles
  constexpr int kTiles = 8;
  const double b = pick(size, 1024, 1024, 4096) / kTiles, tile = kFloat * b * b, cube = b * b * b;
  std::vector<int> writer(kTiles * kTiles, -1);
  const auto inputs = [&](std::initializer_list<int> tiles) {
    std::vector<int> from;
    for (int t : tiles)
      if (writer[t] >= 0) from.push_back(writer[t]);
    return from;
  };
  const auto at = [](int i, int j) { return i * kTiles + j; };
  for (int k = 0; k < kTiles; ++k) {
    writer[at(k, k)] = w.add("potrf", cube / 3, false, tile, inputs({at(k, k)}), tile, false);
    for (int i = k + 1; i < kTiles; ++i)
      writer[at(i, k)] = w.add("trsm", cube, true, 2 * tile, inputs({at(k, k), at(i, k)}), tile, false);
    for (int i = k + 1; i < kTiles; ++i)
      for (int j = k + 1; j <= i; ++j)
        writer[at(i, j)] = w.add(
            i == j ? "syrk" : "gemm", i == j ? cube : 2 * cube, true, 3 * tile,
            i == j ? inputs({at(i, k), at(i, i)}) : inputs({at(i, k), at(j, k), at(i, j)}), tile, false);
  }
}

void vector_kernel(Workload& w, const char* name, double n, double vectors) {
  w.add(name, n, false, vectors * kFloat * n, {}, 0);
}

void pi(Workload& w, WorkloadSize size) {  // a thousand independent tasks and their sum
  const double hits = pick(size, 1024, 4096, 8192);
  std::vector<int> parts;
  for (int i = 0; i < 1000; ++i)
    parts.push_back(w.add("hits", 40 * hits, false, 8, {}, 0, false));
  w.add("sum", 1000, false, 8000, parts, 8, false);
}

void fblock(Workload& w, WorkloadSize size) {  // a cube filled in slabs
  const double n = pick(size, 128, 256, 512), slab = kFloat * n * n * n / 8;
  for (int i = 0; i < 8; ++i)
    w.add("fill", slab / kFloat, false, slab, {}, 0);
}

bool add_application(Workload& w, std::string_view name, WorkloadSize size) {
  if (name == "xgemm")
    xgemm(w, size);
  else if (name == "cg")
    cg(w, size);
  else if (name == "cholesky")
    cholesky(w, size);
  else if (name == "increment")
    vector_kernel(w, "increment", pick(size, 1e4, 1e5, 1e6), 2);
  else if (name == "va")
    vector_kernel(w, "va", pick(size, 1e4, 1e5, 1e6), 3);
  else if (name == "pi")
    pi(w, size);
  else if (name == "fblock")
    fblock(w, size);
  else
    return false;
  return true;
}

constexpr std::string_view kApplications[] = {"xgemm", "cg", "cholesky", "increment", "va", "pi", "fblock"};

bool add_mix(Workload& w, std::string_view name, WorkloadSize size) {
  const auto add_all = [&](std::initializer_list<std::string_view> list, int times) {
    for (int i = 0; i < times; ++i)
      for (std::string_view a : list)
        add_application(w, a, size);
  };
  if (name != "mixed" && name != "computation" && name != "data") return false;
  for (int i = 0; i < (name == "mixed" ? 2 : 1); ++i)
    for (std::string_view a : kApplications)
      add_application(w, a, size);
  if (name == "computation") add_all({"pi", "cholesky"}, 3);
  if (name == "data") add_all({"va", "increment"}, 3);
  return true;
}

// Layers of equal width: a convolution reads three neighbours of the layer below, every third layer pools
// one; the last layer reads all. Widths shrink as in the named network.
struct Network {
  std::string_view name;
  int layers;
  double operations, bytes;  // of a task
  int tasks[3];              // small, medium, large
};

constexpr Network kNetworks[] = {{"nn-LeNet", 7, 2e6, 1e5, {256, 1000, 2000}},
                                 {"nn-GoogleNet", 22, 6e7, 8e5, {100, 200, 400}},
                                 {"nn-ImageNet", 8, 3e7, 6e5, {1000, 4000, 8000}},
                                 {"nn-FRCNN", 16, 5e7, 1e6, {1000, 4000, 8000}}};

bool add_network(Workload& w, std::string_view name, WorkloadSize size) {
  for (const Network& net : kNetworks) {
    if (net.name != name) continue;
    const int tasks = net.tasks[static_cast<int>(size)];
    std::vector<int> below, layer;
    int made = 0;
    for (int l = 0; l < net.layers; ++l) {
      const bool last = l + 1 == net.layers, pool = l % 3 == 2;
      const int width = last ? 1 : (tasks - 1 - made) / (net.layers - 1 - l);
      layer.clear();
      for (int i = 0; i < width; ++i) {
        std::vector<int> inputs;
        if (last) inputs = below;
        const int count = static_cast<int>(below.size());
        for (int k = pool ? 0 : -1; !last && count > 0 && k <= (pool ? 0 : 1); ++k) {
          const int j = i * count / width + k;
          if (j >= 0 && j < count) inputs.push_back(below[j]);
        }
        layer.push_back(w.add(last   ? "dense"
                              : pool ? "pool"
                                     : "conv",
                              pool ? net.operations / 50 : net.operations, !pool, net.bytes, inputs,
                              net.bytes / 4, false));
      }
      made += width;
      below = layer;
    }
    return true;
  }
  return false;
}

}  // namespace

Result<Problem> application(std::string_view name, WorkloadSize size, bool second_gpu) {
  Workload w(second_gpu);
  if (add_application(w, name, size) || add_mix(w, name, size) || add_network(w, name, size)) return w.take();
  std::string names;
  for (std::string_view a : kApplications)
    names += std::string(a) + ", ";
  names += "mixed, computation, data";
  for (const Network& net : kNetworks)
    names += ", " + std::string(net.name);
  return Status::internal("no application \"" + std::string(name) + "\" (accepted: " + names + ")");
}

}  // namespace mkmd::scheduler
