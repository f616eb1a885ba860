// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/objects/program_origin.hpp"

#include "common/log.hpp"
#include "common/settings.hpp"
#include "compiler/build_options.hpp"
#include "compiler/spirv.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/vendor/macros.hpp"

namespace mkmd::api {

namespace {

constexpr const char* kNotSeen = "its program was made from a binary that MKMD has not seen";

KnownOrigin unknown(std::string why_not) {
  return {nullptr, std::move(why_not)};
}

using compiler::Origin;

KnownOrigin made(Origin::Kind kind, compiler::Recipe recipe) {
  return {std::make_shared<Origin>(
              Origin{std::move(recipe), kind, vendor::compiler_of(process().configuration.home), {}}),
          {},
          true};
}

std::shared_ptr<const Origin> origin_of(const Program& program) {
  const Lock lock(program.mutex);
  return program.origin;
}

KnownOrigin origin_of_input(Program& program) {
  const Lock lock(program.mutex);
  if (program.builds_under_way > 0) return unknown("its program was linked from one that was being built");
  const bool as_made = program.builds == 0 && program.origin && program.origin->kind != Origin::Kind::source;
  const std::shared_ptr<const Origin> origin = as_made ? program.origin : program.built_from;
  if (origin == nullptr || !program.not_analysed.empty())
    return unknown(program.not_analysed.empty() ? "its program was linked from one that MKMD does not know"
                                                : program.not_analysed);
  return {origin, {}};
}

}  // namespace

KnownOrigin origin_of_text(std::string text) {
  return {std::make_shared<Origin>(
              Origin{compiler::recipe_of(std::move(text), {}), Origin::Kind::source, {}, {}}),
          "it was made before its program was analysed"};
}

void specialise(Program& program, cl_uint constant, size_t size, const void* value) {
  const Lock lock(program.mutex);
  if (program.origin == nullptr) return;
  const std::string bytes(static_cast<const char*>(value), size);
  const std::string& source = program.origin->recipe.units.front().source;
  Result<std::string> text = compiler::specialised(source, {{constant, bytes}});
  if (text) {
    program.origin = origin_of_text(std::move(*text)).origin;
  } else {
    program.origin = nullptr;
    program.not_analysed = "its program was specialised, and MKMD cannot follow: " + text.status().message();
  }
}

KnownOrigin origin_of_binaries(const Context& context, cl_uint count, const size_t* lengths,
                               const unsigned char* const* binaries) {
  if (process().compiler == nullptr || !context.runtime) return unknown(kNotSeen);
  KnownOrigin known;
  const auto binary = [&](cl_uint i) {
    return std::string_view(reinterpret_cast<const char*>(binaries[i]), lengths[i]);
  };
  if (compiler::is_spirv(binary(0))) {  // which some drivers take here, too
    for (cl_uint i = 1; i < count; ++i)
      if (binary(i) != binary(0)) return unknown("its program was made from binaries of several programs");
    return origin_of_text(std::string(binary(0)));
  }
  for (cl_uint i = 0; i < count; ++i) {
    Result<compiler::Origin> origin = compiler::origin_of_binary(cache_directory(), binary(i));
    if (!origin) return unknown(kNotSeen);
    if (origin->device_compiler != vendor::compiler_of(process().configuration.home))
      return unknown("its program was made from a binary of another driver or device");
    if (known.origin != nullptr && *known.origin != *origin)
      return unknown("its program was made from binaries of several programs");
    known.origin = std::make_shared<compiler::Origin>(std::move(*origin));
  }
  return known;
}

BuildTurn::BuildTurn(Program& program) : program_(&program) {
  const Lock lock(program.mutex);
  program.built_from = nullptr;
  first_ = program.builds_under_way++ == 0;
  number_ = ++program.builds;
}

BuildTurn::~BuildTurn() {
  const Lock lock(program_->mutex);
  --program_->builds_under_way;
}

KnownOrigin origin_of_build(const Program& program, const std::string& options) {
  const std::shared_ptr<const Origin> known = origin_of(program);
  if (known == nullptr) return {};
  const Origin& origin = *known;
  if (origin.kind == Origin::Kind::source)
    return made(Origin::Kind::executable, compiler::recipe_of(origin.recipe.units.front().source, options));
  if (origin.kind != Origin::Kind::executable)
    return unknown("its program was built from a binary that was to be linked");
  if (!compiler::binary_keeps_options(origin.recipe, options))
    return unknown("its program was made from a binary of a build with other options");
  return {known, {}};
}

KnownOrigin origin_of_compilation(const Program& program, const std::string& options,
                                  const Headers& headers) {
  const std::shared_ptr<const Origin> known = origin_of(program);
  if (known == nullptr) return {};
  if (known->kind != Origin::Kind::source) return unknown("its program was compiled from a binary");
  compiler::Unit unit{known->recipe.units.front().source, options, {}};
  for (const auto& [name, header] : headers) {
    const std::shared_ptr<const Origin> text = origin_of(*header);
    if (text == nullptr || text->kind != Origin::Kind::source)
      return unknown("its program includes a header whose source MKMD does not know");
    // OpenCL says that the first one counts. Not all drivers do so.
    if (!unit.headers.try_emplace(name, text->recipe.units.front().source).second)
      return unknown("its program includes one of two headers of the same name");
  }
  return made(Origin::Kind::compiled, {{std::move(unit)}, {}});
}

Inputs origins_of_inputs(const std::vector<Program*>& programs) {
  Inputs inputs;
  for (Program* program : programs)
    inputs.push_back(origin_of_input(*program));
  return inputs;
}

KnownOrigin origin_of_link(const Inputs& inputs, const std::string& options) {
  std::vector<const compiler::Recipe*> recipes;
  std::vector<compiler::Dependency> included;
  for (const KnownOrigin& input : inputs) {
    if (input.origin == nullptr) return input;
    if (input.origin->device_compiler != vendor::compiler_of(process().configuration.home))
      return unknown("its program was linked from binaries of another driver or device");
    if (input.origin->kind == Origin::Kind::executable)
      return unknown("its program was linked from one that was built");
    recipes.push_back(&input.origin->recipe);
    included.insert(included.end(), input.origin->included.begin(), input.origin->included.end());
  }
  if (recipes.empty()) return unknown("its program was linked from nothing");
  compiler::put_in_order(included);
  const bool is_library = compiler::creates_library(options);
  Origin origin{compiler::linked(recipes, options),
                is_library ? Origin::Kind::library : Origin::Kind::executable,
                inputs.front().origin->device_compiler, std::move(included)};
  return {std::make_shared<Origin>(std::move(origin)), {}};
}

bool is_to_be_read(const Origin& origin) {
  return origin.kind == Origin::Kind::executable ||
         (origin.kind == Origin::Kind::compiled && compiler::may_include(origin.recipe.units.front()));
}

KnownOrigin origin_with_files(KnownOrigin known, const compiler::IncludedFiles& included) {
  if (!std::exchange(known.is_new, false)) return known;
  Origin origin = *known.origin;
  origin.included = compiler::dependencies_on(included);
  known.origin = std::make_shared<Origin>(std::move(origin));
  return known;
}

KnownOrigin origin_as_read(KnownOrigin known, const Result<compiler::Module>& read) {
  if (!read) {
    const std::string message = read.status().message();
    log(LogLevel::info, "a program's kernels run whole: " + message);
    known.why_not = message.substr(0, message.find('\n'));
  } else if (known.is_new) {
    Origin origin = *known.origin;
    origin.included = read->included;
    known.origin = std::make_shared<Origin>(std::move(origin));
  } else if (read->included != known.origin->included) {
    return unknown("its program includes files that have changed since it was compiled");
  }
  return known;
}

std::shared_ptr<const compiler::Origin> built_from(Program& program) {
  const Lock lock(program.mutex);
  return program.built_from;
}

void remember_binary(std::string_view binary, const compiler::Origin& origin) {
  if (binary.empty()) return;
  const Status kept = compiler::keep_origin(cache_directory(), binary, origin);
  if (!kept) log(LogLevel::info, "the sources of a binary are not kept: " + kept.message());
}

}  // namespace mkmd::api
