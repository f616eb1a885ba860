// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/piece_code.hpp"

#include "common/log.hpp"
#include "common/text.hpp"
#include "compiler/binary_origin.hpp"
#include "compiler/spirv.hpp"
#include "libinterpose/commands/piece_programs.hpp"

#include <new>
#include <optional>

namespace mkmd {

namespace {

using State = SubKernels::PieceCode::State;

// Returns when this place's code is ready or refused.
State make_at(SubKernels& sub_kernels, const CodePlaces& places, size_t place, const BuildCode& build) {
  Lock lock(sub_kernels.mutex);
  SubKernels::PieceCode& code = sub_kernels.code[place];
  sub_kernels.made.wait(lock.to_wait(),
                        [&]() REQUIRES(sub_kernels.mutex) { return code.state != State::in_making; });
  if (code.state != State::none) return code.state;
  code.state = State::in_making;
  lock.unlock();
  BuiltCode built;
  try {
    built = build(sub_kernels, places.all[place]);
  } catch (const std::bad_alloc&) {
    built.why_not = "there is too little memory";
  }
  lock.lock();
  code.program = std::move(built.program);
  code.why = std::move(built.why_not);
  code.state = code.program ? State::ready : State::refused;
  sub_kernels.made.notify_all();
  return code.state;
}

}  // namespace

std::string name_of(const SubKernels& sub_kernels) {
  const auto& kernels = sub_kernels.module.kernels;
  if (kernels.empty()) return "a program without kernels";
  std::string name = "the program of kernel " + printable(kernels.front().name);
  if (kernels.size() > 1) name += " and " + std::to_string(kernels.size() - 1) + " more";
  return name;
}

bool is_programs_own(const SubKernels& sub_kernels) {
  const std::vector<std::string>& sources = sub_kernels.module.sources;
  return !sources.empty() && compiler::is_spirv(sources.front());
}

BuiltCode build_piece_code(const SubKernels& sub_kernels, const CodePlace& place) {
  const compiler::Module& module = sub_kernels.module;
  if (module.sources.empty()) {
    log(LogLevel::info, name_of(sub_kernels) + " has no code for pieces: " + module.no_source);
    return {};
  }
  // Its kernels get their ids by the offset alone. For launches with one, this compiler knows less of ids
  // than for the whole launch, and may round otherwise.
  if (is_programs_own(sub_kernels) && !place.by_offset) {
    log(LogLevel::info, name_of(sub_kernels) + " has no code for pieces: last bits of SPIR-V could differ");
    return {};
  }
  cl_int error = CL_SUCCESS;
  BuiltCode built;
  built.program =
      make_piece_program(place.context, module.sources, sub_kernels.built_from->recipe, place.options, error);
  if (!built.program && error == CL_INVALID_OPERATION && is_programs_own(sub_kernels))
    built.why_not = "its driver takes no SPIR-V";
  else if (!built.program)
    built.why_not = "its driver refuses the code for pieces (" + std::to_string(error) + ")";
  return built;
}

HasCode has_piece_code(SubKernels& sub_kernels, size_t place) {
  const Lock lock(sub_kernels.mutex);
  switch (sub_kernels.code[place].state) {
  case State::ready:
    return HasCode::yes;
  case State::refused:
    return HasCode::never;
  default:
    return HasCode::not_yet;
  }
}

HasCode can_be_divided(SubKernels& sub_kernels, const CodePlaces& places) {
  size_t ready = 0;
  bool may_come = false;
  for (size_t d = 0; d < places.of_device.size(); ++d) {
    const HasCode has = has_piece_code(sub_kernels, places.of_device[d]);
    if (d == 0 && has != HasCode::yes) return has;
    ready += has == HasCode::yes;
    may_come |= has == HasCode::not_yet;
  }
  if (ready > 1) return HasCode::yes;
  return may_come ? HasCode::not_yet : HasCode::never;
}

void make_piece_code(SubKernels& sub_kernels, const CodePlaces& places, const BuildCode& build) {
  for (size_t d = 0; d < places.of_device.size(); ++d) {
    const State state = make_at(sub_kernels, places, places.of_device[d], build);
    if (d == 0 && state != State::ready) return;  // then nobody needs it
  }
}

cl_program piece_code(const Lane& lane, SubKernels& sub_kernels) {
  Lock lock(sub_kernels.mutex);
  if (lane.code.repair_options.empty()) {
    const auto known = sub_kernels.code.find(lane.code.place);
    return known != sub_kernels.code.end() ? known->second.program.get() : nullptr;
  }
  if (!sub_kernels.repair) {  // only the thread of this lane asks
    lock.unlock();
    BuiltCode built = build_piece_code(
        sub_kernels, {lane.native_context, lane.code.repair_options, {}, lane.code.by_offset});
    if (!built.why_not.empty()) log(LogLevel::info, "home cannot repair: " + built.why_not);
    lock.lock();
    sub_kernels.repair = std::move(built.program);
  }
  return sub_kernels.repair.get();
}

}  // namespace mkmd
