// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/updates.hpp"

#include "compiler/merging.hpp"
#include "libinterpose/commands/submit.hpp"
#include "libinterpose/memory/storage.hpp"

namespace mkmd {

namespace {

using Bytes = std::vector<unsigned char>;

// Of one range of a buffer: what a copy holds.
struct Partial {
  const UpdatesApart::Buffer* buffer;
  compiler::Update by;
  ByteRange range;
  Bytes own;
  const unsigned char* bytes;  // in `own`, or where the host gets at the copy
};

cl_int read_copies(Devices& devices, const Lane& there, const UpdatesApart& apart,
                   std::vector<Partial>& partials) {
  cl_int status = CL_SUCCESS;
  for (const UpdatesApart::Buffer& buffer : apart.buffers) {
    Storage& storage = *buffer.root->storage;
    const char* const host = devices.host_bytes(storage, there, buffer.there);
    for (const compiler::Updated& updated : buffer.updates) {
      updated.bytes.each_range([&](const ByteRange& r) {
        if (status != CL_SUCCESS) return;
        Partial& partial = partials.emplace_back(Partial{&buffer, updated.by, r, {}, nullptr});
        if (host != nullptr) {
          partial.bytes = reinterpret_cast<const unsigned char*>(host) + r.lo;
          return;
        }
        partial.own.resize(r.hi - r.lo);
        partial.bytes = partial.own.data();
        status = get_bytes(devices, storage, there, buffer.there, r, partial.own.data());
      });
    }
  }
  return status;
}

Action::Outcome merge_at_home(Devices& devices, const Lane& home, const std::vector<Partial>& partials) {
  Action::Outcome outcome;
  Bytes bytes;
  for (const Partial& partial : partials) {
    const UpdatesApart::Buffer& buffer = *partial.buffer;
    Storage& storage = *buffer.root->storage;
    const ByteRange r = partial.range;
    if (char* const host = devices.host_bytes(storage, home, buffer.at_home); host != nullptr) {
      outcome.begun = true;
      compiler::merge(partial.by, partial.bytes, reinterpret_cast<unsigned char*>(host) + r.lo, r.hi - r.lo);
      continue;
    }
    bytes.resize(r.hi - r.lo);
    outcome.status = get_bytes(devices, storage, home, buffer.at_home, r, bytes.data());
    if (outcome.status != CL_SUCCESS) return outcome;
    compiler::merge(partial.by, partial.bytes, bytes.data(), r.hi - r.lo);
    outcome.begun = true;
    outcome.status = put_bytes(devices, storage, home, buffer.at_home, r, bytes.data());
    if (outcome.status != CL_SUCCESS) return outcome;
  }
  return outcome;
}

RemoteMemory at_home(Devices& devices, const Lane& home, const UpdatesApart& apart) {
  RemoteMemory where{&devices, &home, {}};
  for (const UpdatesApart::Buffer& buffer : apart.buffers)
    where.memories.push_back(buffer.at_home);
  return where;
}

}  // namespace

BufferUses UpdatesApart::uses(bool reads) const {
  BufferUses uses;
  for (const Buffer& buffer : buffers) {
    BufferUse& use = use_of(uses, buffer.root);
    for (const compiler::Updated& updated : buffer.updates)
      use.writes.unite(updated.bytes);
    if (reads) use.reads = use.needed = use.writes;
  }
  return uses;
}

Action::Work begin_updates(Lane& lane, const UpdatesApart& apart) {
  std::vector<Filling> fillings;
  for (const UpdatesApart::Buffer& buffer : apart.buffers) {
    for (const compiler::Updated& updated : buffer.updates)
      fillings.push_back({buffer.there, compiler::identity(updated.by), updated.bytes});
  }
  return fill_all(lane, std::move(fillings));
}

Action::Work spoil_updates(std::shared_ptr<UpdatesApart> apart, Action::Work more) {
  return [apart = std::move(apart), more = std::move(more)](const auto& waits) {
    apart->spoiled.store(true);
    return more ? more(waits) : Action::Outcome{};
  };
}

Action::Work merge_updates(Devices& devices, const Lane& there, const Lane& home,
                           std::shared_ptr<const UpdatesApart> apart) {
  return [&devices, &there, &home, apart = std::move(apart)](const auto&) {
    if (apart->spoiled.load()) return Action::Outcome{CL_OUT_OF_RESOURCES, {}};
    std::vector<Partial> partials;
    const cl_int status = read_copies(devices, there, *apart, partials);
    return status == CL_SUCCESS ? merge_at_home(devices, home, partials) : Action::Outcome{status, {}};
  };
}

Action::Work updates_from_afar(Lane& lane, const KernelCommand& command, DoneThere done,
                               std::shared_ptr<const UpdatesApart> apart, const Lane& home) {
  return [&lane, &command, done = std::move(done), apart = std::move(apart), &home](const auto&) {
    const RemoteMemory back = at_home(*done.reads.where.devices, home, *apart);
    const BufferUses updated = apart->uses(true);
    HomeDoubles doubles(lane, command.launch);
    cl_int status = doubles.make();
    for (const DoneThere::Inputs* const inputs : {&done.reads, &done.kept})
      if (status == CL_SUCCESS) status = doubles.bring(inputs->uses, inputs->where);
    if (status == CL_SUCCESS) status = doubles.bring(updated, back);
    for (size_t i = 0; i < done.boxes.size() && status == CL_SUCCESS; ++i)
      status = kernel_piece(lane, command, done.boxes[i], doubles.memories(), true)({}).status;
    if (status == CL_SUCCESS) status = doubles.take_back(updated, back);
    return Action::Outcome{status, {}};
  };
}

}  // namespace mkmd
