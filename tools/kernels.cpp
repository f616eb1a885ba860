// SPDX-License-Identifier: Apache-2.0
// `mkmd kernels`: what the compiler helper knows of a file's kernels, without a device and without running
// them. Whether a kernel is split depends on its launch: one is given with options, or assumed.
#include "common/files.hpp"
#include "common/settings.hpp"
#include "common/text.hpp"
#include "compiler/assumed_device.hpp"
#include "compiler/binary_origin.hpp"
#include "compiler/client.hpp"
#include "compiler/spirv.hpp"
#include "compiler/use.hpp"
#include "tools/assumed_launch.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/index_buffers.hpp"
#include "tools/inspect/advice.hpp"
#include "tools/library_place.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <iostream>
#include <set>

namespace mkmd::tool {

namespace {

using namespace mkmd::compiler;
using nlohmann::json;

Result<Module> analyse(const std::string& content, const KernelsOptions& o) {
  Origin origin{recipe_of(content, {}), Origin::Kind::source, {}, {}};
  if (content.find('\0') != std::string::npos && !is_spirv(content)) {
    Result<Origin> known = origin_of_binary(cache_directory(), content);
    if (!known) return Status::internal("it is a binary that MKMD has not seen, or none at all");
    origin = std::move(*known);
  }
  for (Unit& unit : origin.recipe.units)
    unit.options += " " + o.build;
  const Request request = request_without_device(std::move(origin.recipe.units));
  const std::string helper = helper_place();
  if (helper.empty()) return Status::internal("mkmd-kc is not installed beside this command");
  Client client(helper, "");
  Result<Module> module = client.compile(
      request, [&](const std::string&, const std::vector<std::string>& names) -> Result<Macros> {
        Macros known;
        for (const std::string& name : names)
          known[name] = predefined_by_assumed(request, name);
        return known;
      });
  if (module) std::ranges::for_each(module->kernels, keep_bits);
  return module;
}

// What is evaluated at a launch, as C would write it.
class Text {
public:
  explicit Text(const KernelInfo& k) : k_(k) {}

  std::string of(const Expression& e) const {
    using Op = Expression::Op;
    const auto asks = [](const Expression::Node& n) { return n.op >= Op::scalar && n.op <= Op::work_dim; };
    if (const auto number = e.evaluate_real({}); number && std::ranges::none_of(e.nodes(), asks))
      return real(*number);
    std::vector<std::string> stack;
    const auto pop = [&] {
      std::string top = std::move(stack.back());
      stack.pop_back();
      return top;
    };
    for (const Expression::Node& n : e.nodes()) {
      if (n.op <= Op::work_dim) {
        stack.push_back(leaf(n));
      } else if (n.op == Op::select) {
        const std::string otherwise = pop(), then = pop(), condition = pop();
        stack.push_back("(" + condition + " ? " + then + " : " + otherwise + ")");
      } else {
        static constexpr const char* kSigns[] = {" + ", " - ",   "*",     " / ",  " mod ", " / ",
                                                 " % ", " min ", " max ", " << ", " >> ",  " & ",
                                                 " | ", " ^ ",   " < ",   " <= ", " == ",  " != "};
        const std::string right = pop(), left = pop();
        stack.push_back("(" + left + kSigns[static_cast<int>(n.op) - static_cast<int>(Op::add)] + right +
                        ")");
      }
    }
    std::string all = pop();
    return all.size() > 2 && all.front() == '(' && closes_at_end(all) ? all.substr(1, all.size() - 2) : all;
  }

  std::string of(const Affine& a) const {
    std::string sum;
    const auto add = [&](const std::string& term) { sum += (sum.empty() ? "" : " + ") + term; };
    for (const Term& t : a.terms) {
      const Expression& factor = k_.expressions[static_cast<size_t>(t.coefficient)];
      const std::string f = of(factor);
      add(factor.constant() == 1
              ? of(t.variable)
              : (f.find(' ') == std::string::npos ? f : "(" + f + ")") + "*" + of(t.variable));
    }
    const Expression& base = k_.expressions[static_cast<size_t>(a.base)];
    if (base.constant() != 0 || sum.empty()) add(of(base));
    return sum;
  }

private:
  static std::string real(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.12g", number);
    return text;
  }

  static bool closes_at_end(const std::string& text) {
    int open = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (open == 0) return i + 1 == text.size();
    }
    return false;
  }

  std::string leaf(const Expression::Node& n) const {
    using Op = Expression::Op;
    const std::string d = "(" + std::to_string(n.value) + ")";
    switch (n.op) {
    case Op::real:
      return real(std::bit_cast<double>(n.value));
    case Op::scalar: {
      const auto slot = static_cast<size_t>(n.value), count = k_.arguments.size();
      if (slot < count) return k_.arguments[slot].name;
      const ScalarSlot& part = k_.extra_scalars[slot - count];
      const std::string& name = k_.arguments[static_cast<size_t>(part.argument)].name;
      if (!k_.is_image(part.argument)) return name + "@" + std::to_string(part.offset);
      static constexpr const char* kSizes[] = {"width", "height", "depth"};
      return kSizes[part.offset / sizeof(ImageExtent::value_type)] + ("(" + name + ")");
    }
    case Op::local_size:
      return "local_size" + d;
    case Op::global_size:
      return "global_size" + d;
    case Op::num_groups:
      return "num_groups" + d;
    case Op::global_offset:
      return "global_offset" + d;
    case Op::work_dim:
      return "work_dim";
    default:
      return std::to_string(n.value);
    }
  }

