// SPDX-License-Identifier: Apache-2.0
// KernelInfo: what mkmd-kc found out about one kernel, as a plain value with a JSON form. Everything that
// depends on scalar arguments or on the NDRange is an index into `expressions`, evaluated once per launch.
// Byte addresses are affine forms over work-group ids, local ids and loop counters. footprint.hpp turns
// them into byte ranges. An access that could not be described is "unknown": it may touch the whole buffer.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/expression.hpp"
#include "common/status.hpp"

namespace mkmd::compiler {

struct Argument {
  enum class Kind { buffer, constant_buffer, image, sampler, local, value, other };
  Kind kind = Kind::other;
  std::string name, type;  // type as the source spells it, typedefs resolved
  std::string access;      // of images: "read_only", "write_only", "read_write"
  uint64_t bytes = 0;      // size of a value; 0 for anything else
  bool is_signed = false;  // of integer values: how to widen to 64 bits
  bool is_integer = false;
  bool is_const = false, is_restrict = false, is_volatile = false;
};

// Slots of Launch::scalars. Slot i < arguments.size() is argument i itself; further slots are integers inside
// vector or struct arguments ("int4 dims" → dims.y), and sizes of images. set_scalars() in footprint.hpp
// fills all of them from argument bytes.
struct ScalarSlot {
  int argument = 0;
  uint32_t offset = 0, bytes = 0;
  bool is_signed = false;
};

// What stands for the bytes of an image argument: its width, height and depth in pixels. The layers of an
// array are its last dimension. A dimension that it does not have is 1.
using ImageExtent = std::array<uint64_t, 3>;

struct Variable {
  enum class Kind : uint8_t { global_id, group_id, local_id, loop, derived };
  Kind kind = Kind::global_id;
  int index = 0;  // dimension, or index into loops / derived
  bool operator==(const Variable&) const = default;
};

struct Term {
  Variable variable;
  int coefficient = 0;  // index into expressions
  bool operator==(const Term&) const = default;
};

// base + Σ coefficient · variable, in exact (not wrapping) integers.
struct Affine {
  int base = 0;  // index into expressions
  std::vector<Term> terms;
  bool operator==(const Affine&) const = default;
};

// The program computed `value` in fewer bits than 64, or extended it. Our exact arithmetic agrees with the
// program's only while it stays inside [lo, hi]. Otherwise whatever depends on it is unknown.
struct Check {
  Affine value;
  int64_t lo = 0, hi = 0;
};

// A quantity that is not affine, known by its interval only.
struct Derived {
  enum class Op {
    divide,
    remainder,
    modulo,
    floor_divide,
    minimum,
    maximum,
    multiply,
    hull,  // anything between a and b
    absolute,
    as_signed,    // a cut to b bits and read as such a number: a itself where it is one
    as_unsigned,  // the same
    bit_and,      // of numbers that are not negative
    bit_or,
    bit_xor,
  };
  Op op = Op::hull;
  Affine a, b;
  int load = -1;      // of a hull: it is the number that this one of `loads` brings; -1: nobody knows which
  int computed = -1;  // of a hull: it is what this one of `computed` is; -1: nobody knows what
};

// A number of so many bytes, read as a signed one, that a work-item loads from a buffer.
struct Load {
  int argument = 0;
  uint32_t bytes = 0;
  Affine offset;  // in bytes, from the argument
  std::vector<int> checks;
};

// Runs max(0, ceil(distance / step)) + extra times; its counter goes 0, 1, 2 …
struct Loop {
  bool known = false;  // else: any number of times, at least `extra`
  bool exact = true;   // false: may end earlier (break, return)
  int extra = 0;       // 1 for loops which test at their end
  Affine distance;
  int step = 0;  // index into expressions; not positive: unknown
  std::vector<int> checks;
};

// A condition under which an access happens.
struct Guard {
  enum class Relation {
    signed_order,    // a + slack <= b
    unsigned_order,  // the same on `bits`-wide unsigned numbers
    equal,
    not_equal,
  };
  Relation relation = Relation::signed_order;
  int slack = 0, bits = 64;
  Affine a, b;
  std::vector<int> checks;
};

// What encloses an access, from the outside in.
struct Scope {
  enum class Kind { guard, loop, loop_header };  // loop_header: evaluated once more than the body
  Kind kind = Kind::guard;
  int index = 0;
  bool operator==(const Scope&) const = default;
};

// An atomic operation that makes a new number of an old one and another one, and whose result nobody uses.
// Or a store of a number that is the same wherever it happens. Updates that are equal commute: in whichever
// order they happen, the same number remains.
struct Update {
  enum class Kind : uint8_t {
    none,
    add,
    bit_and,
    bit_or,
    bit_xor,
    smin,
    smax,
    umin,
    umax,
    store,          // of `value`
    store_uniform,  // of what expression number `value` is in the launch, which makes it a store of that
                    // number
  };
  Kind kind = Kind::none;
  uint32_t bytes = 0;  // of the number, which lies at a multiple of them
  uint64_t value = 0;  // zero-extended
  bool operator==(const Update&) const = default;
};

// Of a buffer's bytes, or of an image's pixels: pixel (x, y, z) is number x + width · (y + height · z).
struct Access {
  enum class Kind { read, write, atomic };
  int argument = 0;
  Kind kind = Kind::read;
  bool known = false;  // false: anywhere in the buffer; nothing below means anything
  bool sure = false;   // happens exactly when `scopes` say so
  uint32_t bytes = 0;  // contiguous bytes touched at `offset`; of an image 1, for a pixel
  Affine offset;       // in bytes, from the argument
  Update update;       // of an atomic one or a write; none: it may do anything to the bytes
  std::vector<int> checks;
  // Of a sure write: without these, which are of the launch, what it stores may have no value. It may not
  // happen then, but nothing else of the access changes.
  std::vector<int> sure_checks;
  std::vector<Scope> scopes;
  int line = 0;
};

struct Cost {                                // per work-item
  int trips = 0, operations = 0, bytes = 0;  // indices into expressions; real-valued
  bool irregular = false;                    // some loop count depends on memory: a guess is in there
};

struct Reason {
  std::string text;
  int line = 0;  // of the program's source; 0: not known
};

// What the numbers in a KernelInfo are indices into. The operands of a derived value are made of earlier ones
// only. Where a number is loaded from may be said by later ones, but not by any that need that number.
struct Formulas {
  std::vector<Expression> expressions;
  std::vector<Check> checks;
  std::vector<Derived> derived;
  std::vector<Derived> computed;  // from loaded numbers; each belongs to one of `derived`, which is later
                                  // than all that this one is made of
  std::vector<Load> loads;
  std::vector<Loop> loops;
  std::vector<Guard> guards;
};

// Whether the number is made of itself, by way of what it loads.
bool needs_itself(const Formulas& formulas, int derived);

// It has more than 15 fields: what the helper says of one kernel.
struct KernelInfo : Formulas {
  std::string name;
  std::vector<Argument> arguments;
  std::vector<ScalarSlot> extra_scalars;         // slots arguments.size() and up
  uint32_t reqd_work_group_size[3] = {0, 0, 0};  // zeros: none
  bool uses_local_shape = false;                 // the result may depend on how work-items are grouped
  // Why its numbers may have other last bits in pieces (compiler/helper/folded_products.hpp); no text: they
  // have not.
  Reason folded;
  uint64_t local_bytes = 0;  // of __local variables inside the kernel
  bool uses_fp64 = false;
  bool any_buffer = false;  // it stores, loads or makes pointers: they may lead into buffers it is not given
  bool may_wait = false;    // it may end only once another command has changed memory
  // It may run whole on any device. Otherwise it runs whole at home.
  bool runs_anywhere = false;
  bool split_allowed = false;   // also in pieces, on several devices at a time
  std::vector<Reason> reasons;  // why not
  Cost cost;
  std::vector<Access> accesses;

  bool is_image(int argument) const {
    return arguments[static_cast<size_t>(argument)].kind == Argument::Kind::image;
  }
};

// The kernel runs whole, at home: elsewhere its last bits might be others.
void keep_whole(KernelInfo& kernel, const Reason& why);
// That holds for a kernel with KernelInfo::folded.
void keep_bits(KernelInfo& kernel);

// The hidden trailing arguments of every kernel in a module, all ulong, each as x, y, z. They are for the
// group id, the number of groups, the global offset and the global size. Each is what to add, modulo 2^64, to
// what the device says in a piece. The sum is what it would say in the original NDRange.
inline constexpr int kHiddenArguments = 12;

void to_json(nlohmann::json&, const Update&);
void from_json(const nlohmann::json&, Update&);
void to_json(nlohmann::json&, const KernelInfo&);
Result<KernelInfo> kernel_info_from_json(const nlohmann::json&);  // checks every index

}  // namespace mkmd::compiler
