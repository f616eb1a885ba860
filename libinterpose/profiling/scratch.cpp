// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/profiling/scratch.hpp"

#include <algorithm>

namespace mkmd {

namespace {

// Of each device's memory: the program needs the rest.
constexpr cl_ulong kMemoryShare = 4;
// What the beginning of a copy is a multiple of: drivers want parts of buffers aligned.
constexpr uint64_t kAlignment = 4096;

Status no_room(cl_int error) {
  return Status::internal("no memory for copies of its buffers (" + std::to_string(error) + ")");
}

vendor::Owned<cl_mem> make(cl_context context, size_t size, cl_int& error) {
  return vendor::Owned<cl_mem>(
      vendor::table(context).clCreateBuffer(context, CL_MEM_READ_WRITE, size, nullptr, &error));
}

bool writes_images(const compiler::KernelInfo& info) {
  return std::ranges::any_of(info.accesses, [&info](const compiler::Access& a) {
    return a.kind != compiler::Access::Kind::read && info.is_image(a.argument);
  });
}

cl_context context_of(cl_command_queue queue) {
  cl_context context = nullptr;
  vendor::table(queue).clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
  return context;
}

bool uses_images(const compiler::KernelInfo& info) {
  return std::ranges::any_of(info.arguments, [](const compiler::Argument& a) {
    return a.kind == compiler::Argument::Kind::image || a.kind == compiler::Argument::Kind::sampler;
  });
}

bool is_buffer(const KernelArgument& a) {
  return a.kind == KernelArgument::Kind::memory && a.memory;
}

}  // namespace

void Scratch::find_buffers(const KernelLaunch& launch) {
  const KernelArguments& arguments = *launch.arguments;
  std::vector<std::pair<bool, bool>> used;  // read, written; as buffers_
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!is_buffer(arguments[i])) continue;
    Memory& memory = *arguments[i].memory;
    auto at = std::ranges::find(buffers_, memory.root(), &Buffer::root);
    if (at == buffers_.end()) {
      buffers_.push_back({memory.root(), 0, {memory.origin, memory.origin + memory.size}, false, {}});
      used.emplace_back();
      at = buffers_.end() - 1;
    }
    at->bytes.lo = std::min<uint64_t>(at->bytes.lo, memory.origin);
    at->bytes.hi = std::max<uint64_t>(at->bytes.hi, memory.origin + memory.size);
    auto& [read, written] = used[static_cast<size_t>(at - buffers_.begin())];
    for (const compiler::Access& a : launch.kernel->info()->accesses) {
      if (a.argument != static_cast<int>(i)) continue;
      read |= a.kind != compiler::Access::Kind::write;
      written |= a.kind != compiler::Access::Kind::read;
    }
  }
  for (size_t b = 0; b < buffers_.size(); ++b) {
    Buffer& buffer = buffers_[b];
    buffer.changes = used[b].first && used[b].second;
    const uint64_t first = buffer.bytes.lo / kAlignment * kAlignment;
    buffer.shift = slack_ - first;
    buffer.bytes = {buffer.bytes.lo + buffer.shift, buffer.bytes.hi + buffer.shift};
  }
}

Status Scratch::check_room(const std::vector<Place>& places) const {
  size_t total = 0;
  for (const Buffer& b : buffers_)
    total += b.bytes.hi + slack_;
  for (const vendor::Device& device : devices_) {
    const auto shared = static_cast<cl_ulong>(std::ranges::count_if(places, [&](const Place& place) {
      return place.context == places.front().context || place.device == device.id;
    }));
    const auto all = vendor::device_value<cl_ulong>(device.id, CL_DEVICE_GLOBAL_MEM_SIZE);
    if (total * std::max<cl_ulong>(1, shared) > all / kMemoryShare)
      return Status::internal("copies of its buffers need more than a quarter of the memory of " +
                              device.name);
  }
  return {};
}

