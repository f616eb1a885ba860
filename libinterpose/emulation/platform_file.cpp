// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/platform_file.hpp"

#include "common/files.hpp"
#include "common/hash.hpp"
#include "common/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>
#include <sstream>

namespace mkmd::emulation {

namespace {

using nlohmann::json;

// Reads one object. The first thing that is wrong is kept; later reads then do nothing.
class Reader {
public:
  Reader(const json& object, std::string path, std::optional<std::string>& problem)
      : object_(object), path_(std::move(path)), problem_(problem) {
    if (!object.is_object()) wrong("", "give an object {…}");
  }

  void number(const char* key, double& value, double lowest, bool above, const char* accepted,
              bool required) {
    const json* found = find(key, required, accepted);
    if (found == nullptr) return;
    const bool good = found->is_number() && std::isfinite(found->get<double>()) &&
                      (above ? found->get<double>() > lowest : found->get<double>() >= lowest);
    if (!good) return wrong(key, std::string("give ") + accepted);
    value = found->get<double>();
  }
  void positive(const char* key, double& value, bool required) {
    number(key, value, 0, true, "a number above 0", required);
  }
  void not_negative(const char* key, double& value) {
    number(key, value, 0, false, "a number from 0", false);
  }

  void boolean(const char* key, bool& value) {
    const json* found = find(key, false, "true or false");
    if (found == nullptr) return;
    if (!found->is_boolean()) return wrong(key, "give true or false");
    value = found->get<bool>();
  }

  void integer(const char* key, int& value, int lowest, int highest, bool required) {
    const std::string accepted =
        "an integer from " + std::to_string(lowest) + " to " + std::to_string(highest);
    const json* found = find(key, required, accepted.c_str());
    if (found == nullptr) return;
    if (!found->is_number_integer() || found->get<int64_t>() < lowest || found->get<int64_t>() > highest)
      return wrong(key, "give " + accepted);
    value = found->get<int>();
  }

  void text(const char* key, std::string& value, bool required) {
    const json* found = find(key, required, "a text");
    if (found == nullptr) return;
    if (!found->is_string() || found->get<std::string>().empty()) return wrong(key, "give a text");
    value = found->get<std::string>();
  }

  // The elements of an array, each with its path; none if the key is missing and not required.
  template <typename Each>
  void array(const char* key, bool required, Each&& each) {
    const json* found = find(key, required, "an array […]");
    if (found == nullptr) return;
    if (!found->is_array() || (required && found->empty()))
      return wrong(key, "give an array of at least one object");
    for (size_t i = 0; i < found->size() && !problem_; ++i) {
      Reader element((*found)[i], place(key) + "[" + std::to_string(i) + "]", problem_);
      if (!problem_) each(element);
    }
  }
  template <typename Use>
  void object(const char* key, bool required, Use&& use) {
    const json* found = find(key, required, "an object {…}");
    if (found == nullptr) return;
    Reader inner(*found, place(key), problem_);
    if (!problem_) use(inner);
  }

  bool has(const char* key) const { return object_.is_object() && object_.contains(key); }

  // Our own parts of the format have no extra keys: a typing error must not be silence.
  void only(std::initializer_list<const char*> keys) {
    for (auto it = object_.begin(); it != object_.end() && !problem_; ++it) {
      if (std::any_of(keys.begin(), keys.end(), [&](const char* key) { return it.key() == key; })) continue;
      std::string all;
      for (const char* key : keys)
        all += (all.empty() ? "" : ", ") + std::string(key);
      wrong(it.key().c_str(), "there is no such key; accepted: " + all);
    }
  }

  void wrong(const char* key, const std::string& what) {
    if (!problem_) problem_ = place(key) + ": " + what;
  }

private:
  std::string place(const char* key) const {
    if (*key == '\0') return path_.empty() ? "top level" : path_;
    return path_.empty() ? key : path_ + "." + key;
  }
  const json* find(const char* key, bool required, const char* accepted) {
    if (problem_) return nullptr;
    const auto it = object_.find(key);
    if (it != object_.end()) return &*it;
    if (required) wrong(key, std::string("is missing: give ") + accepted);
    return nullptr;
  }

