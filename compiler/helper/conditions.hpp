// SPDX-License-Identifier: Apache-2.0
// Conditions: under which circumstances a block runs. `sure_scopes` walks from the entry and gives conditions
// that are necessary and sufficient; `possible_scopes` goes up the dominator tree and gives necessary ones
// only.
#pragma once

#include <llvm/Analysis/PostDominators.h>
#include <set>

#include "compiler/helper/values.hpp"

namespace mkmd::compiler {

class Conditions {
public:
  Conditions(llvm::Function& f, InfoBuilder& builder, Values& values, llvm::LoopInfo& loops,
             llvm::DominatorTree& dominators, llvm::PostDominatorTree& post_dominators)
      : f_(f), b_(builder), values_(values), loops_(loops), dominators_(dominators), post_(post_dominators) {}

  using Blocks = std::set<const llvm::BasicBlock*>;

  // A test of a value that ways join, by phis or selects.
  struct Test {
    llvm::Value* flag = nullptr;
    llvm::ICmpInst* compared = nullptr;  // with a constant, its second operand; null: the lowest bit counts
    bool polarity = true;
    bool passed_by(const llvm::APInt& number) const;
  };
  // A way on which a value comes: to a phi, or as one side of a select.
  struct Way {
    const llvm::Instruction* to = nullptr;
    unsigned number = 0;  // of the incoming value, or of the operand
    llvm::Value* value = nullptr;
  };

  // All blocks lie in the same loops; one of them runs exactly when the result says so.
  std::optional<std::vector<Scope>> sure_scopes(const Blocks& blocks);
  std::vector<Scope> possible_scopes(llvm::BasicBlock* block);
  // How often, per execution of what surrounds it, a block is believed to run: data-dependent branches count
  // half.
  double likelihood(llvm::BasicBlock* block);

private:
  // Adds what `condition == polarity` means; false if some part of it could not be expressed.
  bool decode(llvm::Value* condition, bool polarity, std::vector<Scope>& out);
  // What it means that control went from `from` to `to`, one of several successors.
  bool decode_edge(const llvm::BasicBlock* from, const llvm::BasicBlock* to, std::vector<Scope>& out);
  bool compare(llvm::ICmpInst* c, bool polarity, std::vector<Scope>& out);
  void order(const Guard& g, const Number& a, const Number& b, std::vector<Scope>& out, bool& ok);
  // flags.cpp: what it means that a value which ways join has led to `at_`.
  void decode_flag(llvm::Value* condition, bool polarity, std::vector<Scope>& out);
  void decode_way(const Test& test, const Way& way, const llvm::BasicBlock* from, std::vector<Scope>& out);
  void guard(Guard g, const Number& a, const Number& b, std::vector<Scope>& out, bool& ok);
  bool walk(const llvm::BasicBlock* start, const llvm::Loop* region, const Blocks& targets,
            std::vector<Scope>& out);
  bool leaves(const llvm::BasicBlock* from, const llvm::BasicBlock* to, const llvm::Loop* region) const;
  bool reaches(const llvm::BasicBlock* from, const llvm::Loop* region, const Blocks& targets,
               const llvm::BasicBlock* not_through) const;
  bool covers(const llvm::BasicBlock* from, const llvm::Loop* region, const Blocks& targets) const;

  llvm::Function& f_;
  InfoBuilder& b_;
  Values& values_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  llvm::PostDominatorTree& post_;
  bool necessary_only_ = false;           // what is decoded need not be sufficient
  const llvm::BasicBlock* at_ = nullptr;  // the block that ends with the branch that is decoded
  int flags_ = 0;                         // that are being decoded, one within another
  mutable int64_t budget_ = 5'000'000;    // blocks to look at; beyond that nothing is sure
};

}  // namespace mkmd::compiler
