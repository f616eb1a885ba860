// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/builtins.hpp"

#include <algorithm>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "compiler/helper/address_space.hpp"
#include "compiler/helper/unspecified_pass.hpp"

namespace mkmd::compiler {
namespace {

using llvm::StringRef;

// Names of OpenCL 1.2-3.0 functions on numbers; sorted.
constexpr const char* kPlain[] = {
    "abs",
    "abs_diff",
    "acos",
    "acosh",
    "acospi",
    "add_sat",
    "all",
    "any",
    "asin",
    "asinh",
    "asinpi",
    "atan",
    "atan2",
    "atan2pi",
    "atanh",
    "atanpi",
    "barrier",
    "bitselect",
    "cbrt",
    "ceil",
    "clamp",
    "clz",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "cross",
    "ctz",
    "degrees",
    "distance",
    "dot",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fast_distance",
    "fast_length",
    "fast_normalize",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hadd",
    "hypot",
    "ilogb",
    "isequal",
    "isfinite",
    "isgreater",
    "isgreaterequal",
    "isinf",
    "isless",
    "islessequal",
    "islessgreater",
    "isnan",
    "isnormal",
    "isnotequal",
    "isordered",
    "isunordered",
    "ldexp",
    "length",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "mad",
    "mad24",
    "mad_hi",
    "mad_sat",
    "max",
    "maxmag",
    "mem_fence",
    "min",
    "minmag",
    "mix",
    "mul24",
    "mul_hi",
    "nan",
    "nextafter",
    "normalize",
    "popcount",
    "pow",
    "pown",
    "powr",
    "radians",
    "read_mem_fence",
    "remainder",
    "rhadd",
    "rint",
    "rootn",
    "rotate",
    "round",
    "rsqrt",
    "select",
    "shuffle",
    "shuffle2",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sinpi",
    "smoothstep",
    "sqrt",
    "step",
    "sub_sat",
    "tan",
    "tanh",
    "tanpi",
    "tgamma",
    "trunc",
    "upsample",
    "wait_group_events",
    "work_group_barrier",
    "write_mem_fence",
};

struct Mangled {
  StringRef name, rest;
};
Mangled split(StringRef mangled) {
  StringRef s = mangled;
  unsigned length = 0;
  if (!s.consume_front("_Z") || s.consumeInteger(10, length) || length > s.size()) return {mangled, ""};
  return {s.take_front(length), s.drop_front(length)};
}

int vector_width(StringRef digits) {
  int n = 0;
  if (digits.empty() || digits.getAsInteger(10, n)) return 0;
  return n == 2 || n == 3 || n == 4 || n == 8 || n == 16 ? n : 0;
}

// The bytes of what an operand points to: from one element to the next (`room`), and without padding
// (`value`). Three components take the room of four. Zeros: not known.
struct Pointee {
  int64_t room = 0, value = 0;
};

// Reads the types of a mangled name's parameters (Itanium C++ ABI, as far as OpenCL's functions use it).
class ParameterReader {
public:
  explicit ParameterReader(StringRef text) : rest_(text) {}

  // What the parameter points to; zeros if it is no pointer or not known.
  Pointee pointee(unsigned parameter) {
    for (unsigned i = 0; i <= parameter; ++i) {
      if (rest_.empty()) return {};
      const std::optional<Type> type = read();
      if (!type) return {};
      if (i == parameter) return type->pointee;
    }
    return {};
  }

private:
  struct Type {
    Pointee size;     // of a number or a vector
    Pointee pointee;  // of a pointer
  };

  std::optional<Type> read() {
    if (rest_.consume_front("S")) return earlier();
    Type type;
    if (rest_.consume_front("P")) {
      const std::optional<Type> to = read();
      if (!to) return std::nullopt;
      type.pointee = to->size;
    } else if (rest_.consume_front("Dv")) {
      unsigned count = 0;
      if (rest_.consumeInteger(10, count) || !rest_.consume_front("_")) return std::nullopt;
      const std::optional<Type> element = read();
      if (!element) return std::nullopt;
      type.size = {element->size.room * (count == 3 ? 4 : count), element->size.room * count};
    } else if (const size_t qualifiers = length_of_qualifiers(); qualifiers > 0) {
      rest_ = rest_.drop_front(qualifiers);
      const std::optional<Type> plain = read();
      if (!plain) return std::nullopt;
      type = *plain;
    } else if (!rest_.empty() && llvm::isDigit(rest_[0])) {
      size_t length = 0;
      if (rest_.consumeInteger(10, length) || length > rest_.size()) return std::nullopt;
      rest_ = rest_.drop_front(length);
    } else {
      return number();  // cannot be referred to later
    }
    earlier_.push_back(type);
    return type;
  }

