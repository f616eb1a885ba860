// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/careful.hpp"

#include "common/host_clock.hpp"
#include "libinterpose/commands/pixels.hpp"
#include "libinterpose/commands/submit.hpp"
#include "libinterpose/memory/storage.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

namespace mkmd {

namespace {

cl_int copy_bytes(void* to, const void* from, uint64_t size) {
  std::memcpy(to, from, size);
  return CL_SUCCESS;
}

// Memory of ours in place of somebody's, where the device may be lost. The device's driver may go on using
// it when nobody waits for that any more.
class Ours {
public:
  Ours(const vendor::OwnQueue& queue, uint64_t size) : size_(size) {
    if (queue.may_be_lost()) bytes_ = std::make_unique_for_overwrite<unsigned char[]>(size);
  }
  template <typename Byte>
  Byte* or_else(Byte* theirs) const {
    return bytes_ ? bytes_.get() : theirs;
  }
  void take(const unsigned char* from) {
    if (bytes_) std::memcpy(bytes_.get(), from, size_);
  }
  cl_int give(unsigned char* to) const {
    if (bytes_) std::memcpy(to, bytes_.get(), size_);
    return CL_SUCCESS;
  }
  void leave() { (void)bytes_.release(); }

private:
  const uint64_t size_;
  std::unique_ptr<unsigned char[]> bytes_;
};

cl_int read_open(const Lane& lane, cl_mem memory, ByteRange range, unsigned char* to) {
  const cl_command_queue queue = lane.queue.get();
  const auto& table = vendor::table(queue);
  const uint64_t size = range.hi - range.lo;
  const cl_bool blocking = lane.queue.blocking();
  Ours ours(lane.queue, size);
  const cl_int status = vendor::try_again([&] {
    return vendor::enqueue_carefully(lane.queue, [&](cl_event* event) {
      return table.clEnqueueReadBuffer(queue, memory, blocking, range.lo, size, ours.or_else(to), 0, nullptr,
                                       event);
    });
  });
  if (status == CL_SUCCESS) return ours.give(to);
  ours.leave();
  return with_mapping(lane, memory, CL_MAP_READ, range,
                      [&](const void* mapped) { return copy_bytes(to, mapped, size); });
}

cl_int write_open(const Lane& lane, cl_mem memory, ByteRange range, const unsigned char* from) {
  const cl_command_queue queue = lane.queue.get();
  const auto& table = vendor::table(queue);
  const uint64_t size = range.hi - range.lo;
  const cl_bool blocking = lane.queue.blocking();
  Ours ours(lane.queue, size);
  ours.take(from);
  const cl_int status = vendor::try_again([&] {
    const cl_int written = vendor::enqueue_carefully(lane.queue, [&](cl_event* event) {
      return table.clEnqueueWriteBuffer(queue, memory, blocking, range.lo, size, ours.or_else(from), 0,
                                        nullptr, event);
    });
    // Other queues of the device use the bytes: a blocking write is done with our memory only.
    return written == CL_SUCCESS ? vendor::finish_carefully(lane.queue) : written;
  });
  if (status == CL_SUCCESS) return status;
  ours.leave();
  return with_mapping(lane, memory, CL_MAP_WRITE_INVALIDATE_REGION, range,
                      [&](void* mapped) { return copy_bytes(mapped, from, size); });
}

// Of a root buffer, or an image of a shape.
cl_int read_range(const Lane& lane, cl_mem memory, const ImageShape* shape, ByteRange range,
                  unsigned char* to) {
  if (shape != nullptr) return read_pixels({lane, memory, *shape}, range, to);
  if (!is_closed(memory, kHostMayNotRead)) return read_open(lane, memory, range, to);
  const ByteRanges ranges(range.lo, range.hi);
  cl_int status = CL_SUCCESS;
  const auto open = open_buffer(lane, ranges, status);
  if (status == CL_SUCCESS) status = copy_inside(lane, memory, open.get(), ranges);
  return status == CL_SUCCESS ? read_open(lane, open.get(), range, to) : status;
}

cl_int write_range(const Lane& lane, cl_mem memory, const ImageShape* shape, ByteRange range,
                   const unsigned char* from) {
  if (shape != nullptr) return write_pixels({lane, memory, *shape}, range, from);
  if (!is_closed(memory, kHostMayNotWrite)) return write_open(lane, memory, range, from);
  const ByteRanges ranges(range.lo, range.hi);
  cl_int status = CL_SUCCESS;
  const auto open = open_buffer(lane, ranges, status);
  if (status == CL_SUCCESS) status = write_open(lane, open.get(), range, from);
  return status == CL_SUCCESS ? copy_inside(lane, open.get(), memory, ranges) : status;
}

template <typename Move>
cl_int each_range(const ByteRanges& ranges, Move move) {
  cl_int status = CL_SUCCESS;
  std::vector<unsigned char> bytes;
  ranges.each_range([&](const ByteRange& range) {
    if (status != CL_SUCCESS) return;
    bytes.resize(range.hi - range.lo);
    status = move(range, bytes.data());
  });
  return status;
}

}  // namespace

void note_failure(Devices& devices, const Lane& lane, const char* what, cl_int status) {
  devices.look_after(lane);
  devices.note_trouble(lane, what, status);
}

cl_int is_over_by(cl_event event, double deadline) {
  constexpr std::chrono::microseconds kLongestPause{200};
  for (std::chrono::microseconds pause{10};; pause = std::min(2 * pause, kLongestPause)) {
    const cl_int status = vendor::execution_status(event);
    if (status <= CL_COMPLETE) return status;
    if (host_seconds() >= deadline) return CL_QUEUED;
    std::this_thread::sleep_for(pause);
  }
}

bool is_closed(cl_mem memory, cl_mem_flags by) {
  cl_mem_flags flags = 0;
  vendor::table(memory).clGetMemObjectInfo(memory, CL_MEM_FLAGS, sizeof flags, &flags, nullptr);
  return (flags & by) != 0;
}

cl_int with_mapping(const Lane& lane, cl_mem memory, cl_map_flags flags, ByteRange range,
                    const std::function<cl_int(void* mapped)>& use) {
  const cl_command_queue queue = lane.queue.get();
  const auto& table = vendor::table(queue);
  cl_int status = CL_SUCCESS;
  void* const mapped = vendor::map(lane.queue, memory, flags, range.lo, range.hi - range.lo, status);
  if (status != CL_SUCCESS) return status;
  const cl_int used = use(mapped);
  status = vendor::try_again(
      [&] { return table.clEnqueueUnmapMemObject(queue, memory, mapped, 0, nullptr, nullptr); });
  const cl_int finished = vendor::finish_carefully(lane.queue);
  return used != CL_SUCCESS ? used : status != CL_SUCCESS ? status : finished;
}

vendor::Owned<cl_mem> open_buffer(const Lane& lane, const ByteRanges& ranges, cl_int& status) {
  if (status != CL_SUCCESS) return {};
  const auto& table = vendor::table(lane.queue.get());
  cl_context context = nullptr;
  status = table.clGetCommandQueueInfo(lane.queue.get(), CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
  if (status != CL_SUCCESS) return {};
  return vendor::Owned<cl_mem>(
      table.clCreateBuffer(context, CL_MEM_READ_WRITE, ranges.hull().hi, nullptr, &status));
}

cl_int copy_inside(const Lane& lane, cl_mem from, cl_mem to, const ByteRanges& ranges) {
  const auto& table = vendor::table(lane.queue.get());
  cl_int status = CL_SUCCESS;
  ranges.each_range([&](const ByteRange& r) {
    if (status != CL_SUCCESS) return;
    status = vendor::enqueue_carefully(lane.queue, [&](cl_event* event) {
      return table.clEnqueueCopyBuffer(lane.queue.get(), from, to, r.lo, r.lo, r.hi - r.lo, 0, nullptr,
                                       event);
    });
  });
  const cl_int finished = vendor::finish_carefully(lane.queue);
  return status != CL_SUCCESS ? status : finished;
}

cl_int get_bytes(Devices& devices, Storage& storage, const Lane& lane, cl_mem memory, ByteRange range,
                 unsigned char* to) {
  if (const char* const shared = storage.bytes_of_home(lane.domain); shared != nullptr) {
    std::memcpy(to, shared + range.lo, range.hi - range.lo);
    return CL_SUCCESS;
  }
  ByteRanges there(range.lo, range.hi);
  there.subtract(storage.stand_in.held(lane.domain, there));
  cl_int status = CL_SUCCESS;
  there.each_range([&](const ByteRange& r) {
    if (status == CL_SUCCESS) status = read_range(lane, memory, storage.image(), r, to + (r.lo - range.lo));
  });
  if (status != CL_SUCCESS) note_failure(devices, lane, "reading its memory", status);
  storage.stand_in.give(lane.domain, range, to);
  return status;
}

cl_int put_bytes(Devices& devices, Storage& storage, const Lane& lane, cl_mem memory, ByteRange range,
                 const unsigned char* from) {
  if (char* const shared = storage.bytes_of_home(lane.domain); shared != nullptr) {
    std::memcpy(shared + range.lo, from, range.hi - range.lo);
    return CL_SUCCESS;
  }
  const cl_int status =
      memory != nullptr ? write_range(lane, memory, storage.image(), range, from) : CL_INVALID_MEM_OBJECT;
  if (status == CL_SUCCESS) {
    storage.stand_in.drop(lane.domain, {range.lo, range.hi});
    return status;
  }
  if (lane.domain == 0) return status;
  note_failure(devices, lane, "writing its memory", status);
  storage.stand_in.keep(lane.domain, range, from);
  return CL_SUCCESS;
}

cl_int keep_originals(Devices& devices, Storage& storage, const Lane& home, cl_mem memory,
                      const ByteRanges& ranges) {
  return each_range(ranges, [&](const ByteRange& range, unsigned char* bytes) {
    const cl_int status = get_bytes(devices, storage, home, memory, range, bytes);
    if (status == CL_SUCCESS) storage.history->originals.keep(0, range, bytes);
    return status;
  });
}

cl_int restore_originals(Devices& devices, Storage& storage, const Lane& home, cl_mem memory,
                         const ByteRanges& ranges) {
  return each_range(ranges, [&](const ByteRange& range, unsigned char* bytes) {
    storage.history->originals.give(0, range, bytes);
    return put_bytes(devices, storage, home, memory, range, bytes);
  });
}

cl_int copy_through_host(Devices& devices, Storage& storage, const Lane& from, cl_mem from_memory,
                         const Lane& to, cl_mem to_memory, const ByteRanges& ranges, bool& begun) {
  return each_range(ranges, [&](const ByteRange& range, unsigned char* bytes) {
    const cl_int status = get_bytes(devices, storage, from, from_memory, range, bytes);
    if (status != CL_SUCCESS) return status;
    begun = true;
    return put_bytes(devices, storage, to, to_memory, range, bytes);
  });
}

cl_int HomeDoubles::make() {
  memories_.assign(launch_.arguments->size(), nullptr);
  for (size_t i = 0; i < memories_.size(); ++i) {
    Memory* const memory = (*launch_.arguments)[i].tracked();
    if (memory == nullptr) continue;
    Memory& root = *memory->root();
    cl_int error = CL_SUCCESS;
    auto& of_root = roots_[&root];
    const auto& table = vendor::table(lane_.native_context);
    if (!of_root && root.storage->image() != nullptr) {
      of_root = make_image(lane_.native_context, root.image, error);
    } else if (!of_root) {
      of_root = vendor::Owned<cl_mem>(
          table.clCreateBuffer(lane_.native_context, CL_MEM_READ_WRITE, root.size, nullptr, &error));
    }
    if (!of_root) return error;
    memories_[i] = of_root.get();
    if (memory->origin == 0 && memory->size == root.size) continue;
    const cl_buffer_region region{memory->origin, memory->size};
    parts_.emplace_back(table.clCreateSubBuffer(of_root.get(), CL_MEM_READ_WRITE,
                                                CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    if (!parts_.back()) return error;
    memories_[i] = parts_.back().get();
  }
  return CL_SUCCESS;
}

cl_int HomeDoubles::bring(const BufferUses& uses, const RemoteMemory& where) const {
  cl_int status = CL_SUCCESS;
  for (size_t i = 0; i < uses.size() && status == CL_SUCCESS; ++i) {
    Memory* const root = uses[i].root;
    status = each_range(uses[i].needed, [&](const ByteRange& range, unsigned char* bytes) {
      const cl_int got =
          get_bytes(*where.devices, *root->storage, *where.transfer, where.memories[i], range, bytes);
      return got == CL_SUCCESS ? write_range(lane_, of(root), root->storage->image(), range, bytes) : got;
    });
  }
  return status;
}

cl_int HomeDoubles::take_back(const BufferUses& uses, const RemoteMemory& where) const {
  cl_int status = CL_SUCCESS;
  for (size_t i = 0; i < uses.size() && status == CL_SUCCESS; ++i) {
    Memory* const root = uses[i].root;
    status = each_range(uses[i].writes, [&](const ByteRange& range, unsigned char* bytes) {
      const cl_int made = read_range(lane_, of(root), root->storage->image(), range, bytes);
      if (made != CL_SUCCESS) return made;
      return put_bytes(*where.devices, *root->storage, *where.transfer, where.memories[i], range, bytes);
    });
  }
  return status;
}

Action::Work piece_from_afar(Lane& lane, const KernelCommand& command, const compiler::GroupBox& box,
                             BufferUses uses, RemoteMemory where) {
  return [&lane, &command, box, uses = std::move(uses), where = std::move(where)](const auto& waits) {
    HomeDoubles doubles(lane, command.launch);
    cl_int status = doubles.make();
    if (status == CL_SUCCESS) status = doubles.bring(uses, where);
    if (status != CL_SUCCESS) return Action::Outcome{status, {}};
    Action::Outcome outcome = kernel_piece(lane, command, box, doubles.memories(), true)(waits);
    if (outcome.status == CL_SUCCESS) outcome.status = doubles.take_back(uses, where);
    return outcome;
  };
}

Action::Work fill_afar(const FillCommand& command, ByteRange bytes, RemoteMemory where) {
  return [&command, bytes, where = std::move(where)](const auto&) {
    std::vector<unsigned char> content(bytes.hi - bytes.lo);
    for (size_t i = 0; i < content.size(); ++i)
      content[i] = command.pattern[i % command.pattern.size()];
    Storage& storage = *command.destination.root().storage;
    return Action::Outcome{
        put_bytes(*where.devices, storage, *where.transfer, where.memories.back(), bytes, content.data()),
        {}};
  };
}

Action::Work copy_afar(const CopyCommand& command, ByteRange bytes, RemoteMemory where) {
  return [&command, bytes, where = std::move(where)](const auto&) {
    std::vector<unsigned char> content(bytes.hi - bytes.lo);
    const uint64_t from = bytes.lo + command.source_ahead();
    cl_int status = get_bytes(*where.devices, *command.source.root().storage, *where.transfer,
                              where.memories.front(), {from, from + content.size()}, content.data());
    if (status == CL_SUCCESS) {
      status = put_bytes(*where.devices, *command.destination.root().storage, *where.transfer,
                         where.memories.back(), bytes, content.data());
    }
    return Action::Outcome{status, {}};
  };
}

}  // namespace mkmd