// By way of a copy of ours: the program may have made its buffer inaccessible to the host.
Status Scratch::read(Buffer& b, cl_command_queue home) {
  const auto& table = vendor::table(home);
  const cl_context context = context_of(home);
  cl_int error = CL_SUCCESS;
  const size_t size = b.bytes.hi - b.bytes.lo;
  const auto copy = make(context, size, error);
  if (!copy) return no_room(error);
  b.contents.resize(b.bytes.hi + slack_);
  error = table.clEnqueueCopyBuffer(home, b.root->native.get(), copy.get(), b.bytes.lo - b.shift, 0, size, 0,
                                    nullptr, nullptr);
  if (error == CL_SUCCESS) {
    error = table.clEnqueueReadBuffer(home, copy.get(), CL_TRUE, 0, size, b.contents.data() + b.bytes.lo, 0,
                                      nullptr, nullptr);
  }
  return error == CL_SUCCESS ? Status{} : no_room(error);
}

Status Scratch::make_set(const Place& place, const KernelArguments& arguments) {
  Set& set = sets_.emplace_back();
  set.place = place;
  cl_int error = CL_SUCCESS;
  for (const Buffer& b : buffers_) {
    set.owned.push_back(make(place.context, b.contents.size(), error));
    if (!set.owned.back()) return no_room(error);
  }
  set.handles.resize(arguments.size(), nullptr);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!is_buffer(arguments[i])) continue;
    const Memory& memory = *arguments[i].memory;
    const auto at = std::ranges::find(buffers_, arguments[i].memory->root(), &Buffer::root);
    const cl_mem whole = set.owned[static_cast<size_t>(at - buffers_.begin())].get();
    const cl_buffer_region region{memory.origin + at->shift, memory.size};
    set.handles[i] = whole;
    if (region.origin == 0 && region.size == at->contents.size()) continue;
    set.parts.emplace_back(vendor::table(whole).clCreateSubBuffer(
        whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    if (!set.parts.back()) return no_room(error);
    set.handles[i] = set.parts.back().get();
  }
  return {};
}

Status Scratch::copy(const std::vector<Place>& places, cl_command_queue home, const KernelLaunch& launch) {
  if (writes_images(*launch.kernel->info()))
    return Status::internal("it writes images, and copies are made of buffers only");
  const auto elsewhere = [at_home = context_of(home)](const Place& place) {
    return place.context != at_home;
  };
  if (uses_images(*launch.kernel->info()) && std::ranges::any_of(places, elsewhere))
    return Status::internal("it uses images, and other memories have copies of buffers only");
  find_buffers(launch);
  if (Status room = check_room(places); !room) return room;
  for (Buffer& b : buffers_) {
    if (Status s = read(b, home); !s) return s;
  }
  for (const Place& place : places) {
    if (Status s = make_set(place, *launch.arguments); !s) return s;
  }
  return {};
}

Status Scratch::write(size_t set) {
  const Set& s = sets_[set];
  cl_int error = CL_SUCCESS;
  const vendor::Owned<cl_command_queue> queue(
      vendor::table(s.place.context).clCreateCommandQueue(s.place.context, s.place.device, 0, &error));
  if (!queue) return no_room(error);
  const auto& table = vendor::table(queue.get());
  for (size_t i = 0; i < buffers_.size(); ++i) {
    error =
        table.clEnqueueWriteBuffer(queue.get(), s.owned[i].get(), CL_FALSE, 0, buffers_[i].contents.size(),
                                   buffers_[i].contents.data(), 0, nullptr, nullptr);
    if (error != CL_SUCCESS) return no_room(error);
  }
  // A blocking write would only be done with our memory, and other queues use the buffers.
  error = table.clFinish(queue.get());
  return error == CL_SUCCESS ? Status{} : no_room(error);
}

void Scratch::restore(size_t set, cl_command_queue queue) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].changes) continue;
    vendor::table(queue).clEnqueueWriteBuffer(queue, memory(set, i), CL_FALSE, 0, buffers_[i].contents.size(),
                                              buffers_[i].contents.data(), 0, nullptr, nullptr);
  }
  vendor::table(queue).clFinish(queue);
}

}  // namespace mkmd
