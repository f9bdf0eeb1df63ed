#include "dmt_dialect/native/map/lut_extraction.hpp"

#include <algorithm>
#include <cassert>
#include <span>
#include <unordered_map>
#include <utility>

#include "dmt_dialect/native/aig/levels.hpp"
#include "dmt_dialect/native/map/lut_function.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

/// The functions of nodes in terms of the leaves of one cell after the other.
class ConeFunctions {
 public:
  explicit ConeFunctions(const MapGraph& graph)
      : graph_(graph), stamp_(graph.node_count(), 0), place_(graph.node_count(), 0) {
    if (!graph.has_choices()) return;
    failed_stamp_.assign(graph.node_count(), 0);
    failed_reach_.assign(graph.node_count(), 0);
  }

  /// Forgets the last cell's.
  void start() {
    ++round_;
    functions_.clear();
    lowest_ = graph_.node_count();
    set(0, kLutFalse);
  }
  void set_leaf(std::uint32_t node, const LutFunction& function) {
    lowest_ = std::min(lowest_, node);
    set(node, function);
  }
  /// The leaves are a cut of `root` through the first pairs of fanins or, where there are choices, through
  /// some pairs.
  const LutFunction& of(std::uint32_t root) {
    if (!graph_.has_choices()) {
      compute(root);
    } else {
      // Pairs that leave the cone could be followed far: short paths are tried first.
      for (std::uint32_t reach = 16; !compute_by_choices(root, reach); reach *= 4) {
        assert(reach <= graph_.node_count() && "the leaves of a cell are a cut");
      }
    }
    return functions_[place_[root]];
  }

 private:
  /// A node on the path from the root, and which of its fanins are being looked at.
  struct Step {
    std::uint32_t node;
    std::uint32_t reach;
    std::uint32_t choice = kFirstPair;
  };
  static constexpr std::uint32_t kFirstPair = MapGraph::kNone - 1;
  enum class Answer : std::uint8_t { kYes, kNo, kOpen };

  void compute(std::uint32_t root) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const std::uint32_t node = stack_.back();
      if (known(node)) {
        stack_.pop_back();
        continue;
      }
      assert(!graph_.is_ci(node) && "the leaves of a cell are a cut");
      const Node& row = graph_.fanins[node];
      const std::uint32_t fanin0 = row.fanin0.node().index();
      const std::uint32_t fanin1 = row.fanin1.node().index();
      if (!known(fanin0)) stack_.push_back(fanin0);
      if (!known(fanin1)) stack_.push_back(fanin1);
      if (stack_.back() != node) continue;
      stack_.pop_back();
      set(node, literal(row.fanin0) & literal(row.fanin1));
    }
  }

  /// Whether a node is a function of the leaves, as far as is known, by paths of at most `reach` nodes.
  Answer ask(std::uint32_t node, std::uint32_t reach) const {
    if (known(node)) return Answer::kYes;
    if (reach == 0 || graph_.is_ci(node) || node < lowest_) return Answer::kNo;
    return failed_stamp_[node] == round_ && failed_reach_[node] >= reach ? Answer::kNo : Answer::kOpen;
  }

  bool compute_by_choices(std::uint32_t root, std::uint32_t reach) {
    steps_.assign(1, {root, reach});
    while (!steps_.empty()) {
      Step& step = steps_.back();
      const bool is_first = step.choice == kFirstPair;
      const Node& row = is_first ? graph_.fanins[step.node] : graph_.choices[step.choice].fanins;
      const Answer answer0 = ask(row.fanin0.node().index(), step.reach - 1);
      const Answer answer1 = ask(row.fanin1.node().index(), step.reach - 1);
      if (answer0 == Answer::kNo || answer1 == Answer::kNo) {
        step.choice = is_first ? graph_.first_choice[step.node] : graph_.choices[step.choice].next;
        if (step.choice != MapGraph::kNone) continue;
        failed_stamp_[step.node] = round_;
        failed_reach_[step.node] = step.reach;
        steps_.pop_back();
      } else if (answer0 == Answer::kOpen) {
        steps_.push_back({row.fanin0.node().index(), step.reach - 1});
      } else if (answer1 == Answer::kOpen) {
        steps_.push_back({row.fanin1.node().index(), step.reach - 1});
      } else {
        const LutFunction function = literal(row.fanin0) & literal(row.fanin1);
        const bool complemented = !is_first && graph_.choices[step.choice].complemented;
        set(step.node, complemented ? ~function : function);
        steps_.pop_back();
      }
    }
    return known(root);
  }

  void set(std::uint32_t node, const LutFunction& function) {
    stamp_[node] = round_;
    place_[node] = static_cast<std::uint32_t>(functions_.size());
    functions_.push_back(function);
  }
  bool known(std::uint32_t node) const { return stamp_[node] == round_; }
  LutFunction literal(Lit lit) const {
    const LutFunction& f = functions_[place_[lit.node().index()]];
    return lit.complemented() ? ~f : f;
  }

  const MapGraph& graph_;
  std::vector<std::uint32_t> stamp_;
  std::vector<std::uint32_t> place_;
  std::vector<LutFunction> functions_;
  std::vector<std::uint32_t> stack_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> failed_stamp_;
  std::vector<std::uint32_t> failed_reach_;
  std::uint32_t lowest_ = 0;  // of the leaves
  std::uint32_t round_ = 0;
};

