#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// Nodes of several versions of a circuit, those proved equal (or opposite) in one class. (Chatterjee,
/// Mishchenko, Brayton, Wang, Kam, "Reducing structural bias in technology mapping", IEEE TCAD 2006.)
///
/// All versions are put into one hashed AIG, which is swept by SAT with a limit of conflicts: what is not
/// proved, be it only for the limit, stays apart. The first pairs of fanins of all classes are acyclic;
/// together with members there may be cycles.
class ChoiceClasses {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  /// A further pair of fanins of a class.
  struct Member {
    Node fanins;
    std::uint32_t next;
    /// The class is the complement of the AND.
    bool complemented;
  };

  /// The versions come first, `aig` last: the first decides on the order of the classes, so that should be
  /// the best. All circuits have as many inputs and latches, in the same order. Class 0 is the constant;
  /// inputs, then latches, follow. Throws LimitError when `stop` ends it.
  ChoiceClasses(const AigStore& aig, std::span<const AigStore* const> versions, dynomite::Stop& stop);

  std::uint32_t size() const { return static_cast<std::uint32_t>(classes_.size()); }
  std::uint32_t ci_count() const { return ci_count_; }
  /// The first pair of fanins of a class, and the chain of the others.
  const Node& fanins(std::uint32_t id) const { return classes_[id].fanins; }
  std::uint32_t first_member(std::uint32_t id) const { return classes_[id].members; }
  const Member& member(std::uint32_t index) const { return members_[index]; }
  std::size_t member_count() const { return members_.size(); }
  /// The literals (of classes) of the roots of the first version.
  const std::vector<Lit>& roots() const { return roots_; }
  /// The literal (of a class) of a literal of `aig`.
  Lit of(Lit lit) const { return own_[lit.node().index()] ^ lit.complemented(); }

 private:
  struct Class {
    Node fanins;
    std::uint32_t members = kNone;
  };

  void add_nodes(const AigStore& joined, const std::vector<Lit>& proved, dynomite::Stop& stop);
  Lit add_node(Lit a, Lit b, Lit& same);
  Lit add_class(Lit a, Lit b);
  bool has_pair(const Class& found, Lit a, Lit b) const;

  std::uint32_t ci_count_;
  std::vector<Class> classes_;
  std::vector<Member> members_;
  std::vector<Lit> lits_;  // of the nodes of the joined circuit
  std::vector<Lit> roots_;
  std::vector<Lit> own_;  // of those of `aig`
};

}  // namespace dmt
