// SPDX-License-Identifier: Apache-2.0
// What programs are made from, as far as our compiler can read it. For a program made from source that is
// the source. For one made from a binary it is what was remembered when the binary was handed out. For a
// linked one it is what its inputs were compiled from. The driver never sees any of this: a program's own
// kernels come from what the program gave.
#pragma once

#include "compiler/binary_origin.hpp"
#include "compiler/client.hpp"
#include "libinterpose/objects/objects.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mkmd::api {

// An origin, or why there is none. Both: it is known, and yet our compiler could not read it.
struct KnownOrigin {
  std::shared_ptr<const compiler::Origin> origin;
  std::string why_not;
  bool is_new = false;  // its files are read now for the first time
};

// Of a program that is being made of OpenCL C or SPIR-V, which is to be built.
KnownOrigin origin_of_text(std::string text);
// The program has been given a specialisation constant, which its driver took.
void specialise(Program& program, cl_uint constant, size_t size, const void* value);
// Of a program that is being made. Its binaries must agree.
KnownOrigin origin_of_binaries(const Context& context, cl_uint count, const size_t* lengths,
                               const unsigned char* const* binaries);

// Lives while the program is built or compiled. What it was before is no longer known.
class BuildTurn {
public:
  explicit BuildTurn(Program& program);
  ~BuildTurn();
  BuildTurn(const BuildTurn&) = delete;
  BuildTurn& operator=(const BuildTurn&) = delete;

  // Whether no other turn began meanwhile or was under way at the beginning: otherwise it is not
  // known which of two came last. The program's mutex is held.
  bool alone() const {
    program_->mutex.is_held();
    return first_ && program_->builds == number_;
  }

private:
  const Ref<Program> program_;
  bool first_;
  int number_;
};

// Of a build with these options.
KnownOrigin origin_of_build(const Program& program, const std::string& options);
// Of a compilation, with embedded headers: (name, program).
using Headers = std::vector<std::pair<std::string, const Program*>>;
KnownOrigin origin_of_compilation(const Program& program, const std::string& options, const Headers& headers);
// Of a link. The inputs' own origins, to be asked for before and after it: they say the same unless an input
// was built meanwhile.
using Inputs = std::vector<KnownOrigin>;
Inputs origins_of_inputs(const std::vector<Program*>& programs);
KnownOrigin origin_of_link(const Inputs& inputs, const std::string& options);

// Whether our compiler has to read what a call makes: kernels, or which files it includes.
bool is_to_be_read(const compiler::Origin& origin);
// The same with the files that it may include, which are part of it. They are noted now if it is new.
KnownOrigin origin_with_files(KnownOrigin known, const compiler::IncludedFiles& included);
// The same after our compiler has read it. Its files are noted now, or must be the same as then.
KnownOrigin origin_as_read(KnownOrigin known, const Result<compiler::Module>& read);

// What the latest build was made from; null: not known. Binaries are of that build if it is the same before
// and after they were asked for.
std::shared_ptr<const compiler::Origin> built_from(Program& program);
void remember_binary(std::string_view binary, const compiler::Origin& origin);

}  // namespace mkmd::api
