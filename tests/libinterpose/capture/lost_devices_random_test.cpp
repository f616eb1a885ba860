// SPDX-License-Identifier: Apache-2.0
// Random programs, each run in virtual time while devices are lost at random moments. What they read is what
// in-order execution gives. Where nothing can compute bytes again, there is an error in place of results.
#include "tests/libinterpose/capture/virtual_context.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <malloc.h>
#include <memory>
#include <random>
#include <sstream>

namespace mkmd {
namespace {

using Floats = std::vector<float>;

struct Step {
  enum class Kind { twice, sum, fill, copy, write, read, flush, finish, native } kind;
  size_t from = 0, and_from = 0, to = 0;
  float value = 0;
};

struct Case {
  size_t items = 0;
  size_t devices = 3;
  bool emulated = false;
  bool one_memory = false;  // of emulated devices: what is lost with one lies in the others' memory
  bool host_bytes = false;  // device 1 works in home's bytes, and is never lost
  std::string policy;
  double per_item = 100;
  bool may_lack = false;  // a native command's bytes, and what it overwrites, may be lost for good
  std::vector<Step> steps;
};

constexpr size_t kBuffers = 4;

class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(engine_); }
  bool one_in(size_t n) { return below(n) == 0; }

private:
  std::mt19937 engine_;
};

Case random_case(unsigned seed) {
  Random random(seed);
  Case made;
  made.items = VirtualContext::kLocal * (16 + random.below(200));
  made.devices = 2 + random.below(3);
  made.emulated = random.one_in(4);
  made.may_lack = random.one_in(3);
  made.per_item = random.one_in(3) ? 1000 : 100;  // the pieces of long ones have parts
  const std::vector<std::string> policies{Settings().policy,
                                          "mkmd-malleable",
                                          "mkmd-online",
                                          "round-robin",
                                          "single:1",
                                          "random-cuts:seed=" + std::to_string(seed),
                                          "random-cuts:seed=" + std::to_string(seed + 1)};
  made.policy = policies[random.below(policies.size())];
  const size_t count = 4 + random.below(20);
  for (size_t i = 0; i < count; ++i) {
    using Kind = Step::Kind;
    constexpr Kind kinds[] = {Kind::twice, Kind::twice, Kind::twice, Kind::sum,   Kind::sum,    Kind::fill,
                              Kind::copy,  Kind::read,  Kind::write, Kind::flush, Kind::finish, Kind::native};
    Step step{kinds[random.below(made.may_lack ? 12 : 11)], random.below(kBuffers), random.below(kBuffers),
              random.below(kBuffers), static_cast<float>(random.below(100))};
    if (step.kind == Kind::copy && step.from == step.to) step.to = (step.from + 1) % kBuffers;
    made.steps.push_back(step);
  }
  made.host_bytes = !made.emulated && made.devices > 2 && random.one_in(3);
  made.one_memory = made.emulated && random.one_in(2);
  return made;
}

float initial(size_t buffer, size_t item) {
  return static_cast<float>(buffer * 100 + item % 61);
}

void apply(const Step& step, std::vector<Floats>& of) {
  Floats& to = of[step.to];
  for (size_t i = 0; i < to.size(); ++i) {
    switch (step.kind) {
    case Step::Kind::twice:
    case Step::Kind::native:
      to[i] = of[step.from][i] * 2 + 1;
      break;
    case Step::Kind::sum:
      to[i] = of[step.from][i] + of[step.and_from][i];
      break;
    case Step::Kind::fill:
      to[i] = step.value;
      break;
    case Step::Kind::copy:
      to[i] = of[step.from][i];
      break;
    case Step::Kind::write:
      to[i] = step.value + static_cast<float>(i % 7);
      break;
    default:
      break;
    }
  }
}

struct Loss {
  size_t device;
  cl_ulong at;  // nanoseconds after the program begins
};

struct Outcome {
  std::string trouble;  // empty: all results are right
  size_t errors = 0;
  cl_ulong took = 0;
};

emulation::PlatformFile machine(const Case& of, const std::vector<Loss>& losses) {
  emulation::PlatformFile p;
  p.jitter = 0;
  p.bw = 1e9;
  p.lat = 1e-6;
  const double rate = 1e11 / of.per_item;
  const platform::Rates rates{rate, rate, rate, rate};
  for (size_t d = 0; d < of.devices; ++d)
    p.devices.push_back({.name = "d" + std::to_string(d),
                         .mem = of.one_memory ? 0 : static_cast<int>(d),
                         .launch = 1e-5,
                         .rates = rates});
  // One that is never lost: there is a journal either way.
  p.events.push_back({.at = 1000, .device = 1, .kind = emulation::EventSpec::Kind::fails});
  for (const Loss& loss : losses)
    p.events.push_back({.at = static_cast<double>(loss.at) * 1e-9,
                        .device = static_cast<int>(loss.device),
                        .kind = emulation::EventSpec::Kind::fails});
  return p;
}

class Execution {
public:
  Execution(const Case& of, const std::vector<Loss>& losses) : case_(of), context_(machine_of(of, losses)) {
    const cl_ulong began = virtual_time::now();
    for (size_t d = 0; d < of.devices; ++d)
      c().driver()[d].per_item = of.per_item;
    for (const Loss& loss : losses) {
      if (!of.emulated) c().driver()[loss.device].gone_at = began + loss.at;
    }
    for (size_t b = 0; b < kBuffers; ++b) {
      Floats& values = model_.emplace_back(of.items);
      for (size_t i = 0; i < of.items; ++i)
        values[i] = initial(b, i);
      buffers_.push_back(c().buffer(values));
    }
    for (const Step& step : of.steps)
      take(step);
    c().runtime().finish_all();
    for (const Reading& reading : readings_)
      check(reading.command->status, reading.got, reading.expected, "a read");
    for (size_t b = 0; b < kBuffers; ++b) {
      cl_int status = CL_SUCCESS;
      const Floats got = c().values(buffers_[b], &status);
      check(status, got, model_[b], "buffer " + std::to_string(b));
    }
    outcome_.took = virtual_time::now() - began;
  }
  const Outcome& outcome() const { return outcome_; }

private:
  struct Reading {
    Ref<Command> command;
    Floats got, expected;
  };

