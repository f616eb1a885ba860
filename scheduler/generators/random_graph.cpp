// SPDX-License-Identifier: Apache-2.0
#include "scheduler/generators/random_graph.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace mkmd::scheduler {

uint64_t Random::next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

namespace {

class Maker {
public:
  Maker(uint64_t seed, const RandomShape& shape) : random_(seed), shape_(shape) {}

  Problem make() {
    make_platform();
    make_tasks();
    make_edges();
    if (shape_.bandwidth) make_bandwidth();
    return std::move(problem_);
  }

private:
  void make_platform() {
    Platform& p = problem_.platform;
    const int devices = shape_.two_classes ? 2 + random_.below(shape_.max_devices - 1)
                                           : 1 + random_.below(shape_.max_devices);
    const bool one_memory = random_.chance(0.2), host_shared = random_.chance(0.3);
    const bool overhead = !shape_.plain && random_.chance(0.3);
    for (int d = 0; d < devices; ++d) {
      Device device;
      device.name = "dev" + std::to_string(d);
      const bool cpu = shape_.two_classes ? d <= cpus_ : d == 0 || random_.chance(0.3);
      if (shape_.two_classes && d == 0) cpus_ = random_.below(devices - 1);
      device.device_class = cpu || d == 0 ? DeviceClass::cpu : DeviceClass::gpu;
      const bool shares = one_memory || (host_shared && device.device_class == DeviceClass::cpu);
      device.mem = d == 0 || shares ? 3 : 10 + d;
      if (overhead) device.launch = random_.between(0, 1e-4);
      if (!shape_.plain && random_.chance(0.3)) device.mem_bw = random_.between(1e9, 1e11);
      p.devices.push_back(device);
      speed_.push_back(device.device_class == DeviceClass::cpu ? 1 : random_.between(0.02, 1.5));
    }
    p.bw = std::pow(10, random_.between(8.5, 10.5));
    p.lat = shape_.plain || random_.chance(0.5) ? 0 : 1e-5;
    if (shape_.plain || devices < 2 || !random_.chance(0.3)) return;
    for (int i = random_.below(3); i >= 0; --i) {
      const int a = p.devices[random_.below(devices)].mem, b = p.devices[random_.below(devices)].mem;
      if (a != b) p.links.push_back({a, b, std::pow(10, random_.between(8, 10)), random_.between(0, 1e-4)});
    }
  }

  void make_tasks() {
    const int devices = static_cast<int>(problem_.platform.devices.size());
    const int tasks = 1 + random_.below(shape_.max_tasks);
    framed_ = !shape_.plain && random_.chance(0.6);
    if (framed_) add_frame("source");
    for (int i = 0; i < tasks; ++i) {
      Task t;
      t.id = id(problem_.graph.tasks.size());
      t.name = "k" + std::to_string(i);
      const double size = std::pow(10, random_.between(-3.5, -1.5)),
                   gpu = std::pow(10, random_.between(-0.7, 0.7));
      for (int d = 0; d < devices; ++d) {
        const bool fast = problem_.platform.devices[d].device_class == DeviceClass::gpu;
        const double noise = shape_.two_classes ? 1 : random_.between(0.8, 1.2);
        t.times.push_back(size * noise * (fast ? gpu * (shape_.two_classes ? 0.5 : speed_[d]) : 1));
      }
      t.priority = random_.below(5);
      if (!shape_.plain) {
        t.divisible = random_.chance(0.6);
        if (random_.chance(0.3)) t.units = 1 + random_.below(64);
        if (random_.chance(0.1)) t.pinned = random_.below(devices);
        const int never = random_.below(devices);
        if (random_.chance(0.1) && devices > 1 && t.pinned != never) t.times[never] = kNever;
        if (random_.chance(0.05)) std::fill(t.times.begin(), t.times.end(), 0.0);
      }
      problem_.graph.tasks.push_back(std::move(t));
    }
    if (framed_) add_frame("sink");
  }

