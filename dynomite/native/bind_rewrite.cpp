#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dynomite/native/base/run_long.hpp"
#include "dynomite/native/module.hpp"
#include "dynomite/native/py_rewrite.hpp"

namespace dynomite::rewrite {

namespace {

int rule_set_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  for (const PyFunction& function : nb::inst_ptr<PyRuleSet>(self)->functions)
    Py_VISIT(function.function.ptr());
  return 0;
}
int rule_set_clear(PyObject* self) {
  for (PyFunction& function : nb::inst_ptr<PyRuleSet>(self)->functions) function.function.reset();
  return 0;
}
PyType_Slot rule_set_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(rule_set_traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(rule_set_clear)},
                                {0, nullptr}};

/// What names of a match are bound to, as Python has it.
class Bindings {
 public:
  Bindings(nb::handle owner, ir::Module& module, const CompiledRule& rule, const InstrMatcher& matcher)
      : owner_(owner), module_(module), rule_(rule), matcher_(matcher) {}

  nb::object of(std::string_view name) const {
    const auto& slots = rule_.rule.slots;
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
      if (slots[i] == name) return of(matcher_.slot(i));
    }
    throw nb::key_error(std::string(name).c_str());
  }

 private:
  nb::object of(const Slot& slot) const {
    switch (slot.kind) {
      case SlotKind::kUnbound: return nb::none();
      case SlotKind::kOp:
        return nb::str(
            module_.registry()->name(ir::Opcode::from_raw(static_cast<std::uint16_t>(slot.first))).c_str());
      case SlotKind::kInstr: return nb::cast(ir::make_handle(owner_, module_, ir::InstrId(slot.node)));
      case SlotKind::kOperand: {
        nb::object value = ir::to_python(owner_, module_, slot.ref());
        return slot.is_number && is_constant(slot.ref()) ? nb::object(value.attr("value")) : value;
      }
      case SlotKind::kList: {
        nb::list items;
        for (std::uint32_t i = 0; i < slot.count; ++i) {
          items.append(ir::to_python(owner_, module_, matcher_.operand(slot, i).ref));
        }
        return nb::tuple(items);
      }
    }
    return nb::none();
  }

  nb::handle owner_;
  ir::Module& module_;
  const CompiledRule& rule_;
  const InstrMatcher& matcher_;
};

/// A match for the time of a call.
struct PyMatch {
  nb::object owner;
  ir::Module* module;
  const CompiledRule* rule;
  const InstrMatcher* matcher;

  const PyMatch& read() const {
    if (matcher == nullptr)
      throw UsageError("a match is over when the function it was given to has returned");
    return *this;
  }
};

/// The exclusive use of a module, given back while Python runs.
class Lease {
 public:
  Lease(ir::Module& module, bool keeps_gil) : module_(module), keeps_gil_(keeps_gil) { take(); }
  void take() {
    if (keeps_gil_) {
      calling_.emplace(module_.access());
    } else {
      writing_.emplace(module_.access());
    }
  }
  void give() {
    calling_.reset();
    writing_.reset();
  }

 private:
  ir::Module& module_;
  bool keeps_gil_;
  std::optional<CallingWriteLease> calling_;
  std::optional<WriteLease> writing_;
};

class PyCallbacks : public Callbacks {
 public:
  PyCallbacks(ir::PyBuilder& builder, const PyRuleSet& rules, nb::object watcher, Lease& lease)
      : builder_(builder), rules_(rules), watcher_(std::move(watcher)), lease_(lease) {}

  bool condition(std::uint32_t number, const CompiledRule& rule, const InstrMatcher& matcher) override {
    bool holds = false;
    with_python(rule.rule, [&] {
      const PyFunction& called = rules_.functions[number];
      const Bindings bindings(builder_.owner, builder_.module(), rule, matcher);
      nb::list arguments;
      for (const std::string& name : called.names) arguments.append(bindings.of(name));
      const nb::object result = called.function(*arguments);
      holds = result.ptr() == Py_True;
    });
    return holds;
  }

  void act(std::uint32_t number, const CompiledRule& rule, const InstrMatcher& matcher) override {
    with_python(rule.rule, [&] {
      nb::object match = nb::cast(PyMatch{builder_.owner, &builder_.module(), &rule, &matcher});
      struct Closing {
        nb::handle match;
        ~Closing() { nb::inst_ptr<PyMatch>(match)->matcher = nullptr; }
      } closing{match};
      rules_.functions[number].function(nb::find(&builder_), match);
    });
  }

  bool is_watching() const override { return watcher_.is_valid() && !watcher_.is_none(); }
  void watch(const Application& seen) override {
    with_python(rules_.set->rules()[seen.rule].rule,
                [&] { watcher_(rules_.set->rules()[seen.rule].rule.name, seen.before, seen.after); });
  }

