#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dynomite/native/base/stop.hpp"
#include "dynomite/native/rewrite/emitter.hpp"
#include "dynomite/native/rewrite/rule_set.hpp"

namespace dynomite::rewrite {

enum class Order : std::uint8_t {
  kGreedy,     // from the first instruction to the last, then what changes touched, until nothing is left
  kSweepDown,  // from the first to the last, again as long as a sweep changes something
  kSweepUp,    // from the last to the first
};

struct RewriteParams {
  Order order = Order::kGreedy;
  /// Sweeps; in greedy order, how often an instruction and what came from it may be rewritten.
  std::uint32_t max_rounds = 1000;
  std::uint64_t limit = ~std::uint64_t{0};  // of applications
  ir::InstrId within;                       // changes only what is in its regions; none: the whole module
};

enum class RewriteEnd : std::uint8_t { kFixedPoint, kBound, kLimit, kStopped };

struct RewriteReport {
  struct OfRule {
    std::uint64_t applied = 0;
    std::uint64_t tried = 0;
    std::uint64_t gave_up = 0;  // searches that met the bound on steps
    std::uint64_t recent = 0;   // of the latest applications
  };
  std::vector<OfRule> rules;
  std::uint64_t visited = 0;
  std::uint64_t applied = 0;
  std::uint64_t erased = 0;  // pure instructions that nothing used any more
  std::uint32_t rounds = 0;
  RewriteEnd end = RewriteEnd::kFixedPoint;
};

/// One application, for those who watch.
struct Application {
  std::uint32_t rule = 0;
  std::string before, after;  // instructions, a line each
};

/// What the driver asks of whoever runs it: functions that are not native.
class Callbacks {
 public:
  virtual ~Callbacks() = default;
  virtual bool condition(std::uint32_t number, const CompiledRule& rule, const InstrMatcher& matcher) = 0;
  virtual void act(std::uint32_t number, const CompiledRule& rule, const InstrMatcher& matcher) = 0;
  virtual bool is_watching() const { return false; }
  virtual void watch(const Application&) {}
};

/// Applies rules to a module. At each instruction the first rule whose first match holds is applied.
///
/// Greedy order comes to a fixed point: where it ends so, no native rule matches any more. Pure unused
/// instructions are erased at once. An application costs what it touches and the users of what it replaces; a
/// visit the depth of the decision tree and what candidates look at. Without recursion.
///
/// Beyond `max_rounds`, and beyond 64 applications an instruction in all and 10,000 more, rules are taken to
/// chase each other: the run ends with the module as it is. So it does where `stop` says so. An exception of
/// a callback takes the changes of its own application back and comes out. Throws UsageError if the builder
/// only records.
RewriteReport apply_rules(ir::Builder& builder, const RuleSet& rules, const RewriteParams& params,
                          Callbacks& callbacks, Stop& stop);

}  // namespace dynomite::rewrite
