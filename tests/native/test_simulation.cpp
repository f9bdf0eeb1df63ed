#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/aig/simulation.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "tests/native/check.hpp"

using dmt::AigSnapshot;
using dmt::AigStore;
using dmt::kFalse;
using dmt::kTrue;
using dmt::Lit;
using dmt::NodeId;
using dmt::PatternSource;
using dmt::Reset;
using dmt::SimEvent;
using dmt::SimOp;
using dmt::SimRun;
using dmt::SimSchedule;
using dynomite::Random;
using dynomite::Stop;

namespace {

using Words = std::vector<std::uint64_t>;

/// Gates as drawn, constants and equal fanins included.
AigStore random_aig(std::uint64_t seed, std::uint32_t inputs, std::uint32_t ands, std::uint32_t outputs,
                    std::uint32_t latches = 0) {
  Random random(seed);
  AigStore aig;
  aig.add_inputs(inputs);
  for (std::uint32_t i = 0; i < latches; ++i) aig.add_latch();
  const auto draw = [&] { return Lit::from_raw(random.below(2 * aig.node_count())); };
  for (std::uint32_t i = 0; i < ands; ++i) {
    const Lit a = draw();
    const Lit b = draw();
    aig.append_and(a, b);
  }
  for (std::uint32_t i = 0; i < outputs; ++i) aig.outputs().push_back(draw());
  for (std::uint32_t i = 0; i < latches; ++i) aig.set_next(i, draw());
  return aig;
}

bool value_of(const std::vector<bool>& nodes, Lit lit) {
  return nodes[lit.node().index()] != lit.complemented();
}

/// The plain model: one pattern.
std::vector<bool> evaluate(const AigStore& aig, const std::vector<bool>& sources) {
  std::vector<bool> nodes(aig.node_count());
  for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
    const NodeId id(i);
    if (aig.is_and(id)) {
      nodes[i] = value_of(nodes, aig.fanin0(id)) && value_of(nodes, aig.fanin1(id));
    } else {
      nodes[i] = sources[aig.ci_index(id) + (aig.is_latch(id) ? aig.inputs().size() : 0)];
    }
  }
  return nodes;
}

bool bit(const Words& words, std::size_t row, std::size_t words_per_row, std::size_t pattern) {
  return ((words[row * words_per_row + pattern / 64] >> (pattern % 64)) & 1U) != 0;
}

std::vector<Lit> all_roots(const AigStore& aig) {
  std::vector<Lit> roots = aig.outputs();
  for (const auto& latch : aig.latches()) roots.push_back(latch.next);
  return roots;
}

dynomite::Stop never;

Words run_random(const SimSchedule& schedule, std::size_t patterns, dmt::Simd simd, std::size_t block) {
  Words out(schedule.root_count() * dmt::words_of(patterns));
  SimRun run;
  run.inputs = PatternSource::random(9);
  run.patterns = patterns;
  run.out = out.data();
  run.simd = simd;
  run.block_words = block;
  Stop stop;
  CHECK(dmt::simulate(schedule, run, stop));
  return out;
}

}  // namespace

TEST(random_circuits_equal_the_plain_model) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto inputs = static_cast<std::uint32_t>(seed % 7);
    const AigStore aig = random_aig(seed, inputs, static_cast<std::uint32_t>(seed * 3), 4);
    const SimSchedule schedule(aig, aig.outputs(), never);
    const std::size_t patterns = std::size_t{1} << inputs;
    Words out(4 * dmt::words_of(patterns));
    SimRun run;
    run.inputs = PatternSource::exhaustive();
    run.patterns = patterns;
    run.out = out.data();
    Stop stop;
    CHECK(dmt::simulate(schedule, run, stop));
    for (std::size_t pattern = 0; pattern < patterns; ++pattern) {
      std::vector<bool> sources;
      for (std::uint32_t i = 0; i < inputs; ++i) sources.push_back(((pattern >> i) & 1U) != 0);
      const std::vector<bool> nodes = evaluate(aig, sources);
      for (std::size_t i = 0; i < 4; ++i) {
        CHECK_EQ(bit(out, i, dmt::words_of(patterns), pattern), value_of(nodes, aig.outputs()[i]));
      }
    }
  }
}

