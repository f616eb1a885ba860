// SPDX-License-Identifier: Apache-2.0
// Memory is divided into objects: variables and arguments. Each access lies at a constant distance from the
// start of an object, moved by any multiples of further distances. Two accesses of one object must not
// overlap if one is of a pointer and the other is not. Types of objects do not matter, so no cast can hide
// anything.
#include "compiler/helper/own_memory.hpp"

#include <algorithm>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <numeric>
#include <set>
#include <vector>

#include "compiler/helper/address_space.hpp"

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::isa;

constexpr int64_t kNoBound = 0;

// A multiple of `distance` that is less than `count` times it, as the index of an array; kNoBound: any.
struct Step {
  int64_t distance, count;
  bool operator==(const Step&) const = default;
};

// An address. The object is null for what a pointer in memory leads to; then `first` counts from there.
struct Way {
  const llvm::Value* object;
  int64_t first = 0;
  std::vector<Step> steps;

  Way moved(const Way& by) const {
    Way sum = *this;
    sum.first += by.first;
    for (const Step& step : by.steps)
      if (std::ranges::find(sum.steps, step) == sum.steps.end()) sum.steps.push_back(step);
    return sum;
  }
};

struct OwnAccess {
  const llvm::Instruction* where;
  bool is_pointer;
  int64_t bytes;
  Way at;
};

// A range of the bytes of an array inside an element of another one. All elements of the inner array are
// one range. Elements of the outer array are far from each other. `near`: smaller steps are those of inner
// arrays.
struct Range {
  int64_t first, distance = 0, bytes;
  Range(const OwnAccess& a, int64_t near) : first(a.at.first), bytes(a.bytes) {
    for (const Step& step : a.at.steps)
      if (step.count != kNoBound && step.distance < near)
        bytes += step.distance * (step.count - 1);
      else
        distance = std::gcd(distance, step.distance);
  }
};

bool overlap(const Range& a, const Range& b) {
  const int64_t period = std::gcd(a.distance, b.distance);
  int64_t between = b.first - a.first;
  if (period == 0) return between < a.bytes && -between < b.bytes;
  between = (between % period + period) % period;
  return between < a.bytes || period - between < b.bytes;
}

// Each choice of what counts as near gives more bytes than are accessed.
bool overlap(const OwnAccess& a, const OwnAccess& b) {
  if (!overlap(Range(a, INT64_MAX), Range(b, INT64_MAX))) return false;
  for (const OwnAccess* one : {&a, &b})
    for (const Step& step : one->at.steps)
      if (!overlap(Range(a, step.distance), Range(b, step.distance))) return false;
  return true;
}

bool holds_pointers(const llvm::Type* type) {
  return type->isPointerTy() || llvm::any_of(type->subtypes(), holds_pointers);
}

class OwnMemory {
public:
  explicit OwnMemory(llvm::Function& f) : layout_(f.getParent()->getDataLayout()) {
    for (llvm::Instruction& i : llvm::instructions(f))
      visit(i);
  }

  const llvm::Instruction* mixed() {
    find_where_pointers_lead();
    for (size_t i = 0; i < accesses_.size(); ++i) {
      if (accesses_.size() > kMostAccesses) return accesses_[0].where;
      if (accesses_[i].is_pointer) follow_copies(i);
    }
    for (const OwnAccess& a : accesses_)
      if (a.is_pointer && a.at.object && comes_from_outside(*a.at.object)) return a.where;
    for (const OwnAccess& a : accesses_)
      for (const OwnAccess& b : accesses_)
        if (a.is_pointer && !b.is_pointer && a.at.object == b.at.object && overlap(a, b)) return b.where;
    return nullptr;
  }

private:
  static constexpr size_t kMostAccesses = 2000;

  // What the kernel begins with there is the program's data.
  static bool comes_from_outside(const llvm::Value& object) {
    const auto* g = dyn_cast<llvm::GlobalVariable>(&object);
    return isa<llvm::Argument>(object) || (g && !holds_pointers(g->getValueType()));
  }

  struct Copy {
    Way one, other;
    int64_t bytes;
  };

