// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/accesses.hpp"

#include <algorithm>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/helper/atomics.hpp"
#include "compiler/helper/builtins.hpp"
#include "compiler/helper/conditions.hpp"
#include "compiler/helper/cost.hpp"
#include "compiler/helper/cycles.hpp"
#include "compiler/helper/definedness.hpp"
#include "compiler/helper/equal_stores.hpp"
#include "compiler/helper/images.hpp"
#include "compiler/helper/source_line.hpp"

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;

// The checks of the launch under which the bytes are written wherever control gets there. None at all: they
// may stay as they are.
using Checks = std::optional<Definedness::Checks>;

// An access with where it happens, before its scopes are known.
struct Found {
  Access access;
  Number offset;
  llvm::BasicBlock* block = nullptr;
  std::optional<Scope> extra;  // the loop inside an asynchronous copy
  Checks surely = Definedness::Checks{};
};

class Finder {
public:
  Finder(llvm::Function& f, KernelInfo& info)
      : f_(f), info_(info), builder_(info), dominators_(f), post_(f), loops_(dominators_),
        values_(f, builder_, loops_), conditions_(f, builder_, values_, loops_, dominators_, post_),
        definedness_(f, dominators_, loops_, values_, builder_) {}

  void run() {
    values_.find_trip_counts();
    if (const llvm::BasicBlock* entry = entry_of_other_cycle(f_, dominators_)) {
      info_.reasons.push_back(
          {"it has a loop that is entered at several places", line_of(*entry->getFirstNonPHI())});
      everything_unknown();
    } else {
      describe();
    }
    estimate_cost(f_, builder_, values_, conditions_, loops_, info_);
    builder_.keep_computed_from_loads();
  }

private:
  void describe() {
    for (llvm::Instruction& i : llvm::instructions(f_))
      visit(i);
    const Checks reached = definedness_.conditions_and_addresses();
    for (Found& f : found_)
      f.surely = both(f.surely, reached);
    unite_alternatives();
    for (Found& f : found_) {
      if (!f.access.sure) f.access.scopes = conditions_.possible_scopes(f.block);
      if (f.extra) f.access.scopes.push_back(*f.extra);
      if (std::ranges::none_of(info_.accesses, [&](const Access& a) { return same(a, f.access); }))
        info_.accesses.push_back(f.access);
    }
    const auto writes_where_data_say = [this](const Access& a) {
      return a.kind != Access::Kind::read && a.known && builder_.atoms().from_data(a.offset);
    };
    if (std::ranges::any_of(info_.accesses, writes_where_data_say)) values_.find_loads();
    if (anywhere_) everything_unknown();
  }

  static Checks both(Checks a, const Checks& b) {
    if (!a || !b) return std::nullopt;
    merge_checks(*a, *b);
    return a;
  }

  static bool same(const Access& a, const Access& b) {
    return a.argument == b.argument && a.kind == b.kind && a.known == b.known && a.sure == b.sure &&
           a.bytes == b.bytes && a.offset == b.offset && a.update == b.update && a.checks == b.checks &&
           a.sure_checks == b.sure_checks && a.scopes == b.scopes;
  }

