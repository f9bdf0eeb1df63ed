#include "dmt_dialect/native/opt/refactor.hpp"

#include <algorithm>
#include <vector>

#include "dmt_dialect/native/opt/care_set.hpp"
#include "dmt_dialect/native/opt/factoring.hpp"
#include "dmt_dialect/native/opt/network.hpp"
#include "dmt_dialect/native/opt/window.hpp"
#include "dmt_dialect/native/opt/window_tables.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::opt {

namespace {

class Refactorer {
 public:
  Refactorer(const AigStore& aig, const RefactorParams& params, RefactorStats& stats, dynomite::Stop& stop)
      : params_(params),
        stats_(stats),
        stop_(stop),
        network_(aig, stop),
        window_(network_),
        care_set_(network_),
        required_(params.keep_levels ? network_.required_levels() : std::vector<std::uint32_t>()) {
    limits_.leaves = params.leaves;
    limits_.divisors = 0;
    limits_.fanouts = 0;
    limits_.fanout_free = params.fanout_free;
  }

  AigStore run() {
    const std::uint32_t end = network_.size();
    for (std::uint32_t id = network_.ci_count() + 1; id < end; ++id) {
      if (!network_.is_and(id)) continue;
      if (stop_.poll_clock()) break;  // what is done so far is right
      network_.visit(id);
      improve(id);
    }
    return network_.to_store();
  }

 private:
  /// ANDs below that nothing else uses, themselves and theirs: what surely dies besides, counted up to
  /// `most`.
  unsigned private_below(std::uint32_t id, unsigned most) const {
    unsigned count = 0;
    for (const Lit fanin : {network_.fanin0(id), network_.fanin1(id)}) {
      const std::uint32_t below = fanin.node().index();
      if (count >= most || !network_.is_and(below) || network_.refs(below) != 1) continue;
      ++count;
      for (const Lit next : {network_.fanin0(below), network_.fanin1(below)}) {
        if (network_.is_and(next.node().index()) && network_.refs(next.node().index()) == 1) ++count;
      }
    }
    return count;
  }

  void improve(std::uint32_t id) {
    // With fewer than two nodes to save besides the node there is nothing that hashing has not found.
    if (private_below(id, 2) < (params_.zero ? 1U : 2U)) return;
    window_.build(id, limits_, Network::kNone);
    const auto saved = static_cast<unsigned>(window_.dying().size());
    if (saved < 2 || (saved == 2 && !params_.zero)) return;  // two levels are hashing's business
    ++stats_.cones;
    tables_.compute(network_, window_);
    const auto leaves = static_cast<unsigned>(window_.leaves().size());
    set_bounds({tables_.row(id), tables_.words()}, leaves);
    levels_.clear();
    for (const std::uint32_t leaf : window_.leaves()) levels_.push_back(network_.level(leaf));

    const std::uint32_t required = params_.keep_levels ? required_[id] : Network::kNone;
    bool found = false, flip = false;
    unsigned best = saved + (params_.zero ? 1 : 0);  // a form must take fewer
    hold();
    network_.deref_cone(id);
    for (const bool complemented : {false, true}) {
      // The complement lies between the complements of the bounds.
      const std::vector<std::uint64_t>& lower = complemented ? not_upper_ : lower_;
      const std::vector<std::uint64_t>& upper = complemented ? not_lower_ : upper_;
      if (!irredundant_cover(lower, upper, leaves, params_.products, cover_)) continue;
      factor(cover_, levels_, form_);
      const unsigned cost = added(id, form_, best, required);
      if (cost >= best) continue;
      best = cost;
      best_form_ = form_;
      flip = complemented;
      found = true;
    }
    network_.ref_cone(id);
    release();
    if (found) apply(id, best_form_, flip);
  }