  // Accesses by way of pointers in memory: those may lead wherever an address that is kept leads.
  void find_where_pointers_lead() {
    std::vector<OwnAccess> all;
    for (const OwnAccess& a : accesses_) {
      if (a.at.object != nullptr) {
        all.push_back(a);
        continue;
      }
      for (const Way& way : kept_) {
        OwnAccess there = a;
        there.at = way.moved(a.at);
        if (kept_ones_move_) there.at.steps.push_back({1, kNoBound});
        all.push_back(std::move(there));
      }
    }
    accesses_ = std::move(all);
  }

  // A pointer that lies in what is copied lies in the copy, and the other way round.
  void follow_copies(size_t index) {
    for (const Copy& copy : copies_)
      for (const auto& [from, to] : {std::pair(&copy.one, &copy.other), std::pair(&copy.other, &copy.one)}) {
        OwnAccess a = accesses_[index];
        if (from->object != a.at.object || !overlap(a, {a.where, false, copy.bytes, *from})) continue;
        a.at.object = to->object;
        a.at.first += to->first - from->first;
        a.at = a.at.moved({nullptr, 0, from->steps}).moved({nullptr, 0, to->steps});
        const auto same = [&](const OwnAccess& b) {
          return b.is_pointer && b.at.object == a.at.object && b.at.first == a.at.first &&
                 b.at.steps == a.at.steps && b.bytes == a.bytes;
        };
        if (accesses_.size() <= kMostAccesses && std::ranges::none_of(accesses_, same))
          accesses_.push_back(std::move(a));
      }
  }

  std::vector<Way> ways(const llvm::Value* pointer) const {
    std::vector<Way> found;
    std::set<const llvm::Value*> seen;
    follow(pointer, {nullptr, 0, {}}, seen, found);
    return found;
  }

  // `way`: from v to the pointer.
  void follow(const llvm::Value* v, Way way, std::set<const llvm::Value*>& seen,
              std::vector<Way>& found) const {
    if (const auto* gep = dyn_cast<llvm::GEPOperator>(v))
      return follow(gep->getPointerOperand(), way.moved(shift(*gep)), seen, found);
    if (const auto* freeze = dyn_cast<llvm::FreezeInst>(v))
      return follow(freeze->getOperand(0), std::move(way), seen, found);
    if (isa<llvm::PHINode, llvm::SelectInst>(v)) {
      if (!seen.insert(v).second) return;
      // Looked at once only, whatever the ways to it, and in a loop it may be moved by any distance.
      for (const llvm::Use& use : llvm::cast<llvm::User>(v)->operands())
        if (use->getType()->isPointerTy()) follow(use, {nullptr, 0, {{1, kNoBound}}}, seen, found);
      return;
    }
    if (isa<llvm::ConstantPointerNull, llvm::UndefValue>(v)) return;
    way.object = isa<llvm::AllocaInst, llvm::GlobalVariable, llvm::Argument>(v) ? v : nullptr;
    found.push_back(std::move(way));
  }

