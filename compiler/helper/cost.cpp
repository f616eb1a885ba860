// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/cost.hpp"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/helper/atomics.hpp"
#include "compiler/helper/builtins.hpp"
#include "compiler/helper/own_memory.hpp"
#include "compiler/helper/unspecified_pass.hpp"

namespace mkmd::compiler {
namespace {

using Op = Expression::Op;
using llvm::isa;

constexpr double kGuessedTrips = 16;

class Estimator {
public:
  Estimator(InfoBuilder& builder, Values& values, llvm::LoopInfo& loops, KernelInfo& info)
      : b_(builder), values_(values), loops_(loops), info_(info) {}

  // The value of an affine form in the middle of the NDRange.
  std::optional<Expression> middle(const Affine& a) {
    const auto half = [](Op op, int d) {
      return Expression::combine(Op::multiply, Expression::symbol(op, d), Expression::real_constant(0.5));
    };
    Expression sum = info_.expressions[static_cast<size_t>(a.base)];
    for (const Term& t : a.terms) {
      Expression value;
      switch (t.variable.kind) {
      case Variable::Kind::global_id:
        value =
            Expression::symbol(Op::global_offset, t.variable.index) + half(Op::global_size, t.variable.index);
        break;
      case Variable::Kind::group_id:
        value = half(Op::num_groups, t.variable.index);
        break;
      case Variable::Kind::local_id:
        value = half(Op::local_size, t.variable.index);
        break;
      case Variable::Kind::loop:
        value = trips(t.variable.index) * Expression::real_constant(0.5);
        break;
      case Variable::Kind::derived:
        return std::nullopt;
      }
      sum = sum + info_.expressions[static_cast<size_t>(t.coefficient)] * value;
    }
    return sum;
  }

  Expression trips(int index) {
    if (auto it = known_.find(index); it != known_.end()) return it->second;
    known_[index] = Expression::real_constant(kGuessedTrips);  // should a loop's bound refer to itself
    const Loop& loop = info_.loops[static_cast<size_t>(index)];
    std::optional<Expression> distance = loop.known ? middle(loop.distance) : std::nullopt;
    if (!loop.exact) irregular_ = true;
    if (!distance) {
      irregular_ = true;
      return Expression::real_constant(kGuessedTrips);
    }
    const Expression step = info_.expressions[static_cast<size_t>(loop.step)];
    Expression count = step.constant() == 1 ? Expression::combine(Op::maximum, *distance, int64_t{0})
                                            : Expression::trips(*distance, step);
    count = count + Expression(static_cast<int64_t>(loop.extra));
    known_[index] = count;
    return count;
  }

  Expression executions(llvm::BasicBlock& block) {
    Expression product(int64_t{1});
    for (const llvm::Loop* l = loops_.getLoopFor(&block); l; l = l->getParentLoop())
      product = product * trips(values_.loop_index(l));
    return product;
  }

  bool irregular() const { return irregular_; }

private:
  InfoBuilder& b_;
  Values& values_;
  llvm::LoopInfo& loops_;
  KernelInfo& info_;
  std::map<int, Expression> known_;
  bool irregular_ = false;
};

double lanes(const llvm::Type* t) {
  if (auto* v = llvm::dyn_cast<llvm::FixedVectorType>(t)) return v->getNumElements();
  return 1;
}

// In additions, roughly as current processors do them.
double operations_of(const llvm::Instruction& i) {
  if (isa<llvm::BinaryOperator>(i)) {
    switch (i.getOpcode()) {
    case llvm::Instruction::FDiv:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
      return 8 * lanes(i.getType());
    default:
      return lanes(i.getType());
    }
  }
  if (isa<llvm::CmpInst>(i) || isa<llvm::SelectInst>(i) || isa<llvm::LoadInst>(i) || isa<llvm::StoreInst>(i))
    return lanes(i.getType());
  if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) {
    if (call->getIntrinsicID() == llvm::Intrinsic::fmuladd || call->getIntrinsicID() == llvm::Intrinsic::fma)
      return 2 * lanes(i.getType());
    const llvm::StringRef name = base_name(declared_callee(*call));
    if (name.empty() || work_item_builtin(declared_callee(*call)) != Builtin::none ||
        gives_back_operand(name))
      return 0;
    for (const char* simple : {"mad", "fma", "min", "max", "fmin", "fmax", "fabs", "abs", "clamp", "mad24",
                               "mul24", "dot", "select", "floor", "ceil"})
      if (name == simple) return 2 * lanes(i.getType());
    if (name.starts_with("convert_") || name.starts_with("as_") || name.starts_with("vload") ||
        name.starts_with("vstore"))
      return lanes(i.getType());
    if (name == "barrier") return 4;
    return 20 * lanes(i.getType());
  }
  return 0;
}

}  // namespace

void estimate_cost(llvm::Function& f, InfoBuilder& builder, Values& values, Conditions& conditions,
                   llvm::LoopInfo& loops, KernelInfo& info) {
  Estimator estimator(builder, values, loops, info);
  const llvm::DataLayout& layout = f.getParent()->getDataLayout();
  // Blocks in the same loops are summed first: the expressions stay short.
  std::map<const llvm::Loop*, std::pair<double, double>> sums;
  std::map<const llvm::Loop*, llvm::BasicBlock*> sample;
  for (llvm::BasicBlock& block : f) {
    const llvm::Loop* loop = loops.getLoopFor(&block);
    const double share = conditions.likelihood(&block);
    double operations = 0, bytes = 0;
    for (llvm::Instruction& i : block) {
      operations += operations_of(i);
      const auto global = [](const llvm::Value* p) { return !leads_to_own_memory(p->getType()); };
      if (auto* l = llvm::dyn_cast<llvm::LoadInst>(&i); l && global(l->getPointerOperand()))
        bytes += static_cast<double>(layout.getTypeStoreSize(l->getType()).getFixedValue());
      if (auto* s = llvm::dyn_cast<llvm::StoreInst>(&i); s && global(s->getPointerOperand()))
        bytes +=
            static_cast<double>(layout.getTypeStoreSize(s->getValueOperand()->getType()).getFixedValue());
      if (const auto atomic = atomic_on_global_memory(i)) bytes += 2.0 * atomic->update.bytes;
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
        if (auto uses = pointer_uses(*call))
          for (const PointerUse& use : *uses)
            if (global(call->getArgOperand(use.operand)) && use.count_operand < 0)
              bytes += static_cast<double>(use.bytes);
    }
    sums[loop].first += share * operations;
    sums[loop].second += share * bytes;
    sample[loop] = &block;
  }
  Expression trips(int64_t{0}), operations(int64_t{1}), bytes(int64_t{0});
  for (const auto& [loop, sum] : sums) {
    const Expression count = estimator.executions(*sample[loop]);
    if (loop && loop->isInnermost()) trips = trips + count;
    operations = operations + count * Expression::real_constant(sum.first);
    if (sum.second > 0) bytes = bytes + count * Expression::real_constant(sum.second);
  }
  info.cost = {builder.expression(trips), builder.expression(operations), builder.expression(bytes),
               estimator.irregular()};
}

}  // namespace mkmd::compiler
