// SPDX-License-Identifier: Apache-2.0
// Breadth-first search from one node of a random graph with 1024 N nodes, level by level. A node of the
// frontier gives its neighbours their distance, whoever else does so too. A second kernel makes the next
// frontier, and tells the host whether there is any.
#include "harness.h"

#include <deque>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
__kernel void expand(__global const int* first_edge, __global const int* edge, __global int* frontier,
                     __global int* reached, __global const int* visited, __global int* distance, int nodes) {
  const int node = get_global_id(0);
  if (node >= nodes || !frontier[node])
    return;
  frontier[node] = 0;
  for (int i = first_edge[node]; i < first_edge[node + 1]; ++i) {
    const int neighbour = edge[i];
    if (!visited[neighbour]) {
      distance[neighbour] = distance[node] + 1;
      reached[neighbour] = 1;
    }
  }
}

__kernel void advance(__global int* frontier, __global int* reached, __global int* visited,
                      __global int* any, int nodes) {
  const int node = get_global_id(0);
  if (node >= nodes || !reached[node])
    return;
  frontier[node] = 1;
  visited[node] = 1;
  *any = 1;
  reached[node] = 0;
}

// Everything unvisited but node 0, from where the search starts.
__kernel void begin(__global int* frontier, __global int* reached, __global int* visited,
                    __global int* distance, int nodes) {
  const int node = get_global_id(0);
  if (node >= nodes)
    return;
  frontier[node] = node == 0;
  reached[node] = 0;
  visited[node] = node == 0;
  distance[node] = node == 0 ? 0 : -1;
}
)";

namespace {

struct Graph {
  std::vector<int> first_edge = {0};
  std::vector<int> edge;
};

Graph random_graph(int nodes) {
  Graph graph;
  Random random(11);
  for (int node = 0; node < nodes; ++node) {
    for (int i = random.below(12); i >= 0; --i)
      graph.edge.push_back(random.below(nodes));
    graph.first_edge.push_back(int(graph.edge.size()));
  }
  return graph;
}

std::vector<int> distances(const Integers& first_edge, const Integers& edge, int nodes) {
  std::vector<int> distance(size_t(nodes), -1);
  distance[0] = 0;
  std::deque<int> next = {0};
  for (; !next.empty(); next.pop_front()) {
    const size_t node = size_t(next.front());
    for (int i = first_edge.host[node]; i < first_edge.host[node + 1]; ++i) {
      const int neighbour = edge.host[size_t(i)];
      if (distance[size_t(neighbour)] >= 0) continue;
      distance[size_t(neighbour)] = distance[node] + 1;
      next.push_back(neighbour);
    }
  }
  return distance;
}

}  // namespace

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 2048, .group = 64});
  const int nodes = 1024 * h.size();
  Graph graph = random_graph(nodes);
  const Integers& first_edge = h.constant(std::move(graph.first_edge));
  const Integers& edge = h.constant(std::move(graph.edge));
  const size_t count = size_t(nodes);
  const Buffer frontier = h.buffer(count), reached = h.buffer(count), visited = h.buffer(count);
  const Buffer distance = h.buffer(count), any = h.buffer(1);

  const auto enqueue = [&] {
    const std::vector<size_t> group = {size_t(h.group())};
    h.launch("begin", {count}, group, frontier, reached, visited, distance, nodes);
    for (int more = 1; more;) {
      h.fill(any, 0.0f);
      h.launch("expand", {count}, group, first_edge, edge, frontier, reached, visited, distance, nodes);
      h.launch("advance", {count}, group, frontier, reached, visited, any, nodes);
      h.read(any, &more);
    }
  };
  const auto reference = [&] { return distances(first_edge, edge, nodes); };
  return h.run_exactly(distance, enqueue, reference);
}
