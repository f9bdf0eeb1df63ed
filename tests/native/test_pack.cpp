#include <string>

#include "dmt_dialect/native/aig/pack.hpp"
#include "dmt_dialect/native/aig/same_circuit.hpp"
#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/random.hpp"
#include "tests/native/check.hpp"

using dmt::AigStore;
using dmt::Lit;
using dmt::Reset;
using dynomite::ParseError;

namespace {

AigStore random_store(std::uint64_t seed) {
  dynomite::Random random(seed);
  AigStore store;
  const auto lit = [&] { return Lit::from_raw(random.below(2 * store.node_count())); };
  for (int i = 0; i < 60; ++i) {
    switch (random.below(8)) {
      case 0: store.add_input(); break;
      case 1: store.add_latch(static_cast<Reset>(random.below(3))); break;
      case 2: store.and_(lit(), lit()); break;
      default: store.append_and(lit(), lit()); break;
    }
  }
  for (std::uint32_t i = 0; i < store.latches().size(); ++i) store.set_next(i, lit());
  for (std::uint32_t i = random.below(4); i > 0; --i) store.outputs().push_back(lit());
  for (auto* lits : {&store.bad(), &store.constraints(), &store.fairness()}) {
    for (std::uint32_t i = random.below(3); i > 0; --i) lits->push_back(lit());
  }
  for (std::uint32_t i = random.below(3); i > 0; --i) store.justice().push_back({lit(), lit()});
  for (std::uint32_t i = 0; i < store.inputs().size(); i += 2)
    store.names().inputs.set(i, std::to_string(i) + "in");
  for (std::uint32_t i = 0; i < store.outputs().size(); ++i)
    store.names().outputs.set(i, std::to_string(i) + "\xff");
  store.net_names().push_back({lit(), "net"});
  store.comments() = {"one", "", "three"};
  store.name() = "top";
  return store;
}

std::string sealed(std::string body) {
  std::uint64_t sum = dmt::pack_checksum(body);
  for (int k = 0; k < 8; ++k, sum >>= 8) body.push_back(static_cast<char>(sum));
  return body;
}

}  // namespace

TEST(round_trip) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const AigStore store = random_store(seed);
    const AigStore back = dmt::unpack(dmt::pack(store));
    CHECK_EQ(dmt::first_difference(store, back, true), std::string());
    CHECK_EQ(dmt::pack(back), dmt::pack(store));
    CHECK_EQ(store.node_count(), back.node_count());
    CHECK(store.comments() == back.comments());
    CHECK_EQ(store.name(), back.name());
    CHECK_EQ(store.net_names()[0].name, back.net_names()[0].name);
  }
}

TEST(changed_bytes_are_noticed) {
  const std::string bytes = dmt::pack(random_store(5));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      CHECK_THROWS(dmt::unpack(changed), ParseError);
    }
    CHECK_THROWS(dmt::unpack(bytes.substr(0, i)), ParseError);
  }
  CHECK_THROWS(dmt::unpack(bytes + "x"), ParseError);
}

TEST(hostile_bytes_with_a_right_checksum) {
  // Whatever is accepted must be a valid AIG: it packs and unpacks again.
  int accepted = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::string packed = dmt::pack(random_store(seed));
    const std::string body = packed.substr(0, packed.size() - 8);
    dynomite::Random random(seed);
    for (int turn = 0; turn < 1500; ++turn) {
      std::string changed = body;
      for (std::uint32_t n = 1 + random.below(3); n > 0; --n) {
        const std::size_t at = 8 + random.below(static_cast<std::uint32_t>(changed.size()) - 8);
        switch (random.below(4)) {
          case 0: changed[at] = static_cast<char>(random.next()); break;
          case 1: changed.erase(at, 1 + random.below(4)); break;
          case 2: changed.push_back(static_cast<char>(random.next())); break;
          default: changed[at] = static_cast<char>(changed[at] + (random.below(2) == 0 ? 1 : -1)); break;
        }
        if (changed.size() <= 8) break;
      }
      try {
        const AigStore store = dmt::unpack(sealed(changed));
        ++accepted;
        CHECK_EQ(dmt::first_difference(store, dmt::unpack(dmt::pack(store)), true), std::string());
      } catch (const ParseError&) {
      }
    }
  }
  CHECK(accepted > 100);
}

TEST(other_version_is_named) {
  std::string body = dmt::pack(AigStore());
  body.resize(body.size() - 8);
  body[7] = 9;
  try {
    dmt::unpack(sealed(body));
    CHECK(false);
  } catch (const ParseError& error) {
    CHECK(std::string(error.what()).find("version 9") != std::string::npos);
  }
}
