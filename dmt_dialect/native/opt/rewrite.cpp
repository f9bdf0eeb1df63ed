#include "dmt_dialect/native/opt/rewrite.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "dmt_dialect/native/opt/five_input_library.hpp"
#include "dmt_dialect/native/opt/network.hpp"
#include "dmt_dialect/native/opt/npn_library.hpp"
#include "dmt_dialect/native/opt/small_cuts.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::opt {

namespace {

template <unsigned K>
class Rewriter {
 public:
  Rewriter(const AigStore& aig, const RewriteParams& params, RewriteStats& stats, dynomite::Stop& stop)
      : params_(params),
        stats_(stats),
        stop_(stop),
        network_(aig, stop),
        cuts_(network_, std::min(params.cuts, 255U)),
        required_(params.keep_levels ? network_.required_levels() : std::vector<std::uint32_t>()) {}

  AigStore run() {
    const std::uint32_t end = network_.size();
    for (std::uint32_t id = network_.ci_count() + 1; id < end; ++id) {
      if (!network_.is_and(id)) continue;
      if (stop_.poll_clock()) break;  // what is done so far is right
      network_.visit(id);
      cuts_.compute(id);
      improve(id);
    }
    return network_.to_store();
  }

 private:
  /// The best change so far.
  struct Best {
    const ClassStructures* all = nullptr;
    const Structure* structure = nullptr;
    std::array<Lit, K> inputs = {};
    bool complement = false;
    int gain = 0;
    std::uint32_t level = 0;
  };

  void improve(std::uint32_t id) {
    Best best;
    best.gain = params_.zero ? -1 : 0;
    best.level = network_.level(id);
    const std::uint32_t required = params_.keep_levels ? required_[id] : Network::kNone;
    for (const SmallCut<K>& cut : cuts_.cuts(id)) {
      if (usable(cut)) try_cut(id, cut, required, best);
    }
    if (best.structure == nullptr) return;
    const std::uint32_t first_new = network_.size();
    const Lit result = build(best);
    if (result.node().index() == id) return;
    ++stats_.replaced;
    for (std::uint32_t fresh = first_new; fresh < network_.size(); ++fresh) cuts_.compute(fresh);
    network_.replace(id, result);
  }

  bool usable(const SmallCut<K>& cut) const {
    for (unsigned i = 0; i < cut.size; ++i) {
      const std::uint32_t leaf = cut.leaves[i];
      if (!network_.is_ci(leaf) && !network_.is_and(leaf)) return false;
    }
    return true;
  }

  /// The structures of a cut's function with the literals at their inputs.
  struct Candidates {
    const ClassStructures* all = nullptr;
    std::array<Lit, K> inputs = {};
    bool complement = false;
  };

  Candidates candidates(const SmallCut<K>& cut) {
    Candidates found;
    found.inputs.fill(kFalse);
    const auto set_inputs = [&](const auto& variables, unsigned phase) {
      for (unsigned i = 0; i < variables.size(); ++i) {
        if (variables[i] < cut.size)
          found.inputs[i] = Lit(NodeId(cut.leaves[variables[i]]), ((phase >> i) & 1U) != 0);
      }
    };
    if constexpr (K == 5) {
      if (cut.size == 5) {
        const FiveInputStructures five = five_input_.of(cut.table);
        found.all = five.all;
        found.complement = five.complement;
        set_inputs(five.variable, five.phase);
        return found;
      }
    }
    const NpnTransform& transform = NpnClasses::get().transform(static_cast<Table4>(cut.table));
    found.all = &library_.of(transform.npn_class);
    found.complement = (transform.phase & 16) != 0;
    set_inputs(transform.variable, transform.phase);
    return found;
  }

  void try_cut(std::uint32_t id, const SmallCut<K>& cut, std::uint32_t required, Best& best) {
    ++stats_.cuts;
    const Candidates found = candidates(cut);
    const ClassStructures& all = *found.all;
    for (unsigned i = 0; i < cut.size; ++i) network_.hold(cut.leaves[i]);
    const auto saved = static_cast<int>(network_.deref_cone(id));
    start_gates(all, found.inputs);
    const std::size_t count = std::min<std::size_t>(all.structures.size(), params_.structures);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t level = 0;
      const int added = cost(id, all, all.structures[i], saved - best.gain, required, level);
      if (added < 0) continue;
      const int gain = saved - added;
      if (gain < best.gain || (gain == best.gain && (best.structure == nullptr || level >= best.level)))
        continue;
      best = {&all, &all.structures[i], found.inputs, found.complement, gain, level};
    }
    network_.ref_cone(id);
    for (unsigned i = 0; i < cut.size; ++i) network_.release(cut.leaves[i]);
  }