  std::string of(const Variable& v) const {
    const std::string d = "(" + std::to_string(v.index) + ")";
    switch (v.kind) {
    case Variable::Kind::global_id:
      return "global_id" + d;
    case Variable::Kind::group_id:
      return "group_id" + d;
    case Variable::Kind::local_id:
      return "local_id" + d;
    case Variable::Kind::loop:
      return "loop" + d;
    case Variable::Kind::derived:
      break;
    }
    const Derived& derived = k_.derived[static_cast<size_t>(v.index)];
    if (derived.op == Derived::Op::hull) return "[" + of(derived.a) + " … " + of(derived.b) + "]";
    static constexpr const char* kNames[] = {
        "divide", "remainder", "modulo",    "floor_divide", "min", "max", "multiply",
        "hull",   "abs",       "as_signed", "as_unsigned",  "and", "or",  "xor"};
    const bool one = derived.op == Derived::Op::absolute;
    return kNames[static_cast<size_t>(derived.op)] + ("(" + of(derived.a)) +
           (one ? "" : ", " + of(derived.b)) + ")";
  }

  const KernelInfo& k_;
};

constexpr int kNone = -1, kNotCut = -2, kUpdated = -3;

// The argument of which both halves of the launch touch the same bytes, one of them by writing; kNone;
// kUpdated: only by updates that commute.
int common_argument(const LaunchFootprints& footprints, const GroupBox& low, const GroupBox& high) {
  const std::vector<Footprint> a = footprints.of(low), b = footprints.of(high);
  constexpr uint64_t kMostBytes = uint64_t{1} << 40;  // of an argument, whose size is not known
  int found = kNone;
  for (size_t i = 0; i < a.size(); ++i) {
    const Meeting how = meeting(use_of({{&a[i], 0, kMostBytes}}), use_of({{&b[i], 0, kMostBytes}}));
    if (how == Meeting::conflict) return a[i].argument;
    if (how == Meeting::updates) found = kUpdated;
  }
  return found;
}

// The same of the best of the dimensions that the launch may be cut along; kNotCut: there is none.
int common_argument(const KernelInfo& k, const Launch& launch) {
  const LaunchFootprints footprints(k, launch);
  GroupBox whole;
  for (size_t d = 0; d < launch.work_dim; ++d)
    whole.hi[d] = launch.global[d] / launch.local[d];
  int best = kNotCut;
  for (size_t d = launch.work_dim; d-- > 0;) {
    if (whole.hi[d] < 2) continue;
    GroupBox low = whole, high = whole;
    low.hi[d] = high.lo[d] = whole.hi[d] / 2;
    const int found = common_argument(footprints, low, high);
    if (found == kNone) return found;
    if (best == kNotCut || found == kUpdated) best = found;
  }
  return best;
}

std::string line_of(int line) {
  return line > 0 ? " (line " + std::to_string(line) + ")" : "";
}

std::vector<Footprint> whole_launch(const KernelInfo& k, const Launch& launch) {
  GroupBox whole;
  for (size_t d = 0; d < launch.work_dim; ++d)
    whole.hi[d] = launch.global[d] / launch.local[d];
  return LaunchFootprints(k, launch).of(whole);
}

// The lines that read the argument, or those that do anything else to it.
std::string lines_of(const KernelInfo& k, int argument, Access::Kind kind) {
  std::set<int> lines;
  for (const Access& a : k.accesses)
    if (a.argument == argument && (a.kind == Access::Kind::read) == (kind == Access::Kind::read) &&
        a.line > 0)
      lines.insert(a.line);
  std::string text;
  for (const int line : lines)
    text += (text.empty() ? " (line " : ", ") + std::to_string(line);
  return text.empty() ? text : text + ")";
}

bool updates_atomically(const Access& a) {
  return a.kind == Access::Kind::atomic && a.update.kind != Update::Kind::none;
}

std::string verdict(const KernelInfo& k, const Case& c) {
  if (!k.split_allowed) {
    std::string all = k.runs_anywhere ? "runs whole" : "runs whole at home";
    for (const Reason& r : k.reasons)
      all += (&r == k.reasons.data() ? ": " : "; ") + r.text + line_of(r.line);
    return all;
  }
  const int argument = common_argument(k, c.launch);
  if (argument == kNotCut) return "runs whole: it has one work-group";
  if (argument == kUpdated && std::ranges::any_of(k.accesses, updates_atomically))
    return "may be split: its atomic operations commute";
  if (argument == kUpdated) return "may be split: its work-groups store equal numbers";
  if (argument == kNone) return "may be split";
  const std::string name = "'" + k.arguments[static_cast<size_t>(argument)].name + "'";
  const auto whole = whole_launch(k, c.launch);
  const auto touched = std::ranges::find(whole, argument, &Footprint::argument);
  if (const std::string from = index_buffers(k, argument); !from.empty())
    return "may be split if the contents of " + from + " allow it: they say where it writes in " + name +
           lines_of(k, argument, Access::Kind::write);
  if (touched->writes_unknown)
    return "runs whole: it may write anywhere in " + name + lines_of(k, argument, Access::Kind::write);
  if (touched->reads_unknown)
    return "runs whole: it writes " + name + " and may read anywhere in it" +
           lines_of(k, argument, Access::Kind::read);
  return "runs whole: its work-groups touch the same " +
         std::string(k.is_image(argument) ? "pixels" : "bytes") + " of " + name + ", as far as is known" +
         lines_of(k, argument, Access::Kind::write);
}

void print(const KernelInfo& k, const KernelsOptions& o) {
  const Case c = complete(k, o);
  const std::string said = verdict(k, c);
  std::printf("%s: %s\n", printable(k.name).c_str(), printable(said).c_str());
  if (const std::string advice = inspect::advice_on(said); !advice.empty())
    std::printf("    to split it, %s\n", advice.c_str());
  if (k.split_allowed) std::printf("    for %s\n", printable(c.text).c_str());
  const Text text(k);
  for (size_t i = 0; i < k.arguments.size(); ++i) {
    const Argument& argument = k.arguments[i];
    std::printf("  %s %s\n", printable(argument.type).c_str(), printable(argument.name).c_str());
    for (const Access& a : k.accesses) {
      if (static_cast<size_t>(a.argument) != i) continue;
      const std::string what = a.kind == Access::Kind::read    ? "reads"
                               : a.kind == Access::Kind::write ? a.sure ? "writes" : "may write"
                                                               : "changes";
      const char* const unit = k.is_image(a.argument) ? "pixel" : "byte";
      const std::string where = a.known ? counted(a.bytes, unit) + " at " + text.of(a.offset) : "anywhere";
      std::printf("    %s %s%s\n", what.c_str(), printable(where).c_str(), line_of(a.line).c_str());
    }
  }
  const auto cost = [&](int index) { return printable(text.of(k.expressions[static_cast<size_t>(index)])); };
  std::printf("  operations of a work-item: %s%s\n", cost(k.cost.operations).c_str(),
              k.cost.irregular ? " (a guess: data decide how often a loop runs)" : "");
  std::printf("  bytes that it moves: %s\n\n", cost(k.cost.bytes).c_str());
}

// The name in --arg that no kernel has as an integer argument, or nothing.
std::string unknown_argument(const std::vector<const KernelInfo*>& kernels, const KernelsOptions& o) {
  for (const auto& [name, number] : o.numbers) {
    const auto has = [&name = name](const KernelInfo* k) {
      return std::ranges::any_of(k->arguments,
                                 [&](const Argument& a) { return a.is_integer && a.name == name; });
    };
    if (std::ranges::none_of(kernels, has)) return name;
  }
  return {};
}

json as_json(const KernelInfo& k, const KernelsOptions& o) {
  const Case c = complete(k, o);
  json j = k;
  j["verdict"] = verdict(k, c);
  j["advice"] = inspect::advice_on(verdict(k, c));
  j["launch"] = {{"global", c.launch.global}, {"local", c.launch.local}, {"scalars", c.launch.scalars}};
  return j;
}

}  // namespace