  const json& object_;
  const std::string path_;
  std::optional<std::string>& problem_;
};

// mem_bw is of the exchange format, for simulations.
void read_device(Reader& r, DeviceSpec& d) {
  r.only({"name", "model", "class", "mem", "launch", "rates", "mem_bw"});
  r.text("name", d.name, true);
  d.model = d.name;
  r.text("model", d.model, false);
  std::string device_class;
  r.text("class", device_class, true);
  if (device_class == "GPU") {
    d.device_class = DeviceClass::gpu;
  } else if (device_class == "accelerator") {
    d.device_class = DeviceClass::accelerator;
  } else if (device_class != "CPU") {
    r.wrong("class", "give \"CPU\", \"GPU\" or \"accelerator\"");
  }
  r.integer("mem", d.mem, 0, 30, true);
  r.not_negative("launch", d.launch);
  r.object("rates", true, [&](Reader& rates) {
    rates.only({"operations", "bytes", "bytes_rows", "bytes_tiles"});
    rates.positive("operations", d.operations, true);
    rates.positive("bytes", d.bytes, true);
    d.bytes_rows = d.bytes_tiles = d.bytes;
    rates.positive("bytes_rows", d.bytes_rows, false);
    rates.positive("bytes_tiles", d.bytes_tiles, false);
  });
}

// A device by name or index.
int device_of(Reader& r, const PlatformFile& p) {
  std::string name;
  r.text("device", name, true);
  for (size_t i = 0; i < p.devices.size(); ++i) {
    if (p.devices[i].name == name) return static_cast<int>(i);
  }
  std::string names;
  for (const DeviceSpec& d : p.devices)
    names += (names.empty() ? "" : ", ") + d.name;
  r.wrong("device", "there is no \"" + name + "\"; accepted: " + names);
  return 0;
}

void a_memory(Reader& r, const char* key, int mem, const PlatformFile& p) {
  std::set<int> memories;
  for (const DeviceSpec& d : p.devices)
    memories.insert(d.mem);
  if (memories.count(mem) > 0) return;
  std::string all;
  for (const int m : memories)
    all += (all.empty() ? "" : ", ") + std::to_string(m);
  r.wrong(key, "no device has memory " + std::to_string(mem) + "; accepted: " + all);
}

void read_event(Reader& r, PlatformFile& p) {
  r.only({"at", "device", "slows", "fails", "has"});
  EventSpec e;
  r.number("at", e.at, 0, false, "seconds from 0", true);
  e.device = device_of(r, p);
  if (r.has("fails") + r.has("slows") + r.has("has") != 1)
    return r.wrong("", "give one of \"slows\": FACTOR, \"fails\": true and \"has\": BYTES");
  if (r.has("slows")) {
    r.positive("slows", e.factor, true);
  } else if (r.has("fails")) {
    e.kind = EventSpec::Kind::fails;
    bool fails = true;
    r.boolean("fails", fails);
    if (!fails) r.wrong("fails", "give true");
    if (e.device == 0) r.wrong("device", "the first device is home and holds the program: it cannot fail");
  } else {
    e.kind = EventSpec::Kind::has;
    r.number("has", e.bytes, 0, false, "bytes from 0", true);
    if (p.devices[e.device].mem == p.devices[0].mem)
      r.wrong("device", "its memory is the first device's, which holds the program: it cannot be filled");
  }
  p.events.push_back(e);
}

void read_kernel(Reader& r, PlatformFile& p) {
  r.only({"name", "exponent", "rate"});
  KernelSpec k;
  r.text("name", k.pattern, true);
  r.integer("exponent", k.exponent, 0, 3, false);
  r.text("rate", k.rate, false);
  const std::set<std::string> rates{"", "operations", "bytes", "bytes_rows", "bytes_tiles"};
  if (rates.count(k.rate) == 0) r.wrong("rate", "give operations, bytes, bytes_rows or bytes_tiles");
  p.kernels.push_back(std::move(k));
}

void read_emulation(Reader& r, PlatformFile& p) {
  r.only({"time_scale", "jitter", "seed", "size_scale", "memories", "kernels", "events"});
  const char* const time_scale = "a number from 1 to 1000000 (real seconds per emulated second)";
  r.number("time_scale", p.time_scale, 1, false, time_scale, false);
  if (p.time_scale > 1e6) r.wrong("time_scale", std::string("give ") + time_scale);
  r.not_negative("jitter", p.jitter);
  if (p.jitter > 0.5) r.wrong("jitter", "give a number from 0 to 0.5");
  int seed = 1;
  r.integer("seed", seed, 0, 1 << 30, false);
  p.seed = static_cast<uint64_t>(seed);
  r.object("size_scale", false, [&](Reader& s) {
    s.only({"full", "factor"});
    s.number("full", p.size_scale.full, 1, false, "elements along a side, from 1", true);
    s.number("factor", p.size_scale.factor, 1, false, "a number from 1", true);
    if (p.size_scale.side() < 2) s.wrong("factor", "leaves less than two elements along a side");
  });
  r.array("memories", false, [&](Reader& m) {
    m.only({"mem", "bw_all"});
    MemorySpec spec;
    m.integer("mem", spec.mem, 0, 30, true);
    a_memory(m, "mem", spec.mem, p);
    m.positive("bw_all", spec.bw_all, true);
    p.memories.push_back(spec);
  });
  r.array("kernels", false, [&](Reader& k) { read_kernel(k, p); });
  r.array("events", false, [&](Reader& e) { read_event(e, p); });
}

}  // namespace

LinkSpec PlatformFile::link(int src, int dst) const {
  for (const LinkSpec& l : links) {
    if (l.src == src && l.dst == dst) return l;
  }
  return {src, dst, bw, lat};
}

bool PlatformFile::can_fail() const {
  return std::any_of(events.begin(), events.end(),
                     [](const EventSpec& e) { return e.kind == EventSpec::Kind::fails; });
}

std::string PlatformFile::kind(int device) const {
  const DeviceSpec& d = devices[device];
  std::ostringstream facts;
  facts << std::hexfloat;
  for (const double fact : {d.launch, d.operations, d.bytes, d.bytes_rows, d.bytes_tiles, bw_all(d.mem),
                            size_scale.on() ? size_scale.full : 0, size_scale.factor})
    facts << fact << ' ';
  for (const KernelSpec& k : kernels)
    facts << k.pattern << ' ' << k.exponent << ' ' << k.rate << ' ';
  return d.model + " (emulated, " + hex(hash_of(facts.str())).substr(0, 8) + ")";
}

double PlatformFile::bw_all(int mem) const {
  for (const MemorySpec& m : memories) {
    if (m.mem == mem) return m.bw_all;
  }
  return 0;
}

Result<PlatformFile> parse_platform(const std::string& text, const std::string& file) {
  PlatformFile p;
  p.file = file;
  const Result<json> all = parse_json(text);
  if (!all) return Status::internal(file + ": not JSON: " + all.status().message());
  std::optional<std::string> problem;
  Reader top(*all, "", problem);
  // What else is in a document of the exchange format (mkmd simulate) is not for us, but no mistake.
  if (!problem) top.only({"platform", "emulation", "graph", "schedule"});
  top.object("platform", true, [&](Reader& r) {
    r.only({"devices", "bw", "lat", "links", "memories"});
    r.array("devices", true, [&](Reader& d) { read_device(d, p.devices.emplace_back()); });
    std::set<std::string> names;
    std::set<int> memories;
    for (const DeviceSpec& d : p.devices) {
      if (!names.insert(d.name).second) r.wrong("devices", "two are called \"" + d.name + "\"");
      memories.insert(d.mem);
    }
    if (p.devices.size() < 2) r.wrong("devices", "give two or more");
    r.positive("bw", p.bw, memories.size() > 1);
    r.not_negative("lat", p.lat);
    r.array("links", false, [&](Reader& l) {
      l.only({"src", "dst", "bw", "lat"});
      LinkSpec link{0, 0, p.bw, p.lat};
      l.integer("src", link.src, 0, 30, true);
      a_memory(l, "src", link.src, p);
      l.integer("dst", link.dst, 0, 30, true);
      a_memory(l, "dst", link.dst, p);
      l.positive("bw", link.bw, true);
      l.not_negative("lat", link.lat);
      p.links.push_back(link);
    });
  });
  top.object("emulation", false, [&](Reader& r) { read_emulation(r, p); });
  if (problem) return Status::internal(file + ": " + *problem);
  std::stable_sort(p.events.begin(), p.events.end(),
                   [](const EventSpec& a, const EventSpec& b) { return a.at < b.at; });
  return p;
}

Result<PlatformFile> read_platform(const std::string& file) {
  const Result<std::string> text = read_file(file, 16u << 20);
  if (!text) return Status::internal(text.status().message() + ": give a platform file (docs/emulation.md)");
  return parse_platform(*text, file);
}

}  // namespace mkmd::emulation