  /// What a new function of the root must contain, and what must contain it.
  void set_bounds(std::span<const std::uint64_t> table, unsigned leaves) {
    lower_.assign(table.begin(), table.end());
    upper_ = lower_;
    if (params_.dont_cares && leaves <= params_.care_leaves &&
        care_set_.compute(window_.leaves(), params_.care_leaves)) {
      ++stats_.with_dont_cares;
      for (std::size_t w = 0; w < lower_.size(); ++w) {
        lower_[w] &= care_set_.table()[w];
        upper_[w] |= ~care_set_.table()[w];
      }
    }
    not_lower_.resize(lower_.size());
    not_upper_.resize(lower_.size());
    for (std::size_t w = 0; w < lower_.size(); ++w) {
      not_lower_[w] = ~lower_[w];
      not_upper_[w] = ~upper_[w];
    }
  }

  void hold() {
    for (const std::uint32_t leaf : window_.leaves()) network_.hold(leaf);
  }
  void release() {
    for (const std::uint32_t leaf : window_.leaves()) network_.release(leaf);
  }

  /// Nodes the form adds, the cone of `id` being taken away; `most` if it is no less, too deep, or contains
  /// `id`.
  unsigned added(std::uint32_t id, const GateList& form, unsigned most, std::uint32_t required) {
    literals_.clear();
    form_levels_.clear();
    for (const std::uint32_t leaf : window_.leaves()) {
      literals_.push_back(Lit(NodeId(leaf), false));
      form_levels_.push_back(network_.level(leaf));
    }
    unsigned count = 0;
    for (const GateList::Gate gate : form.gates) {
      const Lit a = literals_[gate.fanin0 >> 1], b = literals_[gate.fanin1 >> 1];
      Lit found = Network::kNoLit;
      if (a != Network::kNoLit && b != Network::kNoLit)
        found = network_.find_and(a ^ ((gate.fanin0 & 1U) != 0), b ^ ((gate.fanin1 & 1U) != 0));
      std::uint32_t level = 1 + std::max(form_levels_[gate.fanin0 >> 1], form_levels_[gate.fanin1 >> 1]);
      if (found == Network::kNoLit) {
        ++count;
      } else {
        const std::uint32_t node = found.node().index();
        if (node == id) return most;
        if (network_.is_and(node) && network_.refs(node) == 0) ++count;
        level = network_.level(node);
      }
      if (count >= most || level > required) return most;
      literals_.push_back(found);
      form_levels_.push_back(level);
    }
    return count;
  }

  void apply(std::uint32_t id, const GateList& form, bool flip) {
    Lit result = kFalse;
    if (form.output >= GateList::kFalse) {
      result = kFalse ^ (form.output == GateList::kTrue);
    } else {
      literals_.clear();
      for (const std::uint32_t leaf : window_.leaves()) literals_.push_back(Lit(NodeId(leaf), false));
      for (const GateList::Gate gate : form.gates)
        literals_.push_back(network_.and_(literals_[gate.fanin0 >> 1] ^ ((gate.fanin0 & 1U) != 0),
                                          literals_[gate.fanin1 >> 1] ^ ((gate.fanin1 & 1U) != 0)));
      result = literals_[form.output >> 1] ^ ((form.output & 1U) != 0);
    }
    result = result ^ flip;
    if (result.node().index() == id) return;
    ++stats_.replaced;
    network_.replace(id, result);
  }

  const RefactorParams& params_;
  RefactorStats& stats_;
  dynomite::Stop& stop_;
  Network network_;
  Window window_;
  CareSet care_set_;
  WindowLimits limits_;
  WindowTables tables_;
  std::vector<std::uint32_t> required_;
  std::vector<std::uint64_t> lower_, upper_, not_lower_, not_upper_;
  std::vector<std::uint32_t> levels_, form_levels_;
  std::vector<Cube> cover_;
  GateList form_, best_form_;
  std::vector<Lit> literals_;
};

}  // namespace

AigStore refactor(const AigStore& aig, const RefactorParams& params, RefactorStats* stats,
                  dynomite::Stop& stop) {
  if (params.leaves < 2 || params.leaves > 15)
    throw dynomite::UsageError("refactor: leaves must be from 2 to 15");
  if (params.care_leaves < 2 || params.care_leaves > 14)
    throw dynomite::UsageError("refactor: care_leaves must be from 2 to 14");
  RefactorStats unused;
  return Refactorer(aig, params, stats == nullptr ? unused : *stats, stop).run();
}

}  // namespace dmt::opt
