#include <map>
#include <numeric>
#include <vector>

#include "dmt_dialect/native/aig/candidate_classes.hpp"
#include "tests/native/check.hpp"
#include "tests/native/random_aig.hpp"

TEST(classes_agree_with_a_naive_partition) {
  dynomite::Random random(11);
  for (int round = 0; round < 100; ++round) {
    const std::uint32_t nodes = 2 + random.below(60);
    const std::size_t words = 1 + random.below(3);
    dmt::CandidateClasses classes;
    std::vector<std::uint32_t> members(nodes);
    std::iota(members.begin(), members.end(), 0U);
    classes.start(nodes, members);
    // The naive model: what every node has shown so far, complemented if its first bit is 1.
    std::vector<std::vector<std::uint64_t>> history(nodes);
    std::vector<bool> phase(nodes);
    for (int step = 0; step < 4; ++step) {
      std::vector<std::uint64_t> values(nodes * words);
      for (auto& value : values) value = random.next() & (step == 0 ? 3U : 1U << random.below(4));
      for (std::uint32_t i = 1; i < nodes; ++i) {  // many equal or opposite rows
        if (random.below(2) == 0) continue;
        const std::uint32_t source = random.below(i);
        const std::uint64_t flip = random.below(2) == 0 ? 0 : ~std::uint64_t{0};
        for (std::size_t w = 0; w < words; ++w) values[i * words + w] = values[source * words + w] ^ flip;
      }
      for (std::uint32_t i = 0; i < nodes; ++i) {
        if (step == 0) phase[i] = (values[i * words] & 1U) != 0;
        for (std::size_t w = 0; w < words; ++w) {
          history[i].push_back(phase[i] ? ~values[i * words + w] : values[i * words + w]);
        }
      }
      classes.refine(values, words);
      std::map<std::vector<std::uint64_t>, std::uint32_t> first;
      for (std::uint32_t i = 0; i < nodes; ++i) {
        const auto [it, fresh] = first.emplace(history[i], i);
        CHECK_EQ(classes.representative(dmt::NodeId(i)).index(), it->second);
        CHECK(classes.phase(dmt::NodeId(i)) == phase[i] || fresh);
      }
    }
  }
}

TEST(fewer_than_two_members_make_no_class) {
  dmt::CandidateClasses classes;
  classes.start(3, {2});
  const std::vector<std::uint64_t> values = {0, 0, 0};
  CHECK_EQ(classes.refine(values, 1), 0U);
  CHECK_EQ(classes.candidates(), 0U);
}
