// SPDX-License-Identifier: Apache-2.0
// Which numbers of a kernel a compiler may know, and so compute with itself.
#pragma once

#include <algorithm>
#include <array>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace mkmd::compiler {

// The constants that a number may be, each with those before it. Products with 0 and with powers of two are
// exact.
enum class Constants { none, zero, powers, any };

// What a compiler may know of a number, whichever conditions it decides or copies code for.
struct Known {
  Constants constants = Constants::none;  // on some path
  bool parts = false;                     // of an integer: its bounds, or some of its bits

  friend bool operator==(const Known&, const Known&) = default;
  friend Known operator|(Known a, Known b) {
    return {std::max(a.constants, b.constants), a.parts || b.parts};
  }
};

bool is_float(const llvm::Value& value);
// Of a number, or a vector of equal ones. What replaces it is all that counts of an undefined one.
Constants constants_of(const llvm::Constant& constant);

// The number that a call gives back as it is (unspecified_pass.hpp).
const llvm::Value& given_back(const llvm::Value& value);

// Functions that add products of the elements of their first two arguments, and at most their third one.
bool sums_products(const llvm::CallBase& call);

// That both builds are for. With the same one, a compiler knows as much of ids in both.
enum class LocalSize { same, another };

class KnownNumbers {
public:
  KnownNumbers(const llvm::Function& kernel, LocalSize local_size);

  Known of(const llvm::Value& value) const;
  // Whether a compiler may know it in one build, and not in another.
  bool may_be_known(const llvm::Value& value) const;

private:
  void note_comparison(const llvm::Instruction& i);
  void note_compared(const llvm::Value& value, Constants constants);
  Known any_of(const llvm::User& user) const;
  template <typename Operands>
  Known if_all(const Operands& operands, Constants (*of_two)(Constants, Constants) = nullptr) const;
  Known compute(const llvm::Instruction& i) const;
  static Known merged(const llvm::Instruction& i, Known known);
  Known vectors_or_values(const llvm::Instruction& i) const;
  bool keeps_bits(const llvm::Instruction& i) const;
  Known bits_of(const llvm::Instruction& i) const;
  Known compute_call(const llvm::CallBase& call) const;
  Known loaded_from(const llvm::Value& pointer, bool floats) const;
  bool note_store(const llvm::Instruction& i);  // whether more is known than before, as of the next two
  bool keep_value(const llvm::Value& pointer, const llvm::Value& value);
  bool keep(const llvm::Value& pointer, bool floats, Known known);

  const LocalSize local_size_;
  llvm::DenseMap<const llvm::Value*, Constants> compared_;  // with these, by value and by source
  llvm::DenseMap<const llvm::Value*, Known> known_;
  std::array<llvm::DenseMap<const llvm::Value*, Known>, 2> stored_;  // by object: integers, floats
};

}  // namespace mkmd::compiler
