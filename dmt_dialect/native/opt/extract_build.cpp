#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <utility>

#include "dmt_dialect/native/aig/cones.hpp"
#include "dmt_dialect/native/opt/extract_collapse.hpp"
#include "dmt_dialect/native/opt/level_aware.hpp"
#include "dmt_dialect/native/opt/ports.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::opt {

namespace {

constexpr Lit kNoLit = Lit::from_raw(0xFFFFFFFFU);
using Product = std::vector<Lit>;

/// Sums of products as ANDs.
class SumBuilder {
 public:
  explicit SumBuilder(LevelAware& target) : target_(target) {}

  /// Divides by common literals and then by the literal in most products (Brayton, "Factoring logic
  /// functions", IBM JRD 1987). Each call takes a literal out of every product: it is at most as deep as the
  /// longest product.
  Lit make(std::vector<Product> cover) {
    if (cover.empty()) return kFalse;
    Product factors = cover.front();
    for (const Product& product : cover)
      std::erase_if(factors, [&](Lit lit) { return !contains(product, lit); });
    bool one = false;
    for (Product& product : cover) {
      std::erase_if(product, [&](Lit lit) { return contains(factors, lit); });
      one = one || product.empty();
    }
    if (!one) factors.push_back(sum(std::move(cover)));
    return target_.join(factors);
  }

 private:
  static bool contains(const Product& product, Lit lit) {
    return std::find(product.begin(), product.end(), lit) != product.end();
  }

  Lit sum(std::vector<Product> rest) {
    Product terms;  // complemented
    while (!rest.empty()) {
      const Lit best = most_frequent(rest);
      if (best == kNoLit) {
        for (Product& product : rest) terms.push_back(~target_.join(product));
        break;
      }
      std::vector<Product> quotient, others;
      for (Product& product : rest)
        (contains(product, best) ? quotient : others).push_back(std::move(product));
      terms.push_back(~make(std::move(quotient)));
      rest = std::move(others);
    }
    return ~target_.join(terms);
  }

  /// Of the literals in more than one product; the lowest of several.
  Lit most_frequent(const std::vector<Product>& cover) {
    all_.clear();
    for (const Product& product : cover) {
      for (const Lit lit : product) all_.push_back(lit.raw());
    }
    std::sort(all_.begin(), all_.end());
    Lit best = kNoLit;
    std::size_t most = 1;
    for (std::size_t i = 0, end = 0; i < all_.size(); i = end) {
      while (end < all_.size() && all_[end] == all_[i]) ++end;
      if (end - i <= most) continue;
      most = end - i;
      best = Lit::from_raw(all_[i]);
    }
    return best;
  }

  LevelAware& target_;
  std::vector<std::uint32_t> all_;
};

class Builder {
 public:
  Builder(const AigStore& aig, const Collapsed& collapsed, dynomite::Stop& stop)
      : aig_(aig),
        cells_(collapsed.cells),
        network_(collapsed.network),
        collapsed_(collapsed),
        stop_(stop),
        sums_(target_),
        value_(network_.signal_count(), kNoLit),
        copy_(aig.node_count(), kNoLit) {}

  AigStore run() {
    copy_cis(aig_, target_.store());
    target_.start();
    copy_[0] = kFalse;
    for (std::uint32_t ci = 0; ci < cells_.first_lut(); ++ci) {
      value_[ci] = Lit(NodeId(ci + 1), false);
      copy_[ci_node(ci).index()] = value_[ci];
    }
    const std::vector<Lit> roots = root_literals(aig_);
    const std::vector<std::uint32_t> signals = root_signals();
    assert(roots.size() == signals.size());
    for (std::size_t i = 0; i < roots.size(); ++i) {
      const std::uint32_t literal = collapsed_.literal_of[signals[i]];
      make_signal(literal >> 1);
      copy_[roots[i].node().index()] = value(literal) ^ roots[i].complemented();
    }
    copy_ports(aig_, target_.store(),
               [&](Lit lit) { return copy_[lit.node().index()] ^ lit.complemented(); });
    copy_net_names(aig_, target_.store(), [&](Lit lit) {
      const Lit made = copy_[lit.node().index()];
      return made == kNoLit ? AigStore::kNotAnd : made ^ lit.complemented();
    });
    return without_dangling(target_.store());
  }

