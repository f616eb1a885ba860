// SPDX-License-Identifier: Apache-2.0
#include "kernel_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace mkmd::compiler::test {
namespace {

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

template <typename T>
std::vector<uint8_t> bytes_of(const T& value) {
  std::vector<uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <typename T>
std::vector<uint8_t> random_bytes(size_t count, double below, std::mt19937& generator) {
  std::vector<uint8_t> bytes(count * sizeof(T));
  std::uniform_real_distribution<double> numbers(0, below);
  for (size_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(numbers(generator));
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

ArgumentValue image(const std::string& text, std::mt19937& generator) {
  ArgumentValue a;
  a.kind = ArgumentValue::Kind::image;
  const size_t colon = text.find(':'), bracket = text.find('[');
  a.image = text.substr(0, colon);
  a.channels = text.at(colon + 1);
  const std::vector<std::string> sizes = split(text.substr(bracket + 1), ',');
  size_t pixels = 1;
  for (size_t d = 0; d < sizes.size(); ++d)
    pixels *= a.extent.at(d) = std::stoull(sizes[d]);
  a.bytes = a.channels == 'f' ? random_bytes<float>(4 * pixels, 100, generator)
                              : random_bytes<uint32_t>(4 * pixels, 100, generator);
  return a;
}

ArgumentValue argument(const std::string& text, std::mt19937& generator) {
  if (text.starts_with("image")) return image(text, generator);
  ArgumentValue a;
  const size_t bracket = text.find('['), equals = text.find('=');
  if (bracket != std::string::npos) {
    a.kind = ArgumentValue::Kind::buffer;
    const size_t count = std::stoul(text.substr(bracket + 1)), angle = text.find('<');
    const std::string type = text.substr(0, std::min(bracket, angle));
    const double below = angle == std::string::npos ? 100 : std::stod(text.substr(angle + 1));
    if (type == "f32")
      a.bytes = random_bytes<float>(count, below, generator);
    else if (type == "f64")
      a.bytes = random_bytes<double>(count, below, generator);
    else if (type == "i32")
      a.bytes = random_bytes<int32_t>(count, below, generator);
    else if (type == "bits")
      a.bytes = random_bytes<uint32_t>(count, 4294967296.0, generator);
    else if (type == "u64")
      a.bytes = random_bytes<uint64_t>(count, below, generator);
    else if (type == "u8")
      a.bytes = random_bytes<uint8_t>(count, below, generator);
    else
      throw std::runtime_error("unknown buffer " + text);
    return a;
  }
  const std::string kind = text.substr(0, equals), value = text.substr(equals + 1);
  if (kind == "i")
    a.bytes = bytes_of(static_cast<int32_t>(std::stol(value)));
  else if (kind == "u")
    a.bytes = bytes_of(static_cast<uint32_t>(std::stoul(value)));
  else if (kind == "f")
    a.bytes = bytes_of(std::stof(value));
  else if (kind == "i4") {
    for (const std::string& part : split(value, ',')) {
      const std::vector<uint8_t> one = bytes_of(static_cast<int32_t>(std::stol(part)));
      a.bytes.insert(a.bytes.end(), one.begin(), one.end());
    }
  } else if (kind == "raw") {
    for (size_t i = 0; i + 1 < value.size(); i += 2)
      a.bytes.push_back(static_cast<uint8_t>(std::stoul(value.substr(i, 2), nullptr, 16)));
  } else if (kind == "local") {
    a.kind = ArgumentValue::Kind::local;
    a.local_bytes = std::stoul(value);
  } else {
    throw std::runtime_error("unknown argument " + text);
  }
  return a;
}

LaunchLine parse(const std::string& file, const std::string& line) {
  LaunchLine out;
  out.file = file;
  out.text = line;
  std::mt19937 generator(static_cast<unsigned>(std::hash<std::string>()(line)));
  const size_t colon = line.find(" : ");
  const std::vector<std::string> words = split(line.substr(0, colon), ' ');
  out.kernel = words.at(0);
  const auto sizes = [&](const std::string& text, std::array<uint64_t, 3>& to) {
    const std::vector<std::string> parts = split(text, ',');
    for (size_t d = 0; d < parts.size(); ++d)
      to.at(d) = std::stoull(parts[d]);
    return static_cast<unsigned>(parts.size());
  };
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& w = words[i];
    const std::string value = w.substr(w.find('=') + 1);
    if (w == "exact")
      out.exact = true;
    else if (w == "open")
      out.open = true;
    else if (w == "padded")
      out.padded = true;
    else if (w == "apart")
      out.apart = true;
    else if (w == "together")
      out.together = true;
    else if (w == "summed")
      out.summed = true;
    else if (w.starts_with("whole="))
      out.whole = value;
    else if (w.starts_with("global="))
      out.dimensions = sizes(value, out.launch.global);
    else if (w.starts_with("local="))
      sizes(value, out.launch.local);
    else if (w.starts_with("offset="))
      sizes(value, out.launch.offset);
    else
      throw std::runtime_error("unknown word " + w);
  }
  std::ranges::replace(out.whole, '_', ' ');
  out.launch.work_dim = out.dimensions;
  for (const std::string& a : split(line.substr(colon + 3), ' '))
    out.arguments.push_back(argument(a, generator));
  return out;
}

}  // namespace

Launch LaunchLine::with_scalars(const KernelInfo& info) const {
  Launch l = launch;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentValue& a = arguments[i];
    const auto argument = static_cast<unsigned>(i);
    if (a.kind == ArgumentValue::Kind::value)
      set_scalars(info, argument, a.bytes.data(), a.bytes.size(), l.scalars);
    if (a.kind == ArgumentValue::Kind::image)
      set_scalars(info, argument, a.extent.data(), sizeof a.extent, l.scalars);
  }
  if (l.scalars.empty()) l.scalars.resize(info.arguments.size() + info.extra_scalars.size());
  return l;
}

std::array<uint64_t, 3> LaunchLine::groups() const {
  std::array<uint64_t, 3> g{1, 1, 1};
  for (size_t d = 0; d < dimensions; ++d)
    g[d] = launch.global[d] / launch.local[d];
  return g;
}

namespace {

KernelFile kernel_file(const std::filesystem::path& path) {
  KernelFile file;
  file.name = path.stem().string();
  std::ifstream in(path);
  if (!in) throw std::runtime_error("no file " + path.string());
  constexpr std::string_view kNeeds = "//@needs ", kOptions = "//@options ";
  for (std::string line; std::getline(in, line); file.source += line + "\n") {
    if (line.starts_with("//@ ")) file.launches.push_back(parse(file.name, line.substr(4)));
    if (line.starts_with(kNeeds)) file.needs = line.substr(kNeeds.size());
    if (line.starts_with(kOptions)) file.options = line.substr(kOptions.size());
  }
  return file;
}

}  // namespace

std::vector<KernelFile> kernel_files() {
  const char* elsewhere = std::getenv("MKMD_TEST_KERNELS");  // one of the files, or a folder of others
  const std::filesystem::path place = elsewhere ? elsewhere : MKMD_TEST_KERNELS;
  if (!std::filesystem::is_directory(place)) return {kernel_file(place)};
  std::vector<KernelFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(place))
    if (entry.path().extension() == ".cl") files.push_back(kernel_file(entry.path()));
  std::ranges::sort(files, {}, &KernelFile::name);
  return files;
}

Request request_for(const std::string& source, const std::string& options) {
  Request r;
  r.units = {{source, options, {}}};
  r.macros.resize(1);
  r.extensions = {"cl_khr_fp64",
                  "cl_khr_byte_addressable_store",
                  "cl_khr_global_int32_base_atomics",
                  "cl_khr_global_int32_extended_atomics",
                  "cl_khr_local_int32_base_atomics",
                  "cl_khr_local_int32_extended_atomics",
                  "cl_khr_int64_base_atomics",
                  "cl_khr_3d_image_writes"};
  r.device_version = "OpenCL 3.0 test";
  r.c_version = "OpenCL C 1.2 test";
  return r;
}

const KernelInfo* find_kernel(const Module& module, const std::string& name) {
  for (const KernelInfo& k : module.kernels)
    if (k.name == name) return &k;
  return nullptr;
}

}  // namespace mkmd::compiler::test
