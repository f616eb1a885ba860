// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/options.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "compiler/build_options.hpp"
#include "compiler/helper/clang_run.hpp"
#include "compiler/helper/resources.hpp"

namespace mkmd::compiler {
namespace {

// Passed to the front end as they are.
constexpr const char* kPassed[] = {
    "-cl-single-precision-constant",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-strict-aliasing",
    "-cl-uniform-work-group-size",
};
// Without meaning for the front end: warnings, debugging, argument information (always), and what
// spir_build_options() hands to the device's compiler.
constexpr const char* kIgnored[] = {"-cl-kernel-arg-info",
                                    "-cl-denorms-are-zero",
                                    "-cl-opt-disable",
                                    "-cl-no-subgroup-ifp",
                                    "-w",
                                    "-Werror",
                                    "-g",
                                    "-cl-nv-verbose",
                                    "-save-temps"};

// "OpenCL 3.0 …", "OpenCL C 1.2 …" → 300, 120
int version_number(const std::string& text) {
  for (size_t i = 0; i + 2 < text.size(); ++i)
    if (std::isdigit(text[i]) && text[i + 1] == '.' && std::isdigit(text[i + 2]))
      return (text[i] - '0') * 100 + (text[i + 2] - '0') * 10;
  return 120;
}

// Some drivers look for an option anywhere in the options.
bool hides_an_option(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& w) { return w.find("-cl-", 1) != w.npos; });
}

// Some drivers take the first of two.
bool names_one_standard(const std::vector<std::string>& words) {
  return std::ranges::count_if(words, [](const std::string& w) { return w.starts_with("-cl-std="); }) <= 1;
}

// A quoted part begins a word or is the whole value of an option, and it ends the word. Some drivers take any
// other quote for the end of a word.
bool quotes_whole_parts(const std::string& options) {
  const auto is_at_word = [&options](size_t begin) {  // or behind -D, -I, -U, or name=
    const size_t word = begin == 0 ? options.npos : options.find_last_of(" \t\n\r\"", begin - 1);
    const std::string before = options.substr(word + 1, begin - word - 1);
    return before.empty() || before == "-D" || before == "-I" || before == "-U" || before.ends_with('=');
  };
  const auto ends_word = [&options](size_t end) {
    return end + 1 == options.size() || std::isspace(static_cast<unsigned char>(options[end + 1])) != 0;
  };
  for (size_t at = options.find('"'); at != options.npos; at = options.find('"', at + 1)) {
    const size_t end = options.find('"', at + 1);
    if (end == options.npos || end == at + 1 || !is_at_word(at) || !ends_word(end)) return false;
    at = end;
  }
  return true;
}

}  // namespace

std::set<std::string> macros_in_options(const std::string& options) {
  std::set<std::string> names;
  const std::vector<std::string> words = split_options(options);
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("-D") && !words[i].starts_with("-U")) continue;
    const bool apart = words[i].size() == 2;
    if (apart && i + 1 == words.size()) break;
    const std::string definition = apart ? words[++i] : words[i].substr(2);
    names.insert(definition.substr(0, definition.find_first_of("=(")));
  }
  return names;
}

std::vector<std::string> header_arguments(Declarations declarations) {
  std::vector<std::string> arguments = {"-finclude-default-header"};
  if (declarations == Declarations::when_used) arguments.emplace_back("-fdeclare-opencl-builtins");
  return arguments;
}

Result<FrontEndArguments> front_end_arguments(const Request& request, const Unit& unit) {
  if (request.address_bits != 64) return Status::internal("only devices with 64-bit addresses are supported");
  if (unit.options.find('\\') != std::string::npos || !quotes_whole_parts(unit.options))
    return Status::internal("its build options are quoted in a way that each driver reads in its own way");
  const std::vector<std::string> words = split_options(unit.options);
  if (hides_an_option(words) || !names_one_standard(words))
    return Status::internal("its build options name one in a way that each driver reads in its own way");
  FrontEndArguments arguments;
  arguments.language = {"-triple", "spir64-unknown-unknown", "-emit-llvm-bc", "-disable-llvm-passes", "-O1",
                        "-disable-free", "-resource-dir", clang_resources(), "-cl-kernel-arg-info", "-w",
                        "-ffp-contract=on", "-mframe-pointer=none", "-debug-info-kind=line-tables-only",
                        "-dwarf-version=4", "-fgnuc-version=4.2.1",
                        "-fgnu89-inline",  // a helper's body is here; drivers take `inline` for static
                        // The header would announce every extension for the SPIR target.
                        "-U__SPIR__", "-U__SPIR64__"};
  if (!unit.headers.empty()) arguments.text = {"-I", kHeadersFolder};  // ahead of the options' own folders
  std::string standard = version_number(request.c_version) < 120 ? "CL1.1" : "CL1.2";  // without -cl-std
  bool fast = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    const auto listed = [&](const auto& list) { return std::ranges::find(list, w) != std::end(list); };
    if (w == "-D" || w == "-I" || w == "-U" || w == "-include") {
      if (i + 1 == words.size()) return Status::internal("the option " + w + " lacks its value");
      arguments.text.push_back(w);
      arguments.text.push_back(words[++i]);
    } else if (w.starts_with("-D") || w.starts_with("-I") || w.starts_with("-U")) {
      arguments.text.push_back(w);
    } else if (w.starts_with("-cl-std=")) {
      standard = w.substr(8);
    } else if (listed(kPassed)) {
      arguments.language.push_back(w);
      fast = fast || w == "-cl-fast-relaxed-math";
    } else if (!listed(kIgnored) && !(w.size() <= 3 && w.starts_with("-O")) && !w.starts_with("-W")) {
      return Status::internal("the build option '" + w + "' is not known to the compiler helper");
    }
  }
  const int device = version_number(request.device_version);
  if (standard != "CL1.0" && standard != "CL1.1" && standard != "CL1.2" && standard != "CL2.0" &&
      standard != "CL3.0")
    return Status::internal("the language version '" + standard + "' is not supported");
  if (version_number(standard) > std::max(device, 120))
    return Status::internal("the device does not know language version '" + standard + "'");
  arguments.language.push_back("-cl-std=" + standard);
  // Their values are asked of the device; but only what is defined is seen to be used.
  arguments.language.push_back("-D__OPENCL_VERSION__=" + std::to_string(device));
  if (request.images) arguments.language.push_back("-D__IMAGE_SUPPORT__=1");
  // Exactly the device's extensions: Clang's default for SPIR targets would be more.
  std::string extensions = "-cl-ext=-all";
  for (const std::string& e : request.extensions)
    if (e.starts_with("cl_") || e.starts_with("__opencl_c_")) extensions += ",+" + e;
  // OpenCL C 3.0 has features of the same meaning, and clang insists that both agree.
  for (const std::string& e : request.extensions) {
    if (e == "cl_khr_fp64") extensions += ",+__opencl_c_fp64";
    if (e == "cl_khr_3d_image_writes") extensions += ",+__opencl_c_3d_image_writes";
  }
  if (request.images) extensions += ",+__opencl_c_images";
  arguments.language.push_back(extensions);
  return arguments;
}

}  // namespace mkmd::compiler
