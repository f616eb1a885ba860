// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/platform_file.hpp"

#include "common/files.hpp"
#include "common/hash.hpp"
#include "common/json.hpp"
#include "common/json_reader.hpp"
#include "platform/json.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>
#include <string_view>

namespace mkmd::emulation {

namespace {

using nlohmann::json;
using platform::Device;

constexpr int kMostMemories = 30;  // bit masks of memories are 32 bits wide

// The number under `key` if it is one from `lowest` to `highest`, as `accepted` says.
double number_in(JsonReader& in, const char* key, double otherwise, double lowest, double highest,
                 const char* accepted) {
  const double x = in.number_or(key, otherwise);
  if (x < lowest || x > highest) in.fail(key, std::string("give ") + accepted);
  return x;
}
constexpr double kAny = std::numeric_limits<double>::max();

double positive(JsonReader& in, const char* key) {
  const double x = in.number(key);
  if (x <= 0) in.fail(key, "give a number above 0");
  return x;
}

// Unknown keys are allowed in the exchange format. Here they are mistakes.
void check_keys(JsonReader& in) {
  in.only({"devices", "bw", "lat", "links", "memories", "launch"});
  in.each("devices", false, [](JsonReader& d) {
    d.only({"name", "model", "class", "mem", "launch", "rates", "mem_bw"});
    if (!d.has("rates"))
      return d.fail("rates", "is missing: give an object with operations and bytes per second");
    JsonReader rates = d.inner("rates");
    rates.only({"operations", "bytes", "bytes_rows", "bytes_tiles"});
    for (const char* key : {"operations", "bytes", "bytes_rows", "bytes_tiles"}) {
      const std::string_view name = key;
      if (name == "operations" || name == "bytes" || rates.has(key)) positive(rates, key);
    }
  });
  in.each("links", false, [](JsonReader& l) { l.only({"src", "dst", "bw", "lat"}); });
  in.each("memories", false, [](JsonReader& m) { m.only({"mem", "bw_one", "bw_all"}); });
}

void check_devices(JsonReader& in, PlatformFile& p) {
  std::set<std::string> names;
  for (Device& d : p.devices) {
    if (d.name.empty()) in.fail("devices", "give every device a name");
    if (!names.insert(d.name).second) in.fail("devices", "two are called \"" + d.name + "\"");
    if (d.mem < 0 || d.mem > kMostMemories)
      in.fail("devices",
              "mem of \"" + d.name + "\": give an integer from 0 to " + std::to_string(kMostMemories));
    if (d.model.empty()) d.model = d.name;
  }
  if (p.devices.size() < 2) in.fail("devices", "give two or more");
}

void read_machine(JsonReader& top, PlatformFile& p, Status& status) {
  JsonReader in = top.inner("platform");
  if (status.ok()) check_keys(in);
  if (!status.ok()) return;
  Result<platform::Platform> machine = platform::from_json(top.json()["platform"]);
  if (!machine) {
    status = machine.status();
    return;
  }
  static_cast<platform::Platform&>(p) = std::move(*machine);
  check_devices(in, p);
}

// A device by name.
int device_of(JsonReader& in, const PlatformFile& p) {
  const std::string name = in.text("device");
  for (size_t i = 0; i < p.devices.size(); ++i) {
    if (p.devices[i].name == name) return static_cast<int>(i);
  }
  std::string names;
  for (const Device& d : p.devices)
    names += (names.empty() ? "" : ", ") + d.name;
  in.fail("device", "there is no \"" + name + "\"; accepted: " + names);
  return 0;
}

void read_memory(JsonReader& in, PlatformFile& p) {
  in.only({"mem", "bw_all"});
  const int mem = in.integer("mem");
  const double bw_all = positive(in, "bw_all");
  if (p.has_memory(mem)) return p.set_bw_all(mem, bw_all);
  std::set<int> memories;
  for (const Device& d : p.devices)
    memories.insert(d.mem);
  std::string all;
  for (const int m : memories)
    all += (all.empty() ? "" : ", ") + std::to_string(m);
  in.fail("mem", "no device has memory " + std::to_string(mem) + "; accepted: " + all);
}

void read_event(JsonReader& in, PlatformFile& p) {
  in.only({"at", "device", "slows", "fails", "has"});
  EventSpec e;
  e.at = in.number("at");
  if (e.at < 0) in.fail("at", "give seconds from 0");
  e.device = device_of(in, p);
  if (in.has("fails") + in.has("slows") + in.has("has") != 1)
    return in.fail("", "give one of \"slows\": FACTOR, \"fails\": true and \"has\": BYTES");
  if (in.has("slows")) {
    e.factor = positive(in, "slows");
  } else if (in.has("fails")) {
    e.kind = EventSpec::Kind::fails;
    if (!in.flag_or("fails", true)) in.fail("fails", "give true");
    if (e.device == 0) in.fail("device", "the first device is home and holds the program: it cannot fail");
  } else {
    e.kind = EventSpec::Kind::has;
    e.bytes = number_in(in, "has", 0, 0, kAny, "bytes from 0");
    if (p.devices[e.device].mem == p.devices[0].mem)
      in.fail("device", "its memory is the first device's, which holds the program: it cannot be filled");
  }
  p.events.push_back(e);
}

void read_kernel(JsonReader& in, PlatformFile& p) {
  in.only({"name", "exponent", "rate"});
  KernelSpec k;
  k.pattern = in.text("name");
  if (k.pattern.empty()) in.fail("name", "give a text");
  if (in.has("exponent")) {
    k.exponent = in.integer("exponent");
    if (k.exponent < 0 || k.exponent > 3) in.fail("exponent", "give an integer from 0 to 3");
  }
  const std::set<std::string> rates{"operations", "bytes", "bytes_rows", "bytes_tiles"};
  if (in.has("rate")) {
    k.rate = in.text("rate");
    if (rates.count(k.rate) == 0) in.fail("rate", "give operations, bytes, bytes_rows or bytes_tiles");
  }
  p.kernels.push_back(std::move(k));
}

void read_emulation(JsonReader in, PlatformFile& p) {
  in.only({"time_scale", "jitter", "seed", "size_scale", "memories", "kernels", "events"});
  p.time_scale = number_in(in, "time_scale", p.time_scale, 1, 1e6,
                           "a number from 1 to 1000000 (real seconds per emulated second)");
  p.jitter = number_in(in, "jitter", p.jitter, 0, 0.5, "a number from 0 to 0.5");
  const int seed = in.integer_or("seed", 1);
  if (seed < 0) in.fail("seed", "give an integer from 0");
  p.seed = static_cast<uint64_t>(seed);
  if (in.has("size_scale")) {
    JsonReader s = in.inner("size_scale");
    s.only({"full", "factor"});
    if (!s.has("factor")) s.fail("factor", "is missing: give a number from 1");
    p.size_scale.full = s.number("full");
    if (p.size_scale.full < 1) s.fail("full", "give elements along a side, from 1");
    p.size_scale.factor = number_in(s, "factor", 1, 1, kAny, "a number from 1");
    if (p.size_scale.side() < 2) s.fail("factor", "leaves less than two elements along a side");
  }
  in.each("memories", false, [&](JsonReader& m) { read_memory(m, p); });
  in.each("kernels", false, [&](JsonReader& k) { read_kernel(k, p); });
  in.each("events", false, [&](JsonReader& e) { read_event(e, p); });
}

}  // namespace

bool PlatformFile::can_fail() const {
  return std::any_of(events.begin(), events.end(),
                     [](const EventSpec& e) { return e.kind == EventSpec::Kind::fails; });
}

std::string PlatformFile::kind(int device) const {
  const Device& d = devices[device];
  std::ostringstream facts;
  facts << std::hexfloat;
  for (const double fact :
       {d.launch, d.rates.operations, d.rates.bytes, d.rates.bytes_rows, d.rates.bytes_tiles, bw_all(d.mem),
        size_scale.on() ? size_scale.full : 0, size_scale.factor})
    facts << fact << ' ';
  for (const KernelSpec& k : kernels)
    facts << k.pattern << ' ' << k.exponent << ' ' << k.rate << ' ';
  return d.model + " (emulated, " + hex(hash_of(facts.str())).substr(0, 8) + ")";
}

Result<PlatformFile> parse_platform(const std::string& text, const std::string& file) {
  PlatformFile p;
  p.file = file;
  const Result<json> all = parse_json(text);
  if (!all) return Status::internal(file + ": not JSON: " + all.status().message());
  Status status;
  JsonReader top(*all, "", status);
  // What else is in a document of the exchange format (mkmd simulate) is not for us, but no mistake.
  top.only({"platform", "emulation", "graph", "schedule"});
  if (!top.has("platform")) top.fail("platform", "is missing: give an object of devices and links");
  if (status.ok()) read_machine(top, p, status);
  if (status.ok() && top.has("emulation")) read_emulation(top.inner("emulation"), p);
  if (!status.ok()) return Status::internal(file + ": " + status.message());
  std::stable_sort(p.events.begin(), p.events.end(),
                   [](const EventSpec& a, const EventSpec& b) { return a.at < b.at; });
  return p;
}

Result<PlatformFile> read_platform(const std::string& file) {
  const Result<std::string> text = read_file(file, 16u << 20);
  if (!text) return Status::internal(text.status().message() + "; give a platform file (docs/emulation.md)");
  return parse_platform(*text, file);
}

}  // namespace mkmd::emulation
