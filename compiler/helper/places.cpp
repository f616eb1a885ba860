// SPDX-License-Identifier: Apache-2.0
// The pointer half of Values: from an address back to the kernel argument it is based on, and its distance in
// bytes.
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Operator.h>

#include "compiler/helper/forks.hpp"
#include "compiler/helper/own_memory.hpp"
#include "compiler/helper/values.hpp"

namespace mkmd::compiler {

using llvm::dyn_cast;
using llvm::isa;

Place Values::place(llvm::Value* pointer) {
  const Key key{pointer, -2};  // -2: numbers and places share the memory of what to forget
  if (auto it = places_.find(key); it != places_.end()) return it->second;
  if (depth_ > 400 || --budget_ < 0) return {};
  ++depth_;
  Place result = compute_place(pointer);
  --depth_;
  places_[key] = result;
  order_.push_back(key);
  return result;
}

Place Values::compute_place(llvm::Value* pointer) {
  auto* type = dyn_cast<llvm::PointerType>(pointer->getType());
  if (!type) return {};
  if (leads_to_own_memory(type)) {
    Place p;
    p.root = Place::Root::elsewhere;  // private or local: no pointer of these kinds leads into a buffer
    return p;
  }
  if (isa<llvm::Argument>(pointer)) {
    Place p{
        Place::Root::argument, static_cast<int>(llvm::cast<llvm::Argument>(pointer)->getArgNo()), true, {}};
    return p;
  }
  if (isa<llvm::GlobalVariable>(pointer)) {
    Place p;
    p.root = Place::Root::elsewhere;
    return p;
  }
  if (auto* gep = dyn_cast<llvm::GEPOperator>(pointer)) {
    Place p = place(gep->getPointerOperand());
    if (p.root != Place::Root::argument || !p.known) return p;
    std::optional<Number> offset = p.offset;
    for (auto it = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); it != end && offset; ++it) {
      llvm::Value* index = it.getOperand();
      if (llvm::StructType* s = it.getStructTypeOrNull()) {
        const auto field = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(index)->getZExtValue());
        const auto bytes = static_cast<int64_t>(layout_.getStructLayout(s)->getElementOffset(field));
        offset = add(offset, Number{Poly(bytes), {}});
      } else {
        const auto bytes =
            static_cast<int64_t>(layout_.getTypeAllocSize(it.getIndexedType()).getFixedValue());
        offset = add(offset, multiply(as_signed(index), Number{Poly(bytes), {}}));
      }
    }
    p.known = offset.has_value();
    if (offset) p.offset = *offset;
    return p;
  }
  if (auto* cast = dyn_cast<llvm::BitCastOperator>(pointer)) return place(cast->getOperand(0));
  if (auto* cast = dyn_cast<llvm::AddrSpaceCastInst>(pointer)) return place(cast->getOperand(0));
  if (auto* freeze = dyn_cast<llvm::FreezeInst>(pointer)) return place(freeze->getOperand(0));
  if (auto* s = dyn_cast<llvm::SelectInst>(pointer))
    return either(s, {s->getCondition(), s->getTrueValue(), s->getFalseValue()});
  if (auto* p = dyn_cast<llvm::PHINode>(pointer)) return place_phi(p);
  return {};
}

Place Values::join(llvm::Value* v, const Place& a, const Place& b) {
  if (a.root != b.root || a.root == Place::Root::untraceable) return {};
  if (a.root == Place::Root::elsewhere) return a;
  if (a.argument != b.argument) return {};
  Place p = a;
  const std::optional<Number> both = a.known && b.known ? hull(v, -1, a.offset, b.offset) : std::nullopt;
  p.known = both.has_value();
  if (both) p.offset = *both;
  return p;
}

Place Values::either(llvm::Value* v, const Fork& fork) {
  const Place yes = place(fork.yes), no = place(fork.no);
  Place both = join(v, yes, no);
  if (!both.known) return both;
  if (std::optional<Number> one = chosen(fork.condition, yes.offset, no.offset)) both.offset = *one;
  return both;
}

Place Values::place_phi(llvm::PHINode* p) {
  llvm::Loop* loop = loops_.getLoopFor(p->getParent());
  if (!loop || loop->getHeader() != p->getParent()) {
    if (const std::optional<Fork> fork = fork_of(*p)) return either(p, *fork);
    std::optional<Place> some;  // a way that leaves it undefined brings what another one does
    for (llvm::Value* way : p->incoming_values())
      if (!isa<llvm::UndefValue>(way)) some = some ? join(p, *some, place(way)) : place(way);
    Place all = some.value_or(Place{});
    // Seen after a loop: only if it is known how far the loop has moved it.
    for (llvm::BasicBlock* from : p->blocks())
      for (llvm::Loop* l = loops_.getLoopFor(from); l && !l->contains(p->getParent()); l = l->getParentLoop())
        if (all.known && b_.atoms().depends_on_loop(all.offset.poly, loop_index(l))) {
          const std::optional<Number> last = after(*l, all.offset);
          all.known = last.has_value();
          if (last) all.offset = *last;
        }
    return all;
  }
  llvm::BasicBlock *preheader = loop->getLoopPreheader(), *latch = loop->getLoopLatch();
  if (!preheader || !latch) return {};
  const Place init = place(p->getIncomingValueForBlock(preheader));
  if (init.root == Place::Root::untraceable) return {};
  // As for integers: assume a symbol for this iteration's address, and see what the next one is.
  const size_t mark = order_.size();
  const int self = b_.atoms().placeholder();
  const Key key{p, -2};
  places_[key] = init;
  places_[key].known = true;
  places_[key].offset = Number{Poly::atom(self), {}};
  const Place next = place(p->getIncomingValueForBlock(latch));
  forget_since(mark);
  places_.erase(key);
  if (next.root != init.root || next.argument != init.argument) return {};
  if (init.root == Place::Root::elsewhere) return init;
  Place result = init;
  result.known = false;
  if (!init.known || !next.known) return result;
  if (std::optional<Number> moved = add(init.offset, added_by(*loop, p, next.offset, self))) {
    result.known = true;
    result.offset = *moved;
  }
  return result;
}

}  // namespace mkmd::compiler
