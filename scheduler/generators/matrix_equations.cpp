// SPDX-License-Identifier: Apache-2.0
#include "scheduler/generators/matrix_equations.hpp"

#include <sstream>

namespace mkmd::scheduler {
namespace {

// Each word is a kernel, in program order: kind(inputs). The kinds:
// - mm: matrix product (rows of the first, all of the second); mv: matrix times vector; tr: transpose (all
//   rows)
// - add: elementwise on matrices; vec: elementwise on vectors; dot: scalar of two vectors, by rows
// - norm: scalar of one whole vector; div: quotient of scalars
//
// A number names the result of the kernel at that place, from 1. A capital names a matrix of the host, a
// small letter a vector of the host. The last word lists the results that the host reads.
struct Equation {
  std::string_view name;
  const char* kernels;
};

constexpr Equation kEquations[] = {
    {"ABE", "tr(A) mm(1,X) mm(X,A) mm(X,B) tr(B) mm(5,X) mm(4,6) add(2,3) add(8,7) host(9)"},
    {"BiCGSTAB", "dot(r0,r) vec(r,p,v,1) mv(A,2) dot(r0,3,1) vec(r,3,4) mv(A,5) dot(6,5) norm(6) div(7,8) "
                 "vec(x,2,5,4,9) vec(5,6,9) host(10,11)"},
    {"CARE",
     "tr(A) mm(1,X) mm(X,A) add(2,3) mm(X,B) mm(5,R) tr(B) mm(7,X) mm(6,8) add(4,9) add(10,Q) host(11)"},
    {"Commutator",
     "mm(A,B) mm(B,C) mm(C,A) mm(B,A) mm(A,C) mm(C,B) mm(1,C) mm(2,A) mm(3,B) mm(4,C) mm(5,B) mm(6,A) "
     "add(7,8) add(13,9) add(14,10) add(15,11) add(16,12) host(17)"},
    {"GABE", "mm(X,E) tr(E) mm(2,X) tr(A) mm(4,1) mm(3,A) add(5,6) mm(3,G) mm(8,1) add(7,9) host(10)"},
    {"Gramian", "mm(A,P) tr(A) mm(P,2) add(1,3) tr(B) mm(B,5) add(4,6) host(7)"},
    {"Jacobi", "add(L,U) mv(1,x) mv(D,2) mv(D,b) vec(3,4) host(5)"},
    {"Lyapunov", "mm(A,X) tr(A) mm(X,2) add(1,3) add(4,Q) host(5)"},
    {"SVD", "mm(U,S) tr(V) mm(1,2) host(3)"},
    {"Stein", "mm(A,X) tr(A) mm(1,2) add(3,X) host(4)"},
    {"Sylvester", "mm(A,X) mm(X,B) add(1,2) add(3,C) host(4)"},
};

constexpr std::string_view kNames[] = {"ABE",    "BiCGSTAB", "CARE", "Commutator", "GABE",     "Gramian",
                                       "Jacobi", "Lyapunov", "SVD",  "Stein",      "Sylvester"};

constexpr double kLaunch = 20e-6;
// By device: i7-3770, GTX760, GTX750Ti.
constexpr double kProductRate[] = {50e9, 200e9, 184e9};  // operations/s
constexpr double kStreamRate[] = {9e9, 130e9, 66e9};     // bytes/s
constexpr double kVectorRate[] = {9e9, 60e9, 40e9};
constexpr double kTransposeRate[] = {6e9, 80e9, 48e9};

class Maker {
public:
  explicit Maker(double n) : n_(n), matrix_(4 * n * n), vector_(4 * n) {
    problem_.platform = {{{"i7-3770", DeviceClass::cpu, 0},
                          {"GTX760", DeviceClass::gpu, 1},
                          {"GTX750Ti", DeviceClass::gpu, 2}},
                         7.88e9,
                         1e-5,
                         {},
                         {}};
    add_task("source", {0, 0, 0}, 0);
  }

  Problem make(const char* kernels) {
    std::istringstream words(kernels);
    for (std::string word; words >> word;) {
      const size_t open = word.find('(');
      std::vector<std::string> inputs;
      std::istringstream list(word.substr(open + 1, word.size() - open - 2));
      for (std::string input; std::getline(list, input, ',');)
        inputs.push_back(input);
      add_kernel(word.substr(0, open), inputs);
    }
    return std::move(problem_);
  }

private:
  void add_task(const std::string& name, std::vector<double> times, int pinned) {
    Task t;
    t.id = static_cast<int>(problem_.graph.tasks.size());
    t.name = name;
    t.times = std::move(times);
    t.divisible = pinned < 0;
    t.pinned = pinned;
    problem_.graph.tasks.push_back(std::move(t));
  }

  double add_input(const std::string& input, int dst, Access access) {
    const bool computed = input[0] >= '0' && input[0] <= '9';
    const int src = computed ? std::stoi(input) : 0;
    const double bytes = computed                             ? result_bytes_[src - 1]
                         : input[0] >= 'A' && input[0] <= 'Z' ? matrix_
                                                              : vector_;
    problem_.graph.edges.push_back(
        {src, dst, bytes, computed ? problem_.graph.tasks[src].name : input, access});
    return bytes;
  }

  void add_kernel(const std::string& kind, const std::vector<std::string>& inputs) {
    const int id = static_cast<int>(problem_.graph.tasks.size());
    if (kind == "host") {
      add_task("sink", {0, 0, 0}, 0);
      for (const std::string& in : inputs)
        add_input(in, id, Access::full);
      return;
    }
    const bool stream = kind != "mm" && kind != "mv" && kind != "tr";
    const bool scalar = kind == "dot" || kind == "norm" || kind == "div";
    const bool of_vectors = kind == "vec" || kind == "mv";
    add_task((stream ? "stream" : kind) + std::to_string(id), {}, -1);
    double touched = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool full = kind == "tr" || kind == "norm" || (!stream && i == 1);
      touched += (kind == "norm" ? 2 : 1) * add_input(inputs[i], id, full ? Access::full : Access::row);
    }
    result_bytes_.push_back(scalar ? 4 : of_vectors ? vector_ : matrix_);
    touched += result_bytes_.back();
    for (int d = 0; d < 3; ++d) {
      const double seconds = kind == "mm"   ? 2 * n_ * n_ * n_ / kProductRate[d]
                             : kind == "mv" ? touched / kVectorRate[d]
                             : kind == "tr" ? touched / kTransposeRate[d]
                                            : touched / kStreamRate[d];
      problem_.graph.tasks[id].times.push_back(seconds + kLaunch);
    }
  }

  const double n_, matrix_, vector_;
  Problem problem_;
  std::vector<double> result_bytes_;
};

}  // namespace

std::span<const std::string_view> matrix_equations() {
  return kNames;
}

Result<Problem> matrix_equation(std::string_view name, int n) {
  for (const Equation& e : kEquations)
    if (e.name == name) return Maker(n).make(e.kernels);
  std::string names;
  for (std::string_view known : kNames)
    names += (names.empty() ? "" : ", ") + std::string(known);
  return Status::internal("no equation \"" + std::string(name) + "\" (accepted: " + names + ")");
}

}  // namespace mkmd::scheduler