class Extraction {
 public:
  Extraction(const AigStore& aig, const MapGraph& graph, const MappedCells& cells, unsigned k,
             dynomite::Stop& stop)
      : aig_(aig), graph_(graph), cells_(cells), stop_(stop), values_(graph.node_count()) {
    network_.k = k;
  }

  LutNetwork run() {
    network_.input_count = static_cast<std::uint32_t>(aig_.inputs().size());
    for (const Latch& latch : aig_.latches()) network_.resets.push_back(latch.reset);
    // Node 0 is false; the nodes of inputs and latches come before their signals by one.
    for (std::uint32_t ci = 0; ci < graph_.ci_count; ++ci) values_[ci + 1] = {Lit(NodeId(ci), false), false};
    ConeFunctions cones(graph_);
    for (std::size_t i = 0; i < cells_.nodes.size(); ++i) {
      if (stop_.poll()) throw dynomite::LimitError("the mapping was stopped");
      const std::uint32_t* leaves = cells_.leaves.data();
      cell(cells_.nodes[i], {leaves + cells_.starts[i], leaves + cells_.starts[i + 1]}, cones);
    }
    for (const MapGraph::Root& root : graph_.roots) {
      Value value = values_[root.node];
      value.lit = value.lit ^ root.complemented;
      roots_.push_back(value);
    }
    drop_unused();
    choose_phases();
    place_roots();
    copy_names();
    return std::move(network_);
  }

 private:
  /// What a node is: a constant (complemented: true), or a signal or its complement.
  struct Value {
    Lit lit = kFalse;  // of a signal, not of a node
    bool constant = true;
  };

  void cell(std::uint32_t node, std::span<const std::uint32_t> leaves, ConeFunctions& cones) {
    inputs_.clear();
    cones.start();
    for (const std::uint32_t leaf : leaves) {
      const Value& value = values_[leaf];
      LutFunction function = kLutFalse;
      if (!value.constant) {
        const std::uint32_t signal = value.lit.node().index();
        const auto at = std::find(inputs_.begin(), inputs_.end(), signal);
        function = lut_variable(static_cast<unsigned>(at - inputs_.begin()));
        if (at == inputs_.end()) inputs_.push_back(signal);
      }
      cones.set_leaf(leaf, value.lit.complemented() ? ~function : function);
    }
    values_[node] = signal_of(cones.of(node), NodeId(graph_.origins[node]));
  }

  /// The function of `inputs_`: a new LUT, unless it is less than that.
  Value signal_of(LutFunction function, NodeId origin) {
    auto size = static_cast<unsigned>(inputs_.size());
    for (unsigned k = size; k-- > 0;) {
      if (depends_on(function, k)) continue;
      --size;
      function = exchanged(function, k, size);
      inputs_[k] = inputs_[size];
    }
    inputs_.resize(size);
    if (size == 0) return {kFalse ^ (function != kLutFalse), true};
    if (size == 1) return {Lit(NodeId(inputs_[0]), function != lut_variable(0)), false};
    return {Lit(NodeId(add_lut(inputs_, function, Lit(origin, false))), false), false};
  }

  std::uint32_t add_lut(std::span<const std::uint32_t> inputs, const LutFunction& function, Lit origin) {
    network_.fanins.insert(network_.fanins.end(), inputs.begin(), inputs.end());
    network_.starts.push_back(static_cast<std::uint32_t>(network_.fanins.size()));
    network_.functions.push_back(function);
    network_.origins.push_back(origin);
    return network_.first_lut() + network_.lut_count() - 1;
  }

  /// Cells can have lost inputs, and these their last reader.
  void drop_unused() {
    const std::uint32_t first = network_.first_lut();
    std::vector<bool> used(network_.lut_count(), false);
    for (const Value& root : roots_) {
      if (!root.constant && network_.is_lut(root.lit.node().index()))
        used[root.lit.node().index() - first] = true;
    }
    bool all = true;
    for (std::uint32_t lut = network_.lut_count(); lut-- > 0;) {
      all = all && used[lut];
      if (!used[lut]) continue;
      for (const std::uint32_t input : network_.inputs_of(lut)) {
        if (network_.is_lut(input)) used[input - first] = true;
      }
    }
    if (all) return;
    LutNetwork old = std::exchange(network_, {});
    network_.k = old.k;
    network_.input_count = old.input_count;
    network_.resets = old.resets;
    std::vector<std::uint32_t> place(old.lut_count(), 0);
    const auto moved = [&](std::uint32_t signal) {
      return old.is_lut(signal) ? place[signal - first] : signal;
    };
    for (std::uint32_t lut = 0; lut < old.lut_count(); ++lut) {
      if (!used[lut]) continue;
      inputs_.clear();
      for (const std::uint32_t input : old.inputs_of(lut)) inputs_.push_back(moved(input));
      place[lut] = add_lut(inputs_, old.functions[lut], old.origins[lut]);
    }
    for (Value& root : roots_) {
      root.lit = Lit(NodeId(moved(root.lit.node().index())), root.lit.complemented());
    }
  }

