// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/kept_code.hpp"

#include "common/hash.hpp"
#include "common/log.hpp"
#include "compiler/cache.hpp"

#include <cstring>
#include <optional>

namespace mkmd {

namespace {

constexpr std::string_view kFirst = "MKMD code 1\n";
constexpr uint64_t kOtherSeed = 0x9e3779b97f4a7c15;
constexpr double kWorthKeeping = 0.05;               // seconds
constexpr uint64_t kMostBytes = uint64_t{64} << 20;  // of an entry

using Binaries = std::vector<std::string>;

void append(std::string& text, std::string_view part) {
  const uint64_t size = part.size();
  text.append(reinterpret_cast<const char*>(&size), sizeof size).append(part);
}

// The next part of what append() has made. Nothing: there is no whole one.
std::optional<std::string_view> take(std::string_view& text) {
  uint64_t size = 0;
  if (text.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, text.data(), sizeof size);
  text.remove_prefix(sizeof size);
  if (text.size() < size) return std::nullopt;
  const std::string_view part = text.substr(0, size);
  text.remove_prefix(size);
  return part;
}

// The name of an entry is one hash of what it holds for, in it is another one, and one of all that follows.
std::string encode(const std::string& holds_for, const Binaries& binaries) {
  std::string body = hex(hash_of(holds_for, kOtherSeed));
  for (const std::string& binary : binaries)
    append(body, binary);
  return std::string(kFirst) + hex(hash_of(body)) + body;
}

Binaries decode(std::string_view text, const std::string& holds_for, size_t devices) {
  const size_t hash = hex({}).size();
  if (!text.starts_with(kFirst) || text.size() < kFirst.size() + 2 * hash) return {};
  std::string_view body = text.substr(kFirst.size() + hash);
  if (text.substr(kFirst.size(), hash) != hex(hash_of(body))) return {};
  if (body.substr(0, hash) != hex(hash_of(holds_for, kOtherSeed))) return {};
  body.remove_prefix(hash);
  Binaries binaries;
  while (const auto binary = take(body))
    binaries.emplace_back(*binary);
  return binaries.size() == devices && body.empty() ? binaries : Binaries();
}

// Nothing where the driver has none for some device.
Binaries binaries_of(cl_program program, size_t devices) {
  const auto& table = vendor::table(program);
  std::vector<size_t> sizes(devices);
  if (table.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, devices * sizeof(size_t), sizes.data(),
                             nullptr) != CL_SUCCESS)
    return {};
  uint64_t all = 0;
  Binaries binaries;
  std::vector<unsigned char*> places;
  for (const size_t size : sizes) {
    all += size;
    if (size == 0 || size > kMostBytes || all > kMostBytes) return {};
    binaries.emplace_back(size, '\0');
  }
  for (std::string& binary : binaries)
    places.push_back(reinterpret_cast<unsigned char*>(binary.data()));
  const cl_int status = table.clGetProgramInfo(program, CL_PROGRAM_BINARIES, devices * sizeof(unsigned char*),
                                               places.data(), nullptr);
  return status == CL_SUCCESS ? binaries : Binaries();
}

}  // namespace

KeptCode::KeptCode(std::string folder, const std::string& source, std::string options,
                   std::vector<cl_device_id> devices)
    : options_(std::move(options)), devices_(std::move(devices)) {
  if (folder.empty()) return;
  append(holds_for_, source);
  append(holds_for_, options_);
  for (const cl_device_id device : devices_) {
    for (const cl_device_info what : {CL_DEVICE_NAME, CL_DRIVER_VERSION, CL_DEVICE_VERSION})
      append(holds_for_, vendor::device_string(device, what));
  }
  path_ = std::move(folder) + "/" + hex(hash_of(holds_for_)) + ".code.mkmd";
}

vendor::Owned<cl_program> KeptCode::load(cl_context context) const {
  if (path_.empty()) return {};
  const Result<std::string> text = compiler::read_entry(path_, kMostBytes);
  if (!text) return {};
  const Binaries binaries = decode(*text, holds_for_, devices_.size());
  if (binaries.empty()) return {};
  std::vector<size_t> sizes;
  std::vector<const unsigned char*> places;
  for (const std::string& binary : binaries) {
    sizes.push_back(binary.size());
    places.push_back(reinterpret_cast<const unsigned char*>(binary.data()));
  }
  const auto count = static_cast<cl_uint>(devices_.size());
  const auto& table = vendor::table(context);
  cl_int status = CL_SUCCESS;
  vendor::Owned<cl_program> program(table.clCreateProgramWithBinary(
      context, count, devices_.data(), sizes.data(), places.data(), nullptr, &status));
  if (program && status == CL_SUCCESS &&
      table.clBuildProgram(program.get(), count, devices_.data(), options_.c_str(), nullptr, nullptr) ==
          CL_SUCCESS)
    return program;
  log(LogLevel::info, path_ + ": the driver refuses what it has built; it builds it again");
  return {};
}

void KeptCode::keep(cl_program program, double seconds) const {
  if (path_.empty() || seconds < kWorthKeeping) return;
  const Binaries binaries = binaries_of(program, devices_.size());
  if (binaries.empty()) return;
  if (const Status status = compiler::write_entry(path_, encode(holds_for_, binaries)); !status)
    log_once(LogLevel::info, status.message() + "; code for pieces is built again in the next run");
}

}  // namespace mkmd