 private:
  NodeId ci_node(std::uint32_t ci) const {
    return ci < cells_.input_count ? aig_.inputs()[ci] : aig_.latches()[ci - cells_.input_count].node;
  }
  /// As `root_literals` has them.
  std::vector<std::uint32_t> root_signals() const {
    std::vector<std::uint32_t> signals;
    const auto add = [&](const std::vector<std::uint32_t>& all) {
      signals.insert(signals.end(), all.begin(), all.end());
    };
    add(cells_.outputs);
    add(cells_.bad);
    add(cells_.constraints);
    add(cells_.fairness);
    for (const auto& group : cells_.justice) add(group);
    add(cells_.next_states);
    return signals;
  }
  Lit value(std::uint32_t literal) const { return value_[literal >> 1] ^ ((literal & 1U) != 0); }

  void make_signal(std::uint32_t root) {
    stack_.push_back(root);
    while (!stack_.empty()) {
      if (stop_.poll()) throw dynomite::LimitError("extraction was stopped");
      const std::uint32_t signal = stack_.back();
      if (value_[signal] == kNoLit && push_missing(signal)) continue;
      stack_.pop_back();
      if (value_[signal] == kNoLit) finish(signal);
    }
  }

  bool push_missing(std::uint32_t signal) {
    const std::size_t before = stack_.size();
    const auto need = [&](std::uint32_t literal) {
      if (value_[literal >> 1] == kNoLit) stack_.push_back(literal >> 1);
    };
    if (is_kept(signal)) {
      for (const std::uint32_t input : cells_.inputs_of(signal - cells_.first_lut()))
        need(collapsed_.literal_of[input]);
    }
    for (const std::uint32_t cube : network_.cubes_of(signal)) {
      for (const std::uint32_t literal : network_.literals(cube)) need(literal);
    }
    return stack_.size() != before;
  }
  bool is_kept(std::uint32_t signal) const {
    return signal < collapsed_.kept.size() && collapsed_.kept[signal] != 0;
  }

  void finish(std::uint32_t signal) {
    if (is_kept(signal)) {
      value_[signal] = copied(cells_.origins[signal - cells_.first_lut()]);
      return;
    }
    std::vector<Product> cover;
    for (const std::uint32_t cube : network_.cubes_of(signal)) {
      Product& product = cover.emplace_back();
      for (const std::uint32_t literal : network_.literals(cube)) product.push_back(value(literal));
    }
    value_[signal] = sums_.make(std::move(cover));
    if (signal < cells_.first_lut() || signal - cells_.first_lut() >= cells_.lut_count()) return;
    const Lit origin = cells_.origins[signal - cells_.first_lut()];
    copy_[origin.node().index()] = value(collapsed_.literal_of[signal]) ^ origin.complemented();
  }

  /// The ANDs of the original, down to what is there.
  Lit copied(Lit root) {
    nodes_.push_back(root.node().index());
    while (!nodes_.empty()) {
      if (stop_.poll()) throw dynomite::LimitError("extraction was stopped");
      const std::uint32_t node = nodes_.back();
      const Lit a = aig_.fanin0(NodeId(node)), b = aig_.fanin1(NodeId(node));
      if (copy_[node] == kNoLit) {
        if (copy_[a.node().index()] == kNoLit) nodes_.push_back(a.node().index());
        if (copy_[b.node().index()] == kNoLit) nodes_.push_back(b.node().index());
        if (nodes_.back() != node) continue;
        copy_[node] = target_.and_(copy_[a.node().index()] ^ a.complemented(),
                                   copy_[b.node().index()] ^ b.complemented());
      }
      nodes_.pop_back();
    }
    return copy_[root.node().index()] ^ root.complemented();
  }

  const AigStore& aig_;
  const LutNetwork& cells_;
  const SopNetwork& network_;
  const Collapsed& collapsed_;
  dynomite::Stop& stop_;
  LevelAware target_;
  SumBuilder sums_;
  std::vector<Lit> value_;  // of the signals
  std::vector<Lit> copy_;   // of nodes of the original
  std::vector<std::uint32_t> stack_, nodes_;
};

}  // namespace

AigStore build_factored(const AigStore& aig, const Collapsed& collapsed, dynomite::Stop& stop) {
  return Builder(aig, collapsed, stop).run();
}

}  // namespace dmt::opt
