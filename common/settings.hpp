// SPDX-License-Identifier: Apache-2.0
// Every setting of MKMD, in one list: the struct, the parser, `mkmd help settings` and the documentation are
// made from it. A setting is an environment variable; `mkmd run` sets the variables from its options.
#pragma once

#include "common/log.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace mkmd {

// X(type, field, variable, default, accepted, sentence)
#define MKMD_SETTINGS(X)                                                                                     \
  X(bool, enabled, "MKMD_ENABLE", true, "0 or 1", "0 passes every OpenCL call through untouched")            \
  X(std::string, devices, "MKMD_DEVICES", "", "PLATFORM[:INDEX][/PARTS], comma-separated",                   \
    "the real devices behind the virtual one, the first being its home; empty means all of them")            \
  X(std::string, platform, "MKMD_PLATFORM", "", "a platform file",                                           \
    "emulates the devices of this file on the real ones (docs/emulation.md)")                                \
  X(bool, separate_memory, "MKMD_SEPARATE_MEMORY", false, "0 or 1",                                          \
    "1 treats each device as having a memory of its own, with real copies")                                  \
  X(std::string, policy, "MKMD_POLICY", "mkmd-malleable", "a name `mkmd simulate --list` knows",             \
    "the scheduling policy that maps kernels to devices")                                                    \
  X(bool, exact, "MKMD_EXACT", false, "0 or 1",                                                              \
    "1 keeps every kernel on devices that share the home's code generator")                                  \
  X(bool, relaxed, "MKMD_RELAXED", false, "0 or 1",                                                          \
    "1 splits kernels too whose last bits then vary: those built with -cl-fast-relaxed-math or "             \
    "-cl-unsafe-math-optimizations, and those of which a compiler may compute numbers")                      \
  X(bool, learn, "MKMD_LEARN", true, "0 or 1",                                                               \
    "0 neither keeps what a run has learned of its kernels' times nor uses what earlier runs have")          \
  X(bool, wait_for_code, "MKMD_WAIT_FOR_CODE", false, "0 or 1",                                              \
    "1 waits for the code for pieces, so that the first launches are split, too; without it they run whole " \
    "while the code is made")                                                                                \
  X(std::string, trace, "MKMD_TRACE", "", "a file name",                                                     \
    "where to write what was planned and what happened")                                                     \
  X(bool, trace_planning, "MKMD_TRACE_PLANNING", false, "0 or 1",                                            \
    "1 adds to the trace what each plan follows from, so that `mkmd simulate --replay` can plan it again")   \
  X(std::string, summary, "MKMD_SUMMARY", "", "a file name",                                                 \
    "where to write, at exit, a JSON summary: groups and busy seconds per device, bytes moved")              \
  X(int, profile, "MKMD_PROFILE", 0, "a number of runs, at most 10000",                                      \
    "measures each kernel so often on every device, on copies of its data, while the program runs at home")  \
  X(std::string, verify, "MKMD_VERIFY", "", "a file name",                                                   \
    "checks pieces of each kernel on copies of its data while the program runs at home, and writes there "   \
    "what it finds (`mkmd verify`)")                                                                         \
  X(bool, verify_all, "MKMD_VERIFY_ALL", false, "0 or 1", "1 checks every launch, however long that takes")  \
  X(std::string, compiler, "MKMD_KC", "", "a file name",                                                     \
    "the compiler helper; empty means the one installed")                                                    \
  X(std::chrono::seconds, compiler_seconds, "MKMD_KC_SECONDS", std::chrono::seconds(20),                     \
    "a number of seconds, 1 to 3600",                                                                        \
    "how long the compiler helper may take for one program; one that takes longer is not asked again")       \
  X(LogLevel, log_level, "MKMD_LOG", LogLevel::warning, "quiet, error, warning, info or debug",              \
    "how much MKMD says on stderr")

struct Settings {
#define MKMD_FIELD(type, field, variable, fallback, accepted, sentence) type field = fallback;
  MKMD_SETTINGS(MKMD_FIELD)
#undef MKMD_FIELD
};

struct SettingInfo {
  std::string variable;
  std::string fallback;
  std::string accepted;
  std::string sentence;
};

const std::vector<SettingInfo>& setting_list();

// Reads the settings from the environment. Where whoever started the process may have fewer rights than it
// has (secure_execution()), no variable is read and MKMD is switched off. Each unknown MKMD_ variable and
// each bad value is one sentence in `problems`, naming what is accepted; the setting then keeps its default.
Settings read_settings(std::vector<std::string>& problems);

// The directories of the XDG base directory specification, with "/mkmd" appended. One is empty where
// neither its variable nor HOME names it, or where neither may be believed.
std::string cache_directory();
std::string data_directory();
// A file there; empty where there is no directory.
std::string file_in(const std::string& directory, const std::string& name);

}  // namespace mkmd