  // Ids are names: they need be neither dense nor ordered.
  int id(size_t i) const { return shape_.plain ? static_cast<int>(i) : static_cast<int>(7 * i + 5) % 1009; }

  void add_frame(const char* name) {
    Task t;
    t.id = id(problem_.graph.tasks.size());
    t.name = name;
    t.times.assign(problem_.platform.devices.size(), 0.0);
    t.pinned = 0;
    problem_.graph.tasks.push_back(std::move(t));
  }

  double bytes() {
    if (shape_.plain || random_.chance(0.2)) return 0;
    return std::floor(std::pow(10, random_.between(2, 8)));
  }

  void make_edges() {
    const int tasks = static_cast<int>(problem_.graph.tasks.size());
    const int first = framed_ ? 1 : 0, last = framed_ ? tasks - 1 : tasks;
    const double density = random_.between(0.3, 2.5);
    std::vector<double> size(tasks);
    for (double& s : size)
      s = bytes();
    const bool one_name = random_.chance(0.2);  // every task updates a buffer of the same name
    std::vector<bool> feeds(tasks);
    for (int t = first; t < last; ++t) {
      const int inputs = t == first ? 0 : static_cast<int>(random_.between(0, 2 * density));
      for (int i = 0; i < inputs; ++i) {
        const int from = std::max(first, t - 1 - random_.below(std::min(t - first, 8)));
        if (from >= t) continue;
        feeds[from] = true;
        add_edge(from, t, size[from], one_name ? "v" : "o" + std::to_string(from));
      }
      if (framed_ && random_.chance(0.7)) {
        const std::string name = "in" + std::to_string(random_.below(4));
        add_edge(0, t, input_bytes(name), name);
      }
    }
    if (!framed_) return;
    for (int t = first; t < last; ++t)
      if (!feeds[t]) add_edge(t, tasks - 1, size[t], one_name ? "v" : "o" + std::to_string(t));
    const auto& devices = problem_.platform.devices;
    if (random_.chance(0.3))
      for (int i = 0; i < 3; ++i) {
        const double lo = random_.chance(0.5) ? 0 : random_.between(0, 0.8);
        problem_.graph.resident.push_back({"in" + std::to_string(random_.below(4)),
                                           devices[random_.below(static_cast<int>(devices.size()))].mem, lo,
                                           random_.chance(0.5) ? 1 : random_.between(lo + 0.1, 1)});
      }
  }

  // Memories that one device nearly fills, and tasks some of which need as much.
  void make_bandwidth() {
    Platform& p = problem_.platform;
    std::set<int> seen;
    for (const Device& d : p.devices) {
      if (!random_.chance(0.8) || !seen.insert(d.mem).second) continue;
      const double bw = 1e10 * random_.between(0.5, 2);
      p.memories.push_back({d.mem, random_.chance(0.5) ? bw : 0, bw * random_.between(0.8, 2.5)});
    }
    for (Task& t : problem_.graph.tasks)
      if (t.name != "source" && t.name != "sink" && random_.chance(0.7))
        t.bytes =
            std::floor(1e10 * *std::min_element(t.times.begin(), t.times.end()) * random_.between(0.1, 3));
  }

  double input_bytes(const std::string& name) { return shape_.plain ? 0 : 1e6 * (1 + name.back() - '0'); }

  void add_edge(int src, int dst, double size, const std::string& buffer) {
    const auto& g = problem_.graph;
    const bool row = g.tasks[dst].divisible && random_.chance(0.5);
    problem_.graph.edges.push_back({src, dst, size, buffer, row ? Access::row : Access::full});
  }

  Random random_;
  const RandomShape shape_;
  Problem problem_;
  std::vector<double> speed_;
  int cpus_ = 0;
  bool framed_ = false;
};

}  // namespace

Problem random_problem(uint64_t seed, const RandomShape& shape) {
  return Maker(seed, shape).make();
}

}  // namespace mkmd::scheduler
