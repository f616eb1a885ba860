// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/command.hpp"

namespace mkmd {

const char* to_string(Command::Kind kind) {
  switch (kind) {
  case Command::Kind::kernel:
    return "kernel";
  case Command::Kind::read:
    return "read";
  case Command::Kind::write:
    return "write";
  case Command::Kind::copy:
    return "copy";
  case Command::Kind::fill:
    return "fill";
  case Command::Kind::marker:
    return "marker";
  }
  return "";
}

}  // namespace mkmd