TEST(all_variants_and_blocks_agree) {
  const AigStore aig = random_aig(5, 20, 500, 30);
  const SimSchedule schedule(aig, aig.outputs(), never);
  for (const std::size_t patterns : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64},
                                     std::size_t{65}, std::size_t{64 * 8}, std::size_t{64 * 129 + 5}}) {
    const Words expected = run_random(schedule, patterns, dmt::Simd::kBaseline, 1);
    for (const dmt::Simd simd : dmt::available_simd()) {
      for (const std::size_t block : {0, 1, 7, 8, 16, 32, 64, 128, 1000}) {
        CHECK(run_random(schedule, patterns, simd, block) == expected);
      }
    }
  }
}

TEST(a_schedule_is_well_formed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const AigStore aig = random_aig(seed, 10, 300, 20, 3);
    const std::vector<Lit> roots = all_roots(aig);
    const SimSchedule schedule(aig, roots, never);
    // Every root is stored once, every source loaded at most once, all in order and in range.
    std::vector<std::size_t> stores(roots.size(), 0);
    std::size_t position = 0;
    std::size_t loads = 0;
    for (const SimEvent& event : schedule.events()) {
      CHECK(event.position >= position);
      position = event.position;
      if (event.kind == SimEvent::Kind::kStore) {
        CHECK((event.slot >> 1) < schedule.slot_count());
        ++stores[event.index];
      } else {
        CHECK(event.slot < schedule.slot_count());
        loads += event.kind == SimEvent::Kind::kLoad ? 1U : 0U;
      }
    }
    for (const std::size_t count : stores) CHECK_EQ(count, 1U);
    CHECK(loads <= schedule.source_count());
    for (const SimOp& op : schedule.ops()) CHECK(op.out < schedule.slot_count());
  }
}

TEST(constants_and_wires) {
  AigStore aig;
  const Lit a = aig.add_input();
  const std::vector<Lit> roots{kFalse, kTrue, a, ~a, a, kTrue};
  const SimSchedule schedule(aig, roots, never);
  CHECK_EQ(schedule.ops().size(), 0U);
  Words out(6);
  SimRun run;
  run.inputs = PatternSource::exhaustive();
  run.patterns = 2;
  run.out = out.data();
  Stop stop;
  CHECK(dmt::simulate(schedule, run, stop));
  CHECK(out == (Words{0, 3, 2, 1, 2, 3}));
}

TEST(no_roots_and_no_inputs) {
  AigStore aig;
  const Lit one = aig.append_and(kTrue, kTrue);
  Stop stop;
  SimRun run;
  run.patterns = 10;
  const SimSchedule nothing(aig, std::vector<Lit>{}, never);
  CHECK_EQ(nothing.slot_count(), 0U);
  CHECK(dmt::simulate(nothing, run, stop));
  Words out(1);
  run.out = out.data();
  const SimSchedule constant(aig, std::vector<Lit>{one}, never);
  CHECK(dmt::simulate(constant, run, stop));
  CHECK_EQ(out[0], 0x3FFU);
}

TEST(a_chain_needs_two_slots) {
  AigStore aig;
  Lit lit = aig.add_input();
  const Lit other = aig.add_input();
  for (int i = 0; i < 200000; ++i) lit = ~aig.append_and(lit, other);
  aig.outputs().push_back(lit);
  const SimSchedule schedule(aig, aig.outputs(), never);
  CHECK_EQ(schedule.slot_count(), 2U);
  const Words out = run_random(schedule, 64, dmt::Simd::kAuto, 0);
  // An even number of NANDs with `other`: lit where other is 1, else 1.
  Words sources(2);
  for (std::uint32_t i = 0; i < 2; ++i) PatternSource::random(9).fill(i, 0, 0, 1, 1, &sources[i]);
  CHECK_EQ(out[0], (sources[0] & sources[1]) | ~sources[1]);
}

TEST(values_of_all_nodes_equal_those_of_the_schedule) {
  for (const std::size_t patterns : {1, 64, 100, 64 * 9, 64 * 200 + 1}) {
    const AigStore aig = random_aig(patterns, 8, 300, 5, 2);
    std::vector<Lit> nodes;
    for (std::uint32_t id = 0; id < aig.node_count(); ++id) nodes.emplace_back(NodeId(id), false);
    const Words expected = run_random(SimSchedule(aig, nodes, never), patterns, dmt::Simd::kAuto, 0);
    for (const dmt::Simd simd : dmt::available_simd()) {
      Words out(expected.size());
      Stop stop;
      CHECK(
          dmt::simulate_nodes(AigSnapshot(aig), PatternSource::random(9), patterns, out.data(), stop, simd));
      CHECK(out == expected);
    }
  }
}

