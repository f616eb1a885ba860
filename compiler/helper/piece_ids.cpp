// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/piece_ids.hpp"

#include <array>

#include "compiler/build_options.hpp"
#include "compiler/helper/rewritable.hpp"
#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {
namespace {

constexpr std::array<const char*, kHiddenArguments> kHidden = {
    "mkmd_first_x",  "mkmd_first_y",  "mkmd_first_z",  "mkmd_groups_x", "mkmd_groups_y", "mkmd_groups_z",
    "mkmd_offset_x", "mkmd_offset_y", "mkmd_offset_z", "mkmd_size_x",   "mkmd_size_y",   "mkmd_size_z"};

// What a global id is in a piece: `offset` if the piece's place is part of the launch's offset, else
// `arguments`. The launch then has the program's own offset.
// @ stands for the dimension's letter, # for its number.
struct Id {
  const char* name;
  const char* offset;
  const char* arguments;
};
constexpr Id kIds[] = {
    // The device's own id, shifted by whole groups. A compiler that knows the local size knows as much of it
    // as of an id of the whole launch, such as its lowest bits. So it makes the same floating-point code.
    {"mkmd_global_id_@", "get_global_id(#)", "(get_global_id(#) + mkmd_first_@ * get_local_size(#))"},
    {"mkmd_global_size_@", "(get_global_size(#) + mkmd_size_@)",
     "((get_num_groups(#) + mkmd_groups_@) * get_local_size(#))"},
    {"mkmd_global_offset_@", "(get_global_offset(#) + mkmd_offset_@)", "get_global_offset(#)"},
    // Counted from the launch's offset.
    {"mkmd_index_@", "(get_global_id(#) - get_global_offset(#) - mkmd_offset_@)",
     "(get_global_id(#) - get_global_offset(#) + mkmd_first_@ * get_local_size(#))"},
};

std::string at_dimension(const char* text, unsigned dimension) {
  std::string result;
  for (const char* c = text; *c != '\0'; ++c) {
    if (*c == '@')
      result += "xyz"[dimension];
    else if (*c == '#')
      result += static_cast<char>('0' + dimension);
    else
      result += *c;
  }
  return result;
}

std::string ids(const char* const Id::*form) {
  std::string text;
  for (const Id& id : kIds)
    for (unsigned d = 0; d < 3; ++d)
      text += "#define " + at_dimension(id.name, d) + " " + at_dimension(id.*form, d) + "\n";
  return text;
}

// What a work-item function is in a piece: what the device says, and a difference. Intel's compiler makes
// other code for a loop up to an argument than for one up to what the device says.
struct Replacement {
  const char* name;
  const char* text;
};
constexpr Replacement kReplacements[] = {
    {"get_global_id", "mkmd_global_id_@"},
    {"get_group_id", "(get_group_id(#) + mkmd_first_@)"},
    {"get_num_groups", "(get_num_groups(#) + mkmd_groups_@)"},
    {"get_global_size", "mkmd_global_size_@"},
    {"get_global_offset", "mkmd_global_offset_@"},
};
constexpr const char* kLocalSize = "get_local_size";

const Replacement* replacement_of(llvm::StringRef name) {
  for (const Replacement& r : kReplacements)
    if (name == r.name) return &r;
  return nullptr;
}

}  // namespace

std::string text_ahead() {
  std::string parameters, arguments;
  for (const char* name : kHidden) {
    parameters += (parameters.empty() ? "unsigned long " : ", unsigned long ") + std::string(name);
    arguments += (arguments.empty() ? "" : ", ") + std::string(name);
  }
  return std::string("#define ") + kParameters + " " + parameters + "\n#define " + kArguments + " " +
         arguments + "\n#ifdef " + kByOffset + "\n" + ids(&Id::offset) + "#else\n" + ids(&Id::arguments) +
         "#endif\n";
}

std::string linear_id() {
  constexpr const char* kSize = "get_global_size";
  return "(mkmd_index_x + " + in_piece(kSize, 0) + " * (mkmd_index_y + " + in_piece(kSize, 1) +
         " * mkmd_index_z))";
}

std::string functions_of_any_dimension(const std::set<std::string>& names) {
  std::string text;
  for (const Replacement& r : kReplacements) {
    if (!names.contains(r.name)) continue;
    text += std::string("static ulong ") + kPrefix + r.name + "(uint d, " + kParameters + ") { return ";
    for (unsigned d = 0; d < 3; ++d)
      text += "d == " + std::to_string(d) + " ? " + at_dimension(r.text, d) + " : ";
    text += std::string(r.name) + "(d); }\n";
  }
  return text;
}

std::string in_piece(llvm::StringRef name, unsigned dimension) {
  return at_dimension(replacement_of(name)->text, dimension);
}

bool is_work_item_function(llvm::StringRef name) {
  return name == kLinearId || replacement_of(name) != nullptr;
}

bool is_called_by_us(llvm::StringRef name) {
  return name == kLocalSize || is_work_item_function(name);
}

}  // namespace mkmd::compiler
