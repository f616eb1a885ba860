// SPDX-License-Identifier: Apache-2.0
// Values: follows a kernel's integers and pointers back to ids, arguments and loop counters. Integers are
// kept modulo their width. Extensions, comparisons and divisions leave that ring, and a range check is
// recorded for each. So nothing is assumed about wrap-around which is not verified with the launch's
// numbers.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <map>

#include "compiler/helper/builtins.hpp"
#include "compiler/helper/forks.hpp"
#include "compiler/helper/images.hpp"
#include "compiler/helper/info_builder.hpp"

namespace mkmd::compiler {

inline unsigned width(const llvm::Value* v) {
  return v->getType()->getScalarSizeInBits();
}
inline bool is_integer(const llvm::Value* v) {
  return v->getType()->getScalarType()->isIntegerTy() && width(v) <= 64 && width(v) >= 1;
}

// A place in the buffer an argument points to.
struct Place {
  enum class Root {
    argument,
    elsewhere,
    untraceable
  };  // elsewhere: private, local, or constant program memory
  Root root = Root::untraceable;
  int argument = 0;
  bool known = false;  // offset is meaningful
  Number offset;       // bytes
};

struct Fork;

// This class has more than 25 methods: one for each form of value, which all ask each other.
class Values {
public:
  Values(llvm::Function& f, InfoBuilder& builder, llvm::LoopInfo& loops);

  std::optional<Number> number(llvm::Value* v, int lane = -1);  // lane of a vector; -1: a scalar
  Place place(llvm::Value* pointer);
  // The number as the value it is when read as signed or unsigned: adds the range check for its width. Where
  // data would decide whether the check holds, the number is cut to the width instead.
  std::optional<Number> as_signed(llvm::Value* v, int lane = -1);
  std::optional<Number> as_unsigned(llvm::Value* v, int lane = -1);
  // Which pixel of its image a call writes, row after row. Coordinates must lie inside the image.
  std::optional<Number> pixel(const ImageCall& write);

  int loop_index(const llvm::Loop* loop) const { return loop_index_.at(loop); }
  // The loop's test sits in its header, before the body.
  bool tests_at_top(const llvm::Loop* loop) const;
  llvm::BasicBlock* test_block(const llvm::Loop* loop) const;  // null: several, or neither header nor latch
  void find_trip_counts();                                     // fills KernelInfo::loops
  void find_loads();                                           // fills KernelInfo::loads

private:
  using Key = std::pair<llvm::Value*, int>;
  std::optional<Number> compute(llvm::Value* v, int lane);
  // What is not understood is some number of its type. So is what mixes several such numbers.
  std::optional<Number> compute_or_opaque(llvm::Value* v, int lane);
  // The number modulo 2^bits, for a wider v: extensions inside need no range check then.
  std::optional<Number> low_bits(llvm::Value* v, unsigned bits, int lane, int depth);
  std::optional<Expression> uniform_condition(llvm::Value* condition, std::vector<int>& checks);
  std::optional<Number> instruction(llvm::Instruction* i, int lane);
  std::optional<Number> binary(llvm::BinaryOperator* b, int lane);
  std::optional<Number> bit_and(llvm::Value* x, llvm::Value* y, int lane);
  std::optional<Number> bitwise(Derived::Op op, llvm::Value* x, llvm::Value* y, int lane);
  std::optional<Number> power_of_two(llvm::Value* shift, int lane);
  std::optional<Number> quotient(const std::optional<Number>& a, const std::optional<Number>& d, bool floor);
  std::optional<Number> divisor(llvm::Value* y, int lane);
  std::optional<Number> remainder(const std::optional<Number>& a, const std::optional<Number>& d, bool floor);