  // "U3AS1VK": address space, volatile, const; one type together with what they qualify.
  size_t length_of_qualifiers() const {
    StringRef s = rest_;
    unsigned length = 0;
    if (s.consume_front("U") && (s.consumeInteger(10, length) || length > s.size())) return 0;
    s = s.drop_front(length);
    while (s.consume_front("r") || s.consume_front("V") || s.consume_front("K")) {
    }
    return rest_.size() - s.size();
  }

  std::optional<Type> earlier() {
    size_t index = 0;
    if (!rest_.consume_front("_")) {
      if (rest_.empty()) return std::nullopt;
      const char digit = rest_[0];
      index = 1 + static_cast<size_t>(llvm::isDigit(digit) ? digit - '0' : digit - 'A' + 10);
      rest_ = rest_.drop_front();
      if (!rest_.consume_front("_")) return std::nullopt;
    }
    return index < earlier_.size() ? std::optional(earlier_[index]) : std::nullopt;
  }

  std::optional<Type> number() {
    int64_t bytes = 0;
    if (rest_.consume_front("Dh")) {
      bytes = 2;
    } else {
      if (rest_.empty()) return std::nullopt;
      const char c = rest_[0];
      bytes = StringRef("bcah").contains(c)  ? 1
              : StringRef("st").contains(c)  ? 2
              : StringRef("ijf").contains(c) ? 4
              : StringRef("lmd").contains(c) ? 8
                                             : 0;
      if (bytes == 0) return std::nullopt;
      rest_ = rest_.drop_front();
    }
    return Type{{bytes, bytes}, {}};
  }

