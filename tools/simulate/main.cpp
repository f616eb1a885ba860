// SPDX-License-Identifier: Apache-2.0
#include "tools/simulate/simulate.hpp"

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  try {
    return mkmd::run_simulate(argc, argv);
  } catch (const std::exception& e) {  // an input larger than the memory
    std::cerr << "mkmd simulate: " << e.what() << "\n";
    return 1;
  }
}
