#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/cnf/cnf.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// Which clauses a gate gets.
enum class Encoding : std::uint8_t {
  kTseitin,           ///< Both directions: every assignment of the inputs has one of the variables.
  kPlaistedGreenbaum  ///< Only the direction the roots ask for: a root's literal implies the root, not more.
};

/// Clauses for the gates of an AIG, one variable a node that is met, added as they are asked for. The AIG may
/// grow between calls. (Tseitin, 1968; Plaisted and Greenbaum, "A structure-preserving clause form
/// translation", 1986.)
class CnfEncoder {
 public:
  CnfEncoder(const AigStore& aig, Encoding encoding) : aig_(aig), encoding_(encoding) {}

  /// Adds the clauses below `roots` that are not there yet. False when `stop` ended it: what is there is then
  /// incomplete, and the next call goes on. Linear in the nodes that are new.
  [[nodiscard]] bool encode(std::span<const Lit> roots, dynomite::Stop& stop);

  const Cnf& cnf() const { return cnf_; }
  Cnf& cnf() { return cnf_; }
  /// The literal that stands for `lit`, whose node must have been met.
  std::int32_t literal(Lit lit) const;
  /// Of each node: its variable, 0 for none. Nodes added since the last `encode` may be missing.
  const std::vector<std::uint32_t>& variables() const { return variables_; }
  /// Of variable v, at v - 1: its node.
  const std::vector<std::uint32_t>& nodes() const { return nodes_; }

 private:
  struct Task {
    std::uint32_t node;
    std::uint8_t directions;
  };
  std::int32_t variable_of(NodeId node);
  std::int32_t literal_of(Lit lit) {
    const std::int32_t variable = variable_of(lit.node());
    return lit.complemented() ? -variable : variable;
  }
  std::uint8_t directions_of(Lit lit, std::uint8_t directions) const;

  const AigStore& aig_;
  Encoding encoding_;
  Cnf cnf_;
  std::vector<std::uint32_t> variables_;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint8_t> done_;
  std::vector<Task> tasks_;
};

/// The formula as a circuit: input i is variable i + 1, the one output is true where all clauses are.
/// Linear; trees are balanced.
AigStore cnf_to_aig(const Cnf& cnf, dynomite::Stop& stop);

}  // namespace dmt