  StringRef rest_;
  std::vector<Type> earlier_;
};

Pointee pointee(const llvm::CallBase& call, unsigned operand) {
  return ParameterReader(parameters(declared_callee(call))).pointee(operand);
}

// vloadn, vstoren, vload_half, vloada_halfn, vstore_halfn_rte …
std::optional<PointerUse> vector_memory(const llvm::CallBase& call, StringRef name) {
  PointerUse use;
  const bool load = name.consume_front("vload");
  if (!load && !name.consume_front("vstore")) return std::nullopt;
  use.reads = load;
  use.writes = !load;
  use.operand = load ? 1 : 2;
  use.offset_operand = load ? 0 : 1;
  if (use.operand >= call.arg_size()) return std::nullopt;
  const bool aligned = name.consume_front("a_half");
  const bool half = aligned || name.consume_front("_half");
  if (half) {
    for (const char* rounding : {"_rte", "_rtz", "_rtp", "_rtn"})
      if (name.consume_back(rounding)) break;
    const int n = name.empty() ? 1 : vector_width(name);
    if (n == 0) return std::nullopt;
    // vstorea_half3 steps by four, and some drivers write the fourth: those that do not leave what was read.
    const bool padded = aligned && n == 3;
    use.bytes = use.unit = 2 * (padded ? 4 : n);
    use.reads = load || padded;
    return use;
  }
  const int n = vector_width(name);
  const int64_t element = pointee(call, use.operand).value;
  if (n == 0 || element == 0) return std::nullopt;
  use.bytes = use.unit = n * element;
  return use;
}

}  // namespace

StringRef base_name(StringRef mangled) {
  return split(mangled).name;
}
StringRef parameters(StringRef mangled) {
  return split(mangled).rest;
}

Builtin work_item_builtin(StringRef mangled) {
  return llvm::StringSwitch<Builtin>(base_name(mangled))
      .Case("get_global_id", Builtin::global_id)
      .Case("get_group_id", Builtin::group_id)
      .Case("get_local_id", Builtin::local_id)
      .Case("get_global_size", Builtin::global_size)
      .Case("get_num_groups", Builtin::num_groups)
      .Cases("get_local_size", "get_enqueued_local_size", Builtin::local_size)
      .Case("get_global_offset", Builtin::global_offset)
      .Case("get_global_linear_id", Builtin::global_linear_id)
      .Case("get_local_linear_id", Builtin::local_linear_id)
      .Case("get_work_dim", Builtin::work_dim)
      .Default(Builtin::none);
}

StringRef declared_callee(const llvm::CallBase& call) {
  const llvm::Function* f = call.getCalledFunction();
  return f && f->isDeclaration() && !f->isIntrinsic() ? f->getName() : StringRef();
}

std::optional<std::vector<PointerUse>> pointer_uses(const llvm::CallBase& call) {
  const StringRef name = base_name(declared_callee(call));
  if (name.starts_with("vload") || name.starts_with("vstore")) {
    if (std::optional<PointerUse> use = vector_memory(call, name)) return std::vector{*use};
    return std::nullopt;
  }
  if (name == "prefetch" || name == "wait_group_events") return std::vector<PointerUse>{};
  if (name == "async_work_group_copy" || name == "async_work_group_strided_copy") {
    const bool strided = name != "async_work_group_copy";
    if (call.arg_size() != (strided ? 5U : 4U)) return std::nullopt;
    const Pointee element = pointee(call, 0);
    PointerUse to{
        .operand = 0, .writes = true, .bytes = element.room, .sure_bytes = element.value, .count_operand = 2};
    PointerUse from{.operand = 1, .reads = true, .bytes = pointee(call, 1).room, .count_operand = 2};
    if (to.bytes == 0 || from.bytes == 0) return std::nullopt;
    if (strided) {
      // The stride applies to the global side.
      const bool into_local =
          call.getArgOperand(1)->getType()->getPointerAddressSpace() == address_space::kGlobal;
      (into_local ? from : to).stride_operand = 3;
    }
    return std::vector{to, from};
  }
  for (const char* result_by_pointer : {"fract", "modf", "sincos", "frexp", "lgamma_r", "remquo"}) {
    if (name != result_by_pointer) continue;
    const unsigned last = call.arg_size() - 1;
    const Pointee result = pointee(call, last);
    PointerUse use{.operand = last, .writes = true, .bytes = result.room, .sure_bytes = result.value};
    if (use.bytes == 0) return std::nullopt;
    return std::vector{use};
  }
  return std::nullopt;
}

namespace {

bool is_plain_name(StringRef name) {
  for (const char* prefix :
       {"convert_", "as_", "half_", "native_", "vload", "vstore", "read_image", "write_image", "get_image_"})
    if (name.starts_with(prefix)) return true;
  for (const char* other : {"fract", "modf", "sincos", "frexp", "lgamma_r", "remquo", "prefetch",
                            "async_work_group_copy", "async_work_group_strided_copy"})
    if (name == other) return true;
  return std::binary_search(std::begin(kPlain), std::end(kPlain), name,
                            [](const auto& a, const auto& b) { return StringRef(a) < StringRef(b); });
}

}  // namespace

bool is_plain_builtin(StringRef mangled) {
  // Clang's own, for a sampler that the program declares.
  if (mangled == "__translate_sampler_initializer") return true;
  if (gives_back_operand(mangled)) return true;
  if (!mangled.starts_with("_Z")) return false;
  return work_item_builtin(mangled) != Builtin::none || is_plain_name(base_name(mangled));
}

bool is_builtin_name(StringRef name) {
  for (const char* part : {"image", "barrier", "_fence", "work_group_", "sub_group", "pipe"})
    if (name.contains(part)) return true;
  for (const char* prefix : {"get_global_", "get_local_", "get_group_id", "get_num_groups", "get_work_dim",
                             "get_enqueued_", "half_", "wait_group_events"})
    if (name.starts_with(prefix)) return true;
  return is_plain_name(name) || is_atomic(name);
}

bool is_atomic(StringRef base) {
  return base.starts_with("atomic_") || base.starts_with("atom_");
}

}  // namespace mkmd::compiler
