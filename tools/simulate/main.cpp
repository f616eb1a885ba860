// SPDX-License-Identifier: Apache-2.0
#include "tools/simulate/simulate.hpp"

int main(int argc, char** argv) {
  return mkmd::run_simulate(argc, argv);
}