TEST(cycles_carry_the_state) {
  // A three-bit counter that starts at 5.
  AigStore aig;
  std::vector<Lit> bits;
  for (int i = 0; i < 3; ++i) bits.push_back(aig.add_latch());
  Lit carry = kTrue;
  for (std::uint32_t i = 0; i < 3; ++i) {
    aig.set_next(i, aig.xor_(bits[i], carry));
    carry = aig.and_(bits[i], carry);
  }
  aig.outputs() = bits;
  const SimSchedule schedule(aig, all_roots(aig), never);
  Words state{1, 0, 1};
  Words out(3 * 20);
  SimRun run;
  run.patterns = 1;
  run.cycles = 20;
  run.state_count = 3;
  run.state = state.data();
  run.out = out.data();
  Stop stop;
  CHECK(dmt::simulate(schedule, run, stop));
  for (std::size_t cycle = 0; cycle < 20; ++cycle) {
    const std::uint64_t value = out[3 * cycle] | (out[3 * cycle + 1] << 1) | (out[3 * cycle + 2] << 2);
    CHECK_EQ(value, (5 + cycle) % 8);
  }
  CHECK(state == (Words{1, 0, 0}));
}

TEST(three_values) {
  AigStore aig;
  const Lit a = aig.add_input();
  const Lit b = aig.add_input();
  aig.append_and(a, b);
  const std::vector<Lit> roots{Lit(NodeId(3), false), Lit(NodeId(3), true), kTrue};
  const SimSchedule schedule(aig, roots, never);
  // Patterns: all nine pairs of 0, 1, X.
  Words values{0b010010010, 0b000111000};
  Words unknown{0b100100100, 0b111000000};
  for (const dmt::Simd simd : dmt::available_simd()) {
    Words out(3);
    Words x(3);
    SimRun run;
    run.inputs = PatternSource::given(values.data(), unknown.data(), 2, 1);
    run.patterns = 9;
    run.ternary = true;
    run.simd = simd;
    run.out = out.data();
    run.out_unknown = x.data();
    Stop stop;
    CHECK(dmt::simulate(schedule, run, stop));
    CHECK_EQ(out[0], 0b000010000U);
    CHECK_EQ(x[0], 0b110100000U);
    CHECK_EQ(out[1], 0b001001111U);
    CHECK_EQ(x[1], 0b110100000U);
    CHECK_EQ(out[2], 0x1FFU);
    CHECK_EQ(x[2], 0U);
  }
}

TEST(a_stopped_run_says_so) {
  const AigStore aig = random_aig(1, 10, 5000, 3);
  const SimSchedule schedule(aig, aig.outputs(), never);
  Words out(3 * 1000);
  SimRun run;
  run.patterns = 64000;
  run.out = out.data();
  Stop stop;
  stop.cancel();
  CHECK(!dmt::simulate(schedule, run, stop));
  Words nodes(std::size_t{aig.node_count()} * 1000);
  CHECK(!dmt::simulate_nodes(AigSnapshot(aig), run.inputs, 64000, nodes.data(), stop));
}

TEST(one_schedule_serves_many_threads) {
  const AigStore aig = random_aig(2, 30, 3000, 10);
  const SimSchedule schedule(aig, aig.outputs(), never);
  const Words expected = run_random(schedule, 5000, dmt::Simd::kAuto, 0);
  std::vector<Words> found(4);
  std::vector<std::thread> threads;
  for (auto& words : found) {
    threads.emplace_back([&] { words = run_random(schedule, 5000, dmt::Simd::kAuto, 0); });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& words : found) CHECK(words == expected);
}

TEST(names_of_instruction_sets) {
  for (const dmt::Simd simd : dmt::available_simd()) CHECK_EQ(dmt::simd_by_name(dmt::simd_name(simd)), simd);
  CHECK_EQ(dmt::simd_by_name("auto"), dmt::Simd::kAuto);
  CHECK_THROWS(dmt::simd_by_name("mmx"), dynomite::UsageError);
}