  void visit(llvm::Instruction& i) {
    const llvm::DataLayout& layout = f_.getParent()->getDataLayout();
    const auto bytes = [&](llvm::Type* t) {
      return static_cast<int64_t>(layout.getTypeStoreSize(t).getFixedValue());
    };
    if (const auto atomic = atomic_on_global_memory(i); atomic && atomic->why_not.empty()) {
      update(i, *atomic);
    } else if (auto* load = dyn_cast<llvm::LoadInst>(&i)) {
      access(i, load->getPointerOperand(), Access::Kind::read, bytes(load->getType()));
    } else if (auto* store = dyn_cast<llvm::StoreInst>(&i)) {
      llvm::Value* value = store->getValueOperand();
      const size_t found = found_.size();
      write(i, store->getPointerOperand(), bytes(value->getType()), definedness_.surely_stored(value));
      update_since(found, equal_store(*store, values_, builder_));
    } else if (auto* rmw = dyn_cast<llvm::AtomicRMWInst>(&i)) {
      access(i, rmw->getPointerOperand(), Access::Kind::atomic, bytes(rmw->getType()));
    } else if (auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&i)) {
      access(i, exchange->getPointerOperand(), Access::Kind::atomic, 8);
    } else if (auto* memory = dyn_cast<llvm::AnyMemIntrinsic>(&i)) {
      auto* length = dyn_cast<llvm::ConstantInt>(memory->getLength());
      const int64_t n =
          length && length->getZExtValue() < (1U << 30) ? static_cast<int64_t>(length->getZExtValue()) : -1;
      auto* transfer = dyn_cast<llvm::AnyMemTransferInst>(&i);
      // What lies in the program's own memory may be undefined in part, as what fills up a struct. A device
      // need not store that.
      const bool own = transfer && values_.place(transfer->getRawSource()).root == Place::Root::elsewhere;
      access(i, memory->getRawDest(), Access::Kind::write, n, std::nullopt, std::nullopt,
             own ? Checks{} : Definedness::Checks{});
      if (transfer) access(i, transfer->getRawSource(), Access::Kind::read, n);
    } else if (auto* call = dyn_cast<llvm::CallBase>(&i)) {
      visit_call(*call);
    } else if (llvm::isa<llvm::PtrToIntInst, llvm::IntToPtrInst>(i)) {
      anywhere_ = true;
    }
  }

  void visit_call(llvm::CallBase& call) {
    if (const std::optional<ImageCall> image = image_call(call)) return visit_image(call, *image);
    const std::optional<std::vector<PointerUse>> uses = pointer_uses(call);
    const bool atomic = is_atomic(base_name(declared_callee(call)));
    if (!uses) {
      const llvm::Function* callee = call.getCalledFunction();
      if (!callee || (!callee->isIntrinsic() && !is_plain_builtin(callee->getName()) && !atomic))
        anywhere_ = true;
      // Refused elsewhere unless it is an atomic on local memory; whatever it is, say that it may touch the
      // buffer.
      for (llvm::Value* operand : call.args()) {
        if (!operand->getType()->isPtrOrPtrVectorTy() || llvm::isa<llvm::Function>(operand)) continue;
        if (!call.mayReadOrWriteMemory()) continue;
        access(call, operand, atomic ? Access::Kind::atomic : Access::Kind::write, -1);
      }
      return;
    }
    for (const PointerUse& use : *uses) {
      std::optional<Number> shift;
      std::optional<Scope> copy;
      bool known = true;
      if (use.offset_operand >= 0) {
        shift = values_.number(call.getArgOperand(static_cast<unsigned>(use.offset_operand)));
        known = shift && scale(*shift, use.unit);
      } else if (use.count_operand >= 0) {
        shift = copied(call, use, copy);
        known = shift.has_value();
      }
      llvm::Value* pointer = call.getArgOperand(use.operand);
      if (use.reads) access(call, pointer, Access::Kind::read, known ? use.bytes : -1, shift, copy);
      if (use.writes) write(call, pointer, known ? use.bytes : -1, sure_bytes(call, use), shift, copy);
    }
  }

  // Of vstoren: those that it certainly stores of its first operand.
  Definedness::Stored sure_bytes(const llvm::CallBase& call, const PointerUse& use) {
    if (use.sure_bytes >= 0) return definedness_.surely_stored(call, use.sure_bytes);
    if (use.offset_operand < 0) return definedness_.surely_stored(call, use.bytes);
    const Definedness::Stored stored = definedness_.surely_stored(call.getArgOperand(0));
    const int64_t all =
        f_.getParent()->getDataLayout().getTypeStoreSize(call.getArgOperand(0)->getType()).getFixedValue();
    return {stored.bytes < all ? 0 : use.bytes, stored.checks};
  }

  // An image is a memory of pixels, which lie row after row. A call of an unknown kind makes the kernel run
  // whole; it may have to do with any image.
  void visit_image(llvm::CallBase& call, const ImageCall& image) {
    using Use = ImageCall::Use;
    if (image.use == Use::unknown || !image.image) {
      anywhere_ = true;
    } else if (image.use != Use::asks) {
      Found f;
      f.access.argument = static_cast<int>(image.image->getArgNo());
      f.access.kind = image.use == Use::writes ? Access::Kind::write : Access::Kind::read;
      const std::optional<Number> pixel = image.use == Use::writes ? values_.pixel(image) : std::nullopt;
      add(call, std::move(f), pixel, 1);
    }
  }

  bool scale(Number& n, int64_t factor) {
    std::optional<Poly> p = Poly::product(n.poly, Poly(factor));
    if (p) n.poly = *p;
    return p.has_value();
  }

  // An asynchronous copy is a loop over its elements.
  std::optional<Number> copied(llvm::CallBase& call, const PointerUse& use, std::optional<Scope>& scope) {
    std::optional<Number> count =
        values_.as_unsigned(call.getArgOperand(static_cast<unsigned>(use.count_operand)));
    if (!count) return std::nullopt;
    std::optional<Number> stride = Number{Poly(1), {}};
    if (use.stride_operand >= 0)
      stride = values_.as_unsigned(call.getArgOperand(static_cast<unsigned>(use.stride_operand)));
    std::optional<Affine> distance = builder_.affine(builder_.simplified(count->poly));
    if (!stride || !distance || !builder_.atoms().is_uniform(stride->poly)) return std::nullopt;
    const int index = static_cast<int>(info_.loops.size());
    info_.loops.push_back({true, true, 0, *distance, builder_.expression(int64_t{1}), count->checks});
    scope = Scope{Scope::Kind::loop, index};
    const std::optional<Poly> moved =
        Poly::product(stride->poly, Poly::atom(builder_.atoms().variable({Variable::Kind::loop, index})));
    if (!moved) return std::nullopt;
    Number offset{*moved, stride->checks};
    if (!scale(offset, use.bytes)) return std::nullopt;
    return offset;
  }

  // A write of `bytes`, of which the first ones are certainly written wherever control gets there.
  void write(llvm::Instruction& i, llvm::Value* pointer, int64_t bytes, const Definedness::Stored& sure,
             const std::optional<Number>& shift = std::nullopt,
             const std::optional<Scope>& extra = std::nullopt) {
    const bool some_unsure = bytes > 0 && sure.bytes < bytes;
    if (!some_unsure || sure.bytes > 0)
      access(i, pointer, Access::Kind::write, some_unsure ? sure.bytes : bytes, shift, extra, sure.checks);
    if (some_unsure) access(i, pointer, Access::Kind::write, bytes, shift, extra, std::nullopt);
  }

  void update(llvm::Instruction& i, const AtomicOperation& atomic) {
    const size_t found = found_.size();
    access(i, atomic.pointer, Access::Kind::atomic, atomic.update.bytes);
    update_since(found, atomic.update);
  }

  void update_since(size_t found, const Update& by) {
    for (; found < found_.size(); ++found)
      found_[found].access.update = by;
  }

  // `bytes` < 0: not known how many.
  void access(llvm::Instruction& i, llvm::Value* pointer, Access::Kind kind, int64_t bytes,
              const std::optional<Number>& shift = std::nullopt,
              const std::optional<Scope>& extra = std::nullopt,
              const Checks& surely = Definedness::Checks{}) {
    const Place place = values_.place(pointer);
    if (place.root == Place::Root::elsewhere) return;
    if (place.root == Place::Root::untraceable) {
      constexpr const char* kWhich = "it is not known which buffer is accessed";
      anywhere_ = true;
      if (std::ranges::none_of(info_.reasons, [](const Reason& r) { return r.text == kWhich; }))
        info_.reasons.push_back({kWhich, line_of(i)});
      return;
    }
    Found f;
    f.extra = extra;
    f.surely = surely;
    f.access.argument = place.argument;
    f.access.kind = kind;
    std::optional<Number> offset;
    if (place.known && bytes > 0) offset = place.offset;
    if (offset && shift) {
      const std::optional<Poly> sum = Poly::sum(offset->poly, shift->poly);
      merge_checks(offset->checks, shift->checks);
      if (sum)
        offset->poly = *sum;
      else
        offset.reset();
    }
    add(i, std::move(f), offset, bytes);
  }

  // No offset: not known where.
  void add(const llvm::Instruction& i, Found f, const std::optional<Number>& offset, int64_t bytes) {
    f.block = const_cast<llvm::BasicBlock*>(i.getParent());
    f.access.line = line_of(i);
    f.access.offset = {builder_.expression(int64_t{0}), {}};
    const auto at = offset ? builder_.affine(builder_.simplified(offset->poly)) : std::nullopt;
    if (at) {
      f.offset = *offset;
      f.access.known = true;
      f.access.bytes = static_cast<uint32_t>(bytes);
      f.access.offset = *at;
      f.access.checks = offset->checks;
    }
    found_.push_back(std::move(f));
  }

  void unknown(size_t argument, Access::Kind kind) {
    Access a;
    a.argument = static_cast<int>(argument);
    a.kind = kind;
    a.offset = {builder_.expression(int64_t{0}), {}};
    info_.accesses.push_back(a);
  }

  // The kernel runs whole, but what it may touch is still asked for.
  void everything_unknown() {
    for (size_t i = 0; i < info_.arguments.size(); ++i) {
      const Argument& a = info_.arguments[i];
      const bool buffer = a.kind == Argument::Kind::buffer, image = a.kind == Argument::Kind::image;
      if (buffer || a.kind == Argument::Kind::constant_buffer || (image && a.access != "write_only"))
        unknown(i, Access::Kind::read);
      if (buffer || (image && a.access != "read_only")) unknown(i, Access::Kind::write);
    }
  }

  // Stores of the same place, in whichever branches they stand, are one sure store if one of them always
  // happens.
  void unite_alternatives() {
    std::vector<Found> united;
    std::vector<bool> taken(found_.size());
    for (size_t i = 0; i < found_.size(); ++i) {
      if (taken[i]) continue;
      const Found& first = found_[i];
      if (first.access.kind != Access::Kind::write || !first.access.known || first.extra || !first.surely) {
        united.push_back(first);
        continue;
      }
      const llvm::Loop* loop = loops_.getLoopFor(first.block);
      std::vector<size_t> group;
      Conditions::Blocks blocks;
      for (size_t j = i; j < found_.size(); ++j) {
        const Found& other = found_[j];
        if (other.access.kind != Access::Kind::write || !other.access.known || other.extra || !other.surely ||
            taken[j] || other.access.argument != first.access.argument ||
            other.access.bytes != first.access.bytes || other.access.offset != first.access.offset ||
            loops_.getLoopFor(other.block) != loop)
          continue;
        group.push_back(j);
        blocks.insert(other.block);
      }
      if (group.size() > 1) {
        if (auto scopes = conditions_.sure_scopes(blocks)) {
          Found one = first;
          for (size_t j : group) {
            merge_checks(one.access.checks, found_[j].access.checks);
            merge_checks(one.access.sure_checks, *found_[j].surely);
            if (found_[j].access.update != first.access.update) one.access.update = {};
            taken[j] = true;
          }
          one.access.sure = true;
          one.access.scopes = std::move(*scopes);
          united.push_back(std::move(one));
          continue;
        }
      }
      taken[i] = true;
      Found single = first;
      if (auto scopes = conditions_.sure_scopes({first.block})) {
        single.access.sure = true;
        single.access.sure_checks = *first.surely;
        single.access.scopes = std::move(*scopes);
      }
      united.push_back(std::move(single));
    }
    found_ = std::move(united);
  }

  llvm::Function& f_;
  KernelInfo& info_;
  InfoBuilder builder_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree post_;
  llvm::LoopInfo loops_;
  Values values_;
  Conditions conditions_;
  Definedness definedness_;
  std::vector<Found> found_;
  bool anywhere_ = false;
};

}  // namespace

void describe_accesses(llvm::Function& kernel, KernelInfo& info) {
  Finder(kernel, info).run();
}

}  // namespace mkmd::compiler