 private:
  template <typename Call>
  void with_python(const Rule& rule, Call call) {
    const nb::gil_scoped_acquire acquire;
    lease_.give();
    try {
      call();
    } catch (nb::python_error& error) {
      error.value().attr("add_note")(nb::str(("in the rule '" + rule.name + "'").c_str()));
      lease_.take();
      throw;
    } catch (...) {
      lease_.take();
      throw;
    }
    lease_.take();
  }

  ir::PyBuilder& builder_;
  const PyRuleSet& rules_;
  nb::object watcher_;
  Lease& lease_;
};

Order order_of(const std::string& name) {
  if (name == "greedy") return Order::kGreedy;
  if (name == "sweep-down") return Order::kSweepDown;
  if (name == "sweep-up") return Order::kSweepUp;
  throw UsageError("there is no driver '" + name + "': greedy, sweep-down or sweep-up");
}

const char* end_name(RewriteEnd end) {
  switch (end) {
    case RewriteEnd::kFixedPoint: return "fixed-point";
    case RewriteEnd::kBound: return "bound";
    case RewriteEnd::kLimit: return "limit";
    case RewriteEnd::kStopped: return "stopped";
  }
  return "";
}

nb::dict report_to_python(const PyRuleSet& rules, const RewriteReport& report) {
  nb::dict of_rules;
  for (std::size_t i = 0; i < report.rules.size(); ++i) {
    const RewriteReport::OfRule& own = report.rules[i];
    of_rules[rules.set->rules()[i].rule.name.c_str()] =
        nb::make_tuple(own.applied, own.tried, own.gave_up, own.recent);
  }
  nb::dict result;
  result["rules"] = of_rules;
  result["visited"] = report.visited;
  result["applied"] = report.applied;
  result["erased"] = report.erased;
  result["rounds"] = report.rounds;
  result["end"] = end_name(report.end);
  return result;
}

nb::dict apply(ir::PyBuilder& builder, const PyRuleSet& rules, const std::string& order,
               std::uint32_t max_rounds, std::optional<std::uint64_t> limit, nb::object within,
               nb::object watcher, Stop* stop) {
  ir::Module& module = builder.module();
  if (module.registry()->serial() != rules.registry->serial()) {
    throw UsageError("apply: the rules were compiled for another context");
  }
  RewriteParams params;
  params.order = order_of(order);
  params.max_rounds = max_rounds;
  if (limit) params.limit = *limit;
  if (!within.is_none()) params.within = ir::checked(module, nb::cast<ir::InstrHandle>(within));
  ir::let_declare(*module.registry());
  const bool keeps_gil = builder.tracking() == ir::Tracking::kEager;
  Lease lease(module, keeps_gil);
  const ReadLease context(module.registry()->access());
  PyCallbacks callbacks(builder, rules, std::move(watcher), lease);
  RewriteReport report;
  if (keeps_gil) {
    Stop own;
    report = apply_rules(builder, *rules.set, params, callbacks, stop != nullptr ? *stop : own);
  } else {
    run_long(stop,
             [&](Stop& running) { report = apply_rules(builder, *rules.set, params, callbacks, running); });
  }
  return report_to_python(rules, report);
}

/// The matches of all rules at an instruction, in order; for tests and tools.
nb::list matches(const PyRuleSet& rules, const ir::InstrHandle& instr, std::size_t most) {
  ir::Module& module = instr.read();
  if (module.registry()->serial() != rules.registry->serial()) {
    throw UsageError("matches: the rules were compiled for another context");
  }
  const InstrMatchStore store(module);
  InstrMatcher matcher(store);
  InstrChecker checker(matcher);
  std::vector<KnownInstr> known;
  nb::list result;
  const auto add = [&](const CompiledRule& rule) {
    if (!checker.native_hold(rule.rule)) return false;
    const Bindings bindings(instr.owner, module, rule, matcher);
    nb::dict names;
    for (const std::string& name : rule.rule.slots) {
      nb::object value = bindings.of(name);
      if (!value.is_none()) names[name.c_str()] = value;
    }
    result.append(nb::make_tuple(rule.rule.name, names));
    return true;
  };
  const DecisionTree& tree = rules.set->tree();
  std::vector<std::size_t> found(rules.set->rules().size(), 0);
  const Shape shape = store.shape(instr.id.index());
  for (const Candidate& candidate : tree.candidates(store, instr.id.index(), shape, known)) {
    const CompiledRule& rule = rules.set->rules()[candidate.rule];
    std::size_t& count = found[candidate.rule];
    if (candidate.variant != kNoSlot) {
      if (count < most &&
          matcher.match_line(rule, tree.variant(candidate.variant), instr.id.index(), shape)) {
        count += add(rule) ? 1U : 0U;
      }
      continue;
    }
    for (bool more = matcher.first(rule, instr.id.index()); more && count < most; more = matcher.next()) {
      count += add(rule) ? 1U : 0U;
    }
  }
  return result;
}