int kernels(const std::vector<std::string>& arguments) {
  const Result<KernelsOptions> parsed = parse_kernels(arguments);
  if (!parsed) return wrong_use("kernels: " + parsed.status().message());
  const KernelsOptions& options = *parsed;
  if (!options.help.empty()) return help({"kernels"});
  const auto fail = [](const std::string& sentence) {
    say(sentence);
    return 1;
  };
  const Result<std::string> content = read_file(options.file);
  if (!content) return fail(content.status().message());
  const Result<Module> module = analyse(*content, options);
  if (!module) return fail(options.file + ": " + module.status().message());
  std::vector<const KernelInfo*> chosen;
  for (const KernelInfo& k : module->kernels)
    if (options.kernel.empty() || k.name == options.kernel) chosen.push_back(&k);
  if (chosen.empty())
    return fail(options.file +
                (options.kernel.empty() ? ": no kernels" : ": no kernel named " + options.kernel));
  if (const std::string name = unknown_argument(chosen, options); !name.empty())
    return fail(options.file + ": --arg " + name + ": no kernel has an integer argument of this name");
  json all = json::array();
  for (const KernelInfo* k : chosen) {
    if (options.as_json)
      all.push_back(as_json(*k, options));
    else
      print(*k, options);
  }
  if (options.as_json) std::cout << all.dump(1, ' ', false, json::error_handler_t::replace) << "\n";
  return 0;
}

}  // namespace mkmd::tool
