// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/window.hpp"

namespace mkmd::planning {

const char* to_string(CommandKind kind) {
  switch (kind) {
  case CommandKind::kernel:
    return "kernel";
  case CommandKind::read:
    return "read";
  case CommandKind::write:
    return "write";
  case CommandKind::copy:
    return "copy";
  case CommandKind::fill:
    return "fill";
  case CommandKind::marker:
    return "marker";
  }
  return "";
}

const char* to_string(Purpose purpose) {
  switch (purpose) {
  case Purpose::speed:
    return "speed";
  case Purpose::home_times:
    return "home_times";
  case Purpose::repeats:
    return "repeats";
  }
  return "";
}

}  // namespace mkmd::planning
