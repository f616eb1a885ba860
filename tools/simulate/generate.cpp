// SPDX-License-Identifier: Apache-2.0
#include "tools/simulate/generate.hpp"

#include "scheduler/generators/applications.hpp"
#include "scheduler/generators/matrix_equations.hpp"
#include "scheduler/generators/random_graph.hpp"
#include "scheduler/generators/tiled.hpp"

#include <charconv>

namespace mkmd {

using namespace scheduler;

namespace {

bool read(std::string_view text, int& value, int max) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= max;
}

}  // namespace

Result<Problem> generate_problem(const std::string& spec) {
  const size_t colon = spec.find(':');
  const std::string kind = spec.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : spec.substr(colon + 1);
  int n = 0;
  const auto bad = [&](const std::string& what) {
    return Status::internal("--generate " + spec + ": " + what + " (accepted: " + std::string(kGenerators) +
                            ")");
  };
  for (const auto& [name, factorisation] :
       {std::pair("cholesky", Factorisation::cholesky), std::pair("lu", Factorisation::lu),
        std::pair("qr", Factorisation::qr)})
    if (kind == name) {
      const size_t comma = rest.find(',');
      const bool independent = comma != std::string::npos;
      if (independent && rest.substr(comma) != ",independent") return bad("knows no other form");
      if (!read(std::string_view(rest).substr(0, comma), n, 128) || n < 1) return bad("needs 1 to 128 tiles");
      Problem problem = tiled_factorisation(factorisation, n);
      if (independent) problem.graph.edges.clear();
      return problem;
    }
  if (kind == "random") {
    if (!read(rest, n, 2000000000)) return bad("needs a seed");
    return random_problem(static_cast<uint64_t>(n));
  }
  if (kind == "mkmd") {
    const size_t comma = rest.find(',');
    n = 4096;
    if (comma != std::string::npos && (!read(std::string_view(rest).substr(comma + 1), n, 65536) || n < 16))
      return bad("needs a size of 16 to 65536");
    Result<Problem> problem = matrix_equation(rest.substr(0, comma), n);
    if (!problem) return Status::internal("--generate " + spec + ": " + problem.status().message());
    return problem;
  }
  if (kind == "app") {
    const size_t comma = rest.find(',');
    const std::string size = comma == std::string::npos ? "small" : rest.substr(comma + 1);
    for (const auto& [name, value] :
         {std::pair("small", WorkloadSize::small), std::pair("medium", WorkloadSize::medium),
          std::pair("large", WorkloadSize::large)})
      if (size == name) {
        Result<Problem> problem = application(rest.substr(0, comma), value);
        if (!problem) return Status::internal("--generate " + spec + ": " + problem.status().message());
        return problem;
      }
    return bad("needs small, medium or large");
  }
  return bad("there is no such generator");
}

}  // namespace mkmd