  // values_of_calls.cpp
  std::optional<Number> call(llvm::CallBase* c, int lane);
  std::optional<Number> work_item(Builtin builtin, llvm::CallBase* c);
  std::optional<Number> integer_builtin(llvm::StringRef mangled, llvm::CallBase* c, int lane);
  std::optional<Number> image_size(const ImageCall& asked, llvm::StringRef name, int lane);
  std::optional<Number> extent(const llvm::Argument& image, unsigned dimension);
  std::optional<Number> saturated(const std::optional<Number>& n, unsigned bits, bool is_signed);
  std::optional<Number> local_linear_id();
  std::optional<Number> global_linear_id();
  std::optional<Number> symbol(Expression::Op op, unsigned d);
  std::optional<Number> id(Variable::Kind kind, unsigned d);

  // values_of_loops.cpp
  // `v` is a or b, or lies between them.
  std::optional<Number> hull(llvm::Value* v, int lane, const std::optional<Number>& a,
                             const std::optional<Number>& b);
  // In whose iterations a value may differ: loops around it, less those in which all that it is made of is
  // fixed.
  std::set<int> varies_in(llvm::Value* v) const;
  // Whether it may differ between iterations of the loop or of one inside; so may a placeholder.
  bool varies(const llvm::Loop& loop, const Poly& poly) const;
  // What iterations hand on rests on checks of all of them. A launch judges checks only where an access
  // happens, and its guards may have left out iterations in which they fail.
  bool hold_in_all_rounds(const llvm::Loop& loop, const std::vector<int>& checks) const;
  std::optional<Number> phi(llvm::PHINode* p);
  std::optional<Number> any_of_ways(llvm::PHINode* p);
  std::optional<Number> extreme_of(const Fork& fork);
  std::optional<Number> chosen(llvm::Value* condition, const std::optional<Number>& yes,
                               const std::optional<Number>& no);
  std::optional<Number> kept_within(llvm::PHINode* p);
  static bool who_brings(std::vector<llvm::Value*>& handed_on, std::vector<llvm::Value*>& brought);
  std::optional<Number> added_by(const llvm::Loop& loop, llvm::PHINode* p, const Number& next, int self);
  std::optional<Number> at_loop_exit(llvm::PHINode* p);
  std::optional<Number> after(const llvm::Loop& loop, const Number& n);

  std::optional<Number> of_unsigned(const std::optional<Number>& n, unsigned bits);
  std::optional<Number> extreme(bool least, bool is_signed, const std::optional<Number>& a,
                                const std::optional<Number>& b, unsigned bits);
  std::optional<Number> select(llvm::SelectInst* s, int lane);
  std::optional<Number> load(llvm::LoadInst* l);
  std::optional<Load> place_of_load(const Key& key);
  std::optional<Number> add(const std::optional<Number>& a, const std::optional<Number>& b,
                            int64_t factor = 1);
  std::optional<Number> multiply(const std::optional<Number>& a, const std::optional<Number>& b);
  std::optional<Number> slot(int argument, uint64_t offset, uint64_t bytes);
  Place compute_place(llvm::Value* pointer);
  Place place_phi(llvm::PHINode* p);
  Place join(llvm::Value* v, const Place& a, const Place& b);
  Place either(llvm::Value* v, const Fork& fork);
  class Trips;
  Loop trip_count(llvm::Loop* loop);
  std::optional<Number> difference(const std::optional<Number>& to, const std::optional<Number>& from,
                                   int depth = 0);

  template <typename T, typename F>
  T remembered(std::map<Key, T>& memory, Key key, F compute);
  void forget_since(size_t mark);

  llvm::Function& f_;
  InfoBuilder& b_;
  llvm::LoopInfo& loops_;
  const llvm::DataLayout& layout_;
  std::map<const llvm::Loop*, int> loop_index_;
  std::map<const llvm::Loop*, Number> distances_;  // of loops whose trip count is known
  std::map<Key, std::optional<Number>> numbers_;
  std::map<Key, Place> places_;
  std::map<int, Key> loaded_;  // by atom: loads of which nothing else is known
  std::vector<Key> order_;     // of what was remembered, to forget what rests on a placeholder
  int depth_ = 0;
  bool in_induction_ = false;
  int64_t budget_ = 500'000;  // values to look at; beyond that they are unknown
};

}  // namespace mkmd::compiler
