#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt::opt {

/// Every literal of the outside of `aig`: outputs, properties, next states; in this order.
std::vector<Lit> root_literals(const AigStore& aig);

/// Adds inputs and latches of `from` to the empty `to`, inputs first; next states come with `copy_ports`.
void copy_cis(const AigStore& from, AigStore& to);

/// Gives `to`, which has the inputs and latches of `from`, the latter's outputs, properties, next states,
/// names and comments. `lead` gives the literal of `to` of a literal of `from`; it is asked for roots only.
template <typename Lead>
void copy_ports(const AigStore& from, AigStore& to, Lead lead) {
  const auto all = [&](const std::vector<Lit>& source, std::vector<Lit>& target) {
    target.clear();
    for (const Lit lit : source) target.push_back(lead(lit));
  };
  all(from.outputs(), to.outputs());
  all(from.bad(), to.bad());
  all(from.constraints(), to.constraints());
  all(from.fairness(), to.fairness());
  to.justice().clear();
  for (const auto& group : from.justice()) all(group, to.justice().emplace_back());
  for (std::uint32_t i = 0; i < from.latches().size(); ++i) to.set_next(i, lead(from.latches()[i].next));
  to.names() = from.names();
  to.comments() = from.comments();
  to.name() = from.name();
}

/// Gives literals of `to` the names of the nets of `from` whose literals `lead` leads to: `kNotAnd` for those
/// that are gone. Of several names for one literal the first stays.
template <typename Lead>
void copy_net_names(const AigStore& from, AigStore& to, Lead lead) {
  std::unordered_set<std::uint32_t> named;
  for (const NetName& net : from.net_names()) {
    const Lit lit = lead(net.lit);
    if (lit != AigStore::kNotAnd && named.insert(lit.raw()).second) to.net_names().push_back({lit, net.name});
  }
}

}  // namespace dmt::opt
