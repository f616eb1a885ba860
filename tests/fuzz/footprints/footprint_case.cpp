// SPDX-License-Identifier: Apache-2.0
// footprint_case CASE.json: asks the compiler helper what each launch of a case touches, runs the launch on
// the host (traced.hpp), and compares. A line "FOUND …" says where a footprint is wrong; the last line counts
// what was done. run_footprints.py makes cases. Exit code 1: something was found; 2: the case is none.
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <tuple>

#include "compiler/assumed_device.hpp"
#include "compiler/client.hpp"
#include "compiler/footprint.hpp"
#include "compiler/use.hpp"
#include "tests/fuzz/footprints/traced.hpp"

namespace mkmd::fuzz {
namespace {

using compiler::GroupBox;
using Json = nlohmann::json;

struct Counts {
  long launches = 0, usable = 0, split = 0, boxes = 0, found = 0;
  std::map<Outcome, long> unusable;
};

struct LaunchRun {
  std::string kernel;
  const compiler::KernelInfo* info = nullptr;
  compiler::Launch launch;
  Shape shape;
  std::vector<int> buffers;  // arguments
  std::vector<std::vector<Touched>> touched;
};

void fill(unsigned char* to, uint64_t seed, const std::string& style) {
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < kBytes; ++i) {
    const uint64_t number = random();
    const bool first = i % (style == "small" ? 4 : 2) == 0;
    to[i] = static_cast<unsigned char>(style == "random"  ? number
                                       : style == "small" ? (first ? number % 8 : 0)
                                       : style == "zeros" ? (first ? number % 100 : 0)
                                       : number % 3 == 0  ? 255
                                                          : number / 3 % 2);
  }
}

void pass_arguments(const Json& arguments, LaunchRun& run) {
  run.buffers.clear();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].contains("seed")) {
      unsigned char* at = buffer(run.buffers.size());
      fill(at, arguments[i]["seed"], arguments[i]["style"]);
      passed.addresses[i] = reinterpret_cast<uint64_t>(at);
      run.buffers.push_back(static_cast<int>(i));
      continue;
    }
    const std::string hex = arguments[i]["hex"];
    auto& value = passed.values[i];
    for (size_t k = 0; k < hex.size() / 2; ++k)
      value[k] = static_cast<unsigned char>(std::stoul(hex.substr(2 * k, 2), nullptr, 16));
    passed.addresses[i] = reinterpret_cast<uint64_t>(value.data());
    set_scalars(*run.info, static_cast<unsigned>(i), value.data(), hex.size() / 2, run.launch.scalars);
  }
  run.launch.scalars.resize(run.info->arguments.size() + run.info->extra_scalars.size());
}

void set_shape(const Json& said, LaunchRun& run) {
  const auto dimensions = static_cast<unsigned>(said["local"].size());
  run.shape.dimensions = run.launch.work_dim = dimensions;
  for (unsigned d = 0; d < dimensions; ++d) {
    run.shape.local[d] = run.launch.local[d] = said["local"][d];
    run.shape.groups[d] = said["groups"][d];
    run.shape.offset[d] = run.launch.offset[d] = said["offset"][d];
    run.launch.global[d] = run.shape.local[d] * run.shape.groups[d];
  }
}

Bits bits_of(const ByteRanges& ranges) {
  Bits bits;
  ranges.each_range([&](ByteRange range) {
    for (uint64_t i = range.lo; i < std::min<uint64_t>(range.hi, kBytes); ++i)
      bits.set(i);
  });
  return bits;
}

Touched touched_by(const LaunchRun& run, const GroupBox& box, size_t buffer) {
  Touched all;
  for (uint64_t z = box.lo[2]; z < box.hi[2]; ++z)
    for (uint64_t y = box.lo[1]; y < box.hi[1]; ++y)
      for (uint64_t x = box.lo[0]; x < box.hi[0]; ++x) {
        const Touched& one = run.touched[run.shape.group(x, y, z)][buffer];
        all.reads |= one.reads;
        all.writes |= one.writes;
        all.plain_reads |= one.plain_reads;
        all.plain_writes |= one.plain_writes;
      }
  return all;
}

// Of equal stores, and of one of them alone.
struct Stores {
  Bits any, alone;
  std::vector<unsigned char> bytes;  // that it stores
};

