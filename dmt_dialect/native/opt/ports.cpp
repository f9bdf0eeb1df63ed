#include "dmt_dialect/native/opt/ports.hpp"

namespace dmt::opt {

std::vector<Lit> root_literals(const AigStore& aig) {
  std::vector<Lit> roots;
  const auto add = [&](const std::vector<Lit>& lits) { roots.insert(roots.end(), lits.begin(), lits.end()); };
  add(aig.outputs());
  add(aig.bad());
  add(aig.constraints());
  add(aig.fairness());
  for (const auto& group : aig.justice()) add(group);
  for (const Latch& latch : aig.latches()) roots.push_back(latch.next);
  return roots;
}

void copy_cis(const AigStore& from, AigStore& to) {
  for (std::size_t i = 0; i < from.inputs().size(); ++i) to.add_input();
  for (const Latch& latch : from.latches()) to.add_latch(latch.reset);
}

}  // namespace dmt::opt