  /// What a gate of the class is in the network; gates are shared by the structures.
  struct Known {
    Lit literal = Network::kNoLit;
    std::uint32_t level = 0;
    std::uint32_t stamp = 0;  // of the cut it was looked up for
    bool adds = false;
  };

  void start_gates(const ClassStructures& all, const std::array<Lit, K>& inputs) {
    if (known_.size() < all.gates.size() + all.inputs) known_.resize(all.gates.size() + all.inputs);
    if (++stamp_ == 0) {
      known_.assign(known_.size(), Known{});
      stamp_ = 1;
    }
    for (std::size_t i = 0; i < all.inputs; ++i)
      known_[i] = {inputs[i], network_.level(inputs[i].node().index()), stamp_, false};
  }

  const Known& look_up(const ClassStructures& all, std::uint16_t number) {
    Known& known = known_[number];
    if (known.stamp == stamp_) return known;
    const StructureGate gate = all.gates[number - all.inputs];
    const Known& left = known_[gate.fanin0 >> 1];
    const Known& right = known_[gate.fanin1 >> 1];
    known.stamp = stamp_;
    known.literal = Network::kNoLit;
    known.adds = true;
    known.level = 1 + std::max(left.level, right.level);
    if (left.literal == Network::kNoLit || right.literal == Network::kNoLit) return known;
    known.literal = network_.find_and(left.literal ^ ((gate.fanin0 & 1U) != 0),
                                      right.literal ^ ((gate.fanin1 & 1U) != 0));
    if (known.literal == Network::kNoLit) return known;
    const std::uint32_t node = known.literal.node().index();
    known.adds = network_.refs(node) == 0 && network_.is_and(node);
    known.level = network_.level(node);
    return known;
  }

  /// How many nodes the structure adds, the cone of `id` being taken away; -1 if more than `most`, if it is
  /// too deep, or if it leads to `id` itself.
  int cost(std::uint32_t id, const ClassStructures& all, const Structure& structure, int most,
           std::uint32_t required, std::uint32_t& level) {
    ++stats_.tried;
    int added = 0;
    for (const std::uint16_t number : structure.gates) {
      const Known& known = look_up(all, number);
      if (known.adds && ++added > most) return -1;
      if (known.level > required || known.literal.node().index() == id) return -1;
    }
    level = structure.output == kStructureFalse ? 0 : known_[structure.output >> 1].level;
    return added;
  }

  Lit build(const Best& best) {
    const Structure& structure = *best.structure;
    if (structure.output == kStructureFalse) return kFalse ^ best.complement;
    built_.resize(best.all->gates.size() + best.all->inputs);
    std::copy_n(best.inputs.begin(), best.all->inputs, built_.begin());
    for (const std::uint16_t number : structure.gates) {
      const StructureGate gate = best.all->gates[number - best.all->inputs];
      built_[number] = network_.and_(built_[gate.fanin0 >> 1] ^ ((gate.fanin0 & 1U) != 0),
                                     built_[gate.fanin1 >> 1] ^ ((gate.fanin1 & 1U) != 0));
    }
    return built_[structure.output >> 1] ^ ((structure.output & 1U) != 0) ^ best.complement;
  }

  const RewriteParams& params_;
  RewriteStats& stats_;
  dynomite::Stop& stop_;
  Network network_;
  SmallCuts<K> cuts_;
  const NpnLibrary& library_ = NpnLibrary::get();
  FiveInputLibrary five_input_;
  std::vector<std::uint32_t> required_;
  std::vector<Known> known_;
  std::uint32_t stamp_ = 0;
  std::vector<Lit> built_;
};

}  // namespace

AigStore rewrite(const AigStore& aig, const RewriteParams& params, RewriteStats* stats,
                 dynomite::Stop& stop) {
  if (params.leaves != 4 && params.leaves != 5) throw dynomite::UsageError("rewrite: leaves must be 4 or 5");
  RewriteStats unused;
  RewriteStats& counts = stats == nullptr ? unused : *stats;
  if (params.leaves == 5) return Rewriter<5>(aig, params, counts, stop).run();
  return Rewriter<4>(aig, params, counts, stop).run();
}

}  // namespace dmt::opt