Stores stores_of(const compiler::Footprint& said) {
  Stores stores;
  stores.bytes.resize(kBytes);
  Bits updated, others = bits_of(said.others);
  if (said.others_unknown) others.set();
  for (const auto& [may, unknown] : said.updates) {
    Bits here = bits_of(may.bytes);
    if (unknown) here.set();
    stores.alone &= ~here;
    if (may.by.kind == compiler::Update::Kind::store) {
      stores.any |= here;
      stores.alone |= here & ~updated & ~others;
      for (size_t i = 0; i < kBytes; ++i)
        if (here[i]) stores.bytes[i] = static_cast<unsigned char>(may.by.value >> (i % may.by.bytes * 8));
    }
    updated |= here;
  }
  return stores;
}

// The first byte of which it is said that equal stores alone change it, and to which the work-group does
// something else.
std::optional<size_t> otherwise_changed(const Stores& stores, const Touched& group) {
  const Bits written = stores.alone & group.plain_writes;
  const Bits wrong = stores.alone & (group.plain_reads | group.updates | (written & group.stored_varies));
  if (wrong.any()) return wrong._Find_first();
  for (size_t i = written._Find_first(); i < kBytes; i = written._Find_next(i))
    if (group.stored[i] != stores.bytes[i]) return i;
  return std::nullopt;
}

// What is wrong with the footprint, and the first byte that shows it; no text: nothing.
std::pair<std::string, size_t> wrong(const compiler::Footprint& said, const Touched& touched) {
  const Bits reads = bits_of(said.reads), writes = bits_of(said.may_writes), sure = bits_of(said.sure_writes);
  const Bits nothing;
  const std::pair<const char*, Bits> all[] = {
      {"reads more", said.reads_unknown ? nothing : touched.reads & ~reads},
      {"writes more", said.writes_unknown ? nothing : touched.writes & ~writes},
      {"surely writes less", said.reads_unknown ? nothing : sure & ~touched.writes & ~reads},
      {"surely writes what it never does", said.writes_unknown ? nothing : sure & ~writes},
      {"does more than updates",
       said.updates.empty() || said.others_unknown
           ? nothing
           : (touched.plain_reads | touched.plain_writes) & ~bits_of(said.others) & ~stores_of(said).any}};
  for (const auto& [text, bytes] : all)
    if (bytes.any()) return {text, bytes._Find_first()};
  return {};
}

// The same of equal stores, work-group by work-group.
std::pair<std::string, size_t> wrong_stores(const compiler::Footprint& said, const LaunchRun& run,
                                            const GroupBox& box, size_t buffer) {
  const auto is_store = [](const auto& u) { return u.may.by.kind == compiler::Update::Kind::store; };
  if (std::ranges::none_of(said.updates, is_store)) return {};
  const Stores stores = stores_of(said);
  for (uint64_t z = box.lo[2]; z < box.hi[2]; ++z)
    for (uint64_t y = box.lo[1]; y < box.hi[1]; ++y)
      for (uint64_t x = box.lo[0]; x < box.hi[0]; ++x) {
        const Touched& group = run.touched[run.shape.group(x, y, z)][buffer];
        if (const auto byte = otherwise_changed(stores, group)) return {"stores not what it says", *byte};
      }
  return {};
}

bool compare(const LaunchRun& run, const compiler::LaunchFootprints& footprints, const GroupBox& box,
             size_t most_blocks) {
  const std::vector<compiler::Footprint> said = footprints.of(box, most_blocks);
  for (size_t b = 0; b < run.buffers.size(); ++b) {
    const auto it = std::ranges::find(said, run.buffers[b], &compiler::Footprint::argument);
    const compiler::Footprint of = it == said.end() ? compiler::Footprint{} : *it;
    auto [text, byte] = wrong(of, touched_by(run, box, b));
    if (text.empty()) std::tie(text, byte) = wrong_stores(of, run, box, b);
    if (text.empty()) continue;
    const Json where = {{"kernel", run.kernel},
                        {"argument", run.buffers[b]},
                        {"byte", byte},
                        {"from", box.lo},
                        {"to", box.hi},
                        {"global", run.launch.global},
                        {"local", run.shape.local},
                        {"offset", run.shape.offset},
                        {"split allowed", run.info->split_allowed}};
    std::printf("FOUND it %s: %s\n", text.c_str(), where.dump().c_str());
    return false;
  }
  return true;
}

GroupBox random_box(const Shape& shape, std::mt19937& random) {
  GroupBox box;
  for (size_t d = 0; d < 3; ++d) {
    box.lo[d] = random() % shape.groups[d];
    box.hi[d] = box.lo[d] + 1 + random() % (shape.groups[d] - box.lo[d]);
  }
  return box;
}