  static VirtualContext::Machine machine_of(const Case& of, const std::vector<Loss>& losses) {
    VirtualContext::Machine made{
        .devices = of.devices, .policy = of.policy, .losable = !of.emulated, .host_bytes = of.host_bytes};
    if (of.emulated) made.emulated = machine(of, losses);
    return made;
  }
  VirtualContext& c() { return context_; }

  void take(const Step& step) {
    const auto& b = buffers_;
    switch (step.kind) {
    case Step::Kind::twice:
      c().capture(c().twice(b[step.from], b[step.to]));
      break;
    case Step::Kind::sum:
      c().capture(c().sum(b[step.from], b[step.and_from], b[step.to]));
      break;
    case Step::Kind::fill:
      c().capture(c().fill(b[step.to], step.value));
      break;
    case Step::Kind::copy:
      c().capture(c().copy(b[step.from], b[step.to]));
      break;
    case Step::Kind::write: {
      Floats& values = written_.emplace_back(case_.items);
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = step.value + static_cast<float>(i % 7);
      c().capture(c().write(b[step.to], values));
      break;
    }
    case Step::Kind::read: {
      Reading& reading = readings_.emplace_back();
      reading.expected = model_[step.from];
      reading.command = c().capture(c().read(b[step.from], reading.got));
      break;
    }
    case Step::Kind::flush:
      c().runtime().windows().flush();
      break;
    case Step::Kind::finish:
      c().runtime().finish_all();
      break;
    case Step::Kind::native:
      if (case_.emulated) return;
      // An error leaves the bytes as they were.
      if (c().native_twice(b[step.from], b[step.to]) < 0) {
        ++outcome_.errors;
        return;
      }
      break;
    }
    apply(step, model_);
  }

  void check(cl_int status, const Floats& got, const Floats& expected, const std::string& what) {
    if (status < 0) {
      ++outcome_.errors;
      return;
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      if (i < got.size() && got[i] == expected[i]) continue;
      std::ostringstream line;
      line << what << " is wrong from item " << i << " of " << expected.size() << ": "
           << (i < got.size() ? got[i] : 0) << " in place of " << expected[i] << "; ";
      outcome_.trouble += line.str();
      return;
    }
  }

  const Case& case_;
  VirtualContext context_;
  std::vector<Ref<Memory>> buffers_;
  std::vector<Floats> model_;
  std::deque<Floats> written_;
  std::deque<Reading> readings_;
  Outcome outcome_;
};

std::string describe(unsigned seed, const Case& of, const std::vector<Loss>& losses) {
  std::ostringstream line;
  line << "seed " << seed << ", " << of.policy << (of.emulated ? ", emulated" : "")
       << (of.one_memory ? ", one memory" : "") << (of.host_bytes ? ", host bytes" : "") << ", " << of.devices
       << " devices";
  for (const Loss& loss : losses)
    line << ", " << loss.device << " lost at " << loss.at;
  const char* const names[] = {"twice", "sum", "fill", "copy", "write", "read", "flush", "finish", "native"};
  for (const Step& step : of.steps)
    line << "; " << names[static_cast<size_t>(step.kind)] << " " << step.from << " " << step.and_from
         << " to " << step.to;
  return line.str();
}

std::vector<Loss> random_losses(Random& random, const Case& of, cl_ulong whole) {
  const size_t first = of.host_bytes ? 2 : 1, count = of.devices - first;  // that may be lost
  std::vector<Loss> losses{{first + random.below(count), random.below(whole + 1)}};
  if (count == 1 || random.one_in(3)) return losses;
  // The second one often comes while the first is being made good.
  const cl_ulong later = random.one_in(2) ? whole / 20 : whole;
  const size_t other = first + (losses.front().device - first + 1) % count;
  losses.push_back({other, losses.front().at + random.below(later + 1)});
  return losses;
}

TEST(LostDevicesRandomTest, ResultsAreThoseOfInOrderExecution) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // what calibration fills is the same memory each time
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  const char* const wanted = std::getenv("MKMD_TEST_SEEDS");  // first:end
  unsigned first = 0, end = 40;
  if (wanted != nullptr) std::sscanf(wanted, "%u:%u", &first, &end);
  constexpr int kLosses = 6;
  size_t runs = 0, with_errors = 0;
  for (unsigned seed = first; seed < end; ++seed) {
    const Case of = random_case(seed);
    const Outcome without = Execution(of, {}).outcome();
    ASSERT_EQ(without.trouble, "") << describe(seed, of, {});
    ASSERT_EQ(without.errors, 0u) << describe(seed, of, {});
    Random random(seed);
    for (int i = 0; i < kLosses; ++i) {
      const std::vector<Loss> losses = random_losses(random, of, without.took);
      if (wanted != nullptr) std::fprintf(stderr, "%s\n", describe(seed, of, losses).c_str());
      const Outcome with = Execution(of, losses).outcome();
      ++runs;
      with_errors += with.errors > 0 ? 1 : 0;
      EXPECT_EQ(with.trouble, "") << describe(seed, of, losses);
      EXPECT_TRUE(of.may_lack || with.errors == 0) << describe(seed, of, losses);
    }
  }
  std::printf("%zu runs, %zu with errors\n", runs, with_errors);
}

}  // namespace
}  // namespace mkmd
