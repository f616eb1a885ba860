// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/program_origin.hpp"

#include "common/log.hpp"
#include "common/settings.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/vendor/macros.hpp"

namespace mkmd::api {

namespace {

constexpr const char* kNotSeen = "its program was made from a binary that MKMD has not seen";

KnownOrigin unknown(std::string why_not) {
  return {nullptr, std::move(why_not)};
}

// Not yet built: it knows no compiler.
bool is_source(const compiler::Origin& origin) {
  return origin.device_compiler.empty();
}

}  // namespace

KnownOrigin origin_of_binaries(const Context& context, cl_uint count, const size_t* lengths,
                               const unsigned char* const* binaries) {
  if (process().compiler == nullptr || !context.runtime) return unknown(kNotSeen);
  KnownOrigin known;
  for (cl_uint i = 0; i < count; ++i) {
    Result<compiler::Origin> origin = compiler::origin_of_binary(
        cache_directory(), {reinterpret_cast<const char*>(binaries[i]), lengths[i]});
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
  if (program.origin == nullptr) return {};
  if (is_source(*program.origin)) {
    return {std::make_shared<compiler::Origin>(compiler::Origin{
                program.origin->source, options, vendor::compiler_of(process().configuration.home), {}}),
            {}};
  }
  if (!compiler::binary_keeps_options(program.origin->options, options))
    return unknown("its program was made from a binary of a build with other options");
  return {program.origin, {}};
}

KnownOrigin origin_as_read(const Program& program, KnownOrigin known, const Result<compiler::Module>& read) {
  if (!read) {
    const std::string message = read.status().message();
    log(LogLevel::info, "a program's kernels run whole: " + message);
    known.why_not = "its program could not be analysed: " + message.substr(0, message.find('\n'));
  } else if (is_source(*program.origin)) {
    compiler::Origin origin = *known.origin;
    origin.included = read->included;
    known.origin = std::make_shared<compiler::Origin>(std::move(origin));
  } else if (read->included != known.origin->included) {
    return unknown("its program was made from a binary whose source includes files that have changed");
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
  if (!kept) log(LogLevel::info, "what a binary was made from is not remembered: " + kept.message());
}

}  // namespace mkmd::api