// Single work-groups, random boxes, and the whole launch.
bool compare(const LaunchRun& run, std::mt19937& random, Counts& counts) {
  const compiler::LaunchFootprints footprints(*run.info, run.launch);
  const auto& groups = run.shape.groups;
  std::vector<GroupBox> boxes{{{0, 0, 0}, {groups[0], groups[1], groups[2]}}};
  for (int i = 0; i < 5; ++i)
    boxes.push_back(random_box(run.shape, random));
  for (size_t z = 0; z < groups[2]; ++z)
    for (size_t y = 0; y < groups[1]; ++y)
      for (size_t x = 0; x < groups[0]; ++x)
        if (run.shape.group_count() < 10 || random() % 4 == 0)
          boxes.push_back({{x, y, z}, {x + 1, y + 1, z + 1}});
  for (const GroupBox& box : boxes) {
    ++counts.boxes;
    constexpr size_t kFewBlocks = 8;
    if (!compare(run, footprints, box, random() % 3 == 0 ? kFewBlocks : compiler::kMostBlocks)) return false;
  }
  return true;
}

// Whether the launch may be split in the middle of its last dimension that has several work-groups.
bool splits(const LaunchRun& run) {
  const auto& groups = run.shape.groups;
  if (!run.info->split_allowed || run.shape.group_count() < 2) return false;
  const size_t d = groups[2] > 1 ? 2 : groups[1] > 1 ? 1 : 0;
  GroupBox first{{0, 0, 0}, {groups[0], groups[1], groups[2]}}, second = first;
  first.hi[d] = second.lo[d] = groups[d] / 2;
  const compiler::LaunchFootprints footprints(*run.info, run.launch);
  const auto a = footprints.of(first), b = footprints.of(second);
  return std::ranges::all_of(a, [&](const compiler::Footprint& one) {
    const auto other = std::ranges::find(b, one.argument, &compiler::Footprint::argument);
    return other == b.end() ||
           meeting(compiler::use_of({{&one, 0, kBytes}}), compiler::use_of({{&*other, 0, kBytes}})) !=
               compiler::Meeting::conflict;
  });
}

void play(const Json& said, const compiler::Module& module, void* library, std::mt19937& random,
          Counts& counts) {
  LaunchRun run;
  run.kernel = said["kernel"];
  const auto info = std::ranges::find(module.kernels, run.kernel, &compiler::KernelInfo::name);
  const auto function = [&](const std::string& prefix) {
    return reinterpret_cast<Kernel>(dlsym(library, (prefix + run.kernel).c_str()));
  };
  const Kernel checked = function("check_"), kernel = function("call_");
  if (info == module.kernels.end() || checked == nullptr || kernel == nullptr)
    throw std::runtime_error("no kernel " + run.kernel);
  run.info = &*info;
  set_shape(said, run);
  ++counts.launches;
  for (const Kernel once : {checked, kernel}) {
    pass_arguments(said["arguments"], run);
    const Outcome outcome = fuzz::run(once, run.shape, run.buffers.size(), run.touched);
    if (outcome == Outcome::usable) continue;
    ++counts.unusable[outcome];
    return;
  }
  ++counts.usable;
  if (splits(run)) ++counts.split;
  if (!compare(run, random, counts)) ++counts.found;
}

int play_all(const char* path) {
  std::ifstream file(path);
  const Json said = Json::parse(file);
  compiler::Client client(said["helper"], "", 120);
  const auto module = client.compile(compiler::request_without_device({{said["source"], "", {}}}),
                                     [](const auto&, const auto&) { return compiler::Macros{}; });
  if (!module) throw std::runtime_error(module.status().message());
  void* library = dlopen(said["library"].get<std::string>().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  Counts counts;
  std::mt19937 random(said["seed"].get<unsigned>());
  for (const Json& launch : said["launches"])
    play(launch, *module, library, random, counts);
  auto& no = counts.unusable;
  const Json summary = {{"launches", counts.launches},     {"usable", counts.usable},
                        {"split", counts.split},           {"boxes", counts.boxes},
                        {"found", counts.found},           {"outside", no[Outcome::outside]},
                        {"endless", no[Outcome::endless]}, {"overflow", no[Outcome::overflow]},
                        {"crash", no[Outcome::crash]}};
  std::printf("%s\n", summary.dump().c_str());
  return counts.found > 0 ? 1 : 0;
}

}  // namespace
}  // namespace mkmd::fuzz

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    return mkmd::fuzz::play_all(argv[1]);
  } catch (const std::exception& problem) {
    std::printf("%s\n", problem.what());
    return 2;
  }
}
