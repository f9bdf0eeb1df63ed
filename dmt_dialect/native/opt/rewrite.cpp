#include "dmt_dialect/native/opt/rewrite.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "dmt_dialect/native/opt/cuts4.hpp"
#include "dmt_dialect/native/opt/network.hpp"
#include "dmt_dialect/native/opt/npn_library.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::opt {

namespace {

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
      if (stop_.poll()) throw dynomite::LimitError("rewriting was stopped");
      network_.visit(id);
      cuts_.compute(id);
      improve(id);
    }
    return network_.to_store(stop_);
  }

 private:
  /// The best change so far.
  struct Best {
    const Structure* structure = nullptr;
    std::array<Lit, 4> inputs = {};
    bool complement = false;
    int gain = 0;
    std::uint32_t level = 0;
  };

  void improve(std::uint32_t id) {
    Best best;
    best.gain = params_.zero ? -1 : 0;
    best.level = network_.level(id);
    const std::uint32_t required = params_.keep_levels ? required_[id] : Network::kNone;
    for (const Cut4& cut : cuts_.cuts(id)) {
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

  bool usable(const Cut4& cut) const {
    for (unsigned i = 0; i < cut.size; ++i) {
      const std::uint32_t leaf = cut.leaves[i];
      if (!network_.is_ci(leaf) && !network_.is_and(leaf)) return false;
    }
    return true;
  }

  void try_cut(std::uint32_t id, const Cut4& cut, std::uint32_t required, Best& best) {
    ++stats_.cuts;
    const NpnTransform& transform = NpnClasses::get().transform(cut.table);
    std::array<Lit, 4> inputs = {kFalse, kFalse, kFalse, kFalse};
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned variable = transform.variable[i];
      if (variable < cut.size) inputs[i] = Lit(NodeId(cut.leaves[variable]), ((transform.phase >> i) & 1U) != 0);
    }
    for (unsigned i = 0; i < cut.size; ++i) network_.hold(cut.leaves[i]);
    const auto saved = static_cast<int>(network_.deref_cone(id));
    const auto structures = library_.structures(transform.npn_class);
    const std::size_t count = std::min<std::size_t>(structures.size(), params_.structures);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t level = 0;
      const int added = cost(id, structures[i], inputs, saved - best.gain, required, level);
      if (added < 0) continue;
      const int gain = saved - added;
      if (gain < best.gain || (gain == best.gain && (best.structure == nullptr || level >= best.level))) continue;
      best = {&structures[i], inputs, (transform.phase & 16) != 0, gain, level};
    }
    network_.ref_cone(id);
    for (unsigned i = 0; i < cut.size; ++i) network_.release(cut.leaves[i]);
  }

  /// How many nodes the structure adds, the cone of `id` being taken away; -1 if more than `most`, if it is too
  /// deep, or if it leads to `id` itself.
  int cost(std::uint32_t id, const Structure& structure, const std::array<Lit, 4>& inputs, int most,
           std::uint32_t required, std::uint32_t& level) {
    ++stats_.tried;
    for (unsigned i = 0; i < 4; ++i) {
      literals_[i] = inputs[i];
      levels_[i] = network_.level(inputs[i].node().index());
    }
    int added = 0;
    std::size_t next = 4;
    for (const StructureGate gate : structure.gates) {
      const unsigned a = gate.fanin0 >> 1, b = gate.fanin1 >> 1;
      const Lit left = literals_[a], right = literals_[b];
      Lit found = Network::kNoLit;
      if (left != Network::kNoLit && right != Network::kNoLit)
        found = network_.find_and(left ^ ((gate.fanin0 & 1U) != 0), right ^ ((gate.fanin1 & 1U) != 0));
      levels_[next] = 1 + std::max(levels_[a], levels_[b]);
      if (found == Network::kNoLit) {
        ++added;
      } else {
        const std::uint32_t node = found.node().index();
        if (node == id) return -1;
        if (network_.refs(node) == 0 && network_.is_and(node)) ++added;
        levels_[next] = network_.level(node);
      }
      if (added > most || levels_[next] > required) return -1;
      literals_[next++] = found;
    }
    const unsigned output = structure.output >= kStructureFalse ? 0 : structure.output >> 1;
    level = structure.output >= kStructureFalse ? 0 : levels_[output];
    return added;
  }

  Lit build(const Best& best) {
    const Structure& structure = *best.structure;
    if (structure.output >= kStructureFalse) return kFalse ^ best.complement;
    std::copy(best.inputs.begin(), best.inputs.end(), literals_.begin());
    std::size_t next = 4;
    for (const StructureGate gate : structure.gates) {
      literals_[next++] = network_.and_(literals_[gate.fanin0 >> 1] ^ ((gate.fanin0 & 1U) != 0),
                                        literals_[gate.fanin1 >> 1] ^ ((gate.fanin1 & 1U) != 0));
    }
    return literals_[structure.output >> 1] ^ ((structure.output & 1U) != 0) ^ best.complement;
  }

  const RewriteParams& params_;
  RewriteStats& stats_;
  dynomite::Stop& stop_;
  Network network_;
  CutSets4 cuts_;
  const NpnLibrary& library_ = NpnLibrary::get();
  std::vector<std::uint32_t> required_;
  std::array<Lit, 64> literals_ = {};
  std::array<std::uint32_t, 64> levels_ = {};
};

}  // namespace

AigStore rewrite(const AigStore& aig, const RewriteParams& params, RewriteStats* stats, dynomite::Stop& stop) {
  RewriteStats unused;
  return Rewriter(aig, params, stats == nullptr ? unused : *stats, stop).run();
}

}  // namespace dmt::opt