void bind_rule_set(nb::module_& m) {
  nb::class_<PyRuleSet>(m, "NativeRuleSet", nb::is_final(), nb::type_slots(rule_set_slots),
                        "Rules compiled together; earlier ones go first at an instruction.\n\nRaises:\n    "
                        "UsageError: A rule is not whole, or two have one name.")
      .def(
          "__init__",
          [](PyRuleSet* self, const std::shared_ptr<ir::Registry>& context, const nb::list& rules) {
            PyRuleSet made{context, nullptr, {}};
            std::vector<Rule> all;
            for (const nb::handle given : rules) {
              const auto& own = nb::cast<const PyRule&>(given);
              if (own.registry->serial() != context->serial()) {
                throw UsageError("the rule '" + own.rule.name + "' was made for another context");
              }
              Rule& rule = all.emplace_back(own.rule);
              const auto first = static_cast<std::uint32_t>(made.functions.size());
              for (Condition& condition : rule.conditions) {
                if (condition.kind == ConditionKind::kCallback) condition.a += first;
              }
              if (rule.action != kNoSlot) rule.action += first;
              made.functions.insert(made.functions.end(), own.functions.begin(), own.functions.end());
            }
            made.set = std::make_unique<RuleSet>(std::move(all));
            new (self) PyRuleSet(std::move(made));
          },
          nb::arg("context"), nb::arg("rules"),
          nb::sig(
              "def __init__(self, context: dynomite._native.ir.Context, rules: list[NativeRule]) -> None"))
      .def("__len__", [](const PyRuleSet& self) { return self.set->rules().size(); })
      .def_prop_ro(
          "tree_size", [](const PyRuleSet& self) { return self.set->tree().node_count(); },
          "Nodes of the decision tree.");
}

void bind_match(nb::module_& m) {
  nb::class_<PyMatch>(m, "Match", nb::is_final(),
                      "What a rule matched, for the function it is given to; over when that returns.")
      .def(
          "__getitem__",
          [](const PyMatch& self, const std::string& name) {
            const PyMatch& match = self.read();
            return Bindings(match.owner, *match.module, *match.rule, *match.matcher).of(name);
          },
          nb::arg("name"), nb::sig("def __getitem__(self, name: str) -> typing.Any"),
          "What a name is bound to: an operand as builders take them, a tuple of operands, a number, an "
          "instruction, or the name of an operation; None if an alternative left it out.\n\nRaises:\n    "
          "KeyError: "
          "The rule has no such name.")
      .def_prop_ro(
          "root",
          [](const PyMatch& self) {
            const PyMatch& match = self.read();
            return ir::make_handle(match.owner, *match.module, ir::InstrId(match.matcher->root()));
          },
          nb::sig("def root(self) -> dynomite._native.ir.InstrRef"), "The instruction it was found at.")
      .def_prop_ro(
          "rule", [](const PyMatch& self) { return self.read().rule->rule.name; }, "The name of the rule.")
      .def_prop_ro(
          "names", [](const PyMatch& self) { return self.read().rule->rule.slots; },
          "The names of the rule.");
}

}  // namespace

void bind_rewrite_all(nb::module_& m) {
  bind_rewrite_rules(m);
  bind_rule_set(m);
  bind_match(m);
  m.def("apply", &apply, nb::arg("builder"), nb::arg("rules"), nb::kw_only(), nb::arg("order") = "greedy",
        nb::arg("max_rounds") = 1000, nb::arg("limit").none() = nb::none(),
        nb::arg("within").none() = nb::none(), nb::arg("watcher").none() = nb::none(),
        nb::arg("stop").none() = nb::none(),
        nb::sig(
            "def apply(builder: dynomite._native.ir.Builder, rules: NativeRuleSet, *, order: str = 'greedy', "
            "max_rounds: int = 1000, limit: int | None = None, within: dynomite._native.ir.InstrRef | None = "
            "None, watcher: collections.abc.Callable[[str, str, str], object] | None = None, stop: "
            "dynomite._native.base.Stop | None = None) -> dict[str, typing.Any]"),
        "Applies rules; see `dynomite.rewriting.driver`.");
  m.def("matches", &matches, nb::arg("rules"), nb::arg("instr"), nb::kw_only(), nb::arg("most") = 1,
        nb::sig("def matches(rules: NativeRuleSet, instr: dynomite._native.ir.InstrRef, *, most: int = 1) -> "
                "list[tuple[str, dict[str, typing.Any]]]"),
        "Rules that match at an instruction and what names are bound to, up to `most` matches of each; "
        "conditions "
        "that Python decides are left out.");
}

}  // namespace dynomite::rewrite

void bind_rewrite(nb::module_& m) { dynomite::rewrite::bind_rewrite_all(m); }