  Way shift(const llvm::GEPOperator& gep) const {
    Way way{nullptr, 0, {}};
    const llvm::Type* in = nullptr;  // the first index has no bound
    for (auto it = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); it != end; ++it) {
      const auto* index = dyn_cast<llvm::ConstantInt>(it.getOperand());
      if (llvm::StructType* s = it.getStructTypeOrNull()) {
        way.first += static_cast<int64_t>(
            layout_.getStructLayout(s)->getElementOffset(static_cast<unsigned>(index->getZExtValue())));
      } else {
        const auto bytes =
            static_cast<int64_t>(layout_.getTypeAllocSize(it.getIndexedType()).getFixedValue());
        if (index != nullptr)
          way.first += index->getSExtValue() * bytes;
        else
          way.steps.push_back({bytes, in != nullptr && in->isArrayTy()
                                          ? static_cast<int64_t>(in->getArrayNumElements())
                                          : kNoBound});
      }
      in = it.getIndexedType();
    }
    return way;
  }

  void access(const llvm::Instruction& i, const llvm::Value* pointer, bool is_pointer, int64_t bytes) {
    if (!leads_to_own_memory(pointer->getType())) return;
    for (Way& way : ways(pointer))
      accesses_.push_back({&i, is_pointer, bytes, std::move(way)});
  }

  // As many bytes as there may be, before and behind the pointer.
  void access_anywhere(const llvm::Instruction& i, const llvm::Value* pointer) {
    if (!leads_to_own_memory(pointer->getType())) return;
    for (const Way& way : ways(pointer))
      accesses_.push_back({&i, false, 1, way.moved({nullptr, 0, {{1, kNoBound}}})});
  }

  void keep(const llvm::Value* pointer) {
    for (Way& way : ways(pointer)) {
      if (way.object != nullptr)
        kept_.push_back(std::move(way));
      else if (way.first != 0 || !way.steps.empty())
        kept_ones_move_ = true;
    }
  }

  void copy(const llvm::MemTransferInst& copy) {
    const llvm::Value *to = copy.getRawDest(), *from = copy.getRawSource();
    if (const auto* g = dyn_cast<llvm::GlobalVariable>(from->stripPointerCasts());
        g && g->isConstant() && holds_pointers(g->getValueType()))
      return;
    const auto* length = dyn_cast<llvm::ConstantInt>(copy.getLength());
    if (length && leads_to_own_memory(to->getType()) && leads_to_own_memory(from->getType())) {
      const std::vector<Way> a = ways(to), b = ways(from);
      if (a.size() == 1 && b.size() == 1 && a[0].object && b[0].object) {
        copies_.push_back({a[0], b[0], static_cast<int64_t>(length->getLimitedValue(INT32_MAX))});
        return;
      }
    }
    for (const llvm::Value* side : {to, from}) {
      if (length)
        access(copy, side, false, static_cast<int64_t>(length->getLimitedValue(INT32_MAX)));
      else
        access_anywhere(copy, side);
    }
  }

  void visit(const llvm::Instruction& i) {
    const auto bytes = [&](const llvm::Type* t) {
      return static_cast<int64_t>(layout_.getTypeStoreSize(const_cast<llvm::Type*>(t)).getFixedValue());
    };
    if (const auto* load = dyn_cast<llvm::LoadInst>(&i)) {
      access(i, load->getPointerOperand(), load->getType()->isPointerTy(), bytes(load->getType()));
    } else if (const auto* store = dyn_cast<llvm::StoreInst>(&i)) {
      const llvm::Value* value = store->getValueOperand();
      access(i, store->getPointerOperand(), value->getType()->isPointerTy(), bytes(value->getType()));
      if (value->getType()->isPointerTy() && leads_to_own_memory(value->getType())) keep(value);
    } else if (const auto* transfer = dyn_cast<llvm::MemTransferInst>(&i)) {
      copy(*transfer);
    } else if (const auto* fill = dyn_cast<llvm::MemSetInst>(&i)) {
      if (!isa<llvm::ConstantInt>(fill->getValue())) access_anywhere(i, fill->getRawDest());
    } else if (const auto* call = dyn_cast<llvm::CallBase>(&i)) {
      const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(call);
      if (intrinsic && !intrinsic->mayReadOrWriteMemory()) return;
      if (intrinsic && intrinsic->isLifetimeStartOrEnd()) return;
      // OpenCL's functions know no pointers to pointers.
      for (const llvm::Value* operand : call->args())
        if (operand->getType()->isPointerTy()) access_anywhere(i, operand);
    } else if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i)) {
      access(i, i.getOperand(0), false, 8);
    }
  }

  const llvm::DataLayout& layout_;
  std::vector<OwnAccess> accesses_;
  std::vector<Copy> copies_;
  std::vector<Way> kept_;        // addresses that are stored
  bool kept_ones_move_ = false;  // a pointer from memory is stored again, somewhat changed
};

}  // namespace

bool leads_to_own_memory(const llvm::Type* pointer) {
  const unsigned space = pointer->getPointerAddressSpace();
  return space == address_space::kPrivate || space == address_space::kLocal;
}

bool may_be_global(const llvm::Value* pointer) {
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  return space == address_space::kGlobal || space == address_space::kGeneric;
}

const llvm::Instruction* pointer_kept_as_something_else(llvm::Function& kernel) {
  return OwnMemory(kernel).mixed();
}

}  // namespace mkmd::compiler