  /// A LUT that roots read complemented only becomes its complement.
  void choose_phases() {
    const std::uint32_t first = network_.first_lut();
    std::vector<std::uint8_t> read(network_.lut_count(), 0);  // bit 0: as it is; bit 1: complemented
    for (const Value& root : roots_) {
      const std::uint32_t signal = root.lit.node().index();
      if (!root.constant && network_.is_lut(signal)) {
        read[signal - first] |= static_cast<std::uint8_t>(root.lit.complemented() ? 2 : 1);
      }
    }
    for (std::uint32_t lut = 0; lut < network_.lut_count(); ++lut) {
      LutFunction& function = network_.functions[lut];
      const std::span<const std::uint32_t> inputs = network_.inputs_of(lut);
      for (unsigned k = 0; k < inputs.size(); ++k) {
        if (network_.is_lut(inputs[k]) && read[inputs[k] - first] == 2) function = flipped(function, k);
      }
      if (read[lut] != 2) continue;
      function = ~function;
      network_.origins[lut] = ~network_.origins[lut];
    }
    for (Value& root : roots_) {
      const std::uint32_t signal = root.lit.node().index();
      if (!root.constant && network_.is_lut(signal) && read[signal - first] == 2) root.lit = ~root.lit;
    }
  }

  /// The signal of a root; makes constants, inverters of inputs, and complements of LUTs.
  std::uint32_t place(const Value& root) {
    const std::uint32_t signal = root.lit.node().index();
    if (!root.constant && !root.lit.complemented()) return signal;
    const std::uint32_t key = root.constant ? root.lit.raw() : root.lit.raw() + 2;
    const auto [at, fresh] = made_.try_emplace(key, 0);
    if (!fresh) return at->second;
    if (root.constant) {
      const bool value = root.lit.complemented();
      return at->second = add_lut({}, value ? ~kLutFalse : kLutFalse, kFalse ^ value);
    }
    if (!network_.is_lut(signal)) {
      const NodeId node(graph_.origins[signal + 1]);
      return at->second = add_lut({&signal, 1}, ~lut_variable(0), Lit(node, true));
    }
    const std::uint32_t lut = signal - network_.first_lut();
    const auto inputs = network_.inputs_of(lut);
    const std::vector<std::uint32_t> copy(inputs.begin(), inputs.end());
    const LutFunction function = ~network_.functions[lut];
    return at->second = add_lut(copy, function, ~network_.origins[lut]);
  }

  void place_roots() {
    network_.outputs.resize(aig_.outputs().size());
    network_.next_states.resize(aig_.latches().size());
    network_.bad.resize(aig_.bad().size());
    network_.constraints.resize(aig_.constraints().size());
    network_.fairness.resize(aig_.fairness().size());
    for (const auto& group : aig_.justice()) network_.justice.emplace_back(group.size());
    std::size_t i = 0;
    for_each_lut_root(network_, [&](std::uint32_t& signal) { signal = place(roots_[i++]); });
  }

  void copy_names() {
    network_.names = aig_.names();
    network_.comments = aig_.comments();
    network_.name = aig_.name();
    if (aig_.net_names().empty()) return;
    std::unordered_map<std::uint32_t, std::uint32_t> lut_of;
    for (std::uint32_t lut = 0; lut < network_.lut_count(); ++lut) {
      lut_of.try_emplace(network_.origins[lut].raw(), lut);
    }
    for (const NetName& net : aig_.net_names()) {
      const auto at = lut_of.find(net.lit.raw());
      if (net.lit.node() == kConstNode) continue;
      if (at != lut_of.end()) network_.lut_names.emplace_back(at->second, net.name);
    }
  }

  const AigStore& aig_;
  const MapGraph& graph_;
  const MappedCells& cells_;
  dynomite::Stop& stop_;
  LutNetwork network_;
  std::vector<Value> values_;  // of the graph's nodes
  std::vector<Value> roots_;
  std::vector<std::uint32_t> inputs_;
  std::unordered_map<std::uint32_t, std::uint32_t> made_;
};

}  // namespace

LutNetwork extract_luts(const AigStore& aig, const MapGraph& graph, const MappedCells& cells, unsigned k,
                        dynomite::Stop& stop) {
  return Extraction(aig, graph, cells, k, stop).run();
}

}  // namespace dmt
