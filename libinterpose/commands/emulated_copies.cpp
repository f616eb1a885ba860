// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/emulated_copies.hpp"

#include "libinterpose/commands/command.hpp"
#include "libinterpose/emulation/machine.hpp"
#include "libinterpose/memory/storage.hpp"

#include <cstring>

namespace mkmd {

namespace {

bool in_process_memory(cl_command_queue queue) {
  cl_device_id device = nullptr;
  vendor::table(queue).clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
  return device != nullptr && vendor::is_host_cpu(device);
}

}  // namespace

char* bytes_in_process(emulation::Machine& machine, Storage& storage, int domain, cl_mem memory,
                       cl_command_queue queue) {
  // The driver is called with the mutex held: PoCL gives a buffer its memory when it is first mapped, and two
  // threads that map it at once need not be given the same.
  const Lock lock(storage.bytes_mutex);
  char*& bytes = storage.bytes[domain];
  if (bytes != nullptr || memory == nullptr || !in_process_memory(queue)) return bytes;
  const emulation::VirtualClock::Stop stop(machine.clock());
  const auto& table = vendor::table(queue);
  size_t size = 0;
  table.clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, nullptr);
  cl_int status = CL_SUCCESS;
  void* mapped = table.clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0,
                                          nullptr, nullptr, &status);
  if (mapped == nullptr) return nullptr;
  table.clEnqueueUnmapMemObject(queue, memory, mapped, 0, nullptr, nullptr);
  table.clFinish(queue);
  bytes = static_cast<char*>(mapped);
  return bytes;
}

Action::Work emulated_transfer_work(emulation::Machine* machine, Storage& storage, const Lane& from,
                                    cl_mem from_memory, Lane& to, cl_mem to_memory, const ByteRanges& ranges,
                                    Action::Work otherwise) {
  if (machine == nullptr) return otherwise;
  return [machine, &storage, &from, from_memory, &to, to_memory, ranges,
          otherwise = std::move(otherwise)](const std::vector<cl_event>& waits) {
    const char* source = bytes_in_process(*machine, storage, from.domain, from_memory, from.queue.get());
    char* destination = bytes_in_process(*machine, storage, to.domain, to_memory, to.queue.get());
    if (source == nullptr || destination == nullptr) return otherwise(waits);
    ranges.each_range(
        [&](const ByteRange& r) { std::memcpy(destination + r.lo, source + r.lo, r.hi - r.lo); });
    return Action::Outcome{};
  };
}

Action::Work emulated_read_work(emulation::Machine* machine, Storage& storage, Lane& lane, cl_mem memory,
                                const ReadCommand& command, const ByteRanges& ranges,
                                Action::Work otherwise) {
  if (machine == nullptr) return otherwise;
  return [machine, &storage, &lane, memory, &command, ranges,
          otherwise = std::move(otherwise)](const std::vector<cl_event>& waits) {
    const char* source = bytes_in_process(*machine, storage, lane.domain, memory, lane.queue.get());
    if (source == nullptr) return otherwise(waits);
    const uint64_t base = command.source.in_root();
    ranges.each_range([&](const ByteRange& r) {
      std::memcpy(static_cast<char*>(command.host) + (r.lo - base), source + r.lo, r.hi - r.lo);
    });
    return Action::Outcome{};
  };
}

Action::Work emulated_write_work(emulation::Machine* machine, Storage& storage, Lane& lane, cl_mem memory,
                                 const WriteCommand& command, Action::Work otherwise) {
  if (machine == nullptr) return otherwise;
  return [machine, &storage, &lane, memory, &command,
          otherwise = std::move(otherwise)](const std::vector<cl_event>& waits) {
    char* destination = bytes_in_process(*machine, storage, lane.domain, memory, lane.queue.get());
    if (destination == nullptr) return otherwise(waits);
    command.keep();
    std::memcpy(destination + command.destination.in_root(), command.bytes(), command.size);
    return Action::Outcome{};
  };
}

Action::Work emulated_fill_work(emulation::Machine* machine, Lane& lane, const FillCommand& command,
                                cl_mem destination, ByteRange bytes, Action::Work otherwise) {
  if (machine == nullptr) return otherwise;
  return [machine, &lane, &command, destination, bytes,
          otherwise = std::move(otherwise)](const std::vector<cl_event>& waits) {
    char* const to = bytes_in_process(*machine, *command.destination.root().storage, lane.domain, destination,
                                      lane.queue.get());
    if (to == nullptr) return otherwise(waits);
    for (uint64_t at = bytes.lo; at < bytes.hi; at += command.pattern.size())
      std::memcpy(to + at, command.pattern.data(), command.pattern.size());
    return Action::Outcome{};
  };
}

Action::Work emulated_copy_work(emulation::Machine* machine, Lane& lane, const CopyCommand& command,
                                cl_mem source, cl_mem destination, ByteRange bytes, Action::Work otherwise) {
  if (machine == nullptr) return otherwise;
  return [machine, &lane, &command, source, destination, bytes,
          otherwise = std::move(otherwise)](const std::vector<cl_event>& waits) {
    const auto in_process = [&](Memory& memory, cl_mem object) {
      return bytes_in_process(*machine, *memory.root()->storage, lane.domain, object, lane.queue.get());
    };
    const char* const from = in_process(*command.source.memory, source);
    char* const to = in_process(*command.destination.memory, destination);
    if (from == nullptr || to == nullptr) return otherwise(waits);
    std::memcpy(to + bytes.lo, from + (bytes.lo + command.source_ahead()), bytes.hi - bytes.lo);
    return Action::Outcome{};
  };
}

}  // namespace mkmd
